/* sse.S - copies and arithmetic with 16-byte vectors and their parts: aligned, unaligned, non-temporal, halves, scalar
 * memory operands, shuffles with memory, conversions, and masked stores of bytes. */
#include "guest.h"

        .data
        .balign 64
pattern:
        .set    n, 0
        .rept   256
        .byte   n
        .set    n, n + 1
        .endr
        .bss
        .balign 64
target: .skip   320

        .text
GUEST_START
        mov     $100, %ebx
round:
/* Aligned copy. */
        xor     %eax, %eax
1:      movaps  pattern(%rax), %xmm0
        movdqa  pattern+16(%rax), %xmm1
        movaps  %xmm0, target(%rax)
        movdqa  %xmm1, target+16(%rax)
        add     $32, %eax
        cmp     $256, %eax
        jne     1b
/* Unaligned copy, shifted by 5. */
        xor     %eax, %eax
2:      movups  pattern+3(%rax), %xmm2
        movdqu  %xmm2, target+5(%rax)
        lddqu   pattern+1(%rax), %xmm3
        movupd  %xmm3, target+21(%rax)
        add     $16, %eax
        cmp     $224, %eax
        jne     2b
/* Non-temporal. */
        movntdq %xmm0, target(%rip)
        movntps %xmm1, target+64(%rip)
        movntpd %xmm2, target+128(%rip)
        mov     %ebx, %eax
        movnti  %rax, target+200(%rip)
/* Halves and scalars. */
        movlps  pattern+8(%rip), %xmm4
        movhps  pattern+62(%rip), %xmm4
        movlpd  %xmm4, target+30(%rip)
        movhpd  %xmm4, target+60(%rip)
        movq    pattern+1(%rip), %xmm5
        movd    pattern+63(%rip), %xmm6
        movd    %xmm6, target+99(%rip)
        movss   pattern+126(%rip), %xmm7
        movss   %xmm7, target+14(%rip)
        movsd   pattern+59(%rip), %xmm8
        movsd   %xmm8, target+124(%rip)
/* Arithmetic with a memory operand. */
        paddb   pattern+16(%rip), %xmm0
        pxor    pattern+32(%rip), %xmm0
        pcmpeqb pattern+48(%rip), %xmm1
        pshufd  $0x1b, pattern+64(%rip), %xmm2
        punpckhbw pattern+80(%rip), %xmm3
        addps   pattern+96(%rip), %xmm9
        cvtsi2sdq pattern+7(%rip), %xmm10
        cvtsi2ssl target+61(%rip), %xmm11
        cvttsd2si target+120(%rip), %rax
        cvtdq2pd pattern+8(%rip), %xmm12
        ucomisd pattern+56(%rip), %xmm12
        comiss  pattern+60(%rip), %xmm12
        pinsrw  $3, pattern+63(%rip), %xmm12
        pextrw  $2, %xmm12, %edx
        stmxcsr target+310(%rip)
        ldmxcsr target+310(%rip)
        dec     %ebx
        jnz     round

        mov     pattern+3(%rip), %rax
        mov     target+5(%rip), %rdx
        movdqu  pattern+3(%rip), %xmm0
        movdqu  %xmm0, target+5(%rip)
        mov     target+5(%rip), %rdx
        EXPECT(%rax, %rdx)
        GUEST_PASS
