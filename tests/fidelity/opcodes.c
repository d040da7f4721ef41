/* opcodes.c - every opcode of every map: is it undefined, does it fault otherwise, or how long is it?
 *
 *   opcodes            with some of the prefixes; a line for each map: how many encodings end in each way, and a digest
 *   opcodes all        with all; a line for each opcode and set of prefixes, too: an outcome for each ModRM byte
 *
 *       0f c7 66:  UUUUUU44UUUUUUUU      U #UD, G #GP, P page fault, N SIGILL otherwise, F SIGFPE, B SIGBUS, T another trap,
 *                                        1 to f its length, J control is elsewhere
 *
 * The trap flag is set, so that one instruction is executed, from the handler of the signal before.  Left out: what calls the kernel or the
 * hypervisor, far transfers, fs and its base, PKRU, transactions, and what the kernel emulates (UMIP). */
#define _GNU_SOURCE
#include <setjmp.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <ucontext.h>

enum { THIN = 13 /* of the sets of prefixes, for each opcode, but for the first two */ };
enum { TF = 0x100, PAGE = 4096, ROOM = 32 * PAGE };

static uint8_t *const code = (uint8_t *)0x200000, *const data = (uint8_t *)0x300000, *const stack = (uint8_t *)0x400000;
static sigjmp_buf back;
static bool all;
static uint8_t clean[16384] __attribute__((aligned(64))); /* x87 and vector state to begin with */
static unsigned clean_bytes;

/* ---- encodings: each has a head, and a ModRM byte for each of its variants ---- */

struct head {
    uint8_t bytes[12];
    unsigned n;
};

static const uint8_t some_modrm[] = {0x07, 0x0f, 0x17, 0x1f, 0x27, 0x2f, 0x37, 0x3f, 0xc6, 0xce, 0xd6, 0xde, 0xe6, 0xee, 0xf6, 0xfe};

static struct {
    unsigned map, opcode, prefix, modrm; /* of the running one */
    struct head head;
    bool every_modrm, started;
    char outcomes[257];
    unsigned n;
} now;

static struct head add(struct head h, unsigned byte)
{
    h.bytes[h.n++] = (uint8_t)byte;
    return h;
}

static struct head add_all(struct head h, const char *bytes, unsigned n)
{
    while (n--)
        h = add(h, (uint8_t)*bytes++);
    return h;
}

static const struct { const char *bytes; unsigned n; } prefixes[] = {{"", 0}, {"\x66", 1}, {"\xf2", 1}, {"\xf3", 1}, {"\xf0", 1}, {"\x48", 1}, {"\x66\xf3", 2}, {"\x66\x48", 2}, {"\xf3\x48", 2}, {"\x67", 1}, {"\xf0\xf3", 2}, {"\xf0\x66\x4c", 3}};
#define PREFIXES (sizeof prefixes / sizeof prefixes[0])

static struct head legacy(const char *escape, unsigned n)
{
    struct head h = {.n = 0};

    h = add_all(h, prefixes[now.prefix].bytes, prefixes[now.prefix].n);
    return add(add_all(h, escape, n), now.opcode);
}

static struct head one_byte(void) { return legacy("", 0); }
static struct head two_bytes(void) { return legacy("\x0f", 1); }
static struct head map_38(void) { return legacy("\x0f\x38", 2); }
static struct head map_3a(void) { return legacy("\x0f\x3a", 2); }
static struct head now3d(void) { return legacy("\x0f\x0f\xc1", 3); } /* the opcode is the suffix */

/* prefix: pp, W, L, vvvv or not, map */
static struct head vex_of(unsigned first, unsigned map)
{
    unsigned p = now.prefix;
    struct head h = {.n = 0};

    h = add(add(h, first), 0xe0 | map);
    return add(add(h, (p >> 2 & 1) << 7 | (p & 16 ? 0x68 : 0x78) | (p >> 3 & 1) << 2 | (p & 3)), now.opcode);
}

static struct head vex_0(void) { return vex_of(0xc4, 0); }
static struct head vex_1(void) { return vex_of(0xc4, 1); }
static struct head vex_2(void) { return vex_of(0xc4, 2); }
static struct head vex_3(void) { return vex_of(0xc4, 3); }
static struct head vex_5(void) { return vex_of(0xc4, 5); }
static struct head vex_7(void) { return vex_of(0xc4, 7); }
static struct head xop_8(void) { return vex_of(0x8f, 8); }
static struct head xop_9(void) { return vex_of(0x8f, 9); }
static struct head xop_10(void) { return vex_of(0x8f, 10); }
static struct head xop_11(void) { return vex_of(0x8f, 11); }

static struct head vex2(void)
{
    struct head h = {.n = 0};

    h = add(add(h, 0xc5), 0xf8 | (now.prefix & 7));
    return add(h, now.opcode);
}

/* REX and mandatory prefixes before VEX and EVEX, and the reserved bits of EVEX. */
static struct head before_vector(void)
{
    static const struct { const char *bytes; unsigned n; } heads[] = {
        {"\x48\xc5\xf8", 3}, {"\x66\xc5\xf8", 3}, {"\xf2\xc5\xf8", 3}, {"\xf3\xc5\xf8", 3}, {"\xf0\xc5\xf8", 3}, {"\x67\xc5\xf8", 3},
        {"\x48\x62\xf1\x7c\x48", 5}, {"\x66\x62\xf1\x7c\x48", 5}, {"\xf0\x62\xf1\x7c\x48", 5}, {"\x62\xf9\x7c\x48", 4}, {"\x62\xf1\x78\x48", 4},
        {"\x62\xf1\x7c\x58", 4}, {"\x62\xf1\x7c\xc8", 4}, {"\x62\xf1\x7c\x40", 4},
    };

    if (now.prefix >= sizeof heads / sizeof heads[0])
        return (struct head){.n = 0};
    return add(add_all((struct head){.n = 0}, heads[now.prefix].bytes, heads[now.prefix].n), now.opcode);
}

/* prefix: pp, W, L'L, aaa or not */
static struct head evex_of(unsigned map)
{
    unsigned p = now.prefix;
    struct head h = {.n = 0};

    h = add(add(h, 0x62), 0xf0 | map);
    h = add(h, (p >> 2 & 1) << 7 | 0x7c | (p & 3));
    return add(add(h, (p >> 3 & 3) << 5 | 8 | (p >> 5 & 1)), now.opcode);
}

static struct head evex_0(void) { return evex_of(0); }
static struct head evex_1(void) { return evex_of(1); }
static struct head evex_2(void) { return evex_of(2); }
static struct head evex_3(void) { return evex_of(3); }
static struct head evex_4(void) { return evex_of(4); }
static struct head evex_5(void) { return evex_of(5); }
static struct head evex_6(void) { return evex_of(6); }
static struct head evex_7(void) { return evex_of(7); }

static const struct {
    const char *name;
    struct head (*head)(void);
    unsigned prefixes, step; /* step: of the 16 ModRM bytes one in so many */
} maps[] = {
    {"one byte", one_byte, PREFIXES, 1}, {"0f", two_bytes, PREFIXES, 1}, {"0f 38", map_38, PREFIXES, 4}, {"0f 3a", map_3a, PREFIXES, 4},
    {"3DNow!", now3d, 2, 16}, {"vex of 2 bytes", vex2, 8, 1}, {"vex 0", vex_0, 1, 8}, {"vex 1", vex_1, 32, 4}, {"vex 2", vex_2, 32, 4},
    {"vex 3", vex_3, 32, 8}, {"vex 5", vex_5, 4, 8}, {"vex 7", vex_7, 4, 8}, {"xop 8", xop_8, 16, 8}, {"xop 9", xop_9, 16, 2}, {"xop 10", xop_10, 16, 8},
    {"xop 11", xop_11, 1, 8}, {"prefixes and vectors", before_vector, 14, 8}, {"evex 0", evex_0, 1, 8}, {"evex 1", evex_1, 64, 4},
    {"evex 2", evex_2, 64, 8}, {"evex 3", evex_3, 64, 8}, {"evex 4", evex_4, 4, 8}, {"evex 5", evex_5, 64, 8}, {"evex 6", evex_6, 64, 8},
    {"evex 7", evex_7, 4, 8},
};

/* ---- what is left out ---- */

static bool is_prefix(unsigned byte)
{
    return (byte & 0xf0) == 0x40 || byte == 0x26 || byte == 0x2e || byte == 0x36 || byte == 0x3e || (byte & 0xfc) == 0x64 || byte == 0xf0 ||
           byte == 0xf2 || byte == 0xf3;
}

/* Branches of 16 bits, with 66h on AMD's processors: they go below 64 KiB, and quern refuses them (doc/limits.md). */
static bool goes_below_64K(unsigned op, unsigned reg)
{
    bool branch = op == 0xc2 || op == 0xc3 || (op >= 0xe0 && op <= 0xe3) || op == 0xe8 || (op == 0xff && (reg == 2 || reg == 4));

    return branch && __builtin_cpu_is("amd") && memchr(now.head.bytes, 0x66, now.head.n);
}

/* One-byte opcodes: prefixes and escapes, far transfers, int $0x80; xbegin; mov to fs. */
static bool leaves_out_one_byte(unsigned op, unsigned modrm)
{
    unsigned reg = modrm >> 3 & 7;

    switch (op) {
    case 0x0f: case 0x62: case 0x8f: case 0xc4: case 0xc5: return op != 0x8f || reg != 0;
    case 0xca: case 0xcb: case 0xcf: return true;
    case 0xff: return reg == 3 || reg == 5;
    case 0xc7: return modrm == 0xf8;
    case 0x8e: return reg == 4;
    default: return is_prefix(op);
    }
}

/* syscall, sysenter, escapes, fs; UMIP; vmcall and vmmcall, wrpkru, wrfsbase, uintr. */
static bool leaves_out_two_bytes(unsigned op, unsigned modrm)
{
    unsigned reg = modrm >> 3 & 7;

    switch (op) {
    case 0x05: case 0x34: case 0x38: case 0x3a: case 0x0f: case 0xa1: case 0xb4: return true;
    case 0x00: return reg < 2;
    case 0x01: return (modrm < 0xc0 && (reg < 2 || reg == 4)) || (modrm >= 0xe0 && reg == 4) || modrm == 0xc1 || modrm == 0xd9 || modrm == 0xef;
    case 0xae: return modrm >= 0xc0 && (reg == 2 || reg == 3);
    default: return false;
    }
}

static bool leaves_out(unsigned modrm)
{
    unsigned op = now.opcode;

    if (!now.head.n || (!all && now.prefix > 1 && (op + now.prefix) % THIN))
        return true;
    if (maps[now.map].head == one_byte)
        return leaves_out_one_byte(op, modrm) || goes_below_64K(op, modrm >> 3 & 7);
    if (maps[now.map].head == two_bytes)
        return leaves_out_two_bytes(op, modrm);
    return false;
}

/* ---- the walk ---- */

static bool wants_every_modrm(void)
{
    if (maps[now.map].head == one_byte)
        return (now.opcode & 0xf8) == 0xd8 && now.prefix < 2;
    return maps[now.map].head == two_bytes && (now.opcode == 0x01 || now.opcode == 0xae || now.opcode == 0xc7 || now.opcode == 0x1e) && now.prefix < 6;
}

static uint64_t digest;
static unsigned totals[128];

static void end_line(void)
{
    now.outcomes[now.n] = 0;
    if (all && now.n) {
        printf("%s %02x, %02x:", maps[now.map].name, now.opcode, now.prefix);
        for (unsigned i = 0; i < now.head.n; i++)
            printf(" %02x", now.head.bytes[i]);
        printf(": %s\n", now.outcomes);
    }
    for (unsigned i = 0; i < now.n; i++) {
        digest = (digest ^ (uint8_t)now.outcomes[i]) * 0x100000001b3 + now.opcode;
        totals[(unsigned)now.outcomes[i]]++;
    }
    now.n = 0;
}

static void end_map(void)
{
    printf("%s:", maps[now.map].name);
    for (unsigned i = 0; i < 128; i++)
        if (totals[i])
            printf(" %c %u", (int)i, totals[i]);
    printf(", %016lx\n", digest);
    fflush(stdout);
    memset(totals, 0, sizeof totals);
    digest = 0;
}

static void begin_line(void)
{
    now.head = maps[now.map].head();
    now.modrm = 0;
    now.every_modrm = wants_every_modrm();
}

static unsigned modrm_of(unsigned i) { return now.every_modrm ? i : some_modrm[i * maps[now.map].step % 16 + i * maps[now.map].step / 16]; }

static unsigned modrms(void) { return now.every_modrm ? 256 : maps[now.map].step == 16 ? 2 : 16 / maps[now.map].step; }

/* The next encoding; false: there is none. */
static bool advance(void)
{
    if (!now.started) {
        now.started = true;
        begin_line();
    } else {
        now.modrm++;
    }
    for (;;) {
        for (; now.modrm < modrms(); now.modrm++)
            if (!leaves_out(modrm_of(now.modrm)))
                return true;
        end_line();
        if (++now.prefix == maps[now.map].prefixes) {
            now.prefix = 0;
            if (++now.opcode == 256) {
                end_map();
                now.opcode = 0;
                if (++now.map == sizeof maps / sizeof maps[0])
                    return false;
            }
        }
        begin_line();
    }
}

static void prepare(ucontext_t *uc)
{
    greg_t *g = uc->uc_mcontext.gregs;
    uint8_t *p = code + PAGE - 64;
    unsigned n = now.head.n;

    memset(p, 0x90, 64);
    memcpy(p, now.head.bytes, n);
    if (maps[now.map].head == now3d) {
        p[n - 2] = modrm_of(now.modrm) < 0xc0 ? 0x07 : 0xc6; /* in front of the suffix */
    } else {
        p[n] = (uint8_t)modrm_of(now.modrm);
        if ((p[n] & 7) == 4 && p[n] < 0xc0)
            p[n + 1] = 0x27; /* (%rdi) */
        if ((p[n] & 0xc7) == 5)
            memset(p + n + 1, 0, 4);
    }
    for (unsigned r = 0; r < 16; r++)
        g[r] = (greg_t)(uintptr_t)(data + ROOM / 2);
    g[REG_RSP] = (greg_t)(uintptr_t)(stack + ROOM / 2);
    g[REG_RAX] = 0; /* xsave of nothing */
    g[REG_RDX] = 0;
    for (unsigned i = 0; i < 64; i++)
        ((uint64_t *)(void *)(stack + ROOM / 2))[i] = (uintptr_t)code;
    memset(data + ROOM / 2, 0, 1024);
    g[REG_RIP] = (greg_t)(uintptr_t)p;
    g[REG_EFL] = 0x202 | TF;
    memcpy(uc->uc_mcontext.fpregs, clean, clean_bytes);
}

static char outcome(int sig, const siginfo_t *info, const greg_t *g)
{
    uint64_t moved = (uint64_t)g[REG_RIP] - (uintptr_t)(code + PAGE - 64);

    if (sig == SIGTRAP && g[REG_TRAPNO] == 1) /* si_code is not always TRAP_TRACE where a hypervisor moves the machine */
        return moved && moved < 16 ? "0123456789abcdef"[moved] : moved ? 'J' : '0';
    if (sig == SIGTRAP)
        return 'T';
    if (moved)
        return 'j';
    switch (sig) {
    case SIGILL: return info->si_code == ILL_ILLOPN && g[REG_TRAPNO] == 6 ? 'U' : 'N';
    case SIGSEGV: return g[REG_TRAPNO] == 13 ? 'G' : 'P';
    case SIGFPE: return 'F';
    default: return 'B';
    }
}

static void on_signal(int sig, siginfo_t *info, void *context)
{
    ucontext_t *uc = context;

    __asm__ volatile("sub $128, %rsp; pushfq; andl $0xfffbffff, (%rsp); popfq; add $128, %rsp"); /* AC */
    if (!clean_bytes) {
        uint32_t size;

        memcpy(&size, (uint8_t *)uc->uc_mcontext.fpregs + 480, sizeof size); /* of the state, if it is extended */
        clean_bytes = size >= 576 && size <= sizeof clean - 4 ? size + 4 : 512;
        memcpy(clean, uc->uc_mcontext.fpregs, clean_bytes);
    } else {
        now.outcomes[now.n++] = outcome(sig, info, uc->uc_mcontext.gregs);
    }
    if (!advance())
        siglongjmp(back, 1);
    prepare(uc);
}

int main(int argc, char **argv)
{
    static const int signals[] = {SIGTRAP, SIGILL, SIGBUS, SIGFPE, SIGSEGV};
    static uint8_t alternate[1 << 17];
    stack_t other = {alternate, 0, sizeof alternate};
    struct sigaction act = {.sa_sigaction = on_signal, .sa_flags = SA_SIGINFO | SA_ONSTACK};

    (void)argv;
    all = argc > 1;
    mmap(code, PAGE, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
    mmap(data, ROOM, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
    mmap(stack, ROOM, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
    sigaltstack(&other, NULL);
    for (unsigned i = 0; i < sizeof signals / sizeof signals[0]; i++)
        sigaction(signals[i], &act, NULL);
    if (!sigsetjmp(back, 1))
        raise(SIGTRAP);
    return 0;
}
