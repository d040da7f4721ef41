/* x87.S - loads and stores of the x87 unit: 4, 8 and 10 bytes, integers of 2, 4 and 8, packed decimal, arithmetic with
 * memory, control word. */
#include "guest.h"

        .data
        .balign 64
single: .float  1.5
        .skip   56
double: .double 2.25                    /* straddles lines of 64 */
        .skip   56
word:   .short  7
long:   .long   9
quad:   .quad   11
tenth:  .skip   10
        .bss
        .balign 64
out:    .skip   256

        .text
GUEST_START
        fninit
        mov     $300, %ecx
1:      flds    single(%rip)
        fldl    double(%rip)
        faddp
        fsts    out(%rip)
        fstl    out+60(%rip)
        fstpt   out+120(%rip)
        fldt    out+120(%rip)
        fadds   single(%rip)
        fmull   double(%rip)
        fdivl   double(%rip)
        fsubrs  single(%rip)
        fcoms   single(%rip)
        fcompl  double(%rip)
        filds   word(%rip)
        fildl   long(%rip)
        fildll  quad(%rip)
        faddp
        fiaddl  long(%rip)
        fimuls  word(%rip)
        fistl   out+62(%rip)
        fists   out+127(%rip)
        fistpll out+189(%rip)
        fisttpl out+16(%rip)
        fnstcw  out+100(%rip)
        fldcw   out+100(%rip)
        fnstsw  out+63(%rip)
        fnstsw  %ax
        fld1
        fldpi
        fxch
        fcomip  %st(1), %st
        fstp    %st(0)
        dec     %ecx
        jnz     1b
        mov     out+189(%rip), %rax
        EXPECT($203, %rax)              /* (9 + 11 + 9) * 7 */
        mov     out+16(%rip), %eax
        EXPECT($7, %eax)
        GUEST_PASS
