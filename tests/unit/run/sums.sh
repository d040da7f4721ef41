#!/bin/sh
# Is every instruction counted once, whoever executes it, and however that ends?  Threads, forks, vforks, executed programs, signals,
# faults, deaths: the sum over all profiles is what the processor counts when it is stepped through the same (sums/steps.c).  And
# is it still so when the code cache is so small that everything is evicted all the time (the build of `make tiny`)?
. "${top_srcdir:-$(dirname "$0")/../../..}/tests/tap/tap.sh"

from=$top_srcdir/tests/unit/run/sums
times=${QN_REPEAT:-3}

$CC -std=gnu11 -O1 -g -ffreestanding -fno-builtin -fno-stack-protector -fcf-protection=none -fno-pic -no-pie -nostdlib -static \
    -o "$SCRATCH/sums" "$from/sums.c" 2>"$SCRATCH/err" || bail "the programs cannot be compiled: $(head -n 3 "$SCRATCH/err")"
$CC -O2 -o "$SCRATCH/steps" "$from/steps.c" 2>"$SCRATCH/err" || bail "steps.c cannot be compiled: $(head -n 3 "$SCRATCH/err")"

# counted CASE OPTIONS...: the sum of all profiles; on stderr what the run said.
counted() {
    case=$1
    shift
    rm -rf "$SCRATCH/profiles"
    mkdir "$SCRATCH/profiles"
    "$QUERN" run -q --cache-sim=no --trace-children=yes --out-file="$SCRATCH/profiles/%p" "$@" "$SCRATCH/sums" "$case" ||
        echo "status $?"
    awk '/^summary:/ { sum += $2 } END { printf "%d\n", sum }' "$SCRATCH"/profiles/*
}

check() {
    wanted=$("$SCRATCH/steps" "$SCRATCH/sums" "$1" 2>&1) || { skip "$1: cannot step through it: $wanted"; return; }
    for turn in $(seq "$times"); do
        got=$(counted "$1" 2>&1)
        [ "$got" = "$wanted" ] || break
    done
    is "$got" "$wanted" "$2"
}

"$SCRATCH/steps" /bin/true >/dev/null 2>&1 || skip_all 'no program can be stepped through here (ptrace)' 17
check threads 'eight threads'
check fork 'forked children, which begin with what their parent had'
check nested 'children of children'
check fork_from_threads 'threads that fork'
check vfork 'vforked children, which count for their parent'
check exec 'a program that executes itself, which begins anew'
check exec_from_thread 'executed by another thread than the first'
check signals 'signal handlers'
check signals_in_threads 'signal handlers in threads'
check faults 'faults that a handler repairs: the instruction counts once'
check deaths 'processes that signals and faults kill'
check exit_group 'threads that are asleep when the process ends'
check children_tell 'children that end with SIGCHLD'
check new_code 'code that is written anew'
for block in 1 2 7; do
    is "$(counted deaths --block-max=$block)" "$(counted deaths)" "blocks of at most $block instructions"
done
done_testing
