/* lib/run/kernel/seccomp/seccomp_pass.c - passes filters on: to a program that is executed, to the kernel.
 *
 *   executed untraced   all of them are installed in the kernel
 *   executed traced     they are written to the new arena, and its engine begins with them (config.filters):
 *                       [number of filters] then of each, the oldest first: [instructions, bit 31: listens] [instruction] ...
 *   with a listener     the filter is installed in the kernel at once, after a prologue:
 *
 *       a call by the engine's code, but not on the guest's behalf?  allow : continue with the filter
 */
#include "run/run.h"
#include "run/kernel/seccomp/seccomp.h"
#include "run/kernel/seccomp/seccomp_filter.h"
#include "run/kernel/thread.h"

enum { E_INVAL = 22, SET_FILTER = 1, MODE_FILTER = 2 };
enum { AT_IP = 8, PROLOGUE = 8 };
#define LISTENS 0x80000000u

extern char _end[];

static long install(const struct qn_bpf_insn *insn, uint32_t n, uint64_t flags)
{
    struct qn_bpf_program p = {(uint16_t)n, (uint64_t)(uintptr_t)insn};

    return qn_sys3(__NR_seccomp, SET_FILTER, (long)flags, (long)&p);
}

long qn_seccomp_listen(const struct qn_seccomp_filter *f, uint64_t flags)
{
    uint32_t guest = (uint32_t)(uintptr_t)qn_syscall_commit + QN_SYSCALL_INSN_LEN, end = (uint32_t)(uintptr_t)_end;
    const struct qn_bpf_insn prologue[PROLOGUE] = {
        {LD | ABS, 0, 0, AT_IP + 4},             /* 0: the engine is not above 4 GiB: then to 7 */
        {JMP | JEQ, 0, 5, 0},
        {LD | ABS, 0, 0, AT_IP},
        {JMP | JGE, 0, 3, QN_ENGINE_BASE},
        {JMP | JGE, 2, 0, end},
        {JMP | JEQ, 1, 0, guest},
        {RET, 0, 0, RET_ALLOW},
        {LD | IMM, 0, 0, 0},                     /* 7: the accumulator is 0, as at the beginning of a filter */
    };
    static struct qn_bpf_insn whole[QN_BPF_MAX];

    if (f->n + PROLOGUE > QN_BPF_MAX)
        return -E_INVAL;
    __builtin_memcpy(whole, prologue, sizeof prologue);
    __builtin_memcpy(whole + PROLOGUE, f->insn, f->n * sizeof whole[0]);
    return install(whole, f->n + PROLOGUE, flags);
}

/* Installs the filters in the kernel, the oldest first; those with a listener are there already. */
static void give_to_kernel(const struct qn_seccomp_filter *f)
{
    if (!f)
        return;
    give_to_kernel(f->older);
    if (!f->listens)
        install(f->insn, f->n, 0);
}

void qn_seccomp_exec_untraced(const struct qn_thread *t) { give_to_kernel(t->filters); }

/* ---- from image to image ---- */

static uint32_t *put(uint32_t *to, const struct qn_seccomp_filter *f)
{
    if (!f)
        return to;
    to = put(to, f->older);
    *to++ = f->n | (f->listens ? LISTENS : 0);
    __builtin_memcpy(to, f->insn, f->n * sizeof f->insn[0]);
    return to + f->n * sizeof f->insn[0] / sizeof *to;
}

void qn_seccomp_save(const struct qn_seccomp_filter *filters, struct qn_arena_header *h)
{
    uint64_t at = qn_round_up(h->n_strings, sizeof(uint64_t)), bytes = sizeof(uint32_t);
    uint32_t *to = (uint32_t *)((uint8_t *)h + QN_ARENA_STRINGS_OFF + at), n = 0;

    h->config.filters = 0;
    for (const struct qn_seccomp_filter *f = filters; f; f = f->older, n++)
        bytes += sizeof n + f->n * sizeof f->insn[0];
    if (!n)
        return;
    if (at + bytes > QN_ARENA_STRINGS_SIZE) {
        qn_unsupported("the program's filters of system calls (seccomp) are too many to hold in the program that it executes");
        return;
    }
    *to = n;
    put(to + 1, filters);
    h->n_strings = at + bytes;
    h->config.filters = (uint32_t)at;
}

void qn_seccomp_restore(void)
{
    const uint32_t *from = (const uint32_t *)(uintptr_t)qn_arena_text(qn_cfg()->filters);

    if (!qn_cfg()->filters)
        return;
    for (uint32_t n = *from++; n; n--) {
        uint32_t count = *from & ~LISTENS;
        struct qn_seccomp_filter *f = qn_engine_alloc(sizeof *f + count * sizeof f->insn[0]);

        *f = (struct qn_seccomp_filter){.older = qn_self->filters, .n = count, .listens = (*from & LISTENS) != 0};
        __builtin_memcpy(f->insn, from + 1, count * sizeof f->insn[0]);
        qn_self->filters = f;
        qn_self->seccomp = MODE_FILTER;
        from += 1 + count * sizeof f->insn[0] / sizeof *from;
    }
}
