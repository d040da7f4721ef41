/*
 * The instructions of the modern report (--asm): below each source line, or by function where there is no
 * source.
 *
 * In:  a ledger with instructions; a file, a line
 * Out:  200 (0.2%)      for (i = 0; i < n; i++)
 *                           main in /bin/prog
 *       100 (0.1%)              401142:  sub    $0x1,%eax
 *       100 (0.1%)              401145:  jne    401142
 *
 * Instructions of one line come by object, then address; a change of function is named.
 *
 * Invariant: `order` holds the rows of the ledger's instruction table, those of a file together, in the
 * order in which they are put.
 */
#ifndef QN_OUT_MODERN_INSNS_H
#define QN_OUT_MODERN_INSNS_H

#include "out/modern/modern.h"

struct qn_out_insns {
    struct qn_out_modern *m;
    const struct qn_prof_table *rows;
    uint32_t *order;
    size_t at, end;        /* rows of the current file that have not been written: in order */
    const char *file;      /* the current file */
    const char *fn, *object; /* named last */
};

/* A report without --asm has an empty one, with which all else does nothing. */
void qn_out_open_insns(struct qn_out_insns *x, struct qn_out_modern *m);
void qn_out_close_insns(struct qn_out_insns *x);

/* Goes to a file, to be put by source lines, or by functions. */
void qn_out_insns_of_file(struct qn_out_insns *x, const char *file, int by_function);

/* Takes the counts of all instructions of the file into account. */
void qn_out_measure_insns(const struct qn_out_insns *x, struct qn_out_table *t);

/* Puts those of a line; lines are asked for in ascending order. */
void qn_out_put_insns(struct qn_out_insns *x, const struct qn_out_table *t, uint32_t line);

/* Puts all functions of the file that reach the threshold, each with a title. */
void qn_out_put_insn_functions(struct qn_out_insns *x);

#endif
