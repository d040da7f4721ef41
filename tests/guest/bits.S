/* bits.S - bit tests in memory, where the bit number in a register moves the address, also below the operand; double
 * shifts, bit scans and byte swaps with memory. */
#include "guest.h"

        .bss
        .balign 64
        .skip   256
bitmap: .skip   512
spare:  .skip   64

        .text
GUEST_START
/* Set every third bit from -1500 to 3000, look for it, flip it back. */
        mov     $-1500, %rax
1:      bts     %rax, bitmap(%rip)
        jc      bad
        add     $3, %rax
        cmp     $3000, %rax
        jne     1b
        mov     $-1500, %rax
        xor     %edx, %edx
2:      bt      %rax, bitmap(%rip)
        adc     $0, %edx
        bt      %eax, bitmap(%rip)
        adc     $0, %edx
        inc     %rax
        cmp     $3000, %rax
        jne     2b
        EXPECT($3000, %edx)
        mov     $-1500, %rax
3:      btr     %rax, bitmap(%rip)
        jnc     bad
        btc     %eax, bitmap(%rip)
        jc      bad
        btc     %ax, bitmap(%rip)
        jnc     bad
        add     $3, %rax
        cmp     $3000, %rax
        jne     3b

/* Immediate bit numbers stay within the operand. */
        mov     $100, %ecx
4:      btsl    $31, bitmap+61(%rip)
        btw     $9, bitmap+63(%rip)
        btrq    $63, bitmap+60(%rip)
        btcl    $0, bitmap+64(%rip)
        dec     %ecx
        jnz     4b

        movq    $0x00f0, bitmap(%rip)
        bsf     bitmap(%rip), %rax
        EXPECT($4, %rax)
        bsr     bitmap(%rip), %eax
        EXPECT($7, %eax)
        mov     $-1, %rdx
        shld    $8, %rdx, bitmap+60(%rip)
        shrd    $8, %edx, bitmap+62(%rip)
        mov     $3, %cl
        shld    %cl, %dx, bitmap+63(%rip)
        shrd    %cl, %rdx, spare(%rip)
        mov     spare(%rip), %rax
        mov     $0xe000000000000000, %rdx
        EXPECT(%rdx, %rax)
        bswap   %rax
        EXPECT($0xe0, %rax)
        GUEST_PASS
bad:    mov     $__LINE__, %edi
        jmp     guest_exit
