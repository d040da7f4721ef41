/* lib/sim/fast/D1.h - the fast version of cachesim_D1.c: the same cache in a form that emitted code can work on.
 *
 * The lines of a set lie in entries of a table.  Each line has a preferred entry, its home, which its address gives:
 *
 *   address   ... | home | set | byte of the line          entry = home * sets + set
 *
 * A reference moves its line to its home and stamps it with the time; the line that was there takes the entry from which it came.
 * So emitted code finds most hits by one comparison (the hit filter), and then writes the stamp.  Only lines that share a home cost
 * a search.  The victim is the line with the oldest stamp.
 *
 * A free entry has stamp 0, older than any line.  If a set has more entries than ways, the surplus ones have the stamp D1_TAKEN,
 * which is never the oldest.
 *
 *   fast_D1_init(geometry)         once, before the first reference; false: the cache is too large for the table
 *   fast_D1_ref(addr, size, &clock)   1 on a miss
 *   fast_D1_ref_told(addr, size, &clock, tell)   the same; calls tell for each line that misses, with its victim; if the reference spans
 *                                                several lines, for each of them
 *   fast_D1_ref_touching(addr, size, &clock, tell)   the same; lines that become near are written down (near.h)
 *   fast_D1_older(time, enough)    the number of ways that are free or hold a line last used at `time` or before
 *   fast_D1_time(line)             the time of the last use of a line that is in its home
 *   fast_D1_drop(line)             removes the line, for an inclusive LL
 *   fast_D1_filter(geometry)       the table, for emitted code
 *   fast_D1_show(line, lines)      the lines of this line's set, the one used last first, for --explain
 */
#include "sim/contract.h"
#include "sim/fast/fast.h"

#define D1_SLOTS_MAX (1u << 19)
#define D1_SLOTS_MIN 8 /* entries of a set with more than one way; with more entries fewer lines share a home */
#define D1_TAKEN (~0ull)

static struct qn_filter_entry D1_slots[D1_SLOTS_MAX] __attribute__((aligned(4096)));
static struct {
    unsigned ways, line_bits, sets, slots; /* slots: of all sets */
} D1;

static bool fast_D1_init(struct qn_geometry g)
{
    unsigned per_set = g.assoc == 1 ? 1 : D1_SLOTS_MIN;

    while (per_set < g.assoc)
        per_set *= 2;
    D1.ways = g.assoc;
    D1.line_bits = qn_log2(g.line);
    D1.sets = g.size / (g.assoc * g.line);
    if ((uint64_t)D1.sets * per_set > D1_SLOTS_MAX)
        return false;
    D1.slots = D1.sets * per_set;
    for (unsigned i = 0; i < D1.slots; i++)
        D1_slots[i] = (struct qn_filter_entry){QN_NO_LINE, i < D1.sets * g.assoc ? 0 : D1_TAKEN};
    return true;
}

/* A bit of an entry's line: it is not near (near.h), so that it does not hit in emitted code. */
#define D1_FAR (1ull << QN_FAR_BIT)

/* The entry that holds the line; on a miss, that of the victim. */
static inline unsigned D1_find(unsigned set, uint64_t line, unsigned *miss)
{
    unsigned oldest = set;
    uint64_t time = D1_TAKEN;

    for (unsigned i = set; i < D1.slots; i += D1.sets) {
        uint64_t stamp = D1_slots[i].stamp;

        if ((D1_slots[i].line & ~D1_FAR) == line)
            return i;
        oldest = stamp < time ? i : oldest;
        time = stamp < time ? stamp : time;
    }
    *miss = 1;
    return oldest;
}

static inline unsigned D1_touch(uint64_t line, uint64_t now)
{
    unsigned home = (unsigned)(line >> D1.line_bits) & (D1.slots - 1), miss = 0, slot;

    if (D1_slots[home].line != line) {
        slot = D1_find(home & (D1.sets - 1), line, &miss);
        D1_slots[slot] = D1_slots[home];
        D1_slots[home].line = line;
    }
    D1_slots[home].stamp = now;
    return miss;
}

/* ---- near lines: see near.h ---- */

static inline unsigned D1_home(uint64_t line) { return (unsigned)(line >> D1.line_bits) & (D1.slots - 1); }

static inline uint64_t fast_D1_time(uint64_t line) { return D1_slots[D1_home(line)].stamp; }

/* ---- the last user of a line ----
 *
 * For --explain: a word for each entry, which moves with its line (struct qn_sim_users).  Its table has the offsets of D1_slots. */

static struct {
    struct qn_filter_entry *of; /* by entry: `line` is the word; NULL: not used */
    uint64_t me, was;           /* words: of this reference; of the last user of the line that hit, or of the victim */
} D1_users;

static inline void D1_change_user(unsigned home, unsigned place)
{
    D1_users.was = D1_users.of[place].line;
    D1_users.of[place].line = D1_users.of[home].line;
    D1_users.of[home].line = D1_users.me;
}

static inline uint64_t fast_D1_table_bytes(void) { return D1.slots * sizeof *D1_users.of; }

#include "sim/fast/uses.h"

/* ---- references with callbacks ---- */

static uint64_t D1_found; /* what the entry of the last referenced line, or of the victim, held; with D1_FAR if that line was not near */

/* As D1_touch.  Fills *l: the victim, and the times of last use.  addr: of the first byte in the line that is referenced. */
static inline unsigned D1_touch_told(struct sim_line *l, uint64_t addr, uint64_t now)
{
    unsigned at = (unsigned)(l->line >> D1.line_bits) & (D1.slots - 1), miss = 0;
    struct qn_filter_entry *home = &D1_slots[at], *place = home, was;

    if ((home->line & ~D1_FAR) != l->line)
        place = &D1_slots[D1_find(at & (D1.sets - 1), l->line, &miss)];
    was = *place;
    *place = *home;
    *home = (struct qn_filter_entry){l->line, now};
    if (QN_UNLIKELY(D1_users.of))
        D1_change_user(at, (unsigned)(place - D1_slots));
    if (QN_UNLIKELY(D1_uses.bytes))
        D1_use_moves(at, (unsigned)(place - D1_slots), miss, miss && was.stamp, addr);
    l->now = now;
    l->used = miss ? 0 : was.stamp;
    l->victim = miss ? was.line & ~D1_FAR : QN_NO_LINE;
    l->victim_used = miss ? was.stamp : 0;
    D1_found = was.line;
    return miss;
}

static inline unsigned fast_D1_ref_told(uint64_t addr, uint32_t size, uint64_t *clock, qn_unit_line *tell)
{
    const uint64_t bytes = 1ull << D1.line_bits, last = (addr + size - 1) & ~(bytes - 1);
    struct sim_line l = {.line = addr & ~(bytes - 1), .first = true};
    unsigned miss = 0, one;

    l.several = l.line != last;
    for (; l.line <= last; l.line += bytes) {
        one = D1_touch_told(&l, l.first ? addr : l.line, ++*clock);
        if (QN_UNLIKELY(D1_uses.bytes))
            D1_use(l.line, (unsigned)(l.line >> D1.line_bits) & (D1.slots - 1), addr, size);
        if (one || l.several)
            tell(&l);
        l.first = false;
        miss |= one;
        if (l.line == last) /* which may be the last line of memory */
            break;
    }
    return miss;
}

#include "sim/fast/near.h"

#define D1_TOGETHER 16u

/* The number of ways that are free or hold a line last used at `time` or before; if that is more than `enough`, a number from there on.  (Surplus entries have D1_TAKEN, which is later.) */
static inline uint32_t fast_D1_older(uint64_t time, uint32_t enough)
{
    uint32_t older = 0;
    unsigned i = 0;

    for (; i + D1_TOGETHER <= D1.slots && older < enough; i += D1_TOGETHER)
#pragma GCC unroll 16
        for (unsigned k = 0; k < D1_TOGETHER; k++)
            older += D1_slots[i + k].stamp <= time;
    for (; i < D1.slots && older < enough; i++)
        older += D1_slots[i].stamp <= time;
    return older;
}

/* The same, and counts of the others by time (sim_count_places). */
static uint32_t fast_D1_count(uint64_t time, uint32_t shift, uint32_t counts[SIM_PLACE_COUNTS])
{
    uint32_t older = 0;

    for (unsigned i = 0; i < SIM_PLACE_COUNTS; i++)
        counts[i] = 0;
    for (unsigned i = 0; i < D1.slots; i++) {
        uint64_t stamp = D1_slots[i].stamp, at = (stamp - time) >> shift;

        older += stamp <= time;
        counts[at < SIM_PLACE_COUNTS ? at : SIM_PLACE_COUNTS - 1] += stamp > time;
    }
    return older;
}

static inline unsigned fast_D1_ref(uint64_t addr, uint32_t size, uint64_t *clock)
{
    uint64_t line = addr >> D1.line_bits, last = (addr + size - 1) >> D1.line_bits;
    unsigned miss = 0;

    SIM_EACH_LINE(line, last)
        miss |= D1_touch(line << D1.line_bits, ++*clock);
    return miss;
}

static inline void fast_D1_drop(uint64_t line)
{
    unsigned set = (unsigned)(line >> D1.line_bits) & (D1.sets - 1), gone = 0, slot;

    slot = D1_find(set, line, &gone);
    if (gone) /* the line is not in the D1 */
        return;
    if (QN_UNLIKELY(D1_uses.bytes))
        D1_use_ends(slot);
    D1_slots[slot] = (struct qn_filter_entry){QN_NO_LINE, 0};
}

static inline unsigned fast_D1_show(uint64_t line, uint64_t *lines)
{
    unsigned set = (unsigned)(line >> D1.line_bits) & (D1.sets - 1), n = 0;
    uint64_t after = D1_TAKEN;

    for (; n < D1.ways; n++) { /* the newest line that is older than the one before */
        struct qn_filter_entry newest = {QN_NO_LINE, 0};

        for (unsigned i = set; i < D1.slots; i += D1.sets)
            newest = D1_slots[i].stamp < after && D1_slots[i].stamp >= newest.stamp ? D1_slots[i] : newest;
        lines[n] = newest.line & ~D1_FAR;
        after = newest.stamp;
    }
    return D1.ways;
}

static inline struct qn_filter fast_D1_filter(struct qn_geometry g)
{
    struct qn_filter f = qn_filter_of(D1_slots, D1.slots, g.line);

    f.stamps = true;
    qn_fast.D1.sets = D1.sets;
    return f;
}
