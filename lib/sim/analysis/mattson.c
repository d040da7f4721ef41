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
#include "sim/analysis/each_size.h"
#include "sim/analysis/groups.h"
#include "sim/analysis/shards.h"

#define ANALYSIS "mattson"
#define ANALYSIS_RECORDS SIM_USES
#define SIZE_MOST_BITS 26u  /* 64 MiB */

static bool each, sampled; /* the options `sizes` or `sets`; `shards` */
static struct each_size each_size;
static struct shards shards;
static struct groups groups;
static uint64_t *classes;  /* cells: uses by the first size of the curve that has the line; [GROUPS_FIRST]: first uses */
static uint64_t *further;  /* a cell: lines of references beyond their first */
static struct sim_term touched[2]; /* the number of line look-ups */
static uint32_t recent, line_bits, smallest_bits; /* recent: lines that are now; smallest: 2^smallest_bits bytes */
static unsigned least, most; /* the smallest and the largest cache of the curve have 2^k lines */

/* At most the lines of the smallest cache. */
static uint32_t analysis_recent(const struct sim_config *c) { return each_is_wanted(c->slot) ? 1 : (1u << smallest_bits) / c->line; }

/* terms: the misses, and their error if there is one.  first: of them, those on lines that were not used before. */
static void declare_size(uint64_t lines, struct sim_term *terms, unsigned n, struct sim_term first)
{
    sim_row(terms, n, n > 1 ? "AN: %lu lines: %%U, give or take %%U" : "AN: %lu lines: %%U", lines);
    terms[n] = touched[0];
    terms[n + 1] = touched[1];
    terms[n + 2] = first;
    sim_row(terms, n + 3, n > 1 ? "{%lu}{%lu}{%%U}{%%U}{%%U}{%%U}" : "{%lu}{%lu}{%%U}{0}{%%U}{%%U}", lines << line_bits, lines);
}

/* A cache misses what only larger ones have, and first uses.  Of a sample: an estimate and its error. */
static void declare_curve(void)
{
    struct sim_term terms[5];

    for (unsigned k = least; k <= most; k++) {
        terms[0] = each_sum(classes, k - least + 1, GROUPS_FIRST);
        if (sampled)
            shards_terms(&shards, k, terms);
        declare_size(1ull << k, terms, 1 + sampled, sampled ? shards_first(&shards) : each_sum(classes, GROUPS_FIRST, GROUPS_FIRST));
    }
}

static void analysis_init(const struct sim_config *c)
{
    uint64_t part = sim_option_within(c->slot, ANALYSIS, "shards-part", 0, 0, SHARDS_MAX);
    uint64_t n = sim_option_within(c->slot, ANALYSIS, "shards", part ? SHARDS_LEAST : 0, 0, SHARDS_MAX);

    each = each_is_wanted(c->slot);
    sampled = n != 0;
    if (each && sampled)
        sim_fail(c->slot, ANALYSIS, "shards", 0, "wanted without the options sets and sizes");
    line_bits = c->line_bits;
    smallest_bits = qn_log2(sim_option_within(c->slot, ANALYSIS, "smallest", 4096, 1, 1u << SIZE_MOST_BITS));
    least = line_bits < smallest_bits ? smallest_bits - line_bits : 0;
    most = line_bits < SIZE_MOST_BITS ? SIZE_MOST_BITS - line_bits : 0;
    further = sim_cells(1);
    classes = sim_cells(GROUPS_FIRST + 1);
    touched[0] = (struct sim_term){.times = 1, .of = SIM_SUM_REFERENCES, .plus = true};
    touched[1] = (struct sim_term){.cells = further, .n = 1, .times = 1};
    sim_table(sim.slot, ANALYSIS, "size lines misses error touched first");
    sim_row(touched, 2, "AN: %%U lines touched; misses of a fully associative LRU cache:");
    if (each) {
        each_init(&each_size, c, ANALYSIS, declare_size);
    } else if (sampled) {
        shards_init(&shards, line_bits, (uint32_t)n, (uint32_t)part);
        declare_curve();
        shards_declare(&shards, touched);
    } else {
        groups_init(&groups, line_bits);
        for (unsigned k = least; k <= most; k++)
            groups_add(&groups, 1u << k);
        declare_curve();
    }
}

static void analysis_observe(const struct sim_record *r, uint32_t n)
{
    for (const struct sim_record *end = r + n; r < end; r++) {
        bool left = r->what & SIM_LEFT, counts = !(r->what & SIM_UNDONE);

        *further += counts && (r->what & SIM_MORE);
        if (!left && (r->what & SIM_RECENT))
            continue;
        if (each)
            each_see(&each_size, r, recent);
        else if (sampled)
            shards_see(&shards, r, recent);
        else if (left)
            groups_push(&groups, r->line);
        else
            classes[groups_take(&groups, r->line)] += counts;
        recent = left ? recent - 1 : recent + 1;
    }
}

static void analysis_finish(void) {}
