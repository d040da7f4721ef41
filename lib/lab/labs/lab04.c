/* lib/lab/labs/lab04.c - the tests of lab 4: mrc, which makes a miss ratio curve in one pass, and classes of misses.
 *
 * The answers come from caches of every size, one after the other, except for traces too long for that
 * (models/model_distance.c).
 */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lab/models/models.h"
#include "base/grow.h"

#define CASES 3
#define REFS 400
#define BASE 0x10000
#define REFS_LONG 60000
#define REFS_LONGER 200000
#define POINTS_LONGER 20000
#define MEMORY_LONG (64u << 20) /* bytes that a program may have in all for the long traces */
#define GROWTH_MOST 200       /* instructions for each reference that a tree may take more when there are eight times the references and lines */
#define PARSING 4000          /* instructions that reading a reference may take, and a tree over 200,000 times */
#define STEPS_OF_LIST 8       /* instructions for each line of a list; a simulation for each size has twice as many for each size */
#define TAIL 100              /* references */
#define EXPLAINED_MAX 1000    /* the first wrong reference is searched for in traces up to this length */
#define SHOWN 24              /* lines that why.txt shows */
#define ARGUMENTS 16

struct classes {
    unsigned long compulsory, capacity, conflict;
};

/* ---- curves ---- */

static bool compare_curve(struct qn_lab_check *c, const char *output, const unsigned long *misses, unsigned max)
{
    const char *line = output;

    if (strncmp(line, "lines,misses\n", 13))
        return qn_lab_say(c, "got '%s', wanted 'lines,misses' first", qn_lab_first_line(line));
    for (unsigned n = 1; n <= max; n++) {
        char wanted[64];

        line += strcspn(line, "\n");
        line += *line != 0;
        snprintf(wanted, sizeof wanted, "%u,%lu", n, misses[n]);
        if (strncmp(line, wanted, strlen(wanted)) || !strchr("\r\n", line[strlen(wanted)]))
            return qn_lab_say(c, "got '%s', wanted '%s'", qn_lab_first_line(line), wanted);
    }
    line += strcspn(line, "\n");
    return strspn(line, "\r\n") == strlen(line) || qn_lab_say(c, "more lines than -m %u", max);
}

/* Distances as the handout counts them: the newest lines before reference n. */
static void tell_stack(struct qn_lab_check *c, const struct qn_lab_trace *t, size_t n, unsigned bits)
{
    uint64_t lines[SHOWN];
    unsigned shown = 0;

    for (size_t i = n; i-- > 0 && shown < SHOWN;) {
        uint64_t line = t->at[i].addr >> bits;
        unsigned k = 0;

        while (k < shown && lines[k] != line)
            k++;
        if (k < shown)
            continue;
        lines[shown++] = line;
        qn_lab_why(c, "    %u: line %llx, %c at reference %zu%s", shown - 1, (unsigned long long)line, t->at[i].op, i + 1,
                   line == t->at[n].addr >> bits ? "   <- this one" : "");
    }
}

/* Runs mrc on the first n references of a trace; options: "curve" or "classes" and theirs, NULL at the end.  memory: bytes; 0: as all programs. */
static bool run_mrc(struct qn_lab_check *c, const struct qn_lab_trace *t, size_t n, const char *const *options, uint64_t memory, struct qn_lab_job *job)
{
    static const char *argv[ARGUMENTS];
    struct qn_lab_trace part = { t->at, n, 0 };
    unsigned words = 0;

    argv[words++] = qn_lab_program(c, "mrc.c", NULL);
    while (*options)
        argv[words++] = *options++;
    argv[words++] = "-t";
    argv[words++] = qn_lab_write_trace(c, &part, "trace.txt");
    argv[words] = NULL;
    *job = (struct qn_lab_job){ .argv = argv, .limits = qn_lab_limits_program };
    if (memory)
        job->limits.memory_bytes = memory;
    return argv[0] && qn_lab_run_program(c, job);
}

/* The output that is right for the first n references; free it. */
typedef char *say_right(struct qn_lab_check *c, const struct qn_lab_trace *t, size_t n, const void *data);

/* For --keep: finds the first reference with which mrc is wrong, by bisection. */
static void explain(struct qn_lab_check *c, const struct qn_lab_trace *t, const char *const *options, say_right *right, const void *data,
                    unsigned bits)
{
    size_t good = 0, bad = t->n;
    char words[96] = "";

    if (!qn_lab_keeps(c) || t->n > EXPLAINED_MAX)
        return;
    while (bad - good > 1) {
        size_t n = good + (bad - good) / 2;
        struct qn_lab_job job;
        char *wanted = right(c, t, n, data);
        bool same = run_mrc(c, t, n, options, 0, &job) && !strncmp(job.output, wanted, strlen(wanted))
                    && strspn(job.output + strlen(wanted), "\r\n") == strlen(job.output + strlen(wanted));

        qn_lab_free_job(&job);
        free(wanted);
        *(same ? &good : &bad) = n;
    }
    qn_lab_write_trace(c, &(struct qn_lab_trace){ t->at, bad, 0 }, "trace.txt");
    for (unsigned i = 0; options[i]; i++)
        snprintf(words + strlen(words), sizeof words - strlen(words), " %s", options[i]);
    qn_lab_why(c, "It is right on %zu references, and wrong with reference %zu, the last line of trace.txt: %c %llx", good, bad, t->at[bad - 1].op,
               (unsigned long long)t->at[bad - 1].addr);
    qn_lab_why(c, "Lines that were used before it, the one used last first, with the reference that did so:");
    tell_stack(c, t, bad - 1, bits);
    qn_lab_why_with(c, "trace.txt", "In a debugger (mrc compiled with -g):\n    gdb -ex 'break reference' -ex run --args ./mrc%s -t", words);
}

struct curve {
    unsigned bits, max;
};

static char *right_curve(struct qn_lab_check *c, const struct qn_lab_trace *t, size_t n, const void *data)
{
    const struct curve *curve = data;
    struct qn_lab_trace part = { t->at, n, 0 };
    char *text;
    size_t size;
    FILE *f = QN_NEEDED(open_memstream(&text, &size));

    fputs("lines,misses\n", f);
    for (unsigned lines = 1; lines <= curve->max; lines++)
        fprintf(f, "%u,%lu\n", lines, qn_lab_brute_misses(&part, curve->bits, lines, qn_lab_rules(c)));
    fclose(f);
    return text;
}

static bool curve_is(struct qn_lab_check *c, const struct qn_lab_trace *t, unsigned bits, const unsigned long *misses,
                     unsigned max, uint64_t memory)
{
    char b[16], m[16];
    const char *const options[] = { "curve", "-b", b, "-m", m, NULL };
    struct curve curve = { bits, max };
    struct qn_lab_job job;
    bool ran, good;

    snprintf(b, sizeof b, "%u", bits);
    snprintf(m, sizeof m, "%u", max);
    ran = run_mrc(c, t, t->n, options, memory, &job);
    good = ran && compare_curve(c, job.output, misses, max);
    qn_lab_free_job(&job);
    if (ran && !good)
        explain(c, t, options, right_curve, &curve, bits);
    return good;
}

/* Appends references to the trace's lines, loads and stores, so that a variant's rules matter in each trace. */
static void add_tail(struct qn_lab_check *c, struct qn_lab_trace *t)
{
    size_t n = t->n;

    for (unsigned i = 0; qn_lab_is_variant(c) && i < TAIL; i++)
        qn_lab_add_ref(t, "LS"[qn_lab_below(c, 2)], t->at[qn_lab_below(c, (unsigned)n)].addr, 1);
}

/* Compares the curve; frees the trace. */
static bool agrees(struct qn_lab_check *c, struct qn_lab_trace *t, unsigned bits, unsigned max)
{
    unsigned long *misses = QN_NEEDED(calloc(max + 1, sizeof *misses));
    bool good;

    add_tail(c, t);
    for (unsigned n = 1; n <= max; n++)
        misses[n] = qn_lab_brute_misses(t, bits, n, qn_lab_rules(c));
    good = curve_is(c, t, bits, misses, max, 0);
    free(misses);
    qn_lab_free_trace(t);
    return good;
}

static bool small_curve(struct qn_lab_check *c)
{
    struct qn_lab_trace t = { .n = 0 };

    for (unsigned i = 0; i < 3; i++)
        qn_lab_add_ref(&t, 'L', i << 4, 1);
    for (unsigned n = qn_lab_between(c, 6, 12); n > 0; n--)
        qn_lab_add_ref(&t, 'L', qn_lab_below(c, 4) << 4, 1);
    return agrees(c, &t, 4, 4);
}

static bool random_curve(struct qn_lab_check *c)
{
    for (unsigned i = 0; i < CASES; i++) {
        struct qn_lab_trace t = { .n = 0 };
        struct qn_lab_pattern p = { BASE, qn_lab_between(c, 20, 60), 0, 1, "LS" };

        qn_lab_draw_refs(c, &t, &p, REFS);
        if (!agrees(c, &t, 0, p.lines + 3))
            return false;
    }
    return true;
}

/* Lines that come once, and a few references back, so that the curve is none that is known before. */
static bool first_uses(struct qn_lab_check *c)
{
    struct qn_lab_trace t = { .n = 0 };
    unsigned n = qn_lab_between(c, 20, 50);

    for (unsigned i = 0; i < n; i++) {
        qn_lab_add_ref(&t, 'L', BASE + i, 1);
        if (qn_lab_below(c, 4) == 0)
            qn_lab_add_ref(&t, 'L', BASE + qn_lab_below(c, i + 1), 1);
    }
    return agrees(c, &t, 0, n + 2);
}

static bool repeats(struct qn_lab_check *c)
{
    struct qn_lab_trace t = { .n = 0 };

    for (unsigned i = 0; i < 20; i++) {
        unsigned line = qn_lab_below(c, 6);

        for (unsigned n = qn_lab_between(c, 2, 5); n > 0; n--)
            qn_lab_add_ref(&t, 'L', BASE + line, 1);
    }
    return agrees(c, &t, 0, 8);
}

static bool whole_lines(struct qn_lab_check *c)
{
    struct qn_lab_trace t = { .n = 0 };
    struct qn_lab_pattern p = { BASE, qn_lab_between(c, 10, 30), qn_lab_between(c, 3, 7), 1, "LS" };

    qn_lab_draw_refs(c, &t, &p, REFS);
    return agrees(c, &t, p.line_bits, p.lines + 3);
}

/* The instructions of the program that mrc is; 0: it did not end. */
static unsigned long count_instructions(struct qn_lab_check *c, const char *const *options, const char *trace)
{
    const char *argv[ARGUMENTS] = { qn_lab_quern(c), "run", "--cache-sim=no", "--out-file=/dev/null", "--", qn_lab_program(c, "mrc.c", NULL) };
    struct qn_lab_job job = { .argv = argv };
    unsigned words = 6;
    unsigned long n = 0;

    while (*options)
        argv[words++] = *options++;
    argv[words++] = "-t";
    argv[words] = trace;
    if (qn_lab_run_quern(c, &job))
        n = qn_lab_find_count(job.errors, "refs:");
    qn_lab_free_job(&job);
    return n;
}

struct long_trace {
    unsigned refs, lines, points;
};

static void draw_long(struct qn_lab_check *c, const struct long_trace *l, struct qn_lab_trace *t)
{
    for (unsigned i = 0; i < l->refs; i++)
        qn_lab_add_ref(t, qn_lab_is_variant(c) && i % 4 == 0 ? 'S' : 'L', (uint64_t)(BASE + qn_lab_below(c, l->lines)) << 6, 1);
}

/* Jumps all over the lines, so that distances are long.  The curve has to be right; the result is how many instructions mrc takes for each
 * reference, whatever the speed of this machine is; 0: a remark says what was wrong. */
static unsigned long cost_of_long(struct qn_lab_check *c, const struct long_trace *l)
{
    char m[16];
    const char *const options[] = { "curve", "-b", "6", "-m", m, NULL };
    struct qn_lab_trace t = { .n = 0 };
    unsigned long *misses = QN_NEEDED(calloc(l->points + 1, sizeof *misses)), n = 0;

    qn_lab_measure_time(c);
    snprintf(m, sizeof m, "%u", l->points);
    draw_long(c, l, &t);
    qn_lab_curve(&t, 6, misses, l->points, qn_lab_rules(c));
    if (!curve_is(c, &t, 6, misses, l->points, MEMORY_LONG))
        qn_lab_say(c, "that was with %u MiB of memory", MEMORY_LONG >> 20);
    else
        n = count_instructions(c, options, qn_lab_write_trace(c, &t, "trace.txt"));
    free(misses);
    qn_lab_free_trace(&t);
    return n / l->refs;
}

static bool one_pass(struct qn_lab_check *c)
{
    unsigned lines = qn_lab_between(c, 4000, 6000);
    const struct long_trace l = { REFS_LONG, lines, lines - qn_lab_below(c, 1000) };
    unsigned long most = PARSING + STEPS_OF_LIST * lines, n = cost_of_long(c, &l);

    return n && (n <= most || qn_lab_say(c, "%u references to %u lines, %u sizes: got %lu instructions for each reference, wanted at most %lu", l.refs, lines,
                                         l.points, n, most));
}

/* What a search through a list, or through marks, takes grows with their number; what a tree takes hardly does. */
static bool tree(struct qn_lab_check *c)
{
    struct long_trace l = { REFS_LONGER, qn_lab_between(c, 80000, 120000), POINTS_LONGER + qn_lab_below(c, 40000) }, few = { l.refs / 8, l.lines / 8, l.points / 8 };
    unsigned long n = cost_of_long(c, &l), least;

    if (!n || (n > PARSING && !qn_lab_say(c, "%u references to %u lines: got %lu instructions for each reference, wanted at most %u", l.refs, l.lines, n, PARSING)))
        return false;
    least = cost_of_long(c, &few);
    return least && (n <= least + GROWTH_MOST
                     || qn_lab_say(c, "%u references to %u lines: got %lu instructions for each reference, %lu where references and lines are an eighth; wanted "
                                      "at most %u more", l.refs, l.lines, n, least, GROWTH_MOST));
}

/* ---- classes ---- */

static bool seen_before(const struct qn_lab_trace *t, size_t at, unsigned bits)
{
    for (size_t i = 0; i < at; i++)
        if (t->at[i].addr >> bits == t->at[at].addr >> bits)
            return true;
    return false;
}

/* The number by which a line's set is chosen. */
static uint64_t index_of(uint64_t line, const struct qn_lab_variant *v)
{
    return v->value[QN_LAB_MRC_SHIFT] ? line ^ line >> v->value[QN_LAB_MRC_SHIFT] : line;
}

/* The index is a one-to-one function of the line's number, so the caches can use it as the number of the line. */
static struct classes classify(const struct qn_lab_trace *t, unsigned sets_log, unsigned ways, unsigned bits, const struct qn_lab_variant *v)
{
    struct qn_lab_cache *cache = qn_lab_new_cache(QN_LAB_LRU, 1u << sets_log, ways);
    struct qn_lab_cache *full = qn_lab_new_cache(QN_LAB_LRU, 1, (ways << sets_log) * v->value[QN_LAB_MRC_FULL]);
    struct classes k = { 0, 0, 0 };

    for (size_t i = 0; i < t->n; i++) {
        bool hit = qn_lab_touch_line(cache, index_of(t->at[i].addr >> bits, v), 0).hit;
        bool full_hit = qn_lab_touch_line(full, t->at[i].addr >> bits, 0).hit;

        if (hit)
            continue;
        k.compulsory += !seen_before(t, i, bits);
        k.conflict += full_hit;
        k.capacity += seen_before(t, i, bits) && !full_hit;
    }
    qn_lab_free_cache(cache);
    qn_lab_free_cache(full);
    return k;
}

struct shape {
    unsigned sets_log, ways, bits;
};

static char *right_classes(struct qn_lab_check *c, const struct qn_lab_trace *t, size_t n, const void *data)
{
    const struct shape *g = data;
    struct qn_lab_trace part = { t->at, n, 0 };
    struct classes k = classify(&part, g->sets_log, g->ways, g->bits, qn_lab_rules(c));
    char *text;

    if (asprintf(&text, "compulsory:%lu capacity:%lu conflict:%lu", k.compulsory, k.capacity, k.conflict) < 0)
        abort();
    return text;
}

/* Compares the classes; frees the trace. */
static bool classes_agree(struct qn_lab_check *c, struct qn_lab_trace *t, unsigned sets_log, unsigned ways,
                          unsigned bits)
{
    char s[16], E[16], b[16], *wanted;
    const char *const options[] = { "classes", "-s", s, "-E", E, "-b", b, NULL };
    const struct shape g = { sets_log, ways, bits };
    struct qn_lab_job job;
    bool ran, good;

    snprintf(s, sizeof s, "%u", sets_log);
    snprintf(E, sizeof E, "%u", ways);
    snprintf(b, sizeof b, "%u", bits);
    wanted = right_classes(c, t, t->n, &g);
    good = ran = run_mrc(c, t, t->n, options, 0, &job);
    if (good && (strncmp(job.output, wanted, strlen(wanted)) || strspn(job.output + strlen(wanted), "\r\n") == 0))
        good = qn_lab_say(c, "s=%s E=%s b=%s: got '%s', wanted '%s'", s, E, b, qn_lab_first_line(job.output), wanted);
    qn_lab_free_job(&job);
    if (ran && !good)
        explain(c, t, options, right_classes, &g, bits);
    free(wanted);
    qn_lab_free_trace(t);
    return good;
}

static bool random_classes(struct qn_lab_check *c, unsigned sets_log, unsigned ways)
{
    struct qn_lab_trace t = { .n = 0 };
    struct qn_lab_pattern p = { BASE, 2 * (ways << sets_log) + 3, 4, 1, "LS" };

    qn_lab_draw_refs(c, &t, &p, REFS);
    return classes_agree(c, &t, sets_log, ways, 4);
}

static bool some_classes(struct qn_lab_check *c)
{
    for (unsigned i = 0; i < CASES; i++)
        if (!random_classes(c, qn_lab_between(c, 1, 4), qn_lab_between(c, 1, 4)))
            return false;
    return true;
}

/* Beside it a cache that has conflicts: one of eight sets. */
static bool full_classes(struct qn_lab_check *c) { return random_classes(c, 0, qn_lab_between(c, 4, 20)) && random_classes(c, 3, 2); }

/* A cyclic walk over a few lines more than the cache has: the fully associative cache always misses, a direct-mapped one only sometimes.  Behind it
 * misses of all classes. */
static bool better_than_full(struct qn_lab_check *c)
{
    struct qn_lab_trace t = { .n = 0 };
    unsigned sets_log = qn_lab_between(c, 2, 5), n = (1u << sets_log) + qn_lab_between(c, 1, 2);

    for (unsigned i = 0; i < REFS; i++)
        qn_lab_add_ref(&t, 'L', BASE + (uint64_t)(i % n) * 16, 1);
    qn_lab_draw_refs(c, &t, &(struct qn_lab_pattern){ BASE, 2 * n, 4, 1, "LS" }, REFS / 2);
    return classes_agree(c, &t, sets_log, 1, 4);
}

static const struct qn_lab_test tests[] = {
    { "a small trace, as in the handout", 5, small_curve },
    { "the curve is that of a cache of every size", 20, random_curve },
    { "a first use misses at every size", 10, first_uses },
    { "a line used again at once is in every cache", 10, repeats },
    { "lines, not addresses, are counted", 10, whole_lines },
    { "one pass: all sizes of a long trace", 10, one_pass },
    { "a tree: a trace of very many lines", 5, tree },
    { "compulsory, capacity, conflict", 15, some_classes },
    { "a fully associative cache has no conflicts", 5, full_classes },
    { "each miss has its own class, even where the full cache is worse", 10, better_than_full },
};

static const char *const files[] = { "mrc.c", NULL };

const struct qn_lab qn_lab_04 = {
    4, "04-distance", "Stack distance and the three Cs", files, tests, QN_ARRAY_LEN(tests), NULL
};
