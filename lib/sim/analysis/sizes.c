/* analysis/sizes.c - the misses of D1s of other sizes with the same ways and line size: the result of a sweep of D1.size in one
 * execution.
 *
 * Misses of D1s of other sizes, with the ways and lines of this one: what a sweep of `D1.size` says, from one execution and without a
 * compiler. Here the D1 has 128 bytes, two sets of one line; A and C lie in its set 0, B and D in set 1:
 *
 *   A C A C B B D A
 *   AN: misses of D1s by size, 1 ways, lines of 64 bytes: reads, writes
 *   AN: 64 bytes: 7 0           all but the second B
 *   AN: 128 bytes: 7 0          A and C evict each other
 *   AN: 256 bytes: 4 0          each has a set of its own
 *
 * Each size has twice the sets of the one before. Under LRU it then holds all lines that the smaller one holds, and of each of its
 * sets these are the lines used last. So a hit in the smaller one is a hit in all larger ones. It changes nothing there but the order
 * of lines that the smaller one holds, too. When one of these leaves the smaller one, its place in that order is known: it was used
 * after all lines of its set that the smaller one does not hold. So each cache is only told what came into the one below and what left
 * it, and costs only the misses of that one. Only every third size is kept as a cache. When it has the line, the two sizes below it
 * follow: one of half the sets has it, too, if fewer lines than ways were used since in the two sets of which it makes one. The first
 * cache is told of the uses of lines that are not recent (at most as many are as a set has ways).
 *
 * `quern plot size PROFILE.sizes.csv` draws it, and `quern report` shows it without a second execution. The caches are least recently
 * used, whatever module is in slot D1; for other policies use `quern sweep`. Misses of the LL, which depend on the D1, it does not tell.
 *
 * Options: `smaller` (5: so many times the D1 is halved, as long as a set is left) and `larger` (4: doubled), at most 11.
 * Storage: of the tool: 16 bytes for each line of every third size (of 8 at least in a set), and 24 for each set.
 * Source: inclusion: R. L. Mattson, J. Gecsei, D. R. Slutz, I. L. Traiger, Evaluation techniques for storage hierarchies, IBM Systems
 * Journal 9(2), 1970; set refinement: M. D. Hill, A. J. Smith, Evaluating associativity in CPU caches, IEEE Transactions on Computers
 * 38(12), 1989; a smaller cache as a filter for larger ones: T. R. Puzak, Analysis of cache replacement algorithms, University of
 * Massachusetts, 1985. */
#include "sim/module.h"

#define ANALYSIS "sizes"
#define ANALYSIS_RECORDS SIM_USES
#define WANTS_PC 1
#define SIZES_MAX 24u
#define PACKED 8u /* ways that a word has bytes for */
#define FIRST_ORDER 0x0706050403020100ull
#define EACH_BYTE 0x0101010101010101ull
#define STEPS_MAX 12
#define SIZES_EACH 3u /* sizes whose misses one cache decides */
#define BYTES_MAX (1ull << 31)

/* A set: the lines that the next smaller cache does not hold, the latest first.  With at most eight ways, each of them has a byte in `order`,
 * the index of its element, and a byte in `tags`, a hash of its line, so that all are compared at once.  Else the elements are in that order. */
struct set {
    uint64_t tags, order;
    uint32_t all, held; /* lines that the cache holds in the set; those of them in here */
};

/* A victim, and the time of its last use: the number of the event after which it was recent no longer.  Stamp 0: there is no victim. */
struct stamped {
    uint64_t line, stamp;
};

struct cache {
    uint64_t *elements;  /* of each set the lines, then the stamps; a free element has stamp 0 */
    struct set *sets;
    uint32_t set_mask;
    unsigned first, n; /* sizes first to first + n - 1; the last one is that of this cache */
};

static struct cache caches[SIZES_MAX];
static unsigned n_caches, n_sizes;
static uint32_t ways, room, line_bits; /* room: elements of a set */
static uint64_t now;
static uint64_t *missed[2];   /* reads, writes: missed[w][i] is the number of references that missed i sizes */

/* Lines that are recent no longer, in order, and that no line has replaced yet.  If one of them is used before, it was recent all the time. */
static uint64_t *waiting;
static uint32_t n_waiting, first_waiting;

static uint32_t analysis_recent(const struct sim_config *c) { return c->ways; }

static void add_cache(uint32_t sets, unsigned first, unsigned n)
{
    struct cache *c = &caches[n_caches++];

    *c = (struct cache){.set_mask = sets - 1, .elements = sim_alloc((uint64_t)sets * room * 2 * sizeof *c->elements),
                        .sets = sim_alloc(sets * sizeof *c->sets), .first = first, .n = n};
    for (uint32_t i = 0; i < sets; i++)
        c->sets[i].order = FIRST_ORDER;
}

/* A reference that misses more than i sizes misses size i. */
static void declare(uint64_t first_size)
{
    sim_table(sim.slot, ANALYSIS, "D1_size D1_ways D1_line status Dr D1mr Dw D1mw D1_miss_percent"); /* as rows of a sweep */
    sim_row(NULL, 0, "%s: misses of D1s by size, %u ways, lines of %u bytes: reads, writes", sim.slot, ways, 1u << line_bits);
    for (unsigned i = 0; i < n_sizes; i++) {
        const struct sim_term loads = {.times = 1, .of = SIM_SUM_LOADS}, stores = {.times = 1, .of = SIM_SUM_STORES};
        struct sim_term terms[2], row[8];

        for (unsigned w = 0; w < 2; w++)
            terms[w] = (struct sim_term){.cells = missed[w] + i + 1, .n = n_sizes - i, .times = 1};
        sim_row(terms, 2, "%s: %lu bytes: %%U %%U", sim.slot, first_size << i);
        memcpy(row, (const struct sim_term[]){loads, terms[0], stores, terms[1], terms[0], terms[1], loads, stores}, sizeof row);
        row[4].plus = row[6].plus = true;
        sim_row(row, 8, "{%lu}{%u}{%u}{ok}{%%U}{%%U}{%%U}{%%U}{%%R}", first_size << i, ways, 1u << line_bits);
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
    room = ways < PACKED ? PACKED : ways;
    for (; smaller && sets > 1; smaller--, sets /= 2, size /= 2)
        continue;
    for (uint64_t bytes = size; bytes <= (uint64_t)c->size << larger && bytes <= BYTES_MAX; bytes *= 2)
        n_sizes++;
    for (unsigned first = 0, n = (n_sizes - 1) % SIZES_EACH + 1; first < n_sizes; first += n, n = SIZES_EACH)
        add_cache((uint32_t)(sets << (first + n - 1)), first, n);
    for (unsigned w = 0; w < 2; w++)
        missed[w] = sim_cells(n_sizes + 1);
    waiting = sim_alloc(2 * ways * sizeof *waiting);
    declare(size);
}

/* ---- one set ----
 *
 * `packed` is a constant, so the usual case has code of its own.  That has no jumps that depend on how many lines the set holds, because the
 * processor would mispredict them. */

#define SIZES_INLINE static inline __attribute__((always_inline))

SIZES_INLINE uint64_t tag_of(uint64_t line) { return line * 0x9e3779b97f4a7c15ull >> 56; }

SIZES_INLINE uint32_t byte_of(uint64_t word, uint32_t i) { return (uint32_t)(word >> 8 * i) & 0xff; }

/* Bytes that are 0, and perhaps others behind one, have their high bit set: H. S. Warren, Hacker's Delight, 2002. */
SIZES_INLINE uint64_t zero_bytes(uint64_t word) { return (word - EACH_BYTE) & ~word & EACH_BYTE << 7; }

SIZES_INLINE uint32_t elements(bool packed) { return packed ? PACKED : room; }

SIZES_INLINE struct set *set_of(const struct cache *c, uint32_t number, uint64_t **lines, bool packed)
{
    *lines = c->elements + (uint64_t)number * 2 * elements(packed);
    return &c->sets[number];
}

SIZES_INLINE uint32_t element_of(const struct set *s, uint32_t i, bool packed) { return packed ? byte_of(s->order, i) : i; }

/* The line's index in the order; s->held: it is not there. */
SIZES_INLINE uint32_t find(const struct set *s, const uint64_t *lines, uint64_t line, bool packed)
{
    uint32_t i = 0;

    for (; !packed && i < s->held && lines[i] != line; i++)
        continue;
    if (!packed)
        return i;
    for (uint64_t like = zero_bytes(s->tags ^ tag_of(line) * EACH_BYTE); like; like &= like - 1) {
        i = (uint32_t)__builtin_ctzll(like) / 8;
        if (i < s->held && lines[byte_of(s->order, i)] == line)
            return i;
    }
    return s->held;
}

/* Moves byte i to the end; the bytes behind it move up. */
SIZES_INLINE uint64_t without(uint64_t word, uint32_t i)
{
    uint64_t before = ((uint64_t)1 << 8 * i) - 1;

    return (word & before) | (word >> 8 & ~before & ~(uint64_t)0 >> 8) | (uint64_t)byte_of(word, i) << 56;
}

/* Removes the line at index i; returns its stamp. */
SIZES_INLINE uint64_t take_out(struct set *s, uint64_t *lines, uint32_t i, bool packed)
{
    uint64_t *stamps = lines + elements(packed), stamp = stamps[element_of(s, i, packed)];

    s->held--;
    for (; !packed && i < s->held; i++) {
        lines[i] = lines[i + 1];
        stamps[i] = stamps[i + 1];
    }
    stamps[element_of(s, i, packed)] = 0;
    if (packed) {
        s->tags = without(s->tags, i);
        s->order = without(s->order, i);
    }
    return stamp;
}

/* Adds the victim of the next smaller cache in front: it was used later than all lines that are here. */
SIZES_INLINE void come_back(const struct cache *c, struct stamped it, bool packed)
{
    uint64_t *lines, *stamps, order;
    struct set *s = set_of(c, (uint32_t)(it.line >> line_bits) & c->set_mask, &lines, packed);

    stamps = lines + elements(packed);
    order = packed ? s->order << 8 | s->order >> 56 : 0;
    for (uint32_t i = s->held++; !packed && i; i--) {
        lines[i] = lines[i - 1];
        stamps[i] = stamps[i - 1];
    }
    if (packed) {
        s->tags = s->tags << 8 | tag_of(it.line);
        s->order = order;
    }
    lines[byte_of(order, 0)] = it.line;
    stamps[byte_of(order, 0)] = it.stamp;
}

/* The next smaller cache has one more line of the set.  The victim here is the oldest line, or `left` if none is in here. */
SIZES_INLINE struct stamped give_up(struct set *s, uint64_t *lines, struct stamped left, bool packed)
{
    uint64_t *last;

    if (s->all < ways) {
        s->all++;
        return (struct stamped){.stamp = 0};
    }
    if (!s->held)
        return left;
    s->held--;
    last = lines + element_of(s, s->held, packed);
    left = (struct stamped){.line = *last, .stamp = last[elements(packed)]};
    last[elements(packed)] = 0;
    return left;
}

/* ---- one cache ---- */

/* The number of lines of the set that were used after the stamp, which is that of a line that the next smaller cache does not hold. */
SIZES_INLINE uint32_t used_since(const struct cache *c, uint32_t number, uint64_t stamp, bool packed)
{
    uint64_t *lines;
    const struct set *s = set_of(c, number, &lines, packed);
    const uint64_t *stamps = lines + elements(packed);
    uint32_t n = s->all - s->held, end = packed ? PACKED : s->held;

#pragma GCC unroll 8
    for (uint32_t i = 0; i < end; i++)
        n += stamps[i] > stamp;
    return n;
}

/* The cache hits on the line with that stamp; `since` lines of its set were used after it.  Returns the number of sizes that miss the line. */
SIZES_INLINE unsigned smaller_sizes(const struct cache *c, uint32_t set, uint64_t stamp, uint32_t since, bool packed)
{
    for (unsigned n = 1; n < c->n; n++) {
        uint32_t sets = (c->set_mask + 1) >> n; /* of that smaller size; */
        uint32_t other = (set & (sets - 1)) | (~set & sets); /* its set has these sets of the next larger size, too */

        for (uint32_t i = other; i <= c->set_mask && since < ways; i += 2 * sets)
            since += used_since(c, i, stamp, packed);
        if (since >= ways)
            return c->first + c->n - n;
    }
    return c->first;
}

/* The next smaller cache fills the line, and *left is its victim.  On a hit: returns the number of sizes that miss the line.
 * On a miss: returns SIZES_MAX, and *left is the victim here.  It hardly depends on the smaller cache's victim, so the processor can work on
 * several caches at once. */
SIZES_INLINE unsigned exchange(const struct cache *c, uint64_t line, struct stamped *left, bool packed)
{
    uint32_t number = (uint32_t)(line >> line_bits) & c->set_mask, at;
    struct stamped leaves = {.stamp = 0};
    uint64_t *lines;
    struct set *s = set_of(c, number, &lines, packed);
    unsigned miss = SIZES_MAX;

    at = find(s, lines, line, packed);
    if (at < s->held) {
        uint32_t since = s->all - s->held + at;

        miss = smaller_sizes(c, number, take_out(s, lines, at, packed), since, packed);
    } else
        leaves = give_up(s, lines, *left, packed);
    if (left->stamp && left->stamp != leaves.stamp)
        come_back(c, *left, packed);
    *left = leaves;
    return miss;
}

/* ---- references ---- */

/* The number of sizes that miss the line. */
SIZES_INLINE unsigned go_through(uint64_t line, struct stamped left, bool packed)
{
    for (unsigned i = 0; i < n_caches; i++) {
        unsigned n = exchange(&caches[i], line, &left, packed);

        if (n != SIZES_MAX)
            return n;
    }
    return n_sizes;
}

static bool was_waiting(uint64_t line)
{
    uint32_t at = first_waiting;

    while (at < n_waiting && waiting[at] != line)
        at++;
    if (at == n_waiting)
        return false;
    for (; at > first_waiting; at--)
        waiting[at] = waiting[at - 1];
    first_waiting++;
    return true;
}

static void leave(uint64_t line)
{
    if (n_waiting == 2 * ways) {
        for (n_waiting = 0; first_waiting < 2 * ways; first_waiting++)
            waiting[n_waiting++] = waiting[first_waiting];
        first_waiting = 0;
    }
    waiting[n_waiting++] = line;
}

/* A line becomes recent.  Returns the number of sizes that miss it. */
static unsigned use(uint64_t line)
{
    struct stamped left = {.stamp = 0};

    if (was_waiting(line))
        return 0;
    if (first_waiting < n_waiting)
        left = (struct stamped){.line = waiting[first_waiting++], .stamp = ++now};
    return room == PACKED ? go_through(line, left, true) : go_through(line, left, false);
}

static void analysis_observe(const struct sim_record *r, uint32_t n)
{
    static unsigned worst; /* of the reference */

    for (const struct sim_record *end = r + n; r < end; r++) {
        unsigned misses;

        if (r->what & SIM_LEFT) {
            leave(r->line);
            continue;
        }
        misses = r->what & SIM_RECENT ? 0 : use(r->line);
        worst = misses > worst ? misses : worst;
        if (r->what & SIM_MORE)
            continue;
        missed[r->kind == SIM_WRITE][worst] += !(r->what & SIM_UNDONE);
        worst = 0;
    }
}

static void analysis_finish(void) {}
