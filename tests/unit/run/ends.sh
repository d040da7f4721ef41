#!/bin/sh
# Does a program end at once when it is told to?  Signals to it, to quern, to both, and by timeout; and when quern itself is
# killed.  Nothing is left behind then.
#
# The program alone holds the writing end of a pipe.  It writes its pid when it runs; the end of the file is its own, of all its
# threads and children.  So nothing here sleeps.  What does not end has failed: it gets SIGXCPU after QN_LIMIT seconds of processor
# time, or waits until the driver ends the test.
. "${top_srcdir:-$(dirname "$0")/../../..}/tests/tap/tap.sh"

[ -x "$QUERN" ] || bail "there is no $QUERN"
command -v setsid >/dev/null || skip_all 'there is no setsid' 82
cd "$SCRATCH" || bail "no $SCRATCH"
ulimit -c 0
ulimit -t "${QN_LIMIT:-60}"

cat >program.c <<'END'
#define _GNU_SOURCE
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
static char block[1 << 16];
static void *spin(void *nothing) { for (volatile long i = 0;; i++) if (nothing) return 0; }
static void leave(int sig) { _exit(sig); }
static void say(void) { dprintf(9, "%d\n", (int)getpid()); }
int main(int argc, char **argv)
{
    const char *does = argc > 1 ? argv[1] : "";
    pthread_t t;
    signal(SIGINT, SIG_DFL); /* a shell ignores it for what runs in the background */
    if (!strcmp(does, "threads"))
        for (int i = 0; i < 3; i++)
            pthread_create(&t, NULL, spin, NULL);
    if (!strcmp(does, "child"))
        fork();
    if (!strcmp(does, "handler"))
        for (int sig = 1; sig < 16; sig++)
            signal(sig, leave);
    if (!strcmp(does, "becomes")) {
        say();
        execlp("sleep", "sleep", "1000", NULL);
    }
    say();
    if (!strcmp(does, "sleeps") || !strcmp(does, "child"))
        for (;;)
            pause();
    if (!strcmp(does, "strings")) /* long string instructions */
        for (unsigned long n;; )
            for (unsigned i = 0; i < 100; i++) {
                char *to = block;
                n = sizeof block;
                __asm__ volatile("rep stosb" : "+c"(n), "+D"(to) : "a"(i) : "memory");
            }
    if (!strcmp(does, "calls"))
        for (;;)
            getppid();
    if (!strcmp(does, "maps")) /* the engine looks, and changes its tables, all the time */
        for (;;)
            munmap(mmap(NULL, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0), 4096);
    spin(NULL);
}
END
$CC -O1 -o program program.c -pthread || bail 'program.c cannot be compiled'

# start OPTIONS... PROGRAM...: in a session of its own; $program is its pid, $quern that of quern, and of the group
start() {
    rm -f pipe
    mkfifo pipe || bail 'no pipe'
    setsid "$QUERN" run -q --out-file=profile.%p "$@" 9>pipe 2>messages &
    quern=$!
    exec 8<pipe
    read -r program <&8
}

# ended STATUS WHAT: all of it, and quern with this status
ended() {
    cat <&8 >/dev/null
    wait "$quern" 2>/dev/null
    is $? "$1" "$2"
    exec 8<&-
}

for does in spins sleeps threads strings calls maps child; do
    for sig in TERM:143 INT:130; do
        start ./program $does
        kill -s "${sig%:*}" -- "-$quern"
        ended "${sig#*:}" "$does: SIG${sig%:*} to the group"
    done
    [ $does = child ] && continue # a child of it goes on
    for sig in TERM:143 INT:130 KILL:137; do
        start ./program $does
        kill -"${sig%:*}" "$program"
        ended "${sig#*:}" "$does: SIG${sig%:*} to the program"
        ok '... its profile is written' test -s "profile.$program"
        start ./program $does
        kill -"${sig%:*}" "$quern"
        ended "${sig#*:}" "$does: SIG${sig%:*} to quern"
    done
    ok '... of which there is none' test ! -e "profile.$program"
done

start ./program handler
kill -TERM "$quern"
ended 15 'a handler ends it'
start --trace-children=yes ./program becomes
kill -TERM "$quern"
ended 143 'it has executed another program, which is followed: SIGTERM to quern'
start --trace-children=yes ./program becomes
kill -KILL "$quern"
ended 137 '... SIGKILL'
start ./program becomes
kill -TERM "$quern"
ended 143 '... is not followed: SIGTERM to quern'
start ./program becomes
kill -KILL "$quern"
ended 137 '... SIGKILL'

# by_timeout SIGNAL STATUS OPTIONS...: `timeout` ends it as soon as its time is over
by_timeout() {
    sig=$1 status=$2
    shift 2
    rm -f pipe
    mkfifo pipe || bail 'no pipe'
    timeout -s "$sig" 1 "$QUERN" run -q --out-file=profile.%p ./program "$@" 9>pipe 2>messages &
    quern=$!
    exec 8<pipe
    read -r program <&8
    ended "$status" "timeout -s $sig"
}
by_timeout TERM 124 spins
by_timeout INT 124 threads
by_timeout KILL 137 spins
done_testing
