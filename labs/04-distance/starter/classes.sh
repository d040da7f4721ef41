#!/bin/sh
# classes.sh - the classes of misses of a direct-mapped cache of many sizes: CSV for `quern plot threec`, which wants
# the columns of a run with quern's own module; Ir, by which it divides, is here the number of references.
#
#   sh classes.sh work.trace >classes.csv
echo 'D1_size,status,Ir,AN.compulsory,AN.capacity,AN.conflict'
references=$(wc -l <"$1")
for s in 3 4 5 6 7 8 9; do
    ./mrc classes -s $s -E 1 -b 6 -t "$1" |
        awk -F '[: ]' -v "row=$((64 << s)),ok,$references" '{ printf "%s,%s,%s,%s\n", row, $2, $4, $6 }'
done
