/* mmx.S - 8-byte vectors in the MMX registers: copies, arithmetic with memory, non-temporal stores. */
#include "guest.h"

        .data
        .balign 64
pattern:
        .set    n, 0
        .rept   128
        .byte   n
        .set    n, n + 1
        .endr
        .bss
        .balign 64
target: .skip   128

        .text
GUEST_START
        mov     $200, %ebx
1:      xor     %eax, %eax
2:      movq    pattern(%rax), %mm0
        paddb   pattern+5(%rax), %mm0
        pxor    pattern+5(%rax), %mm0
        movq    %mm0, target+3(%rax)
        add     $8, %eax
        cmp     $96, %eax
        jne     2b
        movd    pattern+62(%rip), %mm1
        punpcklbw pattern+61(%rip), %mm1
        movd    %mm1, target+127-4(%rip)
        pmullw  pattern+59(%rip), %mm1
        pinsrw  $1, pattern+63(%rip), %mm2
        pshufw  $0x1b, pattern+8(%rip), %mm3
        movntq  %mm3, target+64(%rip)
        cvtpi2ps pattern+60(%rip), %xmm0
        movq2dq %mm3, %xmm1
        dec     %ebx
        jnz     1b
        emms
        mov     pattern+8(%rip), %ax
        mov     target+64+6(%rip), %dx
        EXPECT(%ax, %dx)
        GUEST_PASS
