/* guest.h - what every guest program of this folder starts from: no libc, an own stack, one way out.
 *
 * In C:         static int guest_main(void) { ...; return EXPECT(sum == 4950); }      0 = all is well
 * In assembly:  GUEST_START ... EXPECT($4950, %rax) ... GUEST_PASS
 *
 * The entry is guest_start (linked with -e), since Cachegrind prints another name for _start.
 *
 * The programs are deterministic, check their own results, read no input, print nothing and make one system call, exit_group;
 * the status is 0, or the number of the source line that found something wrong, or GUEST_SKIP where the processor
 * lacks what the program is about.  So whatever a simulator counts in them was done by the instructions that stand here.
 */
#ifndef GUEST_H
#define GUEST_H

#define GUEST_STACK 65536  /* bytes, in .bss: the same addresses in every run */
#define GUEST_SKIP 77      /* exit status: cannot run on this processor */
#define GUEST_SYS_EXIT_GROUP 231

#ifdef __ASSEMBLER__

        .data
guest_data:
        .quad   1                       /* Valgrind reads no symbols of a program without data */

        .bss
        .balign 4096
guest_stack:
        .skip   GUEST_STACK
guest_stack_top:

        .text
        .globl  guest_exit
        .type   guest_exit, @function
guest_exit:                             /* status in edi */
        mov     $GUEST_SYS_EXIT_GROUP, %eax
        syscall
        .size   guest_exit, . - guest_exit

/* clang-format off */
#define GUEST_START \
        .globl  guest_start; \
        .type   guest_start, @function; \
guest_start: \
        lea     guest_stack_top(%rip), %rsp

#define GUEST_PASS \
        xor     %edi, %edi; \
        jmp     guest_exit; \
        .size   guest_start, . - guest_start

#define EXPECT(wanted, got) \
        cmp     wanted, got; \
        je      99f; \
        mov     $__LINE__, %edi; \
        jmp     guest_exit; \
99:

/* Leave with GUEST_SKIP unless all bits of `bits` are set in ecx (leaf 1) or ebx (leaf 7). */
#define NEED_CPUID(leaf, reg, bits) \
        mov     $leaf, %eax; \
        xor     %ecx, %ecx; \
        cpuid; \
        and     $(bits), %reg; \
        cmp     $(bits), %reg; \
        je      98f; \
        mov     $GUEST_SKIP, %edi; \
        jmp     guest_exit; \
98:
/* clang-format on */

        .section .note.GNU-stack, "", @progbits
        .text

#else /* C */

#include <stddef.h>
#include <stdint.h>

#define GUEST_TEXT_(x) #x
#define GUEST_TEXT(x) GUEST_TEXT_(x)

#define EXPECT(condition) ((condition) ? 0 : __LINE__)
#define NOINLINE __attribute__((noinline, noclone))

/* Keep the compiler from seeing through a value or from dropping a store. */
#define HIDE(x) __asm__ volatile("" : "+r"(x))
#define MEMORY_USED() __asm__ volatile("" : : : "memory")

uint64_t guest_data = 1; /* Valgrind reads no symbols of a program without data */
uint8_t guest_stack[GUEST_STACK] __attribute__((aligned(4096)));
static int guest_main(void) __attribute__((used));

__attribute__((naked, noreturn, used)) void guest_start(void)
{
    __asm__("lea guest_stack+" GUEST_TEXT(GUEST_STACK) "(%rip), %rsp\n\t"
            "call guest_main\n\t"
            "mov %eax, %edi\n\t"
            "mov $" GUEST_TEXT(GUEST_SYS_EXIT_GROUP) ", %eax\n\t"
            "syscall");
}

/* A linear congruential generator (Knuth's MMIX constants): the upper bits are good enough to look random. */
static inline uint32_t guest_random(uint64_t *state)
{
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(*state >> 33);
}

#endif
#endif
