#!/bin/sh
# Are signals and threads as they are natively, whenever things happen?  A few rounds of each test of tests/stress with random timing;
# `make -C build stress` makes 10,000.
. "${top_srcdir:-$(dirname "$0")/../../..}/tests/tap/tap.sh"

[ -x "$QUERN" ] || bail "there is no $QUERN"
ulimit -c 0
$CC -O1 -g -o "$SCRATCH/stress" "$top_srcdir"/tests/stress/*.c -pthread || bail 'tests/stress cannot be compiled'
cd "$SCRATCH" || bail "no $SCRATCH"

# all SEED ITERATIONS OPTIONS...: a point for each test that fails, one for all that pass
all() {
    seed=$1 iterations=$2
    shift 2
    "$QUERN" run -q --log-file="$SCRATCH/log" --out-file="$SCRATCH/profile.%p" "$@" -- \
        ./stress -s "$seed" -i "$iterations" -t 120 >output 2>errors
    grep '^not ok' output | while read -r line; do diag "$line"; done
    [ ! -s errors ] || diag "$(cat errors)"
    is "$(grep -c '^ok' output) $(tail -n 1 output)" "$(./stress -l | wc -l) 1..$(./stress -l | wc -l)" \
        "all tests of tests/stress, $iterations rounds, seed $seed${1:+, }$*"
    rm -f "$SCRATCH"/profile.*
}

ok 'at least 64 tests' test "$(./stress -l | wc -l)" -ge 64
all 1 12
all 2 12 --instr-at-start=no
all 3 4 --cores=4 --quantum=700
all 4 4 --cores=4 --quantum=700 --instr-at-start=no
done_testing
