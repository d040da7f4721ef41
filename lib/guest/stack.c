/* lib/guest/stack.c - see stack.h. */
#include "guest/stack.h"

enum { /* auxv types, linux/auxvec.h */
    AUX_NULL = 0, AUX_IGNORE = 1, AUX_PHDR = 3, AUX_PHENT = 4, AUX_PHNUM = 5, AUX_BASE = 7, AUX_ENTRY = 9, AUX_PLATFORM = 15,
    AUX_HWCAP = 16, AUX_RANDOM = 25, AUX_HWCAP2 = 26, AUX_RSEQ_SIZE = 27, AUX_RSEQ_ALIGN = 28, AUX_EXECFN = 31, AUX_VDSO = 33
};
#define STACK_ALIGN 16
#define STACK_STEP (64 * 1024ull) /* the kernel has mapped 128 KiB below its own stack pointer */
#define PHENT_SIZE 56
#define RANDOM_BYTES 16

struct parts {
    uint64_t argc, *argv, *envp, *auxv;
    uint64_t nenv, naux;
};

static struct parts split(uint64_t *sp)
{
    struct parts p = {.argc = sp[0], .argv = sp + 1, .envp = sp + sp[0] + 2};

    while (p.envp[p.nenv])
        p.nenv++;
    p.auxv = p.envp + p.nenv + 1;
    while (p.auxv[2 * p.naux])
        p.naux++;
    return p;
}

/* Value of an auxv entry of the kernel's stack, 0 if absent. */
static uint64_t find_auxv(const uint64_t *sp, uint64_t type)
{
    struct parts p = split((uint64_t *)(uintptr_t)sp);

    for (uint64_t i = 0; i < p.naux; i++)
        if (p.auxv[2 * i] == type)
            return p.auxv[2 * i + 1];
    return 0;
}

/* A small generator (xorshift64*, Marsaglia 2003, Vigna 2014): the bytes only have to look random. */
static void fill_random(uint8_t *bytes, uint64_t seed)
{
    uint64_t x = seed * 2 + 1;

    for (unsigned i = 0; i < 16; i++) {
        x ^= x >> 12;
        x ^= x << 25;
        x ^= x >> 27;
        bytes[i] = (uint8_t)((x * 0x2545f4914f6cdd1dull) >> 56);
    }
}

static uint64_t aux_value(uint64_t type, uint64_t old, const struct qn_image *image, const struct qn_start *start)
{
    switch (type) {
    case AUX_PHDR: return image->phdr;
    case AUX_PHENT: return PHENT_SIZE;
    case AUX_PHNUM: return image->phnum;
    case AUX_BASE: return image->interp_base;
    case AUX_ENTRY: return image->program_entry;
    case AUX_EXECFN: return (uint64_t)(uintptr_t)start->execfn;
    case AUX_HWCAP: return start->hwcap(1, old);
    case AUX_HWCAP2: return start->hwcap(2, old);
    default: return old;
    }
}

static bool hidden(uint64_t type, const struct qn_start *start)
{
    return type == AUX_RSEQ_SIZE || type == AUX_RSEQ_ALIGN || (type == AUX_VDSO && start->hide_vdso);
}

/* ---- strings ----
 *
 * The kernel puts the engine's own path and arguments among them, so where a string of the guest lies, and with it how many
 * instructions a vectorised strlen takes, would depend on where quern is installed.  Copied to the beginning of a step, in a
 * fixed order, they lie where the guest's own arguments and environment put them, always. */

struct strings {
    uint8_t *at; /* NULL: they stay where they are */
};

static uint64_t count_bytes(const char *text)
{
    uint64_t n = 0;

    while (text[n])
        n++;
    return n + 1;
}

static uint64_t copy_bytes(struct strings *s, const void *bytes, uint64_t n)
{
    uint8_t *to = s->at;

    if (!to)
        return (uint64_t)(uintptr_t)bytes;
    __builtin_memcpy(to, bytes, n);
    s->at = to + n;
    return (uint64_t)(uintptr_t)to;
}

static uint64_t copy_string(struct strings *s, const char *text) { return copy_bytes(s, text, count_bytes(text)); }

static uint64_t total_bytes(const struct parts *p, const struct qn_start *start)
{
    uint64_t n = RANDOM_BYTES + count_bytes(start->execfn);

    for (uint64_t i = 0; start->argv[i]; i++)
        n += count_bytes(start->argv[i]);
    for (uint64_t i = 0; i < p->nenv; i++)
        n += count_bytes((const char *)(uintptr_t)p->envp[i]);
    for (uint64_t i = 0; i < p->naux; i++)
        n += p->auxv[2 * i] == AUX_PLATFORM ? count_bytes((const char *)(uintptr_t)p->auxv[2 * i + 1]) : 0;
    return n;
}

static uint64_t *put_auxv(uint64_t *to, const struct parts *p, const struct qn_image *image, const struct qn_start *start,
                          struct strings *strings)
{
    for (uint64_t i = 0; i < p->naux; i++) {
        uint64_t type = p->auxv[2 * i], value = p->auxv[2 * i + 1];

        if (hidden(type, start))
            continue;
        if (type == AUX_RANDOM && start->fixed_random)
            fill_random((uint8_t *)(uintptr_t)value, start->seed);
        if (type == AUX_RANDOM)
            value = copy_bytes(strings, (const void *)(uintptr_t)value, RANDOM_BYTES);
        else if (type == AUX_PLATFORM || type == AUX_EXECFN)
            value = copy_string(strings, (const char *)(uintptr_t)aux_value(type, value, image, start));
        else
            value = aux_value(type, value, image, start);
        *to++ = type;
        *to++ = value;
    }
    *to++ = AUX_NULL;
    *to++ = 0;
    return to;
}

uint64_t qn_stack_build(uint64_t *kernel_sp, const struct qn_image *image, const struct qn_start *start, uint64_t *vdso)
{
    struct parts p = split(kernel_sp);
    uint64_t argc = 0, words, sp = (uint64_t)(uintptr_t)kernel_sp, *to;
    struct strings strings = {NULL};
    bool steps = start->fixed_random && !start->tight;

    while (start->argv[argc])
        argc++;
    *vdso = find_auxv(kernel_sp, AUX_VDSO);
    words = 1 + argc + 1 + p.nenv + 1 + 2 * (p.naux + 1);
    if (steps) { /* addresses are not to vary */
        sp = (sp - total_bytes(&p, start)) & ~(STACK_STEP - 1);
        strings.at = (uint8_t *)(uintptr_t)sp;
    }
    sp = (sp - words * 8) & ~(steps ? STACK_STEP - 1 : (uint64_t)(STACK_ALIGN - 1));
    to = (uint64_t *)(uintptr_t)sp;
    *to++ = argc;
    for (uint64_t i = 0; i < argc; i++)
        *to++ = copy_string(&strings, start->argv[i]);
    *to++ = 0;
    for (uint64_t i = 0; i < p.nenv; i++)
        *to++ = copy_string(&strings, (const char *)(uintptr_t)p.envp[i]);
    *to++ = 0;
    put_auxv(to, &p, image, start, &strings);
    return sp;
}
