/* lib/sim/explain.h - run --explain: the outcome of each access of a source line, and its cause.  See explain.c. */
#ifndef QN_SIM_EXPLAIN_H
#define QN_SIM_EXPLAIN_H

#include "sim/unit.h"

/* An access. */
struct qn_explained {
    uint64_t addr;
    uint32_t size, site;
    unsigned kind, outcome; /* enum sim_kind; bit 0: D1 miss, bit 1: LL miss (known only after the access) */
    unsigned which;         /* number of the source line that is explained, from 1; 0: none of them */
};

typedef QN_NCSR_TYPE unsigned qn_show_set(uint64_t line, uint64_t *lines);

/* What the D1 can show of itself. */
struct qn_explain_shows {
    qn_show_set *set;
    enum qn_show order;
    qn_unit_state *state; /* NULL: the policy shows nothing of itself */
    const char *way_state, *set_state;
};

void qn_explain_init(const struct qn_config *config, struct qn_explain_output *output, const struct qn_explain_shows *shows);

/* Before and after each data reference of the run. */
void qn_explain_begin_seen(void);
QN_SIM_NCSR void qn_explain_before(const struct qn_explained *e);
QN_SIM_NCSR void qn_explain_after(const struct qn_explained *e);

/* Does the stream of records say all that these options need?  It reads fills and victims, and the tables of the D1: lines and their users. */
bool qn_explain_can_read(const struct qn_config *config);
void qn_explain_begin_read(const struct qn_filter_entry *lines, const struct qn_filter_entry *users, uint32_t n);
/* Before each reference from C: increments the number of references and returns the word of this one (struct qn_sim_users). */
QN_SIM_NCSR uint64_t qn_explain_next(uint32_t site);
/* A line was filled, or looked up by a reference to several lines; before the stream has its record. */
QN_SIM_NCSR void qn_explain_line(const struct qn_line_use *line);
/* Before and after each reference of the source lines that are explained. */
QN_SIM_NCSR void qn_explain_before_read(const struct qn_explained *e);
QN_SIM_NCSR void qn_explain_after_read(const struct qn_explained *e);
void qn_explain_watch_now(void); /* --watch begins at the next reference, unless it has begun */

#endif
