/* tests/vectors/enter.S - into a vector's code and out again.
 *
 *   vector_enter()   loads x87 and vector state (vector_xsave), flags and general registers (vector_in), jumps to vector_rip
 *   vector_fall, vector_taken   the two ends: store everything (vector_out, vector_xsave), return from vector_enter
 *   vector_signal    where the signal handler sends control: returns from vector_enter
 *
 * Nothing is addressed through a register: all of this lies below 2 GiB. */
        .bss
        .balign 64
        .globl  vector_in, vector_out, vector_rip, vector_in_flags, vector_out_flags, vector_end, vector_mask
        .globl  vector_xsave, vector_host_rsp
vector_in:        .skip 16 * 8
vector_out:       .skip 16 * 8
vector_rip:       .skip 8
vector_in_flags:  .skip 8
vector_out_flags: .skip 8
vector_end:       .skip 8
vector_mask:      .skip 8               /* XSAVE components */
vector_host_rsp:  .skip 8
        .balign 64
vector_xsave:     .skip 8192

        .text
        .globl  vector_enter, vector_fall, vector_taken, vector_signal
vector_enter:
        push    %rbx
        push    %rbp
        push    %r12
        push    %r13
        push    %r14
        push    %r15
        mov     %rsp, vector_host_rsp
        fninit                          /* no instruction pointer: AMD's xrstor leaves it as it is */
        mov     vector_mask, %eax
        mov     vector_mask+4, %edx
        xrstor64 vector_xsave
        push    vector_in_flags
        popfq
        mov     vector_in+8, %rcx
        mov     vector_in+16, %rdx
        mov     vector_in+24, %rbx
        mov     vector_in+32, %rsp
        mov     vector_in+40, %rbp
        mov     vector_in+48, %rsi
        mov     vector_in+56, %rdi
        mov     vector_in+64, %r8
        mov     vector_in+72, %r9
        mov     vector_in+80, %r10
        mov     vector_in+88, %r11
        mov     vector_in+96, %r12
        mov     vector_in+104, %r13
        mov     vector_in+112, %r14
        mov     vector_in+120, %r15
        mov     vector_in, %rax
        jmp     *vector_rip

vector_taken:
        movl    $1, vector_end
        jmp     1f
vector_fall:
        movl    $0, vector_end
1:      mov     %rsp, vector_out+32
        mov     vector_host_rsp, %rsp
        pushfq
        popq    vector_out_flags
        mov     %rax, vector_out
        mov     %rcx, vector_out+8
        mov     %rdx, vector_out+16
        mov     %rbx, vector_out+24
        mov     %rbp, vector_out+40
        mov     %rsi, vector_out+48
        mov     %rdi, vector_out+56
        mov     %r8, vector_out+64
        mov     %r9, vector_out+72
        mov     %r10, vector_out+80
        mov     %r11, vector_out+88
        mov     %r12, vector_out+96
        mov     %r13, vector_out+104
        mov     %r14, vector_out+112
        mov     %r15, vector_out+120
        mov     vector_mask, %eax
        mov     vector_mask+4, %edx
        xsave64 vector_xsave
        fninit
        movl    $0x1f80, vector_end+4
        ldmxcsr vector_end+4
        mov     vector_host_rsp, %rsp
vector_signal:
        push    $0x202
        popfq
        pop     %r15
        pop     %r14
        pop     %r13
        pop     %r12
        pop     %rbp
        pop     %rbx
        ret
        .section .note.GNU-stack, "", @progbits
