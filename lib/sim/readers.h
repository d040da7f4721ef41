/* lib/sim/readers.h - the analyses of a run, as engine.c tells them what they ask for.  See readers.c. */
#ifndef QN_SIM_READERS_H
#define QN_SIM_READERS_H

#include "sim/unit.h"

/* What can be told in this run. */
struct qn_readers_offer {
    bool lines;  /* the D1 keeps times of last use */
    uint32_t near; /* lines that its filter lets pass, if it is to tell of all others; 0: it cannot */
    bool counts; /* sim_keep_loads */
};

/* What is asked for. */
struct qn_readers {
    bool any, references, data, misses, lines, far, instructions;
    bool one_of_misses; /* one analysis, and no other */
    bool pc;     /* of misses, or of references; data: those to data only */
    uint32_t near; /* lines */
    const struct qn_log_consumer *log; /* it records, and is the only one */
};

struct qn_readers qn_readers_init(const struct qn_config *config, struct qn_readers_offer offer);
QN_SIM_NCSR void qn_readers_reference(const struct sim_ref *ref);
QN_SIM_NCSR void qn_readers_miss(const struct sim_miss *miss);
QN_SIM_NCSR void qn_readers_line(const struct sim_line *line);
QN_SIM_NCSR void qn_readers_far(const struct sim_far *far);
void qn_readers_instructions(struct sim_insn *insn, unsigned n);
void qn_readers_finish(void);
const char *qn_readers_module(void); /* the one that was told something last */

uint64_t qn_engine_references(void); /* to data, that have been counted; supplied by run */

#endif
