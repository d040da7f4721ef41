#!/bin/sh
# The process beside the program that calls analyses (run/observe/beside.c): the program does not see it, it counts what the engine would, and it
# ends with the program and with the collector.
. "${top_srcdir:-$(dirname "$0")/../../..}/tests/tap/scratch.sh"

cat >program.c <<'END_OF_C'
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static char room[1 << 20];

static long work(long from)
{
    for (long i = 0; i < 200000; i++)
        room[(from + i * 4160) % sizeof room] += 1;
    return from;
}

static int entries(const char *path)
{
    DIR *d = opendir(path);
    int n = 0;

    while (d && readdir(d))
        n++;
    if (d)
        closedir(d);
    return n;
}

/* What it can see of other processes and threads, and what a process that shares its memory would forbid. */
static void look(void)
{
    int pid, status = 0;

    work(0);
    printf("tasks %d, files %d, ", entries("/proc/self/task"), entries("/proc/self/fd"));
    pid = waitpid(-1, NULL, WNOHANG | __WALL);
    printf("children %d %s, ", pid, strerror(errno));
    fflush(stdout);
    if (fork() == 0) {
        work(1);
        _exit(kill(0, 0) ? 1 : 7);
    }
    wait(&status);
    printf("status %d, ", WEXITSTATUS(status));
    printf("user namespace %d\n", unshare(CLONE_NEWUSER));
    work(2);
}

int main(int argc, char **argv)
{
    if (!strcmp(argv[1], "look")) {
        look();
    } else if (!strcmp(argv[1], "executes")) {
        work(3);
        execl(argv[0], argv[0], "look", (char *)NULL);
    } else if (!strcmp(argv[1], "waits")) { /* tells that it runs, and goes on when it is told to */
        char byte = 0;

        work(4);
        if (write(3, &byte, 1) != 1 || read(4, &byte, 1) < 0)
            return 1;
        for (int i = 0; i < 20; i++)
            work(i);
    }
    return argc < 2;
}
END_OF_C
${CC:-cc} -O1 -g -o program program.c || bail 'the program does not compile'
mkfifo runs goes || bail 'no pipes'
options='run --D1=4096,2,64 --LL=65536,8,64 --out-file=profile'

./program look >native 2>&1
"$QUERN" $options -q --analysis=3c ./program look >got 2>&1
same_file got native 'what a program sees of processes, threads and files'
./program executes >native 2>&1
"$QUERN" $options -q --analysis=3c --trace-children=yes --out-file=profile.%p ./program executes >got 2>&1
same_file got native '... and one that is executed'

# counts FILE: of all lines
counts() { sed -n '/^events/,$p' "$1"; }
for analysis in 3c sets latency culprits mattson sizes 3c,sets,culprits,mattson,sizes; do
    rm -f profile* child*
    "$QUERN" $options -q --analysis=$analysis "$top_builddir/tests/guest/sort" >/dev/null 2>&1
    counts profile >got
    cat profile.*.csv >>got
    # A process that is not the collector's child has none.
    "$QUERN" $options -q --analysis=$analysis --trace-children=yes --out-file=child.%p sh -c '"$1"; :' sh "$top_builddir/tests/guest/sort" >/dev/null 2>&1
    child=$(grep -l '^cmd: [^ ]*guest/sort$' child.*)
    counts "$child" >wanted
    cat "$child".*.csv >>wanted
    same_file got wanted "$analysis: as where the engine calls it"
done

# begin: a program that waits, in the background; $quern is the collector's number, $observer that of the process beside
begin() {
    "$QUERN" $options --log-file=log --analysis=3c ./program waits 4<goes 3>runs >/dev/null 2>said &
    quern=$!
    exec 5>goes
    head -c 1 <runs >/dev/null
    observer=$(ps -o pid=,comm= --ppid "$quern" | awk '$2 ~ /^quern-observer/ { print $1 }')
}
begin
ok 'there is such a process' [ -n "$observer" ]
is "$(ps -o sid= -p "$observer" | tr -d ' ')" "$observer" '... of a session of its own'
is "$(readlink "/proc/$observer/cwd") $(ls "/proc/$observer/fd" | wc -l)" '/ 0' '... which keeps no folder and no file'
exec 5>&-
wait "$quern"
is "$?" 0 'the run ends'
ok '... and it, too' [ ! -d "/proc/$observer" ]

begin
kill -KILL "$observer"
exec 5>&-
wait "$quern"
is "$?" 70 'if it is killed, the run ends'
ok '... and says why' grep -q 'the process that calls the analyses was killed' said

begin
kill -KILL "$quern"
exec 5>&-
wait "$quern" 2>/dev/null
tail --pid="$observer" -f /dev/null
ok 'if the collector is killed, it ends' [ ! -d "/proc/$observer" ]
done_testing
