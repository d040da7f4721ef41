/* tests/unit/decode/decode_hardware.c - the decoder against the processor it runs on.
 *
 *   decode_hardware [-v] [-m 64|32] [-n STRINGS] [-t SYSTEMATIC] [-s SEED]
 *
 * Question: is every string as long for the decoder as for the processor, and is none rejected that the processor
 * executes?  Method: the first k bytes lie at the end of a page, the next page is not there, and all registers hold
 * addresses that fault.  A fault on fetching from the missing page means that the instruction is longer than k bytes;
 * any other outcome (single-step trap, #GP on an operand, #UD) that it is not.  So for a decoded length L, k = L - 1
 * must end in a fetch fault and k = L must not.
 * 32-bit mode: the same in a 32-bit code segment (compatibility mode).  Entry is by iretq, which sets CS, RFLAGS.TF
 * and RIP at once; the way out is the signal.
 * What the processor refuses (#UD) has no length to compare; it must lack a CPUID feature that the decoder tells
 * (host_features.h), or the decoder must say that it raises #UD (QN_ATTR_UD).
 * Not executed: what could leave the sandbox (system calls and calls of the hypervisor, loads of segment registers and
 * FS/GS base, operands in FS).  Waiting ends at once, for nothing can be monitored where the registers point. */
#define _GNU_SOURCE
#include <signal.h>
#include <sys/mman.h>
#include <ucontext.h>

#include "host_features.h"
#include "input.h"

#define PAGE 4096
#define SANDBOX_64 0x180000000000ull /* nothing else within 2 GiB, so rip-relative operands fault */
#define SANDBOX_32 0x40000000ull     /* nothing else below 4 GiB (this program is position-independent) */
#define NON_CANONICAL 0x4141000000000000ull
#define UNMAPPED_32 0x41410000ull
#define CS_64 0x33                   /* Linux: __USER_CS, __USER32_CS, __USER_DS */
#define CS_32 0x23
#define SS_USER 0x2b
#define TRAP_FLAG 0x100
#define RFLAGS 0x202
#define FETCH_FAULT 0x10 /* page fault error code: instruction fetch */

enum outcome { FETCH, ILLEGAL, OTHER };

static uint8_t *page;
static enum qn_machine machine;
static bool verbose;
static volatile enum outcome outcome;
/* What the entry sequence needs and the handler brings back; rip-relative, so that no register is used up. */
static struct {
    uint64_t rsp, back;                 /* of the host */
    uint64_t frame[5];                  /* for iretq: rip, cs, rflags, rsp, ss */
    uint64_t fill;                      /* every other register */
} entry __attribute__((used));

/* Enter the sandbox; comes back when the handler has set rip to entry.back and rsp to entry.rsp. */
__attribute__((naked, noinline)) static void run_sandbox(void)
{
    __asm__("push %rbx; push %rbp; push %r12; push %r13; push %r14; push %r15\n\t"
            "lea 1f(%rip), %rax; mov %rax, entry+8(%rip); mov %rsp, entry(%rip)\n\t"
            "mov entry+56(%rip), %rax\n\t"
            "mov %rax, %rbx; mov %rax, %rcx; mov %rax, %rdx; mov %rax, %rsi; mov %rax, %rdi; mov %rax, %rbp\n\t"
            "mov %rax, %r8; mov %rax, %r9; mov %rax, %r10; mov %rax, %r11; mov %rax, %r12; mov %rax, %r13\n\t"
            "mov %rax, %r14; mov %rax, %r15\n\t"
            "lea entry+16(%rip), %rsp; iretq\n"
            "1: pop %r15; pop %r14; pop %r13; pop %r12; pop %rbp; pop %rbx; cld; ret");
}

static void handle(int signal, siginfo_t *info, void *data)
{
    ucontext_t *context = data;
    greg_t *r = context->uc_mcontext.gregs;
    bool fetch = signal == SIGSEGV && info->si_addr == page + PAGE && (uint64_t)r[REG_RIP] == entry.frame[0] &&
                 (r[REG_ERR] & FETCH_FAULT);

    if (!entry.back)
        _Exit(99);
    outcome = fetch ? FETCH : signal == SIGILL ? ILLEGAL : OTHER;
    context->uc_mcontext.fpregs->cwd = 0x37f; /* no x87 or SSE exception stays pending */
    context->uc_mcontext.fpregs->swd = 0;
    context->uc_mcontext.fpregs->mxcsr = 0x1f80;
    r[REG_RIP] = entry.back;
    r[REG_RSP] = entry.rsp;
    r[REG_EFL] = RFLAGS;
    r[REG_CSGSFS] = (r[REG_CSGSFS] & 0x0000ffffffff0000ull) | CS_64 | (uint64_t)SS_USER << 48;
    entry.back = 0;
}

static enum outcome probe(const uint8_t *bytes, unsigned n)
{
    memcpy(page + PAGE - n, bytes, n);
    entry.frame[0] = (uint64_t)(page + PAGE - n);
    entry.frame[1] = machine & QN_MACHINE_32 ? CS_32 : CS_64;
    entry.frame[2] = RFLAGS | TRAP_FLAG;
    entry.frame[3] = UNMAPPED_32; /* an address: without, some hypervisors let no interrupted program go on */
    entry.frame[4] = SS_USER;
    run_sandbox();
    return outcome;
}

/* Kernels that do not run 32-bit programs may have no 32-bit code segment: then the fault is iretq's. */
static bool can_enter(void)
{
    return probe((const uint8_t[]){0x0f}, 1) == FETCH;
}

static bool prepare(enum qn_machine m)
{
    static const int signals[] = {SIGSEGV, SIGILL, SIGTRAP, SIGBUS, SIGFPE};
    static uint8_t stack[1 << 17];
    stack_t alternate = {.ss_sp = stack, .ss_size = sizeof stack};
    struct sigaction action = {.sa_sigaction = handle, .sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER};

    machine = m;
    page = mmap((void *)(m & QN_MACHINE_32 ? SANDBOX_32 : SANDBOX_64), PAGE, PROT_READ | PROT_WRITE | PROT_EXEC,
                MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
    if (page == MAP_FAILED || sigaltstack(&alternate, NULL))
        return false;
    memset(page, 0xcc, PAGE);
    entry.fill = m & QN_MACHINE_32 ? UNMAPPED_32 : NON_CANONICAL;
    for (size_t i = 0; i < sizeof signals / sizeof *signals; i++)
        sigaction(signals[i], &action, NULL);
    return can_enter();
}

/* Loads of es, cs, ss, ds, fs, gs; the kernel and this program need what is in them. */
static bool loads_segment(const struct qn_insn *insn)
{
    bool pop = insn->map == 0 && insn->opcode < 0x20 && (insn->opcode & 7) == 7; /* 32-bit mode only */
    bool load_far = (insn->map == 0 && (insn->opcode & 0xfe) == 0xc4) ||
                    (insn->map == 1 && (insn->opcode == 0xb2 || insn->opcode == 0xb4 || insn->opcode == 0xb5));

    return (insn->attr & QN_ATTR_FSGSBASE) || pop || (insn->encoding == QN_ENC_LEGACY && load_far) ||
           (insn->map == 0 && insn->opcode == 0x8e);
}

static bool is_harmless_decoded(const struct qn_insn *insn)
{
    bool system = insn->encoding == QN_ENC_LEGACY && insn->map == 1 && insn->opcode == 0x01;
    bool calls_host = system && (insn->modrm == 0xc1 || insn->modrm == 0xd9); /* vmcall, vmmcall, vmgexit */

    return insn->cls != QN_CLS_SYSCALL && insn->cls != QN_CLS_SYSENTER && insn->cls != QN_CLS_INT &&
           insn->cls != QN_CLS_INT3 && insn->cls != QN_CLS_FAR && !loads_segment(insn) && !calls_host;
}

/* May these bytes be executed at all?  By what the decoder says, and by opcode where it rejects them. */
static bool is_harmless(const uint8_t *bytes, const struct qn_insn *insn, enum qn_decode_status status)
{
    if (!(machine & QN_MACHINE_32) && memchr(bytes, 0x64, QN_INSN_MAX_LEN))
        return false; /* fs:disp32 would reach our own thread block */
    if (status == QN_DEC_OK)
        return is_harmless_decoded(insn);
    for (unsigned i = 0; i + 1 < QN_INSN_MAX_LEN; i++) {
        uint8_t next = bytes[i + 1];
        bool system = next == 0x05 || next == 0x34 || next == 0x01 || next == 0xae;
        if ((bytes[i] == 0x0f && system) || bytes[i] == 0x8e || bytes[i] == 0xcd)
            return false;
    }
    return true;
}

struct totals {
    unsigned long strings, compared, refused, skipped, different, tolerated;
};

/* AMD's family 19h (Zen 3, Zen 4) does not refuse all encodings of AVX-512 whose reserved bits are set, or of opmasks beyond k7, for which
 * the manuals say #UD (Intel SDM volume 2, "#UD equations" of EVEX): its family 1Ah and Intel's processors do. */
static bool tolerates_reserved_bits(void)
{
    unsigned a = 0, b, c, d, family;
    bool amd;

    __asm__("cpuid" : "+a"(a), "=b"(b), "=c"(c), "=d"(d));
    amd = b == 0x68747541; /* "Auth" */
    a = 1;
    __asm__("cpuid" : "+a"(a), "=b"(b), "=c"(c), "=d"(d));
    family = (a >> 8 & 15) + (a >> 20 & 255);
    return amd && family == 0x19;
}

/* Behind segment and address-size prefixes; any other prefix before it is refused anyway. */
static bool is_evex(const uint8_t *bytes)
{
    while (*bytes == 0x26 || *bytes == 0x2e || *bytes == 0x36 || *bytes == 0x3e || *bytes == 0x65 || *bytes == 0x67)
        bytes++;
    return *bytes == 0x62;
}

/* kmov, kand and their like: opcodes 41 to 4b and 90 to 99 of map 1, 30 to 33 of map 3. */
static bool is_opmask(const struct qn_insn *insn)
{
    unsigned op = insn->opcode;

    return insn->encoding == QN_ENC_VEX && ((insn->map == 1 && ((op >= 0x41 && op <= 0x4b) || (op >= 0x90 && op <= 0x99))) ||
                                            (insn->map == 3 && op >= 0x30 && op <= 0x33));
}

static void differ(struct totals *t, const char *what, const uint8_t *bytes, unsigned n)
{
    t->different++;
    if (!verbose && t->different > 10)
        return;
    printf("# %s:", what);
    for (unsigned i = 0; i < n; i++)
        printf(" %02x", bytes[i]);
    putchar('\n');
}

static bool has_xop(void)
{
    unsigned a = 0x80000001, b, c, d;

    __asm__("cpuid" : "+a"(a), "=b"(b), "=c"(c), "=d"(d));
    return c >> 11 & 1;
}

/* AMD's processors fetch an immediate for vmread before they raise #UD; ud1 raises it before its ModRM is fetched.  Without XOP its first bytes,
 * 8f /1 to /7, are a pop that does not exist, which is as long as its ModRM says. */
static bool length_not_observable(const struct qn_insn *insn)
{
    static int xop = -1;

    if (xop < 0)
        xop = has_xop();
    return (insn->attr & QN_ATTR_PRIV) || insn->cls == QN_CLS_UD || (insn->encoding == QN_ENC_XOP && !xop);
}

/* vpextrd and vpinsrd outside 64-bit mode with VEX.W: Intel's processors ignore it (SDM, operand encoding of VPINSRQ), AMD's raise #UD. */
static bool is_wide_insert(const uint8_t *bytes)
{
    while (*bytes == 0x26 || *bytes == 0x2e || *bytes == 0x36 || *bytes == 0x3e || *bytes == 0x64 || *bytes == 0x65 || *bytes == 0x67)
        bytes++;
    return machine == QN_MACHINE_32 && bytes[0] == 0xc4 && (bytes[1] & 31) == 3 && bytes[2] >> 7 && (bytes[3] == 0x16 || bytes[3] == 0x22);
}

/* sldt, str, verw and the like: hypervisors without help of the hardware execute them themselves and do not look for a lock. */
static bool is_emulated(const struct qn_insn *insn)
{
    unsigned a = 1, b, c, d;

    __asm__("cpuid" : "+a"(a), "=b"(b), "=c"(c), "=d"(d));
    return c >> 31 && insn->map == 1 && insn->opcode == 0x00 && insn->encoding == QN_ENC_LEGACY;
}

static void compare_decoded(const uint8_t *bytes, const struct qn_insn *insn, struct totals *t)
{
    enum outcome shorter = insn->len > 1 ? probe(bytes, insn->len - 1) : FETCH;
    enum outcome whole = probe(bytes, insn->len);

    if (!(insn->attr & QN_ATTR_UD) && enter_features(bytes, insn, whole == ILLEGAL))
        differ(t, "its features have nothing to do with what the processor does", bytes, insn->len);
    if (whole == ILLEGAL || shorter == ILLEGAL) {
        t->refused++;
        return;
    }
    t->compared++;
    if (shorter != FETCH)
        differ(t, "shorter for the processor", bytes, insn->len);
    else if (whole == FETCH)
        differ(t, "longer for the processor", bytes, QN_INSN_MAX_LEN);
    else if ((insn->attr & QN_ATTR_UD) && tolerates_reserved_bits() && (is_opmask(insn) || insn->encoding == QN_ENC_EVEX))
        t->tolerated++;
    else if ((insn->attr & QN_ATTR_UD) && !is_emulated(insn))
        differ(t, "should raise #UD, but the processor takes it", bytes, insn->len);
}

static void compare(const uint8_t *bytes, struct totals *t)
{
    struct qn_insn insn;
    enum qn_decode_status status = qn_decode_insn_for(machine, bytes, QN_INSN_MAX_LEN, &insn);

    t->strings++;
    if (status == QN_DEC_TOO_LONG || !is_harmless(bytes, &insn, status) ||
        (status == QN_DEC_OK && length_not_observable(&insn))) {
        t->skipped++;
    } else if (status == QN_DEC_OK) {
        compare_decoded(bytes, &insn, t);
    } else {
        t->compared++;
        /* with 14 bytes, so that #GP for more than 15 bytes does not count as accepted */
        if (probe(bytes, QN_INSN_MAX_LEN - 1) != OTHER)
            return;
        if ((tolerates_reserved_bits() && is_evex(bytes)) || is_wide_insert(bytes))
            t->tolerated++;
        else
            differ(t, "rejected, but the processor takes it", bytes, QN_INSN_MAX_LEN);
    }
}

static bool conclude(unsigned number, const char *what, const struct totals *t)
{
    printf("# %lu strings: %lu compared, %lu refused by the processor, %lu not tried, %lu different\n", t->strings,
           t->compared, t->refused, t->skipped, t->different);
    if (t->tolerated)
        printf("# %lu with reserved bits that this processor does not refuse\n", t->tolerated);
    printf("%s %u - %s-bit mode, lengths agree with the processor: %s\n", t->different ? "not ok" : "ok", number,
           machine & QN_MACHINE_32 ? "32" : "64", what);
    return t->different == 0;
}

struct options {
    unsigned long strings, systematic;
    enum qn_machine modes[2];
    unsigned n_modes;
};

static bool run(const struct options *o, unsigned number)
{
    struct totals random = {0}, systematic = {0};
    unsigned long step = o->systematic && o->systematic < SYSTEMATIC ? SYSTEMATIC / o->systematic | 1 : 1;
    uint8_t bytes[QN_INSN_MAX_LEN];
    bool good;

    for (unsigned long i = 0; i < o->strings; i++) {
        random_string(machine, bytes);
        compare(bytes, &random);
    }
    good = conclude(number, "random strings", &random);
    for (unsigned long n = 0; n < SYSTEMATIC; n += step) {
        systematic_string(n, machine, bytes);
        compare(bytes, &systematic);
    }
    return conclude(number + 1, "systematic strings", &systematic) && good;
}

static struct options parse(int argc, char **argv)
{
    struct options o = {300000, 700000, {QN_MACHINE_64, QN_MACHINE_32}, 2};

    for (int i = 1; i < argc; i++) {
        const char *value = i + 1 < argc ? argv[i + 1] : "";
        if (!strcmp(argv[i], "-v")) {
            verbose = true;
            continue;
        }
        i++;
        if (!strcmp(argv[i - 1], "-n"))
            o.strings = strtoul(value, NULL, 0);
        else if (!strcmp(argv[i - 1], "-t"))
            o.systematic = strtoul(value, NULL, 0);
        else if (!strcmp(argv[i - 1], "-s"))
            random_state = strtoul(value, NULL, 0);
        else if (!strcmp(argv[i - 1], "-m"))
            o.modes[0] = *value == '3' ? QN_MACHINE_32 : QN_MACHINE_64, o.n_modes = 1;
    }
    return o;
}

int main(int argc, char **argv)
{
    struct options o = parse(argc, argv);
    unsigned wrong;
    bool good = true;

    setvbuf(stdout, NULL, _IOLBF, 0);
    printf("1..%u\n", 2 * o.n_modes + 1);
    for (unsigned i = 0; i < o.n_modes; i++) {
        if (prepare(o.modes[i] | (qn_decode_host() & QN_MACHINE_AMD))) {
            good = run(&o, 2 * i + 1) && good;
            munmap(page, PAGE);
        } else {
            printf("ok %u # SKIP no page or no code segment for the sandbox\nok %u # SKIP the same\n", 2 * i + 1,
                   2 * i + 2);
        }
    }
    wrong = conclude_features();
    printf("%s %u - instructions need the features that they are said to\n", wrong ? "not ok" : "ok",
           2 * o.n_modes + 1);
    return good && !wrong ? 0 : 1;
}
