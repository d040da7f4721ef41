/* address.S - all forms of a memory address: base, index, scale, displacements of 8 and 32 bits, RIP-relative, absolute, absolute
 * in 64 bits (moffs), 32-bit addresses (67h), and lea, which is none. */
#include "guest.h"

        .bss
        .balign 64
cells:  .skip   1024

        .text
GUEST_START
        mov     $250, %ecx
        lea     cells+512(%rip), %rbx
        mov     %rbx, %r13
        mov     %rbx, %r12
        mov     %rbx, %rbp
1:      mov     %ecx, %esi
        and     $31, %esi
        mov     %rsi, %r14
        neg     %r14
        mov     (%rbx), %rax
        mov     (%r12), %rax            /* needs an SIB byte */
        mov     0(%r13), %rax           /* needs a displacement */
        mov     -100(%rbx), %rax
        mov     300(%rbx), %rax
        mov     (%rbx,%rsi), %rax
        mov     (%rbx,%rsi,8), %rax
        mov     -5(%rbx,%r14,4), %rax
        mov     cells(,%rsi,8), %rax
        mov     0(%rbp,%r14,2), %rax
        mov     %rax, 256(%r12,%rsi,4)
        mov     %rax, cells+61(%rip)
        mov     cells+300, %eax         /* absolute, 32 bits, SIB without base */
        movabs  cells+300, %eax         /* moffs */
        movabs  %rax, cells+308
        movabs  cells+63, %ax
        movabs  %al, cells+5
        mov     (%ebx), %eax            /* 67h */
        mov     -4(%ebx,%esi,2), %eax
        mov     %eax, cells+120(%eip)
        lea     -8(%rbx,%rsi,8), %rdx
        lea     (%ebx,%esi), %edx
        cs mov  (%rbx), %eax            /* segment overrides without effect */
        ds mov  %eax, 8(%rbx)
        nopl    (%rax,%rax,8)           /* no reference */
        nopw    0x1000(%rbx)
        prefetcht0 (%rbx)               /* none either */
        prefetchnta 4096(%rbx)
        dec     %ecx
        jnz     1b
        movb    $77, cells+512+9(%rip)
        mov     $9, %eax
        movzbl  (%rbx,%rax), %eax
        EXPECT($77, %eax)
        GUEST_PASS
