#!/bin/sh
# Do the properties hold that replacement policies must have, whatever the trace?
#
#   inclusion     what hits in an LRU cache hits in one with more ways (Mattson 1970), reference by reference
#   optimality    OPT misses no more than any other policy (Belady 1966)
#   stack         one pass of stack distances gives the misses of an LRU cache of every size
#   free ways     a working set that fits is missed once
. "${top_srcdir:-$(dirname "$0")/../../..}/tests/tap/tap.sh"
. "$top_srcdir/tests/models/models.inc"

policies='lru fifo random plru nru lfu srrip brrip drrip ship shipplus dip eaf hawkeye'
build_model
for policy in $policies opt; do link_replay "$SCRATCH/$policy" D1=$policy; done
out=$SCRATCH/out

# Traces: generated ones, and what a program did.
traces=
for kind in random cyclic zipf mixed; do
    "$SCRATCH/model" "$SCRATCH/trace-$kind" /dev/null kind=$kind n=10000
    traces="$traces $kind"
done
if "$QUERN" trace -o "$SCRATCH/trace-recorded" -- /bin/true 2>"$SCRATCH/err"; then traces="$traces recorded"; fi

# misses POLICY TRACE D1 [OUTCOMES]
misses() {
    "$SCRATCH/$1" --D1="$3" ${4:+--outcomes="$4"} "$SCRATCH/trace-$2" >"$out" && count 'D1  misses' "$out"
}
# evictions: of lines, where a reference may miss several.  All policies fill as many free ways, so the rest is misses.
evictions() { misses "$@" >"$SCRATCH/n" && count D1.evictions "$out"; }

# Lines of a set that are in a cache with few ways are in one with more: no reference hits there and misses here.
inclusion() {
    rm -f "$SCRATCH/before"
    for ways in 1 2 3 4 6 8 16 32; do
        misses lru "$1" $((ways * 8 * 32)),$ways,32 "$SCRATCH/now" >"$SCRATCH/n" || return 1
        [ ! -f "$SCRATCH/before" ] || paste "$SCRATCH/before" "$SCRATCH/now" | awk '
            /^D/ && substr($1, 2) == 0 && substr($2, 2) != 0 { print "reference " NR " hits with fewer ways"; bad = 1; exit }
            END { exit bad }' || { echo "$ways ways"; return 1; }
        mv "$SCRATCH/now" "$SCRATCH/before"
    done
}
for trace in $traces; do ok "inclusion of LRU, $trace" inclusion "$trace"; done

optimal() {
    for geometry in 1024,4,32 4096,2,64 512,16,32 2048,64,32 256,1,16; do
        best=$(evictions opt "$1" $geometry)
        for policy in $policies; do
            [ "$best" -le "$(evictions $policy "$1" $geometry)" ] || { echo "$policy beats $best with $geometry"; return 1; }
        done
    done
}
for trace in $traces; do ok "no policy misses less than OPT, $trace" optimal "$trace"; done

# Misses of lines: every miss fills, so they are the evictions and the lines that are there in the end.
line_misses() {
    "$SCRATCH/lru" --D1=$(($1 * 32)),"$1",32 "$SCRATCH/trace-$2" >"$out"
    echo $(($(count D1.evictions "$out") + (distinct < $1 ? distinct : $1)))
}
curve() {
    "$SCRATCH/mattson" --D1=1024,2,32 --sim-opt=sizes=4096 "$SCRATCH/trace-$1" >"$SCRATCH/curve"
    distinct=$(sed -n 's/^AN: 4096 lines: //p' "$SCRATCH/curve")
    for lines in $(seq 1 64) $(seq 65 23 600) 1024 4096; do
        wanted=$(line_misses "$lines" "$1")
        got=$(sed -n "s/^AN: $lines lines: //p" "$SCRATCH/curve")
        [ "$got" = "$wanted" ] || { echo "$lines lines: the curve has $got, the cache $wanted"; return 1; }
    done
}
link_replay "$SCRATCH/mattson" AN=mattson
for trace in zipf mixed; do ok "the curve is LRU at every size, $trace" curve $trace; done

# 64 lines used again and again in a cache of 64 lines, 16 sets of 4.
"$SCRATCH/model" "$SCRATCH/trace-fits" /dev/null kind=walk20 n=64
for policy in $policies opt; do
    is "$(misses $policy fits 4096,4,64)" 64 "$policy: a working set that fits is missed once"
done
done_testing
