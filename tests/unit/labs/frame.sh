#!/bin/sh
# Does `quern lab` do what its help says, from the build tree and installed, and give away nothing that it should not?
. "${top_srcdir:-$(dirname "$0")/../../..}/tests/tap/tap.sh"

out=$SCRATCH/out
err=$SCRATCH/err

# run STATUS DESCRIPTION ARGUMENTS...
run() {
    wanted=$1 what=$2
    shift 2
    "$QUERN" lab "$@" >"$out" 2>"$err"
    is $? "$wanted" "$what"
}

# ---- list ----

run 0 'list' list
is "$(sed 's/^ *\([0-9]*\) .*/\1/' "$out" | tr '\n' ' ')" "$(cd "$top_srcdir/labs" && ls -d [0-9]* | sed 's/^0*\([0-9]*\)-.*/\1/' | tr '\n' ' ')" \
    'shows every folder of labs/, in order'
is "$(grep -c ' 100 points; hand in [a-z]' "$out")" "$(wc -l <"$out")" 'each has 100 points and something to hand in'

# ---- start ----

for number in $(sed 's/^ *\([0-9]*\) .*/\1/' "$out"); do
    dir=$SCRATCH/start$number
    "$QUERN" lab start "$number" "$dir" >"$err" 2>&1 || fail "start $number: $(cat "$err")"
    given=$(cd "$dir" && ls -A | LC_ALL=C sort | tr '\n' ' ')
    case $number in 2 | 12) header='quern.h nostack.c stack.h misses.sh' ;; 9) header='quern.h workers.h' ;; *) header= ;; esac
    wanted=$({ printf '%s\n' .quern-lab HANDOUT.md $header && ls "$top_srcdir"/labs/"$(printf %02d "$number")"-*/starter; } | LC_ALL=C sort | tr '\n' ' ')
    is "$given" "$wanted" "start $number: the handout and the starter, nothing else"
done
run 1 'start: never over what is there' start 1 "$SCRATCH/start1"
is "$(cat "$err")" "quern: lab: $SCRATCH/start1: is not empty" 'which is said'
mkdir "$SCRATCH/empty"
run 0 'an empty folder will do' start --seed=42 01 "$SCRATCH/empty"
is "$(cat "$SCRATCH/empty/.quern-lab")" 'lab 1
seed 42' 'the seed is kept'

# ---- wrong commands ----

run 2 'no command' && is "$(wc -l <"$err")" 1 'one line'
run 2 'a lab that is not there' check 99 . && is "$(cat "$err")" "quern: lab: got '99', wanted the number of a lab; \`quern lab list\` shows them" 'one line'
run 2 'no folder' check 1
run 2 'an unknown option' check --nonsense 1 .
run 2 'a seed that is no number' check --case-seed=x 1 .
run 3 'a folder that is not there' check 1 "$SCRATCH/nowhere"
is "$(sed 's/^Bail out!.*/Bail out!/' "$out" | tr '\n' ' ')" 'TAP version 14 Bail out! ' 'which TAP can say, too'
run 3 'the same for Gradescope' check --gradescope="$SCRATCH/nowhere.json" 1 "$SCRATCH/nowhere"
ok 'it has a score of 0, and says why' grep -q 'nothing to check was found' "$SCRATCH/nowhere.json"
run 2 'a folder of another lab' check 3 "$SCRATCH/start1"
is "$(cat "$err")" "quern: lab: $SCRATCH/start1: was started as lab 1, got 3" 'which is said'
run 2 'no test of that name' check --only=zzz 1 "$SCRATCH/start1"
is "$(cat "$out" "$err")" "quern: lab: --only: no test of lab 1 has 'zzz' in its name" 'which is said'

# says TEXT: the check of a csim that prints this.
says() {
    mkdir -p "$SCRATCH/says"
    printf '#include <stdio.h>\nint main(void) { fputs("%s", stdout); return 0; }\n' "$1" >"$SCRATCH/says/csim.c"
    "$QUERN" lab check --case-seed=1 --only=small 1 "$SCRATCH/says" >"$out" 2>"$err"
}
# said WHAT WANTED TEXT: the first remark.
said() {
    what=$1 wanted=$2
    says "$3"
    is "$(sed -n 's/^# \(s=.*\)/\1/p' "$out" | head -n 1)" "$wanted" "$what"
}
x=$(printf '%0100d' 7)
says none
right=$(sed -n "s/^# s=1 E=1 b=1: got 'none', wanted '\(hits:[0-9]* misses:[0-9]* evictions:[0-9]*\)'$/\1/p" "$out")
ok 'the first wrong reference is told' grep -q '^# first wrong at reference 1: [LSM] [0-9a-f]*,1: wanted hits +[0-9], misses +[0-9], evictions +[0-9]$' "$out"
said 'a line of 100 characters is shown' "s=1 E=1 b=1: got '$x...', wanted '$right'" "$x"
said 'so are 101 of them' "s=1 E=1 b=1: got '$x...', wanted '$right'" "${x}7"
said 'an extra line behind the right one' "s=1 E=1 b=1: '$right' is right, and then comes 'x': print one line" "$right\nx\n"

# ---- keep ----

if [ -d "$top_srcdir/labs/solutions" ]; then
    mkdir "$SCRATCH/fifo"
    sed 's/memmove(lines + 1, lines, at \* sizeof \*lines);/if (!miss) return 0; &/' "$top_srcdir/labs/solutions/01-cache/csim.c" >"$SCRATCH/fifo/csim.c"
    run 1 'first in, first out' check --case-seed=3 --keep="$SCRATCH/kept" --only=several 1 "$SCRATCH/fifo"
    kept=$SCRATCH/kept/03
    last=$(sed -n 's/^# first wrong at reference \([0-9]*\): .*/\1/p' "$out")
    is "$(wc -l <"$kept/trace.txt" | tr -d ' ')" "$last" 'kept: the trace up to the first wrong reference, which the terminal names'
    # Its trace, without the last reference and with it, under a program that is right.
    cc=${CC:-cc}
    "$cc" -O1 -o "$SCRATCH/right" "$top_srcdir/labs/solutions/01-cache/csim.c" && "$cc" -O1 -o "$SCRATCH/wrong" "$SCRATCH/fifo/csim.c" || bail 'no compiler'
    options=$(sed -n 's/.* \(-s [0-9]* -E [0-9]* -b [0-9]*\) -t .*/\1/p' "$kept/why.txt")
    sed '$d' "$kept/trace.txt" >"$SCRATCH/before"
    is "$("$SCRATCH/wrong" $options -t "$SCRATCH/before")" "$("$SCRATCH/right" $options -t "$SCRATCH/before")" 'before it all was right'
    ok 'with it no longer' test "$("$SCRATCH/wrong" $options -t "$kept/trace.txt")" != "$("$SCRATCH/right" $options -t "$kept/trace.txt")"
    mkdir "$SCRATCH/policies"
    cp "$top_srcdir"/labs/solutions/03-policies/*.c "$SCRATCH/policies"
    sed 's/way_state(set, way) = SOON; }/way_state(set, way) -= way_state(set, way) > 0; }/' "$top_srcdir/labs/solutions/03-policies/srrip.c" >"$SCRATCH/policies/srrip.c"
    run 1 'srrip that counts down' check --case-seed=3 --keep="$SCRATCH/kept3" --only=srrip 3 "$SCRATCH/policies"
    ok 'kept: the state of the policy' grep -q '^    way 0: line [0-9a-f]*, way_state [0-3] ' "$SCRATCH/kept3/05/why.txt"
    ok 'and what a right one would hold' grep -q '^With a right policy the set would hold:' "$SCRATCH/kept3/05/why.txt"
    command=$(grep -A1 '^In a debugger' "$SCRATCH/kept3/05/why.txt" | sed -n '2s/^ *quern //p')
    ok 'the command that it names builds it' sh -c "cd '$SCRATCH/policies' && '$QUERN' $command"
    ok 'and what was built replays the trace' "$SCRATCH/policies/mine" "$(sed -n 's/.*\(--D1=[0-9,]*\) .*/\1/p' "$SCRATCH/kept3/05/why.txt")" "$SCRATCH/kept3/05/trace.txt"
else
    skip 'the solutions are not here: this is a release' 9
fi
mkdir "$SCRATCH/nothing"
run 1 'nothing handed in' check --only=small 1 "$SCRATCH/nothing"
is "$(head -n 1 "$out"):$(grep -c 'csim.c was not handed in' "$out")" 'TAP version 14:1' 'is no points, in TAP'

# ---- check: TAP, Gradescope, seeds ----

starter=$SCRATCH/start1
run 1 'check of a starter' check --case-seed=5 --gradescope="$SCRATCH/results.json" 1 "$starter"
is "$(head -n 1 "$out")" 'TAP version 14' 'prints TAP'
tests=$(sed -n 's/^1\.\.//p' "$out")
is "$(grep -c '^\(not \)\{0,1\}ok ' "$out")" "$tests" 'as many tests as planned'
cp "$out" "$SCRATCH/first"
run 1 'again from the same seed' check --case-seed=5 1 "$starter"
same_file "$out" "$SCRATCH/first" 'all is the same'
run 1 'from another seed' check --case-seed=6 1 "$starter"
ok 'the inputs are others' test "$(grep wanted "$out" | cksum)" != "$(grep wanted "$SCRATCH/first" | cksum)"
if command -v jq >/dev/null; then
    is "$(jq -r '.tests | length' "$SCRATCH/results.json")" "$tests" 'results.json is JSON, a test each'
    is "$(jq -r '[.score, ([.tests[].max_score] | add), ([.tests[].score] | add)] | map(tostring) | join(" ")' "$SCRATCH/results.json")" \
        '0 100 0' 'score, and the sum of what is possible'
    is "$(jq -r '.tests[0] | "\(.number) \(.status) \(.max_score)"' "$SCRATCH/results.json")" '1 failed 5' 'number, status, points'
else
    absent 'jq is not installed' 3
fi
run 3 'results that cannot be written' check --only=small --gradescope="$SCRATCH/nowhere/r.json" 1 "$starter"

if [ -d "$top_srcdir/labs/solutions" ]; then
    run 0 'a solution: exit status 0' check --gradescope="$SCRATCH/full.json" 1 "$top_srcdir/labs/solutions/01-cache"
    ok 'and a score of 100' grep -q '"score": 100,' "$SCRATCH/full.json"
    run 1 'a part of the tests is not full marks' check --only='small' 1 "$top_srcdir/labs/solutions/01-cache"
    is "$(sed -n 's/^1\.\.//p' "$out")" 1 'only those whose name has the text'
else
    skip 'the solutions are not here: this is a release' 4
fi

# ---- installed ----

prefix=$SCRATCH/prefix
if make -s -C "$top_builddir" install DESTDIR="$prefix" >"$SCRATCH/install.log" 2>&1; then
    installed=$(find "$prefix" -type f -name quern -perm -100)
    is "$(cd / && "$installed" lab list)" "$("$QUERN" lab list)" 'installed: the same list'
    is "$(find "$prefix" -path '*solution*' -o -name NOTES.md | head -n 1)" '' 'solutions and notes are not installed'
    (cd "$SCRATCH" && "$installed" lab start 1 from-installed) >"$err" 2>&1
    is "$(diff -r -x .quern-lab "$SCRATCH/from-installed" "$starter" 2>&1)" '' 'installed: start gives the same'
    (cd "$SCRATCH" && "$installed" lab check 1 from-installed) >"$out" 2>"$err"
    is "$?:$(tail -n 1 "$out")" '1:# 0 of 100 points' 'installed: check works'
else
    fail "make install: $(tail -n 3 "$SCRATCH/install.log")"
fi

done_testing
