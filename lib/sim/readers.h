/* lib/sim/readers.h - engine.c calls the analyses of a run through these functions.  See readers.c. */
#ifndef QN_SIM_READERS_H
#define QN_SIM_READERS_H

#include "sim/unit.h"

/* The callbacks that are possible in this run. */
struct qn_readers_offer {
    bool lines;  /* analysis_line: the D1 has time stamps */
    uint32_t near; /* the number of near lines for analysis_far; 0: it is not possible */
    bool counts; /* sim_keep_loads */
};

/* The callbacks that the analyses ask for. */
struct qn_readers {
    bool any, references, data, misses, lines, far, instructions; /* data: data references only */
    bool one_of_misses; /* misses are asked for by exactly one analysis */
    bool later, alone; /* all can wait (qn_sim_later); there is one */
    bool list; /* all those of far lines read the list of touches.h themselves */
    bool pc;     /* of misses or references */
    uint32_t near; /* the number of near lines */
    const struct qn_log_consumer *log; /* of a recorder, which is the only analysis */
};

struct qn_readers qn_readers_init(const struct qn_config *config, struct qn_readers_offer offer);
QN_SIM_NCSR void qn_readers_reference(const struct sim_ref *ref);
QN_SIM_NCSR void qn_readers_miss(const struct sim_miss *miss);
QN_SIM_NCSR void qn_readers_line(const struct sim_line *line);
/* The last ones may be taken back: of these each analysis is called for one before any is for the next. */
void qn_readers_later(const struct qn_unit_later *later, uint32_t last);
void qn_readers_touches(const struct qn_unit_touches *touches);
void qn_readers_instructions(struct sim_insn *insn, unsigned n);
void qn_readers_finish(void);
const char *qn_readers_module(void); /* the analysis that was called last */

uint64_t qn_engine_references(void); /* the number of data references counted so far; supplied by run */

#endif
