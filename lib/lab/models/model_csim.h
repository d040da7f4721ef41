/* lib/lab/models/model_csim.h - the reference model of lab 1: sets of lines in order of use, with the rules of a variant or of the handout. */
#ifndef QN_LAB_MODEL_CSIM_H
#define QN_LAB_MODEL_CSIM_H

#include "base/base.h"
#include "lab/variant.h"

struct qn_lab_csim_shape {
    unsigned s, E, b; /* log2 of the number of sets, lines per set, log2 of the bytes per line */
};

struct qn_lab_csim_counts {
    unsigned long hits, misses, evictions;
};

struct qn_lab_csim;

struct qn_lab_csim *qn_lab_new_csim(struct qn_lab_csim_shape shape, const struct qn_lab_variant *rules);
void qn_lab_free_csim(struct qn_lab_csim *m);

/* op: L, S, M (a load and a store), I (nothing); adds to the counts. */
void qn_lab_csim_reference(struct qn_lab_csim *m, char op, uint64_t addr, unsigned size, struct qn_lab_csim_counts *k);

/* The set of an address; the lines in it, the newest first, `place` from 0; false: there is none. */
unsigned qn_lab_csim_set(const struct qn_lab_csim *m, uint64_t addr);
bool qn_lab_csim_line(const struct qn_lab_csim *m, unsigned set, unsigned place, uint64_t *line);

#endif
