/* straddle.S - loads and stores of 2, 4, 8 and 16 bytes at every offset of a window that crosses lines of 16, 32 and 64
 * bytes and a page: a straddling reference looks up both lines and is still one reference with at most one miss. */
#include "guest.h"

        .bss
        .balign 4096
first:  .skip   4096
second: .skip   4096

        .text
GUEST_START
        mov     $4, %r12d               /* rounds: the first is cold */
1:      lea     second-96(%rip), %rsi
        mov     $192, %ecx
2:      movw    %cx, (%rsi)
        mov     (%rsi), %ax
        cmp     %cx, %ax
        jne     bad
        movl    %ecx, (%rsi)
        mov     (%rsi), %eax
        cmp     %ecx, %eax
        jne     bad
        mov     %rcx, (%rsi)
        mov     (%rsi), %rax
        cmp     %rcx, %rax
        jne     bad
        movq    %rcx, %xmm0
        punpcklqdq %xmm0, %xmm0
        movups  %xmm0, (%rsi)
        movdqu  (%rsi), %xmm1
        pcmpeqb %xmm0, %xmm1
        pmovmskb %xmm1, %eax
        cmp     $0xffff, %eax
        jne     bad
        addl    $5, 1(%rsi)             /* read-modify-write: one Dr */
        cmpq    $0, -3(%rsi)
        inc     %rsi
        dec     %ecx
        jnz     2b
        dec     %r12d
        jnz     1b

/* Lines that conflict: each straddling pair pushes out the next one. */
        mov     $200, %ecx
3:      mov     first+60(%rip), %rax
        mov     second+60(%rip), %rdx
        mov     %rax, first+2048+62(%rip)
        mov     %rdx, second+2048+62(%rip)
        mov     %rax, first+15(%rip)
        dec     %ecx
        jnz     3b

/* The stack at odd addresses: pushes, pops, calls and returns that straddle. */
        mov     %rsp, %rbp
        mov     $64, %ecx
4:      lea     -1(%rsp), %rsp
        push    %rcx
        call    nothing
        pop     %rax
        cmp     %rax, %rcx
        jne     bad
        dec     %ecx
        jnz     4b
        mov     %rbp, %rsp
        GUEST_PASS
bad:    mov     $__LINE__, %edi
        jmp     guest_exit

        .type   nothing, @function
nothing:
        ret
        .size   nothing, . - nothing
