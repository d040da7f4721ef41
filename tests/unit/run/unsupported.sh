#!/bin/sh
# Does a profile say what the program wanted and did not get, and whether all of the run was counted?
. "${top_srcdir:-$(dirname "$0")/../../..}/tests/tap/scratch.sh"

[ -x "$QUERN" ] || bail "there is no $QUERN"
ulimit -c 0

# lines PATTERN: what the profile has of it
lines() { grep "^desc: $1:" profile | tr -s ' '; }

cat >refused.S <<'END'
        .globl  _start
_start: mov     $20, %eax
        int     $0x80
        mov     $60, %eax
        xor     %edi, %edi
        syscall
END
$CC -nostdlib -static -Wl,-Ttext=0x401000 -o refused refused.S || bail 'refused.S cannot be assembled'
"$QUERN" run --out-file=profile -- ./refused 2>log
is $? 70 'an instruction that is refused: status 70'
is "$(lines Unsupported)" 'desc: Unsupported: instruction at 401005: cd 80 b8 3c 00 00 00 31 ff 0f 05 00 00 00 00' 'its address and bytes are in the profile'
ok 'the user is told' grep -q '401005' log

cat >spawns.c <<'END'
#include <spawn.h>
#include <sys/wait.h>
int main(int argc, char **argv)
{
    pid_t pid;
    int status;
    for (int i = 0; i < 2; i++)
        if (argc > 1 && (posix_spawn(&pid, argv[1], 0, 0, argv + 1, 0) || waitpid(pid, &status, 0) != pid || status))
            return 1;
    return 0;
}
END
$CC -o spawns spawns.c || bail 'spawns.c cannot be compiled'
cp /bin/true elevated && chmod u+s elevated || bail 'no set-uid program can be made'
"$QUERN" run --trace-children=yes --log-file=log --out-file=profile -- ./spawns ./elevated
is $? 0 'a set-uid program runs'
is "$(lines Unsupported)" 'desc: Unsupported: ./elevated is a set-uid program and runs untraced' 'the profile says so, once'
ok 'and so does a line' grep -q 'elevated is a set-uid program and runs untraced' log
is "$(lines Instrumented)" 'desc: Instrumented: all of the run' 'all of this process was counted'

rm -f profile
"$QUERN" run -q --out-file=profile -- sh -c 'exec true' 2>log
is "$?$(ls profile 2>/dev/null)" 0 'a program that becomes another one, which is not followed: no profile'
ok 'which is told even with -q' grep -q 'became another one, which is not followed .*no profile' log

"$QUERN" run --instr-at-start=no --out-file=profile -- ./spawns 2>log
is "$(lines Instrumented)$(lines Unsupported)" 'desc: Instrumented: nothing of the run' 'nothing of a run'
ok 'which is no processor time' grep -q 'Instrumented: 0.0% of the processor time$' log

cat >sequence.c <<'END'
#define _GNU_SOURCE
#include <elf.h>
#include <errno.h>
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/auxv.h>
#include <sys/syscall.h>
#include <unistd.h>
static _Alignas(32) uint32_t area[8];
int main(void)
{
    long r = syscall(334 /* rseq */, area, sizeof area, 0, 0x53053053);
    int missing = r == -1 && errno == ENOSYS;
    printf("%ld %d %lu %d\n", r, missing, getauxval(27 /* AT_RSEQ_FEATURE_SIZE */), sched_getcpu() >= 0);
    return 0;
}
END
$CC -o sequence sequence.c || bail 'sequence.c cannot be compiled'
is "$("$QUERN" run -q --out-file=profile -- ./sequence)$(lines Unsupported)" '-1 1 0 1' 'rseq: not there, as on kernels without it'

cat >halves.c <<'END'
static volatile long x;
__attribute__((noinline)) void work(void) { for (long i = 0; i < 3000000; i++) x += i; }
__attribute__((noinline)) void rest(void) { for (long i = 0; i < 3000000; i++) x += i; }
int main(int argc, char **argv)
{
    work();
    rest();
    if (argc > 1)
        __builtin_trap();
    return argv[0] == 0;
}
END
$CC -O1 -o halves halves.c || bail 'halves.c cannot be compiled'
"$QUERN" run --toggle=work --out-file=profile -- ./halves 2>log
is "$(lines Instrumented)" 'desc: Instrumented: parts of the run' 'parts of a run'
share=$(sed -n 's/.*Instrumented: \([0-9]*\)\.[0-9]% of the processor time$/\1/p' log)
ok "its share of the processor time is told (${share:-nothing}%)" test "${share:-0}" -ge 5 -a "${share:-0}" -le 99
"$QUERN" run --toggle=work --out-file=profile -- ./halves die 2>log
is "$(lines Instrumented) $(grep -c 'Instrumented' log)" 'desc: Instrumented: parts of the run 0' 'not of one that is killed'

# A listener that is to decide about a call that the engine makes itself.
cat >listened.c <<'END'
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>
static void wants(void) { syscall(SYS_mprotect, 0, 0, 0); }
int main(void)
{
    struct sock_filter code[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_mprotect, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_USER_NOTIF), BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    struct sock_fprog program = {4, code};
    prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
    if (syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_NEW_LISTENER, &program) < 0)
        return 1;
    wants();
    return 0;
}
END
$CC -g -o listened listened.c || bail 'listened.c cannot be compiled'
"$QUERN" run --out-file=profile -- ./listened 2>log
is $? 70 'a listener is to decide about mprotect: status 70'
ok 'the call, its place and the function are named' grep -q 'not supported: system call 10 that a listener .* at 0x[0-9a-f]*, .*syscall' log
ok 'and what was counted is there' grep -q '^fn=wants' profile

# ---- files that change while they run ----

cat >changes.c <<'END'
#include <fcntl.h>
#include <unistd.h>
int main(int argc, char **argv)
{
    int fd = argc > 1 ? open(argv[1], O_WRONLY | O_APPEND) : -1;
    return argc > 1 && write(fd, "", 1) != 1;
}
END
$CC -o changes changes.c || bail 'changes.c cannot be compiled'
cp changes other
"$QUERN" run -q --out-file=profile -- ./changes other 2>log
is $? 0 'a program that writes to another file'
is "$(cat log)" '' '... of which nothing is told'
"$QUERN" run -q --out-file=profile -- ./changes changes 2>log
is $? 0 'one that writes to its own'
ok '... which is told' grep -q '/changes was written to while it ran' log
done_testing
