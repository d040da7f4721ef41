#!/bin/sh
# analyses.sh - what do analyses cost?
#
#   sh tests/perf/analyses.sh                       gzip, python3, sqlite3, cc1, perl, maps; 3c, sets, latency, all three; three rounds
#   sh tests/perf/analyses.sh -n 5 -w 'gzip cc1'    five rounds of these
#   sh tests/perf/analyses.sh -a 'mattson 3c,sets'  other analyses
#
# out:  for each program the CPU time (cpu.c) of the run without an analysis, in seconds, and of each analysis over that: the least of the
#       rounds, in each of which all are measured one after the other.
# Status 0 however it went: this is a measurement, not a test.
set -u

top_srcdir=${top_srcdir:-$(cd "$(dirname "$0")/../.." && pwd)}
rounds=3 programs='gzip python3 sqlite3 cc1 perl maps' analyses='3c sets latency 3c,sets,latency'

while [ $# -gt 0 ]; do
    case $1 in
    -n) rounds=$2 && shift ;;
    -w) programs=$2 && shift ;;
    -a) analyses=$2 && shift ;;
    *) sed -n '2,/^# out:/s/^# \{0,1\}//p' "$0" | sed '$d' && exit 2 ;;
    esac
    shift
done

. "$top_srcdir/tests/perf/begin.inc"
LC_ALL=C PYTHONHASHSEED=0 PERL_HASH_SEED=0
export LC_ALL PYTHONHASHSEED PERL_HASH_SEED
awk -v lines=40000 -f "$folder/input.awk" >log
awk -v functions=12 -f "$folder/source.awk" >source.c
sed 's/ROWS/20000/' "$folder/workloads/sqlite3.sql" >sqlite3.sql
cp "$folder/workloads/python3.py" "$folder/workloads/perl.pl" .
case " $programs " in *' maps '*) ${CXX:-g++} -O2 -o maps "$folder/workloads/maps.cc" || exit 1 ;; esac

command_of() {
    case $1 in
    gzip) echo "$(command -v gzip) -9nc log" ;;
    python3) echo "/usr/bin/python3 -S python3.py 4" ;;
    sqlite3) echo "$(command -v sqlite3) :memory: -init sqlite3.sql .exit" ;;
    cc1) echo "$(${CC:-gcc} -print-prog-name=cc1) -quiet -O2 source.c -o /dev/stdout" ;;
    perl) echo "$(command -v perl) perl.pl 4" ;;
    maps) echo './maps 150000' ;;
    esac
}

# measure ANALYSES: of $command; none: without
measure() {
    option=--analysis=$1
    [ "$1" != none ] || option=--batch=auto
    # shellcheck disable=SC2086 # words
    ./cpu "$1.times" "$quern" run -q --out-file=profile "$option" -- $command >/dev/null 2>&1 </dev/null
}

least() { sort -n "$1.times" | awk 'NR == 1 { print $1 / 1e6 }'; }

printf '%-10s %9s' program seconds
for analysis in $analyses; do printf ' %16s' "$analysis"; done
echo
for program in $programs; do
    command=$(command_of "$program")
    rm -f ./*.times
    round=0
    while [ $((round += 1)) -le "$rounds" ]; do
        for analysis in none $analyses; do measure "$analysis"; done
    done
    base=$(least none)
    printf '%-10s %9.2f' "$program" "$base"
    for analysis in $analyses; do printf ' %16s' "$(least "$analysis" | awk -v base="$base" '{ printf "%.2f", $1 / base }')"; done
    echo
done
