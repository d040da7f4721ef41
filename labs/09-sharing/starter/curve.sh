#!/bin/sh
# curve.sh - misses on taken lines and upgrades, for each add and each entry, with more and more threads, of the first share.c and of yours: CSV.
#
#   sh curve.sh FIRST MINE >curve.csv          two programs, as `cc` makes them of driver.c and share.c
echo 'of,threads,requests'
for program in "$1" "$2"; do
    for job in counters lock; do
        for threads in 1 2 4 8 15; do
            quern run --cores=$((threads + 1)) --quantum=80 --D1=32768,8,64 --LL=1048576,16,64 --out-file=/dev/null -- \
                "./$program" $job $threads 100 2>&1 >/dev/null |
                awk -v "row=$program-$job,$threads" -v "all=$((threads * 100))" '{ gsub(",", "", $3) }
                    $2 ~ /^D1\.(true|false|upgrades)$/ { sum += $3 } END { printf "%s,%.3f\n", row, sum / all }'
        done
    done
done
