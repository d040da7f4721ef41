#!/bin/sh
# quern run --cpu: does a program see the processor that was asked for, in all that tells of it, and does the C library choose by it?
. "${top_srcdir:-$(dirname "$0")/../../..}/tests/tap/scratch.sh"

[ -x "$QUERN" ] || bail "there is no $QUERN"
$CC -O1 -g -o cpu "$top_srcdir/tests/fidelity/cpu.c" || bail 'cpu.c cannot be compiled'
cat >copies.c <<'END'
#include <string.h>
#include <stdlib.h>
#include <stdio.h>
static char from[5000], to[5000];
int main(int argc, char **argv)
{
    for (size_t n = 0; n < 5000; n += (size_t)argc)
        memcpy(to, from, n);
    return to[(size_t)argc];
}
END
$CC -O1 -fno-builtin -static -o copies copies.c || bail 'copies.c cannot be compiled'
# small: the area of x87, SSE and AVX state ends where memory ends; as in the dynamic linker, edx:eax has AVX-512, too.  With an argument,
# xrstor has no memory.
cat >small.S <<'END'
        .globl _start
_start: mov     $9, %eax                /* mmap */
        mov     $0x2103ff0000, %rdi
        mov     $0x10000, %esi
        mov     $3, %edx
        mov     $0x32, %r10d
        mov     $-1, %r8
        xor     %r9d, %r9d
        syscall
        lea     0x10000-0x340(%rax), %rbx
        mov     $42, %eax
        vmovd   %eax, %xmm7
        vinsertf128 $1, %xmm7, %ymm7, %ymm7
        mov     $7, %eax
        xor     %edx, %edx
        xsave   (%rbx)
        vpxor   %ymm7, %ymm7, %ymm7
        mov     $0xee, %eax
        xor     %edx, %edx
        cmpq    $1, (%rsp)              /* argc */
        je      1f
        add     $0x10000, %rbx
1:      xrstor  (%rbx)
        vextractf128 $1, %ymm7, %xmm6
        vmovd   %xmm6, %edi
        mov     $231, %eax
        syscall
END
$CC -nostdlib -static -o small small.S || bail 'small.S cannot be compiled'

# shown CPU: what ./cpu finds
shown() { "$QUERN" run -q --instr-at-start=no --cpu="$1" --out-file=profile -- ./cpu 2>&1 | grep -v -- '-- nothing was counted: '; }

# has LEVEL: has this processor all of it?
has() { ! "$QUERN" run --cpu="$1" --out-file=profile -- true 2>&1 | grep -q 'this processor has no'; }

has x86-64-v2 || skip_all 'this processor has less than x86-64-v2' 25
is "$(shown x86-64-v2)" '0.0: 0000000d 68747541 444d4163 69746e65
1.0: 00060fb1 00010800 00982201 07888111
7.0: 00000001 00000000 00000000 00000000
80000000.0: 80000008 68747541 444d4163 69746e65
80000001.0: 00060fb1 00000000 00000001 20100800
80000002.0: 72657571 2d2d206e 00757063 00000000
80000005.0: 00000000 00000000 20080140 20080140
80000006.0: 00000000 00000000 02006140 00808140
80000008.0: 00003030 00000000 00000000 00000000' 'x86-64-v2 is this on every machine'
is "$(shown x86-64 | sed -n 's/^1\.0: //p')" '00060fb1 00010800 00000000 07888111' 'x86-64'
is "$(shown x86-64,+sse3 | sed -n 's/^1\.0: //p')" '00060fb1 00010800 00000001 07888111' 'x86-64,+sse3: one more'
is "$(shown x86-64-v2,-sse3 | sed -n 's/^1\.0: //p')" '00060fb1 00010800 00802000 07888111' '-sse3 takes what builds on it'
# Leaves 1 and b also say which processor of several it runs on.
anywhere() { sed 's/^\(1\.0: [0-9a-f]*\) ../\1 --/; s/^\(b\.[0-9]: .*\) [0-9a-f]*$/\1 --/'; }
# Leaf 7 has no HLE and no RTM under quern, which hides transactions (doc/limits.md).
native() {
    ./cpu | anywhere | while read -r leaf eax ebx rest; do
        [ "$leaf" != 7.0: ] || ebx=$(printf '%08x' $((0x$ebx & ~0x810)))
        echo "$leaf $eax $ebx $rest"
    done
}
is "$(shown native | anywhere)" "$(native)" 'native is what there is'

is "$(shown -popcnt | anywhere | grep -v '^1\.0')" "$(native | grep -v '^1\.0')" '-FEATURE alone: the rest is this processor'
if has x86-64-v3; then
    is "$(shown x86-64-v3 | grep -e '^1\.0' -e '^7\.0' -e '^80000001\.0' -e '^d\.0' -e agree)" '1.0: 00060fb1 00010800 3cd83201 07888111
7.0: 00000001 00000128 00000000 00000000
d.0: 00000007 00000340 00000340 00000000
80000001.0: 00060fb1 00000000 00000021 20100800' 'x86-64-v3, with what xsave stores'
    is "$("$QUERN" run -q --cpu=x86-64-v2 --out-file=profile -- ./cpu 3)" '1ffffff 0' 'what is hidden runs none the less'
    is "$("$QUERN" run -q --cpu=x86-64-v3 --out-file=profile -- ./small; echo $?)" 42 'xrstor reads no more than cpuid tells'
    is "$("$QUERN" run -q --cpu=x86-64-v3 --out-file=profile -- ./small beyond 2>err; echo $?)" 139 'xrstor of an area that is not there'
    is "$(shown -avx | grep agree)" '' 'without avx everything agrees'
    is "$("$QUERN" run -q --cpu=-avx2 --out-file=profile -- ./cpu 2>&1 | grep agree)" '' 'without avx2, counted'
else
    skip 'this processor has less than x86-64-v3'
fi
if has x86-64-v4; then
    is "$(shown x86-64-v4 | grep -e '^1\.0' -e '^7\.0' -e '^80000001\.0' -e agree)" '1.0: 00060fb1 00010800 3cd83201 07888111
7.0: 00000001 d0030128 00000000 00000000
80000001.0: 00060fb1 00000000 00000021 20100800' 'x86-64-v4'
    is "$("$QUERN" run -q --cpu=-avx512f --out-file=profile -- ./cpu 4; shown -avx512f | grep agree)" '7 7' 'AVX-512 hidden'
else
    skip 'this processor has less than x86-64-v4'
fi

# variant CPU: the C library's memcpy
variant() {
    "$QUERN" run -q --cache-sim=no --cpu="$1" --out-file=profile -- ./copies || echo failed
    sed -n 's/^fn=__memcpy_\([a-z0-9]*\).*/\1/p' profile | sort -u
}
is "$(variant x86-64)" 'sse2' 'memcpy of x86-64'
ok 'the profile says which processor' grep -q '^desc: Processor: *x86-64$' profile
is "$(variant x86-64-v2)" 'ssse3' 'memcpy of x86-64-v2'
has x86-64-v3 && is "$(variant x86-64-v3)" 'avx' 'memcpy of x86-64-v3'
has x86-64-v4 && is "$(variant x86-64-v4)" 'avx512' 'memcpy of x86-64-v4'

cat >runs.sh <<'END'
exec ./cpu
END
is "$("$QUERN" run -q --trace-children=yes --cpu=x86-64 --out-file=profile.%p -- /bin/sh runs.sh | sed -n 's/^1\.0: //p')" \
    '00060fb1 00010800 00000000 07888111' 'a program that it executes sees the same'

# refused CPU TEXT
refused() {
    "$QUERN" run --cpu="$1" --out-file=refused -- true 2>err
    is "$? $(cat err)" "2 quern: run: --cpu: $2" "refused: $1"
}
refused x86-64-v9 'x86-64-v9: no such processor; there are native, x86-64, x86-64-v2, x86-64-v3, x86-64-v4, +FEATURE and -FEATURE'
refused native,avx 'avx: wanted +FEATURE or -FEATURE behind the name of the processor'
refused +frobnicate '+frobnicate: no such feature; names are those of /proc/cpuinfo'
refused -sse2 '-sse2: every x86-64 processor has it'
grep -qw avx512er /proc/cpuinfo || refused +avx512er '+avx512er: this processor has no avx512er'

# What the processor takes for in use may change when the kernel runs something else: counts do not depend on it.
if grep -qw xsavec /proc/cpuinfo && has x86-64-v3; then
    cat >in_use.c <<'END'
static char area[8192] __attribute__((aligned(64))), initial[8192] __attribute__((aligned(64)));
#define SAVE_AND_RESTORE "xsavec64 %0\n\txrstor64 %0"
static __attribute__((noinline)) void in_use(void)
{
    __asm__ volatile("vpcmpeqd %%xmm15, %%xmm15, %%xmm15\n\tvinsertf128 $1, %%xmm15, %%ymm15, %%ymm15\n\t" SAVE_AND_RESTORE : "+m"(area) : "a"(7), "d"(0) : "xmm15", "memory");
}
static __attribute__((noinline)) void initially(void) { __asm__ volatile(SAVE_AND_RESTORE : "+m"(area) : "a"(7), "d"(0) : "memory"); }
int main(void)
{
    in_use();
    __asm__ volatile("xrstor64 %0" : : "m"(initial), "a"(7), "d"(0) : "memory");
    initially();
    return 0;
}
END
    $CC -O1 -g -o in_use in_use.c || bail 'cannot compile'
    for mode in exact cachegrind; do
        "$QUERN" run -q --counting=$mode --out-file=profile -- ./in_use
        is "$("$QUERN" csv --by=function --show=Dr,Dw profile | sed -n 's/.*,\(in_use\|initially\),\(.*\)/\2/p' | sort -u | wc -l)" 1 "xsavec and xrstor, $mode: as many references whatever is in use"
    done
fi
done_testing
