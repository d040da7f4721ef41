/* xstate.S - xsave and xrstor of x87, SSE and AVX state, with registers that were written to and registers that hold their initial
 * values: Cachegrind references both, whatever the processor leaves out. */
#include "guest.h"

#define CPUID_1_ECX_AVX 0x18000000 /* AVX, OSXSAVE */

        .bss
        .balign 64
area:   .skip   1024

/* Valgrind's translation of one block has no room for two of them. */
        .macro  state insn:req
        jmp     8f
8:      \insn   area(%rip)
        jmp     9f
9:
        .endm

        .text
GUEST_START
        NEED_CPUID(1, ecx, CPUID_1_ECX_AVX)
        fninit
        vzeroall
        xor     %edx, %edx
        mov     $20, %ebx
1:      mov     $7, %eax                /* nothing is in use in the first round */
        state   xsave
        state   xrstor
        mov     $2, %eax
        state   xsave
        state   xrstor
        mov     $4, %eax
        state   xsave64
        state   xrstor64
        fld1                            /* x87 state alone, with the value 1 */
        mov     $1, %eax
        state   xsave64
        fninit
        state   xrstor64
        fistpl  area+900(%rip)
        vpcmpeqb %xmm1, %xmm1, %xmm1    /* SSE, then AVX */
        mov     $6, %eax
        state   xsave
        vzeroall
        state   xrstor
        vmovd   %xmm1, %ecx
        vinsertf128 $1, %xmm1, %ymm2, %ymm2
        state   xsave
        vzeroall
        state   xrstor
        vextractf128 $1, %ymm2, area+904(%rip)
        vzeroall
        state   xsave              /* both as they were at the start */
        state   xrstor
        dec     %ebx
        jnz     1b
        mov     area+900(%rip), %eax
        EXPECT($1, %eax)
        EXPECT($-1, %ecx)
        mov     area+904(%rip), %eax
        EXPECT($-1, %eax)
        vptest  %ymm2, %ymm2
        jz      2f
        mov     $__LINE__, %edi
        call    guest_exit
2:      GUEST_PASS
