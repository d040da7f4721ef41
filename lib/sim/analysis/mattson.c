/* analysis/mattson.c - stack distances of the data references: the miss ratio of every size in one pass.
 *
 * Stack distances: how many other lines were used since this one was? A fully associative LRU cache of n lines hits exactly where that
 * is less than n, so one pass gives the misses of every size; the same for each set gives those of every associativity.
 *
 *   A B C A B D D A      distances - - - 2 2 - 0 2
 *   one or two lines: 7 misses; three or more: 4
 *
 * Lines touched are counted, so a reference over two lines counts twice. Without an option the curve goes from 4 KiB to 64 MiB by
 * powers of two, and uses of the lines of the last 4 KiB cost nothing.
 *
 * Options: `smallest` (4096: bytes of the first size of the curve; a smaller one costs time). `sizes` (N: each size up to N lines, and
 * each number of ways up to 64) and `sets` (a second curve, for each associativity with so many sets); sizes begin at one line then.
 * `shards` (N: of N lines, drawn by a hash of their address, with the standard error of each number, as SHARDS does; exact while the
 * program uses no more lines). `shards-part` (M: of one line in M, but of no fewer than `shards`, which is 8192 then: fewer lines say
 * too little. `doc/performance.md` has the errors).
 * Storage: of the tool: 256 bytes for each 64 neighbouring lines of which one was used, 32 to 64 in a table, and some bits a line; with
 * `shards` some 300 bytes a line of the sample. At 4 GiB the run stops with a line that says so.
 * Source: R. L. Mattson, J. Gecsei, D. R. Slutz, I. L. Traiger, Evaluation techniques for storage hierarchies, IBM Systems Journal
 * 9(2), 1970; the tree: B. T. Bennett, V. J. Kruskal, LRU stack processing, IBM Journal of Research and Development 19(4), 1975. */
#include "sim/analysis/groups.h"
#include "sim/analysis/shards.h"

#define ANALYSIS "mattson"
#define ANALYSIS_RECORDS SIM_USES
#define DISTANCES (1u << 18)
#define WAYS_MAX 64
#define SIZE_MOST_BITS 26u  /* 64 MiB */

static uint64_t *further; /* a cell: lines of references beyond their first */
static uint32_t recent, line_bits, smallest_bits; /* recent: lines that are now; smallest: 2^smallest_bits bytes */

/* Two terms: the number of line look-ups. */
static void lines_touched(struct sim_term to[2])
{
    to[0] = (struct sim_term){.times = 1, .of = SIM_SUM_REFERENCES, .plus = true};
    to[1] = (struct sim_term){.cells = further, .n = 1, .times = 1};
}

/* terms: the misses, and their error if there is one.  first: of them, those on lines that were not used before. */
static void declare_size(uint64_t lines, struct sim_term *terms, unsigned n, struct sim_term first)
{
    sim_row(terms, n, n > 1 ? "AN: %lu lines: %%U, give or take %%U" : "AN: %lu lines: %%U", lines);
    lines_touched(terms + n);
    terms[n + 2] = first;
    sim_row(terms, n + 3, n > 1 ? "{%lu}{%lu}{%%U}{%%U}{%%U}{%%U}" : "{%lu}{%lu}{%%U}{0}{%%U}{%%U}", lines << line_bits, lines);
}

/* ---- each size, each associativity ---- */

static bool whole;
static struct far far;
static uint64_t *histogram;           /* by distance; [DISTANCES]: farther or first */
static uint64_t *ways_hits;           /* by position in the set; [WAYS_MAX]: not there */
static uint64_t sets, *order;         /* by set: its lines, used last first */
static uint64_t sizes;                /* print each up to this one; 0 = powers of two */

static bool wants_whole(const char *slot)
{
    return sim_option(slot, "sets", 0) || sim_option(slot, "sizes", 0);
}

static void init_whole(const struct sim_config *c)
{
    histogram = sim_cells(DISTANCES + 1ull);
    ways_hits = sim_cells(WAYS_MAX + 1ull);
    sets = sim_option_within(c->slot, ANALYSIS, "sets", c->sets, 1, 1u << 22);
    sizes = sim_option_within(c->slot, ANALYSIS, "sizes", 0, 0, DISTANCES);
    order = sim_alloc(sets * WAYS_MAX * 8);
    far_init(&far, c->line_bits);
}

/* Moves the line to the front of its set and counts its position before; WAYS_MAX = it was not there.  Elements are lines plus one; 0 = free. */
static void use_in_set(uint64_t line, bool counts)
{
    uint64_t *row = order + line % sets * WAYS_MAX;
    unsigned at = 0;

    while (at < WAYS_MAX && row[at] != line + 1)
        at++;
    ways_hits[at] += counts;
    if (at == WAYS_MAX)
        at--;
    for (; at > 0; at--)
        row[at] = row[at - 1];
    row[0] = line + 1;
}

static void use_whole(uint64_t line, bool counts)
{
    uint64_t d = far_take(&far, line);

    d = d == FAR_FIRST || d + recent > DISTANCES ? DISTANCES : d + recent;
    histogram[d] += counts;
    use_in_set(line >> line_bits, counts);
}

static bool printed(uint64_t size) { return sizes ? size <= sizes : qn_is_pow2(size); }

/* A term: the sum of `counts` from `first` on. */
static struct sim_term sum_from(const uint64_t *counts, uint64_t first, uint64_t n)
{
    return (struct sim_term){.cells = counts + first, .n = n - first, .times = 1};
}

/* A cache of n lines misses what has a distance of n or more. */
static void declare_whole(void)
{
    struct sim_term sum, terms[4];

    for (uint64_t n = 1; n <= DISTANCES; n++)
        if (printed(n)) {
            terms[0] = sum_from(histogram, n, DISTANCES + 1);
            declare_size(n, terms, 1, sum_from(histogram, DISTANCES, DISTANCES + 1));
        }
    sim_row(NULL, 0, "AN: misses with %lu sets:", sets);
    sim_table(sim.slot, "ways", "ways misses");
    for (unsigned n = 1; n <= WAYS_MAX; n++)
        if (sizes || qn_is_pow2(n)) {
            sum = sum_from(ways_hits, n, WAYS_MAX + 1);
            sim_row(&sum, 1, "AN: {%u} ways: {%%U}", n);
        }
}

/* ---- powers of two ---- */

static uint64_t *classes;
static struct groups groups;
static struct shards shards;
static bool sampled;

/* At most the lines of the smallest cache. */
static uint32_t analysis_recent(const struct sim_config *c) { return wants_whole(c->slot) ? 1 : (1u << smallest_bits) / c->line; }

/* The smallest and the largest cache have 2^k lines. */
static unsigned least(void) { return line_bits < smallest_bits ? smallest_bits - line_bits : 0; }
static unsigned most(void) { return line_bits < SIZE_MOST_BITS ? SIZE_MOST_BITS - line_bits : 0; }

static void init_curve(uint32_t bits)
{
    groups_init(&groups, bits);
    for (unsigned k = least(); k <= most(); k++)
        groups_add(&groups, 1u << k);
}

/* The misses of a cache of 2^k lines: a distance of at most k bits is a hit.  Of a sample: their estimate and its error. */
static void declare_curve(void)
{
    struct sim_term terms[5], first = sum_from(classes, CURVE_FIRST, CURVE_FIRST + 1);

    if (sampled)
        first = shards_first(&shards);

    for (unsigned k = least(); k <= most(); k++) {
        terms[0] = sum_from(classes, k + 1, CURVE_CLASSES);
        if (sampled)
            shards_terms(&shards, k, terms);
        declare_size(1ull << k, terms, 1 + sampled, first);
    }
}

static void declare(void)
{
    struct sim_term lines[2];

    lines_touched(lines);
    sim_table(sim.slot, ANALYSIS, "size lines misses error touched first");
    sim_row(lines, 2, "AN: %%U lines touched; misses of a fully associative LRU cache:");
    if (whole)
        declare_whole();
    else
        declare_curve();
    if (sampled)
        shards_declare(&shards, lines);
}

static void analysis_init(const struct sim_config *c)
{
    uint64_t part = sim_option_within(c->slot, ANALYSIS, "shards-part", 0, 0, SHARDS_MAX);
    uint64_t n = sim_option_within(c->slot, ANALYSIS, "shards", part ? SHARDS_LEAST : 0, 0, SHARDS_MAX);

    whole = wants_whole(c->slot);
    if (whole && n)
        sim_fail(c->slot, ANALYSIS, "shards", 0, "wanted without the options sets and sizes");
    sampled = n != 0;
    line_bits = c->line_bits;
    smallest_bits = qn_log2(sim_option_within(c->slot, ANALYSIS, "smallest", 4096, 1, 1u << SIZE_MOST_BITS));
    further = sim_cells(1);
    classes = sim_cells(CURVE_CLASSES);
    if (whole)
        init_whole(c);
    if (sampled)
        shards_init(&shards, c->line_bits, (uint32_t)n, (uint32_t)part);
    else if (!whole)
        init_curve(c->line_bits);
    declare();
}

/* A line becomes recent; a line no longer is. */
static inline void use(uint64_t line, bool counts)
{
    if (whole) {
        use_whole(line, counts);
    } else if (sampled) {
        shards_use(&shards, line, recent, counts);
    } else {
        unsigned i = groups_take(&groups, line);

        classes[i == GROUPS_FIRST ? CURVE_FIRST : least() + i] += counts;
    }
    recent++;
}

static inline void leave(uint64_t line)
{
    recent--;
    if (whole)
        far_push(&far, line);
    else if (sampled)
        shards_leave(&shards, line);
    else
        groups_push(&groups, line);
}

static void analysis_observe(const struct sim_record *r, uint32_t n)
{
    for (const struct sim_record *end = r + n; r < end; r++) {
        bool counts = !(r->what & SIM_UNDONE);

        *further += counts && (r->what & SIM_MORE);
        if (r->what & SIM_LEFT)
            leave(r->line);
        else if (!(r->what & SIM_RECENT))
            use(r->line, counts);
    }
}

static void analysis_finish(void) {}
