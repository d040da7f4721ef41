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
 *   fast_D1_ref_touching(addr, size, &clock, tell)   the same; lines that become near are recorded
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

/* A bit of an entry's line: it is not near (see below), so that it does not hit in emitted code. */
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

/* ---- run --data=use: the bytes of each line in the D1 that were used since its fill ----
 *
 *   came(address, site)    a fill for the byte at this address    -> a word, which is stored with the line
 *   ... uses ...           the bytes used become QN_USED: here, or in emitted code on a hit under the filter
 *   left(word, bytes)      the line is evicted
 *
 * Bytes and words are indexed by the line's entry in the D1, and move with the line. */

static struct {
    uint8_t *bytes;   /* below 2 GiB; NULL: not used */
    uint64_t *word;
    const struct qn_utilization_hooks *hooks;
    uint32_t site;    /* of the reference */
} D1_utilization;

static inline uint64_t *D1_bytes_of(unsigned slot) { return (uint64_t *)(D1_utilization.bytes + ((uint64_t)slot << D1.line_bits)); }

static inline void D1_use_ends(unsigned slot) { D1_utilization.hooks->left(D1_utilization.word[slot], (const uint8_t *)D1_bytes_of(slot)); }

/* The referenced line moves to the entry `home`; the line that was there moves to `place`, the entry of the referenced line or, after a
 * miss (`came`), of the victim. */
static inline void D1_use_moves(unsigned home, unsigned place, bool came, bool leaves, uint64_t address)
{
    const unsigned words = 1u << (D1.line_bits - 3);
    uint64_t *to = D1_bytes_of(place), *from = D1_bytes_of(home), word;

    if (leaves)
        D1_use_ends(place);
    for (unsigned i = 0; i < words && (came || place != home); i++) {
        uint64_t bytes = to[i];

        to[i] = from[i];
        from[i] = came ? 0 : bytes;
    }
    word = D1_utilization.word[place];
    D1_utilization.word[place] = D1_utilization.word[home];
    D1_utilization.word[home] = came ? D1_utilization.hooks->came(address, D1_utilization.site) : word;
}

/* Marks the bytes of the reference that lie in the line, which is in its home. */
static inline void D1_use(uint64_t line, unsigned home, uint64_t addr, uint32_t size)
{
    const uint64_t bytes = 1ull << D1.line_bits, end = addr + size - line < bytes ? addr + size - line : bytes;
    uint8_t *used = (uint8_t *)D1_bytes_of(home);

    for (uint64_t i = addr > line ? addr - line : 0; i < end; i++)
        used[i] = QN_USED;
}

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
    if (QN_UNLIKELY(D1_utilization.bytes))
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
        if (QN_UNLIKELY(D1_utilization.bytes))
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

/* ---- near lines, whose hits need not be reported ----
 *
 *   fast_D1_near(lines, touched)            once; at most so many near lines
 *   fast_D1_ref_touching(addr, size, &clock, tell)   as fast_D1_ref_told; far lines that are used become near, which is recorded (contract.h)
 *   fast_D1_end_near()                      half of the near lines, those used last, stay near; it records which do not
 *   fast_D1_take_near()                     before the list is emptied
 *
 * Between two ends lines only become near.  So all near lines have been used later than all others, and a near line is among the
 * D1_near.lines lines used last.  Their stamps have their order. */

#define NEAR_INDEX_BITS 4
_Static_assert(QN_NEAR_MAX == 1u << NEAR_INDEX_BITS && QN_NEAR_MAX == 16, "sizes of the sort");

static struct {
    uint32_t lines, n;
    uint64_t from;         /* near lines that are in the list: from there on */
    uint64_t *touched;     /* counts lines beyond the first of their reference */
    uint8_t kind;          /* of this reference: enum sim_kind */
    uint64_t at[QN_NEAR_MAX];  /* those that are not in the list */
    struct qn_filter_entry out[QN_NEAR_MAX]; /* near lines that have been evicted */
} D1_near;

static inline uint32_t D1_near_kept(void) { return D1_near.lines / 2; }

static void fast_D1_near(uint32_t lines, uint64_t *touched)
{
    D1_near.lines = lines;
    D1_near.touched = touched;
    qn_sim_far_uses.full = lines;
    qn_sim_far_uses.may_leave = lines > D1.ways;
}

/* ---- near lines that have been evicted ---- */

static inline uint64_t D1_find_out(uint64_t line)
{
    uint64_t i = 0;

    while (i < qn_sim_far_uses.out && D1_near.out[i].line != line)
        i++;
    return i;
}

/* Is this line one of them?  Then it no longer is. */
static inline bool D1_was_out(uint64_t line)
{
    uint64_t i = D1_find_out(line);

    if (QN_LIKELY(i == qn_sim_far_uses.out))
        return false;
    D1_near.out[i] = D1_near.out[--qn_sim_far_uses.out];
    return true;
}

/* The entry of a near line. */
static inline struct qn_filter_entry *D1_near_entry(uint64_t line)
{
    unsigned home = D1_home(line), miss = 0, slot;

    if (QN_LIKELY(D1_slots[home].line == line))
        return &D1_slots[home];
    slot = D1_find(home & (D1.sets - 1), line, &miss);
    return miss ? &D1_near.out[D1_find_out(line)] : &D1_slots[slot];
}

/* ---- the end ---- */

static inline void D1_order(uint64_t *a, uint64_t *b)
{
    uint64_t less = *a < *b ? *a : *b, more = *a < *b ? *b : *a;

    *a = less;
    *b = more;
}

/* Sorts 8 numbers by a network: K. E. Batcher 1968. */
static inline __attribute__((always_inline)) void D1_sort_8(uint64_t *k)
{
    static const uint8_t pairs[][2] = {{0, 1}, {2, 3}, {4, 5}, {6, 7}, {0, 2}, {1, 3}, {4, 6}, {5, 7}, {1, 2}, {5, 6},
                                       {0, 4}, {1, 5}, {2, 6}, {3, 7}, {2, 4}, {3, 5}, {1, 2}, {3, 4}, {5, 6}};

#pragma GCC unroll 19
    for (unsigned i = 0; i < sizeof pairs / sizeof *pairs; i++)
        D1_order(&k[pairs[i][0]], &k[pairs[i][1]]);
}

/* Moves the 8 least of 16 numbers to the front and sorts them. */
static inline __attribute__((always_inline)) void D1_sort_least(uint64_t *k)
{
    D1_sort_8(k);
    D1_sort_8(k + 8);
#pragma GCC unroll 8
    for (unsigned i = 0; i < 8; i++)
        D1_order(&k[i], &k[15 - i]);
#pragma GCC unroll 3
    for (unsigned step = 4; step; step /= 2)
#pragma GCC unroll 8
        for (unsigned i = 0; i < 8; i++)
            if (!(i & step))
                D1_order(&k[i], &k[i + step]);
}

static inline void fast_D1_take_near(void)
{
    struct qn_sim_far_uses *t = &qn_sim_far_uses;

    for (uint64_t i = D1_near.from; i < *t->count; i++)
        D1_near.at[D1_near.n++] = t->list[i].line;
    D1_near.from = 0;
    t->full = D1_near.lines - D1_near.n;
}

/* The line was near, and no longer is. */
static inline void D1_leaves_near(uint64_t line)
{
    if (!D1_was_out(line))
        D1_near_entry(line)->line |= D1_FAR;
    qn_sim_far_uses.list[qn_sim_far_uses.count[0]++] = (struct qn_far_use){.line = line, .how = QN_FAR_USE_LEFT};
    qn_sim_far_uses.count[1]++;
}

static __attribute__((noinline)) void fast_D1_end_near(void)
{
    uint64_t key[QN_NEAR_MAX], near[QN_NEAR_MAX];
    const uint32_t few = QN_NEAR_MAX / 2;
    uint32_t n, left;

    fast_D1_take_near();
    n = D1_near.n;
    left = n > D1_near_kept() ? n - D1_near_kept() : 0;
    for (uint32_t i = 0; i < QN_NEAR_MAX; i++) {
        near[i] = D1_near.at[i];
        key[i] = i < n ? D1_near_entry(near[i])->stamp << NEAR_INDEX_BITS | i : D1_TAKEN;
    }
    if (n <= few)
        D1_sort_8(key);
    else
        D1_sort_least(key);
    D1_near.n = 0;
    for (uint32_t i = 0; i < left; i++)
        D1_leaves_near(near[key[i] % QN_NEAR_MAX]);
    for (uint32_t i = left; i < QN_NEAR_MAX; i++)
        if (key[i] != D1_TAKEN)
            D1_near.at[D1_near.n++] = near[key[i] % QN_NEAR_MAX];
    D1_near.from = *qn_sim_far_uses.count;
    qn_sim_far_uses.full = D1_near.from + D1_near.lines - D1_near.n;
}

/* ---- references ---- */

/* The line was moved to its home.  Is it a far line that becomes near? */
static inline bool D1_comes_near(const struct sim_line *l, unsigned miss, bool more)
{
    bool was_near = !(D1_found & D1_FAR);

    if (miss && l->victim_used && was_near) /* that is, the victim */
        D1_near.out[qn_sim_far_uses.out++] = (struct qn_filter_entry){l->victim, l->victim_used};
    if (miss ? D1_was_out(l->line) : was_near)
        return false;
    qn_sim_far_uses.list[(*qn_sim_far_uses.count)++] =
        (struct qn_far_use){l->line, sim_reference.execution, (uint32_t)sim_reference.site,
                          (uint32_t)D1_near.kind << QN_FAR_USE_KIND_SHIFT | (more ? QN_FAR_USE_MORE : 0)};
    return true;
}

static __attribute__((noinline)) unsigned fast_D1_ref_touching(uint64_t addr, uint32_t size, uint64_t *clock, qn_unit_line *tell)
{
    const uint64_t bytes = 1ull << D1.line_bits, last = (addr + size - 1) & ~(bytes - 1);
    struct sim_line l = {.line = addr & ~(bytes - 1), .first = true};
    unsigned miss = 0, one;
    bool more = false;

    l.several = l.line != last;
    for (;; l.line += bytes) {
        if (*qn_sim_far_uses.count == qn_sim_far_uses.full)
            qn_sim_far_uses_end();
        one = D1_touch_told(&l, l.first ? addr : l.line, ++*clock);
        if (QN_UNLIKELY(D1_utilization.bytes))
            D1_use(l.line, D1_home(l.line), addr, size);
        if (one || l.several)
            tell(&l);
        more |= D1_comes_near(&l, one, more);
        if (!l.first) {
            sim_undoable(D1_near.touched);
            ++*D1_near.touched;
        }
        l.first = false;
        miss |= one;
        if (l.line == last)
            return miss;
    }
}

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
    if (QN_UNLIKELY(D1_utilization.bytes))
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
