# killed.S - a program whose instructions can be counted from outside, at any moment.
#
#   killed FILE TURNS     FILE has a page; its first eight bytes are mapped and count the turns made
#
# A turn is the block between `turn` and the jump back: TURN instructions, among them the addition to the shared
# counter, two other references and a conditional branch.  After TURNS turns it exits; killed before that, FILE
# still says how far it came.  Assembly, because the number of instructions must not depend on a compiler; no
# libc, because nothing else may be counted.
        .set    SYS_open, 2
        .set    SYS_mmap, 9
        .set    SYS_exit, 60

        .globl  _start
        .type   _start, @function
_start: mov     16(%rsp), %rdi          # FILE
        mov     $2, %esi                # O_RDWR
        mov     $SYS_open, %eax
        syscall
        test    %eax, %eax
        js      fail
        mov     %eax, %r8d
        xor     %edi, %edi
        mov     $4096, %esi
        mov     $3, %edx                # PROT_READ | PROT_WRITE
        mov     $1, %r10d               # MAP_SHARED
        xor     %r9d, %r9d
        mov     $SYS_mmap, %eax
        syscall
        test    %rax, %rax
        js      fail
        mov     %rax, %rbx
        mov     24(%rsp), %rsi          # TURNS, decimal
        xor     %ecx, %ecx
digit:  movzbl  (%rsi), %eax
        sub     $48, %eax
        js      turn
        imul    $10, %rcx, %rcx
        add     %rax, %rcx
        inc     %rsi
        jmp     digit
turn:   addq    $1, (%rbx)              # TURN = 8 instructions
        mov     table(%rip), %rax
        add     %rcx, %rax
        xor     %rax, table+128(%rip)
        lea     1(%rax), %rdx
        nop
        dec     %rcx
        jnz     turn
        xor     %edi, %edi
        mov     $SYS_exit, %eax
        syscall
fail:   mov     $9, %edi
        mov     $SYS_exit, %eax
        syscall
        .size   _start, . - _start

        .bss
        .balign 64
table:  .skip   4096
        .section .note.GNU-stack, "", @progbits
