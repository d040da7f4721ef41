/* level/tlb.c - a data cache with a two-level translation lookaside buffer beside it.
 *
 * The default D1 with a two-level translation lookaside buffer beside it: each page of a reference is looked up in the first, on a
 * miss in the second, on a miss there it would be walked for. Misses and hits of the cache are those of the default. Pages of two
 * lines; cache | first, two entries | second, three:
 *
 *   A        B is in the same page     A . | A . | A . .
 *   B                                  B A | A . | A . .
 *   C E                                E C | C B | C B A     pages of C and E
 *   A        misses the first only     A E | A C | A C B
 *
 * Options: `tlb-entries` (64), `tlb-ways` (4), `stlb-entries` (1536), `stlb-ways` (12), `page-bits` (12).
 * Events: `dtlb-misses`, `stlb-misses`.
 * Storage: entries times (tag and frame).
 * Source: D. W. Clark, J. S. Emer, Performance of the VAX-11/780 translation buffer, ACM TOCS 3(1), 1985; two levels as in processors
 * since about 2000. */
#include "sim/lines.h"

#define LEVEL "tlb"
#define LEVEL_SLOTS (LEVEL_IN_I1 | LEVEL_IN_D1)
#define LEVEL_LINES lines
#define LEVEL_DROP 1
#define LEVEL_SETTLED 1
#define LEVEL_WRITES_SETTLED 1

#define PASSING_MAX 32

static struct passing {
    uint32_t count, next;
    uint64_t line[PASSING_MAX];
} *passing; /* by set of the first-level buffer */

static struct lines lines, first, second;
static unsigned first_misses, second_misses, page_bits;

static void init_buffer(struct lines *l, const char *slot, uint64_t entries, uint64_t ways)
{
    if (!ways || !qn_is_pow2(entries / ways) || entries % ways)
        sim_fail(slot, LEVEL, "tlb-entries", 0, "must be ways times a power of two");
    lines_init(l, (uint32_t)(entries / ways), (uint32_t)ways, page_bits);
}

static void cachesim_X_initcache(const struct sim_config *c)
{
    page_bits = (unsigned)sim_option_within(c->slot, LEVEL, "page-bits", 12, 4, 40);
    lines_init(&lines, c->sets, c->ways, c->line_bits);
    init_buffer(&first, c->slot, sim_option(c->slot, "tlb-entries", 64), sim_option(c->slot, "tlb-ways", 4));
    init_buffer(&second, c->slot, sim_option(c->slot, "stlb-entries", 1536), sim_option(c->slot, "stlb-ways", 12));
    passing = sim_alloc(first.sets * sizeof *passing);
    first_misses = sim_event(c->slot, "dtlb-misses", "misses of the first translation buffer");
    second_misses = sim_event(c->slot, "stlb-misses", "misses of the second translation buffer");
}

static struct passing *passing_of(uint64_t page) { return &passing[page >> page_bits & (first.sets - 1)]; }

static bool cachesim_X_settled(uint64_t line)
{
    return page_bits >= sim.line_bits && lines_newest(&lines, line) && lines_newest(&first, line >> page_bits << page_bits);
}

static void cachesim_X_drop(uint64_t line) { lines_remove(&lines, line); }

/* Another page becomes the most recently used of this set: lines of the old one leave the hit filter. */
static void forget(struct passing *p)
{
    for (uint32_t i = 0; i < p->count; i++)
        sim_dropped(p->line[i]);
    p->count = p->next = 0;
}

/* Records a line of the most recently used page, which may be settled. */
static void remember(struct passing *p, uint64_t line)
{
    if (p->count == PASSING_MAX)
        sim_dropped(p->line[p->next]);
    else
        p->count++;
    p->line[p->next] = line;
    p->next = (p->next + 1) % PASSING_MAX;
}

static void translate(uint64_t page)
{
    if (lines_newest(&first, page))
        return;
    forget(passing_of(page));
    if (lines_find(&first, page))
        return;
    sim_count(first_misses, 1);
    lines_add(&first, page, 0);
    if (lines_find(&second, page))
        return;
    sim_count(second_misses, 1);
    lines_add(&second, page, 0);
}

static void cachesim_X_doref(uint64_t addr, uint32_t size, enum sim_kind kind, struct sim_result *result)
{
    uint64_t page = addr >> page_bits, last = (addr + size - 1) >> page_bits;

    (void)kind;
    SIM_EACH_LINE(page, last)
        translate(page << page_bits);
    LINES_OF(line, addr, size) {
        remember(passing_of(line), line);
        if (lines_find(&lines, line))
            continue;
        result->miss = true;
        lines_add(&lines, line, 0);
    }
}
