/* requests.S - client requests: nothing natively; to Cachegrind one instruction of 19 bytes. */
#include "guest.h"

        .macro marker
        rol     $3, %rdi
        rol     $13, %rdi
        rol     $61, %rdi
        rol     $51, %rdi
        xchg    %rbx, %rbx
        .endm

        .data
        .balign 8
count:  .quad   0x1201, 0, 0, 0, 0, 0   /* how many errors: 0 */
nobody: .quad   0x5a5a0007, 1, 2, 3, 4, 5

        .text
GUEST_START
        mov     $0x1234567890abcdef, %rdi
        mov     $500, %r12d
1:      lea     nobody(%rip), %rax
        mov     %r12, %rdx
        marker
        EXPECT(%r12, %rdx)              /* nobody answers: as it was */
        lea     count(%rip), %rax
        xor     %edx, %edx
        .skip   9, 0x90
        marker                          /* over two lines of code */
        EXPECT($0, %rdx)
        marker                          /* two in a row */
        marker
        dec     %r12d
        jnz     1b
        mov     $0x1234567890abcdef, %rax
        EXPECT(%rax, %rdi)
        GUEST_PASS
