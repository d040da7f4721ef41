/* lib/sim/contract.h - what the rest of quern knows of the simulators: addresses for the hit filter and
 * entry points for slow calls.  Emitted code and the simulator slots meet here and nowhere else.
 */
#ifndef QN_SIM_CONTRACT_H
#define QN_SIM_CONTRACT_H

#include "base/base.h"
#include "cost/arena.h"

/* What a hit changes in a level, and so what emitted code may do in place of a call. */
enum qn_hit {
    QN_HIT_CALL,    /* anything: every reference calls the simulator */
    QN_HIT_NOTHING, /* nothing, if the filter holds the line */
    QN_HIT_STAMP    /* the time of its last use, which emitted code writes (code lines only) */
};

/* One record per line of guest code that has been translated.  stamp 0: the line is not in the cache, or its next
 * hit is not certain to change nothing but the stamp: call. */
struct qn_code_line {
    uint64_t stamp;  /* clock of the last use */
    uint64_t line;   /* address of the first byte */
};

/* The data filter: a table by line number.  A reference may pass if all of it lies in the line that the entry at its place
 * names; if there are stamps, it then writes the time to the same entry.  No time is written twice, and none before an older
 * one.  (Line and stamp lie side by side: two tables of the same alignment make the processor take a store to one for a store
 * to the other.) */
#define QN_NO_LINE 0x8000000000000000ull /* no user address lies there: the comparison always fails */

struct qn_filter_entry {
    uint64_t line;        /* address of its first byte, or QN_NO_LINE */
    uint64_t stamp;       /* time of its last use */
};

struct qn_filter {
    uint64_t entries;     /* address of the table, below 2 GiB; 0: no filter, always call */
    uint32_t mask;        /* (number of entries - 1) * 16, the number a power of two */
    uint32_t shift;       /* address >> shift & mask: offset in the table */
    uint32_t line;        /* bytes */
    bool stamps;          /* false: a hit changes nothing at all */
    bool writes_call;     /* writes and read-modify-writes never pass (a hit makes a line dirty) */
    uint32_t sets;        /* not 0: the table is all there is to the level (see cachesim_D1.c), so a stub may do what
                             it does for a reference within one line; the call is qn_sim_d1_missed if it missed */
};

static inline struct qn_filter qn_filter_of(const struct qn_filter_entry *table, uint32_t entries, uint32_t line)
{
    bool fits = line >= sizeof *table; /* shorter lines would need a shift to the left */

    return (struct qn_filter){.entries = fits ? (uintptr_t)table : 0, .mask = (entries - 1) * (uint32_t)sizeof *table,
                              .shift = fits ? qn_log2(line) - 4 : 0, .line = line};
}

/* What the filter says in C.  now: the time, if it has stamps. */
static inline bool qn_filter_passes(const struct qn_filter *f, uint64_t addr, uint32_t size, uint64_t *now)
{
    struct qn_filter_entry *e = (struct qn_filter_entry *)(uintptr_t)(f->entries + (addr >> f->shift & f->mask));

    if (!f->entries || size > f->line || (addr ^ e->line) > f->line - size)
        return false;
    if (f->stamps)
        e->stamp = ++*now;
    return true;
}

/* A predictor of conditional branches that translated code works by itself: two-bit counters at history | (pc & pc_mask), which
 * predict taken from 2 on; then history = (2 * history + (taken ? taken : 0)) & history_mask. */
struct qn_bc_tables {
    uint64_t counters;    /* address of the bytes, below 2 GiB; 0: call qn_sim_cond */
    uint64_t history;     /* address of the 32-bit word */
    uint64_t next[2];     /* addresses of four bytes: what becomes of a counter after not taken, and after taken */
    uint32_t pc_mask, taken, history_mask;
};

/* A predictor of indirect targets that translated code works by itself: the last target, at pc & pc_mask. */
struct qn_bi_table {
    uint64_t targets;     /* address of the 64-bit words, below 2 GiB; 0: call qn_sim_indirect */
    uint32_t pc_mask;
};

/* A last level whose sets are rows of line numbers, newest first (lru.h), so that a stub may look a line up. */
struct qn_lru_rows {
    uint64_t rows;        /* address of the 64-bit words */
    uint32_t line_bits, set_mask;
    uint32_t ways;        /* words of a row; 0: the level is something else */
};

extern struct qn_lru_rows qn_sim_ll_rows;

/* A level of code lines whose sets are pointers to the records of their lines; what has the oldest stamp gives way. */
struct qn_stamped_sets {
    uint64_t sets;        /* address of the pointers */
    uint32_t line_bits, set_mask;
    uint32_t ways;        /* pointers of a set; 0: the level is something else */
};
extern struct qn_stamped_sets qn_sim_i1_sets;

/* Many caches on one execution (sim/many/log.h): references that no filter has let pass are written down in the order of the
 * program, and simulated when there are QN_LOG_ENTRIES of them or when translated code is left. */
#define QN_LOG_ENTRIES 1024u
#define QN_LOG_BYTES (QN_LOG_ENTRIES * (uint32_t)sizeof(struct qn_log_entry))

enum qn_log_kind { /* two bits, and flags */
    QN_LOG_READ,       /* in one line of all D1s */
    QN_LOG_WRITE,
    QN_LOG_PART,       /* of a reference over several: one of these lines, in the first the first byte */
    QN_LOG_LAST = 4,   /* with QN_LOG_PART: the last byte, once more */
    QN_LOG_WRITES = 8, /* with QN_LOG_LAST */
    QN_LOG_FETCH = 16, /* that missed the I1 */
    QN_LOG_OVER = 32   /* with QN_LOG_FETCH: over two lines, addr in front of the second; the size does not count */
};

struct qn_log_entry {
    uint64_t addr;
    uint32_t site;        /* as arg_site */
    uint32_t kind;        /* enum qn_log_kind */
};

struct qn_sim_log {
    uint64_t entries;     /* address of the table, below 2 GiB; 0: there is no log */
    uint32_t used;        /* bytes; when a reference makes it QN_LOG_BYTES, qn_sim_log_drain has to be called */
    uint32_t line_bits;   /* of the last level's shortest line */
};

extern struct qn_sim_log qn_sim_log;
qn_slow_call qn_sim_log_drain; /* no log any more */

/* The default caches, where a large part of all references miss the D1 (sim/batch.h): emitted code writes down each reference to another
 * line than the last of its set, without a jump, and misses of code lines as in the log above.  Of an entry of data only address and site are written. */
#define QN_BATCH_ENTRIES 1024u
#define QN_BATCH_FULL (QN_BATCH_ENTRIES * (uint32_t)sizeof(struct qn_log_entry)) /* a bit of `next`: it is time to drain */

struct qn_sim_batch {
    uint64_t next;        /* address of the next entry, below 2 GiB.  There is always room for those of a block more */
    uint64_t newest;      /* address of a table below 2 GiB: the line referenced last in each set, as the address of its first byte */
    uint32_t line, sets;  /* bytes of a line */
};
extern struct qn_sim_batch qn_sim_batch;
qn_slow_call qn_sim_batch_drain; /* simulates what is written down */
bool qn_sim_batch_possible(void); /* with these caches, on a processor with AVX-512? */
void qn_sim_batch_switch(bool on); /* it is not what it is already */
extern bool qn_sim_batch_on;
/* A block was left in the middle: what it has written is simulated.  next: what it has kept of that in a register, 0 = nothing. */
void qn_sim_batch_recover(uint64_t next);

extern struct qn_bc_tables qn_sim_bc_tables;
extern struct qn_bi_table qn_sim_bi_table;
extern struct qn_filter qn_sim_d1_filter;
extern enum qn_hit qn_sim_i1_hit;
extern uint32_t qn_sim_i1_line; /* bytes */
/* May a fetch from the code line touched just before be left out?  Yes if a hit directly after a reference changes nothing;
 * no for policies that count hits, for levels that see everything, and if a data reference can throw code lines out. */
extern bool qn_sim_i1_repeat_is_noop;

void qn_sim_init(const struct qn_config *config, uint64_t *counters);
struct qn_code_line *qn_sim_code_line(uint64_t line_address); /* find or make */
uint64_t qn_sim_line_bytes(void), qn_sim_line_fixed_bytes(void); /* memory of the records; of what finds them */

/* Slow calls: arguments in qn_ctx, all registers preserved, status flags destroyed.
 *   arg_site = counter index | bytes << QN_SITE_SIZE_SHIFT; the two counters there are L1 and LL misses. */
#define QN_SITE_SIZE_SHIFT 25
#define QN_SITE_COUNTER_MASK ((1u << QN_SITE_SIZE_SHIFT) - 1)
#define QN_SITE_SIZE_MAX 64 /* larger references go through qn_sim_slow_big: size in arg_aux */
#define QN_SITE_BACKWARD (1u << QN_SITE_SIZE_SHIFT) /* qn_sim_cond: the branch's target lies below it */
/* --check, --explain: arg_aux = bytes | QN_AUX_WRITE or QN_AUX_MODIFY | which line is explained, from 1 */
#define QN_AUX_WRITE (1u << 16)
#define QN_AUX_MODIFY (2u << 16)
#define QN_AUX_WHICH_SHIFT 20

qn_slow_call qn_sim_slow_fetch;  /* arg_aux: address of a qn_fetch_site */
struct qn_fetch_site {
    uint32_t site;             /* as in arg_site */
    uint32_t last, first;      /* addresses of the records of its last line, and of its first if that is another, else 0 */
    uint32_t offset;           /* of the first byte in its line */
};
qn_slow_call qn_sim_slow_data;   /* arg_addr; a read */
qn_slow_call qn_sim_slow_write;  /* the same; only if qn_sim_kinds asks for it need writes be told from reads */
qn_slow_call qn_sim_slow_modify;
/* Several references in order: arg_site = how many, arg_addr = address of the lowest byte, arg_aux = address of the list. */
#define QN_GROUP_MAX 12
struct qn_group_ref {
    uint32_t counter;
    uint16_t offset, size; /* bytes; offset from the lowest */
};
qn_slow_call qn_sim_slow_group;
qn_slow_call qn_sim_d1_missed;   /* D1 has missed this reference and taken the line; now the rest */
qn_slow_call qn_sim_slow_big;    /* arg_addr, arg_aux = bytes | QN_AUX_* */
extern bool qn_sim_kinds;      /* a module wants to know reads from writes */
qn_slow_call qn_sim_cond;        /* arg_pc, arg_aux = taken (0, 1); one counter */
qn_slow_call qn_sim_indirect;    /* arg_pc, arg_addr = target; one counter */
extern bool qn_sim_returns;    /* a module wants to know calls and returns */
qn_slow_call qn_sim_call;        /* arg_pc, arg_addr = where it will return; one counter, as a site */
qn_slow_call qn_sim_return;      /* arg_pc, arg_addr = target; one counter, as a site */
qn_slow_call qn_sim_check_data;  /* --check: unfiltered twin of the reference just made; ctx.result is what the filtered path did */
qn_slow_call qn_sim_check_fetch;

/* --explain: every data reference comes to qn_sim_see_data, with arg_aux.  After qn_sim_init. */
void qn_sim_explain(const struct qn_config *config, struct qn_explain_output *output);
extern bool qn_sim_sees;
qn_slow_call qn_sim_see_data;
/* The same from C.  which: of the lines that are explained, from 1; 0 = it is none of them. */
unsigned qn_sim_see(uint64_t addr, uint32_t size, unsigned kind, unsigned which, uint64_t *misses);

/* --versus: a fetch from the line fetched just before changes nothing in either simulator, so it is only counted, here.  NULL:
 * it might, and comes to qn_sim_check_fetch. */
extern uint64_t *qn_sim_repeats;

/* What came to the simulators because no filter let it pass; --stats shows it.  Translated code adds to `data` where it does the
 * level's work itself (emit/lru_stub.c), but only with --stats. */
struct qn_sim_traffic {
    uint64_t data, fetches, cond, indirect;
};
extern struct qn_sim_traffic qn_sim_traffic; /* below 2 GiB */

/* The last misses, newest at qn_sim_miss_count - 1: when an instruction faults, those of its references are taken back
 * (run/arena.c).  The dispatcher, whose work cannot be taken back, begins the count anew whenever it enters translated code. */
#define QN_SIM_MISSES 16u
#define QN_SIM_MISS(counter, ll) (2 * (counter) + (ll)) /* index of the pair; 1: the LL missed too */
extern uint32_t qn_sim_misses[QN_SIM_MISSES];
extern uint64_t qn_sim_miss_count;
/* The same for events of modules that references at sites first to end - 1 caused; this count, too, begins anew. */
extern uint64_t qn_sim_charge_count;
void qn_sim_uncharge(uint32_t first, uint32_t end);
/* After calls of qn_sim_predict_*: the events that they caused belong to the branch that counts here. */
void qn_sim_charge_branch(uint64_t *mispredicts);

/* The analysis module observes instructions; it has to be told of each that is. */
extern bool qn_sim_observes;
struct sim_insn;
void qn_sim_observe(const struct sim_insn *insn);

/* One reference from C, for helpers (string instructions, gathers) and replay.  Returns bit 0: L1 miss, bit 1: LL miss.
 * kind: enum sim_kind of module.h. */
unsigned qn_sim_data(uint64_t addr, uint32_t size, uint64_t *misses); /* a read */
unsigned qn_sim_data_kind(uint64_t addr, uint32_t size, unsigned kind, uint64_t *misses);
unsigned qn_sim_fetch(uint64_t addr, uint32_t size, uint64_t *misses);
bool qn_sim_predict_cond(uint64_t pc, bool taken); /* true: mispredicted */
bool qn_sim_predict_cond_to(uint64_t pc, bool taken, bool backward);
bool qn_sim_predict_indirect(uint64_t pc, uint64_t target);
void qn_sim_predict_call(uint64_t pc, uint64_t next);
bool qn_sim_predict_return(uint64_t pc, uint64_t target); /* false also if nobody predicts */
void qn_sim_finish(void); /* modules print what they have to say; once, at the end of a process */
/* For a message when a module crashes or hangs: who is at work.  False: no module is. */
struct qn_sim_culprit {
    const char *slot, *module, *function;
    const char *of;     /* " of B" if it is the second simulator of --versus, else "" */
    uint64_t reference; /* number of the call */
};
bool qn_sim_at_work(struct qn_sim_culprit *c);

#endif
