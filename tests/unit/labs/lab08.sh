#!/bin/sh
# Lab 8: do the solution, the starter and typical mistakes get what they deserve?  Does the handout work?
. "${top_srcdir:-$(dirname "$0")/../../..}/tests/tap/tap.sh"
. "$top_srcdir/tests/unit/labs/labs.inc"

lab 8 29
full_marks
check "$solution" --case-seed=507019335 --only='95% of'
is "$(grep -c '^ok' "$SCRATCH/tap"):$failed" '1:' 'the solution, when four of the first twelve estimates are beyond their bounds' || diag "$(cat "$SCRATCH/tap" "$SCRATCH/err")"
nothing_yet
wrong profile.c 's/    if (below(tau) != 0)/    if (0)/' '1 2 3 4 5' 'a new value always enters'
wrong profile.c 's/while (--list\[i\].count \&\& below(tau) != 0)/while (0)/; s/if (!list\[i\].count || below(tau) < old)/if (!list[i].count || list[i].count > 1 || below(tau) < old || !(list[i].count = 0))/' \
    '4 5' 'when tau grows a value leaves at once or stays'
wrong profile.c 's/tau \* 418 \/ 1000;/(tau - 1) * 4;/' '3 4 5' 'too much is added'
wrong profile.c 's/list\[i\].count + missing >= tau)/1)/' '3' 'values by luck are printed'
wrong profile.c 's/level == .D. ? 0 : level == .L. ? 1 : 2/level == 68 ? 0 : 1/' '6 7' 'two levels'
wrong profile.c 's/4 \* n\[0\] + 40/n[0] + 40/' '6 7' 'a hit costs nothing'
wrong profile.c 's/i > 0 \&\& now - stores\[i - 1\].when < w; i--/i > 0 \&\& now - stores[i - 1].when <= w; i--/' '9' 'one instruction too many'
wrong profile.c 's/return a < b + b_size \&\& b < a + a_size;/return a == b;/' '8 9 10' 'only equal addresses'
wrong profile.c 's/return (a - b) % PAGE < b_size || (b - a) % PAGE < a_size;/return a % PAGE == b % PAGE;/' '10' 'aliases without their size'
wrong profile.c 's/        if (!far \&\& alias/        if (alias/' '10' 'the oldest alias'
handout
done_testing
