/* lib/sim/many/last_levels.h - the LLs below many D1s; see many.h.  Included by fetches.c.
 *
 * LLs of the same geometry mostly hold the same lines.  They differ in the time of a line's last use, because each D1 misses other
 * references.  So the LLs of a group share the tags of a set, and a line has a bit and a time for each LL:
 *
 *   set 5:  line A  in LL 0 1 2 3   used at 90 88 88 12        a miss of D1s 0 and 1 that finds A: one search, two times
 *           line B  in LL 0 1 2     used at 95 95 70  -
 *
 * An LL that misses the line evicts the line with its oldest time, if it has as many lines as ways in this set.  A line that no LL
 * holds is removed.  Most references go to the line that was used last in its set, by the same LLs: then nothing changes, and
 * no look-up is needed.
 */
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
    return AT_WORK(SLOT_LL, SIM_IN_DOREF, ++asked, many_LL[n].member->ref(addr, size, kind)) & 1;
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

/* A reference that these D1s missed, or a fetch.  The usual case is handled inline. */
static inline unsigned last_levels_ref(uint64_t D1s, uint64_t addr, uint32_t size, enum sim_kind kind)
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
        sim_print("many LL %u %U %U %U", n, last_level_misses[2][n], last_level_misses[0][n], last_level_misses[1][n]);
        if (many_LL[n].group == MANY_NONE)
            many_LL[n].member->finish();
    }
}
