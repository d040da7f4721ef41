/* policy/eaf.c - evicted-address filter: a line that comes back soon after its eviction is put last, any other becomes the next victim.
 *
 * A Bloom filter knows the lines that were evicted lately. A missing line that is in it left too early: it is put last in the order of
 * use, as with lru. Any other is put first, so that it is the next victim unless it is used before, and last one time in 64. One set of
 * four ways, the number is the place in the order:
 *
 *   ABCD    A-1 B-2 C-3 D-4      not known
 *   E       A-1 B-2 C-3 E-5      D was first, and is in the filter now
 *   D       A-1 B-2 C-3 D1*      D comes back: last; E is in the filter
 *
 * When as many lines have been put into the filter as the cache has, it is emptied. The filter has 8 bits for each line of the cache; a
 * line has four bits in it, which a multiplicative hash of its number chooses (the paper draws functions at random).
 * A line that an inclusive last level takes away counts as evicted when its place is filled.
 *
 * Storage: that of lru, and for each line of the cache 8 bits of the filter; a counter of filled lines, log2(lines) bits.
 * Source: V. Seshadri, O. Mutlu, M. A. Kozuch, T. C. Mowry, The evicted-address filter: a unified mechanism to address both cache
 * pollution and thrashing, PACT 2012: EAF-cache without set duelling. */
#include "sim/module.h"

#define POLICY "eaf"
#define POLICY_INIT 1
#define POLICY_WAY_STATE struct line

struct line {
    int64_t order;
    uint64_t number; /* of the line + 1, 0 = none yet */
};

#define ORDER(set, way) way_state(set, way).order
#include "sim/policy/order.h"

enum { BITS_PER_LINE = 8, HASHES = 4, BIP_PERIOD = 64 };

static uint64_t lines, bits, entered; /* bits: of the filter, a power of two; entered: lines since it was empty */
static uint64_t *filter;

static const char *policy_init(void)
{
    lines = (uint64_t)sim.sets * sim.ways;
    for (bits = 64; bits < lines * BITS_PER_LINE;)
        bits *= 2;
    filter = sim_alloc(bits / 8);
    return NULL;
}

/* The i-th bit of a line: of a product with an odd number, from bit 32 up. */
static uint64_t bit_of(uint64_t number, unsigned i)
{
    static const uint64_t factors[HASHES] = {0x9e3779b97f4a7c15, 0xbf58476d1ce4e5b9, 0x94d049bb133111eb, 0xd6e8feb86659fd93};

    return number * factors[i] >> 32 & (bits - 1);
}

static bool filter_has(uint64_t number)
{
    for (unsigned i = 0; i < HASHES; i++)
        if (!(filter[bit_of(number, i) / 64] >> bit_of(number, i) % 64 & 1))
            return false;
    return true;
}

static void filter_add(uint64_t number)
{
    for (unsigned i = 0; i < HASHES; i++)
        filter[bit_of(number, i) / 64] |= 1ull << bit_of(number, i) % 64;
    if (++entered < lines)
        return;
    memset(filter, 0, bits / 8);
    entered = 0;
}

static void policy_fill(unsigned set, unsigned way)
{
    uint64_t number = (sim_line >> sim.line_bits) + 1, evicted = way_state(set, way).number;
    bool came_back = filter_has(number);

    if (evicted)
        filter_add(evicted);
    way_state(set, way).number = number;
    if (came_back || sim_random(BIP_PERIOD) == 0)
        order_last(set, way);
    else
        order_first(set, way);
}
