/* tests/unit/decode/decode_hardware.c - the decoder against the processor it runs on.
 *
 *   decode_hardware [-v] [-n STRINGS] [-s SEED]
 *
 * Question: is every random string as long for the decoder as for the processor, and is none rejected that the
 * processor executes?  Method: the first k bytes lie at the end of a page, the next page is not there, and
 * all registers hold non-canonical addresses.  A fault on fetching from the missing page means that the
 * instruction is longer than k bytes; any other outcome (single-step trap, #GP on an operand, #UD) that it is
 * not.  So for a decoded length L, k = L - 1 must end in a fetch fault and k = L must not.
 * What the processor refuses (#UD) proves nothing where it lacks the feature: counted, not compared.
 * Not executed: what could leave the sandbox (system calls, segment and FS/GS base loads, wrpkru,
 * waiting, operands in FS). */
#define _GNU_SOURCE
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <ucontext.h>

#include "decode/decode.h"

#define PAGE 4096
#define SANDBOX 0x180000000000ull /* nothing else within 2 GiB, so rip-relative operands fault */
#define NON_CANONICAL 0x4141000000000000ll
#define TRAP_FLAG 0x100
#define FETCH_FAULT 0x10 /* page fault error code: instruction fetch */

enum outcome { FETCH, ILLEGAL, OTHER };

static uint8_t *page;
static greg_t host[NGREG];
static volatile bool inside;
static volatile enum outcome outcome;
static greg_t start;
static bool verbose;

static void enter(ucontext_t *context)
{
    greg_t *r = context->uc_mcontext.gregs;

    memcpy(host, r, sizeof host);
    for (int i = REG_R8; i <= REG_RSP; i++)
        r[i] = NON_CANONICAL;
    r[REG_RIP] = start;
    r[REG_EFL] = TRAP_FLAG | 0x202;
    inside = true;
}

static void leave(ucontext_t *context, int signal, const siginfo_t *info)
{
    greg_t *r = context->uc_mcontext.gregs;
    bool fetch = signal == SIGSEGV && info->si_addr == page + PAGE && r[REG_RIP] == start &&
                 (r[REG_ERR] & FETCH_FAULT);

    outcome = fetch ? FETCH : signal == SIGILL ? ILLEGAL : OTHER;
    context->uc_mcontext.fpregs->cwd = 0x37f; /* no x87 or SSE exception stays pending */
    context->uc_mcontext.fpregs->swd = 0;
    context->uc_mcontext.fpregs->mxcsr = 0x1f80;
    memcpy(r, host, sizeof host);
    inside = false;
}

static void handle(int signal, siginfo_t *info, void *context)
{
    if (inside)
        leave(context, signal, info);
    else if (signal == SIGTRAP)
        enter(context);
    else
        _Exit(99);
}

static bool prepare(void)
{
    static const int signals[] = {SIGSEGV, SIGILL, SIGTRAP, SIGBUS, SIGFPE};
    static uint8_t stack[1 << 17];
    stack_t alternate = {.ss_sp = stack, .ss_size = sizeof stack};
    struct sigaction action = {.sa_sigaction = handle, .sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER};

    page = mmap((void *)SANDBOX, PAGE, PROT_READ | PROT_WRITE | PROT_EXEC,
                MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
    if (page == MAP_FAILED || sigaltstack(&alternate, NULL))
        return false;
    memset(page, 0xcc, PAGE);
    for (size_t i = 0; i < sizeof signals / sizeof *signals; i++)
        sigaction(signals[i], &action, NULL);
    return true;
}

static enum outcome probe(const uint8_t *bytes, unsigned n)
{
    memcpy(page + PAGE - n, bytes, n);
    start = (greg_t)(page + PAGE - n);
    __asm__ volatile("int3" ::
                         : "memory", "cc", "xmm0", "xmm1", "xmm2", "xmm3", "xmm4", "xmm5", "xmm6", "xmm7",
                           "xmm8", "xmm9", "xmm10", "xmm11", "xmm12", "xmm13", "xmm14", "xmm15");
    return outcome;
}

/* May these bytes be executed at all?  By what the decoder says, and by opcode where it rejects them. */
static bool is_harmless(const uint8_t *bytes, const struct qn_insn *insn, enum qn_decode_status status)
{
    if (memchr(bytes, 0x64, QN_INSN_MAX_LEN)) /* fs:disp32 would reach our own thread block */
        return false;
    if (status == QN_DEC_OK) {
        bool system = insn->map == 1 && (insn->opcode == 0x01 || insn->opcode == 0xae);
        bool waits_or_keys = system && insn->encoding == QN_ENC_LEGACY && insn->modrm >= 0xc0;
        return insn->cls != QN_CLS_SYSCALL && insn->cls != QN_CLS_SYSENTER && insn->cls != QN_CLS_INT &&
               insn->cls != QN_CLS_INT3 && insn->cls != QN_CLS_FAR && !(insn->attr & QN_ATTR_FSGSBASE) &&
               !waits_or_keys;
    }
    for (unsigned i = 0; i + 1 < QN_INSN_MAX_LEN; i++) {
        uint8_t next = bytes[i + 1];
        bool system = next == 0x05 || next == 0x34 || next == 0x01 || next == 0xae;
        if ((bytes[i] == 0x0f && system) || bytes[i] == 0x8e || bytes[i] == 0xcd)
            return false;
    }
    return true;
}

struct totals {
    unsigned long compared, refused, skipped, different;
};

static void report(const char *what, const uint8_t *bytes, unsigned n)
{
    printf("# %s:", what);
    for (unsigned i = 0; i < n; i++)
        printf(" %02x", bytes[i]);
    putchar('\n');
}

static void differ(struct totals *t, const char *what, const uint8_t *bytes, unsigned n)
{
    t->different++;
    if (verbose || t->different <= 10)
        report(what, bytes, n);
}

/* 66h before a near branch: the decoder follows Intel (ignored), AMD takes a 16-bit displacement.
 * Privileged instructions: AMD fetches an immediate for vmread before it raises #UD. */
static bool length_depends_on_vendor(const struct qn_insn *insn)
{
    bool near_branch = insn->cls == QN_CLS_JCC || insn->cls == QN_CLS_JMP || insn->cls == QN_CLS_CALL;

    return (near_branch && insn->opsz_prefix) || (insn->attr & QN_ATTR_PRIV);
}

static void compare_decoded(const uint8_t *bytes, unsigned len, struct totals *t)
{
    enum outcome shorter = len > 1 ? probe(bytes, len - 1) : FETCH;
    enum outcome whole = probe(bytes, len);

    if (whole == ILLEGAL || shorter == ILLEGAL) {
        t->refused++;
        return;
    }
    t->compared++;
    if (shorter != FETCH)
        differ(t, "shorter for the processor", bytes, len);
    else if (whole == FETCH)
        differ(t, "longer for the processor", bytes, QN_INSN_MAX_LEN);
}

static void compare(const uint8_t *bytes, struct totals *t)
{
    struct qn_insn insn;
    enum qn_decode_status status = qn_decode_insn(bytes, QN_INSN_MAX_LEN, &insn);

    if (status == QN_DEC_TOO_LONG || !is_harmless(bytes, &insn, status) ||
        (status == QN_DEC_OK && length_depends_on_vendor(&insn))) {
        t->skipped++;
    } else if (status == QN_DEC_OK) {
        compare_decoded(bytes, insn.len, t);
    } else {
        t->compared++;
        /* with 14 bytes, so that #GP for more than 15 bytes does not count as accepted */
        if (probe(bytes, QN_INSN_MAX_LEN - 1) == OTHER)
            differ(t, "rejected, but the processor takes it", bytes, QN_INSN_MAX_LEN);
    }
}

static uint64_t random_state = 1;
static unsigned random_byte(void)
{
    random_state = random_state * 6364136223846793005u + 1442695040888963407u;
    return random_state >> 56;
}

/* A random string, more often than not with prefixes, an escape or a vector prefix in front. */
static void random_string(uint8_t *s)
{
    static const uint8_t prefixes[] = {0x66, 0xf2, 0xf3, 0x67, 0x36, 0x65,
                                       0xf0, 0x2e, 0x48, 0x41, 0x4f, 0x40};
    unsigned n = 0;

    for (unsigned i = 0; i < QN_INSN_MAX_LEN; i++)
        s[i] = random_byte();
    for (unsigned k = random_byte() & 3; k && n < 3; k--)
        s[n++] = prefixes[random_byte() % sizeof prefixes];
    switch (random_byte() % 8) {
    case 0:
        break;
    case 1:
    case 2:
        s[n] = 0x0f;
        break;
    case 3:
        s[n] = 0x0f;
        s[n + 1] = random_byte() & 1 ? 0x38 : 0x3a;
        break;
    case 4:
        s[0] = 0xc5;
        break;
    case 5:
        s[0] = 0xc4;
        s[1] = (s[1] & 0xe0) | (1 + random_byte() % 3);
        break;
    default:
        s[0] = 0x62;
        s[1] = (s[1] & 0xf0) | (1 + random_byte() % 6);
        s[2] |= 4;
        if (random_byte() & 1)
            s[2] |= 0x78, s[3] |= 8;
        break;
    }
}

int main(int argc, char **argv)
{
    unsigned long strings = 300000;
    struct totals t = {0};
    uint8_t bytes[QN_INSN_MAX_LEN];

    for (int i = 1; i < argc; i++) {
        if (!strcmp(argv[i], "-v"))
            verbose = true;
        else if (!strcmp(argv[i], "-n") && i + 1 < argc)
            strings = strtoul(argv[++i], NULL, 0);
        else if (!strcmp(argv[i], "-s") && i + 1 < argc)
            random_state = strtoul(argv[++i], NULL, 0);
    }
    if (!prepare()) {
        printf("1..0 # SKIP the sandbox page cannot be mapped\n");
        return 0;
    }
    printf("1..1\n");
    for (unsigned long i = 0; i < strings; i++) {
        random_string(bytes);
        compare(bytes, &t);
    }
    printf("# %lu strings: %lu compared, %lu refused by the processor, %lu not tried, %lu different\n",
           strings, t.compared, t.refused, t.skipped, t.different);
    printf("%s 1 - lengths agree with the processor\n", t.different ? "not ok" : "ok");
    return t.different != 0;
}
