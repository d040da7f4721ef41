/* lib/lab/labs/lab03.c - the tests of lab 3: replacement policies, each a module that is called by messages (module.h).
 *
 * The outcome of every reference is compared with the model's, so that a policy cannot be right by chance.
 * Lines are one byte long: a reference names its line.
 */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lab/models/models.h"
#include "base/grow.h"
#include "lab/module.h"

#define CASES 4
#define REFS 500
#define TAIL 60         /* random references behind a string whose victims could be known by heart */
#define SHOWN 12        /* references of a set that why.txt shows */

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

/* *settled: hits that change nothing. */
static unsigned char *work_out(const struct qn_lab_trace *t, enum qn_lab_policy model, unsigned sets, unsigned ways,
                               const struct qn_lab_variant *rules, size_t *settled)
{
    struct qn_lab_cache *cache = qn_lab_new_variant_cache(model, sets, ways, rules);
    unsigned char *missed = QN_NEEDED(malloc(t->n + 1));

    *settled = 0;
    for (size_t i = 0; i < t->n; i++) {
        struct qn_lab_touch touch = qn_lab_touch_line(cache, t->at[i].addr, model == QN_LAB_OPT ? next_use(t, i) : 0);

        missed[i] = !touch.hit;
        *settled += touch.settled;
    }
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

/* Shows the lines that a right policy would have there, and its last victims. */
static void explain_model(struct qn_lab_check *c, const struct qn_lab_managed *m, const struct policy *p, size_t at)
{
    struct qn_lab_cache *cache = qn_lab_new_variant_cache(p->model, m->sets, m->ways, qn_lab_rules(c));
    unsigned set = (unsigned)(m->trace->at[at].addr & (m->sets - 1));
    uint64_t line;

    for (size_t i = 0; i < at; i++) {
        struct qn_lab_touch t = qn_lab_touch_line(cache, m->trace->at[i].addr, p->model == QN_LAB_OPT ? next_use(m->trace, i) : 0);

        if (t.evicted && t.victim == m->trace->at[at].addr)
            qn_lab_why(c, "A right policy gave line %llx up at reference %zu.", (unsigned long long)t.victim, i + 1);
    }
    qn_lab_why(c, "With a right policy the set would hold:");
    for (unsigned way = 0; way < m->ways; way++)
        if (qn_lab_line_in(cache, set, way, &line))
            qn_lab_why(c, "    way %u: line %llx", way, (unsigned long long)line);
    qn_lab_free_cache(cache);
}

static uint64_t little_endian(const uint8_t *bytes, unsigned n)
{
    uint64_t v = 0;

    while (n-- > 0)
        v = v << 8 | bytes[n];
    return v;
}

/* Runs the module again, up to the wrong reference, and shows what is in the set then, and the policy's own state. */
static void explain(struct qn_lab_check *c, const struct qn_lab_managed *m, const struct policy *p, size_t at, bool wanted_miss)
{
    struct qn_lab_managed again = *m;
    uint64_t lines[64];
    struct qn_lab_trace part = { m->trace->at, at + 1, 0 };

    again.stop = at;
    again.lines = lines;
    if (!qn_lab_keeps(c) || m->ways > QN_ARRAY_LEN(lines) || !qn_lab_manage(c, &again))
        return;
    qn_lab_write_trace(c, &part, "trace.txt");
    qn_lab_why(c, "%s, %u sets of %u ways. Reference %zu, the last line of trace.txt, is to line %llx, set %llu: it was a %s, wanted a %s.", p->file,
               m->sets, m->ways, at + 1, (unsigned long long)m->trace->at[at].addr,
               (unsigned long long)m->trace->at[at].addr & (m->sets - 1), wanted_miss ? "hit" : "miss", wanted_miss ? "miss" : "hit");
    qn_lab_why(c, "Before it the set held, with the state of your policy:");
    for (unsigned way = 0; way < again.filled; way++)
        qn_lab_why(c, "    way %u: line %llx%s%s", way, (unsigned long long)lines[way], again.way_bytes ? ", way_state " : "",
                   again.way_bytes ? qn_lab_number(little_endian(again.state + way * again.way_bytes, again.way_bytes)) : "");
    if (again.set_bytes)
        qn_lab_why(c, "    set_state %s", qn_lab_number(little_endian(again.state + m->ways * again.way_bytes, again.set_bytes)));
    explain_model(c, m, p, at);
    qn_lab_why_with(c, "trace.txt", "In a debugger:\n    quern sim build --replay --D1=%s --cflags='-g -O0' -o mine\n"
                  "    gdb -ex 'break policy_victim' -ex run --args ./mine --D1=%u,%u,1", p->file, m->sets * m->ways, m->ways);
}

/* The module did not come to its end: the trace up to there, and what names function and reference. */
static void keep_crash(struct qn_lab_check *c, const struct qn_lab_managed *m, const struct policy *p)
{
    struct qn_lab_trace part = { m->trace->at, m->reached + 1, 0 };

    if (!qn_lab_keeps(c) || !m->program)
        return;
    qn_lab_write_trace(c, &part, "trace.txt");
    qn_lab_why(c, "%s did not come to the end of trace.txt, %u sets of %u ways.", p->file, m->sets, m->ways);
    qn_lab_why_with(c, "trace.txt", "The same with line numbers in gdb:\n    quern sim build --replay --D1=%s --cflags='-g -O0' -o mine\n"
                  "    gdb -ex run --args ./mine --D1=%u,%u,1", p->file, m->sets * m->ways, m->ways);
}

static bool compare(struct qn_lab_check *c, const struct qn_lab_managed *m, const struct policy *p)
{
    const struct qn_lab_trace *t = m->trace;
    size_t at = 0, settled;
    unsigned char *missed = work_out(t, p->model, m->sets, m->ways, qn_lab_rules(c), &settled);

    while (at < t->n && m->missed[at] == missed[at])
        at++;
    if (at < t->n) {
        tell(c, t, at, m->sets, m->ways, missed[at]);
        explain(c, m, p, at, missed[at]);
    }
    free(missed);
    if (at == t->n && m->settled != QN_LAB_TELL_ALL && m->declared * 4 < settled * 3)
        return qn_lab_say(c, "%u sets of %u ways: policy_settled says so of %zu hits; %zu change nothing, wanted three quarters of them at least",
                          m->sets, m->ways, m->declared, settled);
    return at == t->n;
}

static bool agrees(struct qn_lab_check *c, const struct policy *p, const struct qn_lab_trace *t, unsigned sets, unsigned ways,
                   enum qn_lab_settled settled)
{
    struct qn_lab_managed m = { .program = qn_lab_module(c, p->file, false), .trace = t, .sets = sets, .ways = ways, .settled = settled,
                                .stop = SIZE_MAX, .missed = calloc(t->n + 1, 1) };
    bool ended = qn_lab_manage(c, &m), good = ended && compare(c, &m, p);

    if (!ended)
        keep_crash(c, &m, p);
    if (good && m.unproved != SIZE_MAX)
        good = qn_lab_say(c, "%u sets of %u ways, reference %zu, line %llx: policy_settled says that a hit changes nothing, and it changes "
                             "the state of the set", sets, ways, m.unproved + 1, (unsigned long long)t->at[m.unproved].addr);
    free(m.missed);
    return good;
}

static bool agrees_on_random(struct qn_lab_check *c, const struct policy *p, enum qn_lab_settled settled)
{
    unsigned sets = 1u << qn_lab_below(c, 3),
             least = qn_lab_is_variant(c) ? 4 : 2, /* ways in which rules can differ */
             ways = p->power_of_two ? least << qn_lab_below(c, 3) : qn_lab_between(c, least, 9);
    struct qn_lab_pattern pattern = { 0x40, 2 * sets * ways + 1, 0, 1, "L" };
    struct qn_lab_trace t = { .n = 0 };
    bool good;

    qn_lab_draw_refs(c, &t, &pattern, REFS);
    good = agrees(c, p, &t, sets, ways, settled);
    qn_lab_free_trace(&t);
    return good;
}

static bool cases(struct qn_lab_check *c, const struct policy *p)
{
    for (unsigned i = 0; i < CASES; i++)
        if (!agrees_on_random(c, p, QN_LAB_TELL_ALL))
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

static void add_tail(struct qn_lab_check *c, struct qn_lab_trace *t, unsigned lines)
{
    for (unsigned i = 0; i < TAIL; i++)
        qn_lab_add_ref(t, 'L', qn_lab_below(c, lines), 1);
}

static bool belady(struct qn_lab_check *c)
{
    static const struct policy *const all[] = { &fifo, &lru, &opt };
    static const char string[] = "123412512345";
    struct qn_lab_trace t = { .n = 0 };
    bool good = true;

    for (const char *page = string; *page; page++)
        qn_lab_add_ref(&t, 'L', (uint64_t)(*page - '0'), 1);
    add_tail(c, &t, 5);
    for (unsigned i = 0; i < 2 * QN_ARRAY_LEN(all); i++)
        if (!agrees(c, all[i / 2], &t, 1, 3 + i % 2, QN_LAB_TELL_ALL))
            good = qn_lab_say(c, "that was %s, %u frames", all[i / 2]->file, 3 + i % 2);
    qn_lab_free_trace(&t);
    return good;
}

/* n lines in turn, where ways < n. */
static bool cyclic(struct qn_lab_check *c)
{
    static const struct policy *const all[] = { &fifo, &lru, &opt };
    unsigned ways = qn_lab_between(c, 4, 12), n = ways + qn_lab_between(c, 1, 3), rounds = 40;
    struct qn_lab_trace t = { .n = 0 };
    bool good = true;

    for (unsigned i = 0; i < n * rounds; i++)
        qn_lab_add_ref(&t, 'L', i % n, 1);
    add_tail(c, &t, n + 2);
    for (unsigned i = 0; i < QN_ARRAY_LEN(all); i++)
        if (!agrees(c, all[i], &t, 1, ways, QN_LAB_TELL_ALL))
            good = qn_lab_say(c, "that was %s, %u lines in turn", all[i]->file, n);
    qn_lab_free_trace(&t);
    return good;
}

/* ---- random: its victims in some sets, under many seeds ---- */

#define SEEDS 64
#define SETS 16
#define WAYS 4
#define VICTIMS 16      /* of each set */
#define SIGMAS 7.5      /* honest code is further from what is expected once in 10^9 times */

struct victims {
    uint8_t of[SEEDS][VICTIMS + 2][SETS]; /* ways; the first two of each set are those that were filled last */
};

/* Every set is filled in order, and then misses. */
static bool collect_victims(struct qn_lab_check *c, struct victims *v, unsigned seed)
{
    unsigned char missed[SETS * (WAYS + VICTIMS)], victims[SETS * (WAYS + VICTIMS)];
    struct qn_lab_trace t = { .n = 0 };
    struct qn_lab_managed m = { .program = qn_lab_module(c, "random.c", false), .trace = &t, .sets = SETS, .ways = WAYS, .seed = qn_lab_draw(c),
                                .stop = SIZE_MAX, .missed = missed, .victims = victims };
    unsigned base = qn_lab_below(c, 1000) * SETS;
    bool good;

    for (unsigned i = 0; i < SETS * (WAYS + VICTIMS); i++)
        qn_lab_add_ref(&t, 'L', base + i, 1);
    good = qn_lab_manage(c, &m);
    for (unsigned set = 0; good && set < SETS; set++) {
        v->of[seed][0][set] = WAYS - 2;
        v->of[seed][1][set] = WAYS - 1;
        for (unsigned i = 0; i < VICTIMS; i++)
            v->of[seed][i + 2][set] = victims[SETS * (WAYS + i) + set];
    }
    qn_lab_free_trace(&t);
    return good;
}

/* Is n too far from what is expected of `of` draws with probability p?  A victim that must never be is none. */
static bool is_odd(unsigned n, unsigned of, double p)
{
    double far = n - of * p;

    return far * far > SIGMAS * SIGMAS * of * p * (1 - p);
}

/* Two victims, with a probability for each difference of their ways (modulo WAYS): those of a set behind each other, or of two sets. */
struct pairing {
    const char *what;
    unsigned rounds, sets; /* how far the second one is from the first */
    double p[WAYS];
};

static unsigned difference(const struct victims *v, const struct pairing *p, unsigned seed, unsigned round, unsigned set)
{
    return (v->of[seed][round][set] + WAYS - v->of[seed][round - p->rounds][(set + p->sets) % SETS]) % WAYS;
}

/* Within each seed, over all seeds for each two victims, and in all. */
static bool pairs_are_random(struct qn_lab_check *c, const struct victims *v, const struct pairing *p)
{
    static unsigned over_seeds[VICTIMS + 2][SETS][WAYS];
    unsigned all[WAYS] = { 0 };

    memset(over_seeds, 0, sizeof over_seeds);
    for (unsigned seed = 0; seed < SEEDS; seed++) {
        unsigned n[WAYS] = { 0 };

        for (unsigned round = 2; round < VICTIMS + 2; round++)
            for (unsigned set = 0; set < SETS; set++) {
                unsigned d = difference(v, p, seed, round, set);

                n[d]++;
                all[d]++;
                over_seeds[round][set][d]++;
            }
        for (unsigned d = 0; d < WAYS; d++)
            if (p->p[d] >= 0 && is_odd(n[d], SETS * VICTIMS, p->p[d]))
                return qn_lab_say(c, "%u sets of %u ways, %u victims: %s it was the way %u further %u times, wanted about %.0f", SETS, WAYS,
                                  SETS * VICTIMS, p->what, d, n[d], SETS * VICTIMS * p->p[d]);
    }
    for (unsigned d = 0; d < WAYS; d++)
        if (p->p[d] >= 0 && is_odd(all[d], SEEDS * SETS * VICTIMS, p->p[d]))
            return qn_lab_say(c, "%u seeds: %s it was the way %u further %u times, wanted about %.0f", SEEDS, p->what, d, all[d],
                              SEEDS * SETS * VICTIMS * p->p[d]);
    for (unsigned round = 2; round < VICTIMS + 2; round++)
        for (unsigned set = 0; set < SETS; set++)
            for (unsigned d = 0; d < WAYS; d++)
                if (p->p[d] >= 0 && is_odd(over_seeds[round][set][d], SEEDS, p->p[d]))
                    return qn_lab_say(c, "victim %u of set %u: %s it was the way %u further under %u of %u seeds, wanted about %.0f", round - 1,
                                      set, p->what, d, over_seeds[round][set][d], SEEDS, SEEDS * p->p[d]);
    return true;
}

/* Each victim depends on the seed.  most: the largest probability that a way has. */
static bool seeds_differ(struct qn_lab_check *c, const struct victims *v, double most)
{
    for (unsigned round = 2; round < VICTIMS + 2; round++)
        for (unsigned set = 0; set < SETS; set++) {
            unsigned n[WAYS] = { 0 };

            for (unsigned seed = 0; seed < SEEDS; seed++)
                n[v->of[seed][round][set]]++;
            for (unsigned way = 0; way < WAYS; way++)
                if (n[way] > SEEDS * most && is_odd(n[way], SEEDS, most))
                    return qn_lab_say(c, "victim %u of set %u is way %u under %u of %u seeds: another seed, other victims", round - 1, set, way,
                                      n[way], SEEDS);
        }
    return true;
}

/* All ways are as likely as each other, once the rules of a variant have forgotten which were filled last. */
static bool ways_are_equal(struct qn_lab_check *c, const struct victims *v)
{
    unsigned n[WAYS] = { 0 }, of = SEEDS * SETS * VICTIMS / 2;

    for (unsigned seed = 0; seed < SEEDS; seed++)
        for (unsigned round = 2 + VICTIMS / 2; round < VICTIMS + 2; round++)
            for (unsigned set = 0; set < SETS; set++)
                n[v->of[seed][round][set]]++;
    for (unsigned way = 0; way < WAYS; way++)
        if (is_odd(n[way], of, 1. / WAYS))
            return qn_lab_say(c, "way %u was the victim %u times of %u, wanted about %u", way, n[way], of, of / WAYS);
    return true;
}

/* -1: no matter. */
static bool test_random(struct qn_lab_check *c)
{
    static const struct pairing behind[] = {
        { "behind another one of its set", 1, 0, { 1 / 4., 1 / 4., 1 / 4., 1 / 4. } },
        { "behind another one of its set", 1, 0, { 0, 1 / 3., 1 / 3., 1 / 3. } },
        { "behind another one of its set", 1, 0, { 0, -1, -1, -1 } },
        { "behind another one of its set", 1, 0, { 2 / 5., 1 / 5., 1 / 5., 1 / 5. } },
    }, two_behind = { "two behind another one of its set", 2, 0, { 0, -1, -1, -1 } },
       beside = { "beside that of the next set", 0, 1, { 1 / 4., 1 / 4., 1 / 4., 1 / 4. } };
    static const double most[] = { 1 / 4., 1 / 3., 1 / 2., 2 / 5. };
    static struct victims v;
    unsigned kind = qn_lab_rules(c)->value[QN_LAB_RANDOM_KIND];

    for (unsigned seed = 0; seed < SEEDS; seed++)
        if (!collect_victims(c, &v, seed))
            return false;
    return pairs_are_random(c, &v, &behind[kind]) && (kind != 2 || pairs_are_random(c, &v, &two_behind))
           && (kind || pairs_are_random(c, &v, &beside)) && ways_are_equal(c, &v) && seeds_differ(c, &v, most[kind]);
}

/* ---- settled ---- */

static bool test_settled(struct qn_lab_check *c)
{
    static const struct policy *const all[] = { &fifo, &lru, &plru, &nru, &srrip };

    for (unsigned i = 0; i < QN_ARRAY_LEN(all); i++)
        if (!agrees_on_random(c, all[i], QN_LAB_PROVE_SETTLED) || !agrees_on_random(c, all[i], QN_LAB_SKIP_SETTLED))
            return qn_lab_say(c, "that was %s", all[i]->file);
    return true;
}

static const struct qn_lab_test tests[] = {
    { "fifo: every reference", 10, test_fifo },
    { "lru: every reference", 10, test_lru },
    { "plru: every reference", 15, test_plru },
    { "nru: every reference", 10, test_nru },
    { "srrip: every reference", 15, test_srrip },
    { "random: which way leaves", 10, test_random },
    { "opt: every reference", 15, test_opt },
    { "Belady's string, with three and with four places", 5, belady },
    { "a walk in circles", 5, cyclic },
    { "settled lines: a hit changes nothing", 5, test_settled },
};

static const char *const files[] = { "fifo.c", "lru.c", "plru.c", "nru.c", "srrip.c", "random.c", "opt.c", NULL };

const struct qn_lab qn_lab_03 = {
    3, "03-policies", "Replacement policies and OPT", files, tests, QN_ARRAY_LEN(tests), NULL
};
