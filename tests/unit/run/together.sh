#!/bin/sh
# The references of a string instruction or of masked elements to one cache line are looked up in the hit filter together.  Has every
# line of source the counts that it has when each reference is simulated by itself?
. "${top_srcdir:-$(dirname "$0")/../../..}/tests/tap/scratch.sh"

guests=$top_builddir/tests/guest
[ -x "$guests/rep" ] || bail 'no guest programs: make guests'

# Masks of many shapes, laid over a buffer at each offset of two lines.
cat >evex.S <<'END_OF_EVEX'
        .bss
        .balign 64
buffer: .skip   512
        .text
        .globl  _start
_start: mov     $0x9e3779b97f4a7c15, %rax
        lea     buffer(%rip), %rsi
        xor     %ebx, %ebx
1:      rol     $7, %rax                /* gaps and runs ... */
        mov     %rax, %rdx
        or      %rbx, %rdx
        kmovq   %rdx, %k1
        kmovq   %rax, %k2
        kxnorq  %k3, %k3, %k3           /* ... and all */
        vpcmpub $0, (%rsi,%rbx), %ymm0, %k4{%k1}
        vpcmpub $0, (%rsi,%rbx), %zmm0, %k4{%k2}
        vpcmpub $0, 64(%rsi,%rbx), %zmm0, %k4{%k3}
        vpcmpuw $0, 64(%rsi,%rbx), %zmm0, %k4{%k1}
        vmovdqu8 %zmm0, 32(%rsi,%rbx){%k2}
        vmovdqu32 %zmm0, 128(%rsi,%rbx){%k1}
        vmovdqu64 (%rsi,%rbx), %zmm1{%k2}{z}
        vmovdqu64 %ymm1, 96(%rsi,%rbx){%k3}
        inc     %ebx
        cmp     $128, %ebx
        jne     1b
        mov     $60, %eax
        xor     %edi, %edi
        syscall
END_OF_EVEX

programs="$guests/rep $guests/strings $guests/masked"
if ! grep -q avx512bw /proc/cpuinfo; then
    skip 'masked elements at every offset: this processor has no AVX-512BW'
elif $CC -g -nostdlib -static -o evex evex.S 2>/dev/null; then
    programs="$programs ./evex"
else
    skip 'masked elements at every offset: the assembler does not know AVX-512'
fi
for module in fifo lfu; do
    "$QUERN" sim build --D1=$module -o $module || bail "cannot build $module"
done
"$QUERN" sim build --D1=writeback -o writeback || bail 'cannot build writeback'

# counts OUT OPTIONS...: the profile without what differs between runs anyway
counts() {
    out=$1 && shift
    "$QUERN" run -q --out-file=profile "$@" || return
    grep -v '^desc:\|^cmd:' profile >"$out"
}

for program in $programs; do
    for options in '' --D1=512,2,64 --D1=256,1,32 --D1=96,3,16 '--counting=cachegrind --D1=512,2,32' --sim=./fifo \
        --sim=./lfu '--sim=./writeback --D1=1024,4,64'; do
        # shellcheck disable=SC2086
        ok "$(basename "$program") $options" eval 'counts together $options -- $program && counts singly --no-filter $options -- $program &&
            cmp together singly && grep -q "^summary: [1-9]" together'
    done
done
done_testing
