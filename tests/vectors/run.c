/* tests/vectors/run.c - run vectors and write what came of each; see vector.h.
 *
 *   run VECTORS RESULTS              all of them
 *   run VECTORS RESULTS NUMBER       one, and its end state in words on stdout
 *
 * Runs natively or as quern's guest, and must not know which.  Left out of the results, because quern's doc/limits.md says so:
 * the x87 instruction pointer, and at a signal the status flags; besides, flags that the instruction leaves undefined. */
#define _GNU_SOURCE
#include <asm/prctl.h>
#include <cpuid.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <ucontext.h>
#include <unistd.h>

#include "vector.h"

#define XSAVE_HEADER 512
#define STATUS_FLAGS 0x8d5
#define PKRU (1ull << 9)

enum { X87, SSE, AVX, OPMASK = 5, ZMM_HIGH, ZMM_16_31, COMPONENTS };

extern uint64_t vector_in[16], vector_out[16], vector_rip, vector_in_flags, vector_out_flags, vector_mask;
extern uint32_t vector_end;
extern uint8_t vector_xsave[8192];
void vector_enter(void), vector_fall(void), vector_taken(void), vector_signal(void);

static const struct vector *current;
static uint64_t slot;
static struct result result;
static unsigned offset[COMPONENTS], size[COMPONENTS];
static bool talk;

/* ---- state before ---- */

static void learn_layout(void)
{
    unsigned a, b, c, d;

    __asm__("xgetbv" : "=a"(a), "=d"(d) : "c"(0));
    vector_mask = ((uint64_t)d << 32 | a) & ~PKRU & ((1ull << COMPONENTS) - 1);
    for (unsigned i = AVX; i < COMPONENTS; i++)
        if (vector_mask >> i & 1) {
            __cpuid_count(0xd, i, a, b, c, d);
            size[i] = a, offset[i] = b;
        }
}

static void fill_random(void *to, size_t n, uint64_t *random)
{
    uint64_t *word = to;

    for (size_t i = 0; i < n / 8; i++)
        word[i] = vector_random(random);
}

/* Exceptions stay masked and rounding as usual, mostly; the x87 stack is anything. */
static void fill_legacy(uint8_t *area, uint64_t *random)
{
    uint64_t r = vector_random(random);
    uint16_t fcw = r % 8 ? 0x37f : r >> 8 & 0xf7f;
    uint16_t fsw = r >> 20 & 0x4700; /* top and condition codes, no exception */
    uint32_t mxcsr = r >> 40 & 7 ? 0x1f80 | (r >> 43 & 0xe000) | (r >> 46 & 0x40) : r >> 43 & 0xffff;

    fill_random(area + 32, 384, random); /* st, xmm */
    for (unsigned i = 0; i < 8; i++)
        memset(area + 32 + 16 * i + 10, 0, 6);
    memset(area, 0, 32);
    memcpy(area, &fcw, 2);
    memcpy(area + 2, &fsw, 2);
    area[4] = r >> 56; /* tags */
    mxcsr &= 0xffff;
    memcpy(area + 24, &mxcsr, 4);
}

static uint8_t *vector_part(unsigned n, unsigned part)
{
    if (n >= 16)
        return vector_xsave + offset[ZMM_16_31] + 64 * (n - 16) + 16 * part;
    return part == 0   ? vector_xsave + 160 + 16 * n
           : part == 1 ? vector_xsave + offset[AVX] + 16 * n
                       : vector_xsave + offset[ZMM_HIGH] + 32 * n + 16 * (part - 2);
}

/* Indices of a gather: small, so that the elements lie in the arena. */
static void fill_indices(const struct vector *v)
{
    for (unsigned part = 0; part < 4 && v->vsib_reg < 32; part++) {
        uint8_t *to = vector_part(v->vsib_reg, part);
        for (unsigned i = 0; i < 16; i += v->vsib_bytes) {
            memset(to + i, 0, v->vsib_bytes);
            to[i] = (v->seed >> (part * 4 + i)) & 63;
        }
    }
}

static void fill_state(const struct vector *v)
{
    uint64_t random = v->seed;

    fill_random((void *)ARENA, ARENA_SIZE, &random);
    if (v->patch_at <= ARENA_SIZE - 8)
        memcpy((uint8_t *)ARENA + v->patch_at, &v->patch, 8);
    memset(vector_xsave + XSAVE_HEADER, 0, 64);
    memcpy(vector_xsave + XSAVE_HEADER, &vector_mask, 8);
    fill_legacy(vector_xsave, &random);
    for (unsigned i = AVX; i < COMPONENTS; i++)
        fill_random(vector_xsave + offset[i], size[i], &random);
    fill_indices(v);
    memcpy(vector_in, v->gpr, sizeof vector_in);
    vector_in_flags = v->flags;
}

/* ---- state after ---- */

static uint64_t mix(uint64_t hash, const void *from, size_t n)
{
    const uint8_t *bytes = from;
    uint64_t word;

    for (size_t i = 0; i + 8 <= n; i += 8) {
        memcpy(&word, bytes + i, 8);
        hash = (hash ^ word) * 0x9e3779b97f4a7c15u;
        hash ^= hash >> 29;
    }
    return hash;
}

static void show(const char *name, const uint8_t *from, size_t n)
{
    if (!talk)
        return;
    printf("%s", name);
    for (size_t i = 0; i < n; i++)
        printf("%s%02x", i % 16 ? "" : "\n  ", from[i]);
    putchar('\n');
}

/* A component in its initial state need not have been written. */
static uint64_t mix_component(uint64_t hash, const char *name, const uint8_t *area, unsigned i)
{
    static const uint8_t zeros[2048];
    uint64_t in_use;
    const uint8_t *from;

    memcpy(&in_use, area + XSAVE_HEADER, 8);
    from = in_use >> i & 1 ? area + offset[i] : zeros;
    show(name, from, size[i]);
    return mix(hash, from, size[i]);
}

static uint64_t hash_state(uint8_t *area)
{
    uint64_t hash = 1;

    memset(area + 6, 0, 10); /* last opcode, instruction pointer */
    show("x87, sse", area, 416);
    hash = mix(hash, area, 28);
    hash = mix(hash, area + 32, 384);
    hash = mix_component(hash, "avx", area, AVX);
    hash = mix_component(hash, "opmask", area, OPMASK);
    hash = mix_component(hash, "zmm high", area, ZMM_HIGH);
    return mix_component(hash, "zmm 16 to 31", area, ZMM_16_31);
}

static void forget(uint32_t at, unsigned n)
{
    if (at <= ARENA_SIZE - n)
        memset((uint8_t *)ARENA + at, 0, n);
}

static void hash_arena(const struct vector *v)
{
    const uint8_t *arena = (const uint8_t *)ARENA;

    if (v->kind & VECTOR_STORES_FXSAVE)
        forget(v->stores_at + 8, 8);
    if (v->kind & VECTOR_STORES_ENV32)
        forget(v->stores_at + 12, 8);
    if (v->kind & VECTOR_STORES_ENV16)
        forget(v->stores_at + 6, 4);
    show("arena", arena, ARENA_SIZE);
    result.arena = mix(1, arena, ARENA_SIZE);
}

static void note_signal(int signal, const siginfo_t *info, const greg_t *r)
{
    static const uint8_t order[16] = {REG_RAX, REG_RCX, REG_RDX, REG_RBX, REG_RSP, REG_RBP, REG_RSI, REG_RDI,
                                      REG_R8,  REG_R9,  REG_R10, REG_R11, REG_R12, REG_R13, REG_R14, REG_R15};
    uint64_t rip = r[REG_RIP], address = (uint64_t)info->si_addr;

    result.signal = signal;
    result.end = info->si_code;
    result.rip = rip - slot < SLOT_SIZE ? rip - slot : rip;
    result.address = address - slot < SLOT_SIZE ? address - slot : address;
    for (unsigned i = 0; i < 16; i++)
        result.gpr[i] = r[order[i]];
    result.flags = r[REG_EFL] & ~STATUS_FLAGS;
}

static void handle(int signal, siginfo_t *info, void *data)
{
    ucontext_t *context = data;
    greg_t *r = context->uc_mcontext.gregs;
    uint8_t *area = (uint8_t *)context->uc_mcontext.fpregs;

    if (!current)
        _exit(99);
    note_signal(signal, info, r);
    result.fp = hash_state(area);
    context->uc_mcontext.fpregs->cwd = 0x37f; /* nothing stays pending */
    context->uc_mcontext.fpregs->swd = 0;
    context->uc_mcontext.fpregs->mxcsr = 0x1f80;
    r[REG_RIP] = (greg_t)vector_signal;
    r[REG_EFL] = 0x202;
}

/* From the decoder's bits to those of RFLAGS. */
static uint64_t undefined_flags(const struct vector *v)
{
    static const uint16_t rflags[6] = {1, 4, 0x10, 0x40, 0x80, 0x800}; /* CF PF AF ZF SF OF */
    uint64_t mask = 0;

    for (unsigned i = 0; i < 6; i++)
        if (v->undefined >> i & 1)
            mask |= rflags[i];
    return mask;
}

static void note_end(void)
{
    result.end = vector_end;
    memcpy(result.gpr, vector_out, sizeof result.gpr);
    result.flags = vector_out_flags & ~undefined_flags(current);
    result.fp = hash_state(vector_xsave);
}

static void show_result(void)
{
    if (!talk)
        return;
    printf("signal %d end %d rip %llx address %llx flags %llx\n", result.signal, result.end,
           (unsigned long long)result.rip, (unsigned long long)result.address, (unsigned long long)result.flags);
    for (unsigned i = 0; i < 16; i++)
        printf("%sr%-2u %016llx", i % 4 ? "  " : "\n", i, (unsigned long long)result.gpr[i]);
    putchar('\n');
}

static void run_one(const struct vector *v, uint64_t at)
{
    memset(&result, 0, sizeof result);
    slot = vector_rip = at;
    fill_state(v);
    current = v;
    vector_enter();
    if (!result.signal)
        note_end();
    current = NULL;
    hash_arena(v);
    show_result();
}

/* ---- batches ---- */

static void put_jump(uint8_t *at, void (*to)(void))
{
    int32_t distance = (int32_t)((uint64_t)to - ((uint64_t)at + 5));

    *at = 0xe9;
    memcpy(at + 1, &distance, 4);
}

static bool place_batch(const struct vector *v, size_t n)
{
    uint8_t *code = (uint8_t *)SLOTS;

    if (mprotect(code, BATCH * SLOT_SIZE, PROT_READ | PROT_WRITE))
        return false;
    memset(code, 0xcc, BATCH * SLOT_SIZE);
    for (size_t i = 0; i < n; i++, code += SLOT_SIZE) {
        memcpy(code, v[i].bytes, v[i].len);
        put_jump(code + v[i].len, vector_fall);
        put_jump(code + SLOT_TAKEN, vector_taken);
    }
    return mprotect((void *)SLOTS, BATCH * SLOT_SIZE, PROT_READ | PROT_EXEC) == 0;
}

static bool prepare(void)
{
    static const int signals[] = {SIGSEGV, SIGILL, SIGTRAP, SIGBUS, SIGFPE};
    static uint8_t stack[1 << 17];
    stack_t alternate = {.ss_sp = stack, .ss_size = sizeof stack};
    struct sigaction action = {.sa_sigaction = handle, .sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER};
    int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE;

    learn_layout();
    for (size_t i = 0; i < sizeof signals / sizeof *signals; i++)
        sigaction(signals[i], &action, NULL);
    return mmap((void *)ARENA, ARENA_SIZE, PROT_READ | PROT_WRITE, flags, -1, 0) == (void *)ARENA &&
           mmap((void *)SLOTS, BATCH * SLOT_SIZE, PROT_READ | PROT_WRITE, flags, -1, 0) == (void *)SLOTS &&
           sigaltstack(&alternate, NULL) == 0 && syscall(SYS_arch_prctl, ARCH_SET_GS, GS_BASE) == 0;
}

static int fail(const char *what)
{
    perror(what);
    return 1;
}

int main(int argc, char **argv)
{
    static struct vector batch[BATCH];
    FILE *in, *out;
    long only = argc > 3 ? strtol(argv[3], NULL, 0) : -1, number = 0;
    size_t n;

    if (argc < 3)
        return fail("usage: run VECTORS RESULTS [NUMBER]");
    in = fopen(argv[1], "rb");
    out = fopen(argv[2], "wb");
    if (!in || !out || !prepare())
        return fail("run");
    while ((n = fread(batch, sizeof *batch, BATCH, in)) > 0) {
        if (!place_batch(batch, n))
            return fail("mprotect");
        for (size_t i = 0; i < n; i++, number++) {
            talk = number == only;
            if (only >= 0 && !talk)
                continue;
            run_one(&batch[i], SLOTS + i * SLOT_SIZE);
            fwrite(&result, sizeof result, 1, out);
        }
    }
    return fclose(out) ? fail(argv[2]) : 0;
}
