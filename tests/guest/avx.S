/* avx.S - copies and arithmetic with 32-byte vectors (AVX, AVX2): aligned, straddling, broadcasts, lane inserts and
 * extracts to memory, three-operand forms with memory, non-temporal. */
#include "guest.h"

#define CPUID_1_ECX_AVX 0x18000000 /* AVX, OSXSAVE */
#define CPUID_7_EBX_AVX2 0x20

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
        NEED_CPUID(1, ecx, CPUID_1_ECX_AVX)
        NEED_CPUID(7, ebx, CPUID_7_EBX_AVX2)
        mov     $100, %ebx
round:  xor     %eax, %eax
1:      vmovaps pattern(%rax), %ymm0
        vmovdqa %ymm0, target(%rax)
        add     $32, %eax
        cmp     $256, %eax
        jne     1b
        xor     %eax, %eax
2:      vmovups pattern+1(%rax), %ymm1
        vmovdqu %ymm1, target+37(%rax)
        add     $11, %eax
        cmp     $220, %eax
        jne     2b
        vbroadcastss pattern+62(%rip), %ymm2
        vbroadcastsd pattern+60(%rip), %ymm3
        vbroadcastf128 pattern+56(%rip), %ymm4
        vpbroadcastb pattern+64(%rip), %ymm5
        vpbroadcastw pattern+63(%rip), %xmm6
        vextractf128 $1, %ymm1, target+56(%rip)
        vextracti128 $0, %ymm1, target+120(%rip)
        vinsertf128 $1, pattern+50(%rip), %ymm1, %ymm7
        vinserti128 $0, pattern+114(%rip), %ymm1, %ymm8
        vpaddd  pattern+30(%rip), %ymm0, %ymm9
        vpxor   pattern+33(%rip), %ymm9, %ymm9
        vpshufb pattern+64(%rip), %ymm9, %ymm10
        vaddsd  pattern+61(%rip), %xmm2, %xmm11
        vpmovzxbd pattern+60(%rip), %ymm12
        vpmovsxwq pattern+60(%rip), %ymm12
        vmovntdq %ymm9, target+64(%rip)
        vmovlps %xmm9, target+63(%rip)
        vmovhps pattern+59(%rip), %xmm9, %xmm13
        vmovd   pattern+62(%rip), %xmm14
        vmovq   %xmm14, target+250(%rip)
        vptest  pattern+96(%rip), %ymm9
        vperm2f128 $0x21, pattern+96(%rip), %ymm1, %ymm15
        vpermq  $0x1b, pattern+40(%rip), %ymm15
        dec     %ebx
        jnz     round

        vmovups pattern+1(%rip), %ymm0
        vmovups %ymm0, target+37(%rip)
        vpcmpeqb target+37(%rip), %ymm0, %ymm1
        vpmovmskb %ymm1, %eax
        vzeroupper
        EXPECT($-1, %eax)
        GUEST_PASS
