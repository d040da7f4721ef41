/* analysis/mattson.c - stack distances of the data references: the miss ratio of every size in one pass.
 *
 * Slot AN; lines of the D1's size.  Prints a curve for fully associative LRU caches, and one for each associativity with the
 * number of sets of the D1.  Lines touched are counted, so a reference over two lines counts twice.  Sizes above 2^18 lines
 * are one class.  Options: sets (of the second curve), sizes: 0 = sizes and ways that are powers of two, N = each size up to N
 * lines, and each number of ways up to 64.  (What a run prints ends at 16 KiB, which is about 600 sizes; a replay prints all.)
 * Source: Mattson et al. 1970 (see stack.h); per set: M. D. Hill, A. J. Smith 1989 (see 3c.c). */
#include "sim/analysis/stack.h"

#define ANALYSIS "mattson"
#define DISTANCES (1u << 18)
#define WAYS_MAX 64

static struct stack stack;
static uint64_t *histogram;           /* by distance; [DISTANCES]: farther or first */
static uint64_t touches, ways_hits[WAYS_MAX];
static uint64_t sets, *order;         /* per set: its lines, newest first */
static uint64_t sizes;                /* print each up to this one; 0 = powers of two */

static void analysis_init(const struct sim_config *c)
{
    stack_init(&stack);
    histogram = sim_alloc((DISTANCES + 1ull) * 8);
    sets = sim_option_within(c->slot, ANALYSIS, "sets", c->sets, 1, 1u << 22);
    sizes = sim_option_within(c->slot, ANALYSIS, "sizes", 0, 0, DISTANCES);
    order = sim_alloc(sets * WAYS_MAX * 8);
}

/* Position of the line in its set, WAYS_MAX = not there; it moves to the front.  0 = free: lines are kept plus one. */
static void touch_set(uint64_t line)
{
    uint64_t *row = order + line % sets * WAYS_MAX;
    unsigned at = 0;

    while (at < WAYS_MAX && row[at] != line + 1)
        at++;
    if (at < WAYS_MAX)
        ways_hits[at]++;
    else
        at = WAYS_MAX - 1;
    for (; at > 0; at--)
        row[at] = row[at - 1];
    row[0] = line + 1;
}

static void analysis_ref(const struct sim_ref *ref)
{
    uint64_t line = ref->addr >> sim.line_bits, last = (ref->addr + ref->size - 1) >> sim.line_bits;

    if (ref->kind > SIM_MODIFY)
        return;
    for (; line <= last; line++) {
        uint64_t d = stack_touch(&stack, line);

        histogram[d < DISTANCES ? d : DISTANCES]++;
        touches++;
        touch_set(line);
    }
}

static bool printed(uint64_t size) { return sizes ? size <= sizes : qn_is_pow2(size); }

/* A cache of n lines hits what has a distance below n. */
static void analysis_finish(void)
{
    uint64_t hits = 0;

    sim_print("AN: %U lines touched; misses of a fully associative LRU cache:", touches);
    for (uint64_t d = 0; d < DISTANCES; d++) {
        hits += histogram[d];
        if (printed(d + 1))
            sim_print("AN: %U lines: %U", d + 1, touches - hits);
    }
    hits = 0;
    sim_print("AN: misses with %U sets:", sets);
    for (unsigned w = 0; w < WAYS_MAX; w++) {
        hits += ways_hits[w];
        if (sizes || qn_is_pow2(w + 1))
            sim_print("AN: %u ways: %U", w + 1, touches - hits);
    }
}
