/* lib/sim/contract.h - what the rest of quern knows of the simulators: addresses for the hit filter and
 * entry points for slow calls.  Emitted code and the simulator slots meet here, and in fast/fast.h where the default files are
 * simulated without calls.
 */
#ifndef QN_SIM_CONTRACT_H
#define QN_SIM_CONTRACT_H

#include "base/base.h"
#include "cost/arena.h"
#include "cost/events.h"

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

/* A place that references: the index of its two counters, L1 and LL misses | bytes << QN_SITE_SIZE_SHIFT. */
#define QN_SITE_SIZE_SHIFT 25
#define QN_SITE_COUNTER_MASK ((1u << QN_SITE_SIZE_SHIFT) - 1)
#define QN_SITE_SIZE_MAX 64 /* larger references go through qn_sim_slow_big: size in arg_aux */

/* References written down and simulated many at a time (sim/fast/log.h), in the order of the program: those that no filter lets pass
 * (many caches), or, of the default caches, all to another line than the last of their set (qn_sim_log_on).  Code lines that miss
 * the I1 among them. */
#define QN_LOG_ENTRIES 1024u
#define QN_LOG_FULL (QN_LOG_ENTRIES * (uint32_t)sizeof(struct qn_log_entry)) /* a bit of `next`: it is time to drain */

enum qn_log_kind { QN_LOG_READ, QN_LOG_WRITE, QN_LOG_FETCH, QN_LOG_MODIFY }; /* the default caches do not ask whether it is a write */

struct qn_log_entry {
    uint64_t addr;
    uint32_t site;        /* as arg_site */
    uint32_t kind;        /* enum qn_log_kind */
};

/* Is it a reference to data, within one line?  Above its size an entry has its kind, so that a fetch has more bytes than any line. */
static inline bool qn_log_is_plain(const struct qn_log_entry *e, uint64_t line)
{
    uint64_t word = (e->site | (uint64_t)e->kind << 32) & ~((uint64_t)QN_LOG_WRITE << 32);

    return (e->addr & (line - 1)) + (word >> QN_SITE_SIZE_SHIFT) <= line;
}

struct qn_sim_log {
    uint64_t next;        /* address of the next entry, below 2 GiB.  There is always room for those of a block more */
    uint64_t newest;      /* address of a table below 2 GiB: the line referenced last in each set, as the address of its first byte */
    uint32_t line, sets;  /* of the D1; bytes of a line */
    uint32_t line_bits;   /* many caches: of the last level's shortest line */
    bool many;            /* these are many caches: what no filter lets pass is written down, and nothing else */
};
extern struct qn_sim_log qn_sim_log;
/* Who simulates what is written down: all entries in order; one that no entry can say; this one's lines are the newest of their
 * sets from here on, so they may pass.  A unit says so at its start, and gets the counters that sites are numbers of. */
struct qn_log_consumer {
    void (*simulate)(const struct qn_log_entry *entry, uint32_t n);
    void (*reference)(uint64_t addr, uint32_t size, enum qn_log_kind kind, uint32_t counter);
    void (*pass)(uint64_t addr, uint32_t size);
};
uint64_t *qn_sim_log_to(const struct qn_log_consumer *consumer);
extern bool qn_sim_log_on;       /* references from C are written down, too */
extern bool qn_sim_log_all;      /* every reference to data is written down: a module in slot D1 wants to see each */
qn_slow_call qn_sim_log_drain;   /* simulates what is written down */
bool qn_sim_log_possible(void);  /* with these caches, if they are the default ones? */
void qn_sim_log_switch(bool on); /* the same; it is not what it is already */
/* A block was left in the middle: what it has written is simulated.  next: log position that the block still held in a register; 0 if
 * memory is current. */
void qn_sim_log_recover(uint64_t next);

static inline bool qn_sim_log_is_empty(void) { return !(qn_sim_log.next & (2 * QN_LOG_FULL - 1)); } /* it begins at a multiple of that */

/* Everything is written down for a recorder (analysis/record.c), nothing is simulated.  Blocks and what they are made of have words of
 * the same size in the same log, in the order in which it happens:
 *
 *   DEFINE id pc, its items      when the block is translated
 *   BLOCK id                     it begins; fetches, calls and branches that go one way only follow from its items
 *   READ, WRITE, MODIFY addr     the next reference among its items
 *   OPEN                         the next item that only the run tells: what C refers to until CLOSE, or the next OPEN, belongs to it
 *   TAKEN 0, 1 ; TARGET addr     how the branch at its end went
 *   LEFT n                       the block was left by a fault when n of its instructions were done
 *   anything | QN_LOG_FROM_C     a reference or branch that C made, outside a block or in an open item
 */
enum qn_log_word {
    QN_LOG_COND = 4, QN_LOG_INDIRECT, QN_LOG_CALL, QN_LOG_RETURN, /* FROM_C: the pc in addr, and in `site` taken | backward << 1 */
    QN_LOG_MORE,          /* FROM_C: addr instructions that are counted without a fetch: steps of a repeated one */
    QN_LOG_RUN, QN_LOG_STEP, /* FROM_C: addr times what the next `site` words say, in turn; behind each: how far its address moves */
    QN_LOG_DEFINE = 9, QN_LOG_BLOCK, QN_LOG_OPEN, QN_LOG_CLOSE, QN_LOG_TAKEN, QN_LOG_TARGET, QN_LOG_LEFT,
    QN_LOG_FROM_C = 1 << 4,
    QN_LOG_BIG = 1 << 5   /* `site` is the size */
};

/* What a block is made of. */
enum qn_item_kind { QN_ITEM_READ, QN_ITEM_WRITE, QN_ITEM_MODIFY, QN_ITEM_FETCH, QN_ITEM_COND, QN_ITEM_INDIRECT, QN_ITEM_CALL, QN_ITEM_RETURN,
                    QN_ITEM_OPEN, QN_ITEM_FIXED /* a conditional branch that is never taken */, QN_ITEM_SKIP /* bytes that are no fetch */ };
#define QN_ITEM_BACKWARD 1u /* size of COND: the target lies below */
struct qn_item {
    uint16_t size;        /* bytes */
    uint8_t kind, pad;
};
#define QN_ITEMS_MAX 512u
#define QN_ITEMS_A_WORD (sizeof(struct qn_log_entry) / sizeof(struct qn_item))
extern bool qn_sim_records;
enum qn_log_kind qn_sim_log_kind(unsigned kind); /* of enum sim_kind */
/* Returns the block's id. */
uint32_t qn_sim_log_define(uint64_t pc, const struct qn_item *item, unsigned n);
void qn_sim_log_left(unsigned insns); /* nothing, unless something is recorded; the same for the next */
void qn_sim_log_more(uint64_t insns);
struct qn_log_stream {
    uint64_t addr, step;
    uint32_t size;        /* of a conditional branch: taken | backward << 1 */
    uint8_t kind;         /* enum qn_log_kind, QN_LOG_COND */
};
void qn_sim_log_run(const struct qn_log_stream *stream, unsigned n, uint64_t times);

/* Conditional branches written down, for a module in slot BC: the same, in a log of their own. */
#define QN_BRANCH_TAKEN (1u << 26) /* of `site`, beside QN_SITE_BACKWARD */
struct qn_branch_entry {
    uint64_t pc;
    uint32_t site, pad;
};
struct qn_sim_branches {
    uint64_t next;        /* address of the next entry, below 2 GiB; 0: branches are not written down */
};
extern struct qn_sim_branches qn_sim_branches;
qn_slow_call qn_sim_branches_drain;
bool qn_sim_branches_are_empty(void);
#define QN_RESULT_LATER 4u       /* ctx.result, for the twin: what became of it is known when it is drained */

/* What the simulators may use of the processor's, and whether its registers are of 512 bits; set before qn_sim_init. */
struct qn_sim_vectors {
    enum qn_vectors with;
    bool wide;
};
extern struct qn_sim_vectors qn_sim_vectors;

extern struct qn_filter qn_sim_d1_filter;
extern enum qn_hit qn_sim_i1_hit;
extern uint32_t qn_sim_i1_line; /* bytes */
/* May a fetch from the code line touched just before be left out?  Yes if a hit directly after a reference changes nothing;
 * no for policies that count hits, for levels that see everything, and if a data reference can evict lines of code. */
extern bool qn_sim_i1_repeat_is_noop;

/* What is to stand in the slots instead of the engine's own: "D1=srrip:50b34235a5a88360 BC=gshare:...", matched by slot and
 * hash; SLOT=default is the default.  second: of B of --versus.  Before qn_sim_init; the text must stay. */
void qn_sim_choose(const char *units, const char *second);
void qn_sim_init(const struct qn_config *config, uint64_t *counters);
/* A module wants sim_pc: the site's references (the index of their counters), of this kind, are made by the instruction at pc. */
extern bool qn_sim_wants_pc;
void qn_sim_note_site(uint32_t site, uint64_t pc, enum qn_log_kind kind);
/* A module wants to know the thread that runs; whoever lets another one run sets it.  Nothing is only written down then. */
extern bool qn_sim_wants_thread;
extern uint32_t sim_thread;
/* Analysis modules see each reference; nothing may be left out. */
extern bool qn_sim_analyses;
/* They are told of each miss of data: the stub of the D1 ends in C. */
extern bool qn_sim_tells_misses;
/* By site: where the address of a miss is written in place of telling it; NULL: it is told.  NULL: all are told. */
extern uint64_t **qn_sim_miss_to;
/* Who else is told of each data reference that misses; site: index of its counters; ll: the LL has missed, too.  NULL: nobody.  After
 * qn_sim_init, and before anything is emitted. */
typedef QN_NCSR_TYPE void qn_miss_hook(uint64_t addr, uint32_t site, unsigned ll);
void qn_sim_tell_misses(qn_miss_hook *hook);
/* The same of lines that come in, before the miss is told; `victim` leaves for it if it evicts any.  false: of lines nobody is told. */
typedef QN_NCSR_TYPE void qn_line_hook(uint64_t line, uint64_t victim, bool evicts);
bool qn_sim_tell_lines(qn_line_hook *hook);
/* --data=use: of each line that comes into the D1, for this byte of it, which gets a word to stay with it; and of each that leaves, with a byte
 * for each of its bytes, QN_USED = it was used since, 0.  false: there is no default D1.  After qn_sim_init, and before anything is emitted. */
#define QN_USED 0xff
struct qn_use_hooks {
    QN_NCSR_TYPE uint64_t (*came)(uint64_t addr, uint32_t site);
    QN_NCSR_TYPE void (*left)(uint64_t word, const uint8_t *bytes);
};
bool qn_sim_tell_uses(const struct qn_use_hooks *hooks);
void qn_sim_end_uses(void); /* what is still in the D1 leaves */
/* The bytes, of the slot at offset 16 * n of the filter's table from n * line on: what passes the filter writes them. */
extern uint64_t qn_sim_uses; /* below 2 GiB; 0: nobody asks */
/* Of `site`: beside what modules count. */
void qn_sim_charge_to(uint32_t site, unsigned event, uint64_t n);

/* And of each line that comes into the D1 and the one that leaves, which emitted code writes down here before it calls
 * qn_sim_d1_missed.  Stamps have to have the order of the program. */
extern bool qn_sim_tells_lines;
extern struct qn_filter_entry qn_sim_victim; /* below 2 GiB */
/* And of each line that comes into the set of those used last: the filter passes these lines and no other.  Each of its stamps counts,
 * and what does not pass is a call. */
extern bool qn_sim_tells_far;
struct qn_code_line *qn_sim_code_line(uint64_t line_address); /* find or make */
uint64_t qn_sim_line_bytes(void), qn_sim_line_fixed_bytes(void); /* memory of the records; of what finds them */

/* Slow calls: arguments in qn_ctx, all registers preserved, status flags destroyed.
 *   arg_site = the site, as above. */
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
/* --check, --versus: the twin makes the reference that has just been made; ctx.result is what became of it. */
qn_slow_call qn_sim_check_data;    /* arg_addr, arg_site, arg_aux = bytes | QN_AUX_* */
qn_slow_call qn_sim_check_fetch;
qn_slow_call qn_sim_check_cond;    /* arg_pc, arg_site, arg_aux = taken; ctx.result = mispredicted */
qn_slow_call qn_sim_check_indirect; /* arg_pc, arg_site, arg_addr = target */
qn_slow_call qn_sim_check_call, qn_sim_check_return; /* as qn_sim_call, qn_sim_return */
qn_slow_call qn_sim_check_group;   /* as qn_sim_slow_group; ctx.result has two bits for each */

/* --explain: data references of the lines that are explained come to qn_sim_see_data, with arg_aux.  After qn_sim_init. */
void qn_sim_explain(const struct qn_config *config, struct qn_explain_output *output);
extern bool qn_sim_sees; /* all others do, too */
/* If they do not: what passes the filter counts itself and leaves its number and site beside the stamp, at the same offset of a table.
 * The number stands above the site, in one word. */
#define QN_USER_SITE_BITS QN_SITE_SIZE_SHIFT
#define QN_USER_ONE (1u << QN_USER_SITE_BITS) /* reference more */
struct qn_sim_users {
    uint64_t table;       /* as the filter's: below 2 GiB; 0: nobody asks */
    uint64_t now;         /* number of the last reference, site 0 */
    uint64_t me, was;     /* of the one that emitted code finds no line for: who makes it; who used the victim last */
};
extern struct qn_sim_users qn_sim_users; /* below 2 GiB */
qn_slow_call qn_sim_see_data;
/* The same from C.  which: of the lines that are explained, from 1; 0 = it is none of them. */
unsigned qn_sim_see(uint64_t addr, uint32_t size, unsigned kind, unsigned which, uint64_t *misses);

/* --versus: a fetch from the line fetched just before changes nothing in either simulator, so it is only counted, here.  NULL:
 * it might, and comes to qn_sim_check_fetch. */
extern uint64_t *qn_sim_repeats;
/* --versus: what B need not see, if A has hit, too; it is counted in *count.  count NULL: B sees all. */
struct qn_sim_twin {
    struct qn_filter filter;  /* B's of data */
    bool code_lines;          /* a fetch of lines whose records (of B's own) have a stamp changes nothing */
    bool same_I1, same_D1;    /* level 1 of B is that of A: it hits and misses whenever that does */
    uint64_t *count;
};
extern struct qn_sim_twin qn_sim_twin;
struct qn_code_line *qn_sim_twin_code_line(uint64_t line_address); /* find or make */

/* What came to the simulators because no filter let it pass; --stats shows it.  Translated code adds to `data` where it does the
 * level's work itself (emit/lru_stub.c), but only with --stats. */
struct qn_sim_traffic {
    uint64_t data, fetches, cond, indirect;
};
extern struct qn_sim_traffic qn_sim_traffic; /* below 2 GiB */

/* --calls: besides, what misses and events of modules come to is added up here, by event (enum qn_cost_event, then those of modules).
 * NULL: it is not.  event_of has the event of each counter of the arena; that of the LL follows that of level 1. */
#define QN_SUMS_ANY QN_COST_COLUMNS /* grows with any of them that qn_call_is_rare names (cost/call_records.h) */
extern int64_t *qn_sim_sums;
extern uint8_t *qn_sim_event_of; /* below 2 GiB */

static inline void qn_sim_sum_miss(uint32_t counter, int64_t misses, int64_t ll)
{
    if (QN_LIKELY(!qn_sim_sums))
        return;
    qn_sim_sums[qn_sim_event_of[counter]] += misses;
    qn_sim_sums[qn_sim_event_of[counter] + 1] += ll;
    qn_sim_sums[QN_SUMS_ANY]++;
}

static inline void qn_sim_sum_event(unsigned event, int64_t n)
{
    if (QN_LIKELY(!qn_sim_sums))
        return;
    qn_sim_sums[event] += n;
    qn_sim_sums[QN_SUMS_ANY]++;
}

/* The last misses, newest at qn_sim_miss_count - 1: when an instruction faults, those of its references are taken back
 * (run/core/arena.c).  The dispatcher, whose work cannot be taken back, begins the count anew whenever it enters translated code. */
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
void qn_sim_observe(struct sim_insn *insn, unsigned n); /* n of them, one after the other, not 0 */

/* One reference from C, for helpers (string instructions, gathers) and replay.  Returns bit 0: L1 miss, bit 1: LL miss.
 * kind: enum sim_kind of module.h. */
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
