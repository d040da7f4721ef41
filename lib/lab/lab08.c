/* lib/lab/lab08.c - the tests of lab 8: profile, which finds frequent values, the mix of levels, and conflicts.
 *
 * Streams are drawn; what is exact is compared, what chance decides is held against the bounds of its theory, several lists at a time.
 */
#define _GNU_SOURCE
#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lab/check.h"

#define LISTS 12           /* drawn for what chance decides */
#define WITHIN_BOUNDS 9    /* of them, each with 95%: fewer once in 5000 times */
#define BEGIN_RIGHT 11
#define STREAM 20000
#define TAU_LISTS 4
#define TAU_FACTOR 3.5     /* from n / k, in the mean; no constant is as near to both kinds of lists */
#define VALUES_MAX 1024
#define ACCESSES 600
#define PAGE 4096u
#define SITES 12
#define CYCLES_D 4
#define CYCLES_L 40
#define CYCLES_M 200

struct text {
    char *bytes;
    size_t size;
    FILE *file;
};

static void begin(struct text *t) { t->file = open_memstream(&t->bytes, &t->size); }

static void end(struct text *t) { fclose(t->file); }

/* ---- running profile ---- */

static bool run(struct qn_lab_check *c, struct qn_lab_job *job, const char *what, const char *option, unsigned number, struct text *stream)
{
    static char text[16], seed[16];
    static const char *argv[10];

    end(stream);
    snprintf(text, sizeof text, "%u", number);
    snprintf(seed, sizeof seed, "%u", 1 + qn_lab_below(c, 100000));
    memcpy(argv, (const char *[]){ qn_lab_program(c, "profile.c", NULL), what, option, text, "-s", seed, "-t",
                                   qn_lab_write(c, "stream.txt", stream->bytes, stream->size), NULL, NULL }, sizeof argv);
    free(stream->bytes);
    if (!strcmp(what, "values"))
        qn_lab_measure_time(c); /* a list that is kept badly is slow, and the other profilers are run all the same */
    *job = (struct qn_lab_job){ .argv = argv };
    return argv[0] && qn_lab_run_program(c, job);
}

static bool same(struct qn_lab_check *c, const char *output, const char *wanted)
{
    for (unsigned line = 1; *wanted; line++) {
        size_t n = strcspn(wanted, "\n"), got = strcspn(output, "\r\n");

        if (n != got || strncmp(output, wanted, n))
            return qn_lab_say(c, "line %u: got '%s', wanted '%.*s'", line, qn_lab_first_line(output), (int)n, wanted);
        wanted += n + 1;
        output += got;
        output += strspn(output, "\r");
        output += *output == '\n';
    }
    return strspn(output, "\r\n") == strlen(output) || qn_lab_say(c, "more lines than wanted: '%s'", qn_lab_first_line(output));
}

static bool prints(struct qn_lab_check *c, const char *what, const char *option, unsigned number, struct text *stream, struct text *wanted)
{
    struct qn_lab_job job = { .argv = NULL };
    bool good = run(c, &job, what, option, number, stream);

    end(wanted);
    good = good && same(c, job.output, wanted->bytes);
    free(wanted->bytes);
    qn_lab_free_job(&job);
    return good;
}

/* ---- values ---- */

struct truth {
    unsigned count[VALUES_MAX];
};

static void put_value(struct text *t, struct truth *truth, unsigned v)
{
    fprintf(t->file, "%u\n", v);
    truth->count[v]++;
}

/* All values by falling frequency, equal ones by value. */
static void put_exact(struct text *t, const struct truth *truth)
{
    fprintf(t->file, "tau,1\n");
    for (unsigned n = STREAM; n > 0; n--)
        for (unsigned v = 0; v < VALUES_MAX; v++)
            if (truth->count[v] == n)
                fprintf(t->file, "%u,%u\n", v, n);
}

static bool small_stream(struct qn_lab_check *c)
{
    static const unsigned values[] = { 7, 7, 3, 7, 9, 7, 3, 7 };
    struct truth truth = { { 0 } };
    struct text stream, wanted;

    begin(&stream);
    begin(&wanted);
    for (size_t i = 0; i < QN_ARRAY_LEN(values); i++)
        put_value(&stream, &truth, values[i]);
    put_exact(&wanted, &truth);
    return prints(c, "values", "-k", 4, &stream, &wanted);
}

/* Counts that are all different, so that the order is, too. */
static bool exact(struct qn_lab_check *c)
{
    unsigned n = qn_lab_between(c, 10, 30);
    struct truth truth = { { 0 } };
    struct text stream, wanted;

    begin(&stream);
    begin(&wanted);
    for (unsigned round = 0; round < n; round++)
        for (unsigned v = round; v < n; v++)
            put_value(&stream, &truth, v * 7 + 1);
    put_exact(&wanted, &truth);
    return prints(c, "values", "-k", n, &stream, &wanted);
}

/* The first value and estimate behind "tau,T"; false: it says something else.  No line behind it: *estimate 0. */
static bool parse_list(struct qn_lab_check *c, const char *output, double *tau, unsigned *value, double *estimate)
{
    int used = 0;

    *estimate = 0;
    if (sscanf(output, "tau,%lf\n%n", tau, &used) != 1 || *tau < 1)
        return qn_lab_say(c, "got '%s', wanted 'tau,' and a number of at least 1 first", qn_lab_first_line(output));
    return !output[used] || sscanf(output + used, "%u,%lf", value, estimate) == 2 || qn_lab_say(c, "a line that is no value and estimate");
}

/* n different values in k places; *tau: at what it ended. */
static bool count_up(struct qn_lab_check *c, unsigned n, unsigned k, double *tau)
{
    struct qn_lab_job job = { .argv = NULL };
    struct text stream;
    unsigned value;
    double estimate;
    bool good;

    begin(&stream);
    for (unsigned i = 0; i < n; i++)
        fprintf(stream.file, "%u\n", i);
    good = run(c, &job, "values", "-k", k, &stream) && parse_list(c, job.output, tau, &value, &estimate);
    if (good && estimate > 0)
        good = qn_lab_say(c, "%u different values: got %u as a frequent one, wanted none", n, value);
    qn_lab_free_job(&job);
    return good;
}

/* tau is about n / k: many lists with few values for a place, and many with many. */
static bool counter(struct qn_lab_check *c)
{
    for (unsigned many = 0; many < 2; many++) {
        unsigned n = many ? qn_lab_between(c, 11000, 13000) : qn_lab_between(c, 2500, 3000), k = many ? 4 : 16;
        double tau, factors = 1;

        for (unsigned i = 0; i < TAU_LISTS; i++) {
            if (!count_up(c, n, k, &tau))
                return false;
            factors *= tau * k / n;
        }
        if (factors < pow(1 / TAU_FACTOR, TAU_LISTS) || factors > pow(TAU_FACTOR, TAU_LISTS))
            return qn_lab_say(c, "%u different values in %u places: got a tau of %.0f, wanted about %u", n, k, tau, n / k);
    }
    return true;
}

/* One list; *exact: the estimate is the true count, which chance makes rare; *within: the estimate of value 7 is within its bounds.  false: nothing sensible was printed. */
static bool one_mostly(struct qn_lab_check *c, unsigned *within, unsigned *exact_ones)
{
    struct qn_lab_job job = { .argv = NULL };
    struct text stream;
    unsigned value = 0, came = 0;
    double tau, estimate;
    bool good;

    begin(&stream);
    for (unsigned i = 0; i < STREAM; i++) {
        bool hot = qn_lab_below(c, 100) < 95;

        came += hot;
        fprintf(stream.file, "%u\n", hot ? 7 : 100 + qn_lab_below(c, 5000));
    }
    good = run(c, &job, "values", "-k", 4, &stream) && parse_list(c, job.output, &tau, &value, &estimate);
    *exact_ones += good && estimate == came;
    *within += good && value == 7 && estimate <= came + 0.42 * tau + 1 && estimate >= came - 2.6 * tau - 1 && tau > 10 && tau < came;
    qn_lab_free_job(&job);
    return good;
}

static bool mostly(struct qn_lab_check *c)
{
    unsigned within = 0, exact_ones = 0;

    for (unsigned i = 0; i < LISTS; i++)
        if (!one_mostly(c, &within, &exact_ones))
            return false;
    if (exact_ones >= LISTS / 2)
        return qn_lab_say(c, "%u of %u estimates are exact: four places cannot know that", exact_ones, LISTS);
    return within >= WITHIN_BOUNDS ||
           qn_lab_say(c, "95%% of one value: %u of %u estimates between f - 2.6 tau and f + 0.42 tau, wanted at least %u", within, LISTS,
                      WITHIN_BOUNDS);
}

/* Value v with a frequency of about 1/(v + 1): halves of halves, drawn by rejection. */
static unsigned draw_zipf(struct qn_lab_check *c)
{
    for (;;) {
        unsigned v = qn_lab_below(c, VALUES_MAX);

        if (qn_lab_below(c, v + 1) == 0)
            return v;
    }
}

static bool zipf(struct qn_lab_check *c)
{
    unsigned right = 0;

    for (unsigned i = 0; i < LISTS; i++) {
        struct qn_lab_job job = { .argv = NULL };
        struct text stream;
        unsigned value = 0;
        double tau, estimate;
        bool good;

        begin(&stream);
        for (unsigned n = 0; n < STREAM / 4; n++)
            fprintf(stream.file, "%u\n", draw_zipf(c));
        good = run(c, &job, "values", "-k", 48, &stream) && parse_list(c, job.output, &tau, &value, &estimate);
        right += good && estimate > 0 && value == 0;
        qn_lab_free_job(&job);
        if (!good)
            return false;
    }
    return right >= BEGIN_RIGHT || qn_lab_say(c, "%u of %u lists begin with the most frequent value, wanted at least %u", right, LISTS, BEGIN_RIGHT);
}

/* ---- the mix ---- */

static bool mix_of(struct qn_lab_check *c, bool all_levels)
{
    unsigned count[SITES][3] = { { 0 } }, base = 0x400000 + qn_lab_below(c, 1000);
    struct text stream, wanted;

    begin(&stream);
    begin(&wanted);
    for (unsigned i = 0; i < ACCESSES; i++) {
        unsigned site = qn_lab_below(c, SITES), level = all_levels ? qn_lab_below(c, 3) : 0;

        fprintf(stream.file, "%x %c\n", base + 4 * (site * 5 % SITES), "DLM"[level]);
        count[site * 5 % SITES][level]++;
    }
    fprintf(wanted.file, "pc,loads,D,L,M,cycles\n");
    for (unsigned s = 0; s < SITES; s++) {
        const unsigned *n = count[s];

        if (n[0] + n[1] + n[2])
            fprintf(wanted.file, "%x,%u,%u,%u,%u,%u\n", base + 4 * s, n[0] + n[1] + n[2], n[0], n[1], n[2],
                    CYCLES_D * n[0] + CYCLES_L * n[1] + CYCLES_M * n[2]);
    }
    return prints(c, "mix", "-k", 8, &stream, &wanted);
}

static bool mix(struct qn_lab_check *c) { return mix_of(c, true); }
static bool only_hits(struct qn_lab_check *c) { return mix_of(c, false); }

/* ---- conflicts: every pair by looking at all that came before ---- */

struct access {
    unsigned pc, addr, size;
    char op;
};

struct accesses {
    struct access at[ACCESSES];
    unsigned n;
};

static void add_access(struct accesses *a, unsigned pc, char op, unsigned addr, unsigned size)
{
    a->at[a->n++] = (struct access){ pc, addr, size, op };
}

static bool touches(const struct access *load, const struct access *store, bool in_a_page)
{
    for (unsigned i = 0; i < load->size; i++)
        for (unsigned k = 0; k < store->size; k++) {
            unsigned x = load->addr + i, y = store->addr + k;

            if (x == y || (in_a_page && x % PAGE == y % PAGE))
                return true;
        }
    return false;
}

/* Index of the newest store of that kind in the window of the access, or -1. */
static int newest(const struct accesses *a, unsigned load, unsigned window, bool in_a_page)
{
    for (unsigned i = load; i-- > 0 && load - i < window;)
        if (a->at[i].op == 'S' && touches(&a->at[load], &a->at[i], in_a_page))
            return (int)i;
    return -1;
}

#define PCS 64

static bool conflicts(struct qn_lab_check *c, const struct accesses *a, unsigned window)
{
    static unsigned count[PCS][PCS][2];
    struct text stream, wanted;

    memset(count, 0, sizeof count);
    begin(&stream);
    begin(&wanted);
    for (unsigned i = 0; i < a->n; i++) {
        int store = a->at[i].op == 'L' ? newest(a, i, window, false) : -1, far = a->at[i].op == 'L' ? newest(a, i, window, true) : -1;

        fprintf(stream.file, "%x %c %x,%u\n", a->at[i].pc, a->at[i].op, a->at[i].addr, a->at[i].size);
        if (store >= 0 || far >= 0)
            count[a->at[i].pc][a->at[store >= 0 ? store : far].pc][store < 0]++;
    }
    fprintf(wanted.file, "load,store,kind,count\n");
    for (unsigned l = 0; l < PCS; l++)
        for (unsigned s = 0; s < PCS; s++)
            for (unsigned kind = 0; kind < 2; kind++)
                if (count[l][s][kind])
                    fprintf(wanted.file, "%x,%x,%s,%u\n", l, s, kind ? "4k" : "bytes", count[l][s][kind]);
    return prints(c, "conflicts", "-w", window, &stream, &wanted);
}

/* Loads and stores of 1 to 8 bytes in a little memory, in pages so many. */
static void draw_accesses(struct qn_lab_check *c, struct accesses *a, unsigned bytes, unsigned pages)
{
    a->n = 0;
    while (a->n < ACCESSES)
        add_access(a, qn_lab_below(c, PCS), "LS-"[qn_lab_below(c, 3)],
                   PAGE * (1 + qn_lab_below(c, pages)) + qn_lab_below(c, bytes), 1u << qn_lab_below(c, 4));
}

static bool same_bytes(struct qn_lab_check *c)
{
    struct accesses a;

    draw_accesses(c, &a, 64, 1);
    return conflicts(c, &a, 128);
}

static bool window_counts(struct qn_lab_check *c)
{
    struct accesses a = { .n = 0 };
    unsigned window = qn_lab_between(c, 4, 20);

    for (unsigned gap = 1; gap <= window + 1; gap++) {
        add_access(&a, gap, 'S', PAGE * 2 * gap + 64 * gap, 8);
        for (unsigned i = 1; i < gap; i++)
            add_access(&a, 0, '-', 0, 0);
        add_access(&a, gap, 'L', PAGE * 2 * gap + 64 * gap, 8);
    }
    return conflicts(c, &a, window);
}

static bool aliases(struct qn_lab_check *c)
{
    struct accesses a;

    draw_accesses(c, &a, 200, 40);
    if (!conflicts(c, &a, qn_lab_between(c, 30, 60)))
        return false;
    for (unsigned i = 0; i < a.n; i++) /* over the ends of pages */
        a.at[i].addr += PAGE - 100;
    return conflicts(c, &a, 128);
}

static const struct qn_lab_test tests[] = {
    { "the small stream of the handout", 5, small_stream },
    { "as many places as values: every count is exact", 15, exact },
    { "a counter has no frequent value", 10, counter },
    { "95% of one value: the estimate is within its bounds", 20, mostly },
    { "Zipf's law: the most frequent value comes first", 10, zipf },
    { "the mix: which level served each load", 10, mix },
    { "cycles of loads that all hit", 5, only_hits },
    { "a load behind a store to the same bytes", 10, same_bytes },
    { "the window counts instructions", 5, window_counts },
    { "4 KiB apart", 10, aliases },
};

static const char *const files[] = { "profile.c", NULL };

const struct qn_lab qn_lab_08 = { 8, "08-sampling", "Sampling profilers", files, tests, QN_ARRAY_LEN(tests), false };
