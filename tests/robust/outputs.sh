#!/bin/sh
# Each command and option that names an output, and each way in which it cannot be written: one line that names it, the usual
# status, before anything has run, and nothing left behind.  Then disks and limits that are full while something is written.
. "${top_srcdir:-$(dirname "$0")/../..}/tests/tap/tap.sh"

LC_ALL=C TMPDIR=$SCRATCH/tmp
export LC_ALL TMPDIR
mkdir "$TMPDIR" "$SCRATCH/work" || bail 'no scratch'
cd "$SCRATCH/work" || bail 'no scratch'

cat >prog.c <<'END'
#include <stdio.h>
int main(void)
{
    volatile int a[64];
    int i;

    for (i = 0; i < 64; i++)
        a[i] = i;
    puts("it ran");
    return 0;
}
END
$CC -O1 -g -o prog prog.c || bail 'cannot compile'
"$QUERN" run -q --out-file=p ./prog >ran 2>&1 || bail "cannot run: $(cat ran)"
line=$(grep -n 'a\[i\] = i' prog.c | cut -d: -f1)
printf ' L 1000,4\n' >t

# status, what it is called in the message, and the command; OUT stands for the output.
cat >table <<END
1 run --out-file=OUT ./prog
1 run --cachegrind-out-file=OUT ./prog
1 run --interval=100 --interval-file=OUT ./prog
1 run --explain=prog.c:$line --explain-file=OUT ./prog
1 run --branch-sim=yes --branches-file=OUT ./prog
2 run --log-file=OUT ./prog
1 run --trace=block --trace-file=OUT ./prog
1 trace -o OUT ./prog
1 sim build -o OUT --D1=fifo
1 sim build --replay -o OUT --D1=fifo
1 replay --outcomes=OUT t
1 merge -o OUT p
1 diff -o OUT p p
3 lab check 1 . --gradescope=OUT
1 report -o OUT ./prog
1 page -o OUT p
1 run --watch=10 --watch-file=OUT ./prog
END
cat >>table <<END
1 sweep -o OUT -- ./prog
1 csv -o OUT p
1 watch -o OUT ./prog
1 plot -o OUT.svg top p
END

# refused PREFIX STATUS COMMAND...: PREFIX runs the command
refused() {
    prefix=$1 wanted=$2
    shift 2
    ls -AR .. >"$SCRATCH/before"
    # shellcheck disable=SC2086
    timeout 60 $prefix "$QUERN" "$@" >"$SCRATCH/out" 2>"$SCRATCH/err"
    status=$?
    ls -AR .. >"$SCRATCH/after"
    [ $status = "$wanted" ] || { echo "status $status, wanted $wanted; $(cat "$SCRATCH/err")"; return 1; }
    [ "$(wc -l <"$SCRATCH/err")" = 1 ] || { echo 'not one line:'; cat "$SCRATCH/err"; return 1; }
    grep -q "^quern.*$target" "$SCRATCH/err" || { echo "does not name it: $(cat "$SCRATCH/err")"; return 1; }
    [ ! -s "$SCRATCH/out" ] || { echo "something ran: $(cat "$SCRATCH/out")"; return 1; }
    cmp "$SCRATCH/before" "$SCRATCH/after" || { diff "$SCRATCH/before" "$SCRATCH/after"; return 1; }
}

# each WHAT TARGET PREFIX: all of the table
each() {
    what=$1 target=$2 prefix=$3
    while read -r status command; do
        # shellcheck disable=SC2046
        ok "$what: $command" refused "$prefix" "$status" $(echo "$command" | sed "s|OUT|$target|")
    done <table
}

: >"$SCRATCH/err"; : >"$SCRATCH/out"; : >"$SCRATCH/before"; : >"$SCRATCH/after"
each 'no such folder' nosuch/out ''
mkdir -p full/in full.svg/in
each 'a folder' full ''
ln -s /dev/full device
ln -s /dev/full device.svg
[ -c /dev/full ] && each 'a full device' device '' || skip 'there is no /dev/full' "$(wc -l <table)"
mkdir shut
chmod 500 shut
drop=
[ "$(id -u)" != 0 ] || drop='setpriv --bounding-set=-dac_override,-dac_read_search'
# shellcheck disable=SC2086
if $drop sh -c ': >shut/x' 2>/dev/null || ! $drop true; then
    rm -f shut/x
    skip 'this user may write everywhere, and setpriv cannot change that' "$(wc -l <table)"
else
    each 'a folder where one may not write' shut/out "$drop"
fi

# ---- beside the profile, and one name twice ----

while read -r what options; do
    target=own.$what.csv
    mkdir -p "$target/in"
    # shellcheck disable=SC2086
    ok "$what, where there is a folder" refused '' 1 run $options --out-file=own ./prog
    rm -r "$target"
done <<END
sets --analysis=sets --interval=100
findings --analysis=culprits
culprits --analysis=culprits
END
target=one
while read -r command; do
    # shellcheck disable=SC2086
    ok "two outputs, one name: $command" refused '' 1 run --out-file=one $command ./prog
    ok 'of which the line tells' grep -q 'one: is the file of the profile$' "$SCRATCH/err"
done <<END
--interval=100 --interval-file=one
--explain=prog.c:$line --explain-file=one
--watch=10 --watch-file=one
--branches-file=one
END

# ---- a profile that nobody wants ----

cat >child.c <<'END'
#include <sys/wait.h>
#include <unistd.h>
int main(void)
{
    volatile int a[1024];

    fork();
    for (int i = 0; i < 2048; i++)
        a[i % 1024] = i;
    return wait(NULL) == -2;
}
END
$CC -O1 -g -o child child.c || bail 'cannot compile'
ln -s /dev/null nowhere
"$QUERN" run --D1=512,1,64 --analysis=sets,culprits --interval=1000 --interval-file=nowhere --out-file=nowhere ./child 2>log
is "$? $(ls -d nowhere*)" '0 nowhere' 'beside a profile that goes to a device nothing is written, by a child neither'
ok 'the log has what was found' grep -q ':[0-9]* misses [0-9]* lines of' log

# ---- full while it is written ----

# A limit of file sizes stands for a disk that is full: the write fails, as there.
(
    ulimit -f 1
    "$QUERN" merge -o big p
) >out 2>&1
is "$? $(cat out)" '1 quern merge: big: cannot write: File too large' 'a file that grows beyond the limit is an error'
is "$(ls -A | grep -c 'big')" 0 'and nothing is left of it'

cat >loop.c <<'END'
#include <stdio.h>
#include <stdlib.h>
int main(int argc, char **argv)
{
    volatile long sum = 0;
    long i, n = argc > 1 ? atol(argv[1]) : 0;

    for (i = 0; i < n; i++)
        sum += i;
    puts("whole");
    return 0;
}
END
# Addresses that do not compress.  With a file whose first line is a process, that one can write no file from the middle on.
cat >scattered.c <<'END'
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
static volatile unsigned char a[1 << 20];
static void shut(const char *name)
{
    const struct rlimit limit = { 8, RLIM_INFINITY };
    FILE *f = fopen(name, "r");
    int pid = 0;

    if (!f || fscanf(f, "%d", &pid) != 1 || prlimit(pid, RLIMIT_FSIZE, &limit, NULL))
        puts("cannot limit");
}
int main(int argc, char **argv)
{
    unsigned long x = 1;
    long i, n = argc > 1 ? atol(argv[1]) : 0;

    for (i = 0; i < n; i++) {
        if (argc > 2 && i == n / 2)
            shut(argv[2]);
        x = x * 6364136223846793005u + 1442695040888963407u;
        a[x >> 44]++;
    }
    puts("whole");
    return 0;
}
END
$CC -O1 -o loop loop.c && $CC -O1 -o scattered scattered.c || bail 'cannot compile'
mkdir disk
if unshare -Urm mount -t tmpfs -o size=64k none disk 2>/dev/null; then
    # on DISK_SIZE COMMAND...: in the folder disk of that size; then what is there
    on() {
        size=$1
        shift
        unshare -Urm sh -c 'mount -t tmpfs -o size="$1" none disk && shift && "$@"' sh "$size" "$@"
    }
    # ChampSim's form of a trace of 17 MB, where TMPDIR has room for 4: what fits is made of it, and replays.
    # shellcheck disable=SC2016
    on 4m env TMPDIR=disk "$QUERN" trace -q --format=champsim -o short ./scattered 6000000 >out 2>err
    is "$? $(cat out)" '70 ' 'a trace for which the disk is too small: the program is stopped'
    ok 'one line says so' grep -q 'cannot write: No space left on device; it is whole up to instruction' err
    is "$(wc -l <err)" 1 'and no other'
    ok 'what was recorded until then is there' sh -c '"$0" replay short | grep -q "^I *refs: *[0-9]*,[0-9]*,"' "$QUERN"
    # quern's own format: 17 MB into 4.
    # shellcheck disable=SC2016
    on 4m sh -c '"$0" trace -o disk/t ./scattered 6000000; status=$?; cp disk/t own; ls -A disk; exit $status' "$QUERN" >out 2>err
    is "$? $(cat out)" '70 t' 'a trace of its own format for which the disk is too small: the program is stopped, nothing else is left'
    fits=$(sed -n 's|^quern: trace: disk/t: cannot write: No space left on device; it is whole up to instruction ||p' err)
    is "$(wc -l <err)" 1 'one line says so'
    is "$("$QUERN" trace --info own | sed -n 's/^parts.*instructions \([0-9]*\),.*/\1/p; $p')" "$fits
whole" 'what was recorded until there is a whole trace'
    ok 'of more than half the disk' [ "$(wc -c <own)" -gt 2000000 ]
    ok 'which replays' sh -c '"$0" replay own | grep -q "^I *refs: *[0-9]*,[0-9]*,"' "$QUERN"
    # shellcheck disable=SC2016
    on 16k sh -c '"$0" trace -o disk/t ./scattered 6000000; status=$?; ls -A disk; exit $status' "$QUERN" >out 2>err
    is "$? $(cat out err)" '70 quern: trace: disk/t: cannot write: No space left on device; nothing of it is kept' 'a disk too small for a part: nothing is left'
    # The output's disk is full: what was recorded stays where it was.
    # shellcheck disable=SC2016
    on 4k "$QUERN" trace -q --format=champsim -o disk/t ./loop 300000 >out 2>err
    is "$? $(cat out)" '1 whole' 'a trace that does not fit where it should go: status 1 behind the program'
    kept=$(sed -n "s/^quern: trace: disk\/t: cannot write: No space left on device; the trace is kept, in quern's own form, in //p" err)
    ok 'one line says where it is' test -f "$kept"
    ok 'which is a whole trace' "$QUERN" replay "$kept"
    # shellcheck disable=SC2016
    on 4k sh -c 'head -c 4096 /dev/zero >disk/fill; "$0" run -q --out-file=disk/p ./prog; echo "status $?"; ls -A disk' "$QUERN" >out 2>err
    is "$(cat out)" "status 1
fill" 'a disk that is full already: nothing runs'
    is "$(cat err)" 'quern: run: no profile: disk/p: cannot write: No space left on device' 'and one line says why'
    # shellcheck disable=SC2016
    on 4k sh -c 'head -c 4096 /dev/zero >disk/fill; "$0" run -v --out-file=profile --log-file=disk/log --stats ./prog; echo "status $?"' "$QUERN" >out 2>err
    ok 'a log that becomes full is told' grep -q '^quern: run: --log-file: cannot write: No space left on device' err
    is "$(cat out)" 'it ran
status 0' 'and does not keep the program from its end'
else
    skip 'cannot mount a small file system: no user namespaces here' 17
fi

# Not even an end can be written: the parts stay beside the output, and become a trace when that is possible again.  What limits files
# does not limit a pipe.
# shellcheck disable=SC2016
{
    sh -c 'echo $$ >pid; exec "$0" trace -o shorter ./scattered 6000000 pid' "$QUERN" 2>&1 >out
    echo $? >status
} | cat >err
is "$(cat status out)" 70 'a trace that can no longer be written at all: the program is stopped'
left=$(sed -n 's/^quern: trace: shorter: cannot write: File too large; .* is left in \(.*\), which --recover makes whole$/\1/p' err)
is "$(wc -l <err) $(ls -A | grep shorter)" "1 $left" 'one line says where its parts are'
"$QUERN" trace --info "$left" >/dev/null 2>info
is "$? $(sed 's/byte [0-9]*: //' info)" \
    "1 quern: trace: $left: cut off: got the end of the file, wanted the next part or the index; --recover gives it an end" 'which have no end'
ok 'and get one' "$QUERN" trace --recover "$left"
ok 'and are what the line says' grep -q "up to instruction $("$QUERN" trace --info "$left" | sed -n 's/^parts.*instructions \([0-9]*\),.*/\1/p') is left" err
ok 'more than a quarter of the program' sh -c '"$0" replay "$1" | grep -q "^I *refs: *[1-9][0-9],[0-9]*,"' "$QUERN" "$left"
done_testing
