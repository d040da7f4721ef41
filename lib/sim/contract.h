/* lib/sim/contract.h - the interface between the simulators and the rest of the engine: the tables of the hit filter, and the functions that
 * emitted code and the engine call.  fast/fast.h has the rest: what emitted code simulates without calls. */
#ifndef QN_SIM_CONTRACT_H
#define QN_SIM_CONTRACT_H

#include "base/base.h"
#include "cost/arena.h"
#include "cost/events.h"

/* ---- what one execution of a block has counted, so that a fault can take it back ----
 *
 *   executions of the block      1        2        3
 *   misses at site 4711          1, ring  -        -, then the instruction faults: 3 is not 1, so the miss of the first one stays
 *
 * When an instruction faults, what its references, and later ones of its block, have counted in this execution of the block is taken back
 * (run/core/arena.c).  So each record of what was counted has the number of the execution: the count of executions of the site's block. */

extern uint32_t *qn_sim_executions; /* by site: address of that count, below 4 GiB; 0: of no block; NULL: in a replay */
extern bool qn_sim_is_old;          /* what is being simulated belongs to an execution that has ended */

static inline uint64_t qn_sim_execution(uint32_t site)
{
    uint32_t at = qn_sim_executions ? qn_sim_executions[site] : 0;

    return qn_sim_is_old || !at ? 0 : *(const uint64_t *)(uintptr_t)at;
}

/* What is taken back: the sites first to end - 1, of one block, in this execution. */
struct qn_sim_part {
    uint64_t execution;
    uint32_t first, end;
};

static inline bool qn_sim_is_part(const struct qn_sim_part *p, uint64_t site, uint64_t execution)
{
    return execution == p->execution && site >= p->first && site < p->end;
}

/* A ring of the last misses, the newest at qn_sim_miss_count - 1.  The dispatcher sets the count to 0 whenever it enters translated code,
 * because nothing before that is taken back. */
#define QN_SIM_MISSES 256u /* QN_EVENTS_MAX: more than all references of a block, except those of string instructions, which come later */
struct qn_sim_miss {
    uint64_t execution;
    uint32_t counter, ll;           /* index of the counter pair; 1: the LL missed, too */
};
extern struct qn_sim_miss qn_sim_misses[QN_SIM_MISSES];
extern uint64_t qn_sim_miss_count;
/* Takes back the events of modules; this count is reset in the same way. */
extern uint64_t qn_sim_charge_count;
extern uint64_t sim_undo_count; /* and for words of analyses (sim_undoable in sim/module.h) */
void qn_sim_uncharge(const struct qn_sim_part *part);
/* ---- events of modules and misses of an L2, by site ----
 *
 * A site is the index of the reference's miss counters.  It gets a row of counts, one for each event, when it first causes an event.  The last
 * QN_SIM_CHARGES of them are in a ring, as misses are. */
#define QN_SIM_CHARGES 512u /* more than the references of one execution of a block can cause */
struct qn_sim_charge {
    uint64_t n, execution;
    uint32_t site, event;
};
extern struct qn_sim_charge qn_sim_charges[QN_SIM_CHARGES]; /* below 2 GiB */
/* Where emitted code counts misses of the L2, which has been declared. */
struct qn_sim_charged {
    uint64_t row_of;    /* address of 32-bit words, by site: the number of its row, from 1; 0: it has none */
    uint64_t rows;      /* the site, then a count of each event */
    uint64_t sums;      /* the counts of all sites */
    uint32_t row_bytes;
};
struct qn_sim_charged qn_sim_charged(void);
extern const uint8_t qn_sim_L2_event_of[QN_COST_EVENTS]; /* of a miss of level 1: the number of the event; below 2 GiB */

/* ---- the stream of records, for analyses (struct sim_record in sim/module.h) ----
 *
 *   emitted code (emit/lru_stub.c), or C (stream.c)   a record at `next`, which moves on; if it then is `full`, a call of C
 *   C                                                 recent lines that were not used lately are no longer recent (sim/fast/D1.h);
 *                                                     analyses are called for all records but those of executions that have not ended
 *
 * The entries of lines that are not recent have D1_FAR in the D1's table, so emitted code does not find them at once.  A fault marks the
 * records of what it takes back.  `next` lies in the arena, so that the collector knows how many records nobody has looked at. */

#define QN_RECORDS 512u            /* so many make analyses be called */
#define QN_RECORDS_BESIDE 4096u    /* of a process beside */
#define QN_RECORDS_ROOM 8192u      /* the largest reference fits behind them */
#define QN_RECENT_MAX 128u
#define QN_FAR_BIT 62              /* D1_FAR: of the line in an entry of the filter's table */

struct sim_record;
struct qn_stream_beside;
struct qn_sim_stream {
    struct sim_record *first;      /* below 2 GiB; NULL: nobody reads records */
    struct sim_record **next;      /* this and the next are in the arena */
    uint64_t *read_to;             /* the address up to which records were read, and the size of each SIM_LEFT behind it */
    struct sim_record *full;
    struct sim_record *closed;     /* records before it belong to executions that have ended */
    struct sim_record *other;      /* with beside: the buffer that its process may be reading */
    uint8_t out[256];              /* by the lowest bits of a line's number: the number of recent lines like it that the D1 has evicted */
    bool victims, uses;            /* as SIM_VICTIMS, SIM_USES */
    bool by_reference;             /* records are made of references, since this D1 does not tell of its lines */
    uint32_t batch;                /* so many make analyses be called */
    const struct qn_stream_beside *beside; /* another process calls the analyses (stream.h); NULL: this one does */
    bool at_once;                  /* analyses that count events are called at each record, because somebody asks what they have counted */
};
extern struct qn_sim_stream qn_sim_stream; /* below 2 GiB */
static inline bool qn_sim_stream_is_empty(void) { return !qn_sim_stream.first || *qn_sim_stream.next == qn_sim_stream.first; }
QN_NCSR qn_slow_call qn_sim_stream_full;   /* after a record that fills it */
void qn_sim_stream_tell(void);     /* calls the analyses for all records, when no execution is open */
static inline void qn_sim_stream_ended(void) /* no execution is open */
{
    if (qn_sim_stream.beside)
        qn_sim_stream.closed = *qn_sim_stream.next;
    else
        qn_sim_stream_tell();
}
static inline void qn_sim_stream_sync(void)
{
    if (qn_sim_stream.first && (qn_sim_stream.beside || !qn_sim_stream_is_empty()))
        qn_sim_stream_tell();
}
/* After qn_sim_init and the hooks: may another process call the analyses?  Not if somebody waits for what they say, or a module is called by this one. */
bool qn_sim_can_be_beside(void);

/* A line that a data reference used. */
struct qn_line_use {
    uint64_t line;        /* address of its first byte */
    uint64_t used;        /* a hit: the time of its last use before; 0: a miss */
    uint64_t victim;      /* a miss: the line that was evicted */
    uint64_t victim_used; /* the time of its last use; 0: there was a free way, and no victim */
    bool first, several;  /* it is the first line of its reference; the reference is to several lines */
    bool recent;          /* with qn_sim_stream.uses: it was a recent line */
};
typedef QN_NCSR_TYPE void qn_line_told(const struct qn_line_use *line);

/* ---- the tables of the hit filter ---- */

/* What a hit changes in a level, and so what emitted code does in place of a call. */
enum qn_hit {
    QN_HIT_CALL,    /* anything: every reference calls the simulator */
    QN_HIT_NOTHING, /* nothing, if the filter holds the line */
    QN_HIT_STAMP    /* only the time stamp of the line, which emitted code writes (code lines only) */
};

/* One record per line of guest code that has been translated.  stamp 0: the fetch has to call the simulator, because the line is
 * not in the cache, or a hit would change more than the stamp. */
struct qn_code_line {
    uint64_t stamp;  /* clock of the last use */
    uint64_t line;   /* address of the first byte */
};

/* The hit filter of data: a table indexed by line number.  A reference hits under the filter if it lies entirely in the line of its
 * entry.  With stamps, it then writes the time to the same entry.  Times strictly increase.  (Line and stamp lie side by side,
 * because with two tables of the same alignment the processor would mistake a store to one for a store to the other.) */
#define QN_NO_LINE 0x8000000000000000ull /* no user address lies there: the comparison always fails */

struct qn_filter_entry {
    uint64_t line;        /* address of its first byte, or QN_NO_LINE */
    uint64_t stamp;       /* time of its last use */
};

struct qn_filter {
    uint64_t entries;     /* address of the table, below 2 GiB; 0: no filter, always call */
    uint32_t mask;        /* (number of entries - 1) * 16; the number of entries is a power of two */
    uint32_t shift;       /* address >> shift & mask: offset in the table */
    uint32_t line;        /* bytes */
    bool stamps;          /* false: a hit changes nothing at all */
    uint64_t writes;      /* address of a second table, for writes and read-modify-writes; its stamps are in the first; 0: the first is for all */
    bool writes_call;     /* writes and read-modify-writes always call (a hit makes a line dirty) */
    uint64_t repeats;     /* address of a table of struct qn_repeat for reads, which one for writes follows; 0: there is none */
};

/* A reference that a call has simulated, and that would only renew its line's stamp if it were made again.  Its line is not in the tables
 * above, because references to other bytes of it change more.  It lies in the entry of its address >> 2 & (QN_REPEATS - 1). */
#define QN_REPEATS 256u

struct qn_repeat {
    uint64_t addr;        /* QN_NO_LINE: no entry */
    uint64_t size;        /* bytes; the same holds for fewer */
};

static inline bool qn_is_repeat(const struct qn_filter *f, uint64_t addr, uint32_t size, bool writes)
{
    const struct qn_repeat *r = (const struct qn_repeat *)(uintptr_t)f->repeats;

    if (!r)
        return false;
    r += (addr >> 2 & (QN_REPEATS - 1)) + (writes ? QN_REPEATS : 0);
    return r->addr == addr && size <= r->size;
}

static inline struct qn_filter qn_filter_of(const struct qn_filter_entry *table, uint32_t entries, uint32_t line)
{
    bool fits = line >= sizeof *table; /* shorter lines would need a shift to the left */

    return (struct qn_filter){.entries = fits ? (uintptr_t)table : 0, .mask = (entries - 1) * (uint32_t)sizeof *table,
                              .shift = fits ? qn_log2(line) - 4 : 0, .line = line};
}

/* The filter's check in C: true if the reference hits under it.  now: the clock, if the filter has stamps. */
static inline bool qn_filter_passes(const struct qn_filter *f, uint64_t addr, uint32_t size, bool writes, uint64_t *now)
{
    uint64_t at = addr >> f->shift & f->mask;
    struct qn_filter_entry *e = (struct qn_filter_entry *)(uintptr_t)(f->entries + at);
    const struct qn_filter_entry *asked = writes && f->writes ? (const struct qn_filter_entry *)(uintptr_t)(f->writes + at) : e;

    if (!f->entries || ((size > f->line || (addr ^ asked->line) > f->line - size) && !qn_is_repeat(f, addr, size, writes)))
        return false;
    if (f->stamps)
        e->stamp = ++*now;
    return true;
}

/* A site is an instruction's reference: the index of its two counters, L1 and LL misses | bytes << QN_SITE_SIZE_SHIFT. */
#define QN_SITE_SIZE_SHIFT 25
#define QN_SITE_COUNTER_MASK ((1u << QN_SITE_SIZE_SHIFT) - 1)
#define QN_SITE_SIZE_MAX 64 /* larger references go through qn_sim_slow_big: size in arg_aux */

/* The log: references that are recorded in program order and simulated many at a time (sim/fast/log.h).  With the default
 * caches, these are all references to another line than the last one of their set, and the code lines that miss the I1. */
#define QN_LOG_ENTRIES 1024u
#define QN_LOG_FULL (QN_LOG_ENTRIES * (uint32_t)sizeof(struct qn_log_entry)) /* a bit of `next`: the log has to be drained */

enum qn_log_kind { QN_LOG_READ, QN_LOG_WRITE, QN_LOG_FETCH, QN_LOG_MODIFY }; /* the default caches treat reads and writes alike */

struct qn_log_entry {
    uint64_t addr;
    uint32_t site;        /* as arg_site */
    uint32_t kind;        /* enum qn_log_kind */
};

/* Is it a data reference within one line?  The kind lies above the size, so a fetch seems to have more bytes than any line. */
static inline bool qn_log_is_plain(const struct qn_log_entry *e, uint64_t line)
{
    uint64_t word = (e->site | (uint64_t)e->kind << 32) & ~((uint64_t)QN_LOG_WRITE << 32);

    return (e->addr & (line - 1)) + (word >> QN_SITE_SIZE_SHIFT) <= line;
}

struct qn_sim_log {
    uint64_t next;        /* address of the next entry, below 2 GiB.  There is always room for the entries of one more block */
    uint64_t began;       /* what `next` was when the running block began; entries before that belong to executions that have ended */
    uint64_t newest;      /* address of a table below 2 GiB: the line referenced last in each set, as the address of its first byte */
    uint32_t line, sets;  /* of the D1; line: bytes */
};
extern struct qn_sim_log qn_sim_log;
/* The simulator that reads the log.  simulate: all entries, in order; reference: one reference that no entry can represent; pass: the
 * lines of this reference are now the most recently used of their sets. */
struct qn_log_consumer {
    void (*simulate)(const struct qn_log_entry *entry, uint32_t n);
    void (*reference)(uint64_t addr, uint32_t size, enum qn_log_kind kind, uint32_t counter);
    void (*pass)(uint64_t addr, uint32_t size);
};
extern bool qn_sim_log_on;       /* references from C are logged, too */
extern bool qn_sim_log_all;      /* every data reference is logged, because a module in slot D1 has to see each */
extern bool qn_sim_log_misses;   /* what misses the default I1 and D1 is logged, for a module at LL or L2 */
QN_NCSR qn_slow_call qn_sim_log_drain;   /* simulates all entries */
bool qn_sim_log_possible(void);  /* can these caches be simulated from a log? */
void qn_sim_log_switch(bool on); /* logging begins or ends; it must not be in that state already */
/* A block was left in the middle: its entries are simulated.  next: log position that the block still held in a register; 0 if
 * memory is current. */
void qn_sim_log_recover(uint64_t next);

static inline bool qn_sim_log_is_empty(void) { return !(qn_sim_log.next & (2 * QN_LOG_FULL - 1)); } /* it begins at a multiple of that */

/* For a recorder (analysis/record.c), everything is logged and nothing is simulated.  The log then has words of eight bytes, in the order
 * of execution:
 *
 *   block id | TAKEN, n addresses     the block has run; its fetches, calls and unconditional branches follow from its items, the n addresses
 *                                     are those of its references, in their order, and behind them, of an indirect branch, the target
 *   block id | CUT, i, n addresses    a fault ended the block after i of its instructions
 *   a pair: a head, a value           anything else; a block with open items has pairs in place of addresses, up to the next block:
 *
 *   DEFINE id, items ; pc             when the block is translated; the items follow, and with QN_LOG_CODE its bytes
 *   READ, WRITE, MODIFY ; address     the next reference among its items
 *   OPEN ; 0                          the next open item: references from C until CLOSE, or the next OPEN, belong to it
 *   TAKEN ; 0 or 1, TARGET ; address  the outcome of the branch at its end
 *   LEFT ; i                          as CUT
 *   any of them | QN_LOG_FROM_C       a reference or branch from C, outside a block or in an open item; of references `site` is the size
 */
enum qn_log_word { /* the highest byte of a head, beside enum qn_log_kind */
    QN_LOG_COND = 4, QN_LOG_INDIRECT, QN_LOG_CALL, QN_LOG_RETURN, /* FROM_C: the pc, and in `site` taken | backward << 1 */
    QN_LOG_MORE,          /* FROM_C: so many instructions that are counted without a fetch: repetitions of a string instruction */
    QN_LOG_RUN, QN_LOG_STEP, /* FROM_C: so many repetitions of the references in the next `site` pairs; behind each of these its address step */
    QN_LOG_CORE,          /* FROM_C, outside a block: from here on it is this core that runs, and thread `site` */
    QN_LOG_DEFINE = 9, QN_LOG_OPEN = 11, QN_LOG_CLOSE, QN_LOG_TAKEN, QN_LOG_TARGET, QN_LOG_LEFT,
    QN_LOG_FROM_C = 1 << 4,
    QN_LOG_CODE = 1 << 5,
    QN_LOG_PAIR = 1 << 7  /* it is a head, and not a block */
};
#define QN_LOG_KIND_SHIFT 56
#define QN_LOG_ITEMS_SHIFT 32 /* DEFINE: how many */
#define QN_LOG_BLOCK_TAKEN (1ull << 32)
#define QN_LOG_BLOCK_CUT (1ull << 33)
#define QN_LOG_BLOCK_INSNS_SHIFT 34 /* CUT: i and n */
#define QN_LOG_BLOCK_WORDS_SHIFT 44
#define QN_LOG_BLOCK_MASK 0x3ffu
typedef void qn_log_words(const uint64_t *words, uint32_t n); /* blocks and pairs are whole */

/* The items of a block. */
enum qn_item_kind { QN_ITEM_READ, QN_ITEM_WRITE, QN_ITEM_MODIFY, QN_ITEM_FETCH, QN_ITEM_COND, QN_ITEM_INDIRECT, QN_ITEM_CALL, QN_ITEM_RETURN,
                    QN_ITEM_OPEN, QN_ITEM_FIXED /* a conditional branch that is never taken */, QN_ITEM_SKIP /* bytes that are no fetch */ };
#define QN_ITEM_BACKWARD 1u /* size of COND: the target lies below */
struct qn_item {
    uint16_t size;        /* bytes */
    uint8_t kind, pad;
};
#define QN_ITEMS_MAX 512u
#define QN_BLOCK_BYTES_MAX (16u * QN_ITEMS_MAX)
/* From the block's address to the end of its last instruction. */
static inline uint32_t qn_items_bytes(const struct qn_item *item, uint32_t n)
{
    uint32_t bytes = 0;

    for (uint32_t i = 0; i < n; i++)
        bytes += item[i].kind == QN_ITEM_FETCH || item[i].kind == QN_ITEM_SKIP ? item[i].size : 0;
    return bytes;
}
extern bool qn_sim_records;
extern bool qn_sim_records_code; /* set by the recorder */
enum qn_log_kind qn_sim_log_kind(unsigned kind); /* of enum sim_kind */
/* Returns the block's id. */
uint32_t qn_sim_log_define(uint64_t pc, const struct qn_item *item, unsigned n);
void qn_sim_log_taken(bool taken);
void qn_sim_log_left(unsigned insns); /* this and the next do nothing unless a recorder is active */
void qn_sim_log_more(uint64_t insns);
struct qn_log_stream {
    uint64_t addr, step;
    uint32_t size;        /* of a conditional branch: taken | backward << 1 */
    uint8_t kind;         /* enum qn_log_kind, QN_LOG_COND */
};
void qn_sim_log_run(const struct qn_log_stream *stream, unsigned n, uint64_t times);

/* The log of conditional branches, for a module in slot BC. */
#define QN_BRANCH_TAKEN (1u << 26) /* of `site`, beside QN_SITE_BACKWARD */
struct qn_branch_entry {
    uint64_t pc;
    uint32_t site, pad;
};
struct qn_sim_branches {
    uint64_t next;        /* address of the next entry, below 2 GiB; 0: branches are not logged */
};
extern struct qn_sim_branches qn_sim_branches;
QN_NCSR qn_slow_call qn_sim_branches_drain;
bool qn_sim_branches_are_empty(void);
#define QN_RESULT_LATER 4u       /* ctx.result, for the shadow model: the outcome becomes known when the log is drained */

/* The vector instructions that the simulators may use, and whether the registers have 512 bits; set before qn_sim_init. */
struct qn_sim_vectors {
    enum qn_vectors with;
    bool wide;
};
extern struct qn_sim_vectors qn_sim_vectors;

extern struct qn_filter qn_sim_d1_filter;
extern enum qn_hit qn_sim_i1_hit;
extern uint32_t qn_sim_i1_line; /* bytes */
/* May emitted code skip a fetch from the line that was fetched just before?  Yes if a hit directly after a reference changes
 * nothing.  No for policies that count hits, for levels that see every reference, and if a data reference can evict lines of code. */
extern bool qn_sim_i1_repeat_is_noop;

/* Chooses modules for slots: "D1=srrip:50b34235a5a88360 BC=gshare:...", found by slot and hash; SLOT=default is the default module.
 * second: for B of --versus.  Call it before qn_sim_init; the texts must stay valid. */
void qn_sim_choose(const char *units, const char *second);
void qn_sim_init(const struct qn_config *config, uint64_t *counters);
/* A module wants sim_pc.  Then qn_sim_note_site has to be called for each site (the index of its counters): its references, of this
 * kind, are made by the instruction at pc. */
extern bool qn_sim_wants_pc;
void qn_sim_note_site(uint32_t site, uint64_t pc, enum qn_log_kind kind);
/* A module wants the number of the running thread.  The code that switches threads sets sim_thread.  Then nothing is logged. */
extern bool qn_sim_wants_thread;
extern uint32_t sim_thread;
/* The lock has another owner, or the owner another core: level 1 and the predictors are those of `core` from now on. */
void qn_sim_turn(uint32_t thread, uint32_t core);
extern uint32_t qn_sim_core; /* that one */
/* Has a core asked for a line that several have used, since the last call? */
bool qn_sim_turn_shared(void);
/* Analysis modules see each reference, so that no reference may hit under the filter. */
extern bool qn_sim_analyses;
/* A hook is told of each data miss: the stub of the D1 calls C. */
extern bool qn_sim_tells_misses;
/* Sets a hook that is called for each data reference that misses the D1, or NULL.  site: index of its counters; ll: it also missed
 * the LL.  Call it after qn_sim_init, before anything is emitted. */
typedef QN_NCSR_TYPE void qn_miss_hook(uint64_t addr, uint32_t site, unsigned ll);
void qn_sim_tell_misses(qn_miss_hook *hook, qn_slow_call *looked_up);
/* The same function for emitted code that has looked up both levels; arg_addr, arg_site, arg_aux = 1 if the reference also missed the
 * LL.  NULL: the stub of the D1 calls C. */
extern qn_slow_call *qn_sim_missed;
/* The same for each line that is filled into the D1, called before the hook for the miss.  evicts: there is a victim.  Returns false
 * if these caches do not report their fills. */
typedef QN_NCSR_TYPE void qn_line_hook(uint64_t line, uint64_t victim, bool evicts);
bool qn_sim_tell_lines(qn_line_hook *hook);
/* --data=use.  came: called when a line is filled into the D1; addr: the byte that is referenced; the result is stored with the line.
 * left: called when the line is evicted, with that word and a byte for each byte of the line: QN_USED if it was used since the fill,
 * else 0.  Returns false if the D1 is not the default one.  Call it after qn_sim_init, before anything is emitted. */
#define QN_USED 0xff
struct qn_utilization_hooks {
    QN_NCSR_TYPE uint64_t (*came)(uint64_t addr, uint32_t site);
    QN_NCSR_TYPE void (*left)(uint64_t word, const uint8_t *bytes);
};
bool qn_sim_tell_utilization(const struct qn_utilization_hooks *hooks);
void qn_sim_end_utilization(void); /* calls `left` for all lines that are still in the D1 */
/* The used bytes of the line in entry n of the filter's table begin at n * line.  Emitted code sets them on a hit under the filter. */
extern uint64_t qn_sim_utilization; /* address below 2 GiB; 0: not used */
/* Charges n events to `site`, besides those that modules count. */
void qn_sim_charge_to(uint32_t site, unsigned event, uint64_t n);

/* Emitted code writes the victim, and the time of its last use, here before it calls qn_sim_d1_missed, if somebody asks. */
extern struct qn_filter_entry qn_sim_victim; /* below 2 GiB */
struct qn_code_line *qn_sim_code_line(uint64_t line_address); /* finds the record, or makes one */
bool qn_sim_has_L2(void);
uint64_t qn_sim_line_bytes(void), qn_sim_line_fixed_bytes(void); /* memory of the records; of the tables to find them */

/* Slow calls: arguments in qn_ctx; all registers are preserved, status flags are destroyed.
 *   arg_site = the site, as above. */
#define QN_SITE_BACKWARD (1u << QN_SITE_SIZE_SHIFT) /* qn_sim_cond: the branch's target lies below it */
/* --check, --explain: arg_aux = bytes | QN_AUX_WRITE or QN_AUX_MODIFY | number of the source line that is explained, from 1 */
#define QN_AUX_WRITE (1u << 16)
#define QN_AUX_MODIFY (2u << 16)
#define QN_AUX_WHICH_SHIFT 20

QN_NCSR qn_slow_call qn_sim_slow_fetch;  /* arg_aux: address of a qn_fetch_site */
struct qn_fetch_site {
    uint32_t site;             /* as in arg_site */
    uint32_t last, first;      /* addresses of the records of its last line, and of its first line if that is another one, else 0 */
    uint32_t offset;           /* of the first byte in its line */
};
QN_NCSR qn_slow_call qn_sim_slow_data;   /* arg_addr; a read */
QN_NCSR qn_slow_call qn_sim_slow_write;  /* a write; without qn_sim_kinds, qn_sim_slow_data may be called instead of this and the next */
QN_NCSR qn_slow_call qn_sim_slow_modify;
/* Several references in order: arg_site = their number, arg_addr = address of the lowest byte, arg_aux = address of the list. */
#define QN_GROUP_MAX 12
struct qn_group_ref {
    uint32_t counter : QN_SITE_SIZE_SHIFT, kind : 2; /* enum qn_log_kind */
    uint16_t offset; /* bytes, from the lowest */
    uint8_t size, after; /* bytes; the number of references and fetches since the first of these */
};
QN_NCSR qn_slow_call qn_sim_slow_group;
QN_NCSR qn_slow_call qn_sim_d1_missed;   /* emitted code has filled the line into the D1; this looks up the LL and counts; with qn_sim_kinds, arg_aux: enum qn_log_kind */
QN_NCSR qn_slow_call qn_sim_L2_missed;   /* the reference has missed the L2: this counts it */
QN_NCSR qn_slow_call qn_sim_slow_big;    /* arg_addr, arg_aux = bytes | QN_AUX_* */
extern bool qn_sim_kinds;      /* a module distinguishes reads from writes */
QN_NCSR qn_slow_call qn_sim_cond;        /* arg_pc, arg_aux = taken (0, 1); one counter */
QN_NCSR qn_slow_call qn_sim_indirect;    /* arg_pc, arg_addr = target; one counter */
extern bool qn_sim_returns;    /* a module predicts returns, so it needs calls and returns */
QN_NCSR qn_slow_call qn_sim_call;        /* arg_pc, arg_addr = return address; one counter, as a site */
QN_NCSR qn_slow_call qn_sim_return;      /* arg_pc, arg_addr = target; one counter, as a site */
/* --check, --versus: the shadow model simulates the reference that the first simulator has just simulated; ctx.result is its outcome. */
QN_NCSR qn_slow_call qn_sim_check_data;    /* arg_addr, arg_site, arg_aux = bytes | QN_AUX_* */
QN_NCSR qn_slow_call qn_sim_check_fetch;
QN_NCSR qn_slow_call qn_sim_check_cond;    /* arg_pc, arg_site, arg_aux = taken; ctx.result = mispredicted */
QN_NCSR qn_slow_call qn_sim_check_indirect; /* arg_pc, arg_site, arg_addr = target */
QN_NCSR qn_slow_call qn_sim_check_call, qn_sim_check_return; /* as qn_sim_call, qn_sim_return */
QN_NCSR qn_slow_call qn_sim_check_group;   /* as qn_sim_slow_group; ctx.result has two bits for each */

/* --explain: data references of the source lines that are explained call qn_sim_see_data, with arg_aux.  After qn_sim_init. */
void qn_sim_explain(const struct qn_config *config, struct qn_explain_output *output);
extern bool qn_sim_sees; /* all other data references call it, too */
/* Without qn_sim_sees: a reference that hits under the filter increments the number of references and writes a word to the table of
 * users, at the same offset as its filter entry: its own number, and below it, in QN_USER_SITE_BITS bits, its site. */
#define QN_USER_SITE_BITS QN_SITE_SIZE_SHIFT
#define QN_USER_ONE (1u << QN_USER_SITE_BITS) /* adds 1 to the number of references */
struct qn_sim_users {
    uint64_t table;       /* address below 2 GiB; 0: not used */
    uint64_t now;         /* number of the last reference, site 0 */
    uint64_t extra;       /* references taken back, and lines of references besides the first of each: with the number, at least as many as uses of lines */
    uint64_t me, was;     /* of a reference that does not hit under the filter: its own word; that of the last user of its line or of the victim */
};
extern struct qn_sim_users qn_sim_users; /* below 2 GiB */
QN_NCSR qn_slow_call qn_sim_see_data;
/* The same from C.  which: number of the source line that is explained, from 1; 0 = none of them. */
unsigned qn_sim_see(uint64_t addr, uint32_t size, unsigned kind, unsigned which, uint64_t *misses);

/* --versus: a fetch from the line that was fetched just before changes nothing in either simulator, so it is only counted here.
 * NULL: it may change something, and calls qn_sim_check_fetch. */
extern uint64_t *qn_sim_repeats;
/* --versus: references that need no call of B, because they hit in A and change nothing in B.  A block counts all of its fetches and data
 * references in *count when it begins, so `ahead` is the number of those that are still to come when B is called.  count NULL: B sees all
 * references. */
struct qn_sim_shadow {
    struct qn_filter filter;  /* B's hit filter of data */
    uint64_t entries;         /* B's entry for a line is at the offset of A's in the table with this address; 0: it is elsewhere */
    int64_t ahead;
    bool code_lines;          /* a fetch from lines whose records (B has its own) have a stamp changes nothing */
    bool same_I1, same_D1;    /* level 1 of B is the same as that of A: it always hits when A does */
    uint64_t *count;
};
extern struct qn_sim_shadow qn_sim_shadow;
struct qn_code_line *qn_sim_shadow_code_line(uint64_t line_address); /* finds the record, or makes one */

/* The number of references and branches that called the simulators; --stats prints it.  Where emitted code does the level's work
 * itself (emit/lru_stub.c), it adds to `data`, but only with --stats. */
struct qn_sim_traffic {
    uint64_t data, fetches, cond, indirect;
};
extern struct qn_sim_traffic qn_sim_traffic; /* below 2 GiB */

/* --calls: misses and events of modules are also added up here, by event (enum qn_cost_event, then those of modules).  NULL: without
 * --calls.  event_of has the event of each counter of the arena, with --calls or an L2, else NULL; the event of the LL is one more than that
 * of level 1. */
#define QN_SUMS_ANY QN_COST_COLUMNS /* grows with any of them that qn_call_is_rare names (cost/calls/call_records.h) */
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

/* After calls of qn_sim_predict_*: charges the events that they caused to the branch with this counter. */
void qn_sim_charge_branch(uint64_t *mispredicts);

/* The analysis module observes instructions: qn_sim_observe has to be called for each of them. */
extern bool qn_sim_observes;
struct sim_insn;
void qn_sim_observe(struct sim_insn *insn, unsigned n); /* n consecutive instructions, at least 1 */

/* One reference from C, for helpers (string instructions, gathers) and replay.  Returns bit 0: L1 miss, bit 1: LL miss.
 * kind: enum sim_kind of module.h. */
unsigned qn_sim_data_kind(uint64_t addr, uint32_t size, unsigned kind, uint64_t *misses);
unsigned qn_sim_fetch(uint64_t addr, uint32_t size, uint64_t *misses);
bool qn_sim_predict_cond(uint64_t pc, bool taken); /* true: mispredicted */
bool qn_sim_predict_cond_to(uint64_t pc, bool taken, bool backward);
bool qn_sim_predict_indirect(uint64_t pc, uint64_t target);
void qn_sim_predict_call(uint64_t pc, uint64_t next);
bool qn_sim_predict_return(uint64_t pc, uint64_t target); /* true: mispredicted; false if no module predicts returns */
void qn_sim_finish(void); /* calls the finish functions of the modules; once, at the end of a process */
/* For a message when a module crashes or hangs: finds the module that is being called.  False: no module is. */
struct qn_sim_culprit {
    const char *slot, *module, *function;
    const char *of;     /* " of B" if it is the second simulator of --versus, else "" */
    uint64_t reference; /* number of the call */
};
bool qn_sim_current_module(struct qn_sim_culprit *c);

#endif
