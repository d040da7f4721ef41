/* level/tlb.c - a two-level translation lookaside buffer beside a cache.
 *
 * Beside the default D1, or with a plus beside any other (D1=srrip+tlb): each page of a reference is looked up in the first buffer, on a
 * miss in the second, on a miss there it is walked for. Misses and hits are those of the cache. Pages of two lines; cache | first,
 * two entries | second, three:
 *
 *   A        B is in the same page     A . | A . | A . .
 *   B                                  B A | A . | A . .
 *   C E                                E C | C B | C B A     pages of C and E
 *   A        misses the first only     A E | A C | A C B
 *
 * With `walker=1` a walk reads the page tables, four levels of entries of 8 bytes, in the level behind this cache (as prefetches do, so that they
 * are no misses of the program). Three caches of upper entries, fully associative, let it begin further down: an entry of level 1 leads to the 512
 * pages of its table, one of level 2 to 512 such. The tables lie in a row in addresses of the kernel.
 *
 *   page 7      reads of levels 3 2 1 0     nothing is known: 4 reads
 *   page 8      level 0                     the entry of level 1 is known: 1 read, of the same line as that of page 7
 *   page 512    levels 1 0                  another table; level 2 is known
 *
 * Options: `walker` (0; with it pages of up to 36 bits), `pde-entries` (32), `pdpte-entries` (4), `pml4e-entries` (2) of level 1, 2, 3;
 * `tlb-entries` (64), `tlb-ways` (4), `stlb-entries` (1536), `stlb-ways` (12), `page-bits` (12).
 * Events: `dtlb-misses`, `stlb-misses`; with `walker=1` `walk-refs`, `walk-misses`: reads, and those that missed the last level.
 * Storage: entries times (tag and frame).
 * Source: D. W. Clark, J. S. Emer, Performance of the VAX-11/780 translation buffer, ACM TOCS 3(1), 1985; two levels as in processors
 * since about 2000. Walker: T. W. Barr, A. L. Cox, S. Rixner, Translation caching: skip, don't walk (the page table), ISCA
 * 2010: a cache for each level. */
#include "sim/lines.h"

#define BESIDE "tlb"
#define BESIDE_SLOTS (LEVEL_IN_I1 | LEVEL_IN_D1)

#define PASSING_MAX 32

static struct passing {
    uint32_t count, next;
    uint64_t line[PASSING_MAX];
} *passing; /* by set of the first-level buffer */

enum { TABLES = 4, INDEX_BITS = 9, ENTRY_BYTES = 8 };
#define TABLE_OF(level) (0xffff800000000000ull + ((uint64_t)(level) << 40))

static struct lines first, second, upper[TABLES]; /* upper[0] is not used */
static unsigned first_misses, second_misses, walk_refs, walk_misses, page_bits;
static bool walks;

static void init_buffer(struct lines *l, const char *slot, uint64_t entries, uint64_t ways)
{
    if (!ways || !qn_is_pow2(entries / ways) || entries % ways)
        sim_fail(slot, BESIDE, "tlb-entries", 0, "must be ways times a power of two");
    lines_init(l, (uint32_t)(entries / ways), (uint32_t)ways, page_bits);
}

static void init_walker(const char *slot)
{
    static const char *const names[TABLES] = {"", "pde-entries", "pdpte-entries", "pml4e-entries"};
    static const unsigned usual[TABLES] = {0, 32, 4, 2};

    walks = sim_option_within(slot, BESIDE, "walker", 0, 0, 1);
    if (!walks)
        return;
    sim_option_within(slot, BESIDE, "page-bits", 12, 4, 36);
    for (unsigned level = 1; level < TABLES; level++)
        lines_init(&upper[level], 1, (uint32_t)sim_option_within(slot, BESIDE, names[level], usual[level], 1, 4096), page_bits + level * INDEX_BITS);
    walk_refs = sim_event(slot, "walk-refs", "reads of page tables");
    walk_misses = sim_event(slot, "walk-misses", "reads of page tables that missed the last level");
}

static void beside_init(const struct sim_config *c)
{
    page_bits = (unsigned)sim_option_within(c->slot, BESIDE, "page-bits", 12, 4, 40);
    init_buffer(&first, c->slot, sim_option(c->slot, "tlb-entries", 64), sim_option(c->slot, "tlb-ways", 4));
    init_buffer(&second, c->slot, sim_option(c->slot, "stlb-entries", 1536), sim_option(c->slot, "stlb-ways", 12));
    passing = sim_alloc(first.sets * sizeof *passing);
    first_misses = sim_event(c->slot, "dtlb-misses", "misses of the first translation buffer");
    second_misses = sim_event(c->slot, "stlb-misses", "misses of the second translation buffer");
    init_walker(c->slot);
}

static struct passing *passing_of(uint64_t page) { return &passing[page >> page_bits & (first.sets - 1)]; }

static bool beside_settled(uint64_t line) { return page_bits >= sim.line_bits && lines_newest(&first, line >> page_bits << page_bits); }

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

/* The line of the upper cache of this level: all addresses that its entry leads to. */
static uint64_t reach(unsigned level, uint64_t page) { return page >> upper[level].bits << upper[level].bits; }

static void walk_tables(uint64_t page)
{
    unsigned level = 1;

    while (level < TABLES && !lines_find(&upper[level], reach(level, page)))
        level++;
    while (level-- > 0) {
        sim_count(walk_refs, 1);
        if (sim_next(TABLE_OF(level) + (page >> (page_bits + level * INDEX_BITS)) * ENTRY_BYTES, ENTRY_BYTES, SIM_PREFETCH))
            sim_count(walk_misses, 1);
        if (level > 0)
            lines_add(&upper[level], reach(level, page), 0);
    }
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
    if (walks)
        walk_tables(page);
}

static void beside_ref(uint64_t addr, uint32_t size, enum sim_kind kind)
{
    uint64_t page = addr >> page_bits, last = (addr + size - 1) >> page_bits;

    (void)kind;
    SIM_EACH_LINE(page, last)
        translate(page << page_bits);
    LINES_OF(line, addr, size)
        remember(passing_of(line), line);
}
