#!/bin/sh
# Does a profile say what the program wanted and did not get, and whether all of the run was counted?
. "${top_srcdir:-$(dirname "$0")/../../..}/tests/tap/tap.sh"

[ -x "$QUERN" ] || skip_all "there is no $QUERN"
cd "$SCRATCH" || bail "no $SCRATCH"
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

"$QUERN" run -q --instr-at-start=no --out-file=profile -- ./spawns
is "$(lines Instrumented)$(lines Unsupported)" 'desc: Instrumented: parts of the run' 'parts of a run'
done_testing
