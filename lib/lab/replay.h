/* lib/lab/replay.h - runs a hosted simulator, built from what was handed in, on a trace, and takes what became of
 * each reference. */
#ifndef QN_LAB_REPLAY_H
#define QN_LAB_REPLAY_H

#include "lab/check.h"
#include "lab/trace.h"

struct qn_lab_replay {
    /* in */
    const char *program;            /* of qn_lab_simulator; NULL: it could not be built, and qn_lab_replay fails */
    const char *options[8];         /* "--D1=64,4,1", NULL at the end */
    const char *trace;              /* its path */
    char kind;                      /* 'D' data, 'B' conditional branches */
    size_t references;              /* of this kind; another number of outcomes is a failure */
    /* out: free with qn_lab_free_replay */
    unsigned char *outcomes;        /* D: bit 0 missed, bit 1 missed in the LL, too; B: 1 mispredicted */
    char *summary;                  /* what the simulator printed */
};

/* false: a remark says why. */
bool qn_lab_replay(struct qn_lab_check *c, struct qn_lab_replay *r);
void qn_lab_free_replay(struct qn_lab_replay *r);

/* The number behind `name` at the beginning of a line of the summary; -1: there is none. */
long qn_lab_summary_number(const struct qn_lab_replay *r, const char *name);

#endif
