/* policy/ship.c - signature-based hit prediction: the instruction that filled a line predicts whether it will be used again.
 *
 * Signature-based hit prediction (SHiP-PC): which instruction brought a line tells whether it will be used again. Each line knows the
 * signature of that instruction, 14 bits of its address, and whether it has been used since. A table has a counter for each signature,
 * from 0 to 7: a hit counts up, a line that leaves unused counts down. A new line whose counter is 0 is distant (3), and so the next
 * victim; else long (2). All else is as with srrip. Instruction 1 brings A, instruction 2 brings B, C, D and E:
 *
 *   A      A2 .  .  .
 *   A      A0 .  .  .         the counter of 1 rises
 *   BCD    A0 B2 C2 D2
 *   E      A1 E3 C3 D3        B left unused: the counter of 2 is 0, so E is distant
 *
 * A line is settled if it is near, has been used, and its counter stands at 7. Counters begin at 1. In a replay the instruction is the
 * one that was fetched last.
 *
 * Storage: 17 W bits, and 2^14 counters of 3 bits.
 * Source: C.-J. Wu, A. Jaleel, W. Hasenplaug, M. Martonosi, S. C. Steely, J. Emer, SHiP: signature-based hit predictor for high
 * performance caching, MICRO 2011. */
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
