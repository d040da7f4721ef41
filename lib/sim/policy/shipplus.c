/* policy/shipplus.c - SHiP++: signature-based hit prediction that is sure of some lines, learns once from each, and tells prefetches apart.
 *
 * As ship: the instruction that brings a line has a counter from 0 to 7, which says whether its lines are used again. Five things differ:
 *
 *   1 insertion        counter 0: 3, the next victim; 7: 0, or 1 if the line is prefetched; else 2
 *   2 training         only the first use of a line counts up; ship counts each. A line that leaves unused counts down
 *   3 write-backs      (a line that comes by a write-back is the next victim: here none comes to the LL)
 *   4 signatures       prefetches have counters of their own: the lowest of the signature's 14 bits
 *   5 updates          the first use of a prefetched line makes it the next victim, as such lines are rarely used twice; a prefetch of a
 *                      prefetched line changes nothing
 *
 * Instruction 1, whose counter is 7, brings A; a prefetch brings P:
 *
 *   A      A0 .  .  .        sure
 *   +P     A0 P2 .  .        its counter is 1
 *   P      A0 P3 .  .        used: it may go; its counter is 2
 *   P      A0 P0*.  .        used again: it is none of those
 *
 * In a replay the instruction is the one that was fetched last. Otherwise than published: all sets train the counters, not 64.
 *
 * Storage: 18 W bits, and 2^14 counters of 3 bits.
 * Source: V. Young, C.-C. Chou, A. Jaleel, M. Qureshi, SHiP++: enhancing signature-based hit predictor for improved cache performance, 2nd
 * Cache Replacement Championship, 2017. */
#include "sim/module.h"

#define POLICY "shipplus"
#define POLICY_INIT 1
#define POLICY_WAY_STATE struct line
#define WANTS_PC 1
#define WANTS_KIND 1

struct line {
    uint16_t signature;
    bool used, prefetched; /* prefetched: and not used by the program yet */
    uint8_t prediction;    /* 0 to 3 */
};

#define PREDICTION(set, way) way_state(set, way).prediction
#define POLICY_WAY_SHOWS "RRPV"
#define policy_show_way(set, way) PREDICTION(set, way)
#include "sim/policy/rrip.h"

enum { SIGNATURE_BITS = 14, COUNTER_MAX = 7 };

static uint8_t counters[1 << SIGNATURE_BITS];

static const char *policy_init(void)
{
    memset(counters, 1, sizeof counters);
    return NULL;
}

static unsigned signature(bool prefetch)
{
    return (unsigned)(((sim_pc ^ sim_pc >> (SIGNATURE_BITS - 1)) << 1 | prefetch) & ((1 << SIGNATURE_BITS) - 1));
}

static void policy_hit(unsigned set, unsigned way)
{
    struct line *l = &way_state(set, way);

    if (sim_line_kind == SIM_PREFETCH && l->prefetched)
        return;
    l->prediction = l->prefetched ? RRIP_DISTANT : RRIP_NEAR;
    l->prefetched = false;
    if (!l->used)
        counters[l->signature] += counters[l->signature] < COUNTER_MAX;
    l->used = true;
}

static void policy_fill(unsigned set, unsigned way)
{
    bool prefetch = sim_line_kind == SIM_PREFETCH;
    unsigned by = signature(prefetch);
    uint8_t prediction = RRIP_LONG;

    if (counters[by] == 0)
        prediction = RRIP_DISTANT;
    else if (counters[by] == COUNTER_MAX)
        prediction = prefetch;
    way_state(set, way) = (struct line){(uint16_t)by, false, prefetch, prediction};
}

static bool policy_settled(unsigned set, unsigned way)
{
    const struct line *l = &way_state(set, way);

    return l->prediction == RRIP_NEAR && l->used && !l->prefetched;
}

static unsigned policy_victim(unsigned set)
{
    unsigned victim = rrip_victim(set);
    const struct line *l = &way_state(set, victim);

    if (!l->used)
        counters[l->signature] -= counters[l->signature] > 0;
    return victim;
}
