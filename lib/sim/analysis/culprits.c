/* analysis/culprits.c - for each miss of the D1, the instruction that had evicted the line.
 *
 * Who evicted it? A line of memory that misses the D1 although it was there before was evicted by a reference that needed its place.
 * Each such miss is told of the instruction that missed, and of the one that had evicted the line. A D1 of two lines, one set;
 * instruction 1 walks through A B C, instruction 2 uses A:
 *
 *   1: A B    miss     for the first time
 *   1: C      misses   for the first time; evicts A
 *   2: A      misses   its culprit is 1; evicts B
 *
 * `quern run` prints the ten pairs of lines of source with most of them, and writes all into `PROFILE.culprits.csv`, beside the
 * profile: count, of how many that this line lost, its file, function and line, and those of the evictor. `PROFILE.findings.csv` has
 * them by instruction, and `quern annotate --asm --values` shows them behind the instructions. A line whose culprit is itself uses
 * more memory than the cache holds; two lines that evict each other's are candidates for another layout or for turns of their own.
 *
 * Lines of the cache are counted, so a reference over two lines may count twice; lines that come in for the first time have no
 * culprit. Only the default D1 says which line leaves: with another module there the run is refused.
 *
 * Storage: of the tool: 256 bytes for each 64 neighbouring lines of which one has ever left the D1, and 32 to 64 in a table; 40 bytes
 * for each pair of instructions, 1.5 million at most (it says how many lines had no room). At 4 GiB the run stops with a line that
 * says so.
 * Source: M. Martonosi, A. Gupta, T. Anderson, MemSpy: analyzing memory system bottlenecks in programs, SIGMETRICS 1992 (causes of
 * replacement). */
#include "sim/analysis/by_line.h"
#include "sim/analysis/sites.h"

#define ANALYSIS "culprits"
#define ANALYSIS_RECORDS (SIM_MISSES | SIM_VICTIMS)
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
    sim_table(sim.slot, "missed", "first evicted");
    sim_row(terms, 2, "%s: lines missed: {%%U} for the first time, {%%U} evicted before", sim.slot);
    sim_row(terms + NO_ROOM, 1, "%s: there was no room for %%U lines more", sim.slot);
}

static void analysis_init(const struct sim_config *c)
{
    if (!c->victims)
        sim_fail(c->slot, ANALYSIS, "analysis_init", 0, "needs the default D1: nothing else says which line leaves");
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

static inline void lose(uint64_t pc, uint64_t line, uint32_t by)
{
    struct sim_finding *row;

    cells[by ? LOST : FIRST]++;
    if (!by)
        return;
    row = row_of(pc, by);
    if (!row) {
        cells[NO_ROOM]++;
        return;
    }
    row->value = line;
    row->count++;
}

/* counts: the instruction did not fault. */
static inline void fill(const struct sim_record *r, bool counts)
{
    struct party *me = party_of(r->pc);

    if (!me) {
        cells[NO_ROOM] += counts;
        return;
    }
    if (counts)
        lose(r->pc, r->line, *by_line(&evictor, r->line));
    if (r->victim == SIM_NO_LINE)
        return;
    if (QN_UNLIKELY(!me->number))
        me->number = add_evictor(r->pc);
    *by_line(&evictor, r->victim) = me->number;
}

static void analysis_observe(const struct sim_record *r, uint32_t n)
{
    for (const struct sim_record *end = r + n; r < end; r++)
        if (r->what & SIM_FILLED)
            fill(r, !(r->what & SIM_UNDONE));
}

static void analysis_finish(void) {}
