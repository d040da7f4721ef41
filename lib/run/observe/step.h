/* lib/run/observe/step.h - what there is to know of an instruction that will be observed, before it runs: see step.c. */
#ifndef QN_RUN_STEP_H
#define QN_RUN_STEP_H

#include "block/block.h"
#include "emit/emit.h"
#include "sim/module.h"
#include "tcache/tcache.h"

struct qn_step {
    void *memo;          /* of the analysis module */
    uint64_t kept;       /* the bits of the register that are the result, moved down if they are those of ah, ch, dh or bh; 0: there is none */
    struct {             /* as in struct sim_insn */
        uint8_t reg, flow, indirect, first, accesses;
    } what;
    uint8_t len;         /* bytes */
    bool high_half : 1;  /* the result is ah, ch, dh or bh */
    bool repeats : 1;    /* a repeated string instruction */
    bool xlat : 1;
    uint8_t bits;        /* bt m,r: the register that selects the bit, else QN_REG_NONE */
    uint8_t kind[SIM_ACCESSES_MAX];
    struct qn_mem access[];
};

/* In front of those of a block. */
struct qn_steps {
    uint64_t pc;
    uint32_t index;      /* of the block in the code cache */
    uint32_t n;
};

/* The register whose value is its result, the lowest that it writes; SIM_NO_REG: none. */
unsigned qn_step_result(const struct qn_insn *in);

/* Those of a block, one behind the other, at an address that is a multiple of QN_STEPS_ALIGN.  Returns their bytes. */
unsigned qn_step_write(const struct qn_block *b, uint8_t *to);

/* Of a translated block that is left before each instruction, which has at least one. */
static inline struct qn_steps *qn_steps_of(const struct qn_tblock *b)
{
    return (struct qn_steps *)(uintptr_t)qn_round_up(b->cold, QN_STEPS_ALIGN);
}

static inline struct qn_step *qn_step_first(const struct qn_steps *steps) { return (struct qn_step *)(uintptr_t)(steps + 1); }

static inline struct qn_step *qn_step_next(struct qn_step *s) { return (struct qn_step *)(void *)&s->access[s->what.accesses]; }

#endif
