/* loops.c - the driver of labs 2 and 12 that the check uses: it calls one kernel that was handed in, and then there is nothing left to call.
 *
 *   cc -DKERNEL=transpose -DNUMBER=int -DBELOW=1000 -DDRAWN=n*m -DWORDS=n,m,a,b,0 ...       lib/lab/kernels.h
 *   transpose 32 31 7 /path/of/results     n, m, numbers from seed 7; the memory that a kernel may write, and "done", in the file
 *
 * Results are mapped, so that nothing has to be written when the kernel has run.  Before it runs, the page with all system calls of
 * this program and the kernel's vdso are unmapped: there is no instruction left with which the process could ask for anything.
 * The mark that begins the counting is followed by a proof that it was this one; behind the one that ends it there is no call, no
 * return and no variable, only copying from and to fixed places, and an instruction that is none: the program ends by SIGILL.
 */
#include "kernels.h"

#include "sealed.h"

#define CELLS 65536                /* of 8 bytes, of a, b and c */
#define STACK_TOP 0x700000100000ul /* as in nostack.c */
#define STACK_SIZE (1ul << 20)
#define RESULTS_BYTES (3 * CELLS * 8)

double memory[3 * CELLS] __attribute__((aligned(65536)));

struct request { /* quern.h */
    unsigned long what;
    const char *name;
    unsigned long rest[4];
};

const char region[] = "kernel";
const struct request region_begins = { 0x514e0000ul, region, { 0 } }, region_ends = { 0x514e0001ul, region, { 0 } };

/* ---- before it is sealed: all system calls are in this page ---- */

__asm__(".section .text.seal,\"ax\",@progbits\n"
        "\t.balign 4096\n"
        "seal_page:\n"
        "host_call:\n"
        "\tmov %rdi, %rax\n\tmov %rsi, %rdi\n\tmov %rdx, %rsi\n\tmov %rcx, %rdx\n\tmov %r8, %r10\n\tmov %r9, %r8\n\tmov 8(%rsp), %r9\n"
        "\tsyscall\n"
        "\tret\n"
        "seal:\n" /* munmap of this page, with the last instruction in it; what the kernel gets waits in registers */
        "\tmov %rdi, %rbp\n\tmov %rsi, %r12\n\tmov %rdx, %r13\n\tmov %rcx, %r14\n\tmov %r8, %r15\n\tmov %r9, %rbx\n"
        "\tmov $11, %eax\n\tlea seal_page(%rip), %rdi\n\tmov $4096, %esi\n"
        "\tjmp 1f\n"
        "\t.org seal_page + 4094, 0x90\n"
        "1:\tsyscall\n"
        /* ---- sealed: the next page ---- */
        "\tmovabs $0x700000100000, %rsp\n"
        "\tlea region_begins(%rip), %rax\n"
        "\txor %edx, %edx\n"
        "\trolq $3, %rdi\n\trolq $13, %rdi\n\trolq $61, %rdi\n\trolq $51, %rdi\n\txchgq %rbx, %rbx\n"
        "\tlea region_begins(%rip), %rcx\n\tcmp %rcx, %rax\n\tjne 2f\n"
        "\tmov %r12, %rdi\n\tmov %r13, %rsi\n\tmov %r14, %rdx\n\tmov %r15, %rcx\n\tmov %rbx, %r8\n"
        "\tcall *%rbp\n"
        "\tlea region_ends(%rip), %rax\n"
        "\txor %edx, %edx\n"
        "\trolq $3, %rdi\n\trolq $13, %rdi\n\trolq $61, %rdi\n\trolq $51, %rdi\n\txchgq %rbx, %rbx\n"
        "\tlea memory(%rip), %rsi\n\tmov $0x10000000, %edi\n\tmov $196608, %ecx\n"
        "\tcld\n\trep movsq\n"
        "\tmovl $0x656e6f64, (%rdi)\n" /* "done" */
        "2:\tud2\n"
        "\t.balign 4096, 0xcc\n"
        "\t.text\n");

_Noreturn void seal(const void *kernel, long first, long second, long third, long fourth, long fifth);

/* splitmix64 (Steele, Lea, Flood 2014). */
static uint64_t draw(uint64_t *state)
{
    uint64_t z = *state += 0x9e3779b97f4a7c15;

    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
    z = (z ^ z >> 27) * 0x94d049bb133111eb;
    return (z ^ z >> 31) % BELOW;
}

static void map_stack(void)
{
    long at = STACK_TOP - STACK_SIZE;

    if (host_call(SYS_mmap, at, STACK_SIZE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) != at)
        leave(1);
}

__attribute__((used)) static _Noreturn void host_main(long *stack)
{
    char **argv = (char **)(stack + 1);
    long n, m, a = (long)memory, b = a + CELLS * 8, c = b + CELLS * 8;
    uint64_t state;

    if (*stack != 5)
        leave(2);
    n = (long)number(argv[1]);
    m = (long)number(argv[2]);
    state = number(argv[3]);
    map_results(argv[4], RESULTS_BYTES);
    map_stack();
    unmap_vdso(argv + *stack + 1);
    for (long i = 0; i < (DRAWN); i++)
        ((NUMBER *)a)[i] = (NUMBER)draw(&state);
    (void)m, (void)b, (void)c;
    seal((const void *)KERNEL, WORDS);
}

__asm__(".globl host_start\nhost_start:\n\tmov %rsp, %rdi\n\tand $-16, %rsp\n\txor %ebp, %ebp\n\tcall host_main\n");
