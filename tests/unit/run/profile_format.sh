#!/bin/sh
# `quern run --profile-format=callgrind`: the file that `quern convert --to=callgrind` makes of the same run's profile, under Callgrind's name.
. "${top_srcdir:-$(dirname "$0")/../../..}/tests/tap/scratch.sh"

[ -x "$top_builddir/quern-engine" ] || bail 'there is no engine in this build'

cat >prog.c <<'END'
#include <unistd.h>
#include <sys/wait.h>
static volatile int cells[4096];
static __attribute__((noinline)) int sum(int from)
{
    int s = 0;
    for (int i = from; i < 4096; i += 16)
        s += cells[i];
    return s;
}
static __attribute__((noinline)) int deep(int n) { return n ? deep(n - 1) + sum(n) : 0; }
int main(int argc, char **argv)
{
    (void)argv;
    if (argc > 1 && fork() == 0)
        _exit(deep(3) != 0);
    if (argc > 1)
        wait(NULL);
    return deep(10) + sum(0) != 0;
}
END
"$CC" -g -O1 -fno-inline -fno-optimize-sibling-calls -static -o prog prog.c 2>log || bail "cc: $(cat log)"
caches='--D1=4096,2,64 --I1=4096,2,64 --LL=65536,4,64'

# run WORDS...: quietly, with the same environment.
run() { env -i TMPDIR="$SCRATCH" PATH="$PATH" "$QUERN" run -q $caches "$@"; }
run --calls=yes --dump-objects=yes --out-file=p ./prog 2>err
is "$? $(cat err)" '0 ' 'a profile with calls'
run --profile-format=callgrind ./prog 2>err
is "$? $(cat err) $(ls callgrind.out.* | sed 's/[0-9]*$/PID/')" '0  callgrind.out.PID' 'the usual name'
"$QUERN" convert --to=callgrind -o wanted p
mv callgrind.out.* got
same_file got wanted 'what convert makes of the profile'
is "$(sed -n 's/^totals: //p' got)" "$(sed -n 's/^summary: //p' p)" 'all that was counted'
is "$(ls -d quern-profile.* 2>/dev/null)" '' 'nothing else is left'
run --profile-format=callgrind --calls=no --out-file=plain ./prog
is "$(grep -c '^calls=' plain) $(sed -n 's/^totals: //p' plain)" "0 $(sed -n 's/^totals: //p' got)" 'without calls, if that is said'
run --profile-format=callgrind --calls=paths --out-file=paths ./prog
is "$(sed -n '/^fn/p; /^calls/p' paths | sort)" "$(sed -n '/^fn/p; /^calls/p' got | sort)" 'with paths, which the format has not'
run --profile-format=callgrind ./prog fork
is "$(ls callgrind.out.* | wc -l) $(grep -l '^totals' callgrind.out.* | wc -l)" '2 2' 'a file of each process'
run --profile-format=callgrind --out-file=no/such/folder ./prog >out 2>err
is "$(grep -c 'no/such/folder' err)" 1 'a name that cannot be written is said'
run --profile-format=dot ./prog >out 2>err
is "$? $(cat err)" "2 quern: run: --profile-format: got 'dot', wanted cachegrind, callgrind or callgrind-threads" 'another format'
# Code that no object file has, called often enough that its name is written by number.
cat >made.c <<'END'
#include <string.h>
#include <sys/mman.h>
int main(void)
{
    static const unsigned char code[] = {0x89, 0xf8, 0xc3};
    char *p = mmap(NULL, 4096, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    int s = 0;
    memcpy(p, code, sizeof code);
    for (int i = 0; i < 5; i++)
        s += ((int (*)(int))p)(i);
    s += ((int (*)(int))p)(0);
    return s != 10;
}
END
"$CC" -g -O1 -static -o made made.c || bail 'cannot compile'
run --profile-format=callgrind --out-file=made.out ./made
is "$("$QUERN" csv --by=inclusive --metadata=no --crlf=no --show=Ir made.out 2>&1 | grep -c 'made\.c,main,1,')" 1 'code that was made at run time is called: quern reads what it wrote'
is "$(sed -n 's/^c*ob=([0-9]*) *//p' made.out | grep -c -x -F '???') $(grep -c 'ob=([0-9]*) $' made.out)" '1 0' '... its object is that of Callgrind'
if command -v callgrind_annotate >where; then
    callgrind_annotate --inclusive=yes --tree=both --threshold=100 --show-percs=no --show=Ir got 2>complaints >tree
    is "$(cat complaints)" '' 'callgrind_annotate has no complaint'
    is "$(sed -n 's/^ *\([0-9,]*\)  \* .*prog\.c:main .*/\1/p' tree | tr -d ,)" \
        "$("$QUERN" annotate --by=calls --threshold=0 --show=Ir --no-show-percs p | sed -n 's/^\* *\([0-9,]*\) .*prog\.c:main$/\1/p' | tr -d ,)" 'and the same inclusive cost of main'
else
    absent 'valgrind is not installed' 2
fi
# A function of two names, of which the shown one is not among those below main, and one below main that it calls: calls and own costs name
# functions alike.
cat >start.s <<'END_OF_S'
.globl _start, __libc_start_main, versioned
.type _start, @function
_start: call __libc_start_main
mov $231, %eax
xor %edi, %edi
syscall
.size _start, . - _start
.type __libc_start_main, @function
.type versioned, @function
versioned:
__libc_start_main: call __libc_start_call_main
ret
.size __libc_start_main, . - __libc_start_main
.size versioned, . - versioned
.type __libc_start_call_main, @function
__libc_start_call_main: mov $1000, %ecx
1: dec %ecx
jnz 1b
ret
.size __libc_start_call_main, . - __libc_start_call_main
END_OF_S
if command -v objcopy >/dev/null; then
    "$CC" -nostdlib -static -no-pie -o start start.s && objcopy --redefine-sym versioned=__libc_start_main@@GLIBC_2.34 start || bail 'start.s'
    "$QUERN" run -q --calls=yes --profile-format=callgrind --out-file=start.out ./start || bail 'start fails'
    is "$(sed -n 's/^c*fn=//p; s/^calls=//p' start.out | tr '\n' ' ')" \
        '(1) (below main) (2) __libc_start_main@@GLIBC_2.34 1 0 (2) (1) 1 0 ' 'each call is of the function that the own costs are of'
else
    absent 'objcopy is not installed' 1
fi

"$QUERN" run --profile-format=callgrind --dump-instr=yes --out-file=instr.out true 2>err
is "$(sed -n 's/^--[0-9]*-- \(--dump-instr: left out\).*/\1/p' err)" '--dump-instr: left out' 'instructions that the format does not get are not left out without a word'

done_testing
