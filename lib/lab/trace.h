/* lib/lab/trace.h - traces for the labs: draws, stores and writes data references and branches.
 *
 *   L 7f1c,4       a load of 4 bytes, as lackey writes it: " L 7f1c,4"
 */
#ifndef QN_LAB_TRACE_H
#define QN_LAB_TRACE_H

#include "lab/check.h"

struct qn_lab_ref {
    uint64_t addr;
    unsigned size;          /* bytes */
    char op;                /* L load, S store, M load and then store, I fetch */
};

struct qn_lab_trace {
    struct qn_lab_ref *at;
    size_t n, room;
};

void qn_lab_add_ref(struct qn_lab_trace *t, char op, uint64_t addr, unsigned size);
void qn_lab_free_trace(struct qn_lab_trace *t);

/* A pattern of drawn references: they go to `lines` different lines of 2^line_bits bytes from `base` on, to a few of them much more
 * often (so that the choice of victims matters), with `step` lines from one to the next (so that lines can be made to share
 * sets). */
struct qn_lab_pattern {
    uint64_t base;
    unsigned lines, line_bits, step;
    const char *ops;        /* one of these letters each */
};

/* n references of one byte each, never to the last byte of a line. */
void qn_lab_draw_refs(struct qn_lab_check *c, struct qn_lab_trace *t, const struct qn_lab_pattern *p, unsigned n);

/* Writes the trace as lackey text; the path belongs to the check. */
const char *qn_lab_write_trace(struct qn_lab_check *c, const struct qn_lab_trace *t, const char *name);

/* ---- conditional branches ---- */

struct qn_lab_branch {
    uint64_t pc;
    bool taken;
};

struct qn_lab_branches {
    struct qn_lab_branch *at;
    size_t n, room;
};

void qn_lab_add_branch(struct qn_lab_branches *t, uint64_t pc, bool taken);
void qn_lab_free_branches(struct qn_lab_branches *t);

/* As text, as `quern replay --format=text` writes it. */
const char *qn_lab_write_branches(struct qn_lab_check *c, const struct qn_lab_branches *t, const char *name);

#endif
