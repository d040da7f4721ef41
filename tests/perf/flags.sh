#!/bin/sh
# flags.sh - what does it cost that a program looks at the status flags in its handlers of faults?
#
#   sh tests/perf/flags.sh           gzip, python3, sqlite3: five rounds
#   sh tests/perf/flags.sh -n 9      nine
#
# out:  for each program the CPU time (cpu.c) with a handler of SIGSEGV that has SA_SIGINFO, so that all translations keep all
#       flags (lib/run/core/precise.c), over that with one that has not: caches; caches and branches; instructions only.  The best and the
#       median of all rounds, interleaved.  The handler comes by LD_PRELOAD and is never called.
# Status 0 however it went: this is a measurement, not a test.
set -u

rounds=5 options='-n=rounds'

. "$(dirname "$0")/begin.inc"
LC_ALL=C PYTHONHASHSEED=0
export LC_ALL PYTHONHASHSEED
cat >handler.c <<'END'
#include <signal.h>
#include <unistd.h>
static void die(int sig) { _exit(sig); }
static void __attribute__((constructor)) install(void)
{
    struct sigaction a = {.sa_handler = die, .sa_flags = FLAGS};
    sigaction(SIGSEGV, &a, 0);
}
END
for flags in 0 SA_SIGINFO; do
    ${CC:-gcc} -shared -fPIC -DFLAGS=$flags -o "$flags.so" handler.c || exit 1
done
awk -v lines=60000 -f "$folder/input.awk" >log
sed 's/ROWS/60000/' "$folder/workloads/sqlite3.sql" >sqlite3.sql
cp "$folder/workloads/python3.py" .

command_of() {
    case $1 in
    gzip) echo "$(command -v gzip) -9nc log" ;;
    python3) echo '/usr/bin/python3 -S python3.py 8' ;;
    sqlite3) echo "$(command -v sqlite3) :memory: -init sqlite3.sql .exit" ;;
    esac
}

# measure RECORD FLAGS OPTIONS...: of $command
measure() {
    record=$1 preload=$work/$2.so
    shift 2
    # shellcheck disable=SC2086 # words
    ./cpu "$record" "$quern" run -q --out-file=profile "$@" -- env LD_PRELOAD="$preload" $command >/dev/null 2>&1 </dev/null
}

nth() { sort -n "$1" | sed -n "$2p" | cut -d' ' -f1; }

# ratio NTH: of the keeping runs to the others
ratio() { awk -v a="$(nth SA_SIGINFO.t "$1")" -v b="$(nth 0.t "$1")" 'BEGIN { printf "%.3f", a / b }'; }

printf '%-10s %-10s %8s %8s\n' program what best median
for program in gzip python3 sqlite3; do
    command=$(command_of "$program")
    for what in caches branches Ir; do
        case $what in
        caches) options=--branch-sim=no ;;
        branches) options=--branch-sim=yes ;;
        *) options=--cache-sim=no ;;
        esac
        rm -f ./*.t
        for turn in $(seq "$rounds"); do
            for flags in 0 SA_SIGINFO; do
                measure $flags.t $flags --trace-children=yes $options
            done
        done
        printf '%-10s %-10s %8s %8s\n' "$program" "$what" "$(ratio 1)" "$(ratio $(((rounds + 1) / 2)))"
    done
done
