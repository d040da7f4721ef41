#!/bin/sh
# report.sh - what does `quern report` cost, and what of it which part?
#
#   sh tests/perf/report.sh                     doc/examples/demo, gzip, python3, perl, maps; three rounds
#   sh tests/perf/report.sh -n 5 -w 'demo gzip' five rounds of these
#
# out:  for each program the CPU time (cpu.c) of the default run in seconds (the least), and over that, the median of the rounds and in brackets
#       the quartiles: the two runs that a report makes at the same time (run, sizes), pages and pictures of the run's files, and the whole
#       report, of that the elapsed time, too, over that of the default run.
# Status 0 however it went: this is a measurement, not a test.
set -u

rounds=3 programs='demo gzip python3 perl maps'
options='-n=rounds -w=programs'
. "$(dirname "$0")/begin.inc"
. "$folder/programs.inc"
${CC:-gcc} -g -O1 -o demo "$top_srcdir/doc/examples/demo/demo.c" || exit 1
d1=$("$quern" run --out-file=profile /bin/true 2>&1 | sed -n 's/.*D1 cache: *\([0-9]*\) B.*/\1/p')
sizes=$(awk -v d1="$d1" 'BEGIN { for (s = d1 / 32; s <= 16 * d1; s *= 2) printf("%s%d", (s > d1 / 32 ? "," : ""), s) }')

# measure PART: of $command
measure() {
    # shellcheck disable=SC2086 # words
    case $1 in
    default) set -- "$1" run -q --out-file=profile -- $command ;;
    run) set -- "$1" run -q --branch-sim=yes --dump-objects=yes --analysis=3c,sets --interval=auto --interval-file=intervals --log-file=log.out \
        --out-file=whole -- $command ;;
    sizes) rm -f runs.csv; set -- "$1" sweep -q -o runs.csv -L "D1.size=$sizes" -- $command ;;
    pages) set -- "$1" report -q -o pages --intervals=intervals --sizes=runs.csv --log=log.out whole ;;
    report) set -- "$1" report -q -- $command ;;
    esac
    part=$1
    shift
    ./cpu "$part.times" "$quern" "$@" >/dev/null 2>&1 </dev/null
}

# quartiles PART FIELD: of its times over those of the default runs
quartiles() {
    paste -d' ' default.times "$1.times" | awk -v field="$2" '{ print $(3 + field) / $field }' | sort -n |
        awk '{ r[NR] = $1 } function at(q, i) { i = int(q * NR + 0.5); return r[i < 1 ? 1 : i] }
            END { printf "%.2f [%.2f %.2f]", r[int((NR + 1) / 2)], at(0.25), at(0.75) }'
}

printf '%-10s %8s %18s %18s %18s %18s %18s\n' program seconds run sizes pages report elapsed
for program in $programs; do
    command=$([ "$program" = demo ] && echo ./demo || command_of "$program")
    rm -f ./*.times
    round=0
    while [ $((round += 1)) -le "$rounds" ]; do
        for part in default run sizes pages report; do measure $part; done
    done
    printf '%-10s %8.2f' "$program" "$(sort -n default.times | awk 'NR == 1 { print $1 / 1e6 }')"
    for part in run sizes pages report; do printf ' %18s' "$(quartiles $part 1)"; done
    printf ' %18s\n' "$(quartiles report 2)"
done
