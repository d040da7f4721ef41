/* tests/unit/sim/far.c - stack distances from lines that come near and leave, beside a list of all lines, the latest in front; also when
 * numbers run out and lines are numbered anew; the sizes that miss them; and the sample of them. */
#define ANALYSIS_FILE "sim/analysis/mattson.c"
#include "draw_analysis.h"

#include <inttypes.h>

#define NEAR 4u
#define LINES 100000u

static uint64_t list[LINES], n;
static uint64_t random_state = 1;

/* Where the line was; it moves to the front. */
static uint64_t move_to_front(uint64_t line)
{
    uint64_t at = 0;

    while (at < n && list[at] != line)
        at++;
    if (at == n)
        n++;
    memmove(list + 1, list, at * sizeof *list);
    list[0] = line;
    return at;
}

/* Random references to so many lines, some more often than others: how many distances are wrong. */
static uint64_t follow(struct far *f, uint32_t references, uint32_t lines)
{
    uint64_t wrong = 0;

    for (uint32_t i = 0; i < references; i++) {
        uint32_t within = sim_random_below(&random_state, lines) + 1;
        uint64_t line = (uint64_t)sim_random_below(&random_state, within) * LINE, before = n, at = move_to_front(line), d;

        if (at < NEAR && at < before)
            continue;
        d = far_take(f, line);
        wrong += d != (at == before ? FAR_FIRST : at - NEAR);
        if (n > NEAR)
            far_push(f, list[NEAR]);
    }
    return wrong;
}

static void distances(void)
{
    struct far f;

    far_init(&f, 6);
    is_int((int64_t)follow(&f, 3000, 40), 0, "distances among 40 lines");
    is_int((int64_t)follow(&f, 150000, 300), 0, "... among 300, numbered anew");
    ok(f.now < FAR_SLOTS_FIRST && f.slots == FAR_SLOTS_FIRST, "which happened");
    n = 0;
    far_init(&f, 6);
    f.now = 0;
    is_int((int64_t)follow(&f, 20000, 5000), 0, "... among 5000");
}

/* All numbers in use: lines that are never used again, one after the other. */
static void growth(void)
{
    struct far f;

    far_init(&f, 6);
    for (uint64_t i = 0; i < 3 * FAR_SLOTS_FIRST; i++)
        far_push(&f, i * LINE);
    is_int(f.slots, 4 * FAR_SLOTS_FIRST, "there are more numbers when all are in use");
    is_int((int64_t)far_take(&f, 0), 3 * FAR_SLOTS_FIRST - 1, "... the oldest line has all others before it");
    is_int((int64_t)far_take(&f, (3 * FAR_SLOTS_FIRST - 1) * LINE), 0, "... the latest none");
    is_int((int64_t)far_take(&f, 70000 * LINE), 3 * FAR_SLOTS_FIRST - 2 - 70000, "... and one between those that came later");
    is_int((int64_t)far_take(&f, 70000 * LINE), -1, "what has been taken is not there");
}

/* Added up anew. */
static bool squares_are(const struct shards *s)
{
    bool right = true;

    for (unsigned k = 0; k < CURVE_FIRST; k++) {
        shards_wide sum = 0;

        for (uint32_t i = 0; i < s->n; i++) {
            uint64_t weights = 0;

            for (unsigned class = k + 1; class < CURVE_CLASSES; class++)
                weights += s->lines[s->heap[i]].of[class];
            sum += (shards_wide)(weights >> SHARDS_PARTS_BITS) * (weights >> SHARDS_PARTS_BITS);
        }
        right &= sum == s->squares[k];
    }
    return right;
}

/* The same for caches of 4 lines and up: for how many references the number of caches that miss is wrong.  When 4 lines are near, the 2 of
 * them that were used first leave. */
static uint64_t follow_groups(struct groups *g, uint32_t references, uint32_t lines)
{
    uint64_t wrong = 0;
    uint32_t near = 0;

    for (uint32_t i = 0; i < references; i++) {
        uint32_t within = sim_random_below(&random_state, lines) + 1, misses = 0;
        uint64_t line = (uint64_t)sim_random_below(&random_state, within) * LINE, before = n, at = move_to_front(line);

        if (at < near)
            continue;
        while (misses < g->n && 4ull << misses <= at)
            misses++;
        wrong += groups_take(g, line) != (at == before ? GROUPS_FIRST : misses);
        if (++near == 4)
            while (near > 2)
                groups_push(g, list[--near]);
    }
    return wrong;
}

/* n sizes: 4 lines, and each twice the one before. */
static void begin_groups(struct groups *g, unsigned sizes)
{
    groups_init(g, 6);
    for (unsigned i = 0; i < sizes; i++)
        groups_add(g, 4u << i);
}

static void groups_of_sizes(void)
{
    struct groups g;

    n = 0;
    begin_groups(&g, 12);
    is_int((int64_t)follow_groups(&g, 3000, 40), 0, "caches of 4 lines and up, 40 lines");
    n = 0;
    begin_groups(&g, 3);
    is_int((int64_t)follow_groups(&g, 20000, 5000), 0, "... of 4, 8, 16, and 5000 lines");
    n = 0;
    begin_groups(&g, 12);
    g.now = GROUPS_NUMBERS - 1000; /* as if so many lines had been pushed */
    is_int((int64_t)follow_groups(&g, 20000, 5000), 0, "... up to 8192, numbered anew");
    ok(g.now < GROUPS_NUMBERS / 2, "which happened");
}

static void more_groups(void)
{
    struct groups g;

    begin_groups(&g, 20);
    for (uint64_t i = 0; i < GROUPS_NUMBERS + 10; i++) {
        groups_take(&g, i * LINE);
        groups_push(&g, i * LINE);
    }
    is_int(g.numbers, 2 * GROUPS_NUMBERS, "there are more numbers when all are in use");
    is_int(groups_take(&g, 0), 19, "... the oldest line misses all sizes but that of 2^21 lines");
    is_int(groups_take(&g, (GROUPS_NUMBERS - 6) * LINE), 3, "... and the 17th of the latest those of 4, 8 and 16");
}

static void sample_one(struct shards *s, uint64_t line, uint64_t leaves)
{
    shards_use(s, line, NEAR, true);
    if (leaves != SIM_NO_LINE)
        shards_leave(s, leaves);
}

/* Lines used in turn: the sample of few of them says about how many there are, and by how much it may be wrong. */
static void sample(uint32_t lines, uint32_t most, uint32_t part)
{
    static const int64_t none[QN_COST_EVENTS];
    struct sim_term terms[2];
    struct shards s;
    uint64_t wanted = 20ull * lines, got, error, least;

    begin_tables();
    shards_init(&s, 6, most, part);
    for (unsigned k = 0; k <= 30; k += 30) {
        shards_terms(&s, k, terms);
        sim_row(terms, 2, "%%U %%U");
    }
    for (uint32_t i = 0; i < 20 * lines; i++)
        sample_one(&s, (uint64_t)(i % lines) * LINE, i < NEAR ? SIM_NO_LINE : (uint64_t)((i - NEAR) % lines) * LINE);
    *said = 0;
    qn_cost_print_rows(row_tables, &table_head, none, put_row, NULL);
    sscanf(said, "%" SCNu64 " %" SCNu64 " %" SCNu64, &got, &error, &least);
    if (most >= lines)
        ok(got == wanted && !error, "as many lines as there are: exact");
    else
        ok(got + 4 * error > wanted && got < wanted + 4 * error && error, "%u of %u lines: %d of %d misses, give or take %d", most, lines, (int)got,
           (int)wanted, (int)error);
    if (part && lines / part > most)
        ok(s.n > lines / part * 9 / 10 && s.n < lines / part * 11 / 10, "... about one line in %u: %u", part, s.n);
    else
        is_int(s.n, most < lines ? most : lines, "... and no more lines than that");
    is_int((int64_t)least, (int64_t)(s.all[31] + s.all[32] + s.all[33]) >> SHARDS_PARTS_BITS, "... large caches miss first references only");
    ok(most >= lines || squares_are(&s), "... the squares are those of the lines of the sample");
}

int main(void)
{
    distances();
    growth();
    groups_of_sizes();
    more_groups();
    sample(1000, 2000, 0);
    sample(20000, 500, 0);
    sample(20000, 50, 0);
    sample(20000, 50, 10);
    sample(20000, 500, 100);
    sample(1000, 2000, 100);
    return done_testing();
}
