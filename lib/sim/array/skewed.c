/* array/skewed.c - a skewed-associative cache: each way has an index function of its own, so lines that share a place in one way rarely
 * share one in another.
 *
 * The line number's lowest index bits are L, the next higher ones H. In way i the line's place is L xor H rotated by i bits. Two ways of four
 * places; in both the lines A, B and C are those whose L xor H is 0, so a common cache of two ways could not hold all three:
 *
 *            L   H    way 0   way 1
 *   A       00  00      0       0
 *   B       01  01      0       3      01 xor 10
 *   C       10  10      0       3      10 xor 01
 *
 *   A        misses      A . . . | . . . .
 *   B        misses      A . . . | . . . B      all places of B are used now: the bit of A is cleared
 *   C        misses      C . . . | . . . B      takes the place of the one whose bit is clear
 *   A        misses      C . . . | A . . .      its place in way 1 is free
 *
 * The rules, with the sections of the paper:
 *   index functions (3)  those of the later paper on four ways: way i rotates by i bits; more ways than index bits repeat them
 *   replacement (3.4)    each line has a bit that says that it was used. A free place is filled first; else one of the line's places whose bit is clear
 *                        is drawn, or one of all if none is clear. When the bits of all the line's places are set, all but its own are cleared
 * Otherwise than published: for two ways the paper has one bit for both banks; here, as for more ways, each line has one.
 *
 * In slot D1 each reference is a call, since any reference may clear any line's bit.
 *
 * Storage: one bit per line more than tags and data; no order within a set.
 * Source: A. Seznec, A case for two-way skewed-associative caches, ISCA 1993; F. Bodin, A. Seznec, Skewed associativity improves program
 * performance and enhances predictability, IEEE Transactions on Computers 46(5), 1997. */
#include "sim/lines.h"

#define LEVEL "skewed"
#define LEVEL_DROP 1

struct place {
    uint64_t line; /* LINES_NONE: free */
    bool used;
};

static struct place *places; /* way by way */
static unsigned index_bits;

static void cachesim_X_initcache(const struct sim_config *c)
{
    if (!qn_is_pow2(c->sets))
        sim_fail(c->slot, LEVEL, "sets", 0, "must be a power of two");
    while (1u << index_bits < c->sets)
        index_bits++;
    places = sim_alloc((uint64_t)c->sets * c->ways * sizeof *places);
    for (uint64_t i = 0; i < (uint64_t)c->sets * c->ways; i++)
        places[i].line = LINES_NONE;
}

static uint64_t rotated(uint64_t bits, unsigned by) { return by ? (bits << by | bits >> (index_bits - by)) & (sim.sets - 1) : bits; }

/* The place of the line in this way. */
static struct place *place_of(uint64_t line, unsigned way)
{
    uint64_t number = line >> sim.line_bits, low = number & (sim.sets - 1), high = number >> index_bits & (sim.sets - 1);

    return &places[(uint64_t)way * sim.sets + (low ^ rotated(high, index_bits ? way % index_bits : 0))];
}

static struct place *find(uint64_t line)
{
    for (unsigned way = 0; way < sim.ways; way++)
        if (place_of(line, way)->line == line)
            return place_of(line, way);
    return NULL;
}

static struct place *choose(uint64_t line)
{
    unsigned clear = 0, drawn;

    for (unsigned way = 0; way < sim.ways; way++) {
        if (place_of(line, way)->line == LINES_NONE)
            return place_of(line, way);
        clear += !place_of(line, way)->used;
    }
    drawn = sim_random(clear ? clear : sim.ways);
    for (unsigned way = 0;; way++)
        if ((!clear || !place_of(line, way)->used) && drawn-- == 0)
            return place_of(line, way);
}

/* The line in `own` was referenced. */
static void use(struct place *own)
{
    own->used = true;
    for (unsigned way = 0; way < sim.ways; way++)
        if (!place_of(own->line, way)->used)
            return;
    for (unsigned way = 0; way < sim.ways; way++)
        place_of(own->line, way)->used = place_of(own->line, way) == own;
}

static void cachesim_X_drop(uint64_t line)
{
    struct place *p = find(line);

    if (p)
        *p = (struct place){LINES_NONE, false};
}

static void cachesim_X_doref(uint64_t addr, uint32_t size, enum sim_kind kind, struct sim_result *result)
{
    (void)kind;
    LINES_OF(line, addr, size) {
        struct place *p = find(line);

        if (!p) {
            result->miss = true;
            p = choose(line);
            p->line = line;
        }
        use(p);
    }
}
