/* policy/pdp.c - protecting distance: a line is kept for so many references to its set, and what finds all lines protected bypasses the cache.
 *
 * The reuse distance of a line is the number of references to its set from one reference to it to the next. A line that is referred to is
 * protected for the next PD references to its set. The victim is the first line that is no longer protected; if there is none, the new
 * line is not brought into the cache. With PD 3, two ways, the references left behind each line:
 *
 *   A    m    A3 .
 *   B    m    A2 B3
 *   C    m    A1 B2      all are protected: C bypasses
 *   A    .    A3 B1
 *   D    m    A2 B0      D bypasses
 *   D    m    A1 D3      B is no longer protected
 *
 * PD is worked out anew after each period of references. In 32 sets the last 256 references are known: N(i) is how many lines came again at
 * distance i, N how many references there were. With PD = d a line is held for i references if it comes again at i up to d, for d if not, and then
 * for some W more until it is found to be the victim. So this is the number of hits for each reference that a line takes room:
 *
 *   E(d) = H(d) / (N(1) * 1 + ... + N(d) * d + (N - H(d)) * (d + W)),   H(d) = N(1) + ... + N(d)
 *
 * and the d with the largest E is taken, the smallest of several (sections 3 and 4 of the paper). Up to then PD is W.
 *
 * No line is settled, because each reference to a set counts: in I1 and D1 every one is a call. It is meant for the LL.
 * Otherwise than published: samples hold whole line numbers, and distances are counted one by one, not by fours.
 *
 * Options: `pdp-distance` (0 = worked out; else PD, at most 255), `pdp-period` (524288 references).
 * Storage: 8 W bits in each set; 32 times 256 line numbers; 256 counters of 16 bits.
 * Source: N. Duong, D. Zhao, T. Kim, R. Cammarota, M. Valero, A. V. Veidenbaum, Improving cache management policies using dynamic reuse
 * distances, MICRO 2012. */
#include "sim/module.h"

#define POLICY "pdp"
#define POLICY_INIT 1
#define POLICY_BYPASSES 1
#define POLICY_WAY_STATE uint8_t /* references left for which the line is protected */
#define POLICY_WAY_SHOWS "left"

enum { DISTANCE_MAX = 255, SAMPLED_SETS = 32, HISTORY = 256 };

struct sample {
    uint64_t ring[HISTORY]; /* the line of reference t is ring[t % HISTORY] */
    uint64_t time;          /* of the next reference */
};

static struct sample *samples;
static uint64_t came_again[DISTANCE_MAX + 1], sampled; /* N(i); N */
static uint64_t references, period;
static uint32_t distance, sampled_every; /* PD; one set in so many is sampled */
static bool is_fixed;

static const char *policy_init(void)
{
    uint32_t n = sim.sets < SAMPLED_SETS ? sim.sets : SAMPLED_SETS;

    distance = (uint32_t)sim_option_within(sim.slot, POLICY, "pdp-distance", 0, 0, DISTANCE_MAX);
    is_fixed = distance > 0;
    if (!is_fixed)
        distance = sim.ways < DISTANCE_MAX ? sim.ways : DISTANCE_MAX;
    period = sim_option_within(sim.slot, POLICY, "pdp-period", 1 << 19, 1, UINT32_MAX);
    sampled_every = sim.sets / n;
    samples = sim_alloc(n * sizeof *samples);
    return NULL;
}

/* The distance with the most hits for each reference that a line takes room.  a/b > c/d is compared as a*d > c*b. */
static uint32_t best_distance(void)
{
    uint64_t hits = 0, held = 0, best_hits = 0, best_room = 1;
    uint32_t best = distance;

    for (uint32_t d = 1; d <= DISTANCE_MAX; d++) {
        uint64_t room;

        hits += came_again[d];
        held += came_again[d] * d;
        room = held + (sampled - hits) * (d + sim.ways);
        if (hits * best_room > best_hits * room) {
            best = d;
            best_hits = hits;
            best_room = room;
        }
    }
    return best;
}

static void sample(struct sample *s)
{
    for (uint64_t d = 1; d <= s->time && d <= DISTANCE_MAX; d++)
        if (s->ring[(s->time - d) % HISTORY] == sim_line) {
            came_again[d]++;
            break;
        }
    s->ring[s->time++ % HISTORY] = sim_line;
    sampled++;
}

/* A reference to the set. */
static void refer(unsigned set)
{
    for (unsigned way = 0; way < sim.ways; way++)
        way_state(set, way) -= way_state(set, way) > 0;
    if (is_fixed)
        return;
    if (set % sampled_every == 0 && set / sampled_every < SAMPLED_SETS)
        sample(&samples[set / sampled_every]);
    if (++references % period)
        return;
    distance = best_distance();
    memset(came_again, 0, sizeof came_again);
    sampled = 0;
}

static void policy_hit(unsigned set, unsigned way)
{
    refer(set);
    way_state(set, way) = (uint8_t)distance;
}

static void policy_fill(unsigned set, unsigned way) { policy_hit(set, way); }

static unsigned policy_victim(unsigned set)
{
    unsigned way = 0;

    while (way < sim.ways && way_state(set, way) > 0)
        way++;
    return way;
}

static bool policy_bypass(unsigned set)
{
    bool bypasses = policy_victim(set) == sim.ways;

    if (bypasses)
        refer(set);
    return bypasses;
}

static bool policy_settled(unsigned set, unsigned way)
{
    (void)set, (void)way;
    return false;
}
