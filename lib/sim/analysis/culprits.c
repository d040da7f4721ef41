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

struct party {
    struct site site;  /* an instruction that missed */
    uint32_t number;   /* its own among `parties`, + 1 */
};

struct loss {
    struct site site;  /* the instruction that missed; the one that evicted the line */
    struct sim_finding *row; /* the count; NULL: the table is full */
};

static struct by_line evictor; /* of a line that was evicted: the number of its evictor, + 1 */
static struct sites parties, losses;
static uint64_t *cells; /* lines missed, by kind: */
enum { FIRST, LOST, NO_ROOM, CELLS };

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
    declare();
}

static struct sim_finding *row_of(uint64_t pc, uint64_t by)
{
    struct loss *l = (struct loss *)sites_find(&losses, pc, by);

    if (l && !l->row)
        l->row = sim_keep(&(struct sim_finding){.pc = pc, .other = by, .what = "evictor"});
    return l ? l->row : NULL;
}

static void lose(const struct sim_record *r, uint32_t by)
{
    struct sim_finding *row = by ? row_of(r->pc, sites_at(&parties, by - 1)->pc) : NULL;

    cells[by ? LOST : FIRST]++;
    if (row) {
        row->value = r->line;
        row->count++;
    } else if (by) {
        cells[NO_ROOM]++;
    }
}

/* counts: the instruction did not fault. */
static void fill(const struct sim_record *r, bool counts)
{
    struct party *me = (struct party *)sites_find(&parties, r->pc, 0);

    if (!me) {
        cells[NO_ROOM] += counts;
        return;
    }
    me->number = me->number ? me->number : parties.count; /* it is the last one */
    if (counts)
        lose(r, *by_line(&evictor, r->line));
    if (r->victim != SIM_NO_LINE)
        *by_line(&evictor, r->victim) = me->number;
}

static void analysis_observe(const struct sim_record *r, uint32_t n)
{
    for (const struct sim_record *end = r + n; r < end; r++)
        if (r->what & SIM_FILLED)
            fill(r, !(r->what & SIM_UNDONE));
}

static void analysis_finish(void) {}
