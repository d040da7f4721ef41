/* lib/lab/variant.h - variants of a lab, one for each student: other rules than those of the handout, drawn from a key and a name.
 *
 *   quern lab start 3 DIR --student=ada --key-file=KEY
 *       srrip: numbers from 0 to 7; a hit takes one off; ...        (HANDOUT.md, from the table of variant.c)
 *
 * A parameter has a standard value, which holds without a variant, and others; the table has the sentence that tells a student of it.
 * What answers the standard lab, a file that ships with quern or one from another student, fails: each file's rules differ from the
 * standard in two things at least, so that changing a line is not enough (tests/unit/lab/variant.c).
 */
#ifndef QN_LAB_VARIANT_H
#define QN_LAB_VARIANT_H

#include <stdio.h>

#include "base/base.h"

enum qn_lab_parameter {
    QN_LAB_FIFO_CHANCES,     /* hits on a line that save it, one each, when it would leave */
    QN_LAB_LRU_PLACE,        /* a new line is younger than so many; 0: than all */
    QN_LAB_PLRU_ORDER,       /* 1: leaves in the order of their reversed bits, and a fill turns the lowest node only */
    QN_LAB_NRU_LAST,         /* 1: the last clear way leaves, and all bits are cleared */
    QN_LAB_SRRIP_BITS,       /* of a number */
    QN_LAB_SRRIP_DOWN,       /* 1: a hit takes one off, and the last distant way leaves */
    QN_LAB_RANDOM_SPARES,    /* 1: never the line that was used last */
    QN_LAB_OPT_HORIZON,      /* uses further away count as never; 0: all are seen */
    QN_LAB_INDEX_SHIFT,      /* of predictors: the index is the exclusive or of the address shifted by this ... */
    QN_LAB_INDEX_FOLD,       /* ... and by this; 0: the address itself */
    QN_LAB_ONEBIT_BEFORE,    /* 1: the last outcome but one */
    QN_LAB_COUNTER_MAX,      /* counters stop there, and predict taken from the upper half on */
    QN_LAB_COUNTER_DOWN,     /* how much an outcome "not taken" takes off */
    QN_LAB_HISTORY_BIT,      /* of the address, exclusive-ored into each outcome of the history; 0: none */
    QN_LAB_FOLLOWS_NEAR,     /* a branch that follows others: the exclusive or of the outcomes so many ... */
    QN_LAB_FOLLOWS_FAR,      /* ... and so many branches before */
    QN_LAB_BUDGET,           /* bytes of mine.c */
    QN_LAB_PARAMETERS
};

struct qn_lab_variant {
    unsigned value[QN_LAB_PARAMETERS];
};

extern const struct qn_lab_variant qn_lab_standard;

/* Drawn from a seed. */
struct qn_lab_variant qn_lab_draw_variant(uint64_t seed);

/* Has this lab variants? */
bool qn_lab_varies(unsigned lab);

/* The sentences for HANDOUT.md: how this variant of the lab differs from what stands below. */
void qn_lab_print_variant(FILE *f, unsigned lab, const struct qn_lab_variant *v);

/* From the first line of a file, the key, and the student's name: a hash (SHA-256, crypt(3)) that cannot be guessed without the key.
 * false: a line was printed. */
bool qn_lab_variant_seed(const char *key_file, const char *student, unsigned lab, uint64_t *seed);

#endif
