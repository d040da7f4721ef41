/* analysis/culprits.c - for each miss of the D1, the instruction that had evicted the line.
 *
 *   source line 12 misses 9,000 lines that were in the D1 before: 8,000 were evicted by source line 15, 1,000 by line 12 itself
 *
 * Slot AN.  It is called for fills, so hits cost nothing.  Findings: evictor; value: the address of the line missed last; other: the
 * instruction that evicted the lines; count: their number, out of all lines that this instruction missed although they had been in the D1.
 * `quern run` prints the source lines that lost most lines.  A line that is filled for the first time is in no finding.
 * It needs the default D1, because no other module reports its victims.
 * Source: causes of replacement in M. Martonosi, A. Gupta, T. Anderson, MemSpy: analyzing memory system bottlenecks in programs, SIGMETRICS 1992. */
#include "sim/analysis/by_line.h"
#include "sim/analysis/sites.h"

#define ANALYSIS "culprits"
#define ANALYSIS_LATER 1
#define ANALYSIS_AHEAD 1
#define ANALYSIS_LINES 1
#define ANALYSIS_LINES_ONLY 1
#define WANTS_PC 1

/* An instruction that missed. */
struct party {
    struct site site;
    uint32_t number;   /* its number as an evictor, + 1; 0: it has evicted nothing yet */
};

struct loss {
    struct site site;  /* the instruction that missed; the one that evicted the line */
    struct sim_finding *row; /* the count; NULL: the table is full */
};

static struct by_line evictor; /* of a line that was evicted: the number of its evictor, + 1 */
static struct sites parties, losses;
static uint64_t *evictor_pc, n_evictors, room;
static uint64_t *cells; /* lines missed, by kind: */
enum { FIRST, LOST, NO_ROOM, CELLS };

#define EVICTORS_FIRST 4096u

static void declare(void)
{
    struct sim_term terms[CELLS];

    cells = sim_cells(CELLS);
    for (unsigned i = 0; i < CELLS; i++)
        terms[i] = (struct sim_term){.cells = cells + i, .n = 1, .times = 1, .needed = i == NO_ROOM};
    sim_row(terms, 2, "%s: lines missed: %%U for the first time, %%U evicted before", sim.slot);
    sim_row(terms + NO_ROOM, 1, "%s: there was no room for %%U lines more", sim.slot);
}

static void analysis_init(const struct sim_config *c)
{
    if (!c->misses)
        sim_fail(c->slot, ANALYSIS, "analysis_init", 0, "needs the default D1 behind its filter: nothing else says which line leaves");
    by_line_init(&evictor, c->line_bits);
    sites_init(&parties, sizeof(struct party));
    sites_init(&losses, sizeof(struct loss));
    room = EVICTORS_FIRST;
    evictor_pc = sim_alloc(room * sizeof *evictor_pc);
    declare();
}

static uint32_t add_evictor(uint64_t pc)
{
    if (n_evictors == room) {
        uint64_t *more = sim_alloc(2 * room * sizeof *more);

        __builtin_memcpy(more, evictor_pc, room * sizeof *more);
        evictor_pc = more;
        room *= 2;
    }
    evictor_pc[n_evictors++] = pc;
    return (uint32_t)n_evictors;
}

/* A cache of the last look-ups, because most misses are of instructions that missed shortly before. */
#define RECENT 256u
#define RECENT_ROWS 512u
static struct party *recent_party[RECENT];
static struct recent_row {
    uint64_t pc;
    struct sim_finding *row;
    uint32_t by;
} recent_row[RECENT_ROWS];

static inline struct party *party_of(uint64_t pc)
{
    struct party **p = &recent_party[pc % RECENT];

    if (QN_UNLIKELY(!*p || (*p)->site.pc != pc))
        *p = (struct party *)sites_find(&parties, pc, 0);
    return *p;
}

static __attribute__((noinline)) struct sim_finding *find_row(uint64_t pc, uint64_t by)
{
    struct loss *l = (struct loss *)sites_find(&losses, pc, by);

    if (l && !l->row)
        l->row = sim_keep(&(struct sim_finding){.pc = pc, .other = by, .what = "evictor"});
    return l ? l->row : NULL;
}

static inline struct sim_finding *row_of(uint64_t pc, uint32_t by)
{
    struct recent_row *r = &recent_row[(pc ^ 5 * by) % RECENT_ROWS];

    if (QN_UNLIKELY(r->pc != pc || r->by != by))
        *r = (struct recent_row){pc, find_row(pc, evictor_pc[by - 1]), by};
    return r->row;
}

static inline void count(uint64_t *n)
{
    sim_undoable(n);
    ++*n;
}

static inline __attribute__((always_inline)) void lose(uint64_t pc, uint64_t line, uint32_t by)
{
    struct sim_finding *row;

    count(&cells[by ? LOST : FIRST]);
    if (!by)
        return;
    row = row_of(pc, by);
    if (!row) {
        count(&cells[NO_ROOM]);
        return;
    }
    sim_undoable(&row->value);
    row->value = line;
    count(&row->count);
}

/* Of lines that are told of later: the numbers are fetched before they are needed. */
static struct {
    uint32_t *line, *victim;
} ahead[QN_LATER];

static inline void analysis_ahead(const struct sim_line *l, uint32_t i)
{
    ahead[i].line = by_line(&evictor, l->line);
    ahead[i].victim = l->victim_used ? by_line(&evictor, l->victim) : ahead[i].line;
    __builtin_prefetch(ahead[i].line);
    __builtin_prefetch(ahead[i].victim, 1);
}

static inline __attribute__((always_inline)) void analysis_line_ahead(const struct sim_line *l, uint32_t i)
{
    uint64_t pc = sim_pc;
    struct party *me = party_of(pc);


    if (!me) {
        count(&cells[NO_ROOM]);
        return;
    }
    lose(pc, l->line, *ahead[i].line);
    if (!l->victim_used)
        return;
    if (QN_UNLIKELY(!me->number))
        me->number = add_evictor(pc);
    *ahead[i].victim = me->number;
}

static void analysis_line(const struct sim_line *l)
{
    if (l->used)
        return;
    analysis_ahead(l, 0);
    analysis_line_ahead(l, 0);
}

static void analysis_ref(const struct sim_ref *ref) { (void)ref; }

static void analysis_finish(void) {}
