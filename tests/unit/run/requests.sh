#!/bin/sh
# quern.h, and the macros of Valgrind's headers: what a program may ask, in C and C++; harmless without quern.
. "${top_srcdir:-$(dirname "$0")/../../..}/tests/tap/scratch.sh"

cp "$top_builddir/quern-engine" engine || bail 'there is no quern-engine'
include=-I$top_srcdir/include

# run OPTIONS...: ./profile of ./guest; messages in ./log, standard output in ./out
run() { "$QUERN" run --sim=./engine --out-file=profile "$@" -- ./guest >out 2>log; }

# rounds [REGION]: executions of the loop in `work`, each of which writes once
rounds() {
    if [ -n "${1-}" ]; then "$QUERN" merge --region="$1" profile; else sed '/^#/d' profile; fi |
        awk '/^events:/ { for (i = 2; i <= NF; i++) if ($i == "Dw") at = i } /^fn=/ { mine = $0 == "fn=work" }
            /^[0-9]/ && mine { n += $at } END { print n + 0 }'
}

cat >work.S <<'END'
        .globl  work
        .type   work, @function
work:   mov     %rdi, -8(%rsp)
        dec     %rdi
        jnz     work
        ret
        .size   work, . - work
        .section .note.GNU-stack, "", @progbits
END
$CC -g -c -o work.o work.S || bail 'cannot assemble'

# ---- the header, in every dialect ----

cat >guest.c <<'END'
#include <quern.h>
#include <quern.h>
#ifdef __cplusplus
extern "C"
#endif
void work(long n);
int main(int argc, char **argv)
{
    (void)argv;
    work(1);
    QUERN_STOP();
    work(10);
    QUERN_START();
    if (argc)
        QUERN_REGION_BEGIN("a");
    else
        QUERN_REGION_BEGIN("never");
    work(100);
    quern_region_begin(argc ? "b" : "c");
    work(1000);
    quern_region_end("b");
    QUERN_REGION_END("a");
    return 0;
}
END
cp guest.c guest.cc
for standard in gnu89 c99 c11 gnu17 c++98 c++11 c++17 gnu++20; do
    case $standard in *++*) source=guest.cc ;; *) source=guest.c ;; esac
    for compiler in "$CC" clang; do
        command -v "${compiler%% *}" >/dev/null 2>&1 || { skip "no $compiler" 4; continue; }
        if ! $compiler -std="$standard" -E -o empty "$include" $source 2>/dev/null; then
            skip "$compiler has no $standard" 4
            continue
        fi
        for level in -O0 -O2; do
            ok "$compiler $standard $level: no warnings" \
                $compiler -std="$standard" -pedantic -Wall -Wextra -Wshadow -Werror $level -g "$include" -o guest $source work.o
            run
            is "$(rounds) $(rounds a) $(rounds b)" '1101 1100 1000' 'counts'
        done
    done
done
ok 'natively it does nothing' ./guest
$CC -O2 -g0 "$include" -DQUERN_DISABLE -c -o disabled.o guest.c || bail 'cannot compile'
sed '/QUERN_/d; /quern/d; s/if (argc)//; s/^ *else//' guest.c >without.c
$CC -O2 -g0 -c -o without.o without.c || bail 'cannot compile'
is "$(objdump -d disabled.o | sed 1,3d)" "$(objdump -d without.o | sed 1,3d)" 'with -DQUERN_DISABLE nothing is left of it'

# registers: only what the compiler was told
cat >guest.S <<'END'
#include "ask.h"
        .globl  _start
_start: mov     $0x1122334455667788, %rdi
        mov     $0x99aabbccddeeff00, %rbx
        mov     $7, %rcx
        mov     $8, %rsi
        mov     $9, %r8
        mov     $10, %r11
        stc
        ask     BEGIN, "a"
        ask     STOP
        ask     START
        ask     END, "a"
        mov     $0x1122334455667788, %rax
        cmp     %rax, %rdi
        jne     1f
        mov     $0x99aabbccddeeff00, %rax
        cmp     %rax, %rbx
        jne     1f
        add     %rsi, %rcx
        add     %r8, %rcx
        add     %r11, %rcx
        cmp     $34, %rcx
        jne     1f
        quit
1:      mov     $60, %eax
        mov     $1, %edi
        syscall
END
$CC -nostdlib -static -I"$top_srcdir/tests/unit/run" -o guest guest.S || bail 'cannot assemble'
ok 'natively the registers are as they were' ./guest
for options in '' --instr-at-start=no --no-cache-sim; do
    # shellcheck disable=SC2086
    run $options
    is $? 0 "so they are in quern ${options:+($options)}"
done

# ---- what looks like the marker, but is not ----

cat >guest.S <<'END'
#include "ask.h"
        .globl  _start
_start: mov     $request, %eax
        rol     $3, %rdi                        # 5 and nop: not it
        rol     $13, %rdi
        rol     $61, %rdi
        rol     $51, %rdi
        nop
        lea     1f + 4, %ebx                    # into the middle of one
        jmp     *%rbx
1:      marker
        mov     $3, %ecx
2:      rol     $3, %rdi                        # over the end of a block
        rol     $13, %rdi
        rol     $61, %rdi
        rol     $51, %rdi
        xchg    %rcx, %rcx
        dec     %ecx
        jnz     2b
        quit
        .data
request: .quad  STOP, 0, 0, 0, 0, 0
END
$CC -nostdlib -static -I"$top_srcdir/tests/unit/run" -o guest guest.S || bail 'cannot assemble'
for max in 1 2 3 64; do
    run --block-max=$max
    is "$(sed -n 's/^summary: \([0-9]*\) .*/\1/p' profile)" $((1 + 5 + 2 + 4 + 1 + 3 * 7 + 3)) "parts of the marker are instructions (--block-max=$max)"
done
cat >guest.S <<'END'
#include "ask.h"
        .globl  _start
_start: mov     $request, %eax
        jmp     1f
        .balign 4096
        .skip   4096 - 19, 0x90
1:      marker                                  # the last of a page
        nop
        nop
        jmp     2f
        .skip   4096 - 12, 0x90
2:      marker                                  # over two pages
        quit
        .data
request: .quad  START, 0, 0, 0, 0, 0
END
$CC -nostdlib -static -I"$top_srcdir/tests/unit/run" -o guest guest.S || bail 'cannot assemble'
run
is "$(sed -n 's/^summary: \([0-9]*\) .*/\1/p' profile)" $((2 + 2 + 1 + 3)) 'at the end of a page, and over it'

# ---- code that is written at run time ----

cat >guest.c <<'END'
#include <quern.h>
#include <string.h>
#include <sys/mman.h>
int main(void)
{
    static const unsigned char marker[] = { 0x48, 0xc1, 0xc7, 3, 0x48, 0xc1, 0xc7, 13, 0x48, 0xc1, 0xc7, 61, 0x48, 0xc1, 0xc7, 51, 0x48, 0x87, 0xdb, 0xc3 };
    static const struct quern_request request = { QUERN_REQUEST_BEGIN, "written", { 0 } };
    unsigned char *code = mmap(NULL, 4096, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    for (int i = 0; i < 100; i++) {
        memset(code, 0x90, sizeof marker);
        code[sizeof marker - 1] = 0xc3;
        ((void (*)(void))code)();
        memcpy(code, marker, sizeof marker);
        __asm__ volatile("call *%1" : : "a"(&request), "r"(code), "d"(0) : "cc", "memory");
        QUERN_REGION_END("written");
    }
    return 0;
}
END
$CC -O1 -g "$include" -o guest guest.c || bail 'cannot compile'
ok 'natively' ./guest
run --dump-instr=yes
is "$(awk '/^#region: / { mine = $2 == "written" } mine && /^##0x[0-9a-f]*13 - / { print $3 }' profile)" 100 'a marker that is written over other code'

# ---- Valgrind's headers ----

if echo '#include <valgrind/callgrind.h>' | $CC -E -x c - >/dev/null 2>&1; then
    cat >guest.c <<'END'
#include <stdio.h>
#include <valgrind/callgrind.h>
#include <valgrind/memcheck.h>
#include <valgrind/valgrind.h>
/* of cachegrind.h, which 3.19 has not */
#define CACHEGRIND_START VALGRIND_DO_CLIENT_REQUEST_STMT(0x43470000, 0, 0, 0, 0, 0)
#define CACHEGRIND_STOP VALGRIND_DO_CLIENT_REQUEST_STMT(0x43470001, 0, 0, 0, 0, 0)
void work(long n);
int main(void)
{
    char room[8] = "abcdefg";
    work(1);
    CALLGRIND_START_INSTRUMENTATION;
    work(10);
    CALLGRIND_STOP_INSTRUMENTATION;
    work(100);
    CACHEGRIND_START;
    work(1000);
    CACHEGRIND_STOP;
    work(10000);
    CACHEGRIND_START;
    printf("%u ", (unsigned)RUNNING_ON_VALGRIND);
    printf("%u ", (unsigned)VALGRIND_COUNT_ERRORS);
    printf("%d ", (int)VALGRIND_MAKE_MEM_NOACCESS(room, sizeof room));
    VALGRIND_CREATE_MEMPOOL(room, 8, 0);
    VALGRIND_DISCARD_TRANSLATIONS(room, sizeof room);
    CALLGRIND_DUMP_STATS;
    CALLGRIND_ZERO_STATS;
    CALLGRIND_TOGGLE_COLLECT;
    work(100000);
    puts(room);
    return 0;
}
END
    $CC -O1 -g -o guest guest.c work.o || bail 'cannot compile'
    ./guest >native
    run
    same_file out native 'requests that are not known answer as without any tool; RUNNING_ON_VALGRIND is 0'
    is "$(cat native)" '0 0 0 abcdefg' 'which is this'
    mv profile.1 profile
    is "$(rounds)" 1011 'start, stop and toggle of cachegrind.h and callgrind.h'
    run --instr-at-start=no
    mv profile.1 profile
    is "$(rounds)" 1010 'with counting off at the start'

    cat >print.h <<'END'
SAY("plain\n");
SAY("two\nlines\n");
SAY("%d %i %u %x %X %o %c%%\n", -5, 17, 4000000000u, 0xbeefu, 0xbeefu, 8u, 'z');
SAY("[%5d] [%-5d] [%05d] [%+d] [% d] [%5s] [%-5s] [%.2s]\n", 42, 42, 42, 42, 42, "ab", "ab", "abc");
SAY("[%*d] [%-*d] [%.*s] [%.3d] [%8.3d] [%08.3d]\n", 6, 7, 6, 7, 2, "xyz", 7, 7, 7);
SAY("%ld %lu %lx %lld %zu %hhd %hd %hu\n", -1234567890123l, 18446744073709551615ul, 0xfedcba9876543210ul, -9ll, sizeof sum, 300, 70000, 70000);
SAY("[%#x] [%#X] [%#o] [%#x] [%p]\n", 255u, 255u, 8u, 0u, (void *)0x1234);
SAY("[%s] [%.0s] [%s]\n", "", "abc", "\tx");
SAY("%f %.2f %.0f %10.3f [%-10.1f] %+f %f\n", 1.5, 2.0 / 3, 7.0, -3.14159265, 2.25, 1e6, 0.0);
SAY("%f %f %.10f %.3f %f\n", 1e15, 123456789.125, 0.1, -0.0004, 1.0 / 0.0);
SAY("%d %d %d %d %d %d %d %d %s %.1f\n", 1, 2, 3, 4, 5, 6, 7, 8, "many", 0.5);
SAY("%.1f %.1f %.1f %.1f %.1f %.1f %.1f %.1f %.1f %d\n", 1., 2., 3., 4., 5., 6., 7., 8., 9., 10);
SAY("%-20s|%20s|\n", "left", "right");
END
    cat >guest.c <<'END'
#include <stdio.h>
#include <valgrind/valgrind.h>
static long sum;
int main(void)
{
#define SAY(...) VALGRIND_PRINTF(__VA_ARGS__)
#include "print.h"
#undef SAY
#define SAY(...) printf(__VA_ARGS__)
#include "print.h"
    VALGRIND_PRINTF("no newline");
    VALGRIND_PRINTF("%s and %d\n", (char *)8, 3);
    VALGRIND_PRINTF_BACKTRACE("%s\n", "where");
    return (int)sum;
}
END
    $CC -w -O1 -g -o guest guest.c || bail 'cannot compile'
    run -q
    sed -n 's/^\*\*[0-9]*\*\* //p' log | sed '$d' | sed '$d' | sed '$d' >printed
    tr '\t' '?' <out >wanted
    same_file printed wanted 'VALGRIND_PRINTF prints what printf prints, even with -q'
    is "$(sed -n 's/^\*\*[0-9]*\*\* //p' log | tail -n 3)" 'no newline
(?) and 3
where' 'without a newline; with a pointer that is wrong; and where a backtrace is wanted'
else
    absent 'no headers of Valgrind (Debian: valgrind)' 6
fi
done_testing
