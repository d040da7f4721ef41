#!/bin/sh
# Where profiles and messages go, and what happens where they cannot.
. "${top_srcdir:-$(dirname "$0")/../../..}/tests/unit/cost/fake/fake.sh"

pid_in_log() { sed -n 's/^==\([0-9]*\)== Command.*/\1/p' "$SCRATCH/err"; }

fake -- true block 1
is "$(ls)" "cachegrind.out.$(pid_in_log)" 'the default name has the guest'"'"'s pid'
is "$(stat -c %a cachegrind.out.*)" 600 'a profile is private'
QN_X=a/b
export QN_X
fresh; mkdir a
"$QUERN" run --sim="$FAKE" --cachegrind-out-file='%q{QN_X}.%p.%n.%%' true block 1 2>"$SCRATCH/err"
is "$(ls a)" "b.$(pid_in_log).1.%" 'the patterns of a name'
fake -q --out-file=fixed true block 1 fork block 1 end
is "$(ls | sed 's/\.[0-9]*$/.PID/' | tr '\n' ' ')" 'fixed fixed.PID ' 'a child does not overwrite the profile of its parent'
is "$(sed -n 's/^summary: \([0-9]*\).*/\1/p' fixed fixed.*)" '3
6' 'and has the counts so far and its own'

fake -q --out-file=/nosuch/dir/x true block 1
is "$status" 1 'no directory: status 1'
is "$(lines "$SCRATCH/err")" 1 'one line'
ok 'that names the file' grep -q '^quern: run: no profile: .*/nosuch/dir/x' "$SCRATCH/err"
is "$(cat "$SCRATCH/out")" '' 'and the program is not started'
fake -q --out-file=/dev/full true block 1 exit 7
is "$status" 1 'a full device: status 1'
is "$(lines "$SCRATCH/err")" 1 'one line too'
if unshare -rm true 2>/dev/null; then
    fresh; mkdir disk
    # shellcheck disable=SC2016
    unshare -rm sh -c 'mount -t tmpfs -o size=4k none disk && head -c 4096 /dev/zero >disk/fill
        "$QUERN" run -q --sim="$1" --out-file=disk/p true block 1
        echo "status $?"; ls -A disk' sh "$FAKE" >"$SCRATCH/out" 2>"$SCRATCH/err"
    is "$(cat "$SCRATCH/out")" 'status 1
fill' 'a full disk: status 1, and nothing half-written'
    is "$(lines "$SCRATCH/err")" 1 'one line as well'
else
    skip 'no name spaces: cannot make a full disk' 2
fi

fake --log-file=log.%p true block 1 print x
is "$(cat "$SCRATCH/err")" '' 'with a log file stderr is the guest'"'"'s alone'
ok 'the log has the summary' grep -q '^==[0-9]*== I   refs:      3$' log.*
fresh
"$QUERN" run --sim="$FAKE" --log-fd=5 true block 1 5>"$SCRATCH/five" 2>"$SCRATCH/err"
is "$(cat "$SCRATCH/err")" '' 'the same with a log descriptor'
ok 'which has the summary' grep -q 'I   refs' "$SCRATCH/five"
fake --log-fd=77 true block 1
ok 'a log descriptor that is not open is refused' grep -q '^quern: run: --log-fd=77: not an open descriptor' "$SCRATCH/err"
fake --log-file=/nosuch/log true print ran
is "$(cat "$SCRATCH/out")" '' 'a log that cannot be opened: nothing runs'
fake -q true note 'something odd'
is "$(cat "$SCRATCH/err")" '' 'notes of the engine are quiet when asked'
fake true note 'something odd'
ok 'notes of the engine are shown' grep -q '^--[0-9]*-- something odd$' "$SCRATCH/err"

fake -q true block 1
cp cachegrind.out.* "$SCRATCH/first"
fake -q true block 1
is "$(cat cachegrind.out.*)" "$(cat "$SCRATCH/first")" 'the same run gives the same bytes'
long=$(printf '%03000d' 0)
fake -q true block 1 print "$long"
ok 'a long command line does not push the events out of a reader'"'"'s sight' \
    sh -c 'head -c 2047 cachegrind.out.* | grep -q "^events: Ir.*DLmw"'
fake -q true block 1 print 'a
b'
is "$(sed -n 's/^cmd: //p' cachegrind.out.*)" 'true block 1 print a\nb' 'a newline in the command is escaped'

done_testing
