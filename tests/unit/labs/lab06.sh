#!/bin/sh
# Lab 6: do the solution, the starter and typical mistakes get what they deserve?  Does the handout work?
. "${top_srcdir:-$(dirname "$0")/../../..}/tests/tap/tap.sh"
. "$top_srcdir/tests/unit/labs/labs.inc"

lab 6 38

# The report of the box of a seed, as the solution finds it, is part of a solution; here for seed 7.
made=$SCRATCH/solution
mkdir "$made"
cp "$solution"/* "$made"
seed=7
$CC -O2 -I"$starter" -o "$SCRATCH/probe" "$solution/probe.c" "$starter/box.c" || bail 'cannot compile the probe'
"$QUERN" lab box --seed=$seed "$made" "$SCRATCH/probe" >"$SCRATCH/found"
printf 'lab 6\nseed %s\n' $seed >"$made/.quern-lab"
sed 's/^after [0-9]* questions: //' "$SCRATCH/found" | awk '{ for (i = 1; i < NF; i += 2) print $i, $(i + 1) }' >"$made/report.txt"
is "$(wc -l <"$made/report.txt")" 5 'the probe finds five properties'
solution=$made

for case_seed in 1 22 4711; do
    check "$solution" --case-seed=$case_seed
    is "$check_status:$failed" '0:' "the solution: full marks, seed $case_seed" || diag "$(cat "$SCRATCH/tap" "$SCRATCH/err")"
done
nothing_yet
ok 'the starter has no seed, and is told so' grep -q 'whose box is it' "$SCRATCH/tap"

check "$solution" --seed=8
is "$failed" 1 'the report of another box gets no points'
rm "$solution/.quern-reports"
check "$solution" --seed=7
is "$check_status" 0 'the seed may come from the instructor'
wrong report.txt 's/^line .*/line 1/' 1 'a report with a wrong line'
wrong report.txt '/^policy/d' 1 'a report that leaves something out'
cp -r "$solution" "$SCRATCH/guess"
rm -f "$SCRATCH/guess/.quern-reports"
sed -i 's/^line .*/line 1/' "$SCRATCH/guess/report.txt"
check "$SCRATCH/guess" --only=report
is "$failed:$(grep -c 'not all of it is right' "$SCRATCH/tap"):$(grep -c 'line' "$SCRATCH/guess/.quern-reports")" '1:1:0' 'a wrong report is not told what is wrong'
cp "$solution/report.txt" "$SCRATCH/guess"
check "$SCRATCH/guess" --only=report
is "$failed:$(grep -c 'not judged: a report was wrong; the next one is judged in [1-6]*[0-9] s' "$SCRATCH/tap")" '1:1' 'the next one has to wait'
is "$(sed 's/^[0-9]* //' "$SCRATCH/guess/.quern-reports")" wrong 'the log has the first'
echo '1000000000 wrong' >"$SCRATCH/guess/.quern-reports"
check "$SCRATCH/guess" --only=report
is "$failed" '' 'later it is judged'
wrong probe.c 's/            return d;/            return d - 1;/; s/stride = line;/stride = line + 1;/' \
    '2' 'line: the last byte of it'
wrong probe.c 's/    return n;/    return n + 1;/' '3 4 5' 'ways: the first number that is too many'
wrong probe.c 's/return (unsigned)stride \* ways;/return (unsigned)stride;/' '4' 'size: of one way'
wrong probe.c 's/p < 4; p++/p < 2; p++/' '5' 'policy: lru or fifo'
wrong probe.c 's/return (unsigned)k - 2;/return (unsigned)k - 1;/' '6' 'history: one too many'
wrong probe.c 's/^    box_answer(.*/    box_answer(16384, 4, 64, "lru", 7);/' '2 3 4 5 6' 'constants'
wrong probe.c 's/^    box_answer(.*/    return 0;/' '2 3 4 5 6' 'no answer'
wrong probe.c 's/^    unsigned line = /    puts("hello");\n&/' '2 3 4 5 6' 'something else on standard output'
ok 'is told so' grep -q "the box did not understand 'hello'" "$SCRATCH/tap"
only='probe: line'
wrong probe.c 's/^    unsigned line = /    for (;;)\n        box_read(0);\n&/' 1 'questions without end'
ok 'is told so' grep -q 'the probe asked 300000 questions, which is too many' "$SCRATCH/tap"
only=
handout
done_testing
