/* lib/sim/observers.h - engine.c calls the analyses of a run through these functions.  See observers.c. */
#ifndef QN_SIM_OBSERVERS_H
#define QN_SIM_OBSERVERS_H

#include "sim/unit.h"

/* What the analyses ask for. */
struct qn_observers {
    bool any, references, data, instructions; /* data: data references only */
    bool pc;           /* of records or references */
    unsigned records;  /* SIM_MISSES ... */
    uint32_t recent;   /* at most so many recent lines */
    qn_log_words *log; /* of a recorder, which is the only analysis */
};

extern struct qn_observers qn_observers; /* of this run */
struct qn_observers qn_observers_init(const struct qn_config *config, bool tells_lines);
QN_SIM_NCSR void qn_observers_reference(const struct sim_ref *ref);
static inline void analyse(const struct sim_ref *ref)
{
    if (QN_UNLIKELY(qn_sim_analyses))
        qn_observers_reference(ref);
}
uint64_t qn_observers_complete(struct sim_record *first, uint32_t n); /* what emitted code has left out; returns the number of misses */
void qn_observers_read(struct sim_record *first, uint32_t n);
void qn_observers_count(struct sim_record *first, uint32_t n); /* the analyses that count events; qn_observers_read has the others */
/* The hook is told of a line that is filled; of a data reference that missed. */
void qn_observers_line(const struct qn_line_use *line);
QN_SIM_NCSR void qn_observers_miss(uint64_t addr, uint32_t site, unsigned ll);
void qn_observers_finish(void);
const char *qn_observers_module(void); /* the analysis that was called last */

#endif
