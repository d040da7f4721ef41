#!/bin/sh
# curve.sh - the miss rate of ./csim on a trace, for caches of many sizes: one line of CSV for each.
#
#   sh curve.sh work.trace >curve.csv
b=5 # lines of 32 bytes

echo 'ways,bytes,miss_percent'
for log in 8 9 10 11 12 13 14; do
    for ways in 1 2 4 8 full; do
        lines=$((1 << log - b))
        case $ways in
        full) s=0 E=$lines ;;
        *) s=0 E=$ways && while [ $((E << s)) -lt $lines ]; do s=$((s + 1)); done ;;
        esac
        ./csim -s $s -E "$E" -b $b -t "$1" |
            awk -F '[: ]' -v "row=$ways,$((1 << log))" '{ printf "%s,%.3f\n", row, $2 + $4 ? 100 * $4 / ($2 + $4) : 0 }'
    done
done
