/* stack.S - everything that moves the stack pointer: push and pop of registers, memory, immediates, 16 bits, flags; enter and
 * leave; ret with an operand; calls through memory; pop to an address that depends on rsp. */
#include "guest.h"

        .bss
        .balign 64
cells:  .skip   256

        .data
        .balign 8
pointer: .quad  add_seven

        .text
GUEST_START
        mov     $300, %r12d
1:      push    %r12
        push    $5
        push    $0x12345678
        pushw   $3
        pushw   %ax
        popw    %cx
        popw    %dx                     /* popw with memory is in beyond.S */
        mov     %dx, cells+2(%rip)
        pop     cells+8(%rip)
        pop     %rdx
        pop     cells+62(%rip)          /* straddles */
        push    cells+8(%rip)
        pushw   cells+2(%rip)
        popw    %ax
        pop     %rbx
        EXPECT($0x12345678, %rbx)
        EXPECT($5, %rdx)
        pushfq
        pop     %rax
        push    %rax
        popfq
        push    $1
        push    $2
        push    $3
        pop     8(%rsp)                 /* over the 1: the address is taken after rsp has moved */
        pop     %rax
        pop     %rax
        EXPECT($3, %rax)
        push    %rsp
        pop     %rax
        EXPECT(%rax, %rsp)
        sub     $64, %rsp
        mov     %rsp, %rax
        movq    $9, (%rsp)
        pop     (%rsp)
        add     $56, %rsp

        mov     $1, %edi
        push    %rdi
        push    %rdi
        call    drop_two                /* ret $16 */
        call    *pointer(%rip)
        lea     pointer(%rip), %rax
        call    *(%rax)
        mov     (%rax), %rax
        call    *%rax
        EXPECT($22, %edi)
        call    with_frame
        dec     %r12d
        jnz     1b
        lea     guest_stack_top(%rip), %rax
        EXPECT(%rax, %rsp)
        GUEST_PASS

        .type   drop_two, @function
drop_two:
        ret     $16
        .size   drop_two, . - drop_two

        .type   add_seven, @function
add_seven:
        add     $7, %edi
        ret
        .size   add_seven, . - add_seven

        .type   with_frame, @function
with_frame:
        enter   $32, $0
        mov     %rdi, -8(%rbp)
        mov     -8(%rbp), %rsi
        leave
        push    %rbp
        mov     %rsp, %rbp
        sub     $48, %rsp
        mov     %rdi, -40(%rbp)
        leave
        ret
        .size   with_frame, . - with_frame
