/* lib/run/core/switch.S - the engine's first instructions; between its C code and translated code, and into the kernel.
 *
 *   _start               kernel -> C: its stack becomes the guest's stack, so the engine leaves it at once
 *   qn_enter(&pending)   C -> guest: loads all guest registers and jumps to ctx.entry
 *   qn_leave     guest -> C: saves them and returns from qn_enter
 *   qn_leave_step   the same, and says that it is between two instructions of a block
 *   qn_guest_syscall(nr, args)   a system call on the guest's behalf, restartable
 *
 * Offsets are those of struct qn_ctx (checked in dispatch.c). */
    .set RIP, 128
    .set RFLAGS, 136
    .set NOW, 144
    .set TMP, 152
    .set ENTRY, 216
    .set ENGINE_SP, 224
    .set EXIT_KIND, 240
    .set IN_CACHE, 452
    .set EXIT_STEP, 8

    .macro each insn, registers:vararg
    .irp r, \registers
    \insn %\r
    .endr
    .endm

    /* Loads the guest's registers but rsp from qn_ctx, or saves them there. */
    .macro guest_registers load
    .set at, 0
    .irp r, rax, rcx, rdx, rbx, rsp, rbp, rsi, rdi, r8, r9, r10, r11, r12, r13, r14, r15
    .ifnc \r, rsp
    .if \load
    mov qn_ctx+at, %\r
    .else
    mov %\r, qn_ctx+at
    .endif
    .endif
    .set at, at + 8
    .endr
    .endm

    .text
    .globl _start
_start:
    mov %rsp, %rdi
    lea qn_boot_stack_top(%rip), %rsp
    xor %ebp, %ebp
    call qn_engine_main
    ud2

    .globl qn_enter
qn_enter:
    each push, rbx, rbp, r12, r13, r14, r15
    mov %rsp, qn_ctx+ENGINE_SP
    movl $1, qn_ctx+IN_CACHE
    cmpl $0, (%rdi) /* from here on a signal handler sees in_cache and acts itself */
    jne qn_leave_saved
    push qn_ctx+RFLAGS
    popfq
    guest_registers 1
    mov qn_ctx+32, %rsp
    jmp *qn_ctx+ENTRY

    .balign 16
    .globl qn_enter_clock
qn_enter_clock:
    .irp r, rax, rcx, rdx, rbx, rsp, rbp, rsi, rdi, r8, r9, r10, r11, r12, r13, r14, r15
    mov qn_ctx+NOW, %\r
    jmp *qn_ctx+TMP
    .balign 16
    .endr
    .globl qn_enter_end
qn_enter_end:

    .globl qn_leave
qn_leave:
    mov %rsp, qn_ctx+32
    guest_registers 0
    mov qn_ctx+ENGINE_SP, %rsp
    pushfq
    pop qn_ctx+RFLAGS
    /* fall through */

    /* A signal handler that has filled in qn_ctx continues here, with rsp = ENGINE_SP. */
    .globl qn_leave_saved
qn_leave_saved:
    movl $0, qn_ctx+IN_CACHE
    pushq $0x202
    popfq
    each pop, r15, r14, r13, r12, rbp, rbx
    ret

    .globl qn_leave_step
qn_leave_step:
    movl $EXIT_STEP, qn_ctx+EXIT_KIND
    jmp qn_leave

    /* qn_guarded_jump(address, &sp): with the guest's registers; the trap flag is set, so that the processor traps in front of the
     * jump, before the first instruction there, and behind it.  Each trap or fault returns, by way of qn_guarded_takes: 1 or 0 in rax. */
    .globl qn_guarded_jump, qn_guarded_leave, qn_guarded_back
qn_guarded_jump:
    each push, rbx, rbp, r12, r13, r14, r15
    mov %rsp, (%rsi)
    mov %rdi, qn_guarded_target(%rip)
    guest_registers 1
    pushfq
    orl $0x100, (%rsp)
    popfq
    mov qn_ctx+32, %rsp
qn_guarded_leave:
    jmp *qn_guarded_target(%rip)
qn_guarded_back:
    cld
    each pop, r15, r14, r13, r12, rbp, rbx
    ret

    /* long qn_guest_syscall(long nr, const long args[6], volatile uint32_t *pending)
     * A signal that arrives before `syscall` has been executed makes this return -QN_ERESTART: the handler moves
     * the instruction pointer from [qn_syscall_begin, qn_syscall_commit] to qn_syscall_abort.  If the kernel has gone back to `syscall`
     * to make the call again, rcx is no longer 0, and this returns -QN_ERESTARTED. */
    .globl qn_guest_syscall, qn_syscall_begin, qn_syscall_commit, qn_syscall_abort
qn_guest_syscall:
    push %rbx
    push %rbp
    mov %rdi, %rax
    mov %rsi, %rbx
    mov %rdx, %rbp
    mov 0(%rbx), %rdi
    mov 8(%rbx), %rsi
    mov 16(%rbx), %rdx
    mov 24(%rbx), %r10
    mov 32(%rbx), %r8
    mov 40(%rbx), %r9
    xor %ecx, %ecx
qn_syscall_begin:
    cmpl $0, (%rbp)
    jne qn_syscall_abort
qn_syscall_commit:
    syscall
    pop %rbp
    pop %rbx
    ret
qn_syscall_abort:
    cmp $1, %rcx
    sbb %rax, %rax
    neg %rax
    sub $513, %rax
    pop %rbp
    pop %rbx
    ret

    .globl qn_sigreturn
qn_sigreturn:
    mov $15, %eax
    syscall
    ud2

    /* void qn_fpu_save(void *area, uint64_t mask)   void qn_fpu_restore(const void *area, uint64_t mask): the guest's own
     * state, which is live in the processor all the time; of it x87 and SSE alone: qn_fpu_save_legacy, qn_fpu_restore_legacy. */
    .globl qn_fpu_save, qn_fpu_save_legacy, qn_fpu_restore, qn_fpu_restore_legacy
qn_fpu_save:
    mov %rsi, %rdx
    shr $32, %rdx
    mov %esi, %eax
    xsave64 (%rdi)
    ret
qn_fpu_save_legacy:
    fxsave64 (%rdi)
    ret
qn_fpu_restore:
    mov %rsi, %rdx
    shr $32, %rdx
    mov %esi, %eax
    xrstor64 (%rdi)
    ret
qn_fpu_restore_legacy:
    fxrstor64 (%rdi)
    ret

    /* long qn_clone_raw(nr, args[5], struct qn_thread *t): clone or clone3.  With t the child, on the engine stack
     * that args name, runs qn_thread_main(t); without, it returns here, as fork does. */
    .globl qn_clone_raw
qn_clone_raw:
    push %rbx
    mov %rdx, %rbx
    mov %rdi, %rax
    mov 0(%rsi), %rdi
    mov 16(%rsi), %rdx
    mov 24(%rsi), %r10
    mov 32(%rsi), %r8
    mov 8(%rsi), %rsi
    syscall
    test %rax, %rax
    jnz 1f
    test %rbx, %rbx
    jnz 2f
1:  pop %rbx
    ret
2:  mov %rbx, %rdi
    xor %ebp, %ebp
    call qn_thread_main
    ud2

    /* void qn_thread_end(volatile uint32_t *used, long nr, int code): who finds *used = 0 may take this stack at once. */
    .globl qn_thread_end
qn_thread_end:
    mov %rsi, %rax
    movl $0, (%rdi)
    mov %edx, %edi
    syscall
    ud2

/* Below each stack lie QN_STACK_GUARD bytes that nothing may touch (qn_guard_stacks): modules run on these stacks, and
 * one that calls itself without end must not overwrite the engine. */
    .bss
    .balign 4096
    .globl qn_stack_guard_low
qn_stack_guard_low:
    .skip 65536
    .skip 65536
    .globl qn_boot_stack_top
qn_boot_stack_top:
    .skip 16

    .balign 4096
    .globl qn_stack_guard_high
qn_stack_guard_high:
    .skip 65536
    .skip 65536
    .globl qn_slow_stack_top
qn_slow_stack_top:
    .skip 16

    .section .note.GNU-stack,"",@progbits
