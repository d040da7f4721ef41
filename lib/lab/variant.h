/* lib/lab/variant.h - variants of a lab, one for each student: rules that differ from the handout's, drawn from a key and a name.
 *
 *   quern lab start 3 DIR --student=ada --key-file=KEY
 *       srrip: numbers from 0 to 7; a hit takes one off; ...        (HANDOUT.md, from the table of variant.c)
 *
 * A parameter has a standard value, which holds without a variant, and others; the table has the sentences for the handout.
 * A solution of the standard lab, or another student's, fails: each file's rules differ from the standard in at least two parameters, so it
 * is not enough to change one line (tests/unit/lab/variant.c).
 */
#ifndef QN_LAB_VARIANT_H
#define QN_LAB_VARIANT_H

#include <stdio.h>

#include "base/base.h"

enum qn_lab_parameter {
    QN_LAB_CSIM_SHIFT,       /* lab 1: the set is the exclusive or of the line's number and that shifted by this; 0: the number */
    QN_LAB_CSIM_STORE,       /* 1: a store that misses brings nothing in; 2: nor does one that hits change the order */
    QN_LAB_CSIM_STAY,        /* lines, those used longest ago, that stay when one leaves */
    QN_LAB_CSIM_CROSS,       /* of two lines: 1: each is a reference; 2: a miss if both are missing */
    QN_LAB_LOOPS_TURN,       /* lab 2: 1: about the other diagonal, 2 and 3: by a quarter */
    QN_LAB_LOOPS_SHIFT,      /* rows that the result is moved on */
    QN_LAB_LOOPS_PRODUCT,    /* 1: of the transposed a; 2: of both transposed */
    QN_LAB_FIFO_CHANCES,     /* hits on a line that save it, one each, when it would leave */
    QN_LAB_LRU_PLACE,        /* a new line is younger than so many; 0: than all */
    QN_LAB_PLRU_ORDER,       /* of leaves, 1: of their reversed bits; 2: way 0 is the last */
    QN_LAB_PLRU_FILL,        /* 1: turns the lowest node only; 2: all but the root */
    QN_LAB_NRU_WAY,          /* that leaves, of the clear ones, 1: the last; 2: the first behind the one that left last */
    QN_LAB_NRU_CLEAR,        /* 1: all bits, when all are set; 2: all, when a victim is wanted and none is clear */
    QN_LAB_SRRIP_BITS,       /* of a number */
    QN_LAB_SRRIP_DOWN,       /* 1: a hit takes one off, and the last distant way leaves */
    QN_LAB_RANDOM_KIND,      /* 1: never the line used last; 2: nor the one before; 3: that one twice as likely as another */
    QN_LAB_OPT_HORIZON,      /* uses further away count as never; 0: all are seen */
    QN_LAB_MRC_AGE,          /* lab 4: a cache of n lines gives up a line not loaded for n times so many references; 0: none */
    QN_LAB_MRC_STORE,        /* 1: a store brings nothing in and leaves the order as it is */
    QN_LAB_MRC_SHIFT,        /* as that of lab 1, of the cache of `classes` */
    QN_LAB_MRC_FULL,         /* the full cache has so many times the lines */
    QN_LAB_INDEX_SHIFT,      /* of predictors: the index is the exclusive or of the address shifted by this ... */
    QN_LAB_INDEX_FOLD,       /* ... and by this; 0: the address itself */
    QN_LAB_ONEBIT_BEFORE,    /* 1: the last outcome but one */
    QN_LAB_COUNTER_MAX,      /* counters stop there, and predict taken from the upper half on */
    QN_LAB_COUNTER_DOWN,     /* how much an outcome "not taken" takes off */
    QN_LAB_HISTORY_BIT,      /* of the address, exclusive-ored into each outcome of the history; 0: none */
    QN_LAB_FOLLOWS_NEAR,     /* a branch that follows others: the exclusive or of the outcomes so many ... */
    QN_LAB_FOLLOWS_FAR,      /* ... and so many branches before */
    QN_LAB_BUDGET,           /* bytes of mine.c */
    QN_LAB_GUESS_STEP,       /* lab 7: the first guess is so many lines ahead, the second twice as many ... */
    QN_LAB_GUESS_BLOCK,      /* ... within an aligned block of so many lines; 0: anywhere */
    QN_LAB_EXCLUSIVE_LOSES,  /* n: each n-th victim of the first level is lost; 0: none */
    QN_LAB_EXCLUSIVE_BOTH,   /* 1: what comes from memory is put into the LL, too */
    QN_LAB_VALUES_DROP,      /* lab 8: lowest bits of a value that do not count; the first line has the number of values then */
    QN_LAB_LOADS_BLOCK,      /* bytes of code that are one place; 1: an instruction is one */
    QN_LAB_LOADS_L,          /* cycles of a load that the LL serves, */
    QN_LAB_LOADS_M,          /* and of one from memory */
    QN_LAB_CONFLICT_PAGE,    /* bytes */
    QN_LAB_CONFLICT_OLDEST,  /* 1: the oldest store that touches the load, not the newest */
    QN_LAB_COUNT_UNIT,       /* lab 9: an amount is divided by this */
    QN_LAB_COUNT_SHIFT,      /* and counted by the counter so many further */
    QN_LAB_QUEUE_CAPACITY,   /* values */
    QN_LAB_QUEUE_LOW,        /* a queue that was full is full until no more are left than this */
    QN_LAB_LOCK_TIMES,       /* of the number that lock_enter returns */
    QN_LAB_LOCK_DEPTH,       /* so often may a thread that is in enter again, and once more */
    QN_LAB_MSI_READ,         /* a Modified copy, when another core reads: 0: supplies, writes back, is Shared; 1: ... is Invalid; 2: writes back, is Shared */
    QN_LAB_MSI_OWN,          /* when another writes: 0: supplies; 1: writes back; 2: both */
    QN_LAB_MSI_CLEAN,        /* a Shared copy supplies the line to a core that 1: reads; 2: writes */
    QN_LAB_MSI_UPGRADE,      /* 1: a write to a Shared line asks as if it had missed */
    QN_LAB_TLB_SHIFT,        /* lab 10: the set is the exclusive or of the page's number and that shifted by this; 0: the number */
    QN_LAB_TLB_LEVELS,       /* of page tables */
    QN_LAB_TLB_SECOND,       /* 1: the second buffer has what the first gives up */
    QN_LAB_TLB_CACHED,       /* the level whose entries the walk cache has */
    QN_LAB_TLB_HUGE,         /* the level whose entry translates a huge page */
    QN_LAB_TIMING_PARALLEL,  /* lab 11: 1: all levels are asked at once */
    QN_LAB_TIMING_STORES,    /* 1: a store that misses does not wait */
    QN_LAB_TIMING_OVERLAP,   /* so many misses of the last level at a time */
    QN_LAB_TIMING_TURNS,     /* 1: every second round runs backwards */
    QN_LAB_TIMING_TWICE,     /* references in a row to each element */
    QN_LAB_TIMING_CORES,     /* that compute, of one bandwidth */
    QN_LAB_TIMING_WRITES,    /* bytes moved for each that is written */
    QN_LAB_LAYOUT_X,         /* lab 12: of scan: the field that is changed, */
    QN_LAB_LAYOUT_V,         /* and the one that changes it */
    QN_LAB_LAYOUT_FIELDS,    /* of a record of lookup */
    QN_LAB_LAYOUT_BACK,      /* 1: the last one first */
    QN_LAB_LAYOUT_TIES,      /* of events: 1: of equal times the highest number first */
    QN_LAB_LAYOUT_SPREAD,    /* an event comes again within so many units */
    QN_LAB_STRIDE_REGION,    /* lab 13: lines of a region */
    QN_LAB_STRIDE_SURE,      /* confidence that is enough */
    QN_LAB_DUEL_PERIOD,      /* each fill of brrip whose number is a multiple of it is long */
    QN_LAB_DUEL_SETS,        /* one leader of each kind in so many sets */
    QN_LAB_CONTEST_BITS,     /* of mine.c */
    QN_LAB_CONTEST_LOOP,     /* lines of a loop, in per cent of the cache's */
    QN_LAB_CONTEST_AGAIN,    /* how often a line comes in a row */
    QN_LAB_PARAMETERS
};

struct qn_lab_variant {
    unsigned value[QN_LAB_PARAMETERS];
};

/* The rules of the handouts. */
struct qn_lab_variant qn_lab_standard(void);

/* Drawn from a seed. */
struct qn_lab_variant qn_lab_draw_variant(uint64_t seed);

/* Labs 2, 9 and 12: writes rules.h, with which the driver is compiled. */
void qn_lab_print_rules(FILE *f, unsigned lab, const struct qn_lab_variant *v);

/* Writes the sentences for HANDOUT.md: how this variant differs from the handout below them. */
void qn_lab_print_variant(FILE *f, unsigned lab, const struct qn_lab_variant *v);

/* The seed from the key, which is the first line of a file, and the student's name: a hash (SHA-256, crypt(3)) that cannot be guessed without it.
 * false: a line was printed. */
bool qn_lab_variant_seed(const char *key_file, const char *student, unsigned lab, uint64_t *seed);

#endif
