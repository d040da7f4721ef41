/* flow.S - every way to branch on a condition: the sixteen jcc, short and near, loop, loope, loopne, jrcxz, jecxz; and the ways
 * that do not branch: cmovcc (reads memory even if it does not move) and setcc. */
#include "guest.h"

        .bss
        .balign 64
cells:  .skip   128

        .text
GUEST_START
        mov     $-70, %r12
/* rbx counts the conditions that do not hold for r12 compared with 3. */
1:      cmp     $3, %r12
        .irp    cc, o, no, b, ae, e, ne, be, a, s, ns, p, np, l, ge, le, g
        j\cc    2f
        lea     1(%rbx), %rbx
2:
        .endr
        .irp    cc, o, no, b, ae, e, ne, be, a, s, ns, p, np, l, ge, le, g
        cmov\cc cells(%rip), %rax
        cmov\cc %r12d, %edx
        set\cc  cells+64(%rip)
        set\cc  %al
        cmov\cc cells+62(%rip), %dx
        .endr
        inc     %r12
        cmp     $70, %r12
        jne     1b
        EXPECT($(8 * 140), %rbx)        /* of each condition and its opposite one holds */

/* A near jcc (6 bytes) there and back. */
        mov     $100, %ecx
3:      test    $1, %cl
        jnz     far_away
4:      dec     %ecx
        jnz     3b

/* loop: ends on the count; loope and loopne: ends on either. */
        mov     $50, %ecx
        xor     %eax, %eax
5:      inc     %eax
        loop    5b
        EXPECT($50, %eax)
        mov     $50, %ecx
        xor     %eax, %eax
6:      inc     %eax
        cmp     $20, %eax
        loopne  6b
        EXPECT($30, %ecx)
        mov     $50, %ecx
        xor     %eax, %eax
7:      inc     %eax
        cmp     $10, %eax
        setae   %dl
        test    %dl, %dl
        loope   7b
        EXPECT($40, %ecx)
        mov     $3, %ecx
8:      loopl   8b                      /* ecx: address size 32 */

/* jrcxz and jecxz, taken and not. */
        mov     $40, %ecx
9:      jrcxz   10f
        dec     %rcx
        jmp     9b
10:     mov     $0x100000000, %rcx
        jecxz   11f
        jmp     bad
11:     jrcxz   bad
        inc     %rcx
        jecxz   bad
        GUEST_PASS
bad:    mov     $__LINE__, %edi
        jmp     guest_exit

        .skip   300, 0x90               /* never run; out of reach of a short jump */
far_away:
        jmp     4b
