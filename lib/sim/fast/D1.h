/* lib/sim/fast/D1.h - the fast one of cachesim_D1.c: the same cache, so kept that emitted code can work on it.
 *
 * The lines of a set lie in slots.  Which of them is a line's home, the address tells:
 *
 *   address   ... | home | set | byte of the line          slot = home * sets + set
 *
 * A line that is referenced moves to its home and is stamped with the time; what was there changes places with it.  So most
 * hits are found by one comparison, which translated code makes by itself (the hit filter: compare, stamp), and only
 * lines that share a home and take turns cost a search.  The victim is what has the oldest stamp.
 *
 * Stamp 0 is a free slot, older than any line.  Where there are more slots than ways, those too many are held by a stamp that
 * never grows old.
 *
 *   fast_D1_init(geometry)         once, before the first reference; false: the cache is too large for the table
 *   fast_D1_ref(addr, size, &clock)   1 on a miss
 *   fast_D1_ref_told(addr, size, &clock, tell)   the same; each line that comes and leaves is told
 *   fast_D1_ref_near(addr, size, &clock, tell, tell_far)   the same; each line that comes near is told, too (fast_D1_near)
 *   fast_D1_older(time, enough)    how many places hold a line last used then or before, or none
 *   fast_D1_time(line)             when a line was used last that was just used
 *   fast_D1_drop(line)             an inclusive LL takes the line away
 *   fast_D1_filter(geometry)       the table, for emitted code
 *   fast_D1_show(line, lines)      the lines of this line's set, the one used last first, for --explain
 */
#include "sim/contract.h"
#include "sim/fast/fast.h"

#define D1_SLOTS_MAX (1u << 19)
#define D1_SLOTS_MIN 8 /* per set, if it has more than one way: fewer lines share a home */
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

/* Of the line of a slot: it is not near (below), so emitted code is not to find it. */
#define D1_FAR 0x4000000000000000ull

/* The slot that has the line, else the one that has to give way. */
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

/* ---- the lines touched last ----
 *
 * Near are the lines that data has touched last, so many as fast_D1_near has said.  They are a prefix of the stack of all lines, the latest in
 * front: a hit on one of them changes nothing but their own order, which is in their stamps.  So emitted code may let them pass, and nobody need
 * know; all other slots have a line with D1_FAR, which no reference is equal to.  A line that is near may have left the D1. */

#define D1_NEAR_MAX 8u

static struct {
    uint32_t lines, n;
    uint64_t found; /* the line of the slot in which the last one was found, or which gave way, with D1_FAR if it was not near */
    uint64_t *touched; /* counts lines beyond the first of their reference */
    bool told;      /* a line of this reference, ... */
    uint8_t kind;   /* which is of this kind: enum sim_kind */
    struct {
        uint64_t line, stamp;
        struct qn_filter_entry *home; /* NULL: it has left the D1, last used at `stamp` */
    } at[D1_NEAR_MAX];
} D1_near;

static void fast_D1_near(uint32_t lines, uint64_t *touched)
{
    D1_near.lines = lines;
    D1_near.touched = touched;
}

static inline struct qn_filter_entry *D1_home(uint64_t line) { return &D1_slots[(unsigned)(line >> D1.line_bits) & (D1.slots - 1)]; }

static inline uint64_t fast_D1_time(uint64_t line) { return D1_home(line)->stamp; }

/* Where a line is that is near, and in the D1. */
static inline struct qn_filter_entry *D1_near_entry(unsigned i)
{
    unsigned miss = 0;

    if (QN_LIKELY(D1_near.at[i].home->line == D1_near.at[i].line))
        return D1_near.at[i].home;
    return &D1_slots[D1_find((unsigned)(D1_near.at[i].home - D1_slots) & (D1.sets - 1), D1_near.at[i].line, &miss)];
}

static inline unsigned D1_near_find(uint64_t line)
{
    unsigned i = 0;

    while (i < D1_near.n && D1_near.at[i].line != line)
        i++;
    return i;
}

static inline unsigned D1_near_oldest(void)
{
    uint64_t time = D1_TAKEN;
    unsigned oldest = 0;

    for (unsigned i = 0; i < D1_near.n; i++) {
        uint64_t stamp = D1_near.at[i].home ? D1_near_entry(i)->stamp : D1_near.at[i].stamp;

        oldest = stamp < time ? i : oldest;
        time = stamp < time ? stamp : time;
    }
    return oldest;
}

/* The line has come home.  It comes near if it was not. */
static inline void D1_comes_near(const struct sim_line *l, unsigned miss, qn_unit_far *tell)
{
    struct sim_far far = {.line = l->line, .left = SIM_NO_LINE, .more = D1_near.told, .kind = D1_near.kind};
    unsigned i;

    if (miss && l->victim_used && !(D1_near.found & D1_FAR) && (i = D1_near_find(l->victim)) < D1_near.n) {
        D1_near.at[i].home = NULL;
        D1_near.at[i].stamp = l->victim_used;
    }
    if (!miss && !(D1_near.found & D1_FAR))
        return;
    if (miss && (i = D1_near_find(l->line)) < D1_near.n) {
        D1_near.at[i].home = D1_home(l->line);
        return;
    }
    if (D1_near.n == D1_near.lines) {
        i = D1_near_oldest();
        far.left = D1_near.at[i].line;
        if (D1_near.at[i].home)
            D1_near_entry(i)->line |= D1_FAR;
    } else {
        i = D1_near.n++;
    }
    D1_near.at[i].line = l->line;
    D1_near.at[i].home = D1_home(l->line);
    D1_near.told = true;
    tell(&far);
}

/* ---- who used a line last ----
 *
 * For --explain: a word for each slot, which moves with its line.  It lies where translated code finds it by the same offset. */

static struct {
    struct qn_filter_entry *of; /* by slot: `line` is the word; NULL: nobody asks */
    uint64_t me, was;           /* who makes this reference; who used last the line that was found, or that gave way */
} D1_users;

static inline void D1_change_user(unsigned home, unsigned place)
{
    D1_users.was = D1_users.of[place].line;
    D1_users.of[place].line = D1_users.of[home].line;
    D1_users.of[home].line = D1_users.me;
}

static inline uint64_t fast_D1_table_bytes(void) { return D1.slots * sizeof *D1_users.of; }

#include "sim/fast/uses.h"

/* ---- told ---- */

/* The same, for those who read it: what came, what left, when both were used last.  addr: of its first byte that is referenced. */
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
    D1_near.found = was.line;
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

static inline unsigned fast_D1_ref_near(uint64_t addr, uint32_t size, uint64_t *clock, qn_unit_line *tell, qn_unit_far *tell_far)
{
    const uint64_t bytes = 1ull << D1.line_bits, last = (addr + size - 1) & ~(bytes - 1);
    struct sim_line l = {.line = addr & ~(bytes - 1), .first = true};
    unsigned miss = 0, one;

    l.several = l.line != last;
    D1_near.told = false;
    for (; l.line <= last; l.line += bytes) {
        one = D1_touch_told(&l, l.first ? addr : l.line, ++*clock);
        if (QN_UNLIKELY(D1_uses.bytes))
            D1_use(l.line, (unsigned)(l.line >> D1.line_bits) & (D1.slots - 1), addr, size);
        if (one || l.several)
            tell(&l);
        D1_comes_near(&l, one, tell_far);
        *D1_near.touched += !l.first;
        l.first = false;
        miss |= one;
        if (l.line == last) /* which may be the last line of memory */
            break;
    }
    return miss;
}

/* Places that hold a line last used at this time or before, or none; those too many never grow old. */
static inline uint32_t fast_D1_older(uint64_t time, uint32_t enough)
{
    uint32_t older = 0;

    for (unsigned i = 0; i < D1.slots && older < enough; i++)
        older += D1_slots[i].stamp <= time;
    return older;
}

/* The same of those at this time or before; and the others by time (sim_count_places). */
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

    for (; line <= last; line++)
        miss |= D1_touch(line << D1.line_bits, ++*clock);
    return miss;
}

static inline void fast_D1_drop(uint64_t line)
{
    unsigned set = (unsigned)(line >> D1.line_bits) & (D1.sets - 1), gone = 0, slot;

    slot = D1_find(set, line, &gone);
    if (gone) /* it was not there */
        return;
    if (QN_UNLIKELY(D1_uses.bytes))
        D1_use_ends(slot);
    D1_slots[slot] = (struct qn_filter_entry){QN_NO_LINE, 0};
}

static inline unsigned fast_D1_show(uint64_t line, uint64_t *lines)
{
    unsigned set = (unsigned)(line >> D1.line_bits) & (D1.sets - 1), n = 0;
    uint64_t after = D1_TAKEN;

    for (; n < D1.ways; n++) { /* of those older than the last one shown, the newest */
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
