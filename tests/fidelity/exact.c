/* exact.c - what a handler sees of the registers when an instruction faults, at each of 10,000 instructions.
 *
 *   exact [SEED [COUNT]]
 *
 * Makes random code: instructions with a memory operand, each in a page of its own, and instructions between that write
 * flags and registers.  Then, for one after the other, takes its page away and runs the piece of code that it is in.
 * The handler takes pc, general registers, flags, x87 and SSE state, address and error code into a digest, and gives
 * the page back; so do registers and memory at the end.  Prints the digest every so often: run natively and under quern, it
 * has to be the same.
 */
#define _GNU_SOURCE
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <ucontext.h>

#define PIECE 50        /* instructions with a memory operand in a piece of code */
#define PIECE_BYTES 4096
#define CODE ((uint8_t *)0x200000000) /* far from where programs and libraries lie */
#define DATA ((uint8_t *)0x220000000)
#define PAGE 4096
#define STATUS_FLAGS 0xcd5 /* OF DF SF ZF AF PF CF */

static uint64_t state, digest = 0xcbf29ce484222325;
static unsigned faults;

static unsigned draw(unsigned below)
{
    state = state * 6364136223846793005u + 1442695040888963407u;
    return (unsigned)(state >> 33) % below;
}

static void mix(const void *from, size_t n)
{
    const uint8_t *p = from;

    while (n--)
        digest = (digest ^ *p++) * 0x100000001b3;
}

/* ---- code ---- */

static uint8_t *at;
static unsigned base;      /* register that points to the data of this piece; not written there */
static uint8_t *operand;   /* of the next memory instruction */
static const uint8_t *piece_data;

static void byte(unsigned b) { *at++ = (uint8_t)b; }

static void word(uint32_t w)
{
    memcpy(at, &w, 4);
    at += 4;
}

/* A general register that may be written: neither rsp nor the base. */
static unsigned any_register(void)
{
    unsigned r;

    do
        r = draw(16);
    while (r == 4 || r == base);
    return r;
}

/* prefix, REX, opcode of `n` bytes, ModRM with the memory operand: off the base or relative to rip; immediate bytes to come. */
static void memory_insn(unsigned prefix, bool wide, const char *opcode, unsigned n, unsigned reg, unsigned immediate)
{
    bool relative = draw(3) == 0;

    if (prefix)
        byte(prefix);
    byte(0x40 | wide << 3 | (reg >> 3) << 2 | (relative ? 0 : base >> 3));
    while (n--)
        byte((uint8_t)*opcode++);
    if (relative) {
        byte((reg & 7) << 3 | 5);
        word((uint32_t)(operand - (at + 4 + immediate)));
        return;
    }
    byte(0x80 | (reg & 7) << 3 | (base & 7));
    if ((base & 7) == 4)
        byte(0x24);
    word((uint32_t)(operand - piece_data));
}

static unsigned width(void) /* 66h, nothing, or 0x48 for REX.W */
{
    static const uint8_t widths[] = {0x66, 0, 0, 0x48, 0x48};

    return widths[draw(5)];
}

static void sized(const char *opcode, unsigned n, unsigned reg, unsigned immediate)
{
    unsigned w = width();

    memory_insn(w == 0x66 ? w : 0, w == 0x48, opcode, n, reg, immediate);
}

static void alu(void)
{
    char opcode = (char)(draw(8) * 8 + draw(4));

    sized(&opcode, 1, any_register(), 0);
}

static void move(void)
{
    static const char opcodes[] = "\x88\x89\x8a\x8b\x84\x85\x86\x87";

    sized(&opcodes[draw(8)], 1, any_register(), 0);
}

static void unary(void)
{
    static const char opcodes[] = "\xf6\xf7";
    unsigned which = 2 + draw(4); /* not, neg, mul, imul */

    if (which >= 4 && (base == 0 || base == 2))
        which -= 2;
    sized(&opcodes[draw(2)], 1, which, 0);
}

static void step(void)
{
    static const char opcodes[] = "\xfe\xff";

    sized(&opcodes[draw(2)], 1, draw(2), 0);
}

static void shift(void)
{
    static const char opcodes[] = "\xd0\xd1\xd2\xd3\xc0\xc1";
    static const uint8_t kinds[] = {0, 1, 2, 3, 4, 5, 7};
    unsigned k = draw(6);

    sized(&opcodes[k], 1, kinds[draw(7)], k >= 4);
    if (k >= 4)
        byte(draw(256));
}

static void two_byte(void)
{
    static const char opcodes[][2] = {"\x0f\xaf", "\x0f\xb6", "\x0f\xb7", "\x0f\xbe", "\x0f\xbf", "\x0f\xbc", "\x0f\xbd",
                                      "\x0f\xb1", "\x0f\xc1", "\x0f\xa5", "\x0f\xad", "\x0f\xa3"};
    unsigned k = draw(11); /* imul, movzx, movsx, bsf, bsr, cmpxchg, xadd, shld, shrd */

    if (k == 7 && base == 0)
        k = 8;
    sized(opcodes[k], 2, any_register(), 0);
}

static void conditional(void)
{
    char opcode[2] = {0x0f, (char)((draw(2) ? 0x40 : 0x90) + draw(16))}; /* cmovCC, setCC */

    sized(opcode, 2, any_register(), 0);
}

static void bit(void)
{
    sized("\x0f\xba", 2, 4 + draw(4), 1); /* bt, bts, btr, btc */
    byte(draw(256));
}

static void carry(void) { memory_insn(draw(2) ? 0x66 : 0xf3, draw(2), "\x0f\x38\xf6", 3, any_register(), 0); } /* adcx, adox */

static void vector(void)
{
    static const struct { uint8_t prefix; char opcode[2]; } of[] = {
        {0, {0x0f, 0x10}}, {0, {0x0f, 0x11}}, {0, {0x0f, 0x58}}, {0, {0x0f, 0x59}}, {0xf2, {0x0f, 0x58}}, {0xf3, {0x0f, 0x51}},
        {0x66, {0x0f, (char)0xef}}, {0x66, {0x0f, (char)0xfe}}, {0x66, {0x0f, 0x2f}}, {0, {0x0f, 0x2e}}, {0x66, {0x0f, (char)0xd4}},
    };
    unsigned k = draw(sizeof of / sizeof of[0]);

    memory_insn(of[k].prefix, false, of[k].opcode, 2, draw(16), 0);
}

static void x87(void)
{
    static const char opcodes[] = "\xd8\xdc\xda";

    memory_insn(0, false, &opcodes[draw(3)], 1, draw(2), 0); /* fadd, fmul */
}

static void pushed(void)
{
    memory_insn(0, false, "\xff", 1, 6, 0); /* push m ; lea 8(%rsp),%rsp */
    byte(0x48), byte(0x8d), byte(0x64), byte(0x24), byte(8);
}

static void memory_instruction(void)
{
    static void (*const kinds[])(void) = {alu, alu, alu, alu, move, move, unary, step, shift, shift, two_byte, two_byte,
                                          conditional, bit, carry, vector, vector, vector, x87, pushed};

    kinds[draw(sizeof kinds / sizeof kinds[0])]();
}

/* add, or, adc, sbb, and, sub, xor, cmp between registers; inc; shift; imul; mov; cmc; stc; a jump over nothing */
static void register_instruction(void)
{
    unsigned a = any_register(), b = draw(2) ? base : any_register(), rex = 0x48 | (b >> 3) << 2 | a >> 3, modrm = 0xc0 | (b & 7) << 3 | (a & 7);

    switch (draw(9)) {
    case 0: byte(rex), byte(0xff), byte(0xc0 | draw(2) << 3 | (a & 7)); break;
    case 1: byte(rex), byte(0xc1), byte(0xe0 | draw(2) << 3 | (a & 7)), byte(draw(64)); break;
    case 2: byte(rex), byte(0x89), byte(modrm); break;
    case 3: byte(0xf5 + 4 * draw(2)); break;
    case 4: byte(0x70 + draw(16)), byte(0); break;
    case 5: byte(0x48 | (a >> 3) << 2 | b >> 3), byte(0x0f), byte(0xaf), byte(0xc0 | (a & 7) << 3 | (b & 7)); break;
    default: byte(rex), byte(draw(8) * 8 + 1), byte(modrm); break;
    }
}

static uint8_t bases[1 << 16];

static void make_piece(unsigned piece)
{
    at = CODE + (size_t)piece * PIECE_BYTES;
    piece_data = DATA + (size_t)piece * PIECE * PAGE;
    do
        base = draw(16);
    while (base == 4);
    bases[piece] = (uint8_t)base;
    for (unsigned i = 0; i < PIECE; i++) {
        for (unsigned k = draw(3); k; k--)
            register_instruction();
        operand = DATA + ((size_t)piece * PIECE + i) * PAGE + 16 * draw(PAGE / 16);
        memory_instruction();
    }
    byte(0xc3);
}

/* ---- running it ---- */

struct registers { uint64_t r[16], flags; uint8_t fx[512] __attribute__((aligned(16))); };
struct registers cpu __attribute__((aligned(64))), own __attribute__((aligned(64)));
void *target;

/* Loads all registers from `cpu`, calls target, stores them there. */
void run_piece(void);
__asm__(".globl run_piece\nrun_piece:\n"
        "push %rbx; push %rbp; push %r12; push %r13; push %r14; push %r15\n"
        "fxsave64 own+136+8(%rip); fxrstor64 cpu+136+8(%rip); mov %rsp, own+32(%rip)\n"
        "push cpu+128(%rip); popfq\n"
        "mov cpu(%rip),%rax; mov cpu+8(%rip),%rcx; mov cpu+16(%rip),%rdx; mov cpu+24(%rip),%rbx; mov cpu+40(%rip),%rbp\n"
        "mov cpu+48(%rip),%rsi; mov cpu+56(%rip),%rdi; mov cpu+64(%rip),%r8; mov cpu+72(%rip),%r9; mov cpu+80(%rip),%r10\n"
        "mov cpu+88(%rip),%r11; mov cpu+96(%rip),%r12; mov cpu+104(%rip),%r13; mov cpu+112(%rip),%r14; mov cpu+120(%rip),%r15\n"
        "call *target(%rip)\n"
        "mov %rax,cpu(%rip); mov %rcx,cpu+8(%rip); mov %rdx,cpu+16(%rip); mov %rbx,cpu+24(%rip); mov %rbp,cpu+40(%rip)\n"
        "mov %rsi,cpu+48(%rip); mov %rdi,cpu+56(%rip); mov %r8,cpu+64(%rip); mov %r9,cpu+72(%rip); mov %r10,cpu+80(%rip)\n"
        "mov %r11,cpu+88(%rip); mov %r12,cpu+96(%rip); mov %r13,cpu+104(%rip); mov %r14,cpu+112(%rip); mov %r15,cpu+120(%rip)\n"
        "pushfq; pop cpu+128(%rip); cld\n"
        "fxsave64 cpu+136+8(%rip); fxrstor64 own+136+8(%rip)\n"
        "pop %r15; pop %r14; pop %r13; pop %r12; pop %rbp; pop %rbx; ret\n");

static void on_fault(int number, siginfo_t *info, void *context)
{
    const mcontext_t *m = &((ucontext_t *)context)->uc_mcontext;
    uint64_t flags = (uint64_t)m->gregs[REG_EFL] & STATUS_FLAGS, sp = (uint64_t)m->gregs[REG_RSP] - own.r[4];
    int facts[2] = {number, info->si_code};

    for (unsigned r = REG_R8; r <= REG_RCX; r++)
        mix(&m->gregs[r], 8);
    mix(&sp, 8);
    mix(&m->gregs[REG_RIP], 8);
    mix(&flags, 8);
    mix(&m->gregs[REG_ERR], 8);
    mix(&m->gregs[REG_TRAPNO], 8);
    mix(&m->gregs[REG_CR2], 8);
    mix(facts, sizeof facts);
    mix(&info->si_addr, 8);
    mix(m->fpregs, 416); /* x87 and SSE; what follows are reserved bytes */
    faults++;
    mprotect((void *)((uintptr_t)info->si_addr & -(uintptr_t)PAGE), PAGE, PROT_READ | PROT_WRITE);
}

static void fill(void *to, size_t n)
{
    for (uint8_t *p = to; n--; p++)
        *p = (uint8_t)draw(256);
}

static void inject(unsigned i)
{
    unsigned piece = i / PIECE;
    uint8_t *page = DATA + (size_t)i * PAGE;

    fill(cpu.r, sizeof cpu.r);
    cpu.flags = draw(2) * 0x8d5u ^ 0x202u;
    memcpy(cpu.fx, own.fx, sizeof cpu.fx);
    fill(cpu.fx + 160, 256);
    cpu.r[bases[piece]] = (uint64_t)(uintptr_t)DATA + (uint64_t)piece * PIECE * PAGE;
    target = CODE + (size_t)piece * PIECE_BYTES;
    mprotect(page, PAGE, PROT_NONE);
    run_piece();
    cpu.r[4] = 0;
    cpu.flags &= STATUS_FLAGS;
    mix(cpu.r, sizeof cpu.r + 8);
    mix(cpu.fx, 416);
    mix(page, PAGE);
}

int main(int argc, char **argv)
{
    unsigned count = argc > 2 ? (unsigned)atoi(argv[2]) : 10000, pieces;
    struct sigaction a = {.sa_sigaction = on_fault, .sa_flags = SA_SIGINFO | SA_ONSTACK};
    stack_t stack = {.ss_sp = malloc(1 << 16), .ss_size = 1 << 16};

    count -= count % PIECE;
    pieces = count / PIECE;
    state = argc > 1 ? (uint64_t)atoll(argv[1]) : 1;
    if (mmap(CODE, (size_t)pieces * PIECE_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) != CODE ||
        mmap(DATA, (size_t)count * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) != DATA)
        return 1;
    for (unsigned i = 0; i < pieces; i++)
        make_piece(i);
    mprotect(CODE, (size_t)pieces * PIECE_BYTES, PROT_READ | PROT_EXEC);
    sigaltstack(&stack, NULL);
    sigaction(SIGSEGV, &a, NULL);
    __asm__ volatile("fninit; fld1; fxsave64 %0" : "=m"(own.fx));
    for (unsigned i = 0; i < count; i++) {
        inject(i);
        if (i % 500 == 499)
            printf("%u instructions, %u faults, digest %016llx\n", i + 1, faults, (unsigned long long)digest);
    }
    return faults != count;
}
