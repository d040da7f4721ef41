/* lib/tcache/tcache.h - the code cache: memory for translations, lookup, links, eviction.
 *
 *   guest pc  --(hash)-->  struct qn_tblock  --> host code in one of QN_SEGMENTS segments
 *
 * Segments are filled in order and evicted in order (FIFO): the oldest segment goes as a whole when
 * space runs out.  Each segment keeps hot code and cold code (slow calls, exit stubs) in parts of their own,
 * so that the hot path stays dense.
 *
 * The same code may be translated more than once, in different modes: with and without instrumentation, or counting for
 * another region of the run.  Blocks of different modes are never linked, and each scope (the low byte) has an IBL
 * table of its own; the high byte tells variants apart that are entered from the dispatcher only.
 *
 * Invariants: a linked exit is on the incoming list of its target; the IBL table holds entries of live
 * blocks only or the miss stub.
 */
#ifndef QN_TCACHE_H
#define QN_TCACHE_H

#include "base/base.h"
#include "base/context.h"
#include "base/sizes.h"

#define QN_NO_BLOCK 0xffffffffu
#define QN_SCOPES 256
#define QN_SCOPE(mode) ((mode) % QN_SCOPES)
#define QN_VARIANT(mode) ((mode) / QN_SCOPES)
#define QN_VARIANT_TRAPS 252u /* one instruction, not observed, from whose end control goes to the dispatcher (run/core/dispatch.c) */
#define QN_VARIANT_STEPS 253u /* observed: control leaves at the block's end, and before each instruction if they cannot be recorded (run/observe/insns.c) */
#define QN_VARIANT_EXACT 254u /* keeps all status flags, and goes from its end to the dispatcher (run/core/precise.c) */
#define QN_MODE(scope, variant) ((scope) | (variant) * QN_SCOPES) /* variant below 256; 0 = the one that may be linked */

struct qn_texit {            /* a direct exit of a block; there are very many, so no byte too much */
    uint32_t target_low;     /* guest pc, see qn_texit_target */
    uint16_t target_high;
    uint16_t field;          /* offset in hot of the rel32 of the branch in hot code that leads here */
    uint32_t at;             /* host address (all code lies below 4 GiB) of the exit sequence in cold code: give back, jmp */
    uint32_t to;             /* block linked to, QN_NO_BLOCK = none */
    uint32_t next, prev;     /* incoming list of the target: exit ids, QN_NO_BLOCK ends */
};

/* An address has 48 bits and their sign. */
static inline uint64_t qn_texit_target(const struct qn_texit *x)
{
    return (uint64_t)(int64_t)(int16_t)x->target_high << 32 | x->target_low;
}

struct qn_tblock {
    uint64_t pc;
    uint32_t hot, cold;      /* where hot and cold code begin; their length is below 64 KiB */
    uint16_t end, cold_end;  /* offsets of their ends */
    uint16_t ind_entry;      /* reached through the IBL table; see ind_cold */
    uint16_t entry2;         /* offset in hot: scratch registers already borrowed */
    uint16_t entry3;         /* offset in hot: behind the check of the first code line, 0 = none: a block entered right after
                                one that ended in its first line need not touch that line again */
    uint32_t record;         /* index of the block record in the arena */
    uint32_t side;           /* side table: index of ninsns entries */
    uint32_t incoming;       /* first exit id linked to this block */
    uint16_t nbytes, mode;
    uint8_t ninsns;
    uint8_t s1 : 4, s2 : 4;  /* borrowed registers: scratch, */
    uint8_t now, s3;         /* the clock's register, 255: the block borrows none; a fourth register for batches, 255: none */
    uint8_t flags_in;        /* status flags that must have the guest's values at the entry: those that the block needs, or all */
    uint8_t line_bits : 4;   /* log2 of the bytes of a code line, if there is an entry3 */
    bool caches : 1;         /* translated for caches; so at ind_entry the clock is in QN_PREF_NOW */
    bool live : 1, instrumented : 1;
    bool ind_cold : 1;       /* ind_entry is an offset in cold, not in hot */
    uint8_t nexits : 2, segment : 4;
    bool anchor : 1;         /* an anchor: counts down to samples in scopes that sample (run/observe/insns.c) */
    bool turns : 1;          /* the countdown is at its end, if it branches (a conditional branch: by exit 1) */
    bool traced : 1;         /* observed: records its instructions and runs to its end (emit/observe.c) */
    struct qn_texit exit[2];
};
_Static_assert(sizeof(struct qn_tblock) == 104, "eight bytes more for one that does not fit");
#define QN_NO_REG 255
#define QN_ENTRY3_LINE_MAX 32768u /* bytes of a code line, so that line_bits has room */

/* Host addresses of a block. */
static inline uint32_t qn_tblock_entry2(const struct qn_tblock *b) { return b->hot + b->entry2; }
static inline uint32_t qn_tblock_entry3(const struct qn_tblock *b) { return b->entry3 ? b->hot + b->entry3 : 0; }
static inline uint32_t qn_tblock_ind_entry(const struct qn_tblock *b) { return (b->ind_cold ? b->cold : b->hot) + b->ind_entry; }
static inline uint32_t qn_tblock_end(const struct qn_tblock *b) { return b->hot + b->end; }
static inline uint32_t qn_tblock_cold_end(const struct qn_tblock *b) { return b->cold + b->cold_end; }

/* The side table has an entry for each guest instruction, to recover the guest's state after a fault in its copy. */
struct qn_side {
    uint16_t host;           /* offset of the copied instruction from entry2 */
    uint8_t state;           /* QN_SIDE_*: the state of flags and borrowed registers when the copy runs */
    uint8_t fix;             /* register that a RIP-relative rewrite has saved in ctx.tmp, 255 = none */
};
enum {
    QN_SIDE_FLAGS_SAVED = 1, /* the guest's flags are in ctx.saved_flags */
    QN_SIDE_NATIVE = 2,      /* nothing is borrowed (any more) */
    QN_SIDE_BATCH = 4        /* S2 = address of the next entry of the log (emit/log.c) */
};

struct qn_code {             /* where code is being written */
    uint8_t *p;              /* next byte */
    uint64_t exec;           /* address at which that byte will run */
};

/* Register shuffles: exits whose block borrows other registers than the block that they are linked to. */
struct qn_tcache_shuffles {
    void (*shuffle)(const struct qn_tblock *from, unsigned exit, const struct qn_tblock *to, uint32_t entry);
    void (*restore)(struct qn_tblock *from, unsigned exit, uint32_t id); /* removes the shuffle */
};

void qn_tcache_init(uint64_t bytes, const struct qn_tcache_shuffles *);
/* Adds a scope with its table of indirect branches below 2 GiB: QN_IBL_WORDS words, or, without a second part, QN_IBL_ENTRIES.
 *   word t & 0xffff, for a target t: the indirect entry of a block, which checks that it is the right one (unused: the stub)
 *   second part, which the stub looks up, for other blocks with the same bits: with k = t >> 8 & 0xffff,
 *   word QN_IBL_ENTRIES + k: -t, and word 2 * QN_IBL_ENTRIES + k: the block's entry */
void qn_tcache_add_scope(unsigned scope, uint64_t *table, bool second, uint32_t miss_stub);
uint64_t *qn_tcache_ibl_table(unsigned mode); /* NULL: its scope was not added */
/* Begins a block: makes room (evicting if needed) for at least `hot` and `cold` bytes. */
void qn_tcache_begin(uint32_t hot, uint32_t cold, struct qn_code *hot_code, struct qn_code *cold_code);
/* Ends the block and registers it under b->pc.  The caller has set the addresses in *b. */
uint32_t qn_tcache_commit(const struct qn_tblock *b, const struct qn_side *side, uint32_t hot_end, uint32_t cold_end);
uint32_t qn_tcache_find(uint64_t pc, unsigned mode); /* block index or QN_NO_BLOCK */
struct qn_tblock *qn_tcache_block(uint32_t index);
const struct qn_side *qn_tcache_side(uint32_t index); /* ninsns entries */
uint32_t qn_tcache_at(uint64_t host);                 /* live block whose hot or cold code holds host, or QN_NO_BLOCK */
uint32_t qn_tcache_next_index(void);                  /* index that the next commit will return */
void qn_tcache_link(uint32_t exit_id, uint32_t to);   /* does nothing if `to` is of another scope or a variant */
void qn_tcache_unlink_block(uint32_t index);          /* all exits of a block go to their stubs again */
#define QN_IBL_WORDS (3 * QN_IBL_ENTRIES)
void qn_tcache_ibl_set(uint32_t index);
void qn_tcache_invalidate(uint64_t start, uint64_t end); /* guest range: forget blocks that overlap it */
void qn_tcache_flush(void);

/* Memory in use for tables (not for code): what grows with the blocks, and what is there from the start. */
uint64_t qn_tcache_table_bytes(void);
uint64_t qn_tcache_fixed_bytes(void);

struct qn_tcache_stats {
    uint64_t evictions, links, full_links, line_links, unlinks, hot_bytes, cold_bytes;
    uint64_t forgotten;      /* blocks: as long as this stays the same, so does what has been translated */
};
extern struct qn_tcache_stats qn_tcache_stats;
extern uint64_t qn_ibl_table[];                       /* for the first scope */

/* Memory of the engine's own: zeroed, page-aligned, never freed.  Supplied by run. */
void *qn_engine_alloc(uint64_t bytes);
_Noreturn void qn_engine_die(const char *what, uint64_t a, uint64_t b);

#endif
