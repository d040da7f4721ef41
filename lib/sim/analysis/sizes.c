/* analysis/sizes.c - the misses of D1s of other sizes with the same ways and line size: the result of a sweep of D1.size in one execution.
 *
 *   AN: misses of D1s by size, 2 ways, lines of 64 bytes: reads, writes
 *   AN: 512 bytes: 4811 904
 *   AN: 1024 bytes: 1207 311
 *
 * Slot AN.  Each size has twice the sets of the one before.  All are least recently used, whatever the D1 is.  Options: smaller=5, larger=4:
 * the numbers of times that the size of the D1 is halved (while one set is left) and doubled.
 *
 * A cache with twice the sets and the same ways holds all lines of the smaller one; in each of its sets, these are the lines used last.  So a
 * hit in a smaller cache is a hit in all larger ones.  It only changes the order of lines that the smaller one holds, too.  That order matters
 * only when the smaller cache evicts one of these lines, and then it is known: the line was used later than all lines of its set in the
 * larger cache that the smaller one does not hold.  So each size only sees the fills and the victims of the next smaller size:
 *
 *   256 fills B, victim A   ->   512: a hit on B    B now is in 256, A returns; nothing changes in larger sizes
 *                                512: a miss        A returns, the oldest line of B's set is the victim: 1024 sees B and this victim
 *
 * The smallest size sees the lines that become near and those that are no longer near (analysis_far): the near lines are the content of a cache
 * of one set with no more ways.  A reference to several lines is a miss if one of them misses.
 * Source: inclusion: R. L. Mattson et al., Evaluation techniques for storage hierarchies, IBM Systems Journal 9(2), 1970; set refinement, and
 * that it implies inclusion here: M. D. Hill, A. J. Smith, Evaluating associativity in CPU caches, IEEE Trans. Computers 38(12), 1989; that a
 * smaller cache may filter what a larger one is told: T. R. Puzak, Analysis of cache replacement algorithms, University of Massachusetts, 1985. */
#include "sim/module.h"

#define ANALYSIS "sizes"
#define ANALYSIS_FAR 1
#define WANTS_PC 1
#define SIZES_MAX 24u
#define LEAST_ROOM 8u
#define STEPS_MAX 12
#define BYTES_MAX (1ull << 31)

/* A set: the lines that the next smaller size does not hold are in a ring, the latest at `head`; free elements are SIM_NO_LINE. */
struct set {
    uint16_t all, held; /* lines that this size holds in the set; those of them in the ring */
    uint32_t head;
};

struct cache {
    uint64_t *rings;
    struct set *sets;
    uint32_t set_mask;
};

static struct cache caches[SIZES_MAX];
static unsigned n_sizes;
static uint32_t ways, room, line_bits; /* room: the size of a ring, a power of two */
static uint64_t *missed[2];   /* reads, writes: references by the number of sizes that they missed */
static unsigned worst;        /* of this reference: the largest number of sizes that a line of it has missed */
static uint64_t latest = SIM_NO_LINE; /* without analysis_far: the only near line */

static bool analysis_wants_far(const struct sim_config *c) { return c->near <= c->ways; }

static void add_size(uint32_t sets)
{
    struct cache *c = &caches[n_sizes++];

    *c = (struct cache){.set_mask = sets - 1, .rings = sim_alloc((uint64_t)sets * room * sizeof *c->rings),
                        .sets = sim_alloc(sets * sizeof *c->sets)};
    for (uint64_t i = 0; i < (uint64_t)sets * room; i++)
        c->rings[i] = SIM_NO_LINE;
}

/* A reference that misses more than i sizes misses size i. */
static void declare(uint64_t first_size)
{
    sim_row(NULL, 0, "%s: misses of D1s by size, %u ways, lines of %u bytes: reads, writes", sim.slot, ways, 1u << line_bits);
    for (unsigned i = 0; i < n_sizes; i++) {
        struct sim_term terms[2];

        for (unsigned w = 0; w < 2; w++)
            terms[w] = (struct sim_term){.cells = missed[w] + i + 1, .n = n_sizes - i, .times = 1};
        sim_row(terms, 2, "%s: %U bytes: %%U %%U", sim.slot, first_size << i);
    }
}

static void analysis_init(const struct sim_config *c)
{
    uint64_t smaller = sim_option_within(c->slot, ANALYSIS, "smaller", 5, 0, STEPS_MAX - 1);
    uint64_t larger = sim_option_within(c->slot, ANALYSIS, "larger", 4, 0, STEPS_MAX - 1);
    uint64_t sets = c->sets, size = c->size;

    if (c->ways > UINT16_MAX)
        sim_fail(c->slot, ANALYSIS, "analysis_init", 0, "a D1 of more than 65535 ways");
    ways = c->ways;
    line_bits = c->line_bits;
    for (room = LEAST_ROOM; room < ways; room *= 2)
        continue;
    for (; smaller && sets > 1; smaller--, sets /= 2, size /= 2)
        continue;
    for (uint64_t s = sets, bytes = size; bytes <= (uint64_t)c->size << larger && bytes <= BYTES_MAX; s *= 2, bytes *= 2)
        add_size((uint32_t)s);
    for (unsigned w = 0; w < 2; w++)
        missed[w] = sim_cells(n_sizes + 1);
    declare(size);
}

/* ---- one size ----
 *
 * No jump depends on the number of lines in a ring, because the processor could not predict it.  `n` is the room, a constant for the usual
 * size. */

#define SIZES_INLINE static inline __attribute__((always_inline))

SIZES_INLINE struct set *set_of(const struct cache *c, uint64_t line, uint32_t n, uint64_t **ring)
{
    uint32_t set = (uint32_t)(line >> line_bits) & c->set_mask;

    *ring = c->rings + (uint64_t)set * n;
    return &c->sets[set];
}

/* The index of the line in the ring; n: it is not in it. */
SIZES_INLINE uint32_t find(const uint64_t *ring, uint64_t line, uint32_t n)
{
    for (uint32_t at = 0; at < n; at += LEAST_ROOM) {
        uint32_t found = 0;

#pragma GCC unroll 8
        for (uint32_t k = 0; k < LEAST_ROOM; k++)
            found |= (uint32_t)(ring[at + k] == line) << k;
        if (found)
            return at + (uint32_t)__builtin_ctz(found);
    }
    return n;
}

/* Removes the line at index `at`, which the next smaller size has filled.  Lines used before it move up. */
static void take_out(struct set *s, uint64_t *ring, uint32_t at, uint32_t n)
{
    uint32_t last = (s->head + --s->held) & (n - 1);

    for (uint32_t next; at != last; at = next) {
        next = (at + 1) & (n - 1);
        ring[at] = ring[next];
    }
    ring[last] = SIM_NO_LINE;
}

/* Adds the line that the next smaller size has evicted.  It becomes the latest of its ring. */
SIZES_INLINE void come_back(const struct cache *c, uint64_t line, uint32_t n)
{
    uint64_t *ring;
    struct set *s = set_of(c, line, n, &ring), was = *s;

    was.held++;
    was.head = (was.head - 1) & (n - 1);
    *s = was;
    ring[was.head] = line;
}

/* Counts one more line in the set.  If it has more lines than ways, returns the victim: the oldest in the ring, or `left` if that is empty. */
SIZES_INLINE uint64_t give_up(struct set *s, uint64_t *ring, uint64_t left, uint32_t n)
{
    struct set was = *s;
    uint32_t last;
    uint64_t line;

    if (was.all < ways) {
        s->all++;
        return SIM_NO_LINE;
    }
    if (!was.held)
        return left;
    last = (was.head + --was.held) & (n - 1);
    *s = was;
    line = ring[last];
    ring[last] = SIM_NO_LINE;
    return line;
}

/* The next smaller size has filled `line` and evicted *left, or SIM_NO_LINE.  Returns true on a hit in this size.  On a miss, *left becomes the
 * victim of this size; it does not depend on the victim of the smaller size, so the processor can overlap the work for all sizes. */
SIZES_INLINE bool exchange(const struct cache *c, uint64_t line, uint64_t *left, uint32_t n)
{
    uint64_t *ring, leaves = SIM_NO_LINE;
    struct set *s = set_of(c, line, n, &ring);
    uint32_t at = find(ring, line, n);

    if (at < n)
        take_out(s, ring, at, n);
    else
        leaves = give_up(s, ring, *left, n);
    if (*left != SIM_NO_LINE && *left != leaves)
        come_back(c, *left, n);
    *left = leaves;
    return at < n;
}

/* ---- references ---- */

/* The number of sizes that miss the line. */
SIZES_INLINE unsigned go_through(uint64_t line, uint64_t left, uint32_t n)
{
    unsigned i = 0;

    while (i < n_sizes && !exchange(&caches[i], line, &left, n))
        i++;
    return i;
}

/* more: the line is a further line of the same reference. */
static void touch(uint64_t line, uint64_t left, bool write, bool more)
{
    unsigned i = room == LEAST_ROOM ? go_through(line, left, LEAST_ROOM) : go_through(line, left, room);

    if (more && i <= worst)
        return;
    if (more)
        missed[write][worst]--;
    missed[write][i]++;
    worst = i;
}

static void analysis_far(const struct sim_far *f) { touch(f->line, f->left, f->kind == SIM_WRITE, f->more); }

static void analysis_ref(const struct sim_ref *ref)
{
    uint64_t number = ref->addr >> line_bits, last = (ref->addr + ref->size - 1) >> line_bits;
    bool more = false;

    if (ref->kind > SIM_MODIFY)
        return;
    for (; number <= last; number++) {
        uint64_t line = number << line_bits;

        if (line == latest)
            continue;
        touch(line, latest, ref->kind == SIM_WRITE, more);
        latest = line;
        more = true;
    }
}

static void analysis_finish(void) {}
