/* lib/sim/lines.h - a set-associative LRU cache of lines with a flag byte each, on which most LEVEL modules are built.
 *
 *   lines_find(l, line)            a hit: moves the line to the front of its set, returns its flags; a miss: NULL
 *   lines_add(l, line, flags)      fills the line; the victim is in l->out (LINES_NONE = there was a free way), l->out_flags
 *   lines_remove(l, line)          true if the line was in the cache
 *   lines_newest(l, line)          is it the most recently used of its set?  Then a further lines_find changes nothing.
 *
 * A line is the address of its first byte.
 */
#ifndef QN_SIM_LINES_H
#define QN_SIM_LINES_H

#include "sim/module.h"

/* ---- a line in a row of words ----
 *
 * Eight words at a time are compared, without a jump for each, because the processor could not predict these jumps.  So up to
 * seven words after the row are read: words of the next row, or the ROWS_MORE words after the last row.  A match there is ignored. */
#define ROWS_MORE 7

/* Asks for the row of n words, which will be read soon.  (GCC 12 drops the builtin.) */
static inline __attribute__((unused)) void rows_ahead(const uint64_t *row, unsigned n)
{
    __asm__ volatile("prefetcht0 %0" : : "m"(row[0]));
    if (n > 8)
        __asm__ volatile("prefetcht0 %0" : : "m"(row[8]));
}

/* The index of the line in the row of n words; n if it is not in it. */
static inline unsigned rows_find(const uint64_t *row, unsigned n, uint64_t line)
{
    for (unsigned at = 0; at < n; at += 8) {
        unsigned found = 0;

#pragma GCC unroll 8
        for (unsigned i = 0; i < 8; i++)
            found |= (unsigned)(row[at + i] == line) << i;
        if (found) { /* maybe only after the end of the row */
            unsigned place = at + (unsigned)__builtin_ctz(found);

            return place < n ? place : n;
        }
    }
    return n;
}

/* ---- the cache ---- */

#define LINES_NONE 0x8000000000000000ull

struct lines {
    uint64_t *line; /* the lines of a set, most recently used first; LINES_NONE = a free way */
    uint8_t *flags;
    uint32_t sets, ways, bits;
    uint64_t out;
    uint8_t out_flags;
};

static inline __attribute__((unused)) void lines_init(struct lines *l, uint32_t sets, uint32_t ways, uint32_t line_bits)
{
    uint64_t n = (uint64_t)sets * ways;

    *l = (struct lines){.sets = sets, .ways = ways, .bits = line_bits};
    l->line = sim_alloc((n + ROWS_MORE) * sizeof *l->line);
    l->flags = sim_alloc(n);
    for (uint64_t i = 0; i < n; i++)
        l->line[i] = LINES_NONE;
}

static inline uint64_t lines_set(const struct lines *l, uint64_t line)
{
    return qn_set_of(line >> l->bits, l->sets) * l->ways;
}

/* Moves entry `at` of the set to the front, as this line with these flags. */
static inline uint8_t *lines_front(struct lines *l, uint64_t set, uint32_t at, uint64_t line, uint8_t flags)
{
    for (; at > 0; at--) {
        l->line[set + at] = l->line[set + at - 1];
        l->flags[set + at] = l->flags[set + at - 1];
    }
    l->line[set] = line;
    l->flags[set] = flags;
    return &l->flags[set];
}

static inline __attribute__((unused)) uint8_t *lines_find(struct lines *l, uint64_t line)
{
    uint64_t set = lines_set(l, line);

    uint32_t at = 0;

    if (l->line[set] != line) /* usually it is at the front already */
        at = rows_find(&l->line[set], l->ways, line);
    return at == l->ways ? NULL : lines_front(l, set, at, line, l->flags[set + at]);
}

static inline __attribute__((unused)) void lines_add(struct lines *l, uint64_t line, uint8_t flags)
{
    uint64_t set = lines_set(l, line);
    uint32_t at = 0;

    while (at + 1 < l->ways && l->line[set + at] != LINES_NONE)
        at++;
    l->out = l->line[set + at];
    l->out_flags = l->flags[set + at];
    lines_front(l, set, at, line, flags);
}

static inline __attribute__((unused)) bool lines_remove(struct lines *l, uint64_t line)
{
    uint64_t set = lines_set(l, line);
    uint32_t i = rows_find(&l->line[set], l->ways, line);

    if (i == l->ways)
        return false;
    for (; i + 1 < l->ways; i++) {
        l->line[set + i] = l->line[set + i + 1];
        l->flags[set + i] = l->flags[set + i + 1];
    }
    l->line[set + i] = LINES_NONE;
    return true;
}

static inline __attribute__((unused)) bool lines_has(const struct lines *l, uint64_t line)
{
    const uint64_t *row = &l->line[lines_set(l, line)];

    return *row == line || rows_find(row, l->ways, line) < l->ways;
}

/* The flags of the line, which does not become recently used; NULL: it is not there. */
static inline __attribute__((unused)) uint8_t *lines_flags(struct lines *l, uint64_t line)
{
    uint64_t set = lines_set(l, line);
    uint32_t at = rows_find(&l->line[set], l->ways, line);

    return at < l->ways ? &l->flags[set + at] : NULL;
}

static inline __attribute__((unused)) bool lines_newest(const struct lines *l, uint64_t line)
{
    return l->line[lines_set(l, line)] == line;
}

/* Writes the lines of this line's set, most recently used first; LINES_NONE = a free way.  Returns their number. */
static inline __attribute__((unused)) unsigned lines_show(const struct lines *l, uint64_t line, uint64_t *lines)
{
    for (uint32_t i = 0; i < l->ways; i++)
        lines[i] = l->line[lines_set(l, line) + i];
    return l->ways;
}

/* A loop over the lines of a reference, in address order. */
#define LINES_OF(line, addr, size)                                                                                \
    for (uint64_t line = (addr) & ~(uint64_t)(sim.line - 1), last_##line = ((addr) + (size)-1) & ~(uint64_t)(sim.line - 1), \
                  more_##line = 1;                                                                                \
         more_##line; more_##line = line != last_##line, line += sim.line)

#endif
