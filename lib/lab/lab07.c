/* lib/lab/lab07.c - the tests of lab 7: prefetchers in slot D1, an exclusive last level in slot LL of a hosted
 * simulator.
 *
 * What becomes of every reference is compared with the models.  Each lies within one line.
 */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lab/model_levels.h"
#include "lab/replay.h"

#define LINE 64u
#define LINE_BITS 6
#define BASE 0x100000
#define CASES 3
#define REFS 600
#define LL "--LL=1048576,16,64"  /* holds all that these traces touch */

struct module {
    const char *file;
    enum qn_lab_prefetch kind;
};

static const struct module nextline = { "nextline.c", QN_LAB_ON_MISS }, tagged = { "tagged.c", QN_LAB_TAGGED };

/* ---- running ---- */

struct shape {
    unsigned sets, ways, degree;
};

static bool run(struct qn_lab_check *c, const struct module *m, struct shape s, const struct qn_lab_trace *t,
                struct qn_lab_replay *r)
{
    char d1[64], degree[64];

    snprintf(d1, sizeof d1, "--D1=%u,%u,%u", s.sets * s.ways * LINE, s.ways, LINE);
    snprintf(degree, sizeof degree, "--sim-opt=degree=%u", s.degree);
    *r = (struct qn_lab_replay){ .program = qn_lab_simulator(c, "D1", m->file, NULL), .options = { d1, degree, LL },
                                 .trace = qn_lab_write_trace(c, t, "trace.txt"), .kind = 'D', .references = t->n };
    return qn_lab_replay(c, r);
}

static bool compare(struct qn_lab_check *c, const struct qn_lab_trace *t, const struct qn_lab_replay *r, struct shape s,
                    struct qn_lab_prefetcher *p)
{
    for (size_t i = 0; i < t->n; i++) {
        bool miss = qn_lab_prefetching_miss(p, t->at[i].addr >> LINE_BITS);

        if (miss != (r->outcomes[i] & 1))
            return qn_lab_say(c, "%u sets of %u ways, degree %u, reference %zu, line %llx: got a %s, wanted a %s",
                              s.sets, s.ways, s.degree, i + 1, (unsigned long long)(t->at[i].addr >> LINE_BITS),
                              miss ? "hit" : "miss", miss ? "miss" : "hit");
    }
    return true;
}

static bool compare_events(struct qn_lab_check *c, const struct qn_lab_replay *r, const struct qn_lab_prefetcher *p)
{
    long issued = qn_lab_summary_number(r, "D1.prefetches"), useful = qn_lab_summary_number(r, "D1.useful");

    return (issued == (long)p->issued && useful == (long)p->useful)
           || qn_lab_say(c, "got %ld prefetches of which %ld useful, wanted %lu and %lu", issued, useful, p->issued,
                         p->useful);
}

/* Takes the trace.  events: compare these, too. */
static bool agrees(struct qn_lab_check *c, const struct module *m, struct shape s, struct qn_lab_trace *t, bool events)
{
    struct qn_lab_prefetcher p = { .level = qn_lab_new_level(s.sets, s.ways), .kind = m->kind, .degree = s.degree };
    struct qn_lab_replay r;
    bool good = run(c, m, s, t, &r) && compare(c, t, &r, s, &p) && (!events || compare_events(c, &r, &p));

    qn_lab_free_replay(&r);
    qn_lab_free_level(p.level);
    qn_lab_free_trace(t);
    return good;
}

/* ---- traces ---- */

static void add(struct qn_lab_trace *t, uint64_t line) { qn_lab_add_ref(t, 'L', BASE + line * LINE + 8, 4); }

/* Short walks that begin anywhere, so that there is something to foresee, and to foresee in vain. */
static void draw_walks(struct qn_lab_check *c, struct qn_lab_trace *t, unsigned lines)
{
    while (t->n < REFS) {
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

        draw_walks(c, &t, 3 * s.sets * s.ways);
        if (!agrees(c, m, s, &t, events))
            return false;
    }
    return true;
}

/* n lines, one after the other. */
static bool sequential(struct qn_lab_check *c, const struct module *m, unsigned degree, unsigned long n)
{
    struct shape s = { 32, 4, degree };
    struct qn_lab_trace t = { .n = 0 };

    for (unsigned i = 0; i < n; i++)
        add(&t, i);
    return agrees(c, m, s, &t, false) || qn_lab_say(c, "that was a walk of %lu lines", n);
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

/* Lines that are prefetched, evicted unused, and then wanted: the first level misses, the last one has them and nothing else. */
static bool compare_next(struct qn_lab_check *c, const struct qn_lab_trace *t, const struct qn_lab_replay *r, unsigned cells)
{
    for (size_t i = 0; i < t->n; i++) {
        unsigned want = i < cells ? 3 : 1;

        if (r->outcomes[i] != want)
            return qn_lab_say(c, "reference %zu, line %llx%s: got %s, wanted a miss %s", i + 1,
                              (unsigned long long)(t->at[i].addr >> LINE_BITS), want == 1 ? ", which was prefetched and evicted" : "",
                              r->outcomes[i] == 0 ? "a hit" : r->outcomes[i] == 1 ? "a miss that the LL has" : "a miss of the LL, too",
                              want == 1 ? "that the LL has" : "of the LL, too");
    }
    return true;
}

static bool through_next(struct qn_lab_check *c)
{
    struct shape s = { 1, 4, 1 };
    struct qn_lab_trace t = { .n = 0 };
    struct qn_lab_replay r;
    unsigned first = qn_lab_between(c, 0, 1000), cells = qn_lab_between(c, 6, 12);
    bool good;

    for (unsigned i = 0; i < cells; i++) /* brings in first + 10 i, and the line behind it */
        add(&t, first + 10 * i);
    for (unsigned i = 0; i < cells - 4; i++)
        add(&t, first + 10 * i + 1);
    good = run(c, &nextline, s, &t, &r) && compare_next(c, &t, &r, cells);
    qn_lab_free_replay(&r);
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
    return agrees(c, &tagged, s, &t, true);
}

/* ---- the exclusive level ---- */

static bool run_exclusive(struct qn_lab_check *c, unsigned d1_lines, unsigned ll_sets, unsigned ll_ways,
                          const struct qn_lab_trace *t, struct qn_lab_replay *r)
{
    char d1[64], ll[64], plain[2][4096];
    const char *const more[] = { plain[0], plain[1], NULL };

    snprintf(plain[0], sizeof plain[0], "--I1=%s/plain.c", qn_lab_starter(c)); /* levels that tell what they give up */
    snprintf(plain[1], sizeof plain[1], "--D1=%s/plain.c", qn_lab_starter(c));
    snprintf(d1, sizeof d1, "--D1=%u,%u,%u", d1_lines * LINE, d1_lines, LINE);
    snprintf(ll, sizeof ll, "--LL=%u,%u,%u", ll_sets * ll_ways * LINE, ll_ways, LINE);
    *r = (struct qn_lab_replay){ .program = qn_lab_simulator(c, "LL", "exclusive.c", more), .options = { d1, ll },
                                 .trace = qn_lab_write_trace(c, t, "trace.txt"), .kind = 'D', .references = t->n };
    return qn_lab_replay(c, r);
}

static bool compare_exclusive(struct qn_lab_check *c, const struct qn_lab_trace *t, const struct qn_lab_replay *r,
                              struct qn_lab_level *first, struct qn_lab_level *second)
{
    static const char *const names[] = { "a hit", "a hit in the LL", "nonsense", "a miss of both" };

    for (size_t i = 0; i < t->n; i++) {
        bool far, miss = qn_lab_exclusive_miss(first, second, t->at[i].addr >> LINE_BITS, &far);
        unsigned want = miss + 2u * far;

        if (r->outcomes[i] != want)
            return qn_lab_say(c, "reference %zu, line %llx: got %s, wanted %s", i + 1,
                              (unsigned long long)(t->at[i].addr >> LINE_BITS), names[r->outcomes[i] & 3], names[want]);
    }
    return true;
}

/* Takes the trace. */
static bool exclusive_agrees(struct qn_lab_check *c, unsigned d1, unsigned sets, unsigned ways, struct qn_lab_trace *t)
{
    struct qn_lab_level *first = qn_lab_new_level(1, d1), *second = qn_lab_new_level(sets, ways);
    struct qn_lab_replay r;
    bool good = run_exclusive(c, d1, sets, ways, t, &r) && compare_exclusive(c, t, &r, first, second);

    if (!good)
        qn_lab_say(c, "that was a D1 of %u lines, an LL of %u sets of %u ways", d1, sets, ways);
    qn_lab_free_replay(&r);
    qn_lab_free_trace(t);
    qn_lab_free_level(first);
    qn_lab_free_level(second);
    return good;
}

static bool holds_sum(struct qn_lab_check *c)
{
    unsigned small = qn_lab_between(c, 4, 12), large = 16, n = small + large;
    struct qn_lab_trace t = { .n = 0 };

    for (unsigned i = 0; i < 10 * n; i++)
        add(&t, i % n);
    return exclusive_agrees(c, small, 1, large, &t);
}

static bool exclusive_random(struct qn_lab_check *c)
{
    bool good = true;

    for (unsigned i = 0; good && i < CASES; i++) {
        unsigned d1 = qn_lab_between(c, 2, 8), sets = 2u << qn_lab_below(c, 3), ways = qn_lab_between(c, 2, 4);
        struct qn_lab_trace t = { .n = 0 };

        for (unsigned k = 0; k < REFS; k++)
            add(&t, qn_lab_below(c, d1 + 2 * sets * ways));
        good = exclusive_agrees(c, d1, sets, ways, &t);
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
    7, "07-prefetch", "Prefetching and hierarchy", files, tests, QN_ARRAY_LEN(tests), false
};
