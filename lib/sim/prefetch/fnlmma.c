/* prefetch/fnlmma.c - footprint next line and multiple miss ahead, for instructions: the next lines that were worth it lately, and the miss that came
 * nine misses after this one the last two times.
 *
 * All happens at misses of a shadow cache, tags of 64 sets of 3 lines, which nothing is prefetched into. A bit says that a line was touched, a counter
 * that the one behind it is worth prefetching:
 *
 *   A misses, then A+1       A was touched: A+1 is worth it when A is used, from now on for at least three rounds
 *   later A misses           A+1 is prefetched; so are A+2 ... up to A+5, as long as each is worth it when the one before it is used
 *   B, eight other misses, C and the same again      C is prefetched at B's third miss, with C's next lines that are worth it
 *
 * The rules:
 *   footprint       the counter is 3 when the line behind misses while the bit is set. At each shadow miss, of 8 lines in turn those with the bit lose
 *                   it, and one from the counter
 *   next lines      none if this line was predicted at the last 17 shadow misses; only the fifth if the line before it was one whose next lines were
 *                   looked at lately: 32 sets of 4, first in first out
 *   miss ahead      four skewed ways by instruction / 4; a bit: the same line came twice. Learnt when the cache misses, unless the line is behind the
 *                   last shadow miss. A new entry takes one without the bit, the first one is drawn; else one in four loses it
 *   its prefetch    unless it was predicted at the last 17 shadow misses, or is in the shadow cache
 * What it cannot show: that nine misses ahead is in time. A fetch over two lines counts as one of each.
 *
 * Options: `fnl-lines` (5), `fnl-bits` (16), of the index, `mma-bits` (11), `mma-ahead` (8), misses between.
 * Storage: 192 * (15 + 2) + 65536 * 3 + 13 + 128 * 15 + 32 * 2 + 4 * 2048 * (12 + 58 + 1) + 9 * 62 + 17 * 58 = 785,045, and one bit per line.
 * Source: A. Seznec, The FNL+MMA instruction cache prefetcher, First Instruction Prefetching Championship, 2020; rules of the code handed in. */
#include "sim/module.h"

#define PREFETCHER "fnlmma"
#define PREFETCHER_INIT 1
#define PREFETCHER_SEES_HITS 1

enum { SHADOW_SETS = 64, SHADOW_WAYS = 3, LATELY_SETS = 32, LATELY_WAYS = 4, TAG_MASK = 0x7fff, MISS_TAG_MASK = 0xfff, WAYS = 4, WORTH_MAX = 3,
       PREDICTED = 17, AHEAD_MAX = 40, ROUND = 8192 /* shadow misses */ };

static uint64_t lines_max, ahead, footprints, way_bits, reset; /* footprints: lines that the tables have */
static uint8_t *worth, *touched;
static struct miss {
    uint64_t line;
    uint16_t tag;
    bool twice;
} *ways;
/* Rows, the newest first: tags; lines, 0: none; addresses / 4 of the last shadow misses. */
static uint64_t shadow[SHADOW_SETS][SHADOW_WAYS], lately[LATELY_SETS][LATELY_WAYS], predicted[PREDICTED], misses[AHEAD_MAX + 1];

static void prefetcher_init(const struct sim_config *c)
{
    lines_max = sim_option_within(c->slot, PREFETCHER, "fnl-lines", 5, 0, 64);
    footprints = 1ull << sim_option_within(c->slot, PREFETCHER, "fnl-bits", 16, 13, 24);
    way_bits = sim_option_within(c->slot, PREFETCHER, "mma-bits", 11, 3, 24);
    ahead = sim_option_within(c->slot, PREFETCHER, "mma-ahead", 8, 0, AHEAD_MAX);
    worth = sim_alloc(footprints);
    touched = sim_alloc(footprints);
    ways = sim_alloc((WAYS << way_bits) * sizeof *ways);
}

static unsigned find(const uint64_t *row, unsigned n, uint64_t value)
{
    for (unsigned at = 0; at < n; at++)
        if (row[at] == value)
            return at;
    return n;
}

/* The value becomes the newest; what was at `at` leaves. */
static void to_front(uint64_t *row, unsigned at, uint64_t value)
{
    for (; at > 0; at--)
        row[at] = row[at - 1];
    row[0] = value;
}

static unsigned in_shadow(uint64_t line) { return find(shadow[line % SHADOW_SETS], SHADOW_WAYS, line / SHADOW_SETS & TAG_MASK); }
static bool was_predicted(uint64_t line) { return find(predicted, PREDICTED, line) < PREDICTED; }

static void next_lines(uint64_t line, bool prefetches)
{
    uint64_t before = line - 1;
    bool all = find(lately[before % LATELY_SETS], LATELY_WAYS, before / LATELY_SETS & TAG_MASK) == LATELY_WAYS;

    for (uint64_t i = 1; prefetches && i <= lines_max && worth[(line + i - 1) % footprints]; i++)
        if (all || i == lines_max)
            sim_prefetch((line + i) << sim.line_bits);
    if (worth[line % footprints])
        to_front(lately[line % LATELY_SETS], LATELY_WAYS - 1, line / LATELY_SETS & TAG_MASK);
}

/* The entry of this address in each way; returns the last way that has its tag, -1 if none. */
static int look_ahead(uint64_t address, struct miss *at[WAYS])
{
    uint64_t size = 1ull << way_bits, low = address % size, high = address / size;
    int found = -1;

    for (int way = 0; way < WAYS; way++, low = low >> 3 | low % 8 << (way_bits - 3)) {
        at[way] = &ways[(uint64_t)way * size + (low ^ high % size)];
        if (at[way]->tag == (high & MISS_TAG_MASK))
            found = way;
    }
    return found;
}

static void learn_ahead(uint64_t line, uint64_t address)
{
    struct miss *at[WAYS];
    int found = look_ahead(address, at), way = 0, drawn = found >= 0 ? found : (int)sim_random(WAYS);

    if (found >= 0) {
        *at[found] = (struct miss){line, at[found]->tag, at[found]->line == line};
        return;
    }
    while (way < WAYS && at[(drawn + way) % WAYS]->twice)
        way++;
    if (way < WAYS)
        *at[(drawn + way) % WAYS] = (struct miss){line, (uint16_t)(address >> way_bits & MISS_TAG_MASK), false};
    else if (!sim_random(WAYS))
        at[drawn]->twice = false;
}

static void line_used(uint64_t line, uint64_t address, bool miss)
{
    uint64_t to = 0, place = line % footprints, before = (line - 1) % footprints;
    unsigned way = in_shadow(line);
    struct miss *at[WAYS];
    int found;

    to_front(shadow[line % SHADOW_SETS], way < SHADOW_WAYS ? way : SHADOW_WAYS - 1, line / SHADOW_SETS & TAG_MASK);
    if (way < SHADOW_WAYS)
        return;
    touched[place] = 1;
    worth[before] = touched[before] ? WORTH_MAX : worth[before];
    for (uint64_t n = footprints / ROUND; n > 0; n--, reset = (reset + 1) % footprints) {
        worth[reset] -= touched[reset] && worth[reset];
        touched[reset] = 0;
    }
    next_lines(line, !was_predicted(line));
    found = look_ahead(address, at);
    if (found >= 0 && at[found]->twice && !was_predicted(at[found]->line) && in_shadow(at[found]->line) == SHADOW_WAYS) {
        to = at[found]->line;
        sim_prefetch(to << sim.line_bits);
        next_lines(to, true);
    }
    if (miss && (!lines_max || line != (misses[0] << 2 >> sim.line_bits) + 1))
        learn_ahead(line, misses[ahead]);
    to_front(misses, AHEAD_MAX, address);
    to_front(predicted, PREDICTED - 1, to);
}

static void prefetcher_ref(uint64_t addr, uint32_t size, enum sim_kind kind, bool miss)
{
    (void)kind;
    for (uint64_t line = addr >> sim.line_bits; line <= (addr + size - 1) >> sim.line_bits; line++)
        line_used(line, (line << sim.line_bits < addr ? addr : line << sim.line_bits) >> 2, miss);
}
