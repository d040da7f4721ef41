/* beyond.S - what Cachegrind 3.19 cannot run: xlat, popw with memory, rep lods, repne cmps, cmps alone,
 * address-size prefixes on string instructions.
 *
 * oracle: none (Valgrind stops at the first of these, and takes rep lods for one lods); the program checks itself.
 */
#include "guest.h"

        .bss
        .balign 64
table:  .skip   256
cells:  .skip   128

        .text
GUEST_START
        lea     table(%rip), %rbx
        xor     %eax, %eax
1:      mov     %eax, %edx
        not     %edx
        mov     %dl, (%rbx,%rax)
        inc     %eax
        cmp     $256, %eax
        jne     1b
        mov     $200, %ecx
2:      mov     %ecx, %eax
        xlatb                           /* al = (rbx + al) */
        not     %al
        cmp     %cl, %al
        jne     bad
        addr32 xlatb
        dec     %ecx
        jnz     2b

        pushw   $0x1234
        popw    cells+63(%rip)
        mov     cells+63(%rip), %ax
        movzwl  %ax, %eax
        EXPECT($0x1234, %eax)

        lea     table(%rip), %rsi
        mov     $67, %ecx
        rep lodsb
        movzbl  %al, %eax
        EXPECT($(255 - 66), %eax)
        mov     $9, %ecx
        rep lodsq
        EXPECT($0, %rcx)

        lea     table(%rip), %rsi
        lea     table+1(%rip), %rdi
        mov     $10, %ecx
        repne cmpsw
        EXPECT($0, %rcx)
        cmpsb
        cmpsq

        lea     table(%rip), %rsi
        lea     cells(%rip), %rdi
        mov     $0xf00000000, %rcx      /* with address size 32 the count is ecx: 0 */
        rep addr32 movsb
        mov     $0x100000010, %rcx
        rep addr32 movsb
        mov     cells(%rip), %rax
        mov     table(%rip), %rdx
        EXPECT(%rdx, %rax)
        addr32 lodsl
        addr32 stosl
        GUEST_PASS
bad:    mov     $__LINE__, %edi
        jmp     guest_exit
