#!/bin/sh
# quern replay: a reference to the last byte of memory, in caches with lines of one byte, comes to its end and is counted.
. "${top_srcdir:-$(dirname "$0")/../../..}/tests/tap/scratch.sh"

printf ' L 100,1\n' >small
"$QUERN" replay small >/dev/null 2>&1 || skip_all 'no compiler for quern replay' 5
printf ' L ffffffffffffffff,1\n' >trace
misses() { sed -n 's/^D1 *misses: *\([0-9]*\).*/\1/p' out; }
for more in --I1=64,1,1 --sim=AN=3c --sim=AN=mattson --sim=AN=sizes --sim=D1=tlb; do
    "$QUERN" replay $more --D1=64,1,1 --LL=64,1,1 trace >out 2>&1
    is "$? $(misses)" '0 1' "$more"
done
done_testing
