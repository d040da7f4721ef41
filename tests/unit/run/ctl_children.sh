#!/bin/sh
# Does `quern ctl PID` reach each process that a program has made, alone, and does no question ever disturb a program that waits in the kernel?
. "${top_srcdir:-$(dirname "$0")/../../..}/tests/tap/scratch.sh"

# ---- processes ----

cat >work.h <<'END'
#include <stdio.h>
#include <unistd.h>
static volatile int cell;
static __attribute__((noinline)) void work(int n) { while (n-- > 0) cell++; }
/* Says who it is, and waits for a byte of the file. */
static void wait_for(const char *who, const char *file)
{
    FILE *f;
    char line[64];

    write(1, line, snprintf(line, sizeof line, "%s %d\n", who, getpid()));
    f = fopen(file, "r");
    if (!f || fgetc(f) == EOF)
        _exit(9);
    fclose(f);
}
END
cat >forks.c <<'END'
#include "work.h"
#include <sys/wait.h>
int main(void)
{
    pid_t child;

    work(1000);
    child = fork();
    if (child == 0) {
        work(100);
        wait_for("child", "child.go");
        work(20000);
        execl("./other", "./other", (char *)0);
        _exit(8);
    }
    waitpid(child, 0, 0);
    work(3);
    return 0;
}
END
cat >other.c <<'END'
#include "work.h"
int main(void)
{
    work(7);
    wait_for("other", "other.go");
    work(50000);
    return 0;
}
END
for program in forks other; do
    "$CC" -O1 -g -o $program $program.c 2>log || bail "cc: $(cat log)"
done
mkfifo child.go other.go out || bail 'no fifo'
# writes FILE: how often work() has written to cell
writes() { "$QUERN" csv --by=function --metadata=no --crlf=no --show=Dw "$1" | awk -F, '$(NF - 1) == "work" { print $NF }'; }

"$QUERN" run -q --trace-children=yes --cachegrind-out-file=profile.%p ./forks >out 2>err &
run=$!
exec 6<out
read -r who child <&6
is "$who" child 'a process that was forked waits'
# Its collector may be a moment behind it.
while kill -0 "$child" && ! "$QUERN" ctl "$child" status >status 2>&1; do :; done
parent=$("$QUERN" ctl $run status | sed -n 's/^pid: //p')
is "$("$QUERN" ctl "$child" status 2>&1 | sed -n 's/^pid: //p')" "$child" 'it answers by its own number'
is "$([ "$parent" != "$child" ] && "$QUERN" ctl "$parent" status | sed -n 's/^pid: //p')" "$parent" 'its parent by that of the parent'
is "$("$QUERN" ctl "$child" dump)" "profile.$child.dump1" 'dump: a profile of its own'
is "$(writes "profile.$child.dump1")" 1100 '... with what its parent had counted, and its own'
is "$("$QUERN" ctl "$parent" dump) $(writes "profile.$parent.dump1")" "profile.$parent.dump1 1000" 'that of the parent is another'
# It may have just said who it is, and be on its way into the kernel.
ok 'zero' sh -c '"$1" ctl "$2" zero | grep -qx "done\|asked; it does so when it goes on"' sh "$QUERN" "$child"
echo >child.go
read -r who other <&6
is "$who $other" "other $child" 'it has executed another program'
is "$("$QUERN" ctl "$other" status | sed -n 's/^command: //p')" './other' 'which answers by the same number'
is "$("$QUERN" ctl "$other" dump) $(writes "profile.$other.dump2")" "profile.$other.dump2 7" 'with counts of its own'
ok 'stop' sh -c '"$1" ctl "$2" stop | grep -qx "done\|asked; it does so when it goes on"' sh "$QUERN" "$other"
echo >other.go
wait $run
status=$?
exec 6<&-
is "$status $(cat err)" '0 ' 'the program ends as it would'
is "$(writes "profile.$other")" 7 'stop was for the one process'
is "$(writes "profile.$parent")" 1003 '... and zero, too'
is "$("$QUERN" ctl "$other" status 2>&1)" "quern ctl: $other: no run of quern's with this number, or of this program" 'afterwards nobody answers'

# ---- nobody is disturbed ----

# Computes for some microseconds, then waits in a call that a signal ends.
cat >waits.c <<'END'
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>
static volatile unsigned long cell;
static volatile int over;
static unsigned long interrupted;
static void *turn(void *data)
{
    char byte;

    while (!over) {
        struct timespec moment = {0, 1000};

        for (int i = 0; i < 20000; i++)
            cell++;
        if (nanosleep(&moment, NULL) && errno == EINTR)
            __atomic_add_fetch(&interrupted, 1, __ATOMIC_SEQ_CST);
        if (!data && read(0, &byte, 1) == 1)
            over = 1;
    }
    return NULL;
}
int main(int argc, char **argv)
{
    pthread_t other;

    (void)argv;
    fcntl(0, F_SETFL, O_NONBLOCK);
    write(1, "begun\n", 6);
    if (argc > 1)
        pthread_create(&other, NULL, turn, &other);
    turn(NULL);
    if (argc > 1)
        pthread_join(other, NULL);
    printf("interrupted %lu\n", interrupted);
    return 0;
}
END
"$CC" -O1 -g -pthread -o waits waits.c 2>log || bail "cc: $(cat log)"
for threads in '' threads; do
    rm -f in out
    mkfifo in out || bail 'no fifo'
    "$QUERN" run -q --out-file=waited ./waits $threads <in >out 2>err &
    run=$!
    exec 5>in 6<out
    read -r line <&6
    rounds=0 answers=0
    while [ $rounds -lt 50 ] && "$QUERN" ctl $run stop >>answers && "$QUERN" ctl $run start >>answers; do
        rounds=$((rounds + 1))
    done
    echo >&5
    read -r line <&6
    wait $run
    is "$? $rounds $line" '0 50 interrupted 0' "50 times stop and start: no wait was ended ${threads:+($threads)}"
    exec 5>&- 6<&-
done

# A process that becomes another program, which is not followed and knows of no call: it would die.
cat >becomes.c <<'END'
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>
static volatile int cell;
int main(void)
{
    char line[32], *arguments[] = {"true", NULL};
    int status, bad = 0;

    for (int i = 0; i < 50; i++) {
        pid_t child = fork();

        if (child == 0) {
            write(1, line, snprintf(line, sizeof line, "%d\n", getpid()));
            for (int k = 0; k < (i % 10 + 1) * 600000; k++)
                cell++;
            execvp("true", arguments);
            _exit(1);
        }
        bad += waitpid(child, &status, 0) != child || status != 0;
    }
    printf("bad %d\n", bad);
    return 0;
}
END
"$CC" -O1 -g -o becomes becomes.c 2>log || bail "cc: $(cat log)"
"$QUERN" run -q --out-file=became ./becomes >out 2>err &
run=$!
exec 6<out
rounds=0
while read -r line <&6; do
    case $line in
    bad*) break ;;
    *) "$QUERN" ctl "$line" stop >>answers 2>&1 ;;
    esac
    rounds=$((rounds + 1))
done
wait $run
exec 6<&-
is "$? $rounds $line" '0 50 bad 0' '50 times a process that is becoming another program: it does'
done_testing
