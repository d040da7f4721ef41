/* lib/run/core/references/variable.c - see variable.h */
#include "run/core/references/variable.h"

#include "run/run.h"
#include "run/core/space.h"
#include "sim/contract.h"

/* A cache of decoded instructions; an entry is valid while the bytes are the same. */
#define DECODED 256

static struct decoded {
    uint64_t pc;
    uint8_t bytes[QN_INSN_MAX_LEN];
    struct qn_insn insn;
} decoded[DECODED];

const struct qn_insn *variable_insn(uint64_t pc)
{
    const uint8_t *bytes = (const uint8_t *)(uintptr_t)pc;
    struct decoded *d = &decoded[pc % DECODED];

    if (d->pc != pc || __builtin_memcmp(d->bytes, bytes, d->insn.len)) {
        qn_block_decode(bytes, QN_INSN_MAX_LEN, &d->insn);
        __builtin_memcpy(d->bytes, bytes, d->insn.len);
        d->pc = pc;
    }
    return &d->insn;
}

/* xsave in counting mode cachegrind reads, too: see add_vex_xsave() in event/event.c. */
static unsigned reference_kinds(const struct qn_insn *in)
{
    bool saves = (in->attr & QN_ATTR_XSAVE) && in->opcode == 0xae && (in->modrm >> 3 & 7) == 4;
    unsigned n = saves && qn_cfg()->counting == QN_COUNTING_CACHEGRIND;

    for (unsigned k = 0; k < in->n_mem; k++)
        n += in->mem[k].access != QN_ACC_NONE;
    return n;
}

void variable_sum(const struct qn_insn *in, uint64_t iterations)
{
    if (!qn_cfg()->calls || !qn_cfg()->cache_sim || QN_SCOPE(qn_space) == QN_SCOPE_ASIDE)
        return;
    for (unsigned k = 0; k < in->n_mem; k++) {
        qn_sim_sum_event(QN_COST_DR, in->mem[k].access & QN_ACC_READ ? (int64_t)iterations : 0);
        qn_sim_sum_event(QN_COST_DW, in->mem[k].access == QN_ACC_WRITE ? (int64_t)iterations : 0);
    }
}

struct variable variable_counters(const struct qn_insn *in, uint64_t *first)
{
    uint64_t *after = first + 2 * reference_kinds(in);

    return (struct variable){first, after, after + 1, after + 2, after + 3};
}
