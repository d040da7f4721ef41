/* timer.S - a timer's signals at any point of a program that faults, too: every INTERVAL microseconds; 0: none.  Writes how many have come, 8 bytes.
 *
 * TURNS times: references, calls, branches, a repeated string instruction, system calls, and a fault, behind which its handler continues.
 */
        .globl _start
_start: mov $13, %eax                   /* rt_sigaction */
        mov $14, %edi
        lea action(%rip), %rsi
        xor %edx, %edx
        mov $8, %r10d
        syscall
        mov $13, %eax
        mov $11, %edi
        lea fault(%rip), %rsi
        xor %edx, %edx
        mov $8, %r10d
        syscall
        mov $38, %eax                   /* setitimer */
        xor %edi, %edi
        lea timer(%rip), %rsi
        xor %edx, %edx
        syscall
        mov $TURNS, %ebx
        lea data(%rip), %rbp
again:  mov $0x1234, %eax
        xor %edx, %edx
        mov (%rbp), %rcx
        add %rcx, 64(%rbp)
        push %rax
        push %rdx
        mov %rax, 8192(%rbp)
        call 1f
        pop %rdx
        pop %rax
        lock incl 128(%rbp)
        lea 4096(%rbp), %rdi
        mov %rbp, %rsi
        mov $300, %ecx
        rep movsb
        mov $100, %ecx
2:      adc %rax, %rdx
        mov 256(%rbp), %rax
        mov %rax, 512(%rbp,%rcx,8)
        loop 2b
        test $3, %ebx
        jnz 3f
        lea 4f(%rip), %rax
        jmp *%rax
3:      nop
4:      mov $102, %eax                  /* getuid */
        syscall
        mov $102, %eax
        syscall
        xor %esi, %esi
        lea 5f(%rip), %r15
        incq 700(%rbp)
        mov %rax, (%rsi)
        incq 704(%rbp)
5:      dec %ebx
        jnz again
        movq $0, 16+timer(%rip)
        movq $0, 24+timer(%rip)
        mov $38, %eax
        xor %edi, %edi
        lea timer(%rip), %rsi
        xor %edx, %edx
        syscall
        mov $1, %eax                    /* write */
        mov $1, %edi
        lea count(%rip), %rsi
        mov $8, %edx
        syscall
        mov $231, %eax
        xor %edi, %edi
        syscall
1:      mov 1024(%rbp), %rcx
        ret
handler:incq count(%rip)
        ret
continue:
        mov 96(%rdx), %rax              /* %r15 */
        mov %rax, 168(%rdx)
        ret
restore:mov $15, %eax
        syscall
        .data
        .balign 64
action: .quad handler, 0x04000000, restore, 0
fault:  .quad continue, 0x04000000, restore, 0
timer:  .quad 0, INTERVAL, 0, INTERVAL
count:  .quad 0
        .bss
        .balign 4096
data:   .skip 0x5000
        .section .note.GNU-stack, "", @progbits
