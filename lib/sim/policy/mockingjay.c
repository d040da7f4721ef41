/* policy/mockingjay.c - predicts by the instruction how many references to the set it takes until a line is used again, and evicts the one that is
 * used last.
 *
 * In sampled sets the last 8 W references (W ways) are known. A line that comes again tells the distance to the instruction of its last reference, one
 * that falls out of the sample tells it 8 W - 1, for never. Each line has an estimate of the time remaining, in units of 8 references to its set:
 * the prediction when it is referenced, one less each 8 references, so what is overdue is negative. The victim is the line with the largest estimate,
 * positive or not (of two alike the overdue one): what is used last, or has not come when it should have. The estimates behind each line:
 *
 *   A B C D          m    A0 B1 C0 D2
 *   16 references to A    A0 B-1 C-2 D0
 *   E                m    A0 B-1 E0 D0      C is overdue by most
 *
 * The rules, with the sections of the paper:
 *   prediction (3.2)     by a hash of instruction, hit or miss, prefetch or not. A new distance moves it by one, if they differ by 16 or more; the
 *                        first one sets it
 *   bypass (3.3)         what is predicted later than the victim is due, or later than five sixths of 8 W, is not brought in
 * Otherwise than published: whole line numbers in a ring, not a sampled cache of partial tags; write-backs do not reach the LL here.
 * No line is settled, because each reference counts: it is meant for the LL. In a replay the instruction is the one that was fetched last.
 *
 * Storage: (5 W + 3) bits in each set, 2^11 predictions of 7 bits and 1; 32 times 8 W times (line, instruction of 11 bits, a bit).
 * Source: I. Shah, A. Jain, C. Lin, Effective mimicry of Belady's MIN policy, HPCA 2022. */
#include "sim/module.h"

#define POLICY "mockingjay"
#define POLICY_INIT 1
#define POLICY_BYPASSES 1
#define POLICY_WAY_STATE int16_t /* references until it is used, in units */
#define POLICY_WAY_SHOWS "ETR"
#define policy_show_way(set, way) ((uint64_t)(int64_t)way_state(set, way))
#define POLICY_SET_STATE uint8_t /* references since the lines aged */
#define WANTS_PC 1
#define WANTS_KIND 1

enum { SIGNATURE_BITS = 11, SAMPLED_SETS = 32, HISTORY = 8, UNIT = 8, STEP = 16, UNKNOWN = -1 };

struct sample {
    struct reference {
        uint64_t line;
        uint16_t by;
        bool came_again;
    } *ring;       /* that at time t is ring[t % window] */
    uint64_t time; /* of the next reference */
};

static int32_t predictions[1 << SIGNATURE_BITS];
static struct sample *samples;
static uint32_t window, sampled_every; /* references of a sample; one set in so many is sampled */
static int32_t never, too_late;        /* a distance; from which on a line is not brought in */

static const char *policy_init(void)
{
    uint32_t n = sim.sets < SAMPLED_SETS ? sim.sets : SAMPLED_SETS;

    for (unsigned i = 0; i < 1 << SIGNATURE_BITS; i++)
        predictions[i] = UNKNOWN;
    sampled_every = sim.sets / n;
    window = HISTORY * sim.ways;
    never = (int32_t)window - 1;
    too_late = never - never / 6;
    samples = sim_alloc(n * sizeof *samples);
    for (uint32_t i = 0; i < n; i++)
        samples[i].ring = sim_alloc(window * sizeof *samples[i].ring);
    return NULL;
}

static uint16_t signature(bool hit)
{
    uint64_t x = sim_pc << 2 | (uint64_t)hit << 1 | (sim_line_kind == SIM_PREFETCH);

    return (uint16_t)((x ^ x >> SIGNATURE_BITS ^ x >> 2 * SIGNATURE_BITS) & ((1 << SIGNATURE_BITS) - 1));
}

static void train(uint16_t by, int32_t distance)
{
    int32_t *p = &predictions[by];

    if (*p == UNKNOWN)
        *p = distance;
    else if (distance >= *p + STEP)
        ++*p;
    else if (distance <= *p - STEP)
        --*p;
}

static void sample(struct sample *s, uint16_t by)
{
    struct reference *newest = &s->ring[s->time % window];
    uint64_t oldest = s->time < window ? 0 : s->time - window;

    for (uint64_t t = s->time; t-- > oldest;)
        if (s->ring[t % window].line == sim_line) {
            train(s->ring[t % window].by, s->time - t < (uint64_t)never ? (int32_t)(s->time - t) : never);
            s->ring[t % window].came_again = true;
            break;
        }
    if (s->time >= window && !newest->came_again)
        train(newest->by, never);
    *newest = (struct reference){sim_line, by, false};
    s->time++;
}

static int16_t estimate(uint16_t by)
{
    return (int16_t)(predictions[by] > too_late ? (int32_t)sim.ways - 1 : predictions[by] == UNKNOWN ? 0 : predictions[by] / UNIT);
}

/* A reference to the line in this way; sim.ways: it bypasses. */
static void refer(unsigned set, unsigned way, bool hit)
{
    uint16_t by = signature(hit);

    if (set % sampled_every == 0 && set / sampled_every < SAMPLED_SETS)
        sample(&samples[set / sampled_every], by);
    if (set_state(set) == UNIT) {
        for (unsigned i = 0; i < sim.ways; i++)
            if (i != way && way_state(set, i) > 1 - (int32_t)sim.ways && way_state(set, i) < (int32_t)sim.ways - 1)
                way_state(set, i)--;
        set_state(set) = 0;
    }
    set_state(set)++;
    if (way < sim.ways)
        way_state(set, way) = estimate(by);
}

static void policy_hit(unsigned set, unsigned way) { refer(set, way, true); }
static void policy_fill(unsigned set, unsigned way) { refer(set, way, false); }
/* Twice the size, and one more if it is overdue. */
static int32_t rank(int16_t estimate) { return estimate < 0 ? -2 * estimate + 1 : 2 * estimate; }

static unsigned policy_victim(unsigned set)
{
    unsigned victim = 0;

    for (unsigned way = 1; way < sim.ways; way++)
        if (rank(way_state(set, way)) > rank(way_state(set, victim)))
            victim = way;
    return victim;
}

static bool policy_bypass(unsigned set)
{
    int32_t predicted = predictions[signature(false)];

    if (predicted == UNKNOWN || (predicted <= too_late && predicted / UNIT <= rank(way_state(set, policy_victim(set))) / 2))
        return false;
    refer(set, sim.ways, false);
    return true;
}

static bool policy_settled(unsigned set, unsigned way) { return (void)set, (void)way, false; }
