/* prefetch/spp.c - signature path prefetching: the last distances within a page, folded into a signature, foretell the next, and that the one after.
 *
 * Each page has a signature of its last distances between lines. A table has for each signature the distances that came next, up to four, with
 * counters. The path is followed: the most frequent next distance makes the next signature, and so on, as long as the product of the shares,
 * which is the confidence, is at least a quarter. Distances 1, 2, 1, 2 in a page, which have been seen before:
 *
 *   line 7, signature of (1, 2)     next 1: 4 of 4, confidence 100%     line 8 is prefetched
 *     signature of (2, 1)           next 2: 3 of 4, 75%                 line 10
 *     signature of (1, 2)           next 1: 4 of 4, 75%                 line 11      with all prefetches useful so far
 *
 * The rules, with the sections of the paper:
 *   learning (3.1)         signature = (signature << 3) xor distance, 12 bits; of a distance, 6 bits and its sign. Counters of 4 bits: if one is full,
 *                          those of its signature are halved. A new distance takes the place of the least frequent
 *   path (3.2)             the confidence of step d is that of step d - 1, times the share, times, from the second step on, the share of prefetches
 *                          that were useful; all distances of at least 25% are prefetched, the most frequent is followed
 *   page boundary (3.3)    a prefetch beyond the page is not made; its signature is remembered, and a new page that begins at the line where it would
 *                          have been has this signature at once
 *   usefulness (3.4)       10 bits: prefetches asked for, and misses that were avoided; both are halved when the first is full
 * Otherwise than published: all prefetches go to the D1, beside which it stands, so there is no second threshold (90% for the L2 there, else the LL).
 *
 * Storage: 256 * 35 (tag 16, line 6, signature 12, filled 1) + 512 * (4 + 4 * (4 + 7)) + 8 * (12 + 7 + 6 + 7) + 20 = 33,812, and one bit per line.
 * Source: J. Kim, S. H. Pugsley, P. V. Gratz, A. L. N. Reddy, C. Wilkerson, Z. Chishti, Path confidence based lookahead prefetching, MICRO 2016. */
#include "sim/module.h"

#define PREFETCHER "spp"

enum { PAGE_BITS = 12, PAGES = 256, PATHS = 512, DISTANCES = 4, SEEN_MAX = 15, PATH_MASK = 0xfff, THRESHOLD = 25, CROSSINGS = 8, DEPTH_MAX = 64,
       ISSUED_MAX = 1023 };

static struct page {
    uint16_t tag, signature;
    uint16_t line; /* of the page, that was referenced last */
    bool filled;
} pages[PAGES];
static struct path {
    uint8_t all, seen[DISTANCES]; /* counters */
    int16_t distance[DISTANCES];
} paths[PATHS];
static struct crossing {
    uint16_t signature, line; /* of the page that was left, with the distance that left it; of the next page */
    uint8_t confidence;       /* 0: free */
} crossings[CROSSINGS];
static unsigned next_crossing, issued, useful;

static unsigned lines_of_page(void) { return sim.line_bits < PAGE_BITS ? 1u << (PAGE_BITS - sim.line_bits) : 1; }

static uint16_t follow(uint16_t signature, int distance)
{
    unsigned bits = distance < 0 ? 0x40u | (unsigned)(-distance & 0x3f) : (unsigned)(distance & 0x3f);

    return (uint16_t)(((unsigned)signature << 3 ^ bits) & PATH_MASK);
}

static void learn(uint16_t signature, int distance)
{
    struct path *p = &paths[signature % PATHS];
    unsigned at = 0, least = 0;

    while (at < DISTANCES && !(p->seen[at] && p->distance[at] == distance))
        at++;
    for (unsigned i = 1; i < DISTANCES; i++)
        if (p->seen[i] < p->seen[least])
            least = i;
    if (at == DISTANCES) {
        at = least;
        p->distance[at] = (int16_t)distance;
        p->seen[at] = 0;
    }
    if (p->all == SEEN_MAX || p->seen[at] == SEEN_MAX) {
        p->all /= 2;
        for (unsigned i = 0; i < DISTANCES; i++)
            p->seen[i] /= 2;
    }
    p->all++;
    p->seen[at]++;
}

static void issue(uint64_t page, int line, uint16_t signature, unsigned confidence)
{
    const int lines = (int)lines_of_page();

    if (line >= 0 && line < lines) {
        sim_prefetch((page << PAGE_BITS) + ((uint64_t)line << sim.line_bits));
        useful >>= issued == ISSUED_MAX;
        issued = (issued >> (issued == ISSUED_MAX)) + 1;
        return;
    }
    crossings[next_crossing] = (struct crossing){signature, (uint16_t)((line + lines) % lines), (uint8_t)confidence};
    next_crossing = (next_crossing + 1) % CROSSINGS;
}

static void walk(uint64_t page, int line, uint16_t signature)
{
    unsigned confidence = 100;

    for (unsigned depth = 0; depth < DEPTH_MAX; depth++) {
        const struct path *p = &paths[signature % PATHS];
        unsigned best = 0;

        for (unsigned i = 0; i < DISTANCES; i++) {
            unsigned share = p->all ? confidence * p->seen[i] / p->all : 0;

            if (share >= THRESHOLD)
                issue(page, line + p->distance[i], follow(signature, p->distance[i]), share);
            if (p->seen[i] > p->seen[best])
                best = i;
        }
        confidence = p->all ? confidence * p->seen[best] / p->all : 0;
        line += p->distance[best];
        if (confidence < THRESHOLD || line < 0 || line >= (int)lines_of_page())
            return;
        signature = follow(signature, p->distance[best]);
        confidence = issued ? confidence * useful / issued : confidence;
    }
}

/* The signature that a crossing has left for a page that begins at this line; of several, the most confident one. */
static uint16_t arrive(uint16_t line)
{
    const struct crossing *best = NULL;

    for (const struct crossing *c = crossings; c < crossings + CROSSINGS; c++)
        if (c->confidence && c->line == line && (!best || c->confidence > best->confidence))
            best = c;
    return best ? best->signature : 0;
}

static void prefetcher_ref(uint64_t addr, uint32_t size, enum sim_kind kind, bool miss)
{
    uint64_t page = addr >> PAGE_BITS;
    uint16_t line = (uint16_t)(addr >> sim.line_bits & (lines_of_page() - 1));
    struct page *p = &pages[page % PAGES];

    (void)size, (void)kind;
    useful += !miss && useful < issued;
    if (!p->filled || p->tag != (uint16_t)(page / PAGES)) {
        *p = (struct page){(uint16_t)(page / PAGES), arrive(line), line, true};
        if (p->signature)
            walk(page, line, p->signature);
        return;
    }
    if (line == p->line)
        return;
    learn(p->signature, line - p->line);
    p->signature = follow(p->signature, line - p->line);
    p->line = line;
    walk(page, line, p->signature);
}
