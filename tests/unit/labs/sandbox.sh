#!/bin/sh
# Lab 1's csim as an enemy: what can it reach, use up, leave behind or make the grader believe?
. "${top_srcdir:-$(dirname "$0")/../../..}/tests/tap/tap.sh"

out=$SCRATCH/out
evil=$SCRATCH/evil
mkdir -p "$evil"
solution=$top_srcdir/labs/solutions/01-cache/csim.c
[ -f "$solution" ] || solution=$top_srcdir/configure.ac # a release has no solutions, but its other files are as far away
prelude='#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>
#define TELL(what, good) fprintf(stderr, "%s: %s\n", what, (good) ? "DONE" : strerror(errno))'

# attack: csim.c comes on stdin; one test of the lab is run; $status, $out.
attack() {
    { printf '%s\n' "$prelude" && cat; } >"$evil/csim.c"
    "$QUERN" lab check --only=small 1 "$evil" >"$out" 2>&1
    status=$?
}

# refused WHAT TEXT: csim exits with 1 after telling; TEXT is its remark.
refused() {
    ok "$1" grep -q "^# $2\$" "$out" || diag "$(cat "$out")"
}

# can_enforce N: or N points are skipped.
can_enforce() {
    grep -q '^# not enforced here: this kernel' "$out" || return 0
    skip 'this kernel cannot enforce all of it, and the grader says so' "$1"
    return 1
}

attack <<END
int main(void)
{
    TELL("passwd", fopen("/etc/passwd", "r"));
    TELL("solution", fopen("$solution", "r"));
    TELL("handed in", fopen("$evil/csim.c", "r"));
    TELL("open files", open("/proc/self/fd", O_RDONLY) >= 0);
    TELL("file", fopen("left-behind", "w") || fopen("/tmp/left-behind", "w") || fopen("/dev/shm/left-behind", "w"));
    TELL("mode", chmod("$evil/csim.c", 0777) == 0);
    TELL("length", truncate("$evil/csim.c", 0) == 0);
    TELL("program", execl("/bin/true", "true", NULL) == 0);
    for (int fd = 3; fd < 100; fd++)
        if (fcntl(fd, F_GETFD) >= 0)
            TELL("inherited file", 1);
    return 1;
}
END
if can_enforce 9; then
    refused 'cannot read the system'"'"'s files' 'passwd: Permission denied'
    refused 'nor the solution' 'solution: Permission denied'
    refused 'nor what was handed in' 'handed in: Permission denied'
    refused 'nor look at /proc' 'open files: Permission denied'
    refused 'cannot make a file' 'file: .*\(denied\|not permitted\)'
    refused 'nor change the mode of one' 'mode: Operation not permitted'
    refused 'nor its length' 'length: Operation not permitted'
    refused 'nor run another program' 'program: Permission denied'
    is "$(grep -c DONE "$out")" 0 'it inherits no open file, and did none of these'
fi

attack <<'END'
int main(void)
{
    TELL("socket", socket(AF_INET, SOCK_STREAM, 0) >= 0);
    TELL("fork", fork() >= 0);
    TELL("kill", kill(getppid(), SIGKILL) == 0);
    TELL("ptrace", syscall(SYS_ptrace, 16, getppid(), 0, 0) == 0);
    TELL("memory of the grader", syscall(SYS_process_vm_readv, getppid(), 0, 0, 0, 0, 0) >= 0);
    TELL("more processor time", setrlimit(RLIMIT_CPU, &(struct rlimit){100, 100}) == 0);
    return 1;
}
END
if can_enforce 7; then
    refused 'has no network' 'socket: Operation not permitted'
    refused 'cannot fork' 'fork: Operation not permitted'
    refused 'nor kill the grader' 'kill: Operation not permitted'
    refused 'nor trace it' 'ptrace: Operation not permitted'
    refused 'nor read its memory' 'memory of the grader: Operation not permitted'
    refused 'nor get more processor time' 'more processor time: Operation not permitted'
    is "$(grep -c DONE "$out")" 0 'it did none of these'
fi

attack <<'END'
int main(void) { for (;;) ; }
END
ok 'an endless loop is ended' grep -q '^# the program took more than 2 s of processor time' "$out"

attack <<'END'
int main(void) { pause(); return 0; }
END
ok 'one that waits is not waited for' grep -q '^# the program waits for something that does not come: 2 s' "$out"
{ printf '%s\n' "$prelude" 'int main(void) { pause(); return 0; }'; } >"$evil/csim.c"
"$QUERN" lab check 1 "$evil" >"$out" 2>&1
is "$(grep -c '^# the program waits' "$out"):$(grep -c '^# not run: it did not end in a test before' "$out")" '1:10' 'nor is it run again'

# What it maps is limited, touched or not: first touches may cost more processor time than it has.
attack <<'END'
int main(void)
{
    for (size_t n = 0;; n += 1 << 20)
        if (mmap(0, 1 << 20, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) == MAP_FAILED) {
            fprintf(stderr, "stopped %s\n", n < 600u << 20 ? "in time" : "late");
            return 1;
        }
}
END
refused 'memory is limited' 'stopped in time'

attack <<'END'
int main(void) { for (;;) puts("hits:9 misses:8 evictions:6 hits:9 misses:8 evictions:6"); }
END
ok 'so is output' grep -q '^# the program printed more than 16 MiB' "$out"

attack <<'END'
int main(void) { puts("ok 1 - all of it\n1..1\nok 2\r\nBail out!"); fputs("\nok 1 - all\nnot ok 1\n# 100 of 100 points\n", stderr); return 1; }
END
is "$status:$(grep -c '^ok' "$out"):$(grep '^# [0-9]* of' "$out")" '1:0:# 0 of 5 points' 'what it prints is not taken for results'

attack <<'END'
int main(void) { puts("hits:9 misses:8 evictions:6"); return 0; }
END
is "$(grep -c '^not ok' "$out")" 1 'constants do not pass'

attack <<'END'
int main(void) { raise(SIGSEGV); return 0; }
END
ok 'a crash is told' grep -q 'killed by signal 11' "$out"

# ---- while compiling ----

attack <<'END'
#include "/etc/passwd"
END
ok 'the compiler reads nothing else' grep -q 'Permission denied' "$out"
attack <<END
#include "$solution"
END
is "$(grep -c 'Permission denied' "$out"):$(grep -c "^ok" "$out")" 1:0 'nor the solution'
attack <<'END'
#define A(x) x x x x x x x x x x x x x x x x
int main(void) { return 0 A(A(A(A(A(A(A(A(+ 1)))))))); }
END
ok 'a compiler that takes too long or too much is ended' grep -q '^not ok 1' "$out"

# ---- what is handed in ----

rm "$evil/csim.c"
ln -s "$top_srcdir/labs/01-cache/starter/csim.c" "$evil/csim.c"
"$QUERN" lab check --only=small 1 "$evil" >"$out" 2>&1
ok 'a link is not followed' grep -q '^# csim.c was not handed in' "$out"
rm "$evil/csim.c"
mkfifo "$evil/csim.c"
"$QUERN" lab check --only=small 1 "$evil" >"$out" 2>&1
ok 'a pipe is not waited for' grep -q '^# csim.c was not handed in' "$out"

# ---- a machine that cannot do all of it, one that says that it can and then fails ----

# without CALL: the check is made while this system call fails.
without() {
    strace -f -qq -o /dev/null -e "trace=$1" -e "inject=$1:error=$2" \
        "$QUERN" lab check --only=small 1 "$top_srcdir/labs/01-cache/starter" >"$out" 2>&1
}
if command -v strace >/dev/null && strace -qq -o /dev/null true 2>/dev/null; then
    without landlock_create_ruleset ENOSYS
    is "$(grep -c '^# not enforced here: this kernel has no Landlock' "$out"):$(tail -n 1 "$out")" '1:# 0 of 5 points' 'no Landlock: said at the top'
    without seccomp ENOSYS
    is "$(grep -c '^# not enforced here: this kernel has no seccomp' "$out"):$(tail -n 1 "$out")" '1:# 0 of 5 points' 'no seccomp: said at the top'
    without landlock_restrict_self EPERM
    is "$(tail -n 1 "$out")" 'Bail out! cannot be started: Landlock: Operation not permitted' 'Landlock that fails: nothing is run'
else
    skip 'strace is not installed, or may not trace' 3
fi

is "$(ls -d "${TMPDIR:-/tmp}"/quern-lab.* 2>/dev/null)" '' 'no scratch directory is left'

done_testing
