/* fetch.S - instruction fetches: instructions that straddle lines of 16, 32 and 64 bytes and a page, at every offset;
 * jumps into the middle of lines; blocks of one instruction; a loop over several lines. */
#include "guest.h"

        .text
GUEST_START
        mov     $150, %ecx
        xor     %eax, %eax
1:
/* 65 instructions of 7 bytes: each offset in a line of 64 is somebody's start. */
        .rept   65
        add     $0x10001, %rdx          /* 48 81 c2 id */
        .endr
/* 70 of 10 bytes. */
        .rept   20
        movabs  $0x123456789abcdef, %r8
        .endr
/* Long ones with prefixes, 11 and 15 bytes. */
        .rept   6
        movl    $0x11223344, scratch(,%rax,8)
        .byte   0x66, 0x66, 0x66, 0x66, 0x66, 0x66, 0x2e, 0x0f, 0x1f, 0x84, 0, 0, 0, 0, 0 /* nopw */
        .endr
/* From line to line, one instruction in each. */
        jmp     2f
        .balign 64
        .skip   61, 0xcc
2:      jmp     3f                      /* EB cb or E9 cd: at the end of a line */
        .balign 64
        .skip   63, 0xcc
3:      inc     %eax                    /* straddles */
        jmp     4f
        .balign 64
        .skip   33, 0xcc
4:      dec     %eax
        jmp     page_end

        .balign 4096
        .skip   4096 - 5, 0xcc
page_end:
        mov     $1, %edi
        mov     $0x123456789, %rbx      /* straddles lines, not the page: it begins the next one */
        jmp     5f
        .balign 4096
        .skip   4096 - 3, 0xcc
5:      mov     $0x987654321, %rbx      /* straddles the page */
        dec     %ecx
        jnz     1b
        mov     $0x987654321, %rdx
        EXPECT(%rdx, %rbx)
        GUEST_PASS

        .bss
        .balign 64
scratch: .skip  64
