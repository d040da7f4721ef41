/* lib/sim/fast/near.h - near lines, whose hits need not be told; included by D1.h.
 *
 *   fast_D1_near(lines, touched)            once; at most so many near lines
 *   fast_D1_ref_touching(addr, size, &clock, tell)   as fast_D1_ref_told; far lines that are used become near, which is written down (touches.h)
 *   fast_D1_end_near()                      half of the near lines, those used last, stay near; it writes down which do not
 *   fast_D1_take_near()                     before the list is emptied
 *
 * Between two ends lines only become near.  So all near lines have been used later than all others, and a near line is among the
 * D1_near.lines lines used last.  Their stamps have their order.
 */

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
    qn_sim_touches.full = lines;
    qn_sim_touches.may_leave = lines > D1.ways;
}

/* ---- near lines that have been evicted ---- */

static inline uint64_t D1_find_out(uint64_t line)
{
    uint64_t i = 0;

    while (i < qn_sim_touches.out && D1_near.out[i].line != line)
        i++;
    return i;
}

/* Is this line one of them?  Then it no longer is. */
static inline bool D1_was_out(uint64_t line)
{
    uint64_t i = D1_find_out(line);

    if (QN_LIKELY(i == qn_sim_touches.out))
        return false;
    D1_near.out[i] = D1_near.out[--qn_sim_touches.out];
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
    struct qn_sim_touches *t = &qn_sim_touches;

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
    qn_sim_touches.list[qn_sim_touches.count[0]++] = (struct qn_touch){.line = line, .how = QN_TOUCH_LEFT};
    qn_sim_touches.count[1]++;
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
    D1_near.from = *qn_sim_touches.count;
    qn_sim_touches.full = D1_near.from + D1_near.lines - D1_near.n;
}

/* ---- references ---- */

/* The line was moved to its home.  Is it a far line that becomes near? */
static inline bool D1_comes_near(const struct sim_line *l, unsigned miss, bool more)
{
    bool was_near = !(D1_found & D1_FAR);

    if (miss && l->victim_used && was_near) /* that is, the victim */
        D1_near.out[qn_sim_touches.out++] = (struct qn_filter_entry){l->victim, l->victim_used};
    if (miss ? D1_was_out(l->line) : was_near)
        return false;
    qn_sim_touches.list[(*qn_sim_touches.count)++] =
        (struct qn_touch){l->line, sim_reference.execution, (uint32_t)sim_reference.site,
                          (uint32_t)D1_near.kind << QN_TOUCH_KIND_SHIFT | (more ? QN_TOUCH_MORE : 0)};
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
        if (*qn_sim_touches.count == qn_sim_touches.full)
            qn_sim_touches_end();
        one = D1_touch_told(&l, l.first ? addr : l.line, ++*clock);
        if (QN_UNLIKELY(D1_uses.bytes))
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
