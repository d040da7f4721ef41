/* analysis/sizes.c - misses of D1s of other sizes, with the ways and the lines of this one: what a sweep of D1.size says, from one execution.
 *
 *   AN: misses of D1s by size, 2 ways, lines of 64 bytes: reads, writes
 *   AN: 512 bytes: 4811 904
 *   AN: 1024 bytes: 1207 311
 *
 * Slot AN.  Each size has twice the sets of the one before, and is least recently used, whatever the D1 is.  Options: smaller=5, larger=4: so
 * many times the D1 is halved (as long as one set is left) and doubled.
 *
 * A cache of twice the sets and as many ways holds all lines that the smaller one holds, and of each of its sets these are the lines used
 * last.  So what a smaller one hits is a hit in all larger ones, and changes nothing in them but the order of lines that the smaller one
 * holds, too; that order counts only when one of them leaves the smaller one, and then it is known: the line was used after all others of
 * its set that the smaller one does not hold.  Each size therefore is only told what came into the one below, and what left it:
 *
 *   B comes, A leaves   ->   512: has B     it goes to 256, A comes back; nothing for larger ones to do
 *                            512: not B     A comes back, the oldest line of B's set leaves: told to 1024
 *
 * The first size is told by lines that come near and leave (analysis_far): those are the lines of a cache of one set with no more ways.
 * A reference to several lines is a miss if one of them is.
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

/* A set: the lines that the size below does not hold are in a ring, the latest at `head`; free places have SIM_NO_LINE. */
struct set {
    uint16_t all, held; /* lines of this set that this size holds; of these those in the ring */
    uint32_t head;
};

struct cache {
    uint64_t *rings;
    struct set *sets;
    uint32_t set_mask;
};

static struct cache caches[SIZES_MAX];
static unsigned n_sizes;
static uint32_t ways, room, line_bits; /* room: of a ring, a power of two */
static uint64_t *missed[2];   /* reads, writes: references that missed so many sizes */
static unsigned worst;        /* of this reference: sizes that its lines have missed so far */
static uint64_t latest = SIM_NO_LINE; /* where nobody tells who is near: the line that is */

static bool analysis_wants_far(const struct sim_config *c) { return c->near <= c->ways; }

static void add_size(uint32_t sets)
{
    struct cache *c = &caches[n_sizes++];

    *c = (struct cache){.set_mask = sets - 1, .rings = sim_alloc((uint64_t)sets * room * sizeof *c->rings),
                        .sets = sim_alloc(sets * sizeof *c->sets)};
    for (uint64_t i = 0; i < (uint64_t)sets * room; i++)
        c->rings[i] = SIM_NO_LINE;
}

/* What misses more than i sizes misses size i. */
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
 * Without jumps that depend on how many lines a ring holds: nobody could predict them.  `n` is the room, a constant where it is usual. */

#define SIZES_INLINE static inline __attribute__((always_inline))

SIZES_INLINE struct set *set_of(const struct cache *c, uint64_t line, uint32_t n, uint64_t **ring)
{
    uint32_t set = (uint32_t)(line >> line_bits) & c->set_mask;

    *ring = c->rings + (uint64_t)set * n;
    return &c->sets[set];
}

/* The place of the line; n: it is not there. */
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

/* It goes to the size below; those used before it move up. */
static void take_out(struct set *s, uint64_t *ring, uint32_t at, uint32_t n)
{
    uint32_t last = (s->head + --s->held) & (n - 1);

    for (uint32_t next; at != last; at = next) {
        next = (at + 1) & (n - 1);
        ring[at] = ring[next];
    }
    ring[last] = SIM_NO_LINE;
}

/* It has left the size below, in which it was the one used last of all that are not there any more. */
SIZES_INLINE void come_back(const struct cache *c, uint64_t line, uint32_t n)
{
    uint64_t *ring;
    struct set *s = set_of(c, line, n, &ring), was = *s;

    was.held++;
    was.head = (was.head - 1) & (n - 1);
    *s = was;
    ring[was.head] = line;
}

/* One more line is in the set, in the size below.  The oldest leaves this size if there are too many: `left`, if none is in the ring. */
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

/* The line comes into the size below, and *left, or SIM_NO_LINE, leaves that.  Is it a hit?  Else *left leaves this size: which line that is
 * does not depend on what left the size below, so the processor need not wait from size to size. */
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

/* How many sizes miss the line. */
SIZES_INLINE unsigned go_through(uint64_t line, uint64_t left, uint32_t n)
{
    unsigned i = 0;

    while (i < n_sizes && !exchange(&caches[i], line, &left, n))
        i++;
    return i;
}

/* `more`: of the reference whose line was told before. */
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
