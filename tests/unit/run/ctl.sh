#!/bin/sh
# Does a run that is going on answer: a profile of what was counted so far, its status, SIGUSR1, progress?
. "${top_srcdir:-$(dirname "$0")/../../..}/tests/tap/scratch.sh"
cat >prog.c <<'END'
#include <signal.h>
#include <stdio.h>
#include <unistd.h>
static int a[4096];
static volatile sig_atomic_t told;
static void on(int sig) { (void)sig; told = 1; }
static void work(void)
{
    for (int r = 0; r < 300; r++)
        for (int i = 0; i < 4096; i++)
            a[i] += r;
}
int main(void)
{
    char byte;

    signal(SIGUSR1, on);
    work();
    write(1, "half\n", 5);
    if (read(0, &byte, 1) != 1) /* waits here for the test */
        return 1;
    work();
    write(1, told ? "told\n" : "end\n", told ? 5 : 4);
    return 0;
}
END
"$CC" -g -O1 -o prog prog.c || bail 'cannot compile'
mkfifo in out || bail 'no fifo'

# begin OPTIONS...: until it waits in the kernel for a byte; $run is the collector, $guest the program
begin() {
    "$QUERN" run -q "$@" ./prog <in >out 2>err &
    run=$!
    exec 5>in 6<out
    read -r line <&6
    [ "$line" = half ] || bail "the program does not begin: $(cat err)"
    guest=$("$QUERN" ctl $run status | sed -n 's/^pid: //p')
    while kill -0 "$guest" && [ "$(sed 's/.*) //; s/ .*//' "/proc/$guest/stat")" != S ]; do :; done
}
go_on() {
    echo >&5
    read -r line <&6
    wait $run
    status=$?
    exec 5>&- 6<&-
}
# What a run that is killed at the same place leaves.
begin --out-file=wanted
kill -KILL $run
wait $run 2>/dev/null
while kill -0 "$guest" 2>/dev/null; do :; done # only then its input may end
exec 5>&- 6<&-
while ! [ -s wanted ]; do :; done
counts() { grep -v '^desc:' "$1"; }

begin --out-file=profile
is "$("$QUERN" ctl $run dump 2>&1)" profile.dump1 'dump tells the name'
is "$(counts profile.dump1)" "$(counts wanted)" 'it is the profile of a run that is killed there'
is "$("$QUERN" ctl $run dump)" profile.dump2 'the next has the next name'
is "$(counts profile.dump2)" "$(counts wanted)" '... and the same counts, while the program waits'
is "$("$QUERN" ctl "$guest" dump)" profile.dump3 "by the program's number"
"$QUERN" ctl $run status >status
is "$(sed -n 's/^command: //p' status)" './prog' 'status: the command'
is "$(awk '/^events:/ { for (i = 2; i <= NF; i++) name[i] = $i } /^summary:/ { for (i = 2; i <= NF; i++) print name[i] ": " $i }' wanted)" \
    "$(sed -n '/^Ir:/,$p' status)" 'status: the sum of every event'
: >profile.dump4
is "$("$QUERN" ctl $run dump)" profile.dump5 'no file is written over'
is "$(wc -c <profile.dump4)" 0 '... it is as it was'
go_on
is "$status $line" '0 end' 'the program goes on and ends as it would'
ok 'its profile has all' test "$(awk '/^summary/ { print $2 }' profile)" -gt "$(awk '/^summary/ { print $2 }' wanted)"
"$QUERN" run -q --out-file=quiet ./prog <prog.c >/dev/null 2>&1
is "$(counts profile)" "$(counts quiet)" 'it is that of a run that nobody asked'
is "$("$QUERN" ctl $run status 2>&1; echo $?)" "quern ctl: $run: no run of quern's with this number, or of this program
1" 'of a run that has ended nothing is known'

# ---- on and off ----

# A loop that is in no system call: between stop and start its counts stay.
cat >loop.c <<'END'
#include <unistd.h>
static volatile unsigned long turns[512];
int main(void)
{
    write(1, "loop\n", 5);
    for (unsigned long i = 0;; i++)
        turns[i & 511]++;
}
END
"$CC" -g -O1 -o loop loop.c || bail 'cannot compile'
sum() { "$QUERN" ctl $run status | sed -n "s/^$1: //p"; }
for options in '' --cache-sim=no '--branch-sim=yes --batch=always'; do
    rm -f turns # the program before may still have the old one open, as it is killed a moment after its collector
    mkfifo turns || bail 'no fifo'
    "$QUERN" run -q $options --out-file=looped ./loop >turns 2>err &
    run=$!
    read -r line <turns
    "$QUERN" ctl $run stop >stopped
    before=$(sum Ir)
    for look in 1 2 3 4 5; do [ "$(sum Ir)" = "$before" ] || before=changed; done
    is "$(cat stopped) $(case $before in [1-9]*) echo stays ;; *) echo "$before" ;; esac)" 'done stays' "stop: counts stay ($options)"
    is "$("$QUERN" ctl $run zero) $(sum Ir)" 'done 0' 'zero: counts are forgotten'
    is "$("$QUERN" ctl $run start)" 'done' 'start'
    while now=$(sum Ir) && [ "$now" = 0 ]; do :; done
    ok 'counts go on' test "$now" -gt 0
    kill -KILL $run
    wait $run 2>/dev/null
done
begin --out-file=partly --instr-at-start=no
is "$("$QUERN" ctl $run start)" 'asked; it does so when it goes on' 'a program that waits is not disturbed'
go_on
inner() { awk '/^fn=/ { own = $0 == "fn=main" || $0 == "fn=work" } own && ($1 == 10 || $1 == 11) { sum += $2 } END { print sum }' "$1"; }
is "$status $line $(inner partly) $(grep -c '^desc: Instrumented: *all' partly)" "0 end $(inner wanted) 0" 'start with --instr-at-start=no counts the rest: the other half'
begin --out-file=zeroed
is "$("$QUERN" ctl $run zero)" 'asked; it does so when it goes on' 'zero of a program that waits'
go_on
is "$status $line $(inner zeroed)" "0 end $(inner wanted)" 'zero: the profile has the rest, the other half'
begin --out-file=zeroed --interval=1000000 --interval-file=intervals
is "$("$QUERN" ctl $run zero 2>&1; echo $?)" 'not supported with --interval
1' 'zero with --interval is refused'
go_on

# ---- a device ----

ln -s /dev/null device
begin --out-file=device
is "$("$QUERN" ctl $run dump 2>&1) $(echo device*)" 'no profile can be written: that of the run goes to a device device' 'nothing is written beside a device'
go_on

# ---- SIGUSR1 ----

begin --out-file=signal --dump-signal
kill -USR1 $run
while ! [ -s signal.dump1 ]; do kill -0 $run || break; done
go_on
is "$status $line" '0 end' 'SIGUSR1 with --dump-signal is not passed on'
is "$(counts signal.dump1)" "$(counts wanted)" '... it writes a profile'
begin --out-file=passed
kill -USR1 $run
while [ "$(awk '/^SigPnd|^ShdPnd/ { p = p $2 } END { print p ~ /^0*$/ }' /proc/$run/status)" != 1 ]; do :; done
while [ "$line" = half ]; do "$QUERN" ctl $run status >/dev/null && go_on; done
is "$status $line $(ls passed.dump* 2>/dev/null)" '0 told ' 'without, it is'

# ---- progress ----

"$QUERN" run -q --progress --out-file=slow sh -c 'i=0; while :; do i=$((i+1)); done' 2>progress &
run=$!
while ! grep -q instructions progress; do kill -0 $run || break; done
kill $run
wait $run
ok 'progress: time, instructions, misses' grep -qx 'quern: [0-9]* s, [0-9]* million instructions, [0-9]* million a second, D1 misses [0-9.]*%, LL misses [0-9.]*%' progress

# ---- usage ----

usage() { # STATUS TEXT ARGUMENTS...
    wanted=$1 text=$2
    shift 2
    "$QUERN" ctl "$@" >usage.out 2>usage.err
    is "$? $(cat usage.out)$(wc -l <usage.err) $(grep -c -e "$text" usage.err)" "$wanted 1 1" "refused in one line: ctl $*"
}
usage 2 'wanted PID'
usage 2 'wanted PID' 1
usage 2 'x: wanted the number' x status
usage 2 'wanted dump, status, start, stop or zero' 1 nothing
usage 1 'no run' 1 status
done_testing
