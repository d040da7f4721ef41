#!/bin/sh
# misses.sh - how many misses of the D1 the marked region has: prints the number.
#
#   sh misses.sh 1024,1,32 ./loops transpose 32 32
cache=$1
shift
quern run --sim=./nostack --D1="$cache" --out-file=/dev/null -- "$@" 2>&1 >/dev/null |
    awk '$NF == "kernel" { print $(NF - 2) }'
