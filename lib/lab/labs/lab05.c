/* lib/lab/labs/lab05.c - the tests of lab 5: branch predictors, each a module that is called by messages (module.h).
 *
 * onebit, twobit and gshare are compared with models, branch by branch.  `mine` is judged by its mispredicts on programs that are
 * drawn (draw_program), against twobit and gshare on the same programs.  It learns an outcome only after its prediction, its storage is
 * measured, and state outside of its variables is lost after WINDOW branches.
 */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "lab/models/models.h"
#include "lab/module.h"

#define BITS 12
#define CODE 0x401000
#define BRANCHES 4000          /* of the traces compared */
#define OUTER 2000
#define SHARERS 8              /* branches of an entry that why.txt shows */
#define COUNTER_ASKED 12       /* branches by which a counter is found out */
#define TAIL 500               /* branches behind nested loops, whose predictions could be known by heart */
#define ALIGNMENT 32           /* bytes that may be lost between variables */
#define WINDOW 150             /* branches */
#define FIT_WINDOW 37
#define FIT_BRANCHES 3000
#define PROGRAMS 3
#define PROGRAM_BRANCHES 30000

/* ---- running ---- */

/* Sends all branches at once, for predictors that are compared with a model. */
static bool run(struct qn_lab_check *c, const char *file, unsigned bits, const struct qn_lab_branches *t, unsigned char *wrong)
{
    struct qn_lab_predictions p = { qn_lab_module(c, file, false), t, bits, 0, wrong };

    return qn_lab_predict(c, &p);
}

static unsigned long count_wrong(const unsigned char *wrong, size_t n)
{
    unsigned long sum = 0;

    for (size_t i = 0; i < n; i++)
        sum += wrong[i];
    return sum;
}

/* How often in a row the entry would predict `predicted`, if the branches behind the first n all went the other way? */
static unsigned ask_entry(struct qn_lab_check *c, const char *file, const struct qn_lab_branches *t, size_t n, enum qn_lab_predictor model, unsigned bits,
                          unsigned index, bool predicted)
{
    struct qn_lab_branches more = { .n = 0 };
    unsigned char *wrong = QN_NEEDED(malloc(n + COUNTER_ASKED));
    unsigned often = 0;

    for (size_t i = 0; i < n; i++)
        qn_lab_add_branch(&more, t->at[i].pc, t->at[i].taken);
    for (unsigned i = 0; i < COUNTER_ASKED; i++)
        qn_lab_add_branch(&more, qn_lab_find_sharer(&more, model, bits, qn_lab_rules(c), index, t->at[n].pc), !predicted);
    if (run(c, file, bits, &more, wrong))
        while (often < COUNTER_ASKED && wrong[n + often])
            often++;
    qn_lab_free_branches(&more);
    free(wrong);
    return often;
}

/* The counter that an entry of the student's predictor acts like: it cannot be read. */
static void tell_counter(struct qn_lab_check *c, const char *file, const struct qn_lab_branches *t, size_t n, enum qn_lab_predictor model, unsigned bits,
                         const struct qn_lab_entry *e)
{
    unsigned half = qn_lab_rules(c)->value[QN_LAB_COUNTER_MAX] / 2, down = qn_lab_rules(c)->value[QN_LAB_COUNTER_DOWN], value = 0;
    unsigned as_taken = ask_entry(c, file, t, n, model, bits, e->index, true), as_not = ask_entry(c, file, t, n, model, bits, e->index, false);

    while (value < COUNTER_ASKED && (value > half ? (value - half + down - 1) / down != as_taken || as_not : as_taken || half + 1 - value != as_not))
        value++;
    if (value < COUNTER_ASKED)
        qn_lab_why(c, "Expected counter %u, yours acts like %u:", e->value, value);
    else
        qn_lab_why(c, "Expected counter %u, yours acts like none:", e->value);
    qn_lab_why(c, "    %u times \"not taken\" with this entry until it predicts so, %u times \"taken\".", as_taken, as_not);
}

/* The branches that used the same entry before, with what it should have held, and what was predicted. */
static void tell_entry(struct qn_lab_check *c, const char *file, const struct qn_lab_branches *t, const unsigned char *got, enum qn_lab_predictor model, unsigned bits,
                       size_t at)
{
    struct qn_lab_entry *e = QN_NEEDED(calloc(at + 1, sizeof *e));
    size_t first = at, n = 0;

    qn_lab_follow_entries(t, at + 1, model, bits, qn_lab_rules(c), e);
    while (first > 0 && n < SHARERS)
        n += e[--first].index == e[at].index;
    qn_lab_why(c, "Branches with entry 0x%x, the last %u, and this one: what the entry should hold before each, and what your predictor said.", e[at].index,
               SHARERS);
    for (size_t i = first; i <= at; i++)
        if (e[i].index == e[at].index)
            qn_lab_why(c, "    branch %zu at 0x%llx, %s: expected %u (%s), yours %s", i + 1, (unsigned long long)t->at[i].pc,
                       t->at[i].taken ? "taken" : "not taken", e[i].value, e[i].taken ? "taken" : "not taken",
                       (got[i] != 0) != t->at[i].taken ? "taken" : "not taken");
    if (model != QN_LAB_ONE_BIT && qn_lab_keeps(c))
        tell_counter(c, file, t, at, model, bits, &e[at]);
    free(e);
}

static bool compare(struct qn_lab_check *c, const char *file, enum qn_lab_predictor model, const struct qn_lab_branches *t,
                    const unsigned char *got, const unsigned char *wrong, unsigned bits)
{
    size_t i = 0;

    while (i < t->n && got[i] == wrong[i])
        i++;
    if (i == t->n)
        return true;
    qn_lab_write_branches(c, &(struct qn_lab_branches){ t->at, i + 1, 0 }, "branches.trace");
    qn_lab_why(c, "Branch %zu, the last of branches.trace, is at 0x%llx; with bits=%u the low bits of its address are 0x%llx. The last twelve "
                  "outcomes before it, the newest last:", i + 1, (unsigned long long)t->at[i].pc, bits,
               (unsigned long long)t->at[i].pc & ((1ull << bits) - 1));
    for (size_t k = i < 12 ? 0 : i - 12; k < i; k++)
        qn_lab_why(c, "    0x%llx %s", (unsigned long long)t->at[k].pc, t->at[k].taken ? "taken" : "not taken");
    tell_entry(c, file, t, got, model, bits, i);
    qn_lab_why(c, "It was %spredicted, wanted %spredicted; it was %staken.", got[i] ? "mis" : "", wrong[i] ? "mis" : "",
               t->at[i].taken ? "" : "not ");
    qn_lab_why_with(c, "branches.trace", "In a debugger:\n    quern sim build --replay --BC=%s --cflags='-g -O0' -o mine\n"
                  "    gdb -ex 'break branchsim_BC_predict if pc == 0x%llx' -ex run --args ./mine --sim-opt=bits=%u",
               file, (unsigned long long)t->at[i].pc, bits);
    return qn_lab_say(c, "bits=%u, branch %zu at 0x%llx, %staken: was %spredicted, wanted %spredicted", bits, i + 1,
                      (unsigned long long)t->at[i].pc, t->at[i].taken ? "" : "not ", wrong[i] ? "" : "mis",
                      wrong[i] ? "mis" : "");
}

/* Branches at many places, some of which share an entry; each has its own habit. */
static void draw_branches(struct qn_lab_check *c, struct qn_lab_branches *t, unsigned n)
{
    unsigned places = qn_lab_between(c, 30, 60);
    uint64_t pc[60] = { 0 };
    unsigned habit[60] = { 0 };

    for (unsigned i = 0; i < places; i++) {
        pc[i] = CODE + qn_lab_below(c, 1u << 16);
        habit[i] = qn_lab_below(c, 101);
    }
    for (unsigned i = 0; i < n; i++) {
        unsigned place = qn_lab_below(c, places);

        qn_lab_add_branch(t, pc[place], qn_lab_below(c, 100) < habit[place]);
    }
}

/* Compares a predictor with its model; frees the branches. */
static bool is_model(struct qn_lab_check *c, const char *file, enum qn_lab_predictor model, unsigned bits, struct qn_lab_branches *t)
{
    unsigned char *wanted = QN_NEEDED(malloc(t->n + 1)), *got = QN_NEEDED(malloc(t->n + 1));
    bool good;

    qn_lab_mispredicts(t, model, bits, qn_lab_rules(c), wanted);
    good = run(c, file, bits, t, got) && compare(c, file, model, t, got, wanted, bits);
    free(wanted);
    free(got);
    qn_lab_free_branches(t);
    return good;
}

static bool agrees(struct qn_lab_check *c, const char *file, enum qn_lab_predictor model, unsigned bits)
{
    struct qn_lab_branches t = { .n = 0 };

    draw_branches(c, &t, BRANCHES);
    return is_model(c, file, model, bits, &t);
}

static bool agrees_at_sizes(struct qn_lab_check *c, const char *file, enum qn_lab_predictor model)
{
    return agrees(c, file, model, BITS) && agrees(c, file, model, qn_lab_between(c, 6, BITS - 1))
           && agrees(c, file, model, qn_lab_between(c, 3, 5)); /* so few entries that branches share them */
}

static bool onebit(struct qn_lab_check *c) { return agrees_at_sizes(c, "onebit.c", QN_LAB_ONE_BIT); }
static bool twobit(struct qn_lab_check *c) { return agrees_at_sizes(c, "twobit.c", QN_LAB_TWO_BIT); }
static bool gshare(struct qn_lab_check *c) { return agrees_at_sizes(c, "gshare.c", QN_LAB_GSHARE); }

/* A branch that goes one way for long, then the other: counters must saturate at both ends. */
static bool saturates(struct qn_lab_check *c)
{
    struct qn_lab_branches t = { .n = 0 };
    bool taken = true;

    while (t.n < 1500) { /* runs of three and more; at the end shorter ones, after which a counter is between its ends */
        unsigned n = t.n < 1200 ? qn_lab_between(c, 3, 400) : qn_lab_between(c, 1, 3);

        for (taken = !taken; n > 0 && t.n < 1500; n--)
            qn_lab_add_branch(&t, CODE, taken);
    }
    return is_model(c, "twobit.c", QN_LAB_TWO_BIT, BITS, &t);
}

/* ---- nested loops ---- */

static bool nested(struct qn_lab_check *c, const char *file, enum qn_lab_predictor model, unsigned k)
{
    struct qn_lab_branches t = { .n = 0 };
    uint64_t pc = CODE + 16 * qn_lab_below(c, 100);

    for (unsigned i = 0; i < OUTER; i++) {
        for (unsigned j = 0; j < k; j++)
            qn_lab_add_branch(&t, pc, j + 1 < k);
        qn_lab_add_branch(&t, pc + 16, i + 1 < OUTER);
    }
    draw_branches(c, &t, TAIL);
    return is_model(c, file, model, BITS, &t) || qn_lab_say(c, "that was an inner loop of %u, %u times, and %u other branches", k, OUTER, TAIL);
}

static bool onebit_nested(struct qn_lab_check *c) { return nested(c, "onebit.c", QN_LAB_ONE_BIT, qn_lab_between(c, 3, 12)); }
static bool twobit_nested(struct qn_lab_check *c) { return nested(c, "twobit.c", QN_LAB_TWO_BIT, qn_lab_between(c, 4, 12)); }

static bool gshare_nested(struct qn_lab_check *c)
{
    return nested(c, "gshare.c", QN_LAB_GSHARE, 12) && nested(c, "gshare.c", QN_LAB_GSHARE, 13);
}

/* ---- mine ---- */

/* Some branches of a program, with one kind of habit. */
struct place {
    uint64_t pc;
    unsigned kind, parameter, count, pattern;
};

enum { LOOP, PATTERN, FOLLOWS, HABIT, KINDS };
#define PLACES 24
#define PLACE_BYTES 64u
#define FUNCTIONS 4 /* places that come one after the other */

/* loop: taken `parameter` times, then not;  pattern: its own, `parameter` long;  follows: the exclusive or of two
 * branches before; habit: taken in `parameter` of 100. */
static bool draw_outcome(struct qn_lab_check *c, struct place *p, uint64_t history)
{
    unsigned near = qn_lab_rules(c)->value[QN_LAB_FOLLOWS_NEAR], far = qn_lab_rules(c)->value[QN_LAB_FOLLOWS_FAR];

    switch (p->kind) {
    case LOOP: return p->count++ % (p->parameter + 1) < p->parameter;
    case PATTERN: return p->pattern >> p->count++ % p->parameter & 1;
    case FOLLOWS: return (history >> (near - 1) ^ history >> (far - 1)) & 1;
    default: return qn_lab_below(c, 100) < p->parameter;
    }
}

/* Where the branches are, and which of a function's branches is of which kind, is drawn: an address tells nothing. */
static void draw_program(struct qn_lab_check *c, struct qn_lab_branches *t, unsigned n)
{
    struct place places[PLACES];
    uint64_t history = 0, code = CODE + 4096 * qn_lab_below(c, 4096); /* history: the newest outcome in bit 0 */
    unsigned turn = 0;

    for (unsigned i = 0; i < PLACES; i++) {
        struct place p = { code + PLACE_BYTES * i + qn_lab_below(c, PLACE_BYTES - 4), 0, 0, 0, qn_lab_below(c, 1u << 6) };

        turn = i % FUNCTIONS ? turn : qn_lab_draw(c) % FUNCTIONS;
        p.kind = (i + turn) % KINDS;
        p.parameter = p.kind == LOOP ? qn_lab_between(c, 3, 7) : p.kind == PATTERN ? qn_lab_between(c, 3, 6)
                      : qn_lab_below(c, 2) ? qn_lab_between(c, 90, 98) : qn_lab_between(c, 2, 10);
        places[i] = p;
    }
    while (t->n < n) {
        unsigned function = qn_lab_below(c, PLACES / FUNCTIONS) * FUNCTIONS;

        for (unsigned i = 0; i < FUNCTIONS; i++) {
            bool taken = draw_outcome(c, &places[function + i], history);

            qn_lab_add_branch(t, places[function + i].pc, taken);
            history = history << 1 | taken;
        }
    }
}

struct score {
    unsigned long mine, two, share;
};

static bool ask_mine(struct qn_lab_check *c, const struct qn_lab_branches *t, unsigned window, unsigned char *wrong)
{
    struct qn_lab_predictions p = { qn_lab_module(c, "mine.c", true), t, 0, window, wrong };

    return qn_lab_predict(c, &p);
}

static bool play(struct qn_lab_check *c, struct score *score)
{
    struct qn_lab_branches t = { .n = 0 };
    unsigned char *wrong;
    bool good;

    draw_program(c, &t, PROGRAM_BRANCHES);
    wrong = calloc(t.n, 1);
    score->two += qn_lab_mispredicts(&t, QN_LAB_TWO_BIT, BITS, qn_lab_rules(c), NULL);
    score->share += qn_lab_mispredicts(&t, QN_LAB_GSHARE, BITS, qn_lab_rules(c), NULL);
    good = wrong && ask_mine(c, &t, WINDOW, wrong);
    score->mine += good ? count_wrong(wrong, t.n) : 0;
    free(wrong);
    qn_lab_free_branches(&t);
    return good;
}

/* The same programs for all tests of mine. */
static struct score played;

static bool play_all(struct qn_lab_check *c)
{
    played = (struct score){ 0, 0, 0 };
    for (unsigned i = 0; i < PROGRAMS; i++)
        if (!play(c, &played))
            return false;
    return true;
}

/* A predictor that has nothing but its variables predicts the same, whatever else it loses. */
static bool mine_remembers(struct qn_lab_check *c)
{
    struct qn_lab_branches t = { .n = 0 };
    unsigned char *whole, *parts;
    size_t i = 0;
    bool good;

    draw_program(c, &t, FIT_BRANCHES);
    whole = calloc(t.n, 1), parts = calloc(t.n, 1);
    good = ask_mine(c, &t, (unsigned)t.n, whole) && ask_mine(c, &t, FIT_WINDOW, parts);
    while (good && i < t.n && whole[i] == parts[i])
        i++;
    if (good && i < t.n)
        good = qn_lab_say(c, "mine.c predicts branch %zu otherwise when it has its variables only: it keeps something elsewhere (below the "
                             "stack?)", i + 1);
    free(whole);
    free(parts);
    qn_lab_free_branches(&t);
    return good;
}

static bool mine_is_small(struct qn_lab_check *c)
{
    unsigned budget = qn_lab_rules(c)->value[QN_LAB_BUDGET];
    uint64_t bytes;

    if (!qn_lab_module_storage(c, "mine.c", &bytes))
        return false;
    return bytes < budget + ALIGNMENT
           || qn_lab_say(c, "mine.c has %llu bytes of variables, wanted at most %u", (unsigned long long)bytes, budget);
}


/* percent: of what the better one of twobit and gshare mispredicts. */
static bool mine_beats(struct qn_lab_check *c, unsigned percent)
{
    struct score s;
    unsigned long best;

    if (!mine_is_small(c) || !qn_lab_once(c, play_all))
        return false;
    s = played;
    best = s.two < s.share ? s.two : s.share;
    return s.mine * 100 <= best * percent
           || qn_lab_say(c, "%u branches: mine mispredicts %lu, twobit %lu, gshare %lu; wanted at most %lu",
                         PROGRAMS * PROGRAM_BRANCHES, s.mine, s.two, s.share, best * percent / 100);
}

/* Storage is worth points only for a predictor that does something with it. */
static bool mine_fits(struct qn_lab_check *c) { return mine_is_small(c) && mine_remembers(c) && mine_beats(c, 95); }
static bool mine_better(struct qn_lab_check *c) { return mine_beats(c, 90); }
static bool mine_much_better(struct qn_lab_check *c) { return mine_beats(c, 45); }

static const struct qn_lab_test tests[] = {
    { "onebit: branch by branch", 10, onebit },
    { "onebit, nested loops", 5, onebit_nested },
    { "twobit: branch by branch", 15, twobit },
    { "twobit: long runs of one outcome", 10, saturates },
    { "twobit, nested loops", 5, twobit_nested },
    { "gshare: branch by branch", 20, gshare },
    { "gshare, nested loops", 5, gshare_nested },
    { "mine: better than both, from its variables and no other memory", 5, mine_fits },
    { "mine: at most 90% of the mispredicts of the better of both", 15, mine_better },
    { "mine: at most 45%", 10, mine_much_better },
};

static const char *const files[] = { "onebit.c", "twobit.c", "gshare.c", "mine.c", NULL };

const struct qn_lab qn_lab_05 = {
    5, "05-branches", "Branch predictors", files, tests, QN_ARRAY_LEN(tests), NULL
};
