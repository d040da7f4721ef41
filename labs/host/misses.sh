#!/bin/sh
# misses.sh - how many lines the marked region misses in the D1: prints the number.
#
#   sh misses.sh 1024,1,32 ./loops transpose 32 32
cache=$1
shift
quern run --sim=./nostack --D1="$cache" --out-file=/dev/null -- "$@" 2>&1 >/dev/null |
    awk '$2 == "D1.more" { gsub(",", ""); more = $3 } $NF == "kernel" { print $(NF - 2) + more }'
