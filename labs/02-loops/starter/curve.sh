#!/bin/sh
# curve.sh - misses per inner iteration of the simple loops and of yours, for matrices of many sizes: CSV.
#
#   sh curve.sh >curve.csv
echo 'loops,n,misses_per_iteration'
for n in 8 16 24 40 56 72 88 104 120 136; do
    for loops in simple multiply; do
        sh misses.sh 1024,4,32 ./loops $loops $n |
            awk -v "row=$loops,$n" -v "n=$n" '{ printf "%s,%.4f\n", row, $1 / (n * n * n) }'
    done
done
