/* lib/sim/many/seldom.h - rarely executed parts of slot D1: references to several lines, policies, start and end of a run; see
 * caches.c.  Included by fetches.c, which is compiled before the table is written.
 */
#include "sim/fast/rows.h"

static uint64_t D1_asked;                  /* the number of references to policies, for messages */
static uint64_t D1_misses[2][MANY_MAX];    /* reads and writes, without those that are still in `together` */

/* Misses by the set of D1s that missed together, because the same few sets are frequent. */
#define TOGETHER_BITS 8
static struct {
    uint64_t D1s, times[2];
} together[1u << TOGETHER_BITS];

static void add_up(unsigned t)
{
    for (unsigned write = 0; write < 2; write++) {
        for (uint64_t m = together[t].D1s; m; m &= m - 1)
            D1_misses[write][__builtin_ctzll(m)] += together[t].times[write];
        together[t].times[write] = 0;
    }
}

void many_count_misses(uint64_t D1s, bool write)
{
    unsigned t = (unsigned)(D1s * 0x9e3779b97f4a7c15ull >> (64 - TOGETHER_BITS)); /* Fibonacci hashing */

    if (QN_UNLIKELY(together[t].D1s != D1s)) {
        add_up(t);
        together[t].D1s = D1s;
    }
    together[t].times[write]++;
}

/* Returns a bit for each D1 that missed one of the lines.  Adds all policies to `ask`. */
static uint64_t stacks_ref_long(uint64_t addr, uint32_t size, uint64_t *ask)
{
    uint64_t missed = 0;

    for (uint32_t i = 0; i < many_node_count; i++) {
        const struct many_node *node = &many_nodes[i];
        uint64_t line = addr >> node->line_bits, last = (addr + size - 1) >> node->line_bits;

        *ask |= node->members;
        SIM_EACH_LINE(line, last) {
            uint64_t *row = many_rows + node->rows + (line & (node->sets - 1)) * node->ways;

            missed |= many_missed_at[node->depths + row_search(row, node->ways, line + 1)];
        }
    }
    return missed;
}

uint64_t many_ask(uint64_t which, uint64_t addr, uint32_t size, enum sim_kind kind)
{
    uint64_t missed = 0;

    for (; which; which &= which - 1) {
        unsigned d = (unsigned)__builtin_ctzll(which);
        uint64_t miss = AT_WORK(SLOT_D1, SIM_IN_DOREF, ++D1_asked, many_D1[d].member->ref(addr, size, kind)) & 1;

        missed |= miss << d;
    }
    return missed;
}

/* A reference to several lines, which counts as one miss at most. */
uint64_t many_ref_long(uint64_t ask, uint64_t addr, uint32_t size, enum sim_kind kind)
{
    uint64_t missed = stacks_ref_long(addr, size, &ask);

    return missed | many_ask(ask, addr, size, kind);
}

/* ---- at the start, and at the end ---- */

void many_init_D1s(uint64_t seed)
{
    for (uint32_t d = 0; d < many_D1_count; d++) {
        const struct many_D1 *D1 = &many_D1[d];
        const struct many_node *node = &many_nodes[D1->node];
        struct sim_config own = many_config("D1", d, D1->size, D1->ways, D1->line, seed);

        if (D1->member)
            D1->member->init(&own);
        for (uint32_t depth = D1->ways; !D1->member && depth <= node->ways; depth++)
            many_missed_at[node->depths + depth] |= 1ull << d;
    }
}

void many_finish_D1s(void)
{
    for (unsigned t = 0; t < 1u << TOGETHER_BITS; t++)
        add_up(t);
    for (uint32_t d = 0; d < many_D1_count; d++) {
        sim_print("many D1 %u %U %U", d, D1_misses[0][d], D1_misses[1][d]);
        if (many_D1[d].member)
            many_D1[d].member->finish();
    }
}
