#!/bin/sh
# Does a program end when it is told to?  Signals to it, to quern, to both, and by timeout; and when quern itself is killed, or all
# of its group.  There is a profile then, too, and nothing is left behind.  And does it stop and go on?  Who is its parent?
#
# The program alone holds the writing end of a pipe.  It writes its pid when it runs; the end of the file is its own, of all its
# threads and children.  So everything waits for what happens, and no time is measured; QN_LIMIT seconds only end what hangs.
. "${top_srcdir:-$(dirname "$0")/../../..}/tests/tap/scratch.sh"

[ -x "$QUERN" ] || bail "there is no $QUERN"
command -v setsid >/dev/null || skip_all 'there is no setsid' 144
ulimit -c 0
limit=${QN_LIMIT:-300}

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
        execl(argv[0], argv[0], "sleeps", NULL);
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

# written PROFILE: when quern has been killed it comes a little later.
appears() {
    tap_looks=0
    until [ -s "$1" ]; do
        tap_looks=$((tap_looks + 1))
        [ $tap_looks -lt $((10 * limit)) ] || return 1
        sleep 0.1
    done
}
written() { appears "$1" && awk -f "$top_srcdir/tests/corpus/totals.awk" "$1"; }
begun_or_not() { appears "$1" && { grep -qx "summary: [0 ]*" "$1" || written "$1"; }; }

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
        ok '... its profile is written' written "profile.$program"
    done
    start ./program $does
    kill -s KILL -- "-$quern"
    ended 137 "$does: SIGKILL to the group"
    ok '... its profile is written' written "profile.$program"
done
start ./program child
read -r child <&8
kill -s KILL -- "-$quern"
ended 137 'child: SIGKILL to the group'
ok '... its profile is written' written "profile.$program"
ok '... and that of its child' written "profile.$child"

# What writes the profile then must be out of the group before the program begins, however late it runs itself.
if strace -qq -o /dev/null true 2>/dev/null; then
    printf '#!/bin/sh\nexec strace -f -qq -o /dev/null -e trace=setsid,setpgid -e inject=setsid,setpgid:delay_enter=500000 "%s" "$@"\n' "$QUERN" >late
    chmod +x late
    quick=$QUERN QUERN=./late
    start ./program spins
    kill -s KILL -- "-$quern"
    ended 137 'SIGKILL to the group, before the reader of debug information has run'
    ok '... the profile is written' written "profile.$program"
    start ./program child
    read -r child <&8
    kill -s KILL -- "-$quern"
    ended 137 'SIGKILL to the group, while the collector of a child takes its time to leave the group'
    ok '... the profile is written' written "profile.$program"
    ok '... and that of the child' written "profile.$child"

    # Nor may a program begin before they know it: quern, but not the reader, is killed as soon as the program has begun.
    printf '#!/bin/sh\nexec strace -D -qq -o /dev/null -e trace=sendmsg -e inject=sendmsg:delay_enter=500000 "%s" "$@"\n' "$quick" >late
    start --trace-children=yes ./program becomes
    read -r program <&8
    kill -KILL "$quern"
    ended 137 'SIGKILL to quern when another program has begun, and what it sends is late'
    ok '... the profile is written' written "profile.$program"
    ok '... of that' grep -qx 'cmd: ./program sleeps' "profile.$program"
    QUERN=$quick
else
    skip 'strace is not installed, or may not trace' 8
fi

start ./program handler
kill -TERM "$quern"
ended 15 'a handler ends it'
start --trace-children=yes ./program becomes
kill -TERM "$quern"
ended 143 'it has executed another program, which is followed: SIGTERM to quern'
start --trace-children=yes ./program becomes
kill -KILL "$quern"
ended 137 '... SIGKILL'
ok "... a profile is written, of one of both; it may not have begun" begun_or_not "profile.$program"
start --trace-children=yes ./program becomes
read -r program <&8
kill -KILL "$quern"
ended 137 "it has executed another program, which has begun: SIGKILL to quern"
ok "... the profile is written" written "profile.$program"
ok "... of that" grep -qx "cmd: ./program sleeps" "profile.$program"
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
    timeout -s "$sig" 100000 "$QUERN" run -q --out-file=profile.%p ./program "$@" 9>pipe 2>messages &
    quern=$!
    exec 8<pipe
    read -r program <&8
    kill -ALRM "$quern" # its time is over
    ended "$status" "timeout -s $sig"
}
by_timeout TERM 124 spins
by_timeout INT 124 threads
by_timeout KILL 137 spins
ok '... its profile is written' written "profile.$program"

# ---- stops ----

state() { sed 's/.*) //; s/ .*//' "/proc/$1/stat"; }
becomes() { # PID LETTERS: its state
    tap_looks=0
    until case $(state "$1") in [$2]) true ;; *) false ;; esac; do
        tap_looks=$((tap_looks + 1))
        [ $tap_looks -lt $((10 * limit)) ] || return 1
        sleep 0.1
    done
}
for to in program group; do
    for by in program quern group; do
        [ "$to$by" = groupprogram ] && continue # quern has been stopped with the rest, and nobody tells it
        start ./program sleeps
        group=-$quern
        eval "kill -s STOP -- \"\$$to\""
        ok "SIGSTOP to $to: the program stops" becomes "$program" T
        ok '... and quern' becomes "$quern" T
        eval "kill -s CONT -- \"\$$by\""
        ok "... SIGCONT to $by: the program goes on" becomes "$program" SR
        kill -TERM "$program"
        ended 143 '... and ends'
    done
done

# ---- the parent ----

cat >parent.c <<'END'
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>
/* Who starts argv[1]..., says whether a signal came that it sends to its parent, and dies when it is told to. */
static volatile sig_atomic_t came;
static void take(int sig) { came = sig; }
int main(int argc, char **argv)
{
    int status;
    pid_t pid;
    sigset_t set, none;

    if (argc > 1) { /* the parent */
        sigemptyset(&none);
        sigemptyset(&set);
        sigaddset(&set, SIGUSR1);
        sigprocmask(SIG_BLOCK, &set, NULL);
        signal(SIGUSR1, take);
        pid = fork();
        if (!pid) {
            sigprocmask(SIG_UNBLOCK, &set, NULL);
            signal(SIGUSR1, SIG_DFL);
            execv(argv[1], argv + 1);
        }
        sigsuspend(&none);
        printf("the parent has %d\n", came == SIGUSR1);
        fflush(stdout);
        if (getenv("QN_DIES"))
            raise(SIGKILL);
        waitpid(pid, &status, 0);
        printf("status %d\n", WIFEXITED(status) ? WEXITSTATUS(status) : -1);
        return 0;
    }
    sigemptyset(&set);
    sigaddset(&set, SIGUSR2);
    sigprocmask(SIG_BLOCK, &set, NULL);
    prctl(PR_SET_PDEATHSIG, SIGUSR2);
    pid = getppid();
    kill(getppid(), SIGUSR1);
    if (getenv("QN_DIES")) {
        sigwait(&set, &status);
        printf("its parent is dead: %d, and is another: %d\n", status == SIGUSR2, getppid() != pid);
    }
    return 3;
}
END
$CC -O1 -o parent parent.c || bail 'parent.c cannot be compiled'
is "$(./parent "$QUERN" run -q --out-file=profile.%p ./parent 2>&1)" 'the parent has 1
status 3' 'a signal to its parent comes to that of quern'
is "$(QN_DIES=yes ./parent "$QUERN" run -q --out-file=profile.%p ./parent 2>/dev/null)" 'the parent has 1
its parent is dead: 1, and is another: 1' 'the death of that is the death of its parent'
done_testing
