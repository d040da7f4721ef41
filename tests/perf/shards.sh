#!/bin/sh
# shards.sh - how far are miss ratios of a sample of the lines (--sim-opt=shards-part=M) from those of all?
#
#   sh tests/perf/shards.sh                         gzip, python3, sqlite3, cc1, perl, maps; one line of 1000, one of 100, one of 10
#   sh tests/perf/shards.sh -p '10 1' -w 'cc1 perl' so many lines of 1000, of these programs
#   sh tests/perf/shards.sh -l 1024                 no fewer than 1024 lines; if not said, the 8192 that quern takes
#
# out:  program, lines that it uses, lines of the sample; of caches of 1 KiB, 2 KiB ... 64 MiB the mean and the largest difference of
#       the miss ratio from the exact one, and the largest standard error that quern says.
# Status 0 however it went: this is a measurement, not a test.
set -u

programs='gzip python3 sqlite3 cc1 perl maps' parts='1 10 100' least=8192
options='-p=parts -l=least -w=programs'
. "$(dirname "$0")/begin.inc"
. "$folder/programs.inc"

# curve OPTIONS: of $command, "LINES MISSES" for each size; the first line: all lines touched; the last, of a sample: "sampled LINES ERROR".
# The environment, which is in the program's memory, is the same each time.
curve() {
    # shellcheck disable=SC2086 # words
    env -i PATH="$PATH" "$quern" run --out-file=profile --log-file=log.txt --analysis=mattson --sim-opt=smallest=1024 "$@" -- $command >/dev/null 2>&1 </dev/null
    sed -n 's/.*AN: \([0-9]*\) lines touched.*/touched \1/p;s/.*AN: \([0-9]*\) lines: \([0-9]*\).*/\1 \2/p;s/.*AN: of \([0-9]*\) lines, .*: at most \(.*\)%.*/sampled \1 \2/p' log.txt
}

printf '%-10s %10s %10s %10s %10s %10s\n' program lines sampled mean largest said
for program in $programs; do
    command=$(command_of "$program")
    curve >exact
    lines=$(awk '{ n = $2 } END { print n }' exact) # the largest cache misses each once
    for part in $parts; do
        curve "--sim-opt=shards-part=$((1000 / part))" "--sim-opt=shards=$least" >sample
        awk -v program="$program" -v lines="$lines" '
            $1 == "touched" { touched = $2 }
            $1 == "sampled" { sampled = $2; said = $3 / 100 }
            /^[0-9]/ && FNR == NR { exact[$1] = $2 }
            /^[0-9]/ && FNR != NR { d = ($2 - exact[$1]) / touched; d = d < 0 ? -d : d; sum += d; n++; most = d > most ? d : most }
            END { printf "%-10s %10d %10d %10.4f %10.4f %10.4f\n", program, lines, sampled, sum / n, most, said }' exact sample
    done
done
