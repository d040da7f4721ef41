/* tests/counting/driver.S - what the forms of program.c run in: registers, memory, a handler for what cannot be run.
 *
 * Registers before each instruction: rax 7, rcx 37 (a count, a bit, a shift), rdx 0; rbx, rsi and rdi point to three areas; rsp into
 * the stack; vector register 5 is a mask of some elements, 7 small indices, 3 a mask of bytes; four x87 registers are full.
 * An area looks like what xsave, fxsave and fnstenv store: a control word, MXCSR at 24, at 512 a mask of components.
 *
 * To stdout goes the number of an instruction and of the signal that it has raised, as two words; from `tell` with signal 0 before it
 * is run, so that one which is the end of who runs it is known, too. */
#define LINE 64
#ifndef LAST
#define LAST 127                /* where operands of the second kind begin: by default with the last byte of the second line */
#endif
#define AREA 2048
#define STATE 832               /* bytes of an area that are filled */
#define XSTATE 512              /* in it: which components follow */
#define VECTORS 16

#define SYS_WRITE 1
#define SYS_SIGACTION 13
#define SYS_SIGALTSTACK 131
#define SYS_EXIT_GROUP 231
#define SA_FLAGS 0x4c000004     /* SA_SIGINFO | SA_RESTORER | SA_ONSTACK | SA_NODEFER */
#define UCONTEXT_RIP 168

        .data
template:
        .quad   0x0000ffff0000037f      /* control word, MXCSR that has no reserved bit, tag word */
        .quad   0x0000000000000000
        .quad   0x0000000000000000
        .quad   0x0000ffff00001f80      /* MXCSR */
        .rept   (XSTATE - 32) / 8
        .quad   0x3ff0000041200000
        .endr
        .quad   5                       /* x87 and AVX, not SSE */
        .skip   56
        .rept   (STATE - XSTATE - 64) / 8
        .quad   0x3ff0000041200000
        .endr

vectors:
        .macro  same, value, times
        .rept   \times
        .quad   \value
        .endr
        .endm
        same    0x3ff0000040400000, 12
        .quad   0x80ff7f0080000180, 0x0080ff0180007f00, 0x8000000000800080, 0x00ff00ff7f7f8080  /* 3: bytes */
        same    0x4000000040800000, 4
        .quad   0x8000000000000000, 0x0000000080000000, 0x8000000080000000, 0x0000000000000000  /* 5: elements */
        same    0x3ff8000041000000, 4
        .quad   4, 12, 20, 8                                                            /* 7: indices */
        same    0x3fe000003f000000, 32

sigaction:
        .quad   handler, SA_FLAGS, restorer, 0
altstack:
        .quad   signal_stack, 0, SIGNAL_STACK

        .bss
        .balign 4096
        .globl  resume, back, trips, current, signal
resume: .skip   8
back:   .skip   8
trips:  .skip   4
current: .skip  4
signal: .skip   4
        .balign 4096
area_b: .skip   AREA
area_s: .skip   AREA
area_d: .skip   AREA
        .balign 4096
stack:  .skip   8192
        .globl  safe_stack
safe_stack:
        .skip   4096
        .set    SIGNAL_STACK, 65536
signal_stack: .skip SIGNAL_STACK

/* The stack of the straddling kind is where a push, or a pop, straddles. */
        .globl  memory_aligned, memory_straddling, pop_aligned, pop_straddling
        .set    memory_aligned, area_b + LINE
        .set    memory_straddling, area_b + LAST
        .set    push_aligned, stack + 4096
        .set    pop_aligned, stack + 4096
        .set    push_straddling, stack + 4096 + 1
        .set    pop_straddling, stack + 4096 - 1

        .text
        .macro  reset, name, offset
        .globl  reset_\name
reset_\name:
        .irp    n, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15
#ifdef AVX
        vmovups vectors + 32 * \n, %ymm\n
#else
        movups  vectors + 32 * \n, %xmm\n
#endif
        .endr
        fninit
        fldpi
        fldl2e
        fldln2
        fld1
        ldmxcsr mxcsr
        mov     $area_s + \offset, %esi
        mov     $area_d + \offset, %edi
        mov     $area_b + \offset, %ebx
        mov     $push_\name, %esp
        mov     $pop_\name, %ebp
        xor     %edx, %edx
        .irp    n, 8, 9, 10, 11, 12, 13, 14, 15
        mov     $\n, %r\n
        .endr
        mov     $37, %ecx
        mov     $7, %eax
        cld
        cmp     $8, %eax
        jmp     *back
        .endm

        .globl  guest_start
        .type   guest_start, @function
guest_start:
        mov     $safe_stack, %esp
        mov     $SYS_SIGALTSTACK, %eax
        mov     $altstack, %edi
        xor     %esi, %esi
        syscall
        .irp    signal, 4, 5, 7, 8, 11
        mov     $SYS_SIGACTION, %eax
        mov     $\signal, %edi
        mov     $sigaction, %esi
        xor     %edx, %edx
        mov     $8, %r10d
        syscall
        .endr
        jmp     forms
        .size   guest_start, . - guest_start

        .globl  finish
finish:
        xor     %edi, %edi
        mov     $SYS_EXIT_GROUP, %eax
        syscall

        .globl  tell
        .type   tell, @function
tell:                                   /* current, signal */
        mov     $SYS_WRITE, %eax
        mov     $1, %edi
        mov     $current, %esi
        mov     $8, %edx
        syscall
        movl    $0, signal
        ret

        .type   handler, @function
handler:
        mov     resume, %rax
        mov     %rax, UCONTEXT_RIP(%rdx)
        mov     %edi, signal
        movl    $0, trips               /* round the loop no more */
        jmp     tell
restorer:
        mov     $15, %eax               /* rt_sigreturn */
        syscall

        reset   aligned, LINE
        reset   straddling, LAST

        .macro  fill, name, offset
        .globl  fill_\name
fill_\name:
        cld
        .irp    area, area_b, area_s, area_d
        mov     $template, %esi
        mov     $\area + \offset, %edi
        mov     $STATE / 8, %ecx
        rep movsq
        .endr
        mov     $pop_\name - 16, %edi
        mov     $16, %ecx
        xor     %eax, %eax
        rep stosq
        ret
        .endm
        fill    aligned, LINE
        fill    straddling, LAST

mxcsr:  .long   0x1f80
        .section .note.GNU-stack, "", @progbits
