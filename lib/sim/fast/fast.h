/* lib/sim/fast/fast.h - the fast versions of the default modules: what emitted code simulates by itself.
 *
 * A default file (cachesim_D1.c and so on) is written for readers.  For speed, each of the five has a fast version, which stores
 * the same cache or tables in another form, so that emitted code can work on them without a call:
 *
 *   slot   default file                  fast version                                   emitted code
 *   I1     rows, used last first         a record with a time stamp for each line       emit/fetch.c
 *   D1     rows, used last first         an entry with a time stamp for each line       emit/check.c, lru_stub.c, log.c
 *   LL     rows, used last first         the same                                       emit/stub.c
 *   BC     counters and a history        the same, the history shifted into the index   emit/branch.c
 *   BI     targets                       the same                                       emit/branch.c
 *
 * A fast version is used only for the file with the hash in fast/proven.  With any other file in the slot, its member here stays
 * zero, and each reference calls the file.  --check runs the default file beside the fast version and compares each outcome.
 */
#ifndef QN_SIM_FAST_H
#define QN_SIM_FAST_H

#include "base/base.h"


/* A set is a row of pointers to the records of its lines (struct qn_code_line).  The record with the oldest stamp is the victim. */
struct qn_fast_I1 {
    uint64_t sets;        /* address of the pointers */
    uint32_t line_bits, set_mask;
    uint32_t ways;        /* pointers of a set; 0: the file in the slot is called */
};

/* The cache is the table of the hit filter (qn_sim_d1_filter): see D1.h. */
struct qn_fast_D1 {
    uint32_t sets;        /* 0: the file in the slot is called */
};

/* A word of the last level's rows is a line's number plus this.  Not 1: with lines of one byte, the last byte of memory would be no line.  So it is
 * the byte at 0xffffffff80000001, which is the kernel's. */
#define QN_FAST_LL_BIAS 0x7fffffff

/* The LL, and the L2 that may stand above it.  A set is a row of words, used last first; 0: none.  Emitted code knows powers of two of sets. */
struct qn_fast_LL {
    uint64_t rows;        /* address of the 64-bit words */
    uint32_t line_bits, sets;
    uint32_t ways;        /* words of a row; 0: the file in the slot is called */
};

/* Two-bit counters at history | (pc & pc_mask), which predict taken from 2 on; then
 * history = (2 * history + (taken ? taken : 0)) & history_mask. */
struct qn_fast_BC {
    uint64_t counters;    /* address of the bytes, below 2 GiB; 0: the file in the slot is called */
    uint64_t history;     /* address of the 32-bit word */
    uint64_t next[2];     /* addresses of four bytes: the new value of a counter after not taken, and after taken */
    uint32_t pc_mask, taken, history_mask;
};

/* Last targets, indexed by pc & pc_mask. */
struct qn_fast_BI {
    uint64_t targets;     /* address of the 64-bit words, below 2 GiB; 0: the file in the slot is called */
    uint32_t pc_mask;
};

struct qn_fast {
    struct qn_fast_I1 I1;
    struct qn_fast_D1 D1;
    struct qn_fast_LL LL, L2; /* L2: ways 0: there is none */
    struct qn_fast_BC BC;
    struct qn_fast_BI BI;
};
extern struct qn_fast qn_fast;

#endif
