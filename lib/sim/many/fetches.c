/* lib/sim/many/fetches.c - slot LL of a build that simulates many caches at once; see many.h.  It gets the fetches that missed the I1,
 * for all LLs, and from caches.c each data reference with the D1s that missed it, for the LLs below these.
 *
 * This unit does not use the table's numbers as constants, so it is the same for all builds and is compiled in advance
 * (libquern-many.a).  Therefore it also has the rarely executed parts of slot D1 (caches.c).
 */
#include "sim/fast/rows.h"
#include "sim/many/many.h"

#define LEVEL "many"
#define LEVEL_FINISH 1

/* ---- the LLs below many D1s ----
 *
 * LLs of the same geometry mostly hold the same lines.  They differ in the time of a line's last use, because each D1 misses other
 * references.  So the LLs of a group share the tags of a set, and a line has a bit and a time for each LL:
 *
 *   set 5:  line A  in LL 0 1 2 3   used at 90 88 88 12        a miss of D1s 0 and 1 that finds A: one search, two times
 *           line B  in LL 0 1 2     used at 95 95 70  -
 *
 * An LL that misses the line evicts the line with its oldest time, if it has as many lines as ways in this set.  A line that no LL
 * holds is removed.  Most references go to the line that was used last in its set, by the same LLs: then nothing changes, and
 * no look-up is needed. */

struct shared_line {
    uint64_t in;     /* a bit for each LL that holds it */
    uint64_t used[]; /* the time of its last use in each of these; an LL is numbered in its group by the D1 above it */
};

struct shared_set {
    uint64_t recent;      /* the line referenced last */
    uint64_t touched;     /* the LLs in which it is the most recently used of its set */
    uint32_t place;       /* its index in the set */
    uint32_t count;       /* lines */
};

/* The sets of a group lie side by side, each with room for the same number of lines: at first the ways, doubled when a set is full. */
struct shared_cache {
    struct shared_set *sets;
    uint64_t *tags;       /* by set and place: address / line size */
    uint64_t *lines;      /* by set and place: struct shared_line, each of as many words as line_words says */
    uint32_t room;
    uint32_t set_mask, line_bits, ways;
    uint64_t D1s;         /* a bit for each D1 that has an LL in this group */
    uint8_t LL[MANY_MAX]; /* by D1: the number of its LL */
};

static struct shared_cache shared[MANY_MAX];
static bool is_simple; /* all LLs are in one group */
static uint64_t last_level_misses[3][MANY_MAX]; /* reads, writes, fetches */
static uint64_t last_level_time;
static uint8_t policies[MANY_MAX]; /* numbers of the LLs that are in no group */
static unsigned policy_count;
static uint64_t asked; /* the number of references to policies, for messages */

static inline uint32_t line_words(void) { return 1 + many_D1_count; }

static inline struct shared_line *line_at(const struct shared_cache *c, uint64_t place)
{
    return (struct shared_line *)(c->lines + place * line_words());
}

static void make_room(struct shared_cache *c, uint32_t room)
{
    uint64_t sets = c->set_mask + 1ull;
    uint32_t words = line_words();
    uint64_t *tags = sim_alloc(sets * room * sizeof *tags);
    uint64_t *lines = sim_alloc(sets * room * words * sizeof *lines);

    for (uint64_t set = 0; c->room && set < sets; set++) {
        __builtin_memcpy(tags + set * room, c->tags + set * c->room, c->sets[set].count * sizeof *tags);
        __builtin_memcpy(lines + set * room * words, c->lines + set * c->room * words,
                         (uint64_t)c->sets[set].count * words * sizeof *lines);
    }
    c->tags = tags;
    c->lines = lines;
    c->room = room;
}

/* The index of the line in its set; adds it if no LL holds it. */
static uint32_t find_line(struct shared_cache *c, uint64_t set, uint64_t line)
{
    struct shared_set *s = &c->sets[set];
    const uint64_t *tags = c->tags + set * c->room;

    for (uint32_t i = 0; i < s->count; i++)
        if (tags[i] == line)
            return i;
    if (s->count == c->room)
        make_room(c, 2 * c->room);
    c->tags[set * c->room + s->count] = line;
    line_at(c, set * c->room + s->count)->in = 0;
    return s->count++;
}

/* The victim of LL `lane`; NULL: the LL has a free way. */
static struct shared_line *find_victim(const struct shared_cache *c, uint64_t set, unsigned lane)
{
    struct shared_line *oldest = NULL;
    uint32_t held = 0;

    for (uint32_t i = 0; i < c->sets[set].count; i++) {
        struct shared_line *l = line_at(c, set * c->room + i);

        if (!(l->in >> lane & 1))
            continue;
        held++;
        if (!oldest || l->used[lane] < oldest->used[lane])
            oldest = l;
    }
    return held < c->ways ? NULL : oldest;
}

/* Removes the lines that no LL holds. */
static void forget_lines(struct shared_cache *c, uint64_t set)
{
    struct shared_set *s = &c->sets[set];
    uint64_t *tags = c->tags + set * c->room;

    for (uint32_t i = 0; i < s->count;) {
        struct shared_line *l = line_at(c, set * c->room + i);

        if (l->in) {
            i++;
            continue;
        }
        s->count--;
        __builtin_memmove(l, line_at(c, set * c->room + s->count), line_words() * sizeof *c->lines);
        tags[i] = tags[s->count];
        if (s->place == s->count)
            s->place = i;
    }
}

static void fill_line(struct shared_cache *c, uint64_t set, uint32_t place, uint64_t missed)
{
    bool forget = false;

    for (uint64_t m = missed; m; m &= m - 1) {
        unsigned lane = (unsigned)__builtin_ctzll(m);
        struct shared_line *victim = find_victim(c, set, lane);

        if (victim) {
            victim->in &= ~(1ull << lane);
            forget |= !victim->in;
        }
    }
    line_at(c, set * c->room + place)->in |= missed;
    if (forget)
        forget_lines(c, set);
}

/* A reference to a line for which is_recent is false. */
static uint64_t touch_line(struct shared_cache *c, uint64_t line, uint64_t D1s)
{
    uint64_t set = line & c->set_mask, missed, time = ++last_level_time;
    struct shared_set *s = &c->sets[set];
    struct shared_line *l;

    if (s->recent != line || !s->count) {
        s->place = find_line(c, set, line);
        s->recent = line;
        s->touched = 0;
    }
    l = line_at(c, set * c->room + s->place);
    missed = D1s & ~l->in;
    for (uint64_t m = D1s & ~s->touched; m; m &= m - 1)
        l->used[__builtin_ctzll(m)] = time;
    s->touched |= D1s;
    if (QN_UNLIKELY(missed))
        fill_line(c, set, s->place, missed);
    return missed;
}

/* Is the line the most recently used of its set in all these LLs? */
static inline bool is_recent(const struct shared_cache *c, uint64_t line, uint64_t D1s)
{
    const struct shared_set *s = &c->sets[line & c->set_mask];

    return s->recent == line && !(D1s & ~s->touched);
}

/* Counts a miss for each of these LLs.  Returns 1 if LL #0 is among them. */
static unsigned count_misses(const struct shared_cache *c, uint64_t missed, enum sim_kind kind)
{
    uint64_t *counts = last_level_misses[kind == SIM_FETCH ? 2 : kind == SIM_WRITE];
    bool first = false;

    for (; missed; missed &= missed - 1) {
        unsigned n = c->LL[__builtin_ctzll(missed)];

        counts[n]++;
        first |= n == 0;
    }
    return first;
}

/* A reference in the LLs below these D1s.  Returns 1 if LL #0 missed. */
static unsigned group_ref(struct shared_cache *c, uint64_t D1s, uint64_t addr, uint32_t size, enum sim_kind kind)
{
    uint64_t line = addr >> c->line_bits, last = (addr + size - 1) >> c->line_bits, missed = 0;

    D1s &= c->D1s;
    if (!D1s)
        return count_misses(c, missed, kind);
    SIM_EACH_LINE(line, last)
        if (!is_recent(c, line, D1s))
            missed |= touch_line(c, line, D1s);
    return count_misses(c, missed, kind);
}

/* The same for one line that is not recent. */
static __attribute__((noinline)) unsigned one_line(struct shared_cache *c, uint64_t line, uint64_t D1s, enum sim_kind kind)
{
    return count_misses(c, touch_line(c, line, D1s), kind);
}

static unsigned ask_last_level(unsigned n, uint64_t addr, uint32_t size, enum sim_kind kind)
{
    return IN_MODULE(SLOT_LL, SIM_IN_DOREF, ++asked, many_LL[n].member->ref(addr, size, kind)) & 1;
}

static __attribute__((noinline)) unsigned several_groups(uint64_t D1s, uint64_t addr, uint32_t size, enum sim_kind kind)
{
    unsigned missed = false;

    for (unsigned g = 0; g < many_group_count; g++)
        missed |= group_ref(&shared[g], D1s, addr, size, kind);
    for (unsigned i = 0; i < policy_count; i++)
        if (D1s >> many_LL[policies[i]].D1 & 1) {
            unsigned n = policies[i], miss = ask_last_level(n, addr, size, kind);

            last_level_misses[kind == SIM_FETCH ? 2 : kind == SIM_WRITE][n] += miss;
            missed |= miss & (n == 0);
        }
    return missed;
}

/* A fetch is in all of `D1s`. */
unsigned many_last_levels(uint64_t D1s, uint64_t addr, uint32_t size, enum sim_kind kind)
{
    struct shared_cache *c = &shared[0];
    uint64_t line = addr >> c->line_bits;

    if (QN_UNLIKELY(!is_simple || line != (addr + size - 1) >> c->line_bits))
        return several_groups(D1s, addr, size, kind);
    D1s &= c->D1s;
    return is_recent(c, line, D1s) ? false : one_line(c, line, D1s, kind);
}

static void group_init(struct shared_cache *c, const struct many_group *group)
{
    c->set_mask = group->sets - 1;
    c->line_bits = group->line_bits;
    c->ways = group->ways;
    c->D1s = group->D1s;
    c->sets = sim_alloc(group->sets * sizeof *c->sets);
    make_room(c, group->ways);
}

static void last_levels_init(uint64_t seed)
{
    for (unsigned g = 0; g < many_group_count; g++)
        group_init(&shared[g], &many_groups[g]);
    for (unsigned n = 0; n < many_LL_count; n++) {
        const struct many_LL *l = &many_LL[n];
        struct sim_config config = many_config("LL", n, l->size, l->ways, l->line, seed);

        if (l->group == MANY_NONE) {
            l->member->init(&config);
            policies[policy_count++] = (uint8_t)n;
        } else {
            shared[l->group].LL[l->D1] = (uint8_t)n;
        }
    }
    is_simple = many_group_count == 1 && !policy_count;
}

static void last_levels_finish(void)
{
    for (unsigned n = 0; n < many_LL_count; n++) {
        const char *slot = many_name("LL", n);

        sim_total(slot, "DLmr", last_level_misses[0][n], "reads missed");
        sim_total(slot, "DLmw", last_level_misses[1][n], "writes missed");
        sim_total(slot, "ILmr", last_level_misses[2][n], "fetches missed");
        if (many_LL[n].group == MANY_NONE)
            many_LL[n].member->finish();
    }
}

/* ---- slot D1: references to several lines, policies, start and end of a run ---- */

static uint64_t D1_asked;                  /* the number of references to policies, for messages */
static uint64_t D1_misses[2][MANY_MAX];    /* reads and writes, without those that are still in `together` */

/* Misses by the set of D1s that missed together, because the same few sets are frequent. */
#define TOGETHER_BITS 8
static struct {
    uint64_t D1s, times[2];
} together[1u << TOGETHER_BITS];

static void add_up(unsigned t)
{
    for (unsigned write = 0; write < 2; write++) {
        for (uint64_t m = together[t].D1s; m; m &= m - 1)
            D1_misses[write][__builtin_ctzll(m)] += together[t].times[write];
        together[t].times[write] = 0;
    }
}

void many_count_misses(uint64_t D1s, bool write)
{
    unsigned t = (unsigned)(D1s * 0x9e3779b97f4a7c15ull >> (64 - TOGETHER_BITS)); /* Fibonacci hashing */

    if (QN_UNLIKELY(together[t].D1s != D1s)) {
        add_up(t);
        together[t].D1s = D1s;
    }
    together[t].times[write]++;
}

/* Returns a bit for each D1 that missed one of the lines.  Adds all policies to `ask`. */
static uint64_t stacks_ref_long(uint64_t addr, uint32_t size, uint64_t *ask)
{
    uint64_t missed = 0;

    for (uint32_t i = 0; i < many_node_count; i++) {
        const struct many_node *node = &many_nodes[i];
        uint64_t line = addr >> node->line_bits, last = (addr + size - 1) >> node->line_bits;

        *ask |= node->members;
        SIM_EACH_LINE(line, last) {
            uint64_t *row = many_rows + node->rows + (line & (node->sets - 1)) * node->ways;

            missed |= many_missed_at[node->depths + row_search(row, node->ways, line + 1)];
        }
    }
    return missed;
}

uint64_t many_ask(uint64_t which, uint64_t addr, uint32_t size, enum sim_kind kind)
{
    uint64_t missed = 0;

    for (; which; which &= which - 1) {
        unsigned d = (unsigned)__builtin_ctzll(which);
        uint64_t miss = IN_MODULE(SLOT_D1, SIM_IN_DOREF, ++D1_asked, many_D1[d].member->ref(addr, size, kind)) & 1;

        missed |= miss << d;
    }
    return missed;
}

/* A reference to several lines, which counts as one miss at most. */
uint64_t many_ref_long(uint64_t ask, uint64_t addr, uint32_t size, enum sim_kind kind)
{
    uint64_t missed = stacks_ref_long(addr, size, &ask);

    return missed | many_ask(ask, addr, size, kind);
}

/* ---- at the start, and at the end ---- */

void many_init_D1s(uint64_t seed)
{
    for (uint32_t d = 0; d < many_D1_count; d++) {
        const struct many_D1 *D1 = &many_D1[d];
        const struct many_node *node = &many_nodes[D1->node];
        struct sim_config own = many_config("D1", d, D1->size, D1->ways, D1->line, seed);

        if (D1->member)
            D1->member->init(&own);
        for (uint32_t depth = D1->ways; !D1->member && depth <= node->ways; depth++)
            many_missed_at[node->depths + depth] |= 1ull << d;
    }
}

void many_finish_D1s(void)
{
    for (unsigned t = 0; t < 1u << TOGETHER_BITS; t++)
        add_up(t);
    for (uint32_t d = 0; d < many_D1_count; d++) {
        const char *slot = many_name("D1", d);

        sim_total(slot, "D1mr", D1_misses[0][d], "reads missed");
        sim_total(slot, "D1mw", D1_misses[1][d], "writes missed");
        if (many_D1[d].member)
            many_D1[d].member->finish();
    }
}

/* ---- the slot ---- */

static void cachesim_LL_initcache(const struct sim_config *config) { last_levels_init(config->seed); }

static void cachesim_LL_doref(uint64_t addr, uint32_t size, enum sim_kind kind, struct sim_result *result)
{
    result->miss = many_last_levels(~0ull, addr, size, kind);
}

static void cachesim_LL_finish(void) { last_levels_finish(); }
