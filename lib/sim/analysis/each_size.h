/* analysis/each_size.h - hits of each size and of each associativity: from the stream of records (module.h).
 *
 *   each_init(&e, config, "mattson", declare)    options `sizes` (lines; 0: powers of two only) and `sets`; rows: declare(lines, misses, 1, first)
 *                                                for each size, then those of each associativity
 *   each_see(&e, record, recent)                 a line was used, or is recent no longer; recent: the number of those that are
 *
 * The distance of a use is the number of other lines that were used since; a cache of n lines misses what has a distance of n or more.  The
 * same within a set gives the misses of each number of ways.
 */
#ifndef QN_SIM_ANALYSIS_EACH_SIZE_H
#define QN_SIM_ANALYSIS_EACH_SIZE_H

#include "sim/analysis/far.h"

#define EACH_DISTANCES (1u << 18)
#define EACH_WAYS 64u

struct each_size {
    struct far far;
    uint64_t *histogram;    /* by distance; [EACH_DISTANCES]: farther or first */
    uint64_t *ways_hits;    /* by position in the set; [EACH_WAYS]: not there */
    uint64_t sets, *order;  /* by set: its lines, used last first; lines plus one, 0 = free */
    uint64_t sizes;         /* print each up to this one; 0 = powers of two */
    uint32_t line_bits;
};

static bool each_is_wanted(const char *slot) { return sim_option(slot, "sets", 0) || sim_option(slot, "sizes", 0); }

/* Moves the line to the front of its set and counts its position before. */
static void each_use_in_set(struct each_size *e, uint64_t line, bool counts)
{
    uint64_t *row = e->order + line % e->sets * EACH_WAYS;
    unsigned at = 0;

    while (at < EACH_WAYS && row[at] != line + 1)
        at++;
    e->ways_hits[at] += counts;
    if (at == EACH_WAYS)
        at--;
    for (; at > 0; at--)
        row[at] = row[at - 1];
    row[0] = line + 1;
}

static inline void each_see(struct each_size *e, const struct sim_record *r, uint32_t recent)
{
    bool counts = !(r->what & SIM_UNDONE);
    uint64_t d;

    if (r->what & SIM_LEFT) {
        far_push(&e->far, r->line);
        return;
    }
    d = far_take(&e->far, r->line);
    e->histogram[d == FAR_FIRST || d + recent > EACH_DISTANCES ? EACH_DISTANCES : d + recent] += counts;
    each_use_in_set(e, r->line >> e->line_bits, counts);
}

/* A term: the sum of counts[first] to counts[last]. */
static struct sim_term each_sum(const uint64_t *counts, uint64_t first, uint64_t last)
{
    return (struct sim_term){.cells = counts + first, .n = last + 1 - first, .times = 1};
}

typedef void each_declare_size(uint64_t lines, struct sim_term *misses, unsigned n, struct sim_term first);

static void each_declare(const struct each_size *e, each_declare_size *declare)
{
    struct sim_term terms[4];

    for (uint64_t n = 1; n <= EACH_DISTANCES; n++)
        if (e->sizes ? n <= e->sizes : qn_is_pow2(n)) {
            terms[0] = each_sum(e->histogram, n, EACH_DISTANCES);
            declare(n, terms, 1, each_sum(e->histogram, EACH_DISTANCES, EACH_DISTANCES));
        }
    sim_row(NULL, 0, "AN: misses with %lu sets:", e->sets);
    sim_table(sim.slot, "ways", "ways misses");
    for (unsigned n = 1; n <= EACH_WAYS; n++)
        if (e->sizes || qn_is_pow2(n)) {
            terms[0] = each_sum(e->ways_hits, n, EACH_WAYS);
            sim_row(terms, 1, "AN: {%u} ways: {%%U}", n);
        }
}

static void each_init(struct each_size *e, const struct sim_config *c, const char *analysis, each_declare_size *declare)
{
    e->histogram = sim_cells(EACH_DISTANCES + 1ull);
    e->ways_hits = sim_cells(EACH_WAYS + 1ull);
    e->sets = sim_option_within(c->slot, analysis, "sets", c->sets, 1, 1u << 22);
    e->sizes = sim_option_within(c->slot, analysis, "sizes", 0, 0, EACH_DISTANCES);
    e->order = sim_alloc(e->sets * EACH_WAYS * sizeof *e->order);
    e->line_bits = c->line_bits;
    far_init(&e->far, c->line_bits);
    each_declare(e, declare);
}

#endif
