/* lib/lab/labs/lab08.c - the tests of lab 8: profile, which finds frequent values, the mix of levels, and conflicts.
 *
 * Streams are random.  Exact output is compared; estimates must lie within the bounds of theory, in most of several lists.
 */
#define _GNU_SOURCE

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lab/check.h"

struct lab08_text {
    char *bytes;
    size_t size;
    FILE *file;
};

static inline void lab08_begin(struct lab08_text *t) { t->file = open_memstream(&t->bytes, &t->size); }
static inline void end(struct lab08_text *t) { fclose(t->file); }

#define LISTS 12           /* drawn for what chance decides */
#define MORE_LISTS 36      /* drawn when too few of LISTS are right, which happens to correct code once in some hundred times */
#define STREAM 20000
#define SMALL_STREAM 8192  /* bytes */
#define TAU_LISTS 4
#define TAU_FACTOR 3.5     /* from n / k, in the mean; no constant is as near to both kinds of lists */
#define VALUES_MAX 1024
#define LEAST_ERROR 0.2    /* of an estimate, in units of tau, in the mean */

/* ---- running profile ---- */

static bool lab08_run(struct qn_lab_check *c, struct qn_lab_job *job, const char *what, const char *option, unsigned number, struct lab08_text *stream)
{
    static char text[16], seed[16];
    static const char *argv[10];

    end(stream);
    snprintf(text, sizeof text, "%u", number);
    snprintf(seed, sizeof seed, "%u", 1 + qn_lab_below(c, 100000));
    memcpy(argv, (const char *[]){ qn_lab_program(c, "profile.c", NULL), what, option, text, "-s", seed, "-t",
                                   qn_lab_write(c, "stream.txt", stream->bytes, stream->size), NULL, NULL }, sizeof argv);
    free(stream->bytes);
    if (!strcmp(what, "values") && stream->size > SMALL_STREAM)
        qn_lab_measure_time(c); /* a slow list must not keep the other profilers from being run */
    job->argv = argv;
    return argv[0] && qn_lab_run_program(c, job);
}

static bool prints(struct qn_lab_check *c, const char *what, const char *option, unsigned number, struct lab08_text *stream,
                     struct lab08_text *wanted)
{
    struct qn_lab_job job = { .argv = NULL };
    bool good = lab08_run(c, &job, what, option, number, stream);

    end(wanted);
    if (good && !qn_lab_same_lines(c, job.output, wanted->bytes)) {
        good = false;
        if (qn_lab_keeps(c))
            qn_lab_keep(c, "wanted.txt", wanted->bytes, wanted->size);
        qn_lab_why_with(c, "stream.txt", "wanted.txt is what it should have printed. In a debugger (profile compiled with -g):\n"
                      "    gdb -ex 'break main' -ex run --args ./profile %s %s %u -s %s -t", what, option, number, job.argv[5]);
    }
    free(wanted->bytes);
    qn_lab_free_job(&job);
    return good;
}

/* What is printed of a list: its head and its first line. */
struct list {
    double tau, estimate;
    unsigned value;
};

struct truth {
    unsigned count[VALUES_MAX], n;
};

static unsigned dropped(struct qn_lab_check *c) { return qn_lab_rules(c)->value[QN_LAB_VALUES_DROP]; }

/* A variant's profile drops the lowest bits of values: the value is shifted by them, and they are random. */
static void print_value(struct qn_lab_check *c, struct lab08_text *t, unsigned v)
{
    fprintf(t->file, "%u\n", dropped(c) ? v << dropped(c) | qn_lab_below(c, 1u << dropped(c)) : v);
}

static void put_value(struct qn_lab_check *c, struct lab08_text *t, struct truth *truth, unsigned v)
{
    print_value(c, t, v);
    truth->count[v]++;
    truth->n++;
}

/* All values by falling frequency, equal ones by value. */
static void put_exact(struct qn_lab_check *c, struct lab08_text *t, const struct truth *truth)
{
    fprintf(t->file, dropped(c) ? "tau,1,%u\n" : "tau,1\n", truth->n);
    for (unsigned n = STREAM; n > 0; n--)
        for (unsigned v = 0; v < VALUES_MAX; v++)
            if (truth->count[v] == n)
                fprintf(t->file, "%u,%u\n", v << dropped(c), n);
}

static bool few_values(struct qn_lab_check *c, unsigned places, unsigned most)
{
    struct truth truth = { { 0 }, 0 };
    struct lab08_text stream, wanted;
    unsigned first = 1 + qn_lab_below(c, 700);

    lab08_begin(&stream);
    lab08_begin(&wanted);
    for (unsigned round = 0; round < places; round++) /* counts that are all different, so that the order is, too */
        for (unsigned v = round; v < places; v++)
            put_value(c, &stream, &truth, first + v * most);
    put_exact(c, &wanted, &truth);
    return prints(c, "values", "-k", places, &stream, &wanted);
}

/* ---- a list of k places takes no more memory, however many different values there are ---- */

#define MANY_VALUES 1400000 /* whose counts take more than ... */
#define FEW_BYTES (16u << 20)

static bool stays_small(struct qn_lab_check *c)
{
    struct qn_lab_job job = { .argv = NULL };
    struct lab08_text stream;
    uint32_t step = (uint32_t)qn_lab_draw(c) | 1; /* odd, so that the values differ */
    bool good;

    lab08_begin(&stream);
    for (uint32_t i = 1; i <= MANY_VALUES; i++)
        fprintf(stream.file, "%u\n", i * step);
    job.limits = qn_lab_limits_program;
    job.limits.data_bytes = FEW_BYTES;
    good = lab08_run(c, &job, "values", "-k", 16, &stream);
    if (!good)
        qn_lab_say(c, "that was a stream of %u different values, for a list of 16 places and a program of at most %u MiB", MANY_VALUES, FEW_BYTES >> 20);
    qn_lab_free_job(&job);
    return good;
}

static bool small_stream(struct qn_lab_check *c) { return few_values(c, qn_lab_between(c, 3, 5), 9) && qn_lab_once(c, stays_small); }
static bool exact(struct qn_lab_check *c) { return few_values(c, qn_lab_between(c, 10, 30), 7) && qn_lab_once(c, stays_small); }

/* Reads "tau,T" of n values, and the first value and its estimate, 0 if there is none.  false: the output has another form. */
static bool parse_list(struct qn_lab_check *c, const char *output, unsigned n, struct list *list)
{
    unsigned said = n;
    int used = 0;

    *list = (struct list){ .value = 0 };
    if (dropped(c))
        sscanf(output, "tau,%lf,%u\n%n", &list->tau, &said, &used);
    else
        sscanf(output, "tau,%lf\n%n", &list->tau, &used);
    if (!used || list->tau < 1)
        return qn_lab_say(c, "got '%s', wanted 'tau,' and a number of at least 1%s first", qn_lab_first_line(output),
                          dropped(c) ? ", and the number of values," : "");
    if (said != n)
        return qn_lab_say(c, "got %u as the number of values, wanted %u", said, n);
    if (output[used] && sscanf(output + used, "%u,%lf", &list->value, &list->estimate) != 2)
        return qn_lab_say(c, "a line that is no value and estimate");
    list->value >>= dropped(c);
    return true;
}

/* n different values in k places; *tau: its last value. */
static bool count_up(struct qn_lab_check *c, unsigned n, unsigned k, double *tau)
{
    struct qn_lab_job job = { .argv = NULL };
    struct lab08_text stream;
    struct list list;
    bool good;

    lab08_begin(&stream);
    for (unsigned i = 0; i < n; i++)
        print_value(c, &stream, i);
    good = lab08_run(c, &job, "values", "-k", k, &stream) && parse_list(c, job.output, n, &list);
    if (good && list.estimate > 0)
        good = qn_lab_say(c, "%u different values: got %u as a frequent one, wanted none", n, list.value);
    *tau = good ? list.tau : 0;
    qn_lab_free_job(&job);
    return good;
}

/* One value in four of five places of a stream that has no other twice: whoever never finds a frequent value does not find this one. */
static bool finds_one(struct qn_lab_check *c)
{
    struct qn_lab_job job = { .argv = NULL };
    struct lab08_text stream;
    unsigned often = VALUES_MAX + qn_lab_below(c, 1000000), n = qn_lab_between(c, 3000, 4000);
    struct list list;
    bool good;

    lab08_begin(&stream);
    for (unsigned i = 0; i < n; i++)
        print_value(c, &stream, i % 5 ? often : 2000000 + i);
    good = lab08_run(c, &job, "values", "-k", 16, &stream) && parse_list(c, job.output, n, &list);
    if (good && list.value != often)
        good = qn_lab_say(c, "%u is four of five values: got %u as the most frequent one", often, list.value);
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
    return finds_one(c) && qn_lab_once(c, stays_small);
}

/* What was found in some lists about the most frequent value. */
struct found {
    unsigned lists, right, low, high;
    double errors;       /* of the estimates, in units of tau */
};

static void add_estimate(struct found *f, const struct list *list, unsigned came)
{
    f->low += list->estimate < came;
    f->high += list->estimate > came;
    f->errors += fabs(list->estimate - came) / list->tau;
}

/* One list: is the estimate of a value, which is drawn, within its bounds?  false: the output is not a list. */
static bool one_mostly(struct qn_lab_check *c, struct found *found)
{
    struct qn_lab_job job = { .argv = NULL };
    struct lab08_text stream;
    struct list list;
    unsigned came = 0, often = qn_lab_below(c, 100);
    bool good;

    lab08_begin(&stream);
    for (unsigned i = 0; i < STREAM; i++) {
        bool hot = qn_lab_below(c, 100) < 95;

        came += hot;
        print_value(c, &stream, hot ? often : 100 + qn_lab_below(c, 5000));
    }
    good = lab08_run(c, &job, "values", "-k", 4, &stream) && parse_list(c, job.output, STREAM, &list);
    if (good)
        add_estimate(found, &list, came);
    found->right += good && list.value == often && list.estimate <= came + 0.42 * list.tau + 1 && list.estimate >= came - 2.6 * list.tau - 1
                    && list.tau > 10 && list.tau < came;
    qn_lab_free_job(&job);
    return good;
}

/* What chance decides: of LISTS lists at least `few` are right, or of LISTS + MORE_LISTS at least `many`. */
struct chance {
    unsigned few, many;
    const char *what;
};

typedef bool one_list(struct qn_lab_check *, struct found *found);

static bool draw(struct qn_lab_check *c, one_list *one, unsigned n, struct found *found)
{
    for (; n > 0; n--, found->lists++)
        if (!one(c, found))
            return false;
    return true;
}

/* Estimates are too low or too high by what chance decides: 0.7 tau in the mean, a third of them too high. */
static bool errs(const struct found *f) { return f->low && f->high && f->errors >= f->lists * LEAST_ERROR; }

/* Correct code, each of whose lists is right with a probability of 95%, fails once in millions of times. */
static bool often(struct qn_lab_check *c, const struct chance *chance, one_list *one)
{
    struct found found = { .lists = 0 };
    unsigned wanted = chance->few;

    if (!draw(c, one, LISTS, &found))
        return false;
    if (found.right < wanted || !errs(&found)) {
        wanted = chance->many;
        if (!draw(c, one, MORE_LISTS, &found))
            return false;
    }
    if (!errs(&found))
        return qn_lab_say(c, "%u of %u estimates are too low, %u too high, by %.2f tau in the mean: a list of few places errs to both sides, by more",
                          found.low, found.lists, found.high, found.errors / found.lists);
    if (found.right < wanted)
        return qn_lab_say(c, "%u of %u %s, wanted at least %u", found.right, found.lists, chance->what, wanted);
    return qn_lab_once(c, stays_small);
}

static bool mostly(struct qn_lab_check *c)
{
    return often(c, &(struct chance){ 9, 36, "estimates of 95% of one value between f - 2.6 tau and f + 0.42 tau" }, one_mostly);
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

/* Which value is the most frequent one is drawn. */
static bool one_zipf(struct qn_lab_check *c, struct found *found)
{
    struct qn_lab_job job = { .argv = NULL };
    struct lab08_text stream;
    struct list list;
    unsigned most = qn_lab_below(c, VALUES_MAX), came = 0;
    bool good;

    lab08_begin(&stream);
    for (unsigned n = 0; n < STREAM / 4; n++) {
        unsigned v = draw_zipf(c);

        came += !v;
        print_value(c, &stream, (v + most) % VALUES_MAX);
    }
    good = lab08_run(c, &job, "values", "-k", 48, &stream) && parse_list(c, job.output, STREAM / 4, &list);
    if (good)
        add_estimate(found, &list, came);
    found->right += good && list.estimate > 0 && list.value == most;
    qn_lab_free_job(&job);
    return good;
}

static bool zipf(struct qn_lab_check *c)
{
    return often(c, &(struct chance){ 11, 42, "lists begin with the most frequent value" }, one_zipf);
}

/* ---- loads and stores: which level served a load, and which store a load waits for ---- */

#define ACCESSES 600
#define PAGE 4096u         /* where accesses are drawn */
#define SITES 12
#define SITES_BYTES (4 * SITES + 64) /* of code, from the beginning of a block */
#define CYCLES_D 4

/* by_site: all loads of an instruction are served by the same level. */
static bool mix_of(struct qn_lab_check *c, bool by_site)
{
    const unsigned *rules = qn_lab_rules(c)->value, block = rules[QN_LAB_LOADS_BLOCK];
    unsigned count[SITES_BYTES][3] = { { 0 } }, base = 0x400000 + 64 * qn_lab_below(c, 1000), first = qn_lab_below(c, 16);
    unsigned level_of[SITES];
    struct lab08_text stream, wanted;

    for (unsigned site = 0; site < SITES; site++)
        level_of[site] = (site + first) % 3;
    lab08_begin(&stream);
    lab08_begin(&wanted);
    for (unsigned i = 0; i < ACCESSES; i++) {
        unsigned site = qn_lab_below(c, SITES) * 5 % SITES, at = first + 4 * site, level = by_site ? level_of[site] : qn_lab_below(c, 3);

        fprintf(stream.file, "%x %c\n", base + at, "DLM"[level]);
        count[at - at % block][level]++;
    }
    fprintf(wanted.file, "pc,loads,D,L,M,cycles\n");
    for (unsigned at = 0; at < SITES_BYTES; at++) {
        const unsigned *n = count[at];

        if (n[0] + n[1] + n[2])
            fprintf(wanted.file, "%x,%u,%u,%u,%u,%u\n", base + at, n[0] + n[1] + n[2], n[0], n[1], n[2],
                    CYCLES_D * n[0] + rules[QN_LAB_LOADS_L] * n[1] + rules[QN_LAB_LOADS_M] * n[2]);
    }
    return prints(c, "mix", "-k", 8, &stream, &wanted);
}

static bool lab08_mix(struct qn_lab_check *c) { return mix_of(c, false); }
static bool cycles(struct qn_lab_check *c) { return mix_of(c, true); }

/* ---- conflicts: each load is compared with all earlier accesses in its window ---- */

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

/* Have they a byte in common?  page, if not 0: addresses that are equal modulo `page` count as the same. */
static bool touches(const struct access *load, const struct access *store, unsigned page)
{
    for (unsigned i = 0; i < load->size; i++)
        for (unsigned k = 0; k < store->size; k++) {
            unsigned x = load->addr + i, y = store->addr + k;

            if (x == y || (page && x % page == y % page))
                return true;
        }
    return false;
}

/* Index of the newest, or, in a variant, the oldest store in the window of a load that touches the same bytes; -1: none. */
static int find_store(const struct accesses *a, unsigned load, unsigned window, unsigned page, bool oldest)
{
    int found = -1;

    for (unsigned i = load; i-- > 0 && load - i < window && (found < 0 || oldest);)
        if (a->at[i].op == 'S' && touches(&a->at[load], &a->at[i], page))
            found = (int)i;
    return found;
}

#define PCS 64

static bool conflicts(struct qn_lab_check *c, const struct accesses *a, unsigned window)
{
    static unsigned count[PCS][PCS][2];
    unsigned page = qn_lab_rules(c)->value[QN_LAB_CONFLICT_PAGE];
    bool oldest = qn_lab_rules(c)->value[QN_LAB_CONFLICT_OLDEST];
    struct lab08_text stream, wanted;

    memset(count, 0, sizeof count);
    lab08_begin(&stream);
    lab08_begin(&wanted);
    for (unsigned i = 0; i < a->n; i++) {
        bool load = a->at[i].op == 'L';
        int store = load ? find_store(a, i, window, 0, oldest) : -1, far = load ? find_store(a, i, window, page, oldest) : -1;

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

/* Random loads and stores of 1 to 8 bytes, in the first `bytes` bytes of `pages` pages. */
static void draw_accesses(struct qn_lab_check *c, struct accesses *a, unsigned bytes, unsigned pages)
{
    while (a->n < ACCESSES)
        add_access(a, qn_lab_below(c, PCS), "LS-"[qn_lab_below(c, 3)],
                   PAGE * (1 + qn_lab_below(c, pages)) + qn_lab_below(c, bytes), 1u << qn_lab_below(c, 4));
}

static bool same_bytes(struct qn_lab_check *c)
{
    struct accesses a = { .n = 0 };

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
    draw_accesses(c, &a, 64, qn_lab_is_variant(c) ? 2 : 1); /* which of several stores; in a variant 4k apart, too */
    return conflicts(c, &a, window);
}

static bool aliases(struct qn_lab_check *c)
{
    struct accesses a = { .n = 0 };

    draw_accesses(c, &a, 200, 40);
    if (!conflicts(c, &a, qn_lab_between(c, 30, 60)))
        return false;
    for (unsigned i = 0; i < a.n; i++) /* over the ends of pages */
        a.at[i].addr += PAGE - 100;
    return conflicts(c, &a, 128);
}

/* ---- the lab ---- */

static const struct qn_lab_test tests[] = {
    { "a small stream, as in the handout", 5, small_stream },
    { "as many places as values: every count is exact", 15, exact },
    { "a counter has no frequent value", 10, counter },
    { "95% of one value: the estimate is within its bounds", 20, mostly },
    { "Zipf's law: the most frequent value comes first", 10, zipf },
    { "the mix: which level served each load", 10, lab08_mix },
    { "cycles, where a level serves all loads of an instruction", 5, cycles },
    { "a load behind a store to the same bytes", 10, same_bytes },
    { "the window counts instructions", 5, window_counts },
    { "4 KiB apart", 10, aliases },
};

static const char *const files[] = { "profile.c", NULL };

const struct qn_lab qn_lab_08 = { 8, "08-sampling", "Sampling profilers", files, tests, QN_ARRAY_LEN(tests), NULL };
