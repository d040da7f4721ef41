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

# The last 40 bytes of memory, and 40 that lie a multiple of all sizes below: the same counts.
awk 'BEGIN { srand(1); for (i = 0; i < 3000; i++) { x = int(rand() * 40); y = int(rand() * 40); print (rand() < 0.3 ? "S" : "L"), 215 + (x < y ? x : y) } }' >drawn
for high in ffffffff fffffff0; do awk -v high=$high '{ printf " %s %sffffff%02x,1\n", $1, high, $2 + 1 }' drawn >trace.$high; done
counts() { # TRACE OPTIONS...
    of=$1
    shift
    "$QUERN" replay "$@" "trace.$of" 2>&1 | grep -v 'line 0x[0-9a-f]*:'
}
for more in AN=sizes,16,2 AN=sizes,12,12 AN=sizes,64,1 AN=mattson,16,2 AN=3c,16,2 AN=sets,16,2 D1=srrip,16,2 D1=lru,8,8; do
    caches="--sim=${more%%,*} --D1=${more#*,},1 --LL=64,2,1"
    # shellcheck disable=SC2086
    is "$(counts ffffffff $caches)" "$(counts fffffff0 $caches)" "$caches"
done
done_testing
