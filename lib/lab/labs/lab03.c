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
#define SETS_RANDOM 512u /* of the test of random */
#define WAYS_RANDOM 4u
#define EXPECTED (SETS_RANDOM / WAYS_RANDOM)
#define EVEN_ROUNDS 3   /* in which honest code is even once in 10^10 times */
#define SPREAD 55       /* more than five standard deviations of the 128 that are expected (9.8) */
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

static unsigned char *work_out(const struct qn_lab_trace *t, enum qn_lab_policy model, unsigned sets, unsigned ways,
                               const struct qn_lab_variant *rules)
{
    struct qn_lab_cache *cache = qn_lab_new_variant_cache(model, sets, ways, rules);
    unsigned char *missed = QN_NEEDED(malloc(t->n + 1));

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
    unsigned char *missed = work_out(t, p->model, m->sets, m->ways, qn_lab_rules(c));
    size_t at = 0;

    while (at < t->n && m->missed[at] == missed[at])
        at++;
    if (at < t->n) {
        tell(c, t, at, m->sets, m->ways, missed[at]);
        explain(c, m, p, at, missed[at]);
    }
    free(missed);
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

static bool belady(struct qn_lab_check *c)
{
    static const struct policy *const all[] = { &fifo, &lru, &opt };
    static const char string[] = "123412512345";
    struct qn_lab_trace t = { .n = 0 };
    bool good = true;

    for (const char *page = string; *page; page++)
        qn_lab_add_ref(&t, 'L', (uint64_t)(*page - '0'), 1);
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
    for (unsigned i = 0; i < QN_ARRAY_LEN(all); i++)
        if (!agrees(c, all[i], &t, 1, ways, QN_LAB_TELL_ALL))
            good = qn_lab_say(c, "that was %s, %u lines in turn", all[i]->file, n);
    qn_lab_free_trace(&t);
    return good;
}

/* ---- random ---- */

/* Fills every set, brings one more line into each, then references in each set one of the first lines: the one in way `way`, or
 * in the next way for each set.  Counts how often that line was the victim. */
static bool count_victims(struct qn_lab_check *c, unsigned way, bool in_turn, unsigned *victims)
{
    struct qn_lab_trace t = { .n = 0 };
    struct qn_lab_managed m = { .program = qn_lab_module(c, "random.c", false), .trace = &t, .sets = SETS_RANDOM, .ways = WAYS_RANDOM,
                                .seed = qn_lab_draw(c), .stop = SIZE_MAX };
    unsigned base = qn_lab_below(c, 1000) * SETS_RANDOM;
    bool good;

    for (unsigned i = 0; i < SETS_RANDOM * (WAYS_RANDOM + 1); i++)
        qn_lab_add_ref(&t, 'L', base + i, 1);
    for (unsigned set = 0; set < SETS_RANDOM; set++)
        qn_lab_add_ref(&t, 'L', base + set + SETS_RANDOM * (in_turn ? (set + way) % WAYS_RANDOM : way), 1);
    m.missed = calloc(t.n, 1);
    good = qn_lab_manage(c, &m);
    *victims = 0;
    for (size_t i = SETS_RANDOM * (WAYS_RANDOM + 1); good && i < t.n; i++)
        *victims += m.missed[i];
    free(m.missed);
    qn_lab_free_trace(&t);
    return good;
}

/* How often way `way` should be the victim in a set whose ways were filled in order, so that the last one was used last. */
static unsigned expected_victims(unsigned kind, unsigned way)
{
    unsigned behind = WAYS_RANDOM - 1 - way; /* ways used later */

    switch (kind) {
    case 1: return behind >= 1 ? SETS_RANDOM / (WAYS_RANDOM - 1) : 0;
    case 2: return behind >= 2 ? SETS_RANDOM / (WAYS_RANDOM - 2) : 0;
    default: return SETS_RANDOM * (behind ? 1 : 2) / (WAYS_RANDOM + 1);
    }
}

static bool test_random_variant(struct qn_lab_check *c, unsigned kind)
{
    for (unsigned way = 0; way < WAYS_RANDOM; way++) {
        unsigned n, wanted = expected_victims(kind, way);

        if (!count_victims(c, way, false, &n))
            return false;
        if (n + SPREAD < wanted || n > wanted + (wanted ? SPREAD : 0))
            return qn_lab_say(c, "%u sets of %u ways, filled in order: way %u was the victim %u times, wanted about %u", SETS_RANDOM,
                              WAYS_RANDOM, way, n, wanted);
    }
    return true;
}

/* Tests how often each way is the victim, with the same way referenced in every set, and with the next way for each set.  *even: in both
 * cases all ways together are the victim exactly once in each set, though each way had a run of its own; by chance that happens once in 2,500
 * cases. */
static bool test_random_ways(struct qn_lab_check *c, bool *even)
{
    *even = true;
    for (unsigned in_turn = 0; in_turn < 2; in_turn++) {
        unsigned n, sum = 0;

        for (unsigned way = 0; way < WAYS_RANDOM; way++) {
            if (!count_victims(c, way, in_turn, &n))
                return false;
            sum += n;
            if (n < EXPECTED - SPREAD || n > EXPECTED + SPREAD)
                return qn_lab_say(c, "%u sets of %u ways: %s was the victim %u times, wanted about %u", SETS_RANDOM, WAYS_RANDOM,
                                  in_turn ? "the way that follows that of the set before" : "the same way", n, EXPECTED);
        }
        *even = *even && sum == WAYS_RANDOM * EXPECTED;
    }
    return true;
}

static bool test_random(struct qn_lab_check *c)
{
    bool even = true;

    if (qn_lab_rules(c)->value[QN_LAB_RANDOM_KIND])
        return test_random_variant(c, qn_lab_rules(c)->value[QN_LAB_RANDOM_KIND]);
    for (unsigned round = 0; even && round < EVEN_ROUNDS; round++)
        if (!test_random_ways(c, &even))
            return false;
    return !even || qn_lab_say(c, "every way was chosen exactly as often: that is not chance");
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
    3, "03-policies", "Replacement policies and OPT", files, tests, QN_ARRAY_LEN(tests), false
};
