#!/bin/sh
# data.sh - what do --data=yes and --data=use cost?
#
#   sh tests/perf/data.sh                       allocs (100,000 allocations a second natively), maps, sqlite3, gzip; three rounds
#   sh tests/perf/data.sh -n 5 -w 'allocs maps'
#
# out:  for each program the CPU time (cpu.c) natively and of the default run in seconds, and of --data=yes and --data=use over the default run: the least of
#       the rounds, in each of which all are measured one after the other.
# Status 0 however it went: this is a measurement, not a test.
set -u

rounds=3 programs='allocs maps sqlite3 gzip'
options='-n=rounds -w=programs'
. "$(dirname "$0")/begin.inc"
awk -v lines=40000 -f "$folder/input.awk" >log
sed 's/ROWS/20000/' "$folder/workloads/sqlite3.sql" >sqlite3.sql
${CC:-gcc} -O2 -o allocs "$folder/workloads/allocs.c" || exit 1
case " $programs " in *' maps '*) ${CXX:-g++} -O2 -o maps "$folder/workloads/maps.cc" || exit 1 ;; esac

command_of() {
    case $1 in
    allocs) echo './allocs 1' ;;
    maps) echo './maps 150000' ;;
    sqlite3) echo "$(command -v sqlite3) :memory: -init sqlite3.sql .exit" ;;
    gzip) echo "$(command -v gzip) -9nc log" ;;
    esac
}

least() { sort -n "$1.times" | awk 'NR == 1 { print $1 / 1e6 }'; }

over() { least "$1" | awk -v base="$(least default)" '{ printf "%.2f", $1 / base }'; }

printf '%-10s %9s %9s %9s %9s\n' program native default yes use
for program in $programs; do
    command=$(command_of "$program")
    rm -f ./*.times
    round=0
    while [ $((round += 1)) -le "$rounds" ]; do
        # shellcheck disable=SC2086 # words
        {
            ./cpu native.times $command >/dev/null 2>&1 </dev/null
            ./cpu default.times "$quern" run -q --out-file=profile -- $command >/dev/null 2>&1 </dev/null
            ./cpu yes.times "$quern" run -q --data=yes --out-file=profile -- $command >/dev/null 2>&1 </dev/null
            ./cpu use.times "$quern" run -q --data=use --out-file=profile -- $command >/dev/null 2>&1 </dev/null
        }
    done
    printf '%-10s %9.2f %9.2f %9s %9s\n' "$program" "$(least native)" "$(least default)" "$(over yes)" "$(over use)"
done
