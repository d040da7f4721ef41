#!/bin/sh
# curve.sh - misses per particle and per lookup, of the plain functions and of yours, for many sizes: CSV.
#
#   sh curve.sh >curve.csv
echo 'kernel,n,misses'
for n in 50 100 200 400 800 1600; do
    for kernel in plain-scan scan; do
        sh misses.sh 4096,4,64 ./layout $kernel $n 20 | awk -v "row=$kernel,$n" -v "n=$n" '{ printf "%s,%.4f\n", row, $1 / (n * 20) }'
    done
    for kernel in plain-lookup lookup; do
        sh misses.sh 4096,4,64 ./layout $kernel $n 16000 | awk -v "row=$kernel,$n" '{ printf "%s,%.4f\n", row, $1 / 16000 }'
    done
done
