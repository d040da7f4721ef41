/* segment.S - references through fs and gs, as thread-local storage makes them: set with arch_prctl, then read, written, and
 * called through. */
#include "guest.h"

#define SYS_ARCH_PRCTL 158
#define ARCH_SET_GS 0x1001
#define ARCH_SET_FS 0x1002

        .bss
        .balign 64
fs_block: .skip 256
gs_block: .skip 256

        .text
GUEST_START
        mov     $SYS_ARCH_PRCTL, %eax
        mov     $ARCH_SET_FS, %edi
        lea     fs_block+64(%rip), %rsi
        syscall
        mov     $SYS_ARCH_PRCTL, %eax
        mov     $ARCH_SET_GS, %edi
        lea     gs_block(%rip), %rsi
        syscall
        lea     add_one(%rip), %rax
        mov     %rax, %gs:16
        mov     $200, %ecx
        xor     %ebx, %ebx
1:      mov     %rcx, %fs:-8
        mov     %fs:-8, %rax
        add     %rcx, %fs:-64
        mov     $8, %edx
        mov     %ecx, %fs:(%rdx)
        incl    %gs:30
        cmp     %rcx, %gs:61
        mov     %gs:8(,%rdx,8), %rsi
        call    *%gs:16
        dec     %ecx
        jnz     1b
        EXPECT($200, %ebx)
        mov     gs_block+30(%rip), %eax
        EXPECT($200, %eax)
        mov     fs_block(%rip), %rax
        EXPECT($(200 * 201 / 2), %rax)
        GUEST_PASS

        .type   add_one, @function
add_one:
        inc     %ebx
        ret
        .size   add_one, . - add_one
