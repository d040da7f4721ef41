/* prefetch/berti.c - local deltas: for each instruction, the distances between its lines that cover most of its misses are prefetched.
 *
 * When an instruction misses, the distance, delta, from each line at which it missed before would have prefetched this line there. Deltas are counted
 * by instruction; what covers more than 65% of 16 misses is prefetched: at a miss on line X, lines X + delta. Of an instruction by 1, 3, 1, 3 lines:
 *
 *   misses at 0 1 4 5 8 9 12 13 16     at 16 the deltas are, the latest line first, 3 4 7 8 11 12 15 16
 *   after 32 misses                    4, 8, 12 and 16 cover all of 16: at 64 lines 68, 72, 76, 80 are prefetched, and 65, 67, 69 ... into
 *                                      the next level, since 1, 3, 5 ... cover half of them
 *
 * The rules:
 *   history         8 sets of 16, first in first out, by instruction: tag, line, when. Entered at a miss, and at the first use of a prefetched line
 *   which deltas    before that: to up to 8 of its lines, the latest first, that are old enough; a second visit to a line ends the search
 *   how good        16 instructions, first in first out, with 16 deltas each, of 12 bits and sign. After 16 searches that found something each delta
 *                   is judged by its count: above 65% D1, 50% next level, 35% next level and replaceable; else it is not used
 *   replacement     a new delta takes the place of the one with the lowest count that is not used, else that is replaceable; else it is dropped
 *   prefetches      12 at most, those for the D1 first; if no delta is used, from 8 searches on above 80% D1, 35% next level
 * What it cannot show: time. There a delta counts if it would have been in time, by the latency measured for the line, and with 70% of the miss
 * registers busy all goes to the next level. Here, what is old enough is an option, in misses and first uses.
 * Otherwise than published: hits on lines that were used before prefetch nothing; whether a line for the next level is in the D1 is not asked.
 *
 * Options: `berti-latency` (0). Events: `next-prefetches`, into the next level.
 * Storage: 128 * (7 + 24 + 16 + 1) + 8 * 4 + 16 * (10 + 1 + 4 + 16 * (13 + 4 + 2)) + 4 = 11,284, and one bit per line.
 * Source: A. Navarro-Torres, B. Panda, J. Alastruey-Benedé, P. Ibáñez, V. Viñals-Yúfera, A. Ros, Berti: an accurate local-delta data prefetcher,
 * MICRO 2022; numbers and order are those of the authors' artifact. */
#include "sim/module.h"

#define PREFETCHER "berti"
#define PREFETCHER_INIT 1
#define WANTS_PC 1

enum { SETS = 8, WAYS = 16, BY_BITS = 10, LINE_BITS = 24, DELTA_MAX = 1 << 12, FOUND_MAX = 8, INSTRUCTIONS = 16, DELTAS = 16, ISSUED_MAX = 12,
       PHASE = 16, COUNT_MAX = 15, EARLY = 8 /* of searches */ };
enum use { UNUSED, D1, NEXT, REPLACEABLE };

static struct past {
    uint64_t when; /* 0: free; the number of the call */
    uint32_t by, line;
} history[SETS][WAYS];
static unsigned oldest[SETS]; /* modulo WAYS */
static struct instruction {
    unsigned by, searches;
    bool filled;
    struct delta {
        int by; /* lines; 0: none */
        unsigned count;
        enum use use;
    } deltas[DELTAS];
} instructions[INSTRUCTIONS];
static unsigned next_instruction, next_prefetches;
static uint64_t now, latency;
#define EACH(d, i) struct delta *d = (i)->deltas; d < (i)->deltas + DELTAS; d++

static void prefetcher_init(const struct sim_config *c)
{
    latency = sim_option_within(c->slot, PREFETCHER, "berti-latency", 0, 0, 1 << 16);
    next_prefetches = sim_event(c->slot, "next-prefetches", "lines prefetched into the next level");
}

static struct instruction *find(unsigned by)
{
    for (struct instruction *i = instructions; i < instructions + INSTRUCTIONS; i++)
        if (i->filled && i->by == by)
            return i;
    return NULL;
}

static enum use judge(unsigned n, unsigned D1_above, unsigned next_above, unsigned else_above)
{
    return n > D1_above ? D1 : n > next_above ? NEXT : n > else_above ? REPLACEABLE : UNUSED;
}

/* One more search for this instruction has found something. */
static void found_some(struct instruction *i)
{
    i->searches = (i->searches + 1) % PHASE;
    for (EACH(d, i))
        if (!i->searches)
            *d = (struct delta){d->by, 0, judge(100 * d->count / PHASE, 65, 50, 35)};
}

static void count(struct instruction *i, int by)
{
    struct delta *worst = NULL;

    for (EACH(d, i))
        if (d->by == by) {
            d->count += d->count < COUNT_MAX;
            return;
        }
    for (enum use use = UNUSED; use <= REPLACEABLE && !worst; use += REPLACEABLE)
        for (EACH(d, i))
            if (d->use == use && (!worst || d->count < worst->count))
                worst = d;
    if (worst)
        *worst = (struct delta){by, 1, UNUSED};
}

static struct instruction *learn(unsigned by, uint32_t line)
{
    struct past *set = history[by % SETS];
    struct instruction *i = find(by);
    uint32_t found[FOUND_MAX + 1] = {line}; /* this line first */
    unsigned n = 1, f;

    now++;
    for (unsigned k = 1; k <= WAYS && n <= FOUND_MAX; k++) {
        const struct past *p = &set[(oldest[by % SETS] + WAYS - k) % WAYS];

        if (!p->when || p->by != by || p->when + latency > now)
            continue;
        for (f = 0; f < n && found[f] != p->line;)
            f++;
        if (f < n)
            break;
        if (n == 1 && i)
            found_some(i);
        found[n++] = p->line;
        if ((int)(line - p->line) >= DELTA_MAX || (int)(line - p->line) <= -DELTA_MAX)
            continue;
        if (!i)
            *(i = &instructions[next_instruction++ % INSTRUCTIONS]) = (struct instruction){.filled = true, .by = by, .searches = 1};
        count(i, (int)(line - p->line));
    }
    set[oldest[by % SETS]++ % WAYS] = (struct past){now, by, line};
    return i;
}

static void prefetcher_ref(uint64_t addr, uint32_t size, enum sim_kind kind, bool miss)
{
    unsigned by = (unsigned)(sim_pc >> 1 ^ sim_pc >> 4) % (1 << BY_BITS), issued = 0, judged = 0;
    struct instruction *i = learn(by, (uint32_t)(addr >> sim.line_bits) % (1u << LINE_BITS));

    (void)size, (void)kind, (void)miss;
    if (!i)
        return;
    for (EACH(d, i))
        judged += d->use;
    for (enum use use = D1; use <= REPLACEABLE; use++)
        for (EACH(d, i)) {
            enum use used = judged || i->searches < EARLY ? d->use : judge(100 * d->count / i->searches, 80, 35, 100);
            uint64_t to = (addr & ~(uint64_t)(sim.line - 1)) + ((uint64_t)(int64_t)d->by << sim.line_bits);

            if (!d->by || used != use || issued++ >= ISSUED_MAX)
                continue;
            if (use == D1)
                sim_prefetch(to);
            else
                sim_next(to, sim.line, SIM_PREFETCH), sim_count(next_prefetches, 1);
        }
}
