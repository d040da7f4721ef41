/* prefetch/bop.c - best-offset prefetching: of a list of distances the one that would have predicted most of the last references is prefetched.
 *
 * At a reference to line X that missed, or was the first use of a prefetched line, the line X + D is prefetched if it is in the same page. Which D
 * is best is learnt all the time: a table remembers lines that were referenced lately; each reference tries one of the offsets in turn, and
 * offset d scores a point if X - d is in the table. At the end of the round in which one has 31 points, or after 100 rounds, the best is the new
 * D, and all begin at 0 again. The offsets are 1 2 3 4 5 6 8 9 10 12 ..., the 52 numbers up to 256 without a prime factor above 5.
 *
 *   ... lines 0, 3, 6, 9, 12 ...     offset 3 is tried at 9: 6 is in the table, a point; offset 2: 7 is not
 *   after a while D = 3              of 3, 6, 9, which score alike, the first
 *
 * The rules, with the sections of the paper:
 *   learning (4.1)       as above; if the best has at most 1 point, nothing is prefetched until the next phase ends
 *   recent table (4.2)   256 lines, direct-mapped: its index is the low 8 bits of the line number xor the next 8; a tag of the 12 bits above the low 8
 *   offsets (4.3)        the list above
 * Otherwise than published: a base is entered at its reference, since nothing takes time here; there, when the line prefetched for it comes,
 * so that offsets score only if they would have been in time. So here the smallest of several wins. Beside the D1, not the L2.
 *
 * Options: `bop-page-bits` (12).
 * Storage: 256 * 13 (tags of 12 bits, and a bit that says that the entry is filled) + 52 * 5 (scores) + 9 + 7 + 6 = 3,610, and one bit per line.
 * Source: P. Michaud, Best-offset hardware prefetching, HPCA 2016. */
#include "sim/module.h"

#define PREFETCHER "bop"
#define PREFETCHER_INIT 1

enum { OFFSETS = 52, OFFSET_MAX = 256, SCORE_MAX = 31, ROUNDS = 100, BAD_SCORE = 1, RECENT_BITS = 8, TAG_BITS = 12, FILLED = 1 << TAG_BITS };

static uint16_t recent[1 << RECENT_BITS]; /* tags with FILLED; 0: none */
static unsigned offsets[OFFSETS], scores[OFFSETS], tried, rounds, best; /* best: 0 = nothing is prefetched */
static unsigned page_bits;

static void prefetcher_init(const struct sim_config *c)
{
    unsigned n = 0;

    page_bits = (unsigned)sim_option_within(c->slot, PREFETCHER, "bop-page-bits", 12, 8, 40);
    for (unsigned offset = 1; offset <= OFFSET_MAX; offset++) {
        unsigned rest = offset;

        for (unsigned prime = 2; prime <= 5; prime++)
            while (rest % prime == 0)
                rest /= prime;
        if (rest == 1)
            offsets[n++] = offset;
    }
    best = 1;
}

static uint16_t *entry_of(uint64_t number) { return &recent[(number ^ number >> RECENT_BITS) & ((1 << RECENT_BITS) - 1)]; }
static uint16_t tag_of(uint64_t number) { return (uint16_t)((number >> RECENT_BITS & (FILLED - 1)) | FILLED); }

/* A round has ended; so has the phase, if an offset has the highest score or this was the last round. */
static void end_round(void)
{
    unsigned winner = 0;

    for (unsigned i = 1; i < OFFSETS; i++)
        if (scores[i] > scores[winner])
            winner = i;
    if (++rounds < ROUNDS && scores[winner] < SCORE_MAX)
        return;
    best = scores[winner] > BAD_SCORE ? offsets[winner] : 0;
    memset(scores, 0, sizeof scores);
    rounds = 0;
}

static void learn(uint64_t number)
{
    uint64_t base = number - offsets[tried];

    scores[tried] += *entry_of(base) == tag_of(base);
    if (++tried < OFFSETS)
        return;
    tried = 0;
    end_round();
}

static void prefetcher_ref(uint64_t addr, uint32_t size, enum sim_kind kind, bool miss)
{
    uint64_t number = addr >> sim.line_bits, to;

    (void)size, (void)kind, (void)miss;
    learn(number);
    to = (number + best) << sim.line_bits;
    *entry_of(number) = tag_of(number);
    if (best && to >> page_bits == addr >> page_bits)
        sim_prefetch(to);
}
