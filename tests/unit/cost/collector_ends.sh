#!/bin/sh
# How runs end: exit statuses, signals, stops, fatal states, and what is left behind each time.
. "${top_srcdir:-$(dirname "$0")/../../..}/tests/unit/cost/fake/fake.sh"

fake -q -- /bin/true block 10 leave 0 1 3 exit 3
is "$status" 3 'the exit status is the guest'"'"'s'
is "$(body cachegrind.out.*)" "fl=$top_srcdir/tests/unit/cost/fake/fake_engine.c
fn=landmark
$LANDMARK 24 2 1 7 5 1 0 0 0
summary: 24 2 1 7 5 1 0 0 0" 'counts fall on the source line, less what left the block early'
is "$(cat "$SCRATCH/err")" '' 'quiet means quiet'

fake --branch-sim=yes -- /bin/true block 1000
is "$(sed 's/==[0-9]*==/==PID==/' "$SCRATCH/err" | tail -n 20)" '==PID== 
==PID== I   refs:      3,000
==PID== I1  misses:        2
==PID== LLi misses:        1
==PID== I1  miss rate:  0.07%
==PID== LLi miss rate:  0.03%
==PID== 
==PID== D   refs:      1,000  (1,000 rd   + 0 wr)
==PID== D1  misses:      500  (  500 rd   + 0 wr)
==PID== LLd misses:        1  (    1 rd   + 0 wr)
==PID== D1  miss rate:  50.0% ( 50.0%     + 0.0%  )
==PID== LLd miss rate:   0.1% (  0.1%     + 0.0%  )
==PID== 
==PID== LL refs:         502  (  502 rd   + 0 wr)
==PID== LL misses:         2  (    2 rd   + 0 wr)
==PID== LL miss rate:    0.1% (  0.1%     + 0.0%  )
==PID== 
==PID== Branches:      1,000  (1,000 cond + 0 ind)
==PID== Mispredicts:       3  (    3 cond + 0 ind)
==PID== Mispred rate:    0.3% (  0.3%     + 0.0%   )' 'the summary is in the classic form'

fake -q --cache-sim=no -- /bin/true block 7
is "$(sed -n '/^events/p;/^summary/p' cachegrind.out.*)" 'events: Ir
summary: 21' 'without simulations only Ir is shown'

for sig in 1 2 6 9 11 15 40; do
    fake -q -- /bin/true block 10 signal $sig 2>/dev/null
    is "$status" $((128 + sig)) "death by signal $sig is mirrored"
    is "$(sed -n 's/^summary: \([0-9]*\).*/\1/p' cachegrind.out.*)" 30 "and leaves a profile (signal $sig)"
done
ok 'no core file of quern itself' test ! -e core

fresh
"$QUERN" run --sim="$FAKE" -- /bin/true block 10 print ready pause >"$SCRATCH/out" 2>"$SCRATCH/err" &
wait_for grep -q ready "$SCRATCH/out"
kill -KILL "$(guest_of "$SCRATCH/err")"
wait $!
is $? 137 'a guest killed from outside is mirrored'
is "$(sed -n 's/^summary: \([0-9]*\).*/\1/p' cachegrind.out.*)" 30 'and its profile is there'

fake -q -- /bin/true block 10 insn
is "$status" 70 'an undecodable instruction ends with status 70'
ok 'one line tells bytes, address, symbol and module' grep -Eqx \
    "quern: run: cannot decode the instruction 0f ff 12 at 0x[0-9a-f]+, landmark in $FAKE" "$SCRATCH/err"
is "$(sed -n 's/^summary: \([0-9]*\).*/\1/p' cachegrind.out.*)" 30 'the counts so far are saved'

fake -q -- /bin/true load 13
is "$status" 126 'a program that the engine cannot load: 126'
is "$(cat "$SCRATCH/err")" 'quern: run: /bin/true: Permission denied' 'and why'
fake -q -- /bin/true load 2
is "$status" 127 'a missing interpreter: 127'
ok 'no profile of what did not run' test -z "$(ls)"

fresh
"$QUERN" run --sim="$FAKE" -- /bin/true handler 15 print ready pause exit 5 >"$SCRATCH/out" 2>"$SCRATCH/err" &
wait_for grep -q ready "$SCRATCH/out"
kill -TERM $!
wait $!
is $? 5 'SIGTERM to quern does not end quern'
is "$(cat "$SCRATCH/out")" 'ready
got 15' 'but reaches the guest, once'

state() { sed 's/.*) \(.\).*/\1/' "/proc/$1/stat"; }
in_state() { [ "$(state "$1")" = "$2" ]; }
fresh
"$QUERN" run --sim="$FAKE" -- /bin/true handler 15 print ready pause exit 6 >"$SCRATCH/out" 2>"$SCRATCH/err" &
wait_for grep -q ready "$SCRATCH/out"
guest=$(guest_of "$SCRATCH/err")
kill -STOP "$guest"
ok 'quern stops when its guest stops' wait_for in_state $! T
kill -CONT $!
ok 'and its guest goes on when quern does' wait_for in_state "$guest" S
kill -TERM $!
wait $!
is $? 6 'to the end'

fresh
"$QUERN" run -q --sim="$FAKE" --out-file=profile -- /bin/true handler 15 block 10 final pause exit 7 >"$SCRATCH/out" 2>"$SCRATCH/err" &
ok 'the profile is written as soon as the counts are final' wait_for grep -q '^summary: 30 ' profile
ok 'and quern waits for the end of its guest' kill -0 $!
kill -TERM $!
wait $!
is $? 7 'which ends with its own status'

done_testing
