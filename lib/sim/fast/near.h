/* lib/sim/fast/near.h - near lines that are told later, several at once; included by D1.h.
 *
 *   fast_D1_ref_comes, emitted code: a line becomes near     -> qn_sim_comes
 *   the list is full: fast_D1_comes_told(&u)                 -> u: the lines that became near, and those that are no longer near
 *
 * Between two calls lines only become near.  There are at most D1_comes.lines near lines; half of them, those used last, stay near after a
 * call.  So all near lines have been used later than all others, and a near line is among the D1_comes.lines lines used last.  Their stamps
 * have their order.
 */

#define COMES_INDEX_BITS 4
#define COMES_NEAR_MAX (1u << COMES_INDEX_BITS)
_Static_assert(COMES_NEAR_MAX == 2 * QN_COMES_MAX, "sizes of the sort");

struct D1_near_line {
    uint64_t line;
    struct qn_filter_entry *home;
};

static struct {
    uint32_t lines, n, n_out;
    uint64_t *touched;     /* counts lines beyond the first of their reference */
    qn_slow_call *full;    /* called when the list is full */
    struct D1_near_line at[COMES_NEAR_MAX];
    struct qn_filter_entry out[COMES_NEAR_MAX]; /* near lines that have been evicted */
} D1_comes;

static void fast_D1_comes(uint32_t lines, uint64_t *touched, qn_slow_call *full)
{
    D1_comes.lines = lines;
    D1_comes.touched = touched;
    D1_comes.full = full;
}

/* ---- near lines that have been evicted ---- */

static inline uint32_t D1_find_out(uint64_t line)
{
    uint32_t i = 0;

    while (i < D1_comes.n_out && D1_comes.out[i].line != line)
        i++;
    return i;
}

/* Is this line one of them?  Then it no longer is. */
static inline bool D1_was_out(uint64_t line)
{
    uint32_t i = D1_find_out(line);

    if (QN_LIKELY(i == D1_comes.n_out))
        return false;
    D1_comes.out[i] = D1_comes.out[--D1_comes.n_out];
    return true;
}

/* The entry of a near line. */
static inline struct qn_filter_entry *D1_near_entry_of(struct D1_near_line l)
{
    unsigned miss = 0, slot;

    if (QN_LIKELY(l.home->line == l.line))
        return l.home;
    slot = D1_find((unsigned)(l.home - D1_slots) & (D1.sets - 1), l.line, &miss);
    return miss ? &D1_comes.out[D1_find_out(l.line)] : &D1_slots[slot];
}

/* ---- references ---- */

/* The line was moved to its home. */
static inline void D1_comes_later(const struct sim_line *l, unsigned miss)
{
    bool was_near = !(D1_near.found & D1_FAR);

    if (miss && l->victim_used && was_near) /* that is, the victim */
        D1_comes.out[D1_comes.n_out++] = (struct qn_filter_entry){l->victim, l->victim_used};
    if (miss ? D1_was_out(l->line) : was_near)
        return;
    qn_sim_comes.at[*qn_sim_comes.count] = (struct qn_come){
        l->line, (uint64_t)((char *)D1_home(l->line) - (char *)D1_slots), sim_reference.site, sim_reference.execution};
    if (++*qn_sim_comes.count == qn_sim_comes.full)
        D1_comes.full();
}

static __attribute__((noinline, flatten)) unsigned fast_D1_ref_comes(uint64_t addr, uint32_t size, uint64_t *clock, qn_unit_line *tell)
{
    const uint64_t bytes = 1ull << D1.line_bits, last = (addr + size - 1) & ~(bytes - 1);
    struct sim_line l = {.line = addr & ~(bytes - 1), .first = true};
    unsigned miss = 0, one;

    l.several = l.line != last;
    if (QN_UNLIKELY(l.several && *qn_sim_comes.count))
        D1_comes.full(); /* what is in the list changes counts before `touched` does */
    for (;; l.line += bytes) {
        one = D1_touch_told(&l, l.first ? addr : l.line, ++*clock);
        if (QN_UNLIKELY(D1_uses.bytes))
            D1_use(l.line, (unsigned)(l.line >> D1.line_bits) & (D1.slots - 1), addr, size);
        if (one || l.several)
            tell(&l);
        D1_comes_later(&l, one);
        if (!l.first) {
            sim_undoable(D1_comes.touched);
            ++*D1_comes.touched;
        }
        l.first = false;
        miss |= one;
        if (l.line == last)
            return miss;
    }
}

/* ---- what has come and left ---- */

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

/* The near lines, those in the list at the end.  Empties the list. */
static inline uint32_t D1_take_comes(struct D1_near_line near[COMES_NEAR_MAX], uint32_t n_come)
{
    uint32_t n = D1_comes.n;

    for (uint32_t i = 0; i < n; i++)
        near[i] = D1_comes.at[i];
    for (uint32_t i = 0; i < n_come; i++)
        near[n++] = (struct D1_near_line){qn_sim_comes.at[i].line, (struct qn_filter_entry *)((char *)D1_slots + qn_sim_comes.at[i].home)};
    *qn_sim_comes.count = 0;
    return n;
}

static inline uint32_t D1_comes_kept(void) { return D1_comes.lines / 2; }

/* left: for the lines that are no longer near */
static inline void fast_D1_comes_told(struct qn_unit_near *u, uint64_t left[QN_COMES_MAX])
{
    uint64_t key[COMES_NEAR_MAX];
    struct D1_near_line near[COMES_NEAR_MAX];
    uint32_t n;

    *u = (struct qn_unit_near){.come = qn_sim_comes.at, .left = left, .n_come = (uint32_t)*qn_sim_comes.count};
    n = D1_take_comes(near, u->n_come);
    for (uint32_t i = 0; i < COMES_NEAR_MAX; i++)
        key[i] = i < n ? D1_near_entry_of(near[i])->stamp << COMES_INDEX_BITS | i : D1_TAKEN;
    D1_sort_least(key);
    u->n_left = n > D1_comes_kept() ? n - D1_comes_kept() : 0;
    for (uint32_t i = 0; i < u->n_left; i++) {
        struct D1_near_line l = near[key[i] % COMES_NEAR_MAX];

        left[i] = l.line;
        if (!D1_was_out(l.line))
            D1_near_entry_of(l)->line |= D1_FAR;
    }
    D1_comes.n = 0;
    for (uint32_t i = u->n_left; i < COMES_NEAR_MAX; i++)
        if (key[i] != D1_TAKEN)
            D1_comes.at[D1_comes.n++] = near[key[i] % COMES_NEAR_MAX];
}
