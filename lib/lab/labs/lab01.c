/* lib/lab/labs/lab01.c - the tests of lab 1: csim, a cache simulator over traces.
 *
 * Each test's traces have one feature that the other tests leave out, so that a mistake fails the test that is named after it.
 */
#define _GNU_SOURCE
#include <stdio.h>
#include <string.h>

#include "lab/check.h"
#include "lab/models/models.h"
#include "lab/trace.h"

#define CASES 4          /* traces per test */
#define REFS 400         /* references per trace */
#define REFS_LONG 200000
#define ARGUMENTS 9
#define BASE 0x400000
#define PUSHED_OUT 8     /* lines in a trace that a reference over two lines evicts */

/* ---- the answer ---- */

static struct qn_lab_csim_counts work_out(struct qn_lab_check *c, const struct qn_lab_trace *t, struct qn_lab_csim_shape g)
{
    struct qn_lab_csim *model = qn_lab_new_csim(g, qn_lab_rules(c));
    struct qn_lab_csim_counts k = { 0, 0, 0 };

    for (size_t i = 0; i < t->n; i++)
        qn_lab_csim_reference(model, t->at[i].op, t->at[i].addr, t->at[i].size, &k);
    qn_lab_free_csim(model);
    return k;
}

/* ---- running csim ---- */

static void swap_options(struct qn_lab_check *c, const char **argv)
{
    for (unsigned i = 3; i > 0; i--) {
        unsigned j = qn_lab_below(c, i + 1);

        for (unsigned k = 1; k <= 2; k++) {
            const char *old = argv[2 * i + k];

            argv[2 * i + k] = argv[2 * j + k];
            argv[2 * j + k] = old;
        }
    }
}

/* quiet: without a remark. */
static bool compare(struct qn_lab_check *c, const char *output, struct qn_lab_csim_counts want, struct qn_lab_csim_shape g, bool quiet)
{
    char wanted[128];
    size_t n;

    snprintf(wanted, sizeof wanted, "hits:%lu misses:%lu evictions:%lu", want.hits, want.misses, want.evictions);
    n = strlen(wanted);
    if (!strncmp(output, wanted, n) && strspn(output + n, " \r\n") == strlen(output + n))
        return true;
    if (!quiet && !strncmp(output, wanted, n) && output[n + strspn(output + n, " \r")] == '\n')
        return qn_lab_say(c, "s=%u E=%u b=%u: '%s' is right, and then comes '%s': print one line", g.s, g.E, g.b, wanted,
                          qn_lab_first_line(output + n + strspn(output + n, " \r\n")));
    return !quiet && qn_lab_say(c, "s=%u E=%u b=%u: got '%s', wanted '%s'", g.s, g.E, g.b, qn_lab_first_line(output), wanted);
}

static bool agrees_so_far(struct qn_lab_check *c, const struct qn_lab_trace *t, struct qn_lab_csim_shape g, bool any_order, bool quiet)
{
    const char *path = qn_lab_write_trace(c, t, "trace.txt"), *program = qn_lab_program(c, "csim.c", NULL);
    char s[16], E[16], b[16];
    const char *argv[ARGUMENTS + 1] = { program, "-s", s, "-E", E, "-b", b, "-t", path, NULL };
    struct qn_lab_job job = { .argv = argv };
    bool good;

    if (!program)
        return false;
    snprintf(s, sizeof s, "%u", g.s);
    snprintf(E, sizeof E, "%u", g.E);
    snprintf(b, sizeof b, "%u", g.b);
    if (any_order)
        swap_options(c, argv);
    good = qn_lab_run_program(c, &job) && compare(c, job.output, work_out(c, t, g), g, quiet);
    qn_lab_free_job(&job);
    return good;
}

/* ---- the first wrong reference ---- */

/* The set that the first line of a reference goes to, as it was before.  Returns what the reference counts. */
static struct qn_lab_csim_counts tell_set(struct qn_lab_check *c, const struct qn_lab_trace *t, size_t last, struct qn_lab_csim_shape g)
{
    struct qn_lab_csim *model = qn_lab_new_csim(g, qn_lab_rules(c));
    const struct qn_lab_ref *r = &t->at[last];
    unsigned set = qn_lab_csim_set(model, r->addr);
    struct qn_lab_csim_counts k = { 0, 0, 0 };
    uint64_t line;

    for (size_t i = 0; i < last; i++)
        qn_lab_csim_reference(model, t->at[i].op, t->at[i].addr, t->at[i].size, &k);
    qn_lab_why(c, "Before it, set %u held these lines, the one used last first (number of a line = address >> %u):", set, g.b);
    for (unsigned place = 0; qn_lab_csim_line(model, set, place, &line); place++)
        qn_lab_why(c, "    %llx", (unsigned long long)line);
    k = (struct qn_lab_csim_counts){ 0, 0, 0 };
    qn_lab_csim_reference(model, r->op, r->addr, r->size, &k);
    qn_lab_why(c, "Wanted for this reference: %lu hits, %lu misses, %lu evictions. Its lines are %llx to %llx.", k.hits, k.misses, k.evictions,
               (unsigned long long)(r->addr >> g.b), (unsigned long long)((r->addr + r->size - 1) >> g.b));
    qn_lab_free_csim(model);
    return k;
}

/* Finds the first wrong reference by bisection: csim is right on the first `good` references, and wrong on the first `bad`. */
static void find_first(struct qn_lab_check *c, const struct qn_lab_trace *t, struct qn_lab_csim_shape g)
{
    struct qn_lab_csim_counts want;
    size_t good = 0, bad = t->n;

    while (bad - good > 1) {
        struct qn_lab_trace part = { t->at, good + (bad - good) / 2, 0 };

        if (agrees_so_far(c, &part, g, false, true))
            good = part.n;
        else
            bad = part.n;
    }
    qn_lab_write_trace(c, &(struct qn_lab_trace){ t->at, bad, 0 }, "trace.txt");
    qn_lab_why(c, "The counts are right up to reference %zu, and wrong with reference %zu, the last line of trace.txt: %c %llx,%u", good, bad,
               t->at[bad - 1].op, (unsigned long long)t->at[bad - 1].addr, t->at[bad - 1].size);
    want = tell_set(c, t, bad - 1, g);
    qn_lab_say(c, "first wrong at reference %zu: %c %llx,%u: wanted hits +%lu, misses +%lu, evictions +%lu", bad, t->at[bad - 1].op,
               (unsigned long long)t->at[bad - 1].addr, t->at[bad - 1].size, want.hits, want.misses, want.evictions);
    qn_lab_why_with(c, "trace.txt", "In a debugger (csim compiled with -g):\n    gdb -ex 'break reference' -ex run --args ./csim -s %u -E %u -b %u -t", g.s, g.E, g.b);
}

static bool agrees(struct qn_lab_check *c, const struct qn_lab_trace *t, struct qn_lab_csim_shape g, bool any_order)
{
    if (agrees_so_far(c, t, g, any_order, false))
        return true;
    if (qn_lab_ran_well(c) && !any_order && t->n <= REFS)
        find_first(c, t, g);
    return false;
}

/* ---- tests ---- */

/* Lines of 4 to 64 bytes; the number of lines referenced is about twice what the cache holds. */
static struct qn_lab_csim_shape draw_shape(struct qn_lab_check *c, unsigned sets_log, unsigned ways)
{
    return (struct qn_lab_csim_shape){ sets_log, ways, qn_lab_between(c, 2, 6) };
}

static void draw(struct qn_lab_check *c, struct qn_lab_trace *t, struct qn_lab_csim_shape g, const char *ops, unsigned n)
{
    struct qn_lab_pattern p = { BASE + ((uint64_t)qn_lab_below(c, 1u << 16) << 12), 2 * (g.E << g.s) + 1, g.b, 1, ops };

    qn_lab_draw_refs(c, t, &p, n);
}

static bool agrees_on_random(struct qn_lab_check *c, unsigned sets_log, unsigned ways, const char *ops)
{
    struct qn_lab_csim_shape g = draw_shape(c, sets_log, ways);
    struct qn_lab_trace t = { .n = 0 };
    bool good;

    draw(c, &t, g, ops, REFS);
    good = agrees(c, &t, g, false);
    qn_lab_free_trace(&t);
    return good;
}

/* Caches of a few lines, and references that can be followed on paper. */
static bool small_traces(struct qn_lab_check *c)
{
    static const struct qn_lab_csim_shape shapes[] = { { 1, 1, 1 }, { 4, 2, 4 }, { 2, 1, 4 } };
    bool good = true;

    for (size_t i = 0; good && i < QN_ARRAY_LEN(shapes); i++) {
        struct qn_lab_pattern p = { 0, (2 * shapes[i].E << shapes[i].s) + 1, shapes[i].b, 1, "LLSM" };
        struct qn_lab_trace t = { .n = 0 };

        qn_lab_draw_refs(c, &t, &p, qn_lab_is_variant(c) ? qn_lab_between(c, 60, 80) : qn_lab_between(c, 12, 20)); /* so that all its rules show */
        good = agrees(c, &t, shapes[i], false);
        qn_lab_free_trace(&t);
    }
    return good;
}

/* Fewer than 8 sets do not show how a variant chooses one. */
static unsigned draw_sets_log(struct qn_lab_check *c, unsigned most)
{
    return qn_lab_between(c, qn_lab_is_variant(c) ? 3 : 1, most);
}

/* A variant has other rules for stores, so its traces have stores. */
static char load_or_store(struct qn_lab_check *c) { return qn_lab_is_variant(c) && qn_lab_below(c, 4) == 0 ? 'S' : 'L'; }

static bool direct_mapped(struct qn_lab_check *c)
{
    for (unsigned i = 0; i < CASES; i++)
        if (!agrees_on_random(c, draw_sets_log(c, 6), 1, "LS"))
            return false;
    return true;
}

static bool set_associative(struct qn_lab_check *c)
{
    for (unsigned i = 0; i < CASES; i++)
        if (!agrees_on_random(c, draw_sets_log(c, 4), qn_lab_between(c, 2, 8), "LS"))
            return false;
    return true;
}

static bool fully_associative(struct qn_lab_check *c)
{
    for (unsigned i = 0; i < CASES; i++)
        if (!agrees_on_random(c, 0, qn_lab_between(c, 3, 40), "LS"))
            return false;
    return true;
}

static bool modifies(struct qn_lab_check *c)
{
    for (unsigned i = 0; i < CASES; i++)
        if (!agrees_on_random(c, draw_sets_log(c, 4), 1, "LSMM"))
            return false;
    return true;
}

static bool fetches(struct qn_lab_check *c)
{
    for (unsigned i = 0; i < CASES; i++)
        if (!agrees_on_random(c, draw_sets_log(c, 4), 1, "LSI"))
            return false;
    return true;
}

/* The same low 32 bits, different high ones; in a variant more lines, so that its sets show. */
static bool long_addresses(struct qn_lab_check *c)
{
    struct qn_lab_csim_shape g = draw_shape(c, 2, 1);
    struct qn_lab_trace t = { .n = 0 };
    uint64_t base = BASE + ((uint64_t)qn_lab_below(c, 1u << 10) << 8);
    bool good;

    for (unsigned i = 0; i < REFS; i++)
        qn_lab_add_ref(&t, load_or_store(c),
                       ((uint64_t)qn_lab_between(c, 1, 4) << 44) + base + ((uint64_t)qn_lab_below(c, qn_lab_is_variant(c) ? 16 : 3) << g.b), 1);
    good = agrees(c, &t, g, false);
    qn_lab_free_trace(&t);
    return good;
}

static void add_crossing(struct qn_lab_check *c, struct qn_lab_trace *t, uint64_t end, unsigned size)
{
    qn_lab_add_ref(t, load_or_store(c), end - size + size / 2, size);
}

/* A line, a reference into it from the line before, and another line of the same set: whoever looks up only one line is wrong about
 * evictions.  No line is used again. */
static void add_pushed_out(struct qn_lab_check *c, struct qn_lab_trace *t, struct qn_lab_csim_shape g, uint64_t end)
{
    uint64_t other = end + ((uint64_t)1 << (g.s + g.b + 8));

    qn_lab_add_ref(t, 'L', other, 1);
    add_crossing(c, t, end, 4);
    qn_lab_add_ref(t, 'L', other, 1);
}

/* References of several bytes.  crossing: half of them reach into the next line; otherwise they end with the last byte
 * of their line, and a few others show that sizes count. */
static bool wide(struct qn_lab_check *c, bool crossing)
{
    bool good = true;

    for (unsigned i = 0; i < CASES && good; i++) {
        struct qn_lab_csim_shape g = { draw_sets_log(c, 4), 1, qn_lab_between(c, 4, 6) };
        struct qn_lab_trace t = { .n = 0 };

        for (unsigned k = 0; k < REFS - 3 * PUSHED_OUT; k++) {
            unsigned size = 1u << qn_lab_between(c, 1, 3);
            uint64_t end = BASE + ((uint64_t)(1 + qn_lab_below(c, 3u << g.s)) << g.b);

            if (crossing && qn_lab_below(c, 2))
                add_crossing(c, &t, end, size);
            else
                qn_lab_add_ref(&t, load_or_store(c), end - size, size);
        }
        for (unsigned k = 1; k <= PUSHED_OUT; k++)
            add_pushed_out(c, &t, g, 2 * BASE + ((uint64_t)k << (g.s + g.b + 10)) + ((uint64_t)qn_lab_below(c, 1u << g.s) << g.b));
        good = agrees(c, &t, g, false);
        qn_lab_free_trace(&t);
    }
    return good;
}

static bool ends_with_line(struct qn_lab_check *c) { return wide(c, false); }
static bool two_lines(struct qn_lab_check *c) { return wide(c, true); }

static bool any_order(struct qn_lab_check *c)
{
    bool good = true;

    for (unsigned i = 0; i < CASES && good; i++) {
        struct qn_lab_csim_shape g = draw_shape(c, draw_sets_log(c, 4), 1);
        struct qn_lab_trace t = { .n = 0 };

        draw(c, &t, g, qn_lab_is_variant(c) ? "LS" : "L", REFS);
        good = agrees(c, &t, g, true);
        qn_lab_free_trace(&t);
    }
    return good;
}

static bool long_trace(struct qn_lab_check *c)
{
    struct qn_lab_csim_shape g = { 8, 8, 6 };
    struct qn_lab_trace t = { .n = 0 };
    bool good;

    qn_lab_measure_time(c);
    draw(c, &t, g, "LS", REFS_LONG);
    good = agrees(c, &t, g, false);
    qn_lab_free_trace(&t);
    return good;
}

static const struct qn_lab_test tests[] = {
    { "three small traces", 5, small_traces },
    { "a direct-mapped cache", 10, direct_mapped },
    { "several ways: the line used longest ago leaves", 20, set_associative },
    { "a fully associative cache (s = 0)", 10, fully_associative },
    { "M is a load and then a store", 10, modifies },
    { "instruction fetches are passed over", 5, fetches },
    { "addresses have 64 bits", 10, long_addresses },
    { "a reference that ends with its line stays in it", 10, ends_with_line },
    { "a reference over two lines looks up both", 10, two_lines },
    { "options in any order", 5, any_order },
    { "200,000 references within 5 seconds", 5, long_trace },
};

static const char *const files[] = { "csim.c", NULL };

const struct qn_lab qn_lab_01 = {
    1, "01-cache", "A cache simulator over traces", files, tests, QN_ARRAY_LEN(tests), NULL
};
