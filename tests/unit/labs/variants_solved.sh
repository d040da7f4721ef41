#!/bin/sh
# Is what a variant's handout says what its check wants?  Solutions that take their rules from the handout's sentences get full marks.
. "${top_srcdir:-$(dirname "$0")/../../..}/tests/tap/tap.sh"

out=$SCRATCH/out key=$SCRATCH/key
echo 'a key of this course' >"$key"
[ -d "$top_srcdir/labs/solutions" ] || skip_all 'the solutions are not here: this is a release' 62

# number TEXT: what stands in the handout for %u.
number() { sed -n "s/^[* ]*$(printf '%s' "$1" | sed 's/[].*[]/\\&/g; s/%u/\\([0-9]*\\)/').*/\1/p" "$handout" | head -n 1; }
# choice TEXT1 TEXT2...: which of these begins a line.
choice() {
    of=0
    for text in "$@"; do
        of=$((of + 1))
        grep -qF "$text" "$handout" && echo "$of" && return
    done
}

# solve LAB STUDENT FILE...: the solution for variants, with the student's rules in front.
solve() {
    lab=$1 student=$2
    shift 2
    dir=$SCRATCH/$student$lab handout=$SCRATCH/$student$lab/HANDOUT.md
    "$QUERN" lab start "$lab" "$dir" --student="$student" --key-file="$key" >"$out" 2>&1 || fail "start $lab: $(cat "$out")"
    rules_$lab >"$SCRATCH/rules"
    ok "lab $lab, $student: each rule is in the handout" test "$(grep -c ' [0-9][0-9]*$' "$SCRATCH/rules")" -eq "$(wc -l <"$SCRATCH/rules")" ||
        diag "$(cat "$SCRATCH/rules")"
    for file in "$@"; do cat "$SCRATCH/rules" "$top_srcdir"/labs/solutions/"$(printf %02d "$lab")"-*/variant/"$file" >"$dir/$file"; done
    "$QUERN" lab check --case-seed=7 --student="$student" --key-file="$key" "$lab" "$dir" >"$out" 2>&1
    is "$?:$(grep '^not ok' "$out")" 0: "lab $lab, $student: a solution by the handout has full marks" || diag "$(cat "$out" "$SCRATCH/rules")"
}

rules_1() {
    echo "#define SHIFT $(number '**sets** A line stands in set (n xor (n >> %u))')"
    echo "#define STORE $(choice 'A store that misses brings nothing in.' 'A store that misses brings nothing in, and')"
    echo "#define STAY $(choice '**eviction** The line of' '**eviction** The two lines of')"
    echo "#define CROSS $(choice 'counts as two, each' 'is a miss only if neither')"
}
rules_2() {
    echo "#define TURN $(choice 'b[r][n - 1 - i], r being m - 1 - j' 'b[r][n - 1 - i], r being j' 'b[r][i], r being m - 1 - j')"
    echo "#define MOVED $(number 'and then moved on by %u rows')"
    echo "#define PRODUCT $(choice 'a[k][i] * b[k][j]' 'a[k][i] * b[j][k]')"
}
rules_4() {
    echo "#define AGE $(number '**curve** A cache of n lines gives up, besides, each line that was not loaded in the last %u n')"
    echo "#define SHIFT $(sed -n 's/.*(n xor (n >> \([0-9]*\))).*/\1/p' "$handout" | head -n 1)"
    echo "#define FULL $(number '**classes** The fully associative cache that is compared has %u times')"
}
rules_7() {
    echo "#define STEP $(number '**nextline** and **tagged** The first guess is %u lines')"
    echo "#define BLOCK $(number '**nextline** and **tagged** No guess leaves the aligned block of %u lines')"
    echo "#define LOSES $(sed -n 's/.*multiple of \([0-9]*\) is lost.*/\1/p' "$handout")"
}
rules_8() {
    echo "#define DROP $(number '**values** The lowest %u bits')"
    echo "#define BLOCK $(number '**mix** All instructions of an aligned block of %u bytes')"
    echo "#define CYCLES_L $(number '**mix** The last level serves a load in %u cycles')"
    echo "#define CYCLES_M $(number 'and memory in %u.')"
    echo "#define PAGE $(number '**conflicts** A page has %u bytes')"
}

rules_10() {
    echo "#define SHIFT $(number '**all** A page of 4 KiB stands in set (n xor (n >> %u))')"
    echo "#define LEVELS $(number '**all** Page tables have %u levels')"
    echo "#define CACHED $(number '**levels** The walk cache has entries of level %u')"
    echo "#define HUGE $(number '**huge** Huge pages have 1 GiB: the entry of level %u')"
}

rules_11() {
    echo "#define OVERLAP $(number '**stack** Up to %u misses')"
    echo "#define TWICE $(number '**predict** Each element is read %u times')"
    echo "#define CORES $(number '**roofline** %u cores')"
}

rules_12() {
    echo "#define X $(number '**scan** x is word %u of a particle')"
    echo "#define V $(number 'and v is word %u.')"
    echo "#define FIELDS $(number '**lookup** A record has %u fields')"
    echo "#define SPREAD $(number '**events** An event comes again at its time + 1 + h mod %u.')"
}

rules_13() {
    echo "#define REGION $(number '**stride** A region has %u lines')"
    echo "#define SURE $(number '**stride** A line is prefetched when the confidence is at least %u')"
    echo "#define PERIOD $(number '**drrip** Of the fills by brrip every %u-th')"
    echo "#define SETS $(number '**drrip** Of every %u sets')"
}

for student in ada bob cyd; do
    solve 1 $student csim.c
    solve 2 $student kernels.c
    solve 4 $student mrc.c
    solve 7 $student nextline.c tagged.c exclusive.c
    solve 8 $student profile.c
    solve 10 $student tlb.c levels.c huge.c
    solve 11 $student timing.c
    solve 12 $student layout.c
    solve 13 $student stride.c drrip.c mine.c
done

# The driver that they practise with means the same.
cc=${CC:-cc}
for student in ada bob; do
    (cd "$SCRATCH/${student}2" && "$cc" -O1 -o loops driver.c kernels.c) || fail "$student's driver cannot be compiled"
    is "$(cd "$SCRATCH/${student}2" && ./loops transpose 64 61; ./loops multiply 40)" "$(printf 'right\nright')" "lab 2, $student: the driver finds it right"
    cp "$top_srcdir/labs/02-loops/starter/kernels.c" "$SCRATCH/${student}2"
    is "$(cd "$SCRATCH/${student}2" && "$cc" -O1 -o loops driver.c kernels.c && ./loops transpose 64 61; ./loops multiply 40)" "$(printf 'wrong\nwrong')" \
        'and the standard kernels wrong'
    dir=$SCRATCH/${student}12
    is "$(cd "$dir" && "$cc" -O1 -o layout driver.c layout.c && for kernel in scan lookup events; do ./layout $kernel 500 99; done | sort -u)" right \
        "lab 12, $student: the driver finds it right"
    cp "$top_srcdir/labs/solutions/12-layout/layout.c" "$dir"
    is "$(cd "$dir" && "$cc" -O1 -o layout driver.c layout.c && for kernel in scan lookup events; do ./layout $kernel 500 99; done | sort -u)" wrong \
        'and the standard functions wrong'
done
done_testing
