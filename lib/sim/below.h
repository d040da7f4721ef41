/* lib/sim/below.h - the levels below level 1 where they do more than the fast default ones: they write back, or a module stands at the L2.
 * engine.c and shadow.c both include it; each has levels of its own.
 *
 *   below_write_back(config)     default L2 and LL below a D1 that tells of its dirty victims (LEVEL_TELLS_WRITEBACKS: writeback); declares
 *                                L2.fills, L2.writebacks (if there is an L2), LL.fills, LL.writebacks
 *   below_put_unit(config)       slot LL's unit stands at the L2; below it is the default LL of the file that includes this: below_LL_init, below_LL
 *   below_ref(addr, size, kind)  BELOW_*; SIM_WRITEBACK: the line comes down, dirty
 *   below_beyond(...)            the unit at the L2 asks the LL: true = missed
 *   below_finish()               prints what came from memory, and what went there
 *
 * Hits and misses are those of the levels without write-backs: a dirty line that comes down makes no line recently used and brings none in.  A level
 * that has the line keeps it as dirty; else the line goes on to the next level, or to memory.  Lines that leave a level dirty come down in the same
 * way, before the line that took their place is looked up.  Dirty lines that are left at the end are written by nobody. */
#ifndef QN_SIM_BELOW_H
#define QN_SIM_BELOW_H

#include "sim/lines.h"

enum { BELOW_MISSED = 1, BELOW_L2_MISSED = 2, BELOW_DIRTY = 1 /* a line's flag */ };

extern bool qn_up_wants_writebacks; /* does the first simulator write back? */

static struct below_level {
    struct lines lines;
    unsigned fills, writebacks; /* events */
} below[2];
static unsigned below_levels; /* 0: the fast levels, or the unit in slot LL, do all */
static bool below_writes_back, below_has_unit;

static void below_LL_init(struct qn_geometry g);
static bool below_LL(uint64_t addr, uint32_t size); /* true = missed */

static void below_add(const char *slot, struct qn_geometry g)
{
    struct below_level *b = &below[below_levels++];

    lines_init(&b->lines, g.size / (g.assoc * g.line), g.assoc, qn_log2(g.line));
    b->fills = sim_event(slot, "fills", "lines brought in");
    b->writebacks = sim_event(slot, "writebacks", "dirty lines written to the next level");
}

static void below_write_back(const struct qn_config *c)
{
    below_writes_back = true;
    if (c->L2.line)
        below_add("L2", c->L2);
    below_add("LL", c->LL);
}

static void below_put_unit(const struct qn_config *c)
{
    below_has_unit = true;
    below_levels = 1;
    below_LL_init(c->LL);
}

/* These bytes come down to level `at`; behind the last one is memory. */
static void below_write(unsigned at, uint64_t addr, uint64_t bytes)
{
    struct below_level *b = &below[at];
    uint64_t line = addr >> b->lines.bits, last = (addr + bytes - 1) >> b->lines.bits;

    if (at == below_levels)
        return;
    SIM_EACH_LINE(line, last) {
        uint8_t *flags = lines_flags(&b->lines, line << b->lines.bits);

        if (flags) {
            *flags = BELOW_DIRTY;
            continue;
        }
        sim_count(b->writebacks, 1);
        below_write(at + 1, bytes >> b->lines.bits ? line << b->lines.bits : addr, bytes >> b->lines.bits ? 1ull << b->lines.bits : bytes);
    }
}

static bool below_fill(unsigned at, uint64_t line)
{
    struct below_level *b = &below[at];

    if (lines_find(&b->lines, line))
        return false;
    lines_add(&b->lines, line, 0);
    sim_count(b->fills, 1);
    if (b->lines.out != LINES_NONE && b->lines.out_flags) {
        sim_count(b->writebacks, 1);
        below_write(at + 1, b->lines.out, 1ull << b->lines.bits);
    }
    return true;
}

/* In level `at`: true = missed. */
static bool below_look(unsigned at, uint64_t addr, uint32_t size)
{
    const struct lines *l = &below[at].lines;
    uint64_t line = addr >> l->bits, last = (addr + size - 1) >> l->bits;
    bool missed = false;

    SIM_EACH_LINE(line, last)
        missed |= below_fill(at, line << l->bits);
    return missed;
}

static bool below_beyond(uint64_t addr, uint32_t size, enum sim_kind kind)
{
    return !below_has_unit || (kind < SIM_EVICT && below_LL(addr, size));
}

/* outcome: the unit's. */
static inline unsigned below_unit(unsigned outcome, uint64_t addr, uint32_t size, enum sim_kind kind)
{
    if (!(outcome & QN_UNIT_MISS))
        return 0;
    if (!(outcome & QN_UNIT_NEXT_DONE))
        outcome |= below_LL(addr, size) ? QN_UNIT_NEXT_MISS : 0;
    return (kind <= SIM_FETCH ? BELOW_L2_MISSED : 0u) | (outcome & QN_UNIT_NEXT_MISS ? BELOW_MISSED : 0u);
}

static unsigned below_ref(uint64_t addr, uint32_t size, enum sim_kind kind)
{
    unsigned outcome = 0;

    if (below_has_unit)
        return below_unit(unit_ref(SLOT_LL, addr, size, kind), addr, size, kind);
    if (kind == SIM_WRITEBACK)
        below_write(0, addr, size);
    for (unsigned at = 0; at < below_levels && kind < SIM_EVICT; at++) {
        if (!below_look(at, addr, size))
            return outcome;
        outcome |= at + 1 < below_levels ? (kind <= SIM_FETCH ? BELOW_L2_MISSED : 0) : BELOW_MISSED;
    }
    return outcome;
}

static __attribute__((unused)) void below_finish(void)
{
    const struct below_level *last = below_levels ? &below[below_levels - 1] : NULL;

    if (!last || !below_writes_back)
        return;
    sim_total("LL", "bytes-read", sim_counted(last->fills) << last->lines.bits, "bytes read from memory");
    sim_total("LL", "bytes-written", sim_counted(last->writebacks) << last->lines.bits, "bytes written to memory");
}

#endif
