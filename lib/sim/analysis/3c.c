/* analysis/3c.c - the three Cs: is a data miss compulsory, capacity or conflict?
 *
 * The three Cs: why did a data reference miss the D1? *Compulsory*: the line was never used before. *Capacity*: a fully associative
 * LRU cache of the same size would miss, too. *Conflict*: it would not. Four sets of one line; A and E want the same place:
 *
 *   A B C D    miss     compulsory
 *   E          misses   compulsory
 *   A          misses   capacity       B C D E were used since: four lines have no room for a fifth
 *   E          misses   conflict       only A was used since
 *
 * A reference to several lines counts by the worst of them, in this order; of several conflicts the last. At the end it lists the ten lines with
 * the most conflicts, of as many conflicts the one at the lower address first.
 *
 * Events: `compulsory`, `capacity`, `conflict`.
 * Storage: of the tool: 256 bytes for each 64 neighbouring lines of which one was used, 2 to 3 bytes for each of them, and 24 bytes for each line
 * with conflicts, of which 1.5 million are counted. At 4 GiB the run stops with a line that says so.
 * Source: M. D. Hill, A. J. Smith, Evaluating associativity in CPU caches, IEEE Transactions on Computers 38(12), 1989. */
#include "sim/analysis/groups.h"
#include "sim/analysis/sites.h"

#define ANALYSIS "3c"
#define ANALYSIS_RECORDS (SIM_MISSES | SIM_USES)
#define WORST_LINES 10

static struct groups groups; /* of one size: the fully associative cache */

static struct sites conflicts; /* by number of the line */
struct fought_for {
    struct site site;
    uint64_t n;
};
static uint64_t *worst; /* pairs: line, conflicts */
enum { CONFLICT, CAPACITY, COMPULSORY, CLASSES }; /* the worst last */
static unsigned events[CLASSES];

static void analysis_init(const struct sim_config *c)
{
    groups_init(&groups, c->line_bits);
    groups_add(&groups, c->size / c->line);
    sites_init(&conflicts, sizeof(struct fought_for));
    events[COMPULSORY] = sim_event(c->slot, "compulsory", "D1 misses: first reference to the line");
    events[CAPACITY] = sim_event(c->slot, "capacity", "D1 misses: also in a fully associative cache");
    events[CONFLICT] = sim_event(c->slot, "conflict", "D1 misses: not in a fully associative cache");
    worst = sim_cells(2 * WORST_LINES);
    sim_table(sim.slot, ANALYSIS, "line misses");
    sim_list(worst, WORST_LINES, "AN: line {0x%%x}: {%%U} conflict misses");
}

static uint32_t analysis_recent(const struct sim_config *c) { return c->size / c->line / 2; }

static bool is_worse(const uint64_t *a, const uint64_t *b) { return a[1] > b[1] || (a[1] == b[1] && a[0] < b[0]); }

static void count_conflict(uint64_t line)
{
    struct fought_for *f = (struct fought_for *)sites_find(&conflicts, line / sim.line, 0);
    uint64_t now[2] = {line, f ? ++f->n : 0}, *end = worst + 2 * WORST_LINES, *at = worst, *least = worst;

    for (; at < end && (at[0] != line || !at[1]); at += 2)
        least = is_worse(least, at) ? at : least;
    at = at < end ? at : least;
    if (!is_worse(now, at))
        return;
    if (at[0] != line)
        at[1] = 0;
    at[0] = line;
    at[1] = now[1];
}

static void analysis_observe(const struct sim_record *r, uint32_t n)
{
    static unsigned class; /* of the reference: its worst line's, and which that is */
    static uint64_t line;
    static bool more;

    for (const struct sim_record *end = r + n; r < end; r++) {
        unsigned missed, of_line;

        if (r->what & SIM_LEFT) {
            groups_push(&groups, r->line);
            continue;
        }
        missed = r->what & SIM_RECENT ? 0 : groups_take(&groups, r->line);
        of_line = missed == GROUPS_FIRST ? COMPULSORY : missed ? CAPACITY : CONFLICT;
        if (!more || of_line >= class) {
            class = of_line;
            line = r->line;
        }
        more = r->what & SIM_MORE;
        if (r->what & SIM_L1_MISS)
            sim_count_for(r->site, events[class], 1);
        if (r->what & SIM_L1_MISS && class == CONFLICT)
            count_conflict(line);
    }
}

static void analysis_finish(void) {}
