/* masked.S - loads, stores and gathers under a mask (AVX, AVX2, SSE2 maskmovdqu): one reference per active element. */
#include "guest.h"

#define CPUID_1_ECX_AVX 0x18000000 /* AVX, OSXSAVE */
#define CPUID_7_EBX_AVX2 0x20

        .data
        .balign 64
pattern:
        .set    n, 0
        .rept   64
        .long   n
        .set    n, n + 1
        .endr
        .balign 32
mask:   .long   -1, 0, -1, 0, 0, 0, -1, -1
none:   .long   0, 0, 0, 0, 0, 0, 0, 0
index:  .long   3, 50, 17, 33, 0, 16, 40, 60
        .bss
        .balign 64
target: .skip   256

        .text
GUEST_START
        NEED_CPUID(1, ecx, CPUID_1_ECX_AVX)
        NEED_CPUID(7, ebx, CPUID_7_EBX_AVX2)
        mov     $100, %ebx
1:      vmovdqa mask(%rip), %ymm1
        vmovdqa none(%rip), %ymm2
        vmaskmovps pattern+56(%rip), %ymm1, %ymm3
        vmaskmovps %ymm3, %ymm1, target+50(%rip)
        vmaskmovps pattern+56(%rip), %ymm2, %ymm4
        vmaskmovps %ymm4, %ymm2, target+50(%rip)
        vpmaskmovq pattern+120(%rip), %xmm1, %xmm5
        vpmaskmovq %xmm5, %xmm1, target+120(%rip)
        vpmaskmovd %ymm3, %ymm1, target+32(%rip)
        vmovdqa index(%rip), %ymm6
        lea     pattern(%rip), %rsi
        vmovdqa %ymm1, %ymm7
        vpgatherdd %ymm7, (%rsi,%ymm6,4), %ymm8
        vmovdqa %ymm1, %ymm7
        vgatherdpd %ymm7, 8(%rsi,%xmm6,2), %ymm9
        vpcmpeqd %ymm7, %ymm7, %ymm7
        vpgatherdq %ymm7, 4(%rsi,%xmm6,4), %ymm10
        lea     target+130(%rip), %rdi
        vmovdqa mask(%rip), %xmm11
        movdqa  pattern(%rip), %xmm12
        maskmovdqu %xmm11, %xmm12
        dec     %ebx
        jnz     1b
        mov     target+50(%rip), %eax
        vmovd   %xmm8, %edx
        vzeroupper
        EXPECT($14, %eax)
        EXPECT($3, %edx)
        GUEST_PASS
