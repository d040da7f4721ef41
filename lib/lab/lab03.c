/* lib/lab/lab03.c - the tests of lab 3: replacement policies, each a policy file in slot D1 of a hosted simulator.
 *
 * What becomes of every single reference is compared with the model's, so that a policy cannot be right by chance.
 * Lines are one byte long: a reference names its line.
 */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lab/model_cache.h"
#include "lab/replay.h"

#define CASES 4
#define REFS 500
#define SETS_RANDOM 512u /* of the test of random */
#define WAYS_RANDOM 4u
#define EXPECTED (SETS_RANDOM / WAYS_RANDOM)
#define SPREAD 55       /* more than five standard deviations of the 128 that are expected (9.8) */
#define SHOWN 12        /* references told of a set */

struct policy {
    const char *file;
    enum qn_lab_policy model;
    bool power_of_two;      /* of ways */
};

static const struct policy fifo = { "fifo.c", QN_LAB_FIFO, false }, lru = { "lru.c", QN_LAB_LRU, false },
                           plru = { "plru.c", QN_LAB_PLRU, true }, nru = { "nru.c", QN_LAB_NRU, false },
                           srrip = { "srrip.c", QN_LAB_SRRIP, false }, opt = { "opt.c", QN_LAB_OPT, false };

/* ---- the answer ---- */

static uint64_t next_use(const struct qn_lab_trace *t, size_t at)
{
    for (size_t i = at + 1; i < t->n; i++)
        if (t->at[i].addr == t->at[at].addr)
            return i;
    return UINT64_MAX;
}

static unsigned char *work_out(const struct qn_lab_trace *t, enum qn_lab_policy model, unsigned sets, unsigned ways)
{
    struct qn_lab_cache *cache = qn_lab_new_cache(model, sets, ways);
    unsigned char *missed = malloc(t->n + 1);

    if (!missed)
        abort();
    for (size_t i = 0; i < t->n; i++)
        missed[i] = !qn_lab_touch_line(cache, t->at[i].addr, model == QN_LAB_OPT ? next_use(t, i) : 0).hit;
    qn_lab_free_cache(cache);
    return missed;
}

/* ---- comparing ---- */

/* The references that this set saw before, the last SHOWN of them. */
static bool tell(struct qn_lab_check *c, const struct qn_lab_trace *t, size_t at, unsigned sets, unsigned ways,
                 bool wanted_miss)
{
    uint64_t set = t->at[at].addr & (sets - 1);
    size_t first = at;
    char history[SHOWN * 24] = "";

    for (unsigned n = 0; first > 0 && n < SHOWN;)
        n += (t->at[--first].addr & (sets - 1)) == set;
    for (size_t i = first; i < at; i++)
        if ((t->at[i].addr & (sets - 1)) == set)
            snprintf(history + strlen(history), sizeof history - strlen(history), " %llx",
                     (unsigned long long)t->at[i].addr);
    return qn_lab_say(c,
                      "%u sets of %u ways, reference %zu, line %llx: got a %s, wanted a %s; this set saw%s%s before",
                      sets, ways, at + 1, (unsigned long long)t->at[at].addr, wanted_miss ? "hit" : "miss",
                      wanted_miss ? "miss" : "hit", first ? " ..." : "", history);
}

static bool compare(struct qn_lab_check *c, const struct qn_lab_trace *t, const struct qn_lab_replay *r,
                    const struct policy *p, unsigned sets, unsigned ways)
{
    unsigned char *missed = work_out(t, p->model, sets, ways);
    size_t at = 0;

    while (at < t->n && (r->outcomes[at] & 1) == missed[at])
        at++;
    if (at < t->n)
        tell(c, t, at, sets, ways, missed[at]);
    free(missed);
    return at == t->n;
}

/* extra: one more option, or NULL. */
static bool agrees(struct qn_lab_check *c, const struct policy *p, const struct qn_lab_trace *t, unsigned sets,
                   unsigned ways, const char *extra)
{
    char d1[64];
    struct qn_lab_replay r = { .program = qn_lab_simulator(c, "D1", p->file, NULL), .options = { d1, extra },
                               .trace = qn_lab_write_trace(c, t, "trace.txt"), .kind = 'D', .references = t->n };
    bool good;

    snprintf(d1, sizeof d1, "--D1=%u,%u,1", sets * ways, ways);
    good = qn_lab_replay(c, &r) && compare(c, t, &r, p, sets, ways);
    qn_lab_free_replay(&r);
    return good;
}

static bool agrees_on_random(struct qn_lab_check *c, const struct policy *p, const char *extra)
{
    unsigned sets = 1u << qn_lab_below(c, 3),
             ways = p->power_of_two ? 2u << qn_lab_below(c, 3) : qn_lab_between(c, 2, 9);
    struct qn_lab_pattern pattern = { 0x40, 2 * sets * ways + 1, 0, 1, "L" };
    struct qn_lab_trace t = { .n = 0 };
    bool good;

    qn_lab_draw_refs(c, &t, &pattern, REFS);
    good = agrees(c, p, &t, sets, ways, extra);
    qn_lab_free_trace(&t);
    return good;
}

static bool cases(struct qn_lab_check *c, const struct policy *p)
{
    for (unsigned i = 0; i < CASES; i++)
        if (!agrees_on_random(c, p, NULL))
            return false;
    return true;
}

static bool test_fifo(struct qn_lab_check *c) { return cases(c, &fifo); }
static bool test_lru(struct qn_lab_check *c) { return cases(c, &lru); }
static bool test_plru(struct qn_lab_check *c) { return cases(c, &plru); }
static bool test_nru(struct qn_lab_check *c) { return cases(c, &nru); }
static bool test_srrip(struct qn_lab_check *c) { return cases(c, &srrip); }
static bool test_opt(struct qn_lab_check *c) { return cases(c, &opt); }

/* ---- what is known ---- */

static bool count_misses(struct qn_lab_check *c, const struct policy *p, const struct qn_lab_trace *t, unsigned ways,
                         unsigned *misses)
{
    char d1[64];
    struct qn_lab_replay r = { .program = qn_lab_simulator(c, "D1", p->file, NULL), .options = { d1 },
                               .trace = qn_lab_write_trace(c, t, "trace.txt"), .kind = 'D', .references = t->n };
    bool good;

    snprintf(d1, sizeof d1, "--D1=%u,%u,1", ways, ways);
    good = qn_lab_replay(c, &r);
    *misses = 0;
    for (size_t i = 0; good && i < t->n; i++)
        *misses += r.outcomes[i] & 1;
    qn_lab_free_replay(&r);
    return good;
}

static bool belady(struct qn_lab_check *c)
{
    static const struct {
        const struct policy *p;
        unsigned faults[2]; /* with 3 and with 4 frames */
    } known[] = { { &fifo, { 9, 10 } }, { &lru, { 10, 8 } }, { &opt, { 7, 6 } } };
    static const char string[] = "123412512345";
    struct qn_lab_trace t = { .n = 0 };
    bool good = true;

    for (const char *page = string; *page; page++)
        qn_lab_add_ref(&t, 'L', (uint64_t)(*page - '0'), 1);
    for (unsigned i = 0; i < 2 * QN_ARRAY_LEN(known); i++) {
        unsigned misses, want = known[i / 2].faults[i % 2], frames = 3 + i % 2;

        if (!count_misses(c, known[i / 2].p, &t, frames, &misses))
            good = false;
        else if (misses != want)
            good = qn_lab_say(c, "%s, %u frames: got %u faults, wanted %u", known[i / 2].p->file, frames, misses, want);
    }
    qn_lab_free_trace(&t);
    return good;
}

/* n lines in turn, where ways < n: LRU and FIFO miss always; OPT misses once in (n-1)/(n-ways) references, then. */
static bool cyclic(struct qn_lab_check *c)
{
    unsigned ways = qn_lab_between(c, 4, 12), n = ways + qn_lab_between(c, 1, 3), rounds = 40, misses[3], least;
    struct qn_lab_trace t = { .n = 0 };
    bool good;

    for (unsigned i = 0; i < n * rounds; i++)
        qn_lab_add_ref(&t, 'L', i % n, 1);
    good = count_misses(c, &lru, &t, ways, &misses[0]) && count_misses(c, &fifo, &t, ways, &misses[1])
           && count_misses(c, &opt, &t, ways, &misses[2]);
    qn_lab_free_trace(&t);
    if (!good)
        return false;
    least = n + n * (rounds - 1) * (n - ways) / (n - 1);
    if (misses[0] != n * rounds || misses[1] != n * rounds)
        return qn_lab_say(c, "%u lines in turn, %u ways: LRU missed %u, FIFO %u, wanted %u", n, ways, misses[0],
                          misses[1], n * rounds);
    return (misses[2] + n >= least && misses[2] <= least + n)
           || qn_lab_say(c, "%u lines in turn, %u ways: OPT missed %u of %u, wanted about %u", n, ways, misses[2],
                         n * rounds, least);
}

/* ---- random ---- */

/* Fills every set, brings one more line into each, then asks each set for one of the first: for way `way`, or in
 * turn.  Counts how often it was the one that had to leave. */
static bool count_victims(struct qn_lab_check *c, unsigned way, bool in_turn, const char *seed, unsigned *victims)
{
    char d1[64];
    struct qn_lab_replay r = { .program = qn_lab_simulator(c, "D1", "random.c", NULL),
                               .options = { d1, seed },
                               .kind = 'D' };
    struct qn_lab_trace t = { .n = 0 };
    unsigned base = qn_lab_below(c, 1000) * SETS_RANDOM;
    bool good;

    for (unsigned i = 0; i < SETS_RANDOM * (WAYS_RANDOM + 1); i++)
        qn_lab_add_ref(&t, 'L', base + i, 1);
    for (unsigned set = 0; set < SETS_RANDOM; set++)
        qn_lab_add_ref(&t, 'L', base + set + SETS_RANDOM * (in_turn ? (set + way) % WAYS_RANDOM : way), 1);
    snprintf(d1, sizeof d1, "--D1=%u,%u,1", SETS_RANDOM * WAYS_RANDOM, WAYS_RANDOM);
    r.trace = qn_lab_write_trace(c, &t, "trace.txt");
    r.references = t.n;
    good = qn_lab_replay(c, &r);
    *victims = 0;
    for (size_t i = SETS_RANDOM * (WAYS_RANDOM + 1); good && i < t.n; i++)
        *victims += r.outcomes[i] & 1;
    qn_lab_free_replay(&r);
    qn_lab_free_trace(&t);
    return good;
}

static bool test_random(struct qn_lab_check *c)
{
    char seed[32];
    unsigned n, sum = 0;

    for (unsigned i = 0; i < 2 * WAYS_RANDOM; i++) {
        snprintf(seed, sizeof seed, "--seed=%u", qn_lab_below(c, 1u << 30));
        if (!count_victims(c, i % WAYS_RANDOM, i >= WAYS_RANDOM, seed, &n))
            return false;
        sum += n;
        if (n < EXPECTED - SPREAD || n > EXPECTED + SPREAD)
            return qn_lab_say(
                c, "%u sets of %u ways: %s was the victim %u times, wanted about %u", SETS_RANDOM, WAYS_RANDOM,
                i >= WAYS_RANDOM ? "the way that follows that of the set before" : "the same way", n, EXPECTED);
    }
    return sum != 2 * WAYS_RANDOM * EXPECTED
           || qn_lab_say(c, "every way was chosen exactly as often: that is not chance");
}

/* ---- settled ---- */

static bool test_settled(struct qn_lab_check *c)
{
    static const struct policy *const all[] = { &fifo, &lru, &plru, &nru, &srrip };

    for (unsigned i = 0; i < QN_ARRAY_LEN(all); i++)
        if (!agrees_on_random(c, all[i], "--check=yes"))
            return qn_lab_say(c, "that was %s, with --check=yes", all[i]->file);
    return true;
}

static const struct qn_lab_test tests[] = {
    { "fifo: the line that came first leaves", 10, test_fifo },
    { "lru: the line used longest ago leaves", 10, test_lru },
    { "plru: a tree of bits", 15, test_plru },
    { "nru: a bit per line", 10, test_nru },
    { "srrip: two bits per line", 15, test_srrip },
    { "random: every way is as likely", 10, test_random },
    { "opt: the line used again last leaves", 15, test_opt },
    { "Belady's string: fifo 9 10, lru 10 8, opt 7 6", 5, belady },
    { "a walk in circles: lru and fifo miss always, opt does not", 5, cyclic },
    { "settled lines: --check finds no difference", 5, test_settled },
};

static const char *const files[] = { "fifo.c", "lru.c", "plru.c", "nru.c", "srrip.c", "random.c", "opt.c", NULL };

const struct qn_lab qn_lab_03 = {
    3, "03-policies", "Replacement policies and OPT", files, tests, QN_ARRAY_LEN(tests), false
};
