/* tests/vectors/state.c - see state.h; enter.S has the way in and out. */
#define _GNU_SOURCE
#include "state.h"

#include <asm/prctl.h>
#include <cpuid.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <ucontext.h>
#include <unistd.h>

#define PKRU (1ull << 9)

extern uint64_t vector_in[16], vector_out[16], vector_rip, vector_in_flags, vector_out_flags, vector_mask;
extern uint32_t vector_end;
extern uint8_t vector_xsave[AREA_SIZE];
extern uint64_t vector_host_rsp;
void vector_enter(void), vector_fall(void), vector_taken(void), vector_signal(void);

unsigned component_offset[COMPONENTS], component_size[COMPONENTS];
struct state before, after;
uint64_t state_limit = ~0ull;

static struct ending ending;
static uint64_t current; /* slot being run, 0 = none */

/* ---- before ---- */

static void learn_layout(void)
{
    unsigned a, b, c, d;

    __asm__("xgetbv" : "=a"(a), "=d"(d) : "c"(0));
    vector_mask = ((uint64_t)d << 32 | a) & ~PKRU & ((1ull << COMPONENTS) - 1) & state_limit;
    for (unsigned i = AVX; i < COMPONENTS; i++)
        if (vector_mask >> i & 1) {
            __cpuid_count(0xd, i, a, b, c, d);
            component_size[i] = a, component_offset[i] = b;
        }
}

/* One word in eight as floating-point data: denormals, infinities and NaNs. */
static uint64_t random_word(uint64_t *random)
{
    uint64_t word = vector_random(random);

    switch (word >> 59) {
    case 0:
        return word & 0x807fffff807fffffu;
    case 1:
        return (word & 0x800fffffffffffffu) ^ (word << 27 & 1ull << 63);
    case 2:
        return word | 0x7f8000007f800000u;
    case 3:
        return (word | 0x7ff0000000000000u) & (word << 5 >> 63 ? ~0ull : 0xfff0000000000000u);
    default:
        return word;
    }
}

static void fill_random(void *to, size_t n, uint64_t *random)
{
    uint64_t *word = to;

    for (size_t i = 0; i < n / 8; i++)
        word[i] = random_word(random);
}

/* Exceptions stay masked and rounding as usual, mostly; the x87 stack is anything. */
static void fill_legacy(uint8_t *area, uint64_t *random)
{
    uint64_t r = vector_random(random);
    uint16_t fcw = r % 8 ? 0x37f : (r >> 8 & 0xf3f) | 0x40; /* bit 6 is always set */
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

uint8_t *vector_part(uint8_t *area, unsigned n, unsigned part)
{
    if (n >= 16)
        return area + component_offset[ZMM_16_31] + 64 * (n - 16) + 16 * part;
    return part == 0   ? area + 160 + 16 * n
           : part == 1 ? area + component_offset[AVX] + 16 * n
                       : area + component_offset[ZMM_HIGH] + 32 * n + 16 * (part - 2);
}

/* Indices of a gather: small, so that the elements lie in the arena. */
static void fill_indices(const struct vector *v)
{
    for (unsigned part = 0; part < (component_size[ZMM_HIGH] ? 4u : 2u) && v->vsib_reg < 32; part++) {
        uint8_t *to = vector_part(before.area, v->vsib_reg, part);
        for (unsigned i = 0; i < 16; i += v->vsib_bytes) {
            memset(to + i, 0, v->vsib_bytes);
            to[i] = (v->seed >> (part * 4 + i)) & 63;
        }
    }
}

void fill_state(const struct vector *v)
{
    uint64_t random = v->seed;

    fill_random((void *)ARENA, ARENA_SIZE, &random);
    if (v->patch_at <= ARENA_SIZE - 8)
        memcpy((uint8_t *)ARENA + v->patch_at, &v->patch, 8);
    memset(before.area + XSAVE_HEADER, 0, 64);
    memcpy(before.area + XSAVE_HEADER, &vector_mask, 8);
    fill_legacy(before.area, &random);
    for (unsigned i = AVX; i < COMPONENTS; i++)
        fill_random(before.area + component_offset[i], component_size[i], &random);
    fill_indices(v);
    memcpy(before.gpr, v->gpr, sizeof before.gpr);
    before.flags = v->flags;
}

/* ---- after ---- */

/* A component in its initial state need not have been written. */
static void take_area(const uint8_t *area)
{
    uint64_t in_use;

    memcpy(after.area, area, AREA_SIZE);
    memcpy(&in_use, after.area + XSAVE_HEADER, 8);
    for (unsigned i = AVX; i < COMPONENTS; i++)
        if (!(in_use >> i & 1))
            memset(after.area + component_offset[i], 0, component_size[i]);
}

static uint64_t relative(uint64_t address)
{
    return address - current < SLOT_SIZE ? address - current : address;
}

static void handle(int signal, siginfo_t *info, void *data)
{
    static const uint8_t order[16] = {REG_RAX, REG_RCX, REG_RDX, REG_RBX, REG_RSP, REG_RBP, REG_RSI, REG_RDI,
                                      REG_R8,  REG_R9,  REG_R10, REG_R11, REG_R12, REG_R13, REG_R14, REG_R15};
    ucontext_t *context = data;
    greg_t *r = context->uc_mcontext.gregs;

    if (!current)
        _exit(99);
    ending.signal = signal;
    ending.end = info->si_code;
    ending.rip = relative(r[REG_RIP]);
    ending.address = relative((uint64_t)info->si_addr);
    for (unsigned i = 0; i < 16; i++)
        after.gpr[i] = r[order[i]];
    after.flags = r[REG_EFL];
    take_area((uint8_t *)context->uc_mcontext.fpregs);
    context->uc_mcontext.fpregs->cwd = 0x37f; /* nothing stays pending */
    context->uc_mcontext.fpregs->swd = 0;
    context->uc_mcontext.fpregs->mxcsr = 0x1f80;
    r[REG_RIP] = (greg_t)vector_signal;
    r[REG_RSP] = (greg_t)vector_host_rsp; /* and not the vector's: some hypervisors let no such rsp return to a program */
    r[REG_EFL] = 0x202;
}

struct ending run_state(uint64_t slot)
{
    ending = (struct ending){0};
    current = vector_rip = slot;
    memcpy(vector_in, before.gpr, sizeof vector_in);
    memcpy(vector_xsave, before.area, AREA_SIZE);
    vector_in_flags = before.flags;
    vector_enter();
    current = 0;
    if (!ending.signal) {
        ending.end = vector_end;
        memcpy(after.gpr, vector_out, sizeof after.gpr);
        after.flags = vector_out_flags;
        take_area(vector_xsave);
    }
    return ending;
}

/* ---- code ---- */

static void put_jump(uint8_t *at, void (*to)(void))
{
    int32_t distance = (int32_t)((uint64_t)to - ((uint64_t)at + 5));

    *at = 0xe9;
    memcpy(at + 1, &distance, 4);
}

bool place_batch(const struct vector *v, size_t n)
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

bool prepare_states(void)
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
