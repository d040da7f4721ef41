#!/bin/sh
# Is what a variant's handout says what its check wants?  Solutions that take their rules from the handout's sentences get full marks.
. "${top_srcdir:-$(dirname "$0")/../../..}/tests/tap/tap.sh"
. "$top_srcdir/tests/unit/labs/variants.inc"

out=$SCRATCH/out key=$SCRATCH/key
echo 'a key of this course' >"$key"
[ -d "$top_srcdir/labs/solutions" ] || skip_all 'the solutions are not here: this is a release' 70

# solve LAB STUDENT: the solution for variants, with the student's rules in front.
solve() {
    lab=$1 student=$2 dir=$SCRATCH/$2$1
    "$QUERN" lab start "$lab" "$dir" --student="$student" --key-file="$key" >"$out" 2>&1 || fail "start $lab: $(cat "$out")"
    solve_variant "$lab" "$dir"
    ok "lab $lab, $student: each rule is in the handout" test "$(grep -c ' [0-9][0-9]*$' "$SCRATCH/rules")" -eq "$(wc -l <"$SCRATCH/rules")" ||
        diag "$(cat "$SCRATCH/rules")"
    "$QUERN" lab check --case-seed=7 --student="$student" --key-file="$key" "$lab" "$dir" >"$out" 2>&1
    is "$?:$(grep '^not ok' "$out")" 0: "lab $lab, $student: a solution by the handout has full marks" || diag "$(cat "$out" "$SCRATCH/rules")"
}

for student in ada bob cyd; do
    for lab in 1 2 4 7 8 9 10 11 12 13; do solve $lab $student; done
done

# The driver that they practise with means the same.
cc=${CC:-cc}
for student in ada bob; do
    (cd "$SCRATCH/${student}2" && "$cc" -O1 -o loops driver.c kernels.c) || fail "$student's driver cannot be compiled"
    is "$(cd "$SCRATCH/${student}2" && ./loops transpose 64 61; ./loops multiply 40)" "$(printf 'right\nright')" "lab 2, $student: the driver finds it right"
    cp "$top_srcdir/labs/02-loops/starter/kernels.c" "$SCRATCH/${student}2"
    is "$(cd "$SCRATCH/${student}2" && "$cc" -O1 -o loops driver.c kernels.c && ./loops transpose 64 61; ./loops multiply 40)" "$(printf 'wrong\nwrong')" \
        'and the standard kernels wrong'
    dir=$SCRATCH/${student}9
    is "$(cd "$dir" && "$cc" -O1 -pthread -o share driver.c share.c && for job in 'counters 3 500' 'queue 2 500' 'lock 2 50'; do ./share $job; done | sort -u)" \
        right "lab 9, $student: the driver finds it right"
    dir=$SCRATCH/${student}12
    is "$(cd "$dir" && "$cc" -O1 -o layout driver.c layout.c && for kernel in scan lookup events; do ./layout $kernel 500 99; done | sort -u)" right \
        "lab 12, $student: the driver finds it right"
    cp "$top_srcdir/labs/solutions/12-layout/layout.c" "$dir"
    is "$(cd "$dir" && "$cc" -O1 -o layout driver.c layout.c && for kernel in scan lookup events; do ./layout $kernel 500 99; done | sort -u)" wrong \
        'and the standard functions wrong'
done
done_testing
