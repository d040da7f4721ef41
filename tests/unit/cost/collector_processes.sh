#!/bin/sh
# The guest sees what it would see without quern; its forks and execs have collectors of their own.
. "${top_srcdir:-$(dirname "$0")/../../..}/tests/unit/cost/fake/fake.sh"

sums() { sed -n 's/^summary: \([0-9]*\).*/\1/p' cachegrind.out.* | sort -n | tr '\n' ' '; }

fake -q true block 1 fork block 1 fork block 1 end end fork block 10 end exit 2
is "$status" 2 'forks of forks: the status is the first process'"'"'s'
is "$(sums)" '3 6 9 33 ' 'every process has its profile: the counts at the fork and its own'
fake -q true block 1 exec block 5 exit 4
is "$status" 4 'a traced exec: the status is the new program'"'"'s'
is "$(sums)" '15 ' 'and the counts of the old one are dropped'
is "$(sed -n 's/^cmd: //p' cachegrind.out.*)" 'replaced block 5 exit 4' 'the command line is the new one'
fake -q true block 1 exec load 8
is "$status" 126 'a traced exec of what cannot be loaded: status 126'
fake -q true block 1 execout sh -c 'echo out; exit 5'
is "$status $(cat "$SCRATCH/out")" '5 out' 'an untraced exec runs, its status is mirrored'
is "$(ls)" '' 'and there is no profile'
fake -q true block 1 execout /nosuch block 2 exit 3
is "$status $(sums)" '3 9 ' 'an exec that fails changes nothing'
fake -q true block 1 fork execout true end
is "$(sums)" '3 ' 'a child that becomes another program has no profile'
fake -q true block 1 forks 100
is "$(ls | wc -l)" 101 'a hundred forks, a hundred and one profiles'

fresh
mkfifo "$SCRATCH/first" "$SCRATCH/second" # the children live until these are written to, which is later than all that is said here
"$QUERN" run --sim="$FAKE" true block 1 daemon closeout read "$SCRATCH/first" block 1 end exit 3 2>"$SCRATCH/err" | cat
"$QUERN" run -q --sim="$FAKE" true block 1 daemon closeout read "$SCRATCH/second" block 1 end exit 3
is $? 3 'quern returns although a child lives on, and holds no pipe'
is "$(sums)" '3 3 ' 'with the profiles of those that ended'
: >"$SCRATCH/first"
: >"$SCRATCH/second"
two_more() { [ "$(sums)" = '3 3 6 6 ' ]; }
ok 'those of the others follow' wait_for two_more

fresh
mkfifo "$SCRATCH/third"
"$QUERN" run -q --sim="$FAKE" true print x closeout read "$SCRATCH/third" | {
    cat >"$SCRATCH/before" # to the end of the pipe, which comes while the guest waits
    : >"$SCRATCH/third"
}
is "$(cat "$SCRATCH/before")" x 'who reads a pipe sees its end when the guest closes it'

fresh
(umask 027 && exec env --ignore-signal=HUP --ignore-signal=CHLD --block-signal=USR1 "$QUERN" run -q --sim="$FAKE" true state \
    3<&- 4<&- 5<&- 6<&- 7<&- 8<&- 9<&-) </dev/null >"$SCRATCH/out"
is "$(sed 's/ cwd.*pgrp/ pgrp/;s/^\(open 0 1 2\).*/\1/' "$SCRATCH/out")" "umask 27 pgrp 1
blocked 10
ignored 1 17
open 0 1 2
own above" 'umask, group, mask, dispositions and descriptors are what quern got'
"$QUERN" run -q --sim="$FAKE" true state <&- 7>"$SCRATCH/seven" >"$SCRATCH/out" 3<&- 4<&- 5<&- 6<&- 8<&- 9<&-
is "$(sed -n 's/^\(open 1 2 7\).*/\1/p' "$SCRATCH/out")" 'open 1 2 7' 'closed ones stay closed, open ones open'
for limit in 64 1024; do
    (ulimit -Sn $limit && exec "$QUERN" run -q --sim="$FAKE" true state) >"$SCRATCH/out"
    is "$(tail -n 1 "$SCRATCH/out")" 'own above' "the engine's descriptors lie above a soft limit of $limit"
    (ulimit -n $limit && exec "$QUERN" run -q --sim="$FAKE" true state) >"$SCRATCH/out"
    is "$(tail -n 1 "$SCRATCH/out")" 'own above' "and at the end of a hard one of $limit"
done
fresh
mkfifo "$SCRATCH/fifo" "$SCRATCH/fourth"
cat "$SCRATCH/fifo" >/dev/null &
reader=$!
"$QUERN" run --sim="$FAKE" true print ready read "$SCRATCH/fourth" note x exit 3 >"$SCRATCH/out" 2>"$SCRATCH/fifo" &
quern=$!
wait_for grep -q ready "$SCRATCH/out"
kill $reader
wait $reader 2>/dev/null
: >"$SCRATCH/fourth"
wait $quern
is $? 3 'a terminal that is gone does not harm the guest'
(ulimit -Sf 1 && exec "$QUERN" run -q --sim="$FAKE" true exit 3)
is $? 3 'a limit on the size of files does not stop the arena'

# An engine that says for ever that another one calls: who asks gets an answer.
fresh
mkfifo fifo
"$QUERN" run --sim="$FAKE" -- /bin/true block 1 calls print ready read fifo exit 0 >"$SCRATCH/out" 2>"$SCRATCH/err" &
quern=$!
wait_for grep -q ready "$SCRATCH/out"
"$QUERN" ctl $quern stop >stopped 2>&1
is "$?: $(cat stopped)" '0: asked; it does so when it goes on' 'a wish to an arena that is damaged so'
: >fifo # opened and closed: a line written would kill this shell if the guest had closed it already
wait $quern

done_testing
