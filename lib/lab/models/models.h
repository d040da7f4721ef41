/* lib/lab/models/models.h - reference models for the graders: simple, slow, and without code of lib/sim.  First, caches:
 *
 * Each line has the times of its fill, its last use and its next use, from which a policy chooses the victim.
 */
#ifndef QN_LAB_MODELS_H
#define QN_LAB_MODELS_H

#include "base/base.h"
#include "lab/trace.h"
#include "lab/variant.h"

enum qn_lab_policy { QN_LAB_LRU, QN_LAB_FIFO, QN_LAB_PLRU, QN_LAB_NRU, QN_LAB_SRRIP, QN_LAB_OPT };

struct qn_lab_cache;

/* sets: a power of two. */
struct qn_lab_cache *qn_lab_new_cache(enum qn_lab_policy policy, unsigned sets, unsigned ways);
/* With the rules of a variant (variant.h). */
struct qn_lab_cache *qn_lab_new_variant_cache(enum qn_lab_policy policy, unsigned sets, unsigned ways, const struct qn_lab_variant *v);
void qn_lab_free_cache(struct qn_lab_cache *cache);

/* A reference to a line (its number: address / bytes of a line). */
struct qn_lab_touch {
    bool hit, evicted, settled; /* settled: a hit that changed nothing of the policy's state */
    uint64_t victim;         /* number of the line that was evicted, if one was */
};

/* The line in a way of a set; false: the way is free. */
bool qn_lab_line_in(const struct qn_lab_cache *cache, unsigned set, unsigned way, uint64_t *line);

/* next: when this line will be referenced again (OPT; any number that grows with time, UINT64_MAX: never). */
struct qn_lab_touch qn_lab_touch_line(struct qn_lab_cache *cache, uint64_t line, uint64_t next);

/* ---- the reference model of lab 1: sets of lines in order of use, with the rules of a variant or of the handout ---- */

struct qn_lab_csim_shape {
    unsigned s, E, b; /* log2 of the number of sets, lines per set, log2 of the bytes per line */
};

struct qn_lab_csim_counts {
    unsigned long hits, misses, evictions;
};

struct qn_lab_csim;

struct qn_lab_csim *qn_lab_new_csim(struct qn_lab_csim_shape shape, const struct qn_lab_variant *rules);
void qn_lab_free_csim(struct qn_lab_csim *m);

/* op: L, S, M (a load and a store), I (nothing); adds to the counts. */
void qn_lab_csim_reference(struct qn_lab_csim *m, char op, uint64_t addr, unsigned size, struct qn_lab_csim_counts *k);

/* The set of an address; the lines in it, the newest first, `place` from 0; false: there is none. */
unsigned qn_lab_csim_set(const struct qn_lab_csim *m, uint64_t addr);
bool qn_lab_csim_line(const struct qn_lab_csim *m, unsigned set, unsigned place, uint64_t *line);

/* ---- stack distances, by counting: how many different lines were referenced since the last use of this one ---- */

#define QN_LAB_FIRST_USE UINT32_MAX

/* The misses of a fully associative LRU cache of `lines` lines on the trace's line numbers (addr >> bits), by the rules of a
 * variant or of the handout.  Simulates the cache, so for short traces. */
unsigned long qn_lab_brute_misses(const struct qn_lab_trace *t, unsigned bits, unsigned lines, const struct qn_lab_variant *rules);

/* The same for all sizes: misses[n] for n = 1 to max (misses has max + 1 elements).  For long traces; a Fenwick tree
 * over the times of last uses. */
void qn_lab_curve(const struct qn_lab_trace *t, unsigned bits, unsigned long *misses, unsigned max, const struct qn_lab_variant *rules);

/* ---- reference models of the predictors of lab 5 ---- */

#define QN_LAB_PREDICTOR_BITS_MAX 12

/* Tables of 2^bits entries: the last outcome, a two-bit counter, the same at address xor the last `bits` outcomes. */
enum qn_lab_predictor { QN_LAB_ONE_BIT, QN_LAB_TWO_BIT, QN_LAB_GSHARE };

/* How many branches are mispredicted, with the rules of a variant (qn_lab_standard(): with those of the handout); wrong[i], if not NULL:
 * is branch i? */
unsigned long qn_lab_mispredicts(const struct qn_lab_branches *t, enum qn_lab_predictor model, unsigned bits,
                                 const struct qn_lab_variant *rules, unsigned char *wrong);

/* The entry that a branch uses, what it holds before it, and what that predicts. */
struct qn_lab_entry {
    unsigned index, value;
    bool taken;
};

void qn_lab_follow_entries(const struct qn_lab_branches *t, size_t n, enum qn_lab_predictor model, unsigned bits, const struct qn_lab_variant *rules,
                           struct qn_lab_entry *entries);

/* An address whose branch, behind those of t, would use this entry; the first from `from` on. */
uint64_t qn_lab_find_sharer(const struct qn_lab_branches *t, enum qn_lab_predictor model, unsigned bits, const struct qn_lab_variant *rules, unsigned index,
                            uint64_t from);

/* ---- the reference models of lab 7: a first level that prefetches, and an exclusive pair of levels ----
 *
 * Lines are numbers (address / bytes of a line).  The policy is LRU; a prefetched line is filled as the most recently
 * used one.
 */

#define QN_LAB_DEGREE_MAX 64

enum qn_lab_prefetch { QN_LAB_ON_MISS, QN_LAB_TAGGED };

struct qn_lab_level; /* sets of lines in order of use, each with the mark "prefetched and not used yet" */

struct qn_lab_level *qn_lab_new_level(unsigned sets, unsigned ways);
void qn_lab_free_level(struct qn_lab_level *level);

/* A reference to a line, which is filled on a miss.  true: a hit.  *out: the victim, or QN_LAB_NO_LINE. */
#define QN_LAB_NO_LINE UINT64_MAX
bool qn_lab_use_line(struct qn_lab_level *level, uint64_t line, uint64_t *out);

/* The line at `place` of its set, from 0, the most recently used one first; false: there is none. */
bool qn_lab_line_at(const struct qn_lab_level *level, uint64_t line, unsigned place, uint64_t *there, bool *prefetched);

struct qn_lab_prefetcher {
    struct qn_lab_level *level;
    enum qn_lab_prefetch kind;
    unsigned degree;
    const struct qn_lab_variant *rules;
    unsigned long issued, useful;
    uint64_t guessed[QN_LAB_DEGREE_MAX]; /* of the last reference: lines that were prefetched ... */
    unsigned guesses;                    /* ... so many */
};

/* true: a miss. */
bool qn_lab_prefetching_miss(struct qn_lab_prefetcher *p, uint64_t line);

/* Two levels, the second exclusive. */
struct qn_lab_exclusive {
    struct qn_lab_level *first, *second;
    const struct qn_lab_variant *rules;
    unsigned given_up; /* lines that the first level has evicted */
};

/* true: a miss of the first level; *far: of the second, too. */
bool qn_lab_exclusive_miss(struct qn_lab_exclusive *e, uint64_t line, bool *far);

/* Takes a line out.  false: it was not there. */
bool qn_lab_drop_line(struct qn_lab_level *level, uint64_t line);

/* ---- the reference model of lab 10: buffers of translations, and the entries of page tables that a walk reads ---- */

#define QN_LAB_PAGE_BITS 12u
#define QN_LAB_INDEX_BITS 9u              /* of each level of the page tables */
#define QN_LAB_HUGE_FROM (1ull << 40)     /* addresses from here on are in huge pages */
#define QN_LAB_WALK_MAX 8

enum qn_lab_tlb_kind { QN_LAB_TLB_ONE, QN_LAB_TLB_LEVELED, QN_LAB_TLB_SIZES };

struct qn_lab_tlb {
    enum qn_lab_tlb_kind kind;
    const struct qn_lab_variant *rules;
    struct qn_lab_level *first, *second, *walks, *huge; /* NULL where the kind has none */
    uint64_t read[QN_LAB_WALK_MAX];                     /* of the last translation: entries read, in order ... */
    unsigned reads;                                     /* ... so many */
};

/* extra: entries of the walk cache, or of the buffer of huge pages. */
struct qn_lab_tlb qn_lab_new_tlb(enum qn_lab_tlb_kind kind, const struct qn_lab_variant *rules, unsigned sets, unsigned ways, unsigned extra);
void qn_lab_free_tlb(struct qn_lab_tlb *t);
/* true: a miss of the first buffer. */
bool qn_lab_translate(struct qn_lab_tlb *t, uint64_t addr);
/* The number by which the buffer of 4 KiB pages knows the page of an address; the entry of a level. */
uint64_t qn_lab_page_number(const struct qn_lab_tlb *t, uint64_t addr);
uint64_t qn_lab_table_entry(unsigned level, uint64_t addr);

/* ---- the reference models of lab 13: a prefetcher that finds steps, and a policy that duels ---- */

#define QN_LAB_STREAMS_MAX 64
#define QN_LAB_SURE_MOST 3

struct qn_lab_strider {
    struct qn_lab_level *level;
    const struct qn_lab_variant *rules;
    unsigned streams;
    struct {
        uint64_t region, last, used; /* used 0: free */
        int64_t step;
        unsigned sure;
    } stream[QN_LAB_STREAMS_MAX];
    uint64_t now, prefetched;        /* the line that the last reference brought in, or QN_LAB_NO_LINE */
};

/* true: a miss. */
bool qn_lab_striding_miss(struct qn_lab_strider *s, uint64_t line);

/* true: it is there; its place in the order of use is not changed. */
bool qn_lab_has_line(struct qn_lab_level *level, uint64_t line);

#define QN_LAB_DUEL_WAYS 16
#define QN_LAB_DUEL_SETS_MAX 64

struct qn_lab_duel {
    const struct qn_lab_variant *rules;
    unsigned sets, ways, selector, fills; /* fills: by brrip */
    struct {
        uint64_t line[QN_LAB_DUEL_WAYS];
        unsigned n, number[QN_LAB_DUEL_WAYS];
    } set[QN_LAB_DUEL_SETS_MAX];
};

void qn_lab_begin_duel(struct qn_lab_duel *d, const struct qn_lab_variant *rules, unsigned sets, unsigned ways);
/* true: a miss. */
bool qn_lab_duel_miss(struct qn_lab_duel *d, uint64_t line);

/* ---- the black box of lab 6: a cache and a predictor whose parameters a program infers from hits and misses ----
 *
 *   program: r 1f40        box: m         a read of the byte at 1f40 missed (h: hit)
 *   program: b 400a T      box: w         a branch at 400a that was taken had been predicted wrongly (c: correctly)
 *   program: reset         box: .         cache and predictor are empty again
 *   program: answer size=16384 ways=4 line=64 policy=lru history=7         the end
 *
 * One line each; the answer to any other line is "?".
 */

#define QN_LAB_BOX_POLICY_MAX 15
#define QN_LAB_BOX_QUESTIONS_MAX 300000 /* more end the conversation */

struct qn_lab_box_shape {
    unsigned size, ways, line; /* bytes, lines per set, bytes */
    unsigned history;          /* outcomes in the predictor's history register */
    char policy[QN_LAB_BOX_POLICY_MAX + 1]; /* lru, fifo, plru or nru */
};

/* The machine of a seed. */
struct qn_lab_box_shape qn_lab_draw_box(uint64_t seed);

struct qn_lab_box;

struct qn_lab_box *qn_lab_new_box(const struct qn_lab_box_shape *shape);
void qn_lab_free_box(struct qn_lab_box *box);

/* A qn_lab_talk (sandbox.h); data is the box. */
bool qn_lab_box_talk(void *data, const char *said, size_t size, char **reply, size_t *reply_size);

/* The answer that ended the conversation; false: there was none. */
bool qn_lab_box_answer(const struct qn_lab_box *box, struct qn_lab_box_shape *answer);
unsigned long qn_lab_box_questions(const struct qn_lab_box *box);
/* The first line that was answered by "?"; NULL: none. */
const char *qn_lab_box_nonsense(const struct qn_lab_box *box);

/* ---- the reference model of lab 9: MSI, for one line, with the rules of a variant or of the handout ---- */

#define QN_LAB_CORES_MAX 8

enum qn_lab_asks { QN_LAB_ASKS_NOTHING, QN_LAB_ASKS_READ, QN_LAB_ASKS_OWN, QN_LAB_ASKS_UPGRADE };

struct qn_lab_msi {
    const struct qn_lab_variant *rules;
    unsigned cores;
    char state[QN_LAB_CORES_MAX];       /* M, S, or I */
    /* of the last reference */
    bool miss;
    enum qn_lab_asks asks;
    unsigned supplied, written;         /* lines that other cores supplied, and that were written back */
};

struct qn_lab_msi qn_lab_new_msi(const struct qn_lab_variant *rules, unsigned cores);
void qn_lab_msi_read(struct qn_lab_msi *m, unsigned core);
void qn_lab_msi_write(struct qn_lab_msi *m, unsigned core);
void qn_lab_msi_evict(struct qn_lab_msi *m, unsigned core);

#endif
