#!/bin/sh
# ways.sh - do the manual, the labs and the examples say the same on machines whose caches have 8, 12 and 16 ways?
#
#   sh tests/long/ways.sh BUILD      a quarter of an hour
#
# QUERN_CACHES states the machine; nothing that is told to students may depend on it.
top_builddir=$(cd "${1:?the build folder}" && pwd)
. "${top_srcdir:-$(dirname "$0")/../..}/tests/tap/tap.sh"

for ways in 8 12 16; do
    QUERN_CACHES="I1=$((ways * 4096)),$ways,64 D1=$((ways * 4096)),$ways,64 LL=$((ways * 1048576)),$ways,64"
    export QUERN_CACHES
    for test in manual/manual labs/lab02 labs/lab03 labs/lab07 labs/lab08 labs/kept examples/examples sim/first_module; do
        sh "$top_srcdir/tests/unit/$test.sh" >"$SCRATCH/said" 2>&1
        is "$?" 0 "$ways ways: $test" || grep '^not ok' "$SCRATCH/said"
    done
done
done_testing
