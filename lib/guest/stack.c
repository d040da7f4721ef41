/* lib/guest/stack.c - see stack.h. */
#include "guest/stack.h"

enum { /* auxv types, linux/auxvec.h */
    AUX_NULL = 0, AUX_IGNORE = 1, AUX_PHDR = 3, AUX_PHENT = 4, AUX_PHNUM = 5, AUX_BASE = 7, AUX_ENTRY = 9, AUX_RANDOM = 25,
    AUX_RSEQ_SIZE = 27, AUX_RSEQ_ALIGN = 28, AUX_EXECFN = 31, AUX_VDSO = 33
};
#define STACK_ALIGN 16
#define PHENT_SIZE 56

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

uint64_t qn_stack_auxv(const uint64_t *sp, uint64_t type)
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
    default: return old;
    }
}

static bool hidden(uint64_t type, const struct qn_start *start)
{
    return type == AUX_RSEQ_SIZE || type == AUX_RSEQ_ALIGN || (type == AUX_VDSO && start->hide_vdso);
}

static uint64_t *put_auxv(uint64_t *to, const struct parts *p, const struct qn_image *image, const struct qn_start *start)
{
    for (uint64_t i = 0; i < p->naux; i++) {
        uint64_t type = p->auxv[2 * i], value = p->auxv[2 * i + 1];

        if (type == AUX_RANDOM && start->fixed_random)
            fill_random((uint8_t *)(uintptr_t)value, start->seed);
        if (hidden(type, start))
            continue;
        *to++ = type;
        *to++ = aux_value(type, value, image, start);
    }
    *to++ = AUX_NULL;
    *to++ = 0;
    return to;
}

uint64_t qn_stack_build(uint64_t *kernel_sp, const struct qn_image *image, const struct qn_start *start, uint64_t *vdso)
{
    struct parts p = split(kernel_sp);
    uint64_t argc = 0, words, sp, *to;

    while (start->argv[argc])
        argc++;
    *vdso = qn_stack_auxv(kernel_sp, AUX_VDSO);
    words = 1 + argc + 1 + p.nenv + 1 + 2 * (p.naux + 1);
    /* At a page's beginning, unless addresses are to vary: then neither the environment nor the engine's own path and
     * descriptors change which lines of the stack share a set. */
    sp = ((uint64_t)(uintptr_t)kernel_sp - words * 8) & ~(start->fixed_random ? QN_PAGE - 1 : (uint64_t)(STACK_ALIGN - 1));
    to = (uint64_t *)(uintptr_t)sp;
    *to++ = argc;
    for (uint64_t i = 0; i < argc; i++)
        *to++ = (uint64_t)(uintptr_t)start->argv[i];
    *to++ = 0;
    for (uint64_t i = 0; i < p.nenv; i++)
        *to++ = p.envp[i];
    *to++ = 0;
    put_auxv(to, &p, image, start);
    return sp;
}
