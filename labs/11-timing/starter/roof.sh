#!/bin/sh
# roof.sh PEAK BYTES: operations a cycle by operations for each byte, from 1/16 to 64, as CSV for `quern plot curve`.
echo intensity,flops
for eighths in 1 2 4 8 16 32 64 128 256 512 1024; do
    echo "k $eighths 16 0" >roof.kernel
    awk -v e=$eighths 'BEGIN { printf "%g,", e / 16 }'
    ./timing roofline -p "$1" -w "$2" -t roof.kernel | sed -n '2s/.*,//p'
done
