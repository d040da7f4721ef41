#!/bin/sh
# analyses.sh - what do analyses cost?
#
#   sh tests/perf/analyses.sh                       gzip, python3, sqlite3, cc1, perl, maps; each analysis by itself, and those that are
#                                                   called for misses, all in one run; three rounds
#   sh tests/perf/analyses.sh -n 5 -w 'gzip cc1'    five rounds of these
#   sh tests/perf/analyses.sh -a '3c explain'       other analyses: names as of --analysis=, or interval, explain, versus, all
#
# out:  for each program the time by the clock and the CPU time (cpu.c) of the run without an analysis, in seconds (the least), and for
#       each analysis its time over that of the run without one in the same round: the median, and the quartiles in brackets.
# explain: of a line that is executed where the program has debug information (maps), of none else; all other references are the same.
# versus: D1=lru and D1=fifo.
# Status 0 however it went: this is a measurement, not a test.
set -u

rounds=3 programs='gzip python3 sqlite3 cc1 perl maps' analyses='3c sets latency interval culprits mattson all explain versus values conflicts'
options='-n=rounds -w=programs -a=analyses'
. "$(dirname "$0")/begin.inc"
. "$folder/programs.inc"
line=$(awk '/insert|\[/ && !/include/ { n = FNR } END { print n }' "$folder/workloads/maps.cc")

option_of() {
    case $1 in
    none) echo --batch=auto ;;
    interval) echo --interval=1000000 --interval-file=intervals ;;
    explain) echo --explain="maps.cc:$line" --explain-file=told ;;
    versus) echo --versus=D1=fifo ;;
    all) echo --analysis=3c,sets,latency,culprits,mattson --interval=1000000 --interval-file=intervals ;;
    *) echo --analysis="$1" ;;
    esac
}

# measure ANALYSIS: of $command
measure() {
    # shellcheck disable=SC2046,SC2086 # words
    ./cpu "$1.times" "$quern" run -q --out-file=profile $(option_of "$1") -- $command >/dev/null 2>&1 </dev/null
}

# quartiles ANALYSIS FIELD: of its times over those of the runs without one
quartiles() {
    paste -d' ' none.times "$1.times" | awk -v field="$2" '{ print $(3 + field) / $field }' | sort -n |
        awk '{ r[NR] = $1 } function at(q, i) { i = int(q * NR + 0.5); return r[i < 1 ? 1 : i] }
            END { printf "%.2f [%.2f %.2f]", r[int((NR + 1) / 2)], at(0.25), at(0.75) }'
}

# row PROGRAM WHAT FIELD: of the table; field of a record of cpu.c
row() {
    printf '%-8s %-7s %8.2f' "$1" "$2" "$(awk -v field="$3" '{ print $field / 1e6 }' none.times | sort -n | head -1)"
    for analysis in $analyses; do printf ' %18s' "$(quartiles "$analysis" "$3")"; done
    echo
}

printf '%-16s %8s' program seconds
for analysis in $analyses; do printf ' %18s' "$analysis"; done
echo
for program in $programs; do
    command=$(command_of "$program")
    rm -f ./*.times
    round=0
    while [ $((round += 1)) -le "$rounds" ]; do
        for analysis in none $analyses; do measure "$analysis"; done
    done
    row "$program" elapsed 2
    row "" CPU 1
done
