#!/bin/sh
# sampling.sh - what do samples cost, and do they say what observing everything says?
#
#   sh tests/perf/sampling.sh                  gzip, python3, sqlite3, cc1: cost, twelve rounds, and how well they agree
#   sh tests/perf/sampling.sh -n 24 -w 'gzip'  24 rounds of gzip
#   sh tests/perf/sampling.sh -c               cost only: to observe everything takes minutes; -a: agreement only
#
# out:  for each program CPU time (cpu.c) of values at 4 of 124,000 and conflicts at 128 of 8 million over that of running only
#       (--instr-at-start=no), which is run before and after both.  Where translated code comes to lie makes each of them up to 4%
#       faster or slower; what the program does at its start, before its work, moves it.  So each round has an environment of its own
#       that changes this (PYTHONHASHSEED, LD_BIND_NOW, LC_ALL).  Shown are the median of the rounds' ratios and their quartiles.
#       Then, of a shorter run, for the instructions that were sampled at
#       least 20 times, for how many of them the most frequent value is the one that --sample=all has, and by how much the shares
#       differ on average, beside what chance alone does: sqrt(p(1-p)/n).
# Status 0 however it went: this is a measurement, not a test.
set -u

rounds=12 programs='gzip python3 sqlite3 cc1' cost=yes agree=yes

while [ $# -gt 0 ]; do
    case $1 in
    -n) rounds=$2 && shift ;;
    -w) programs=$2 && shift ;;
    -c) agree=no ;;
    -a) cost=no ;;
    *) sed -n '2,/^# out:/s/^# \{0,1\}//p' "$0" | sed '$d' && exit 2 ;;
    esac
    shift
done

. "$(dirname "$0")/begin.inc"
LC_ALL=C PYTHONHASHSEED=0
export LC_ALL PYTHONHASHSEED
unset LD_BIND_NOW
for module in values conflicts; do
    "$quern" sim build --AN=$module -o $module || exit 1
done

# prepare PART: inputs, a PART-th of two or three seconds native
prepare() {
    awk -v lines=$((240000 / $1)) -f "$folder/input.awk" >log
    awk -v functions=$((100 / $1 + 1)) -f "$folder/source.awk" >source.c
    sed "s/ROWS/$((1000000 / $1))/" "$folder/workloads/sqlite3.sql" >sqlite3.sql
    cp "$folder/workloads/python3.py" .
    turns=$((200 / $1 + 1))
}

command_of() {
    case $1 in
    gzip) echo "$(command -v gzip) -9nc log" ;;
    python3) echo "/usr/bin/python3 -S python3.py $turns" ;;
    sqlite3) echo "$(command -v sqlite3) :memory: -init sqlite3.sql .exit" ;;
    cc1) echo "$(${CC:-gcc} -print-prog-name=cc1) -quiet -O2 source.c -o /dev/stdout" ;;
    esac
}

# measure RECORD OPTIONS...: of $command
measure() {
    record=$1
    shift
    # shellcheck disable=SC2086 # words
    ./cpu "$record" "$quern" run -q --out-file=profile "$@" -- $command >/dev/null 2>&1 </dev/null
}

# The N-th environment.
change_environment() {
    PYTHONHASHSEED=$1
    [ $(($1 % 2)) -eq 0 ] && LD_BIND_NOW=1 || LD_BIND_NOW=
    [ $(($1 % 3)) -eq 0 ] && LC_ALL=C.UTF-8 || LC_ALL=C
    export LD_BIND_NOW
}

# last RECORD: seconds of the run that was made last
last() { tail -n 1 "$1" | awk '{ print $1 / 1e6 }'; }

# over_only COLUMN: of `seconds`, over the mean of the first and the last in per cent: median (quartiles) of the lines
over_only() {
    awk -v column="$1" '{ print 200 * $column / ($1 + $4) - 100 }' seconds | sort -n | awk '
        { r[NR] = $1 }
        function at(share) { return r[1 + int(share * (NR - 1) + 0.5)] }
        END { printf "%+.1f%% (%+.1f to %+.1f)", NR % 2 ? r[(NR + 1) / 2] : (r[NR / 2] + r[NR / 2 + 1]) / 2, at(0.25), at(0.75) }'
}

# measure_round N: a line of `seconds`: running only, values, conflicts, running only
measure_round() {
    change_environment "$1"
    measure only --instr-at-start=no
    before=$(last only)
    measure values.t --sim=./values --sample=4/124000 --seed="$1"
    measure conflicts.t --sim=./conflicts --sample=128/8000000 --seed="$1"
    measure only --instr-at-start=no
    echo "$before $(last values.t) $(last conflicts.t) $(last only)" >>seconds
}

if [ $cost = yes ]; then
    prepare 1
    printf '%-10s %12s %28s %28s\n' program 'run-only s' 'values 4/124000' 'conflicts 128/8000000'
    for program in $programs; do
        command=$(command_of "$program")
        rm -f seconds
        for round in $(seq "$rounds"); do
            measure_round "$round"
        done
        printf '%-10s %12s %28s %28s\n' "$program" "$(awk '{ s += $1 + $4 } END { printf "%.2f", s / (2 * NR) }' seconds)" "$(over_only 2)" \
            "$(over_only 3)"
    done
fi
[ $agree = yes ] || exit 0
change_environment 1

# agreement SAMPLE: of $program, whose values are all in `every`
agreement() {
    measure record --sim=./values --sample="$1" && mv profile.findings.csv some
    # Names of functions and files may have commas: fields are counted from the end.
    awk -F, -v program="$program" -v sample="$1" '
        FNR == 1 { file++; next }
        { key = $1 $2 $(NF - 6); value = $(NF - 4); share = $(NF - 1) ? $(NF - 2) / $(NF - 1) : 0 }
        file == 1 { if ($(NF - 5) == 1 && $(NF - 1) >= 20 && $(NF - 2)) { top[key] = value; part[key] = share; n[key] = $(NF - 1) } ; next }
        key in top { if ($(NF - 5) == 1) first[key] = value; if (value == top[key]) truth[key] = share; if ($(NF - 5) == 1) best[key] = share }
        END {
            for (k in top) {
                all++
                same += first[k] == top[k] || truth[k] == best[k]
                d = part[k] - truth[k]
                error += d < 0 ? -d : d
                chance += sqrt(2 / 3.14159265) * sqrt(truth[k] * (1 - truth[k]) / n[k])
            }
            if (!all) { print program ": nothing was sampled so often"; exit }
            printf "%-10s %s: %6d instructions; the same value is first: %.1f%%; shares differ by %.2f points on average, by chance %.2f\n",
                program, sample, all, 100 * same / all, 100 * error / all, 100 * chance / all
        }' some every
}

prepare 60
echo
echo 'instructions sampled at least 20 times, in windows of one and of four ways, beside all:'
for program in $programs; do
    command=$(command_of "$program")
    measure record --sim=./values --sim-opt=entries=64 && mv profile.findings.csv every
    agreement 1/1000
    agreement 4/4000
done
