/* policy/hawkeye.c - learns from what Belady's optimal policy would have done: which instructions bring lines that it keeps.
 *
 * OPTgen: in 64 sets the last 8 W references (W ways) are known, and beside each how many lines the optimal policy holds at that time. A
 * line that comes again would have been a hit if from its last reference up to now there was room: everywhere fewer than W. Then each of
 * these numbers goes up by one. Of two ways, references to one set:
 *
 *   time        0 1 2 3 4 5
 *   line        A B C B A C
 *   at time 3   0 1 1            B, last at 1: there is room at 1 and 2, a hit
 *   at time 4   1 2 2 1          A, last at 0: room from 0 to 3, a hit
 *   at time 5   1 2 2 1 0        C, last at 2: no room there, a miss
 *
 * Predictor: a counter from 0 to 7 for each instruction, 13 bits of its address. A hit of OPTgen counts up the instruction of the last
 * reference to the line, a miss down. An instruction whose counter is 4 or more brings friendly lines, others averse ones. All begin at 4.
 *
 * Each line has a number from 0 to 7. At each reference, of a friendly instruction: 0, and if it was a miss, the other lines of the set
 * below 6 age by one; of an averse one: 7. The victim is the first line with 7; if there is none, the first with the largest number, and
 * the instruction that referred to it last counts down. In a replay the instruction is the one that was fetched last.
 *
 * No line is settled, because each reference counts: in I1 and D1 every one is a call. It is meant for the LL.
 *
 * Storage: 16 W bits in each set, 2^13 counters of 3 bits; 64 times 8 W times (line, instruction of 13 bits, a number up to W).
 * Source: A. Jain, C. Lin, Back to the future: leveraging Belady's algorithm for improved cache replacement, ISCA 2016; without prefetches
 * and the hash that makes the lines of OPTgen shorter. */
#include "sim/module.h"

#define POLICY "hawkeye"
#define POLICY_INIT 1
#define POLICY_WAY_STATE struct line
#define WANTS_PC 1

struct line {
    uint16_t by;  /* the instruction that referred to it last */
    uint8_t rrip; /* 0 to 7 */
};

#define POLICY_WAY_SHOWS "RRIP"
#define policy_show_way(set, way) way_state(set, way).rrip

enum { INSTRUCTION_BITS = 13, COUNTER_MAX = 7, FRIENDLY = 4, AVERSE_RRIP = 7, OLDEST_RRIP = 6, SAMPLED_SETS = 64, HISTORY = 8 };

struct reference {
    uint64_t line;
    uint32_t held; /* lines that OPTgen holds from here to the next reference */
    uint16_t by;
};

struct sample {
    struct reference *ring; /* that at time t is ring[t % window] */
    uint64_t time;          /* of the next reference */
};

static uint8_t counters[1 << INSTRUCTION_BITS];
static struct sample *samples;
static uint32_t window, sampled_every; /* references of a sample; one set in so many is sampled */

static const char *policy_init(void)
{
    uint32_t n = sim.sets < SAMPLED_SETS ? sim.sets : SAMPLED_SETS;

    memset(counters, FRIENDLY, sizeof counters);
    sampled_every = sim.sets / n;
    window = HISTORY * sim.ways;
    samples = sim_alloc(n * sizeof *samples);
    for (uint32_t i = 0; i < n; i++)
        samples[i].ring = sim_alloc(window * sizeof *samples[i].ring);
    return NULL;
}

static uint16_t instruction(void) { return (uint16_t)((sim_pc ^ sim_pc >> INSTRUCTION_BITS) & ((1 << INSTRUCTION_BITS) - 1)); }

static void train(uint16_t by, bool up)
{
    if (up)
        counters[by] += counters[by] < COUNTER_MAX;
    else
        counters[by] -= counters[by] > 0;
}

/* Would the optimal policy have held the line from `since` until now?  Then it holds it. */
static bool optgen(struct sample *s, uint64_t since)
{
    for (uint64_t t = since; t < s->time; t++)
        if (s->ring[t % window].held >= sim.ways)
            return false;
    for (uint64_t t = since; t < s->time; t++)
        s->ring[t % window].held++;
    return true;
}

/* A reference to a sampled set; its last reference in the window trains the instruction that made it. */
static void sample(struct sample *s, uint16_t by)
{
    uint64_t oldest = s->time < window ? 0 : s->time - window;

    for (uint64_t t = s->time; t-- > oldest;)
        if (s->ring[t % window].line == sim_line) {
            train(s->ring[t % window].by, optgen(s, t));
            break;
        }
    s->ring[s->time++ % window] = (struct reference){.line = sim_line, .by = by};
}

static void refer(unsigned set, unsigned way, bool miss)
{
    uint16_t by = instruction();
    bool friendly;

    if (set % sampled_every == 0 && set / sampled_every < SAMPLED_SETS)
        sample(&samples[set / sampled_every], by);
    friendly = counters[by] >= FRIENDLY;
    for (unsigned other = 0; miss && friendly && other < sim.ways; other++)
        if (way_state(set, other).rrip < OLDEST_RRIP)
            way_state(set, other).rrip++;
    way_state(set, way) = (struct line){by, friendly ? 0 : AVERSE_RRIP};
}

static void policy_hit(unsigned set, unsigned way) { refer(set, way, false); }
static void policy_fill(unsigned set, unsigned way) { refer(set, way, true); }

static bool policy_settled(unsigned set, unsigned way)
{
    (void)set, (void)way;
    return false;
}

static unsigned policy_victim(unsigned set)
{
    unsigned victim = 0;

    for (unsigned way = 1; way < sim.ways; way++)
        if (way_state(set, way).rrip > way_state(set, victim).rrip)
            victim = way;
    if (way_state(set, victim).rrip < AVERSE_RRIP)
        train(way_state(set, victim).by, false);
    return victim;
}
