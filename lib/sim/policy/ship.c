/* policy/ship.c - signature-based hit prediction: the instruction that filled a line predicts whether it will be used again.
 *
 *   the lines that the instruction filled were evicted unused    its counter is 0: its next line is distant, the next victim
 *   they were used again                                         its counter is above 0: its next line is long, as in srrip
 *
 * A signature is 14 bits of the instruction's address; a table has a 3-bit counter for each signature.  A line stores the
 * signature of the instruction that filled it, and whether it was hit since.  A hit increments the counter, the eviction of an
 * unused line decrements it.  Counters start at 1.  A hit changes nothing if the line is near and was hit before, and its counter is
 * saturated.
 * Source: C.-J. Wu, A. Jaleel, W. Hasenplaug, M. Martonosi, S. Steely, J. Emer, SHiP: signature-based hit predictor for high
 * performance caching, MICRO 2011 (SHiP-PC); the rest: rrip.h.
 */
#include "sim/module.h"

#define POLICY "ship"
#define POLICY_INIT 1
#define POLICY_WAY_STATE struct line
#define WANTS_PC 1

struct line {
    uint16_t signature;
    bool used;
    uint8_t prediction; /* 0 to 3 */
};

#define PREDICTION(set, way) way_state(set, way).prediction
#define POLICY_WAY_SHOWS "RRPV"
#define policy_show_way(set, way) PREDICTION(set, way)
#include "sim/policy/rrip.h"

#define SIGNATURE_BITS 14
#define COUNTER_MAX 7

static uint8_t counters[1 << SIGNATURE_BITS];

static const char *policy_init(void)
{
    __builtin_memset(counters, 1, sizeof counters);
    return NULL;
}

static unsigned signature(uint64_t pc) { return (pc ^ pc >> SIGNATURE_BITS) & ((1 << SIGNATURE_BITS) - 1); }

static void policy_hit(unsigned set, unsigned way)
{
    struct line *l = &way_state(set, way);

    l->prediction = RRIP_NEAR;
    l->used = true;
    counters[l->signature] += counters[l->signature] < COUNTER_MAX;
}

static void policy_fill(unsigned set, unsigned way)
{
    unsigned by = signature(sim_pc);

    way_state(set, way) = (struct line){(uint16_t)by, false, counters[by] ? RRIP_LONG : RRIP_DISTANT};
}

static bool policy_settled(unsigned set, unsigned way)
{
    const struct line *l = &way_state(set, way);

    return l->prediction == RRIP_NEAR && l->used && counters[l->signature] == COUNTER_MAX;
}

/* The counter is no longer saturated, so a hit on a line of this signature will change it. */
static void unsettle(unsigned signature)
{
    for (unsigned set = 0; set < sim.sets; set++)
        for (unsigned way = 0; way < sim.ways; way++)
            if (way_state(set, way).signature == signature)
                sim_unsettled(set, way);
}

/* The line in the way that it returns is evicted. */
static unsigned policy_victim(unsigned set)
{
    unsigned victim = rrip_victim(set);
    const struct line *l = &way_state(set, victim);

    if (!l->used && counters[l->signature] == COUNTER_MAX)
        unsettle(l->signature);
    if (!l->used)
        counters[l->signature] -= counters[l->signature] > 0;
    return victim;
}
