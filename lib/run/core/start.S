/* lib/run/core/start.S - the engine's first instructions.
 *
 * The kernel's initial stack becomes the guest's stack, so the engine leaves it at once. */
    .globl _start
    .text
_start:
    mov %rsp, %rdi
    lea qn_boot_stack_top(%rip), %rsp
    xor %ebp, %ebp
    call qn_engine_main
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
