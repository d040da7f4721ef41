#!/bin/sh
# What a handler sees when an instruction faults: is it what it sees natively, to the last bit, at each of 10,000 instructions?
# (tests/fidelity/exact.c; the processor's own digest is the expectation.)  QN_SEEDS=N: with N seeds.
# QN_FAULTS=N: at N instructions, where each costs much (make tiny).
. "${top_srcdir:-$(dirname "$0")/../../..}/tests/tap/tap.sh"

[ -x "$QUERN" ] || bail "there is no $QUERN"
# At fixed addresses: x87 state has the address of the last x87 instruction, on processors that always record it.
$CC -O1 -g -no-pie -o "$SCRATCH/exact" "$top_srcdir/tests/fidelity/exact.c" || bail 'exact.c cannot be compiled'

faults=${QN_FAULTS:-10000}

# exactly SEED OPTIONS...
exactly() {
    seed=$1
    shift
    native=$("$SCRATCH/exact" "$seed" "$faults") || bail "exact $seed fails natively"
    is "$("$QUERN" run -q --out-file="$SCRATCH/profile" "$@" -- "$SCRATCH/exact" "$seed" "$faults" 2>&1 |
        grep -v -- '-- nothing was counted: ')" "$native" \
        "$faults faults, seed $seed${1:+, }$*"
}

exactly 1
exactly 2 --branch-sim=yes
exactly 3 --cache-sim=no
exactly 4 --instr-at-start=no
exactly 5 --block-max=3 --tcache-size=1M
exactly 6 --counting=cachegrind --branch-sim=yes
exactly 7 --interval=1000
exactly 1 --check=yes # the simulated caches, too: a fault may come while the register of their clock is parked
exactly 3 --batch=always --D1=4096,8,64
for seed in $(seq 8 "${QN_SEEDS:-0}"); do
    exactly "$seed" --branch-sim=yes
done
done_testing
