/* lib/lab/lab05.c - the tests of lab 5: branch predictors, each a module in slot BC of a hosted simulator.
 *
 * onebit, twobit and gshare are compared with models, branch by branch.  `mine` is judged by what it mispredicts on
 * programs that are drawn (draw_program), against those two on the same; its storage is measured, not asked for.
 */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lab/inspect.h"
#include "lab/model_branch.h"
#include "lab/replay.h"

#define BITS 12
#define CODE 0x401000
#define BRANCHES 4000          /* of the traces compared */
#define OUTER 10000
#define BUDGET 4096            /* bytes */
#define BUDGET_OWN 64          /* what budget.c and module.h add */
#define PROGRAMS 3
#define PROGRAM_BRANCHES 30000

/* ---- running ---- */

static bool run(struct qn_lab_check *c, const char *file, unsigned bits, const struct qn_lab_branches *t,
                struct qn_lab_replay *r)
{
    char option[64];

    snprintf(option, sizeof option, "--sim-opt=bits=%u", bits);
    *r = (struct qn_lab_replay){ .program = qn_lab_simulator(c, "BC", file, NULL),
                                 .options = { bits ? option : NULL },
                                 .trace = qn_lab_write_branches(c, t, "branches.trace"),
                                 .kind = 'B',
                                 .references = t->n };
    return qn_lab_replay(c, r);
}

static unsigned long count_wrong(const struct qn_lab_replay *r)
{
    unsigned long n = 0;

    for (size_t i = 0; i < r->references; i++)
        n += r->outcomes[i];
    return n;
}

static bool compare(struct qn_lab_check *c, const struct qn_lab_branches *t, const struct qn_lab_replay *r,
                    const unsigned char *wrong, unsigned bits)
{
    size_t i = 0;

    while (i < t->n && r->outcomes[i] == wrong[i])
        i++;
    if (i == t->n)
        return true;
    return qn_lab_say(c, "bits=%u, branch %zu at 0x%llx, %staken: was %spredicted, wanted %spredicted", bits, i + 1,
                      (unsigned long long)t->at[i].pc, t->at[i].taken ? "" : "not ", wrong[i] ? "" : "mis",
                      wrong[i] ? "mis" : "");
}

/* Branches at many places, some of which share an entry; each has its own habit. */
static void draw_branches(struct qn_lab_check *c, struct qn_lab_branches *t)
{
    unsigned places = qn_lab_between(c, 30, 60);
    uint64_t pc[60] = { 0 };
    unsigned habit[60] = { 0 };

    for (unsigned i = 0; i < places; i++) {
        pc[i] = CODE + qn_lab_below(c, 1u << 16);
        habit[i] = qn_lab_below(c, 101);
    }
    for (unsigned i = 0; i < BRANCHES; i++) {
        unsigned place = qn_lab_below(c, places);

        qn_lab_add_branch(t, pc[place], qn_lab_below(c, 100) < habit[place]);
    }
}

static bool agrees(struct qn_lab_check *c, const char *file, enum qn_lab_predictor model, unsigned bits)
{
    struct qn_lab_branches t = { .n = 0 };
    static unsigned char wrong[BRANCHES];
    struct qn_lab_replay r;
    bool good;

    draw_branches(c, &t);
    qn_lab_mispredicts(&t, model, bits, wrong);
    good = run(c, file, bits, &t, &r) && compare(c, &t, &r, wrong, bits);
    qn_lab_free_replay(&r);
    qn_lab_free_branches(&t);
    return good;
}

static bool agrees_at_sizes(struct qn_lab_check *c, const char *file, enum qn_lab_predictor model)
{
    return agrees(c, file, model, BITS) && agrees(c, file, model, qn_lab_between(c, 3, BITS - 1));
}

static bool onebit(struct qn_lab_check *c) { return agrees_at_sizes(c, "onebit.c", QN_LAB_ONE_BIT); }
static bool twobit(struct qn_lab_check *c) { return agrees_at_sizes(c, "twobit.c", QN_LAB_TWO_BIT); }
static bool gshare(struct qn_lab_check *c) { return agrees_at_sizes(c, "gshare.c", QN_LAB_GSHARE); }

/* A branch that goes one way for long, then the other: counters must stop at both ends. */
static bool saturates(struct qn_lab_check *c)
{
    struct qn_lab_branches t = { .n = 0 };
    unsigned char wrong[2000];
    struct qn_lab_replay r;
    bool good, taken = true;

    while (t.n < 1500) {
        unsigned n = qn_lab_between(c, 3, 400);

        for (taken = !taken; n > 0 && t.n < 1500; n--)
            qn_lab_add_branch(&t, CODE, taken);
    }
    qn_lab_mispredicts(&t, QN_LAB_TWO_BIT, BITS, wrong);
    good = run(c, "twobit.c", BITS, &t, &r) && compare(c, &t, &r, wrong, BITS);
    qn_lab_free_replay(&r);
    qn_lab_free_branches(&t);
    return good;
}

/* ---- nested loops: what is known ---- */

static bool nested(struct qn_lab_check *c, const char *file, unsigned k, unsigned long *wrong)
{
    struct qn_lab_branches t = { .n = 0 };
    uint64_t pc = CODE + 16 * qn_lab_below(c, 100);
    struct qn_lab_replay r;
    bool good;

    for (unsigned i = 0; i < OUTER; i++) {
        for (unsigned j = 0; j < k; j++)
            qn_lab_add_branch(&t, pc, j + 1 < k);
        qn_lab_add_branch(&t, pc + 16, i + 1 < OUTER);
    }
    good = run(c, file, BITS, &t, &r);
    *wrong = good ? count_wrong(&r) : 0;
    qn_lab_free_replay(&r);
    qn_lab_free_branches(&t);
    return good;
}

static bool nested_is(struct qn_lab_check *c, const char *file, unsigned k, unsigned long from, unsigned long to)
{
    unsigned long wrong;

    if (!nested(c, file, k, &wrong))
        return false;
    if (wrong >= from && wrong <= to)
        return true;
    if (from == to)
        return qn_lab_say(c, "inner loop of %u, %u times: got %lu mispredicts, wanted %lu", k, OUTER, wrong, to);
    return qn_lab_say(c, "inner loop of %u, %u times: got %lu mispredicts, wanted %lu to %lu", k, OUTER, wrong, from,
                      to);
}

static bool onebit_nested(struct qn_lab_check *c)
{
    return nested_is(c, "onebit.c", qn_lab_between(c, 3, 12), 20002, 20002);
}
static bool twobit_nested(struct qn_lab_check *c)
{
    return nested_is(c, "twobit.c", qn_lab_between(c, 4, 12), 10005, 10005);
}

static bool gshare_nested(struct qn_lab_check *c)
{
    return nested_is(c, "gshare.c", 12, 0, 200) && nested_is(c, "gshare.c", 13, 9000, 12000);
}

/* ---- mine ---- */

#define SERVICE(name) "-Wl,--defsym,sim_" name "=0" /* one that a module may call; here nobody is called */

/* By itself, so that it cannot call the library: it could read the trace, and foresee everything. */
static bool build_alone(struct qn_lab_check *c, const char *output)
{
    char module[4096], source[4096], linked[4096];
    const char *const compile[] = { "-std=gnu11", "-O1", "-ffreestanding", "-I", qn_lab_library(c), module, "-c", "-o",
                                    output, source, NULL };
    const char *const link[] = { "-nostdlib", "-static", "-no-pie", "-Wl,-e,0", "-Wl,--defsym,memcpy=0",
                                 "-Wl,--defsym,memset=0", "-Wl,--defsym,sim_option=0",
                                 "-Wl,--defsym,sim_option_within=0", "-Wl,--defsym,sim_branch_backward=0", SERVICE("fail"),
                                 SERVICE("print"), SERVICE("event"), SERVICE("event_new"), SERVICE("events_new"),
                                 SERVICE("event_counts"), SERVICE("find"), "-o",
                                 linked, output, NULL };

    snprintf(module, sizeof module, "-DMODULE=\"%s\"", qn_lab_handed_in(c, "mine.c"));
    snprintf(source, sizeof source, "%s/budget.c", qn_lab_starter(c));
    snprintf(linked, sizeof linked, "%s.linked", output);
    return qn_lab_compile(c, compile) && qn_lab_inspect(c, output) && qn_lab_compile(c, link);
}

static bool mine_fits(struct qn_lab_check *c)
{
    const char *object = qn_lab_made(c, "mine.c", "mine-alone.o", build_alone);
    uint64_t bytes;

    if (!object || !qn_lab_storage(c, object, &bytes))
        return false;
    return bytes <= BUDGET + BUDGET_OWN
           || qn_lab_say(c, "mine.c has %llu bytes of variables, wanted at most %u",
                         (unsigned long long)(bytes - BUDGET_OWN), BUDGET);
}

/* Some branches of a program, with one kind of habit. */
struct place {
    uint64_t pc;
    unsigned kind, parameter, count, pattern;
};

enum { LOOP, PATTERN, FOLLOWS, HABIT, KINDS };
#define PLACES 24
#define PLACE_BYTES 64u
#define FUNCTIONS 4 /* places that come one after the other */

/* loop: taken `parameter` times, then not;  pattern: its own, `parameter` long;  follows: the exclusive or of the two
 * branches before; habit: taken in `parameter` of 100. */
static bool draw_outcome(struct qn_lab_check *c, struct place *p, bool last, bool before)
{
    switch (p->kind) {
    case LOOP: return p->count++ % (p->parameter + 1) < p->parameter;
    case PATTERN: return p->pattern >> p->count++ % p->parameter & 1;
    case FOLLOWS: return last ^ before;
    default: return qn_lab_below(c, 100) < p->parameter;
    }
}

static void draw_program(struct qn_lab_check *c, struct qn_lab_branches *t)
{
    struct place places[PLACES];
    bool last = false, before = false;

    for (unsigned i = 0; i < PLACES; i++) {
        struct place p = { CODE + PLACE_BYTES * i + qn_lab_below(c, PLACE_BYTES - 4), i % KINDS, 0, 0, qn_lab_below(c, 1u << 6) };

        p.parameter = p.kind == LOOP ? qn_lab_between(c, 3, 7) : p.kind == PATTERN ? qn_lab_between(c, 3, 6)
                      : qn_lab_below(c, 2) ? qn_lab_between(c, 90, 98) : qn_lab_between(c, 2, 10);
        places[i] = p;
    }
    while (t->n < PROGRAM_BRANCHES) {
        unsigned function = qn_lab_below(c, PLACES / FUNCTIONS) * FUNCTIONS;

        for (unsigned i = 0; i < FUNCTIONS; i++) {
            bool taken = draw_outcome(c, &places[function + i], last, before);

            qn_lab_add_branch(t, places[function + i].pc, taken);
            before = last;
            last = taken;
        }
    }
}

/* Nobody can know before what chance decides: of branches with a habit, those that do not follow it are mispredicted, but for luck.
 * Who mispredicts less than half of that has seen the outcomes (on the stack of the replay, say). */
static bool foresees(struct qn_lab_check *c, const struct qn_lab_branches *t, const struct qn_lab_replay *r)
{
    unsigned long n[PLACES] = { 0 }, taken[PLACES] = { 0 }, wrong = 0, least = 0;

    for (size_t i = 0; i < t->n; i++) {
        unsigned place = (unsigned)(t->at[i].pc - CODE) / PLACE_BYTES;

        n[place]++;
        taken[place] += t->at[i].taken;
        if (place % KINDS == HABIT)
            wrong += r->outcomes[i];
    }
    for (unsigned i = HABIT; i < PLACES; i += KINDS)
        least += taken[i] < n[i] - taken[i] ? taken[i] : n[i] - taken[i];
    return wrong * 2 < least
           && !qn_lab_say(c, "%lu of the branches that chance decides do something else than usual, mine mispredicts %lu: "
                             "it knows the outcome before", least, wrong);
}

struct score {
    unsigned long mine, two, share;
};

static bool play(struct qn_lab_check *c, struct score *score)
{
    struct qn_lab_branches t = { .n = 0 };
    struct qn_lab_replay r;
    bool good;

    draw_program(c, &t);
    score->two += qn_lab_mispredicts(&t, QN_LAB_TWO_BIT, BITS, NULL);
    score->share += qn_lab_mispredicts(&t, QN_LAB_GSHARE, BITS, NULL);
    good = run(c, "mine.c", 0, &t, &r);
    score->mine += good ? count_wrong(&r) : 0;
    good = good && !foresees(c, &t, &r);
    qn_lab_free_replay(&r);
    qn_lab_free_branches(&t);
    return good;
}

/* percent: of what the better one of twobit and gshare mispredicts. */
static bool mine_beats(struct qn_lab_check *c, unsigned percent)
{
    struct score s = { 0, 0, 0 };
    unsigned long best;

    if (!mine_fits(c))
        return false;
    for (unsigned i = 0; i < PROGRAMS; i++)
        if (!play(c, &s))
            return false;
    best = s.two < s.share ? s.two : s.share;
    return s.mine * 100 <= best * percent
           || qn_lab_say(c, "%u branches: mine mispredicts %lu, twobit %lu, gshare %lu; wanted at most %lu",
                         PROGRAMS * PROGRAM_BRANCHES, s.mine, s.two, s.share, best * percent / 100);
}

static bool mine_better(struct qn_lab_check *c) { return mine_beats(c, 90); }
static bool mine_much_better(struct qn_lab_check *c) { return mine_beats(c, 45); }

static const struct qn_lab_test tests[] = {
    { "onebit: what the branch did last", 10, onebit },
    { "onebit, nested loops: 20,002 mispredicts", 5, onebit_nested },
    { "twobit: a counter per branch", 15, twobit },
    { "twobit: counters stop at 0 and 3", 10, saturates },
    { "twobit, nested loops: 10,005 mispredicts", 5, twobit_nested },
    { "gshare: address and history", 20, gshare },
    { "gshare, nested loops: learns a loop of 12, not of 13", 5, gshare_nested },
    { "mine: variables of at most 4 KiB, no other memory", 5, mine_fits },
    { "mine: at most 90% of the mispredicts of the better of both", 15, mine_better },
    { "mine: at most 45%", 10, mine_much_better },
};

static const char *const files[] = { "onebit.c", "twobit.c", "gshare.c", "mine.c", NULL };

const struct qn_lab qn_lab_05 = {
    5, "05-branches", "Branch predictors", files, tests, QN_ARRAY_LEN(tests), false
};
