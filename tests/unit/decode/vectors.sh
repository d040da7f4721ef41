#!/bin/sh
# vectors.sh - does an instruction that the engine has translated do what it does natively?
#
#   VECTORS=1000000 SEED=7 sh vectors.sh
#   VECTORS=2000 SEED='1 2 3' sh vectors.sh                   several seeds, one after the other
#   VECTORS_FEATURES=fpu,sse VECTORS_STATE=3 sh vectors.sh    of instructions that need no other feature, with these components of XCR0
#
# Execution vectors (tests/vectors): every form of the opcode tables that can be drawn, from random general registers, flags,
# x87, SSE, AVX and AVX-512 state and memory, run natively and as quern's guest.  The same state or the same signal
# must come of each.  Besides, natively: does each vector read and write the registers and flags that the decoder says?
. "${top_srcdir:-$(dirname "$0")/../../..}/tests/tap/tap.sh"

source=$top_srcdir/tests/vectors
count=${VECTORS:-20000}
state=${VECTORS_STATE:-0xffffffffffffffff}

build() {
    "$CC" -std=gnu11 -O2 -I"$top_srcdir/lib" -o "$SCRATCH/generate" "$source/generate.c" "$top_builddir/libquern.a" &&
        "$CC" -std=gnu11 -O2 -I"$top_srcdir/lib" -o "$SCRATCH/compare" "$source/compare.c" "$top_builddir/libquern.a" &&
        "$CC" -std=gnu11 -O2 -static -no-pie -o "$SCRATCH/run" "$source/run.c" "$source/state.c" "$source/enter.S" &&
        "$CC" -std=gnu11 -O2 -static -no-pie -o "$SCRATCH/tables" "$source/tables.c" &&
        "$CC" -std=gnu11 -O2 -static -no-pie -I"$top_srcdir/lib" -o "$SCRATCH/depend" "$source/depend.c" \
            "$source/state.c" "$source/enter.S" "$top_builddir/libquern.a"
}

# compare WHAT OPTION...: one point
same_as_native() {
    what=$1
    shift
    "$QUERN" run -q "$@" --out-file="$SCRATCH/profile" "$SCRATCH/run" "$SCRATCH/vectors" "$SCRATCH/translated" -1 "$state" \
        2>"$SCRATCH/messages" || diag "quern: status $?: $(head -n 3 "$SCRATCH/messages")"
    "$SCRATCH/compare" "$SCRATCH/vectors" "$SCRATCH/native" "$SCRATCH/translated" >"$SCRATCH/differences"
    is $? 0 "$what"
    cat "$SCRATCH/differences"
}

build || bail 'the programs of tests/vectors do not compile'
for seed in ${SEED:-1}; do
    "$SCRATCH/generate" "$count" "$seed" ${VECTORS_FEATURES:+"$VECTORS_FEATURES"} >"$SCRATCH/vectors" || bail 'no vectors'
    "$SCRATCH/run" "$SCRATCH/vectors" "$SCRATCH/native" -1 "$state" || bail 'the vectors do not run natively'
    same_as_native "$count vectors do the same with caches and predictors simulated${SEED:+, seed $seed}" --branch-sim=yes
    same_as_native "$count vectors do the same with nothing simulated${SEED:+, seed $seed}" --cache-sim=no
done
is "$("$QUERN" run -q --out-file="$SCRATCH/profile" "$SCRATCH/tables" 2>&1)" "$("$SCRATCH/tables")" \
    'sgdt and sidt store what they store natively, as far as it never changes'
if [ -n "${VECTORS_FEATURES:-}" ]; then
    done_testing # dependences are the processor's, whatever quern does
fi
"$SCRATCH/depend" "$SCRATCH/vectors" >"$SCRATCH/dependences"
is $? 0 "$count vectors depend on nothing but what they read, and change nothing but what they write"
cat "$SCRATCH/dependences"
done_testing
