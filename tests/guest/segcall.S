/* segcall.S - calls and jumps through memory that a segment's base and the instruction pointer address together:
 * call *%fs:table(%rip), jmp *%gs:table(%rip).  The base is one page, so who loses it finds a decoy that is a page away.  The
 * same code runs where it was linked and from a copy more than 2 GiB off: a translator that keeps its code near the one
 * must address the other's table in another way. */
#include "guest.h"

#define SYS_MMAP 9
#define SYS_ARCH_PRCTL 158
#define ARCH_SET_GS 0x1001
#define ARCH_SET_FS 0x1002
#define RWX 7
#define PRIVATE_ANONYMOUS_FIXED 0x32
#define PAGE 4096
#define FAR 0x10000000000

        .text
GUEST_START
        mov     $SYS_ARCH_PRCTL, %eax
        mov     $ARCH_SET_GS, %edi
        mov     $PAGE, %esi
        syscall
        mov     $SYS_ARCH_PRCTL, %eax
        mov     $ARCH_SET_FS, %edi
        mov     $PAGE, %esi
        syscall
        mov     $SYS_MMAP, %eax
        movabs  $FAR, %rdi
        mov     $(3 * PAGE), %esi
        mov     $RWX, %edx
        mov     $PRIVATE_ANONYMOUS_FIXED, %r10d
        mov     $-1, %r8
        xor     %r9d, %r9d
        syscall
        movabs  $FAR, %r12
        EXPECT(%r12, %rax)
        lea     decoys(%rip), %rsi
        xor     %ecx, %ecx
1:      mov     (%rsi,%rcx,8), %rax
        mov     %rax, (%r12,%rcx,8)
        inc     %ecx
        cmp     $((both_end - decoys) / 8), %ecx
        jb      1b
        add     $(both - decoys), %r12
        mov     $100, %ecx
        xor     %ebx, %ebx
1:      call    both
        call    *%r12
        dec     %ecx
        jnz     1b
        EXPECT($600, %ebx)
        GUEST_PASS

        .type   add_one, @function
add_one:
        inc     %ebx
        ret
        .size   add_one, . - add_one

        .type   add_two, @function
add_two:
        add     $2, %ebx
        ret
        .size   add_two, . - add_two

        .type   lost, @function
lost:   mov     $__LINE__, %edi
        jmp     guest_exit
        .size   lost, . - lost

        .balign PAGE
decoys: .quad   lost, lost
        .balign PAGE
table:  .quad   add_one, add_two

        .balign 16
        .type   both, @function
both:   call    *%fs:table - PAGE(%rip)
        jmp     *%gs:table + 8 - PAGE(%rip)
        .size   both, . - both
        .balign 8
both_end:
