/* prefetch/ghb.c - global history buffer, PC/DC: the distances between an instruction's misses, where the last two occurred before.
 *
 * The misses (and first uses of prefetched lines) of all instructions are in one ring, and each entry says where the entry before of the
 * same instruction is. From these come the distances in lines of the instruction that misses. Where its last two distances occurred
 * before, most lately, those that followed then are expected again: as many lines as the degree are prefetched, and if fewer distances
 * followed, they are taken again from their begin. Distances 1, 2, 1, 2 with degree 2:
 *
 *   A B D E     misses
 *   G           +2 after +1: never twice before but at B D, where 1 and 2 followed: H+ J+
 *   H           first use; 1 after 2, followed by 2, 1: J is there, K+
 *
 * An index table, direct-mapped by the address of the instruction, has each one's last entry; an instruction that finds another's there
 * begins anew. In a replay the instruction is the one that was fetched last.
 *
 * Options: `ghb` (256), entries of the ring, at most 4096; `ghb-table` (256), of the index table, a power of two; `ghb-degree` (4).
 * Storage: ghb times (line, link), ghb-table times (instruction, link), and one bit per line.
 * Source: K. J. Nesbit, J. E. Smith, Data cache prefetching using a global history buffer, HPCA 2004: PC/DC; beside the D1 here, where
 * the paper has it beside the L2. */
#include "sim/module.h"

#define PREFETCHER "ghb"
#define PREFETCHER_INIT 1
#define WANTS_PC 1

enum { RING_MAX = 4096 };

/* Misses are numbered from 1; 0 = none. */
static struct miss {
    uint64_t line, before; /* before: the number of the last one of this instruction */
} *ring;
static struct last {
    uint64_t pc, number;
} *table;
static uint64_t entries, instructions, degree, newest;

static void prefetcher_init(const struct sim_config *c)
{
    entries = sim_option_within(c->slot, PREFETCHER, "ghb", 256, 4, RING_MAX);
    instructions = sim_option_within(c->slot, PREFETCHER, "ghb-table", 256, 1, 1 << 20);
    degree = sim_option_within(c->slot, PREFETCHER, "ghb-degree", 4, 1, 64);
    if (!qn_is_pow2(instructions))
        sim_fail(c->slot, PREFETCHER, "ghb-table", 0, "must be a power of two");
    ring = sim_alloc(entries * sizeof *ring);
    table = sim_alloc(instructions * sizeof *table);
}

static inline bool in_ring(uint64_t number) { return number && number + entries > newest; }

static void enter(uint64_t line)
{
    struct last *l = &table[sim_pc & (instructions - 1)];
    uint64_t before = l->pc == sim_pc ? l->number : 0;

    ring[++newest % entries] = (struct miss){line, before};
    *l = (struct last){sim_pc, newest};
}

/* The distances between this instruction's misses, the latest first.  Returns how many there are. */
static unsigned collect(uint64_t *distance)
{
    unsigned n = 0;

    for (uint64_t at = newest, before = ring[at % entries].before; in_ring(before); at = before, before = ring[at % entries].before)
        distance[n++] = ring[at % entries].line - ring[before % entries].line;
    return n;
}

static void prefetcher_ref(uint64_t addr, uint32_t size, enum sim_kind kind, bool miss)
{
    static uint64_t distance[RING_MAX];
    uint64_t line = addr >> sim.line_bits;
    unsigned n, found;

    (void)size, (void)kind, (void)miss;
    enter(line);
    n = collect(distance);
    for (found = 1; found + 1 < n && (distance[found] != distance[0] || distance[found + 1] != distance[1]);)
        found++;
    if (found + 1 >= n)
        return;
    for (uint64_t i = 0; i < degree; i++) {
        line += distance[found - 1 - i % found];
        sim_prefetch(line << sim.line_bits);
    }
}
