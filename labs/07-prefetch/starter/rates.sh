#!/bin/sh
# rates.sh - coverage, accuracy and traffic out of a sweep: CSV with a line for each of them and each run.
#
#   sh rates.sh sweep.csv >rates.csv
#
# coverage = useful / (useful + misses), accuracy = useful / prefetches, traffic = (misses + prefetches) / (useful +
# misses): lines brought in, for each that was needed; all in percent.
awk -F, '
NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; print "rate,sim,degree,percent"; next }
{
    sim = $at["sim"]
    gsub(/^D1=|\.c$/, "", sim)
    misses = $at["D1mr"] + $at["D1mw"]
    useful = $at["D1.useful"]
    prefetches = $at["D1.prefetches"]
    row = sim "," $at["degree"]
    printf "coverage,%s,%.2f\n", row, 100 * useful / (useful + misses)
    printf "accuracy,%s,%.2f\n", row, prefetches ? 100 * useful / prefetches : 100
    printf "traffic,%s,%.2f\n", row, 100 * (misses + prefetches) / (useful + misses)
}' "$1"
