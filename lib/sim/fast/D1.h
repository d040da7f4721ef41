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
 *   fast_D1_ref_told(addr, size, &clock, tell)   the same; calls tell for each line that misses, with its victim, or is not recent; if
 *                                                the reference spans several lines, for each of them
 *   fast_D1_drop(line)             removes the line, for an inclusive LL
 *   fast_D1_filter(geometry)       the table, for emitted code
 *   fast_D1_show(line, lines)      the lines of this line's set, the one used last first, for --explain
 */
#include "sim/contract.h"
#include "sim/fast/fast.h"
#include "sim/module.h"
#include "sim/stream.h"

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

/* A bit of an entry's line: it is not recent (see below), so that it does not hit in emitted code. */
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

static inline unsigned D1_home(uint64_t line) { return (unsigned)(line >> D1.line_bits) & (D1.slots - 1); }

static inline unsigned D1_touch(uint64_t line, uint64_t now)
{
    unsigned home = D1_home(line), miss = 0, slot;

    if (D1_slots[home].line != line) {
        slot = D1_find(home & (D1.sets - 1), line, &miss);
        D1_slots[slot] = D1_slots[home];
        D1_slots[home].line = line;
    }
    D1_slots[home].stamp = now;
    return miss;
}

/* ---- the last user of a line ----
 *
 * For --explain: a word for each entry, which moves with its line (struct qn_sim_users).  Its table has the offsets of D1_slots. */

static struct {
    struct qn_filter_entry *of; /* by entry: `line` is the word; NULL: not used */
} D1_users;

static inline void D1_change_user(unsigned home, unsigned place)
{
    qn_sim_users.was = D1_users.of[place].line;
    D1_users.of[place].line = D1_users.of[home].line;
    D1_users.of[home].line = qn_sim_users.me;
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

/* ---- recent lines, of whose uses the stream says nothing (contract.h) ----
 *
 *   fast_D1_recent(most)    once; at most so many
 *   fast_D1_thin()          when there are so many: those not used since the last time are no longer recent, which is recorded
 *   fast_D1_gather()        before the buffer of records is emptied
 *
 * All recent lines were used later than all others, and their stamps have their order.  Lines that become recent are those in the records
 * from D1_recent.from on, so emitted code keeps no list. */

#define D1_RECENT_BITS 8 /* of an index of them */
#define D1_PARTS_BITS 6
#define D1_PARTS (1u << D1_PARTS_BITS)
_Static_assert(QN_RECENT_MAX < 1u << D1_RECENT_BITS, "as many as there are indexes");

struct D1_recent_line {
    uint64_t line;
    struct qn_filter_entry *entry;
};

static struct {
    uint32_t most, n, out;
    uint64_t since;                          /* time of the newest use when they were thinned last */
    const struct sim_record *from;
    uint64_t line[QN_RECENT_MAX + 1];
    struct qn_filter_entry evicted[QN_RECENT_MAX + 1]; /* those that are not in the D1: `out` of them */
} D1_recent;

static inline uint8_t *D1_out(uint64_t line) { return &qn_sim_stream.out[line >> D1.line_bits & 0xff]; }

/* D1_recent.out: it is none of these. */
static inline uint32_t D1_find_evicted(uint64_t line)
{
    uint32_t i = *D1_out(line) ? 0 : D1_recent.out;

    while (i < D1_recent.out && D1_recent.evicted[i].line != line)
        i++;
    return i;
}

static inline void D1_evict_recent(uint64_t line, uint64_t stamp)
{
    D1_recent.evicted[D1_recent.out++] = (struct qn_filter_entry){line, stamp};
    ++*D1_out(line);
}

static inline void D1_forget_evicted(uint64_t line)
{
    D1_recent.evicted[D1_find_evicted(line)] = D1_recent.evicted[--D1_recent.out];
    --*D1_out(line);
}

static struct qn_filter_entry *D1_recent_entry(uint64_t line)
{
    unsigned home = D1_home(line), miss = 0, slot;

    if (QN_LIKELY(D1_slots[home].line == line))
        return &D1_slots[home];
    slot = D1_find(home & (D1.sets - 1), line, &miss);
    return miss ? NULL : &D1_slots[slot];
}

/* Puts keys of the times oldest to newest into D1_PARTS parts of that range, in order. */
static void D1_part_recent(uint64_t *key, uint32_t n, uint64_t oldest, uint64_t newest)
{
    const unsigned bits = 64 - (unsigned)__builtin_clzll((newest - oldest) | 1), shift = bits < D1_PARTS_BITS ? 0 : bits - D1_PARTS_BITS;
    uint8_t end[D1_PARTS + 1] = {0};
    uint64_t from[QN_RECENT_MAX + 1];

    __builtin_memcpy(from, key, n * sizeof *key);
    for (uint32_t i = 0; i < n; i++)
        end[(((from[i] >> D1_RECENT_BITS) - oldest) >> shift) + 1]++;
    for (unsigned i = 1; i < D1_PARTS; i++)
        end[i] = (uint8_t)(end[i] + end[i - 1]);
    for (uint32_t i = 0; i < n; i++)
        key[end[((from[i] >> D1_RECENT_BITS) - oldest) >> shift]++] = from[i];
}

static void D1_sort_recent(uint64_t *key, uint32_t n)
{
    for (uint32_t i = 1; i < n; i++) {
        uint64_t it = key[i];
        uint32_t k = i;

        for (; k && key[k - 1] > it; k--)
            key[k] = key[k - 1];
        key[k] = it;
    }
}

static void D1_leave(const struct D1_recent_line *l)
{
    if (l->entry)
        l->entry->line |= D1_FAR;
    else
        D1_forget_evicted(l->line);
    qn_stream_left(l->line);
}

static void fast_D1_gather(void)
{
    for (const struct sim_record *r = D1_recent.from; r < *qn_sim_stream.next; r++)
        if (qn_sim_stream.uses && !(r->what & (SIM_LEFT | SIM_RECENT)))
            D1_recent.line[D1_recent.n++] = r->line;
    D1_recent.from = *qn_sim_stream.next;
}

/* If more than half would stay, only the newest half does. */
static __attribute__((noinline)) void fast_D1_thin(void)
{
    struct D1_recent_line all[QN_RECENT_MAX + 1];
    static uint64_t key[QN_RECENT_MAX + 1]; /* the time of the last use, and below it an index */
    uint64_t newest = 0, oldest = ~0ull;
    uint32_t n = D1_recent.n, leave = 0;

    for (uint32_t i = 0; i < n; i++) {
        struct D1_recent_line *l = &all[i];
        uint64_t stamp;

        l->line = D1_recent.line[i];
        l->entry = D1_recent_entry(l->line);
        stamp = l->entry ? l->entry->stamp : D1_recent.evicted[D1_find_evicted(l->line)].stamp;
        newest = stamp > newest ? stamp : newest;
        oldest = stamp < oldest ? stamp : oldest;
        leave += stamp <= D1_recent.since;
        key[i] = stamp << D1_RECENT_BITS | i;
    }
    leave = leave + D1_recent.most / 2 < n ? n - D1_recent.most / 2 : leave;
    if (n >= D1_PARTS)
        D1_part_recent(key, n, oldest, newest);
    D1_sort_recent(key, n);
    for (uint32_t i = 0; i < n; i++) {
        const struct D1_recent_line *l = &all[key[i] & ((1u << D1_RECENT_BITS) - 1)];

        if (i < leave)
            D1_leave(l);
        else
            D1_recent.line[i - leave] = l->line;
    }
    D1_recent.n = n - leave;
    D1_recent.since = newest;
    D1_recent.from = *qn_sim_stream.next;
}

/* Makes room for a line that becomes recent.  Returns how many may. */
static uint32_t fast_D1_make_room(void)
{
    fast_D1_gather();
    if (D1_recent.n >= D1_recent.most)
        fast_D1_thin();
    return D1_recent.most - D1_recent.n;
}

static void fast_D1_recent(uint32_t most)
{
    D1_recent.most = most;
    D1_recent.from = qn_sim_stream.first;
}

/* ---- references with callbacks ---- */

/* As D1_touch.  Fills *l: the victim, and the times of last use.  addr: of the first byte in the line that is referenced. */
static inline unsigned D1_touch_told(struct qn_line_use *l, uint64_t addr, uint64_t now)
{
    unsigned at = D1_home(l->line), miss = 0;
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
    l->used = miss ? 0 : was.stamp;
    l->victim = miss && was.stamp ? was.line & ~D1_FAR : QN_NO_LINE;
    l->victim_used = miss ? was.stamp : 0;
    if (!qn_sim_stream.uses)
        return miss;
    l->recent = miss ? D1_find_evicted(l->line) < D1_recent.out : !(was.line & D1_FAR);
    if (miss && l->recent)
        D1_forget_evicted(l->line);
    if (l->victim_used && !(was.line & D1_FAR))
        D1_evict_recent(l->victim, l->victim_used);
    return miss;
}

static inline unsigned fast_D1_ref_told(uint64_t addr, uint32_t size, uint64_t *clock, qn_line_told *tell)
{
    const uint64_t bytes = 1ull << D1.line_bits, last = (addr + size - 1) & ~(bytes - 1);
    struct qn_line_use l = {.line = addr & ~(bytes - 1), .first = true, .recent = true};
    unsigned miss = 0, one;

    l.several = l.line != last;
    for (;; l.line += bytes) {
        if (qn_sim_stream.uses && *qn_sim_stream.next >= qn_sim_stream.full) {
            fast_D1_make_room();
            qn_sim_stream.full = *qn_sim_stream.next + 1;
        }
        one = D1_touch_told(&l, l.first ? addr : l.line, ++*clock);
        if (QN_UNLIKELY(D1_utilization.bytes))
            D1_use(l.line, D1_home(l.line), addr, size);
        if (one || l.several || !l.recent)
            tell(&l);
        l.first = false;
        miss |= one;
        if (l.line == last) /* which may be the last line of memory */
            return miss;
    }
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

/* ---- --data=use ---- */

#ifndef QN_SIM_HOSTED /* a replay has no data objects */
#define UTILIZATION_LINE_BITS_MAX 7 /* emitted code multiplies 16, the size of the filter's entries, by up to 8 */

uint64_t qn_sim_utilization;

bool qn_sim_tell_utilization(const struct qn_utilization_hooks *hooks)
{
    if (!qn_fast.D1.sets)
        return false;
    D1_utilization.bytes = qn_engine_alloc_low((uint64_t)D1.slots << D1.line_bits);
    D1_utilization.word = qn_engine_alloc(D1.slots * sizeof *D1_utilization.word);
    D1_utilization.hooks = hooks;
    qn_sim_utilization = (uintptr_t)D1_utilization.bytes;
    if (D1.line_bits > UTILIZATION_LINE_BITS_MAX)
        qn_sim_d1_filter.entries = 0;
    return true;
}

void qn_sim_end_utilization(void)
{
    for (unsigned slot = 0; slot < D1.slots && D1_utilization.bytes; slot++)
        if (D1_slots[slot].line != QN_NO_LINE)
            fast_D1_drop(D1_slots[slot].line & ~D1_FAR);
}
#endif
