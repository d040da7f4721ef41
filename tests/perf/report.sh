#!/bin/sh
# report.sh - what does `quern report` cost, and what of it which part?
#
#   sh tests/perf/report.sh                     doc/examples/demo, gzip, python3, perl, maps; three rounds
#   sh tests/perf/report.sh -n 5 -w 'demo gzip' five rounds of these
#
# out:  for each program the CPU time (cpu.c) of the default run in seconds (the least), and over that, the median of the rounds and in brackets
#       the quartiles: the run that a report makes, pages of the run's files, the whole report, all these without gnuplot, and the whole report
#       with it; of that the elapsed time in seconds, too (the median).
# Status 0 however it went: this is a measurement, not a test.
set -u

rounds=3 programs='demo gzip python3 perl maps'
options='-n=rounds -w=programs'
. "$(dirname "$0")/begin.inc"
. "$folder/programs.inc"
${CC:-gcc} -g -O1 -o demo "$top_srcdir/doc/examples/demo/demo.c" || exit 1
mkdir nothing

# measure PART: of $command
measure() {
    # shellcheck disable=SC2086 # words
    case $1 in
    default) set -- "$1" run -q --out-file=profile -- $command ;;
    run) set -- "$1" run -q --branch-sim=yes --dump-objects=yes --analysis=3c,sets,sizes --interval=auto --interval-file=intervals \
        --out-file=whole -- $command ;;
    pages) set -- "$1" report -q -o pages --intervals=intervals --sizes=whole.sizes.csv --sets=whole.sets.csv whole ;;
    report | drawn) set -- "$1" report -q -- $command ;;
    esac
    part=$1 path=$PWD/nothing
    shift
    [ "$part" = drawn ] && path=$PATH
    PATH=$path ./cpu "$part.times" "$quern" "$@" >/dev/null 2>&1 </dev/null
}

# quartiles PART: of its times over those of the default runs
quartiles() {
    paste -d' ' default.times "$1.times" | awk '{ print $4 / $1 }' | sort -n |
        awk '{ r[NR] = $1 } function at(q, i) { i = int(q * NR + 0.5); return r[i < 1 ? 1 : i] }
            END { printf "%.2f [%.2f %.2f]", r[int((NR + 1) / 2)], at(0.25), at(0.75) }'
}

printf '%-10s %8s %18s %18s %18s %18s %8s\n' program seconds run pages report drawn elapsed
for program in $programs; do
    command=$([ "$program" = demo ] && echo ./demo || command_of "$program")
    rm -f ./*.times
    round=0
    while [ $((round += 1)) -le "$rounds" ]; do
        for part in default run pages report drawn; do measure $part; done
    done
    printf '%-10s %8.2f' "$program" "$(sort -n default.times | awk 'NR == 1 { print $1 / 1e6 }')"
    for part in run pages report drawn; do printf ' %18s' "$(quartiles $part)"; done
    printf ' %8.2f\n' "$(sort -n -k2,2 drawn.times | awk '{ t[NR] = $2 } END { print t[int((NR + 1) / 2)] / 1e6 }')"
done
