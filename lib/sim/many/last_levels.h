/* lib/sim/many/last_levels.h - the LLs below many D1s; see many.h.  Included by caches.c, behind the table.
 *
 * LLs that are alike mostly hold the same lines; what differs is when each saw a line last, because each D1 lets other
 * references through.  So the LLs of a group share the tags of a set, and a line has a bit and a time for each:
 *
 *   set 5:  line A  in LL 0 1 2 3   used at 90 88 88 12        a miss of D1s 0 and 1 that finds A: one search, two times
 *           line B  in LL 0 1 2     used at 95 95 70  -
 *
 * An LL that does not have the line gives up the one with its oldest time, once it has as many as ways in this set.
 * A line that no LL has is forgotten.  Most references go to the line that was the set's last already, in the same LLs:
 * then nothing changes, and nothing is looked up.
 */
#define LL_COUNT (sizeof many_LL / sizeof many_LL[0])
#define LANES (sizeof many_D1 / sizeof many_D1[0]) /* an LL is known in its group by the D1 above it */

struct shared_line {
    uint64_t in;          /* which LLs have it */
    uint64_t used[LANES]; /* time, where they have it */
};

struct shared_set {
    uint64_t recent;      /* the line referenced last */
    uint64_t touched;     /* LLs whose newest line it is, therefore */
    uint32_t place;       /* of it */
    uint32_t count;       /* lines */
};

/* A group's sets lie side by side, each with the same room: as many lines as ways at first, twice that when one is full. */
struct shared_cache {
    struct shared_set *sets;
    uint64_t *tags;       /* by set and place: address / line size */
    struct shared_line *lines;
    uint32_t room;
};

static struct shared_cache shared[MANY_GROUPS + 1];
static uint64_t last_level_misses[3][LL_COUNT]; /* reads, writes, fetches */
static uint8_t lane_LL[MANY_GROUPS + 1][LANES]; /* number of the LL */
static uint64_t last_level_time;

static void make_room(struct shared_cache *c, uint32_t sets, uint32_t room)
{
    uint64_t *tags = sim_alloc((uint64_t)sets * room * sizeof *tags);
    struct shared_line *lines = sim_alloc((uint64_t)sets * room * sizeof *lines);

    for (uint64_t set = 0; c->room && set < sets; set++) {
        __builtin_memcpy(tags + set * room, c->tags + set * c->room, c->sets[set].count * sizeof *tags);
        __builtin_memcpy(lines + set * room, c->lines + set * c->room, c->sets[set].count * sizeof *lines);
    }
    c->tags = tags;
    c->lines = lines;
    c->room = room;
}

/* The line's place in its set, a new one if nobody has it. */
static uint32_t find_line(struct shared_cache *c, uint32_t sets, uint64_t set, uint64_t line)
{
    struct shared_set *s = &c->sets[set];
    const uint64_t *tags = c->tags + set * c->room;

    for (uint32_t i = 0; i < s->count; i++)
        if (tags[i] == line)
            return i;
    if (s->count == c->room)
        make_room(c, sets, 2 * c->room);
    c->tags[set * c->room + s->count] = line;
    c->lines[set * c->room + s->count].in = 0;
    return s->count++;
}

/* The line that LL `lane` gives up; NULL: it has room. */
static struct shared_line *find_victim(struct shared_line *lines, uint32_t count, unsigned lane, uint32_t ways)
{
    struct shared_line *oldest = NULL;
    uint32_t held = 0;

    for (uint32_t i = 0; i < count; i++) {
        struct shared_line *l = &lines[i];

        if (!(l->in >> lane & 1))
            continue;
        held++;
        if (!oldest || l->used[lane] < oldest->used[lane])
            oldest = l;
    }
    return held < ways ? NULL : oldest;
}

/* Lines that nobody has make room. */
static void forget_lines(struct shared_set *s, uint64_t *tags, struct shared_line *lines)
{
    for (uint32_t i = 0; i < s->count;) {
        if (lines[i].in) {
            i++;
            continue;
        }
        s->count--;
        lines[i] = lines[s->count];
        tags[i] = tags[s->count];
        if (s->place == s->count)
            s->place = i;
    }
}

static void fill_line(struct shared_cache *c, uint64_t set, uint32_t ways, uint32_t place, uint64_t missed)
{
    struct shared_line *lines = c->lines + set * c->room;
    bool forget = false;

    for (uint64_t m = missed; m; m &= m - 1) {
        unsigned lane = (unsigned)__builtin_ctzll(m);
        struct shared_line *victim = find_victim(lines, c->sets[set].count, lane, ways);

        if (victim) {
            victim->in &= ~(1ull << lane);
            forget |= !victim->in;
        }
    }
    lines[place].in |= missed;
    if (forget)
        forget_lines(&c->sets[set], c->tags + set * c->room, lines);
}

/* The line is not the one referenced last, or not by all of these. */
static SIM_NCSR uint64_t touch_line(unsigned g, struct shared_set *s, uint64_t line, uint64_t D1s)
{
    const struct many_group *group = &many_groups[g];
    struct shared_cache *c = &shared[g];
    uint64_t set = line & (group->sets - 1), missed, time = ++last_level_time;
    struct shared_line *l;

    if (s->recent != line || !s->count) {
        s->place = find_line(c, group->sets, set, line);
        s->recent = line;
        s->touched = 0;
    }
    l = &c->lines[set * c->room + s->place];
    missed = D1s & ~l->in;
    for (uint64_t m = D1s & ~s->touched; m; m &= m - 1)
        l->used[__builtin_ctzll(m)] = time;
    s->touched |= D1s;
    if (QN_UNLIKELY(missed))
        fill_line(c, set, group->ways, s->place, missed);
    return missed;
}

/* One line in the LLs below these D1s.  Returns those that did not have it. */
static inline uint64_t group_line(unsigned g, uint64_t line, uint64_t D1s)
{
    struct shared_set *s = &shared[g].sets[line & (many_groups[g].sets - 1)];

    if (s->recent == line && !(D1s & ~s->touched))
        return 0;
    return touch_line(g, s, line, D1s);
}

static inline __attribute__((always_inline)) uint64_t group_ref(unsigned g, uint64_t D1s, uint64_t addr, uint32_t size, unsigned which)
{
    unsigned bits = many_groups[g].line_bits;
    uint64_t line = addr >> bits, last = (addr + size - 1) >> bits, missed = 0, LLs = 0;

    D1s &= many_groups[g].D1s;
    for (; D1s && line <= last; line++)
        missed |= group_line(g, line, D1s);
    for (; missed; missed &= missed - 1) {
        unsigned n = lane_LL[g][__builtin_ctzll(missed)];

        last_level_misses[which][n]++;
        LLs |= 1ull << n;
    }
    return LLs;
}

static SIM_NCSR __attribute__((unused)) uint64_t ask_last_level(unsigned n, uint64_t addr, uint32_t size, enum sim_kind kind)
{
    return AT_WORK(SLOT_LL, SIM_IN_DOREF, ++asked, many_LL[n].member->ref(addr, size, kind)) & 1;
}

/* A reference that these D1s missed, or a fetch.  Returns the LLs that missed, too. */
static inline __attribute__((always_inline)) uint64_t last_levels_ref(uint64_t D1s, uint64_t addr, uint32_t size, enum sim_kind kind)
{
    unsigned which = kind == SIM_FETCH ? 2 : kind == SIM_WRITE;
    uint64_t missed = 0;

#pragma GCC unroll 64
    for (unsigned g = 0; g != MANY_GROUPS; g++)
        missed |= group_ref(g, D1s, addr, size, which);
#pragma GCC unroll 64
    for (unsigned n = 0; n < LL_COUNT; n++)
        if (many_LL[n].group == MANY_NONE && D1s >> many_LL[n].D1 & 1) {
            uint64_t miss = ask_last_level(n, addr, size, kind);

            last_level_misses[which][n] += miss;
            missed |= miss << n;
        }
    return missed;
}

static void last_levels_init(uint64_t seed)
{
    for (unsigned g = 0; g != MANY_GROUPS; g++) {
        shared[g].sets = sim_alloc(many_groups[g].sets * sizeof *shared[g].sets);
        make_room(&shared[g], many_groups[g].sets, many_groups[g].ways);
    }
    for (unsigned n = 0; n < LL_COUNT; n++) {
        const struct many_LL *l = &many_LL[n];
        struct sim_config config = many_config("LL", n, l->size, l->ways, l->line, seed);

        if (l->group == MANY_NONE)
            l->member->init(&config);
        else
            lane_LL[l->group][l->D1] = (uint8_t)n;
    }
}

static void last_levels_finish(void)
{
    for (unsigned n = 0; n < LL_COUNT; n++) {
        sim_print("many LL %u %U %U %U", n, last_level_misses[2][n], last_level_misses[0][n], last_level_misses[1][n]);
        if (many_LL[n].group == MANY_NONE)
            many_LL[n].member->finish();
    }
}
