/* lib/lab/labs/lab07.c - the tests of lab 7: prefetchers as the D1, an exclusive level as the LL, each a module called by messages (module.h).
 *
 * The outcome of every reference is compared with the models'.  Each reference lies within one line.
 */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lab/models/models.h"
#include "lab/module.h"

#define BASE 0x100000
#define CASES 3
#define REFS 600
#define TAIL 200                /* additional references, without which a pattern could be known by heart */

struct module {
    const char *file;
    enum qn_lab_prefetch kind;
};

static const struct module nextline = { "nextline.c", QN_LAB_ON_MISS }, tagged = { "tagged.c", QN_LAB_TAGGED };

/* ---- running ---- */

struct shape {
    unsigned sets, ways, degree;
};

static uint64_t line_of(const struct qn_lab_trace *t, size_t i) { return t->at[i].addr / QN_LAB_LINE; }

static struct qn_lab_prefetcher new_model(struct qn_lab_check *c, const struct module *m, struct shape s)
{
    return (struct qn_lab_prefetcher){ .level = qn_lab_new_level(s.sets, s.ways), .kind = m->kind, .degree = s.degree,
                                       .rules = qn_lab_rules(c) };
}

static void tell_lines(struct qn_lab_check *c, const struct qn_lab_level *level, uint64_t line, const char *mark)
{
    uint64_t there;
    bool prefetched;

    for (unsigned place = 0; qn_lab_line_at(level, line, place, &there, &prefetched); place++)
        qn_lab_why(c, "    %llx%s", (unsigned long long)there, prefetched ? mark : "");
}

static bool run(struct qn_lab_check *c, const struct module *m, struct shape s, const struct qn_lab_trace *t, struct qn_lab_leveled *l)
{
    *l = (struct qn_lab_leveled){ .program = qn_lab_module(c, m->file, false), .trace = t, .sets = s.sets, .ways = s.ways,
                                  .degree = s.degree, .missed = calloc(t->n + 1, 1) };
    return l->missed && qn_lab_ask_level(c, l);
}

#define ASKED_MAX 24 /* lines */

/* Which lines does the module have in that set?  It is run up to the wrong reference again for each line that may be there, which is then
 * referenced: those used last, and those that could have been prefetched. */
static void tell_own(struct qn_lab_check *c, const struct module *m, struct shape s, const struct qn_lab_trace *t, size_t at)
{
    uint64_t asked[ASKED_MAX];
    unsigned n = 0, there = 0, step = qn_lab_rules(c)->value[QN_LAB_GUESS_STEP];

    qn_lab_why(c, "Before it these lines of the set are in yours (looked for: the %u used last, or that could have been prefetched):", ASKED_MAX);
    for (size_t i = at + 1; i-- > 0 && n < ASKED_MAX;)
        for (unsigned ahead = 0; ahead <= s.degree && n < ASKED_MAX; ahead++) {
            uint64_t line = line_of(t, i) + ahead * step;
            unsigned k = 0;
            struct qn_lab_trace part = { .n = 0 };
            struct qn_lab_leveled l;

            while (k < n && asked[k] != line)
                k++;
            if (k < n || line % s.sets != line_of(t, at) % s.sets)
                continue;
            asked[n++] = line;
            for (size_t before = 0; before < at; before++)
                qn_lab_add_ref(&part, t->at[before].op, t->at[before].addr, t->at[before].size);
            qn_lab_add_ref(&part, 'L', line * QN_LAB_LINE, 1);
            if (run(c, m, s, &part, &l) && !(l.missed[at] & 1)) {
                qn_lab_why(c, "    %llx", (unsigned long long)line);
                there++;
            }
            free(l.missed);
            qn_lab_free_trace(&part);
        }
    if (!there)
        qn_lab_why(c, "    none");
}

/* For --keep: runs the model again, up to the wrong reference. */
static void explain(struct qn_lab_check *c, const struct module *m, struct shape s, const struct qn_lab_trace *t, size_t at)
{
    struct qn_lab_prefetcher p = new_model(c, m, s);
    struct qn_lab_trace part = { t->at, at + 1, 0 };

    if (qn_lab_keeps(c)) {
        for (size_t i = 0; i < at; i++)
            qn_lab_prefetching_miss(&p, line_of(t, i));
        qn_lab_write_trace(c, &part, "trace.txt");
        qn_lab_why(c, "%s, %u sets of %u ways, degree %u. Reference %zu, the last line of trace.txt, is to line %llx (address / %u). Before it the set "
                      "would hold, with a right prefetcher, the line used last first:", m->file, s.sets, s.ways, s.degree, at + 1,
                   (unsigned long long)line_of(t, at), QN_LAB_LINE);
        tell_lines(c, p.level, line_of(t, at), ", prefetched and marked");
        qn_lab_why(c, "Then it is a %s, and these lines are prefetched:", qn_lab_prefetching_miss(&p, line_of(t, at)) ? "miss" : "hit");
        for (unsigned i = 0; i < p.guesses; i++)
            qn_lab_why(c, "    %llx", (unsigned long long)p.guessed[i]);
        if (!p.guesses)
            qn_lab_why(c, "    none");
        tell_own(c, m, s, t, at);
        qn_lab_why_with(c, "trace.txt", "In a debugger:\n    quern sim build --replay --D1=%s --cflags='-g -O0' -o mine\n"
                      "    gdb -ex 'break cachesim_X_doref if addr == 0x%llx' -ex run --args ./mine --D1=%u,%u,%u --sim-opt=degree=%u", m->file,
                   (unsigned long long)t->at[at].addr, s.sets * s.ways * QN_LAB_LINE, s.ways, QN_LAB_LINE, s.degree);
    }
    qn_lab_free_level(p.level);
}

static bool compare(struct qn_lab_check *c, const struct module *m, struct shape s, const struct qn_lab_leveled *l,
                    struct qn_lab_prefetcher *p)
{
    const struct qn_lab_trace *t = l->trace;

    for (size_t i = 0; i < t->n; i++) {
        bool miss = qn_lab_prefetching_miss(p, line_of(t, i));

        if (miss != (l->missed[i] & 1)) {
            explain(c, m, s, t, i);
            return qn_lab_say(c, "%u sets of %u ways, degree %u, reference %zu, line %llx: got a %s, wanted a %s", s.sets, s.ways, s.degree,
                              i + 1, (unsigned long long)line_of(t, i), miss ? "hit" : "miss", miss ? "miss" : "hit");
        }
    }
    return true;
}

static bool compare_events(struct qn_lab_check *c, const struct qn_lab_leveled *l, const struct qn_lab_prefetcher *p)
{
    return (l->prefetches == p->issued && l->useful == p->useful)
           || qn_lab_say(c, "got %llu prefetches of which %llu useful, wanted %lu and %lu", (unsigned long long)l->prefetches,
                         (unsigned long long)l->useful, p->issued, p->useful);
}

/* Frees the trace.  events: the counts of prefetches are compared, too. */
static bool agrees(struct qn_lab_check *c, const struct module *m, struct shape s, struct qn_lab_trace *t, bool events)
{
    struct qn_lab_prefetcher p = new_model(c, m, s);
    struct qn_lab_leveled l;
    bool good = run(c, m, s, t, &l) && compare(c, m, s, &l, &p) && (!events || compare_events(c, &l, &p));

    free(l.missed);
    qn_lab_free_level(p.level);
    qn_lab_free_trace(t);
    return good;
}

/* ---- traces ---- */

static void add(struct qn_lab_trace *t, uint64_t line) { qn_lab_add_ref(t, 'L', BASE + line * QN_LAB_LINE + 8, 4); }

/* Short walks that begin anywhere: some prefetches are useful, and some are not. */
static void draw_walks(struct qn_lab_check *c, struct qn_lab_trace *t, unsigned lines, size_t refs)
{
    while (t->n < refs) {
        unsigned at = qn_lab_below(c, lines), step = qn_lab_below(c, 4) ? 1 : qn_lab_between(c, 2, 5);

        for (unsigned n = qn_lab_between(c, 1, 8); n > 0; n--, at += step)
            add(t, at);
    }
}

static bool walks(struct qn_lab_check *c, const struct module *m, unsigned degree, bool events)
{
    for (unsigned i = 0; i < CASES; i++) {
        struct shape s = { 4u << qn_lab_below(c, 3), qn_lab_between(c, 2, 6),
                           degree ? degree : qn_lab_between(c, 2, 4) };
        struct qn_lab_trace t = { .n = 0 };

        draw_walks(c, &t, 3 * s.sets * s.ways, REFS);
        if (!agrees(c, m, s, &t, events))
            return false;
    }
    return true;
}

/* The last line of a block, beyond any line that the variant prefetches; 0 in the standard lab. */
static unsigned last_of_block(struct qn_lab_check *c)
{
    unsigned block = qn_lab_rules(c)->value[QN_LAB_GUESS_BLOCK];

    return block ? block - 1 : 0;
}

/* A walk of n lines in sequence, and short ones, whose misses depend on what was prefetched. */
static bool sequential(struct qn_lab_check *c, const struct module *m, unsigned degree, unsigned long n)
{
    struct shape s = { 32, 4, degree };
    struct qn_lab_trace t = { .n = 0 };

    for (unsigned i = 0; i < n; i++)
        add(&t, last_of_block(c) + i);
    draw_walks(c, &t, 1000, n + TAIL);
    return agrees(c, m, s, &t, false) || qn_lab_say(c, "that was a walk of %lu lines, and short ones", n);
}

/* ---- tests of prefetching ---- */

static bool nextline_walk(struct qn_lab_check *c)
{
    return sequential(c, &nextline, 1, 2 * qn_lab_between(c, 100, 400));
}

static bool nextline_degree(struct qn_lab_check *c)
{
    unsigned degree = qn_lab_between(c, 2, 8);
    unsigned long n = (unsigned long)(degree + 1) * qn_lab_between(c, 20, 60);

    return sequential(c, &nextline, degree, n) && walks(c, &nextline, 0, false);
}

static bool tagged_walk(struct qn_lab_check *c)
{
    return sequential(c, &tagged, 1, qn_lab_between(c, 200, 800)) && sequential(c, &tagged, 3, qn_lab_between(c, 200, 800));
}

static bool nextline_random(struct qn_lab_check *c) { return walks(c, &nextline, 1, false); }
static bool nextline_events(struct qn_lab_check *c) { return walks(c, &nextline, 1, true); }
static bool tagged_random(struct qn_lab_check *c) { return walks(c, &tagged, 1, true) && walks(c, &tagged, 0, true); }

/* Lines that are prefetched, evicted unused, and then wanted: the first level misses, the last one has them and nothing else.  Each reference
 * is made twice: the second one hits. */
static bool compare_next(struct qn_lab_check *c, const struct qn_lab_trace *t, const unsigned char *missed, unsigned cells)
{
    static const char *const in_words[] = { "a hit", "a miss that the LL has", "nonsense", "a miss of the LL, too" };

    for (size_t i = 0; i < t->n; i++) {
        unsigned want = i % 2 ? 0 : i / 2 < cells || (i / 2 == cells && qn_lab_is_variant(c)) ? 3 : 1;

        if (missed[i] != want)
            return qn_lab_say(c, "reference %zu, line %llx%s: got %s, wanted %s", i + 1, (unsigned long long)line_of(t, i),
                              want == 1 ? ", which was prefetched and evicted" : want ? "" : " again", in_words[missed[i] & 3], in_words[want]);
    }
    return true;
}

static void add_twice(struct qn_lab_trace *t, uint64_t line) { add(t, line), add(t, line); }

static bool through_next(struct qn_lab_check *c)
{
    struct shape s = { 1, 4, 1 };
    struct qn_lab_trace t = { .n = 0 };
    struct qn_lab_leveled l;
    unsigned first = 32 * qn_lab_between(c, 0, 100), cells = qn_lab_between(c, 6, 12), step = qn_lab_rules(c)->value[QN_LAB_GUESS_STEP];
    bool good;

    for (unsigned i = 0; i < cells; i++) /* brings in first + 32 i, and the line `step` behind it; the first of a variant guesses nothing */
        add_twice(&t, first + 32 * i + (i ? 0 : last_of_block(c)));
    for (unsigned i = 0; i < cells - 4; i++)
        add_twice(&t, first + 32 * i + (i ? 0 : last_of_block(c)) + step);
    good = run(c, &nextline, s, &t, &l) && compare_next(c, &t, l.missed, cells);
    free(l.missed);
    qn_lab_free_trace(&t);
    return good;
}

/* A list whose cells lie far apart, in no order. */
static bool pointer_chase(struct qn_lab_check *c)
{
    struct shape s = { 16, 4, qn_lab_between(c, 1, 4) };
    struct qn_lab_trace t = { .n = 0 };
    unsigned cells = 200, step = 2 * qn_lab_between(c, 10, 99) + 1, at = 0;

    for (unsigned i = 0; i < 2 * cells; i++) {
        at = (at + step) % 256;
        add(&t, 16 * (uint64_t)at);
    }
    draw_walks(c, &t, 200, t.n + TAIL); /* where it does gain */
    return agrees(c, &tagged, s, &t, true);
}

/* ---- the exclusive level ---- */

struct pair {
    unsigned d1, sets, ways; /* lines of the first level; of the last one */
};

static struct qn_lab_exclusive new_pair(struct qn_lab_check *c, struct pair g)
{
    return (struct qn_lab_exclusive){ qn_lab_new_level(1, g.d1), qn_lab_new_level(g.sets, g.ways), qn_lab_rules(c), 0 };
}

static void free_pair(struct qn_lab_exclusive *x)
{
    qn_lab_free_level(x->first);
    qn_lab_free_level(x->second);
}

static void explain_pair(struct qn_lab_check *c, struct pair g, const struct qn_lab_trace *t, size_t at)
{
    struct qn_lab_exclusive x = new_pair(c, g);
    struct qn_lab_trace part = { t->at, at + 1, 0 };
    bool far;

    if (qn_lab_keeps(c)) {
        for (size_t i = 0; i < at; i++)
            qn_lab_exclusive_miss(&x, line_of(t, i), &far);
        qn_lab_write_trace(c, &part, "trace.txt");
        qn_lab_why(c, "exclusive.c, a D1 of %u lines, an LL of %u sets of %u ways. Reference %zu, the last line of trace.txt, is to line %llx "
                      "(address / %u). Before it the D1 held, the line used last first:", g.d1, g.sets, g.ways, at + 1,
                   (unsigned long long)line_of(t, at), QN_LAB_LINE);
        tell_lines(c, x.first, line_of(t, at), "");
        qn_lab_why(c, "and the set of a right LL:");
        tell_lines(c, x.second, line_of(t, at), "");
        qn_lab_why_with(c, "trace.txt", "In a debugger (plain.c is of the starter):\n    quern sim build --replay --I1=plain.c --D1=plain.c --LL=exclusive.c --cflags='-g -O0' -o mine\n"
                      "    gdb -ex 'break exclusive.c:cachesim_X_doref' -ex run --args ./mine --D1=%u,%u,%u --LL=%u,%u,%u", g.d1 * QN_LAB_LINE, g.d1,
                   QN_LAB_LINE, g.sets * g.ways * QN_LAB_LINE, g.ways, QN_LAB_LINE);
    }
    free_pair(&x);
}

static bool compare_exclusive(struct qn_lab_check *c, struct pair g, const struct qn_lab_trace *t, const unsigned char *missed)
{
    static const char *const names[] = { "a hit", "a hit in the LL", "nonsense", "a miss of both" };
    struct qn_lab_exclusive x = new_pair(c, g);
    bool good = true;

    for (size_t i = 0; good && i < t->n; i++) {
        bool far, miss = qn_lab_exclusive_miss(&x, line_of(t, i), &far);
        unsigned want = miss + 2u * far;

        if (missed[i] == want)
            continue;
        explain_pair(c, g, t, i);
        good = qn_lab_say(c, "reference %zu, line %llx: got %s, wanted %s", i + 1, (unsigned long long)line_of(t, i), names[missed[i] & 3],
                          names[want]);
    }
    free_pair(&x);
    return good;
}

/* Frees the trace. */
static bool exclusive_agrees(struct qn_lab_check *c, struct pair g, struct qn_lab_trace *t)
{
    struct qn_lab_leveled l = { .program = qn_lab_module(c, "exclusive.c", false), .trace = t, .last = true, .sets = g.sets, .ways = g.ways,
                                .d1_lines = g.d1, .missed = calloc(t->n + 1, 1) };
    bool good = l.missed && qn_lab_ask_level(c, &l) && compare_exclusive(c, g, t, l.missed);

    if (!good)
        qn_lab_say(c, "that was a D1 of %u lines, an LL of %u sets of %u ways", g.d1, g.sets, g.ways);
    free(l.missed);
    qn_lab_free_trace(t);
    return good;
}

static bool holds_sum(struct qn_lab_check *c)
{
    unsigned small = qn_lab_between(c, 4, 12), large = 16, n = small + large;
    struct qn_lab_trace t = { .n = 0 };

    for (unsigned i = 0; i < 10 * n; i++)
        add(&t, i % n);
    for (unsigned i = 0; i < TAIL; i++) /* more lines than both hold */
        add(&t, qn_lab_below(c, 2 * n));
    return exclusive_agrees(c, (struct pair){ small, 1, large }, &t);
}

static bool exclusive_random(struct qn_lab_check *c)
{
    bool good = true;

    for (unsigned i = 0; good && i < CASES; i++) {
        unsigned d1 = qn_lab_between(c, 2, 8), sets = 2u << qn_lab_below(c, 3), ways = qn_lab_between(c, 2, 4);
        struct qn_lab_trace t = { .n = 0 };

        for (unsigned k = 0; k < REFS; k++)
            add(&t, qn_lab_below(c, d1 + 2 * sets * ways));
        good = exclusive_agrees(c, (struct pair){ d1, sets, ways }, &t);
    }
    return good;
}

static const struct qn_lab_test tests[] = {
    { "nextline: a walk", 10, nextline_walk },
    { "nextline: every reference", 15, nextline_random },
    { "nextline: more than one line ahead", 10, nextline_degree },
    { "nextline: prefetches, and how many were useful", 10, nextline_events },
    { "nextline: prefetches come through the LL", 5, through_next },
    { "tagged: a walk", 10, tagged_walk },
    { "tagged: every reference", 15, tagged_random },
    { "tagged: following pointers", 5, pointer_chase },
    { "exclusive: a walk in circles", 10, holds_sum },
    { "exclusive: every reference", 10, exclusive_random },
};

static const char *const files[] = { "nextline.c", "tagged.c", "exclusive.c", NULL };

const struct qn_lab qn_lab_07 = {
    7, "07-prefetch", "Prefetching and hierarchy", files, tests, QN_ARRAY_LEN(tests), NULL
};
