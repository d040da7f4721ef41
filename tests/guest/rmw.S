/* rmw.S - read-modify-write of memory in all sizes: one Dr each and no Dw, because the write cannot miss.  Some of the
 * operands straddle lines. */
#include "guest.h"

        .bss
        .balign 64
cells:  .skip   4096

        .text
GUEST_START
        mov     $60, %r12d
1:      lea     cells(%rip), %rdi
        mov     $64, %ecx
2:      incb    (%rdi)
        decw    1(%rdi)
        incl    4(%rdi)
        decq    8(%rdi)
        addb    $1, 15(%rdi)
        addw    %cx, 16(%rdi)
        addl    %ecx, 20(%rdi)
        addq    $1000, 24(%rdi)
        adcl    $0, 30(%rdi)
        subq    %rcx, 36(%rdi)
        sbbw    $1, 44(%rdi)
        andl    $-8, 46(%rdi)
        orb     %cl, 50(%rdi)
        xorq    %r12, 52(%rdi)
        negl    60(%rdi)
        notw    63(%rdi)
        shlq    57(%rdi)
        shrl    $3, 61(%rdi)
        sarw    %cl, 63(%rdi)
        rolq    $13, 58(%rdi)
        rorb    %cl, 64(%rdi)
        rcll    $1, 62(%rdi)
        rcrq    $1, 66(%rdi)
        add     $13, %rdi
        dec     %ecx
        jnz     2b
        dec     %r12d
        jnz     1b

/* What only reads: cmp and test; and what only writes. */
        movl    $0, cells(%rip)
        mov     $200, %ecx
3:      cmpb    $3, cells+3(%rip)
        testl   $0x100, cells+61(%rip)
        test    %rcx, cells+62(%rip)
        cmp     cells+60(%rip), %rcx
        imul    $3, cells+63(%rip), %eax
        imul    cells+63(%rip), %rax
        movzwl  cells+63(%rip), %eax
        movsbq  cells+64(%rip), %rax
        movslq  cells+61(%rip), %rax
        incl    cells(%rip)
        mov     %cl, cells+5(%rip)
        movq    $-2, cells+61(%rip)
        dec     %ecx
        jnz     3b
        mov     cells(%rip), %eax
        EXPECT($200, %eax)

/* One-operand multiplication and division from memory. */
        movq    $7, cells+61(%rip)
        mov     $100, %ecx
4:      mov     $100, %eax
        mulq    cells+61(%rip)
        divq    cells+61(%rip)
        EXPECT($100, %eax)
        imull   cells+61(%rip)
        cltd
        idivl   cells+61(%rip)
        mulb    cells+61(%rip)
        dec     %ecx
        jnz     4b
        GUEST_PASS
