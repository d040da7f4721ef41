/* lib/lab/labs/lab13.c - the tests of lab 13: a prefetcher that finds steps, a policy that duels, and a contest of policies with few bits.
 *
 * stride and drrip are compared with models, reference by reference.  `mine` is judged by its misses on references that are drawn, beside those of
 * lru on the same; it has nothing but its variables, and these are measured.
 */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "lab/models/models.h"
#include "lab/module.h"

#define CASES 3
#define REFS 800
#define BASE 0x100000
#define DUEL_REFS 12000
#define CONTEST_SETS 64u
#define CONTEST_WAYS 16u
#define PHASE 10000             /* references */
#define PHASES 9
#define CONTEST_REFS (PHASE * PHASES)
#define CONTEST_TRACES 2
#define WINDOW 500
#define BESIDE 108u             /* per cent of lru's misses in phases with lines that come once: random has 117 */
#define ALIGNMENT 32            /* bytes that may be lost between variables */

static unsigned rule(struct qn_lab_check *c, enum qn_lab_parameter which) { return qn_lab_rules(c)->value[which]; }
static uint64_t line_of(const struct qn_lab_trace *t, size_t i) { return t->at[i].addr / QN_LAB_LINE; }

/* ---- stride ---- */

struct shape {
    unsigned sets, ways, streams;
};

/* What stride.c should have asked the last level for: the line, if it missed, and one that it prefetches. */
static bool compare(struct qn_lab_check *c, struct shape s, const struct qn_lab_leveled *l, struct qn_lab_strider *model)
{
    const struct qn_lab_trace *t = l->trace;
    size_t asked = 0;

    for (size_t i = 0; i < t->n; i++) {
        bool miss = qn_lab_striding_miss(model, line_of(t, i));
        uint64_t got = QN_LAB_NO_LINE;

        for (; asked < l->n_asked && l->asked[asked].at == i; asked++)
            if (l->asked[asked].addr / QN_LAB_LINE != line_of(t, i))
                got = l->asked[asked].addr / QN_LAB_LINE;
        if (miss != (l->missed[i] & 1))
            return qn_lab_say(c, "%u sets of %u ways, %u entries, reference %zu, line %llx: got a %s, wanted a %s", s.sets, s.ways, s.streams, i + 1,
                              (unsigned long long)line_of(t, i), miss ? "hit" : "miss", miss ? "miss" : "hit");
        if (got != model->prefetched)
            return qn_lab_say(c, "%u sets of %u ways, %u entries, reference %zu, line %llx: %s%.0llx is prefetched, wanted %s%.0llx", s.sets, s.ways,
                              s.streams, i + 1, (unsigned long long)line_of(t, i), got == QN_LAB_NO_LINE ? "nothing" : "line ",
                              got == QN_LAB_NO_LINE ? 0 : (unsigned long long)got, model->prefetched == QN_LAB_NO_LINE ? "none" : "line ",
                              model->prefetched == QN_LAB_NO_LINE ? 0 : (unsigned long long)model->prefetched);
    }
    return true;
}

static void keep_trace(struct qn_lab_check *c, const struct qn_lab_trace *t, const char *file, const char *geometry, const char *option)
{
    if (!qn_lab_keeps(c))
        return;
    qn_lab_write_trace(c, t, "trace.txt");
    qn_lab_why_with(c, "trace.txt", "The whole trace; the remark tells the first reference that is wrong. In a debugger:\n"
                    "    quern sim build --replay --D1=%s --cflags='-g -O0' -o mine\n    gdb -ex run --args ./mine --D1=%s%s", file, geometry, option);
}

/* Frees the trace. */
static bool strides(struct qn_lab_check *c, struct shape s, struct qn_lab_trace *t)
{
    struct qn_lab_leveled l = { .program = qn_lab_module(c, "stride.c", false), .trace = t, .sets = s.sets, .ways = s.ways, .degree = s.streams,
                                .records = true, .missed = calloc(t->n + 1, 1) };
    struct qn_lab_strider model = { .level = qn_lab_new_level(s.sets, s.ways), .rules = qn_lab_rules(c), .streams = s.streams };
    bool good = l.missed && qn_lab_ask_level(c, &l) && compare(c, s, &l, &model);
    char geometry[64], option[40];

    snprintf(geometry, sizeof geometry, "%u,%u,%u", s.sets * s.ways * QN_LAB_LINE, s.ways, QN_LAB_LINE);
    snprintf(option, sizeof option, " --sim-opt=entries=%u", s.streams);
    if (!good)
        keep_trace(c, t, "stride.c", geometry, option);
    qn_lab_free_level(model.level);
    free(l.missed);
    free(l.asked);
    qn_lab_free_trace(t);
    return good;
}

static void add(struct qn_lab_trace *t, uint64_t line) { qn_lab_add_ref(t, 'L', BASE * QN_LAB_LINE + line * QN_LAB_LINE + 8, 4); }

/* Walks of one step each, several at a time, in turns that are drawn; some lose their step once, some turn back over lines that the cache may still
 * have, some begin anew. */
static void draw_walks(struct qn_lab_check *c, struct qn_lab_trace *t, unsigned walks, unsigned longest)
{
    uint64_t at[8] = { 0 };
    int64_t step[8] = { 0 };
    unsigned left[8] = { 0 };

    while (t->n < REFS) {
        unsigned i = qn_lab_below(c, walks);

        if (!left[i]) {
            if (step[i] && qn_lab_below(c, 4)) {
                step[i] = -step[i];
                at[i] += (uint64_t)(2 * step[i]);
            } else {
                at[i] = 256 * qn_lab_between(c, 1, 40) + qn_lab_below(c, 128);
                step[i] = (int64_t)qn_lab_between(c, 1, longest) * (qn_lab_below(c, 3) ? 1 : -1);
            }
            left[i] = qn_lab_between(c, 2, 14);
        }
        add(t, at[i]);
        if (qn_lab_below(c, 5) == 0)
            add(t, at[i]); /* the same line again */
        at[i] += (uint64_t)(qn_lab_below(c, 12) ? step[i] : step[i] + 1);
        left[i]--;
    }
}

static bool draw_strides(struct qn_lab_check *c, unsigned walks, unsigned longest, bool few)
{
    for (unsigned i = 0; i < CASES; i++) {
        struct shape s = { 4u << qn_lab_below(c, 2), qn_lab_between(c, 2, 4), few ? qn_lab_between(c, 2, 3) : 16 };
        struct qn_lab_trace t = { .n = 0 };

        draw_walks(c, &t, walks, longest);
        if (!strides(c, s, &t))
            return false;
    }
    return true;
}

static bool one_walk(struct qn_lab_check *c) { return draw_strides(c, 1, 6, false); }
static bool many_walks(struct qn_lab_check *c) { return draw_strides(c, 6, 6, false); }
static bool few_entries(struct qn_lab_check *c) { return draw_strides(c, 6, 4, true); }

/* ---- drrip ---- */

static bool duel(struct qn_lab_check *c, unsigned sets, unsigned ways, struct qn_lab_trace *t)
{
    struct qn_lab_managed m = { .program = qn_lab_module(c, "drrip.c", false), .trace = t, .sets = sets, .ways = ways, .blind = true, .stop = SIZE_MAX,
                                .missed = calloc(t->n + 1, 1) };
    static struct qn_lab_duel model;
    bool good = m.missed && qn_lab_manage(c, &m);
    char geometry[64];

    qn_lab_begin_duel(&model, qn_lab_rules(c), sets, ways);
    for (size_t i = 0; good && i < t->n; i++) {
        unsigned before = model.selector;
        bool miss = qn_lab_duel_miss(&model, t->at[i].addr);

        if (miss != m.missed[i])
            good = qn_lab_say(c, "%u sets of %u ways, reference %zu, line %llx, set %u: got a %s, wanted a %s; the counter is %u", sets, ways, i + 1,
                              (unsigned long long)t->at[i].addr, (unsigned)(t->at[i].addr % sets), miss ? "hit" : "miss", miss ? "miss" : "hit", before);
    }
    snprintf(geometry, sizeof geometry, "%u,%u,1", sets * ways, ways);
    if (!good)
        keep_trace(c, t, "drrip.c", geometry, "");
    free(m.missed);
    qn_lab_free_trace(t);
    return good;
}

/* loops: lines in turn, more than there are places; else a few lines at random, and others. */
static void draw_phase(struct qn_lab_check *c, struct qn_lab_trace *t, unsigned places, size_t n, bool loops)
{
    unsigned lines = places * qn_lab_between(c, 110, 180) / 100, hot = places * qn_lab_between(c, 40, 80) / 100, base = qn_lab_below(c, 1000) * 64;

    for (size_t end = t->n + n, i = 0; t->n < end; i++)
        qn_lab_add_ref(t, 'L', base + (loops ? i % lines : qn_lab_below(c, 6) ? qn_lab_below(c, hot) : qn_lab_below(c, 8 * places)), 1);
}

static bool draw_duel(struct qn_lab_check *c, bool turns)
{
    for (unsigned i = 0; i < 2; i++) {
        unsigned sets = 32u << qn_lab_below(c, 2), ways = qn_lab_between(c, 3, 6);
        struct qn_lab_trace t = { .n = 0 };

        for (unsigned phase = 0; t.n < DUEL_REFS; phase++)
            draw_phase(c, &t, sets * ways, turns ? DUEL_REFS / 6 : DUEL_REFS, turns ? phase % 2 : i);
        if (!duel(c, sets, ways, &t))
            return false;
    }
    return true;
}

static bool one_phase(struct qn_lab_check *c) { return draw_duel(c, false); }
static bool many_phases(struct qn_lab_check *c) { return draw_duel(c, true); }

/* ---- the contest ---- */

/* Phases in turn, each with lines of its own: a loop over more lines than there are places, lines used often, and such beside lines that come once.
 * How many, and which comes first, is drawn. */
static unsigned draw_contest(struct qn_lab_check *c, struct qn_lab_trace *t) /* returns the kind of the first phase */
{
    const unsigned places = CONTEST_SETS * CONTEST_WAYS, loop = places * rule(c, QN_LAB_CONTEST_LOOP) / 100, first = qn_lab_below(c, 3);
    uint64_t fresh = 1u << 24;

    for (unsigned phase = 0; phase < PHASES; phase++) {
        unsigned kind = (first + phase) % 3, base = 0x1000 * (1 + phase) + 64 * qn_lab_below(c, 30), hot = places * qn_lab_between(c, 65, 75) / 100;

        for (unsigned i = 0; i < PHASE; i++) {
            uint64_t line = kind == 0 ? base + i % loop : kind == 2 && i % 3 == 0 ? fresh++ : base + qn_lab_below(c, hot);

            for (unsigned n = rule(c, QN_LAB_CONTEST_AGAIN); n > 0; n--)
                qn_lab_add_ref(t, 'L', line, 1);
        }
    }
    return first;
}

static bool ask_mine(struct qn_lab_check *c, const struct qn_lab_trace *t, unsigned window, unsigned char *missed)
{
    struct qn_lab_managed m = { .program = qn_lab_module(c, "mine.c", true), .trace = t, .sets = CONTEST_SETS, .ways = CONTEST_WAYS, .blind = true,
                                .window = window, .stop = SIZE_MAX, .missed = missed };

    return qn_lab_manage(c, &m);
}

static struct score {
    unsigned long mine, lru;
    unsigned long mine_beside, lru_beside; /* in phases with lines that come once */
} played;

static void add_misses(struct qn_lab_check *c, const struct qn_lab_trace *t, const unsigned char *missed, unsigned first)
{
    struct qn_lab_cache *lru = qn_lab_new_cache(QN_LAB_LRU, CONTEST_SETS, CONTEST_WAYS);

    for (size_t i = 0; i < t->n; i++) {
        bool beside = (first + i / (PHASE * rule(c, QN_LAB_CONTEST_AGAIN))) % 3 == 2, miss = !qn_lab_touch_line(lru, t->at[i].addr, 0).hit;

        played.mine += missed[i], played.lru += miss;
        played.mine_beside += beside && missed[i], played.lru_beside += beside && miss;
    }
    qn_lab_free_cache(lru);
}

/* The same references for all tests of mine. */
static bool play(struct qn_lab_check *c)
{
    bool good = true;

    played = (struct score){ 0, 0, 0, 0 };
    for (unsigned i = 0; good && i < CONTEST_TRACES; i++) {
        struct qn_lab_trace t = { .n = 0 };
        unsigned char *missed;
        unsigned first = draw_contest(c, &t);

        missed = QN_NEEDED(calloc(t.n + 1, 1));
        good = ask_mine(c, &t, WINDOW, missed);
        add_misses(c, &t, missed, first);
        free(missed);
        qn_lab_free_trace(&t);
    }
    return good;
}

/* A policy that has nothing but its variables does the same, whatever else it loses. */
static bool mine_remembers(struct qn_lab_check *c)
{
    struct qn_lab_trace t = { .n = 0 };
    unsigned char *whole, *parts;
    size_t i = 0;
    bool good;

    draw_contest(c, &t);
    t.n = PHASE;
    whole = QN_NEEDED(calloc(t.n + 1, 1)), parts = QN_NEEDED(calloc(t.n + 1, 1));
    good = ask_mine(c, &t, (unsigned)t.n, whole) && ask_mine(c, &t, WINDOW / 4, parts);
    while (good && i < t.n && whole[i] == parts[i])
        i++;
    if (good && i < t.n)
        good = qn_lab_say(c, "mine.c does otherwise with reference %zu when it has its variables only: it keeps something elsewhere (below the stack?)", i + 1);
    free(whole);
    free(parts);
    qn_lab_free_trace(&t);
    return good;
}

static bool mine_is_small(struct qn_lab_check *c)
{
    unsigned bits = rule(c, QN_LAB_CONTEST_BITS);
    uint64_t bytes;

    if (!qn_lab_module_storage(c, "mine.c", &bytes))
        return false;
    return bytes < bits / 8 + ALIGNMENT
           || qn_lab_say(c, "mine.c has %llu bits of variables, wanted at most %u", 8 * (unsigned long long)bytes, bits);
}

/* percent: of lru's misses. */
static bool mine_beats(struct qn_lab_check *c, unsigned percent)
{
    if (!mine_is_small(c) || !qn_lab_once(c, play))
        return false;
    qn_lab_say(c, QN_LAB_CONTEST "%lu.%lu%% of lru's misses", 100 * played.mine / played.lru, 1000 * played.mine / played.lru % 10);
    if (played.mine_beside * 100 > played.lru_beside * BESIDE)
        return qn_lab_say(c, "where every third line comes once: mine misses %lu, lru %lu; wanted at most %u%%", played.mine_beside, played.lru_beside, BESIDE);
    return played.mine * 100 <= played.lru * percent
           || qn_lab_say(c, "%u references: mine misses %lu, lru %lu; wanted at most %lu", CONTEST_TRACES * CONTEST_REFS * rule(c, QN_LAB_CONTEST_AGAIN), played.mine, played.lru,
                         played.lru * percent / 100);
}

static bool mine_fits(struct qn_lab_check *c) { return mine_is_small(c) && mine_remembers(c) && mine_beats(c, 95); }
static bool mine_better(struct qn_lab_check *c) { return mine_beats(c, 90); }
static bool mine_much_better(struct qn_lab_check *c) { return mine_beats(c, 85); }

static const struct qn_lab_test tests[] = {
    { "stride: one walk at a time", 10, one_walk },
    { "stride: several walks", 10, many_walks },
    { "stride: fewer entries than walks", 10, few_entries },
    { "drrip: loops, and lines used often", 15, one_phase },
    { "drrip: the sets that follow change sides", 20, many_phases },
    { "mine: better than lru, from its variables and no other memory", 10, mine_fits },
    { "mine: at most 90% of lru's misses", 15, mine_better },
    { "mine: at most 85%", 10, mine_much_better },
};

static const char *const files[] = { "stride.c", "drrip.c", "mine.c", NULL };

const struct qn_lab qn_lab_13 = {
    13, "13-contest", "Prefetchers and today's replacement", files, tests, QN_ARRAY_LEN(tests), NULL
};
