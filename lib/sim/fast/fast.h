/* lib/sim/fast/fast.h - what emitted code may simulate by itself, slot by slot.
 *
 * A default file (cachesim_D1.c and its like) is plain.  That a run is fast nevertheless comes from here: for each of the five there is
 * a fast one, which keeps the same cache or tables in another form, one that emitted code can work on without a call:
 *
 *   slot   plain                         fast                                           emitted code
 *   I1     rows, newest first            a record with a time stamp for each line       emit/fetch.c, line_stub.c
 *   D1     rows, newest first            a place and a time stamp for each line         emit/check.c, lru_stub.c, batch.c
 *   LL     rows, newest first            the same                                       emit/last_level.c
 *   BC     counters and a history        the same, the history where the index has it   emit/predict.c
 *   BI     targets                       the same                                       emit/indirect.c
 *
 * The fast one stands in for exactly the file that it was proven for: fast/proven has the hash of each.  With any other file
 * in the slot its member here stays zero, and the file is called.  --check runs the file beside it and compares each outcome.
 */
#ifndef QN_SIM_FAST_H
#define QN_SIM_FAST_H

#include "base/base.h"

/* A set is a row of pointers to the records of its lines (struct qn_code_line); what has the oldest stamp is the victim. */
struct qn_fast_I1 {
    uint64_t sets;        /* address of the pointers */
    uint32_t line_bits, set_mask;
    uint32_t ways;        /* pointers of a set; 0: the file in the slot is called */
};

/* The table of the hit filter (qn_sim_d1_filter) is all there is to the cache: see D1.h. */
struct qn_fast_D1 {
    uint32_t sets;        /* 0: the file in the slot is called */
};

/* A set is a row of line numbers, newest first. */
struct qn_fast_LL {
    uint64_t rows;        /* address of the 64-bit words */
    uint32_t line_bits, set_mask;
    uint32_t ways;        /* words of a row; 0: the file in the slot is called */
};

/* Two-bit counters at history | (pc & pc_mask), which predict taken from 2 on; then
 * history = (2 * history + (taken ? taken : 0)) & history_mask. */
struct qn_fast_BC {
    uint64_t counters;    /* address of the bytes, below 2 GiB; 0: the file in the slot is called */
    uint64_t history;     /* address of the 32-bit word */
    uint64_t next[2];     /* addresses of four bytes: what becomes of a counter after not taken, and after taken */
    uint32_t pc_mask, taken, history_mask;
};

/* The last target, at pc & pc_mask. */
struct qn_fast_BI {
    uint64_t targets;     /* address of the 64-bit words, below 2 GiB; 0: the file in the slot is called */
    uint32_t pc_mask;
};

struct qn_fast {
    struct qn_fast_I1 I1;
    struct qn_fast_D1 D1;
    struct qn_fast_LL LL;
    struct qn_fast_BC BC;
    struct qn_fast_BI BI;
};
extern struct qn_fast qn_fast;

#endif
