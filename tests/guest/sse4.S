/* sse4.S - memory operands of SSSE3, SSE4.1 and SSE4.2: extracts and inserts, widening loads of 2, 4 and 8 bytes, string
 * comparison, crc32, popcnt, blends. */
#include "guest.h"

#define CPUID_1_ECX_SSE4_2 0x980200 /* SSSE3, SSE4.1, SSE4.2, POPCNT */

        .data
        .balign 64
pattern:
        .set    n, 1
        .rept   192
        .byte   n
        .set    n, n + 1
        .endr
        .bss
        .balign 64
target: .skip   256

        .text
GUEST_START
        NEED_CPUID(1, ecx, CPUID_1_ECX_SSE4_2)
        mov     $150, %ebx
1:      movdqa  pattern(%rip), %xmm0
        pshufb  pattern+16(%rip), %xmm0
        palignr $5, pattern+32(%rip), %xmm0
        pmovzxbq pattern+63(%rip), %xmm1
        pmovzxbd pattern+61(%rip), %xmm2
        pmovsxbw pattern+60(%rip), %xmm3
        pmovsxwq pattern+62(%rip), %xmm4
        pextrb  $3, %xmm0, target+15(%rip)
        pextrw  $3, %xmm0, target+31(%rip)
        pextrd  $1, %xmm0, target+62(%rip)
        pextrq  $1, %xmm0, target+60(%rip)
        extractps $2, %xmm0, target+126(%rip)
        pinsrb  $2, pattern+64(%rip), %xmm5
        pinsrd  $2, pattern+62(%rip), %xmm5
        pinsrq  $1, pattern+57(%rip), %xmm5
        insertps $0x10, pattern+126(%rip), %xmm5
        pblendw $0x5a, pattern+48(%rip), %xmm5
        ptest   pattern+64(%rip), %xmm5
        movntdqa pattern+128(%rip), %xmm6
        pcmpistri $0x18, pattern+80(%rip), %xmm6
        pmulld  pattern+96(%rip), %xmm6
        roundsd $1, pattern+113(%rip), %xmm7
        xor     %eax, %eax
        crc32b  pattern(%rip), %eax
        crc32w  pattern+63(%rip), %eax
        crc32l  pattern+61(%rip), %eax
        crc32q  pattern+57(%rip), %rax
        popcnt  pattern+59(%rip), %rdx
        popcntw pattern+63(%rip), %dx
        dec     %ebx
        jnz     1b
        mov     $3, %edx                /* the bits of word 0x4140, pattern bytes 64 and 65 */
        popcntw pattern+63(%rip), %ax
        movzwl  %ax, %eax
        EXPECT(%edx, %eax)
        GUEST_PASS
