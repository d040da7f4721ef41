/* data/hole.c - a stack with a page in it that cannot be read any more, and rbp there.
 *
 *   hole protect    its page is protected
 *   hole unmap      ... is unmapped
 *
 * `on_stack` runs on that stack with any rbp, from which its unwind information counts, and reads lines above. */
#define _GNU_SOURCE
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

#define BYTES (1ul << 20)
#define PAGE 4096ul
#define LINES (PAGE / 64)

void on_stack(void *sp, void *bp, const volatile char *p, unsigned long lines);
__asm__(".text\n.globl on_stack\n.type on_stack, @function\n"
        "on_stack: .cfi_startproc\n push %rbp\n .cfi_def_cfa_offset 16\n .cfi_offset 6, -16\n push %rbx\n"
        " mov %rsp, %rbx\n mov %rdi, %rsp\n mov %rsi, %rbp\n .cfi_def_cfa 6, 16\n"
        "1: movzbl (%rdx), %eax\n add $64, %rdx\n dec %rcx\n jnz 1b\n"
        " mov %rbx, %rsp\n pop %rbx\n pop %rbp\n .cfi_def_cfa 7, 8\n ret\n .cfi_endproc\n .size on_stack, . - on_stack\n");

int main(int argc, char **argv)
{
    char *stack = mmap(NULL, BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0), *hole = stack + BYTES - 2 * PAGE;
    int failed;

    if (stack == MAP_FAILED || argc != 2)
        return 1;
    memset(stack, 1, BYTES);
    on_stack(stack + PAGE, stack + BYTES - 64, stack + 2 * PAGE, 16 * LINES);
    failed = strcmp(argv[1], "unmap") ? mprotect(hole, PAGE, PROT_NONE) : munmap(hole, PAGE);
    on_stack(stack + PAGE, hole + 128, hole + PAGE, LINES);
    puts("read");
    return failed;
}
