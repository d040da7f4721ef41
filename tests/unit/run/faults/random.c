/* random.c - writes a random program that faults: pieces of code for shapes.S.
 *
 *   random SEED PIECES [ONLY]        random 7 40
 *   ->  7 lines of assembly for each piece; with ONLY, piece ONLY alone
 *
 * A piece sets its registers, and runs a loop of a few instructions with references near pages that cannot be written, read, or are not there,
 * near operands that fault by themselves, and near the end of its stack.  What the handler does is drawn, too: it goes on behind the piece, makes
 * the page writable and repeats the instruction, or jumps out without sigreturn.  All results that steer (branches, addresses, repetitions) come from
 * registers that no flag and no result of a fault changes.
 */
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

static uint64_t state;
static unsigned turn; /* of the pointers */

static unsigned below(unsigned n)
{
    state = state * 6364136223846793005u + 1442695040888963407u;
    return (unsigned)(state >> 33) % n;
}

#define PICK(list) ((list)[below(sizeof(list) / sizeof *(list))])

/* One reference through a pointer: %s is the operand.  %rax, %rdx, %r10, %r11 and vector registers are results. */
static const char *const simple[] = {
    "movb %s,%%al", "movw %s,%%dx", "movl %s,%%eax", "movq %s,%%rdx", "movb %%al,%s", "movl %%eax,%s", "movq %%r10,%s", "movups %s,%%xmm1",
    "movups %%xmm1,%s", "movaps %s,%%xmm2", "movaps %%xmm2,%s", "movlps %%xmm0,%s", "movntps %%xmm0,%s", "movnti %%eax,%s", "addb $1,%s",
    "addl %%eax,%s", "addq %s,%%rax", "incb %s", "notl %s", "shll $1,%s", "cmpl $3,%s", "testb $1,%s", "lock incl %s", "xchgl %%eax,%s",
    "xaddq %%rax,%s", "cmpxchgl %%edx,%s", "cmpxchg16b %s", "btsl $5,%s", "cmovzl %s,%%eax", "setzb %s", "movzbl %s,%%edx", "movsbq %s,%%r11",
    "imull $3,%s,%%edx", "adcl $0,%s", "sbbl %%eax,%s", "fildl %s; fstp %%st(0)", "fldz; fstpt %s", "fldz; fistps %s", "fldt %s; fstp %%st(0)",
    "fnstcw %s", "stmxcsr %s", "paddd %s,%%xmm3", "movd %s,%%xmm4", "pushq %s", "popq %s", "prefetcht0 %s", "clflush %s", 
    "cvtsi2sdl %s,%%xmm5", "mulb %s; mov $1,%%eax", "xor %%edx,%%edx; mov $5,%%eax; divl %s",
};

/* References of one check (emit/check.c) are simulated together, so if one faults, the lines of those behind it stay in the caches.  This reference
 * separates them. */
#define BETWEEN "testb $1,(%%rbx); "

/* No reference through a pointer.  Faults by themselves come more rarely. */
static const char *const plain[] = {
    "push %rax", "push %rdx", "pop %r10", "pop %rax", "pushw $3", "popw %dx", "enter $16,$0; leave", "enter $8,$1; leave", "call 7f; 7:",
    "call 8f; jmp 9f; 8: ret; 9:", "lea 8f(%rip),%rax; call *%rax; jmp 9f; 8: movb $0,(%rdi); ret; 9:", "test $1,%bpl; jz 9f; movb %al,(%rsi); 9:", "jmp 9f; 9:",
    "lea 7f(%rip),%rax; push %rax; ret; 7:", "xor %eax,%eax", "lea 8f(%rip),%rdx; jmp *%rdx; ud2; 8:", "adc %rax,%rdx", "nop", "push %rbp; pop %rbp",
    "sub $8,%rsp", "add $8,%rsp", "test $3,%bpl; jnz 9f; add $64,%rdi; 9:",
};

static const char *const refused[] = {
    "ud2", "hlt", "mov (%r12),%eax", "mov %al,(%r12)", "push (%r12)", "xor %edx,%edx; xor %ecx,%ecx; div %ecx", "int3",
    "lea 0x3000(%rbx),%rax; jmp *%rax", "lea 0x1000(%rbx),%rax; call *%rax", "mov %r12,%rsp; push %rax", "mov %r12,%rsp; ret", "in %dx,%al",
    "cli", "mov %cr0,%rax", "lea 0x3000(%rbx),%rsp; ret", "lea 0x4000(%rbx),%rsp; call 7f; 7:", "mov $-1,%rax; mov $2,%ecx; mov $2,%edx; div %rcx",
    "test $3,%bpl; jnz 9f; ud2; 9:", "test $3,%bpl; jnz 9f; hlt; 9:",
};

static const char *const strings[] = {"movsb", "movsw", "movsl", "movsq", "stosb", "stosw", "stosl", "stosq", "lodsb", "lodsl",
                                      "lodsq", "cmpsb", "cmpsl", "cmpsq", "scasb", "scasl", "scasq"};

static const char *const pointers[] = {"rsi", "rdi", "r8", "r9"};

static void operand(char *to, size_t room)
{
    static const unsigned steps[] = {0, 1, 3, 4, 8, 16, 32, 60, 64, 128};
    const char *p = pointers[(turn += 1 + below(3)) % 4]; /* not that of the reference before */

    if (below(4))
        snprintf(to, room, "%u(%%%s)", below(3) ? PICK(steps) : 0, p);
    else
        snprintf(to, room, "%u(%%%s,%%rbp,%u)", PICK(steps), p, 1u << below(4));
}

static void string_insn(void)
{
    const char *name = PICK(strings);
    bool compares = name[0] == 'c' || name[1] == 'c';

    switch (below(4)) {
    case 0: printf("%s; ", name); break;
    case 1: printf("mov %%ebp,%%ecx; and $15,%%ecx; %s %s; ", compares ? below(2) ? "repe" : "repne" : "rep", name); break;
    case 2: printf("std; mov $%u,%%ecx; %s %s; cld; ", below(30), compares ? "repe" : "rep", name); break;
    default: printf("mov $%u,%%ecx; %s %s; ", below(200), compares ? "repe" : "rep", name);
    }
}

static void insn(void)
{
    char mem[64];
    unsigned what = below(100);

    if (what < 60) {
        operand(mem, sizeof mem);
        printf(PICK(simple), mem);
        printf("; " BETWEEN);
    } else if (what < 82) {
        printf("%s; " BETWEEN, PICK(plain));
    } else if (what < 90) {
        string_insn();
    } else {
        printf("add $%u,%%%s; ", 1u << below(7), PICK(pointers));
    }
}

/* Somewhere in pages 0 and 1, or near a page that faults. */
static int place(bool close)
{
    static const int edges[] = {0x2000, 0x2000, 0x3000, 0x4000, 0x4000, 0x6000, 0x6000};
    int edge = PICK(edges);

    if (!close)
        return (int)below(0x1e00);
    return edge == 0x3000 ? edge - 64 + (int)below(128) : edge == 0x4000 ? edge + (int)below(256) - 32 : edge - (int)below(256);
}

static void piece(unsigned k)
{
    static const char *const leaves[] = {"", "", "", "mov $1,%r13d; "};
    static const int edges[] = {0x2000, 0x3000, 0x6000}, stacks[] = {0x6000, 0x6000, 0x5f80, 0x4018, 0x4040, 0x2040, 0x5ff0};
    unsigned n = 2 + below(9), close = below(4);

    printf("piece%u: lea 0x%x(%%rbx),%%rsp; call protect; lea 0x%x(%%rbx),%%rsp; lea piece%u(%%rip),%%r15; xor %%r14d,%%r14d; xor %%r13d,%%r13d; ", k, 0x5000, PICK(stacks), k + 1);
    printf("%s", PICK(leaves));
    if (!below(3))
        printf("lea 0x%x(%%rbx),%%r14; ", PICK(edges));
    for (unsigned p = 0; p < 4; p++)
        printf("lea 0x%x(%%rbx),%%%s; ", place(p == close), pointers[p]);
    printf("mov $0x8123456789abcdef,%%r12; xor %%eax,%%eax; xor %%edx,%%edx; xor %%r10d,%%r10d; mov $%u,%%ebp; jmp 1f; 1: ", 1 + below(60));
    for (unsigned i = 0; i < n; i++) {
        insn();
        if (!below(8 * n))
            printf("%s; ", PICK(refused));
    }
    if (!below(3))
        printf("add $%u,%%%s; ", 1u << below(7), pointers[close]);
    printf("dec %%ebp; jnz 1b; %s; ", below(6) ? "jmp 2f; 2:" : PICK(refused));
    if (below(2))
        insn();
    printf("jmp piece%u\n", k + 1);
}

int main(int argc, char **argv)
{
    unsigned pieces = argc > 2 ? (unsigned)atoi(argv[2]) : 1, from = argc > 3 ? (unsigned)atoi(argv[3]) : 0, to = argc > 4 ? (unsigned)atoi(argv[4]) : pieces;

    for (unsigned k = 0; k < pieces; k++) {
        state = (uint64_t)atoll(argv[1]) * 1000003u + k * 7919u;
        turn = 0;
        for (unsigned i = 0; i < 8; i++)
            below(2);
        if (k >= from && k < to)
            piece(k);
        else
            printf("piece%u: jmp piece%u\n", k, k + 1);
    }
    printf("piece%u: jmp done\n", pieces);
    return 0;
}
