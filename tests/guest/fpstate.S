/* fpstate.S - whole floating-point states to memory and back: fxsave, fnsave, fnstenv and their opposites.  One reference
 * of the true size each; to Cachegrind fxsave and fxrstor are eighteen. */
#include "guest.h"

        .bss
        .balign 64
area:   .skip   1024

        .text
GUEST_START
        fninit
        mov     $50, %ecx
1:      fld1
        fxsave  area(%rip)
        fstp    %st(0)
        fxrstor area(%rip)
        fistpl  area+640(%rip)
        fxsave64 area(%rip)
        fxrstor64 area(%rip)
        fnstenv area+700(%rip)
        fldenv  area+700(%rip)
        fnsave  area+740(%rip)
        frstor  area+740(%rip)
        dec     %ecx
        jnz     1b
        mov     area+640(%rip), %eax
        EXPECT($1, %eax)
        GUEST_PASS
