/* lib/sim/observers.h - engine.c calls the analyses of a run through these functions.  See observers.c. */
#ifndef QN_SIM_OBSERVERS_H
#define QN_SIM_OBSERVERS_H

#include "sim/unit.h"

/* The callbacks that are possible in this run. */
struct qn_observers_offer {
    bool lines;  /* analysis_line: the D1 has time stamps */
    uint32_t near; /* the number of near lines for analysis_far; 0: it is not possible */
    bool counts; /* sim_keep_loads */
};

/* The callbacks that the analyses ask for. */
struct qn_observers {
    bool any, references, data, misses, lines, far, instructions; /* data: data references only */
    bool one_of_misses; /* misses are asked for by exactly one analysis */
    bool later, alone; /* all can wait (qn_sim_miss_buffer); there is one */
    bool list; /* all those of far lines read the list of contract.h themselves */
    bool pc;     /* of misses or references */
    uint32_t near; /* the number of near lines */
    const struct qn_log_consumer *log; /* of a recorder, which is the only analysis */
};

extern struct qn_observers qn_observers; /* of this run */
struct qn_observers qn_observers_init(const struct qn_config *config, struct qn_observers_offer offer);
QN_SIM_NCSR void qn_observers_reference(const struct sim_ref *ref);
/* A data reference that missed: calls the analyses and the hook that ask for misses. */
QN_SIM_NCSR void qn_observers_tell_miss(uint64_t addr, uint32_t size, unsigned kind, unsigned outcome, uint32_t site);
QN_SIM_NCSR void qn_observers_line(const struct sim_line *line);
void qn_observers_init_misses(bool possible, bool calls);
void qn_observers_init_far_uses(void);
QN_SIM_NCSR void qn_observers_tell_misses(bool last); /* last: as in struct qn_unit_misses */
void qn_observers_read_far_uses(void);
void qn_observers_finish(void);
const char *qn_observers_module(void); /* the analysis that was called last */

uint64_t qn_engine_references(void); /* the number of data references counted so far; supplied by run */

#endif
