/* lockbits.S - bts, btr, btc under lock, and the register forms, whose data references in Cachegrind are artefacts. */
#include "guest.h"

        .bss
        .balign 64
bitmap: .skip   128

        .text
GUEST_START
        mov     $400, %ebx
1:      mov     %ebx, %eax
        and     $511, %eax
        lock bts %rax, bitmap(%rip)
        jc      bad
        lock btr %eax, bitmap(%rip)
        jnc     bad
        lock btcl $5, bitmap+64(%rip)
        lock btcl $5, bitmap+64(%rip)
        lock btsq $63, bitmap+72(%rip)
        xor     %edx, %edx
        bts     %rax, %rdx
        bt      %rax, %rdx
        jnc     bad
        btr     %rax, %rdx
        btc     %ax, %dx
        bts     $3, %edx
        dec     %ebx
        jnz     1b
        mov     bitmap(%rip), %rax
        EXPECT($0, %rax)
        GUEST_PASS
bad:    mov     $__LINE__, %edi
        jmp     guest_exit
