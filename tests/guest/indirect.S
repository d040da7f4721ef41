/* indirect.S - indirect jumps and calls by hand: through a register, through memory with an index, a return used as a jump,
 * sites with one, two and eight targets, and sites whose addresses collide in a predictor of 512 entries. */
#include "guest.h"

        .section .rodata
        .balign 8
targets: .quad  t0, t1, t2, t3, t4, t5, t6, t7

        .text
GUEST_START
        mov     $800, %ecx
        xor     %ebx, %ebx
one:    lea     always(%rip), %rax      /* one target */
        jmp     *%rax
always: mov     %ecx, %eax
        and     $1, %eax                /* two targets in turn */
        lea     targets(%rip), %rdx
        mov     (%rdx,%rax,8), %rax
        call    *%rax
        mov     %ecx, %eax
        imul    $0x9e3779b1, %eax, %eax
        shr     $29, %eax               /* eight targets, mixed */
        call    *(%rdx,%rax,8)
        call    *targets(,%rax,8)       /* the same again: known from the last one if sites shared entries */
        lea     behind(%rip), %rax
        push    %rax
        ret                             /* a jump by return: no Bi */
        ud2
behind: mov     %ecx, %eax
        and     $3, %eax
        mov     targets(,%rax,8), %rax
        push    $0                      /* so that the target's return finds a place */
        lea     back(%rip), %rsi
        mov     %rsi, (%rsp)
        jmp     *%rax
        ud2
back:   dec     %ecx
        jnz     one
        EXPECT($7192, %rbx)             /* 400 + 2 * 2796 + 1200 */

/* Two sites exactly 512 bytes apart. */
        mov     $100, %ecx
        lea     t0(%rip), %rax
        lea     t1(%rip), %rdx
1:      call    near_site
        call    far_site
        dec     %ecx
        jnz     1b
        GUEST_PASS

        .macro  target name, amount
        .type   \name, @function
\name:  add     $\amount, %rbx
        ret
        .size   \name, . - \name
        .endm
        target  t0, 0
        target  t1, 1
        target  t2, 2
        target  t3, 3
        target  t4, 4
        target  t5, 5
        target  t6, 6
        target  t7, 7

        .balign 512
        .type   near_site, @function
near_site:
        call    *%rax
        ret
        .size   near_site, . - near_site
        .balign 512
        .type   far_site, @function
far_site:
        call    *%rdx
        ret
        .size   far_site, . - far_site
