#!/bin/sh
# Does a run that is killed leave a profile, and does it have all but the last block?
#
#   sh tests/robust/kill.sh
#
# When to kill is decided by what the program has done, never by a clock: killed.S counts its turns in a file that
# we watch; other programs are killed at a line of their output, or at a byte of the trace of their start-up.  A
# program counts on while we look, but the file says afterwards how far it came: that is the truth that the
# profile is compared with.
. "${top_srcdir:-$(dirname "$0")/../..}/tests/tap/tap.sh"

folder=$top_srcdir/tests/robust
TURN=8 # instructions of a turn, see killed.S
TURNS=100000000      # of the run that comes to its end
ENDLESS=99999999999  # a minute or more: it is killed long before
patience=100000 # looks at the counter before we give up

[ -x "$QUERN" ] || bail "there is no $QUERN"
$CC -nostdlib -static -g -o "$SCRATCH/killed" "$folder/killed.S" || bail "cannot assemble killed.S"

# summary_Ir PROFILE
summary_Ir() { awk '/^summary:/ { print $2 }' "$1"; }

# turns_made FILE
turns_made() { od -A n -t u8 -N 8 "$1" | tr -d ' '; }

# fresh_counter: an empty page.
fresh_counter() { head -c 4096 /dev/zero >"$SCRATCH/counter"; }

# guest_of PID: the process in which the program runs; empty if it is gone.
guest_of() { cat "/proc/$1/task/$1/children" 2>/dev/null | cut -d' ' -f1; }

# wait_for_turns N: until the counter has reached N.
wait_for_turns() {
    looks=0
    while [ "$(turns_made "$SCRATCH/counter")" -lt "$1" ]; do
        looks=$((looks + 1))
        [ $looks -lt $patience ] || return 1
    done
}

# readable PROFILE: annotate and the sums.
readable() {
    awk -f "$top_srcdir/tests/corpus/totals.awk" "$1" || return 1
    "$QUERN" annotate "$1" >"$SCRATCH/annotated" 2>&1 || { head -n 5 "$SCRATCH/annotated"; return 1; }
}

# nothing_else: no temporary files beside the profile.
nothing_else() {
    left=$(ls -A "$SCRATCH/out")
    [ "$left" = profile ] || { echo "left behind: $left"; return 1; }
}

# start OPTIONS...: killed.S in the background, $collector is quern, $guest the program.
start() {
    rm -rf "$SCRATCH/out"
    mkdir "$SCRATCH/out"
    fresh_counter
    "$QUERN" run -q --out-file="$SCRATCH/out/profile" "$@" -- "$SCRATCH/killed" "$SCRATCH/counter" $ENDLESS \
        2>"$SCRATCH/err" &
    collector=$!
}

# finish WANTED-STATUS: waits, checks status, profile and truth.
finish() {
    wait $collector
    status=$?
    [ $status = "$1" ] || { echo "status $status, wanted $1"; cat "$SCRATCH/err"; return 1; }
    nothing_else && readable "$SCRATCH/out/profile" || return 1
    truth=$(($(outside $ENDLESS) + TURN * $(turns_made "$SCRATCH/counter")))
    counted=$(summary_Ir "$SCRATCH/out/profile")
    off=$((counted - truth))
    [ $off -ge -$TURN ] && [ $off -le $TURN ] ||
        { echo "$counted instructions, truth $truth: off by $off"; return 1; }
}

# killed_at N OPTIONS...: SIGKILL when N turns are made.
killed_at() {
    turns=$1
    shift
    start "$@"
    wait_for_turns "$turns" ||
        { echo "the counter never came to $turns"; kill -9 "$(guest_of $collector)"; return 1; }
    kill -9 "$(guest_of $collector)"
    finish 137 2>/dev/null
}

# ended_by SIGNAL STATUS: a signal to quern itself, passed on to the program.
ended_by() {
    start
    wait_for_turns 1000 || return 1
    kill -s "$1" $collector
    finish "$2" 2>/dev/null
}

# Instructions outside the turns: up to the first digit 19, for each digit 7, for the end of the text 3.
outside() { echo $((19 + 7 * ${#1} + 3)); }
EXIT=3 # and at the end

runs_to_its_end() {
    fresh_counter
    "$QUERN" run -q --out-file="$SCRATCH/whole" -- "$SCRATCH/killed" "$SCRATCH/counter" $TURNS || return 1
    [ "$(turns_made "$SCRATCH/counter")" = $TURNS ] || return 1
    [ "$(summary_Ir "$SCRATCH/whole")" = $(($(outside $TURNS) + TURN * TURNS + EXIT)) ]
}

ok 'a run that comes to its end has every instruction' runs_to_its_end
for turns in 1 2 3 10 100 1000 30000 1000000 10000000 100000000; do
    ok "killed after $turns turns: all but a block are there" killed_at $turns
done
for options in --cache-sim=no --branch-sim=yes --check=yes --trace-children=yes --counting=cachegrind; do
    ok "killed, with $options" killed_at 50000 $options
done
ok 'SIGTERM to quern ends the program, the profile is whole' ended_by TERM 143
ok 'SIGHUP to quern ends the program, the profile is whole' ended_by HUP 129

# at_trace_byte N PROGRAM...: SIGKILL in the middle of start-up.  The engine reports each block that it makes
# into a pipe; when nobody reads on, it stops at the pipe's end, so it is killed not more than a pipe's size
# behind byte N of its report.
at_trace_byte() {
    bytes=$1
    shift
    rm -rf "$SCRATCH/out" "$SCRATCH/trace"
    mkdir "$SCRATCH/out"
    mkfifo "$SCRATCH/trace"
    "$QUERN" run -q --trace=block --trace-file="$SCRATCH/trace" --out-file="$SCRATCH/out/profile" -- "$@" \
        >/dev/null 2>"$SCRATCH/err" &
    collector=$!
    exec 3<"$SCRATCH/trace"
    head -c "$bytes" <&3 >/dev/null
    kill -9 "$(guest_of $collector)" 2>/dev/null
    exec 3<&-
    wait $collector 2>/dev/null
    status=$?
    [ $status = 137 ] || { echo "status $status, wanted 137"; return 1; }
    nothing_else && readable "$SCRATCH/out/profile"
}

for bytes in 1 1000 30000 100000 200000 400000 800000; do
    ok "ls killed in start-up, at byte $bytes of its trace: annotate reads the profile" at_trace_byte $bytes ls -l /
done

# at_line N PROGRAM...: SIGKILL when it has printed N lines.
at_line() {
    lines=$1
    shift
    rm -rf "$SCRATCH/out" "$SCRATCH/fifo"
    mkdir "$SCRATCH/out"
    mkfifo "$SCRATCH/fifo"
    "$QUERN" run -q --branch-sim=yes --out-file="$SCRATCH/out/profile" -- "$@" >"$SCRATCH/fifo" 2>"$SCRATCH/err" &
    collector=$!
    exec 3<"$SCRATCH/fifo"
    seen=0
    while [ $seen -lt "$lines" ] && read -r line <&3; do
        seen=$((seen + 1))
    done
    kill -9 "$(guest_of $collector)" 2>/dev/null
    cat <&3 >/dev/null
    exec 3<&-
    wait $collector 2>/dev/null
    status=$?
    [ $status = 137 ] || { echo "status $status, wanted 137: $(cat "$SCRATCH/err")"; return 1; }
    nothing_else && readable "$SCRATCH/out/profile"
}

python_program='
import sys
n = 0
while True:
    print(n, flush=True)
    n += sum(i * i for i in range(1000)) % 7'
thread_program='
import threading
def work(name):
    n = 0
    while True:
        print(name, n, flush=True)
        n += sum(range(500)) % 5
for name in "ab": threading.Thread(target=work, args=(name,)).start()'
if command -v /usr/bin/python3 >/dev/null; then
    for lines in 1 5 50; do
        ok "python3 killed at line $lines: annotate reads the profile" \
            at_line $lines /usr/bin/python3 -c "$python_program"
    done
    ok 'python3 with threads killed at line 40: annotate reads the profile' \
        at_line 40 /usr/bin/python3 -c "$thread_program"
else
    skip 'python3 is not installed' 4
fi

# outlived COMMAND...: does a process that quern started live on when quern has ended?  A mark in the environment tells.
outlived() {
    QN_MARK=mark.$$ "$QUERN" run -q --branch-sim=yes --out-file="$SCRATCH/outlived" -- "$@" >/dev/null 2>&1
    for process in /proc/[0-9]*; do
        if tr '\0' '\n' <"$process/environ" 2>/dev/null | grep -qx "QN_MARK=mark.$$"; then
            tr '\0' ' ' <"$process/cmdline"
            return 1
        fi
    done
}
ok 'nothing lives longer than quern: /bin/true' outlived /bin/true
ok 'nothing lives longer than quern: a shell and its children' outlived sh -c 'ls | cat; (exit 3)'
ok 'nothing lives longer than quern: killed' outlived sh -c 'kill -9 $$'
done_testing
