/* shapes.S - what a fault of one shape leaves behind: the part that all shapes share.
 *
 * SHAPE, or the file PIECES, comes with these pages of 4 KiB at %rbx: 0 and 1, 4 and 5 can be written; 2 can only be read; 3 cannot be accessed; 6 lies beyond the
 * end of its file.  All lines of 2, 3 and 6 have been written to before.  %rsp is at the end of page 5.  The handler continues at %r15; if %r14 is
 * not 0, it first makes page %r14 writable, sets %r14 to 0 and repeats the instruction; if %r13 is not 0, it jumps there, as siglongjmp does.
 */
#define PAGES 0x2103000000
        .globl _start
_start: mov $9, %eax                    /* mmap */
        mov $PAGES, %rdi
        mov $0x7000, %esi
        mov $3, %edx
        mov $0x32, %r10d
        mov $-1, %r8
        xor %r9d, %r9d
        syscall
        mov %rax, %rbx
        mov $319, %eax                  /* memfd_create, ftruncate, mmap */
        lea name(%rip), %rdi
        xor %esi, %esi
        syscall
        mov %eax, %r12d
        mov $77, %eax
        mov %r12d, %edi
        mov $0x1000, %esi
        syscall
        mov $9, %eax
        lea 0x6000(%rbx), %rdi
        mov $0x1000, %esi
        mov $3, %edx
        mov $0x11, %r10d
        mov %r12d, %r8d
        xor %r9d, %r9d
        syscall
        mov $64, %ecx
        mov %rbx, %rdi
1:      movb $1, 0x2000(%rdi)
        movb $1, 0x3000(%rdi)
        movb $1, 0x6000(%rdi)
        add $64, %rdi
        dec %ecx
        jnz 1b
        mov $77, %eax
        mov %r12d, %edi
        xor %esi, %esi
        syscall
        call protect
        mov $131, %eax                  /* sigaltstack */
        lea other(%rip), %rdi
        xor %esi, %esi
        syscall
        mov $11, %edi
        call act
        mov $7, %edi
        call act
        mov $4, %edi
        call act
        mov $5, %edi
        call act
        mov $8, %edi
        call act
        lea 0x6000(%rbx), %rsp
        lea done(%rip), %r15
        xor %r14d, %r14d
        xor %r13d, %r13d
        jmp shape
        .p2align 6
shape:
#ifdef PIECES
#include PIECES
#else
        SHAPE
#endif
        .globl done
done:   mov $231, %eax
        xor %edi, %edi
        syscall
protect:mov $10, %eax                   /* mprotect */
        lea 0x2000(%rbx), %rdi
        mov $0x1000, %esi
        mov $1, %edx
        syscall
        mov $10, %eax
        lea 0x3000(%rbx), %rdi
        mov $0x1000, %esi
        xor %edx, %edx
        syscall
        ret
act:    mov $13, %eax                   /* rt_sigaction */
        lea action(%rip), %rsi
        xor %edx, %edx
        mov $8, %r10d
        syscall
        ret
handler:mov 88(%rdx), %rdi              /* %r14 */
        test %rdi, %rdi
        jz 1f
        movq $0, 88(%rdx)
        mov $10, %eax
        mov $0x1000, %esi
        mov $3, %edx
        syscall
        ret
1:      mov 96(%rdx), %rax              /* %r15 */
        mov %rax, 168(%rdx)
        cmpq $0, 80(%rdx)               /* %r13 */
        jnz 2f
        ret
2:      push %rax
        mov $14, %eax                   /* rt_sigprocmask: none is blocked */
        mov $2, %edi
        lea none(%rip), %rsi
        xor %edx, %edx
        mov $8, %r10d
        syscall
        pop %rax
        jmp *%rax
restore:mov $15, %eax
        syscall
        .data
action: .quad handler, FLAGS, restore, 0
other:  .quad stack
        .long 0, 0
        .quad 0x4000
none:   .quad 0
name:   .asciz "file"
        .bss
        .p2align 12
stack:  .skip 0x4000
        .section .note.GNU-stack, "", @progbits
