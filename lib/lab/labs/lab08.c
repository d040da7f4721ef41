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

static bool prints(struct qn_lab_check *c, const char *what, const char *option, unsigned number, struct lab08_text *stream,
                     struct lab08_text *wanted)
{
    struct qn_lab_job job = { .argv = NULL };
    bool good = lab08_run(c, &job, what, option, number, stream);

    end(wanted);
    if (good && !same(c, job.output, wanted->bytes)) {
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

static bool small_stream(struct qn_lab_check *c)
{
    static const unsigned values[] = { 7, 7, 3, 7, 9, 7, 3, 7 };
    struct truth truth = { { 0 }, 0 };
    struct lab08_text stream, wanted;

    lab08_begin(&stream);
    lab08_begin(&wanted);
    for (size_t i = 0; i < QN_ARRAY_LEN(values); i++)
        put_value(c, &stream, &truth, values[i]);
    put_exact(c, &wanted, &truth);
    return prints(c, "values", "-k", 4, &stream, &wanted);
}

/* Counts that are all different, so that the order is, too. */
static bool exact(struct qn_lab_check *c)
{
    unsigned n = qn_lab_between(c, 10, 30);
    struct truth truth = { { 0 }, 0 };
    struct lab08_text stream, wanted;

    lab08_begin(&stream);
    lab08_begin(&wanted);
    for (unsigned round = 0; round < n; round++)
        for (unsigned v = round; v < n; v++)
            put_value(c, &stream, &truth, v * 7 + 1);
    put_exact(c, &wanted, &truth);
    return prints(c, "values", "-k", n, &stream, &wanted);
}

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

/* One list.  Adds 1 to *within if the estimate of value 7 is within its bounds, and to *exact_ones if it is the true count, which is rare by chance.
 * false: the output is not a list. */
static bool one_mostly(struct qn_lab_check *c, unsigned *within, unsigned *exact_ones)
{
    struct qn_lab_job job = { .argv = NULL };
    struct lab08_text stream;
    struct list list;
    unsigned came = 0;
    bool good;

    lab08_begin(&stream);
    for (unsigned i = 0; i < STREAM; i++) {
        bool hot = qn_lab_below(c, 100) < 95;

        came += hot;
        print_value(c, &stream, hot ? 7 : 100 + qn_lab_below(c, 5000));
    }
    good = lab08_run(c, &job, "values", "-k", 4, &stream) && parse_list(c, job.output, STREAM, &list);
    *exact_ones += good && list.estimate == came;
    *within += good && list.value == 7 && list.estimate <= came + 0.42 * list.tau + 1 && list.estimate >= came - 2.6 * list.tau - 1
               && list.tau > 10 && list.tau < came;
    qn_lab_free_job(&job);
    return good;
}

/* What chance decides: of LISTS lists at least `few` are right, or of LISTS + MORE_LISTS at least `many`. */
struct chance {
    unsigned few, many;
    const char *what;
};

typedef bool one_list(struct qn_lab_check *, unsigned *right, unsigned *exact_ones);

static bool draw(struct qn_lab_check *c, one_list *one, unsigned n, unsigned *right, unsigned *exact_ones)
{
    for (unsigned i = 0; i < n; i++)
        if (!one(c, right, exact_ones))
            return false;
    return true;
}

/* Correct code, each of whose lists is right with a probability of 95%, fails once in millions of times. */
static bool often(struct qn_lab_check *c, const struct chance *chance, one_list *one)
{
    unsigned right = 0, exact_ones = 0, lists = LISTS, wanted = chance->few;

    if (!draw(c, one, LISTS, &right, &exact_ones))
        return false;
    if (right < wanted) {
        lists += MORE_LISTS;
        wanted = chance->many;
        if (!draw(c, one, MORE_LISTS, &right, &exact_ones))
            return false;
    }
    if (exact_ones >= lists / 2)
        return qn_lab_say(c, "%u of %u estimates are exact: four places cannot know that", exact_ones, lists);
    return right >= wanted || qn_lab_say(c, "%u of %u %s, wanted at least %u", right, lists, chance->what, wanted);
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

static bool one_zipf(struct qn_lab_check *c, unsigned *right, unsigned *exact_ones)
{
    struct qn_lab_job job = { .argv = NULL };
    struct lab08_text stream;
    struct list list;
    bool good;

    (void)exact_ones; /* 48 places may know the most frequent value from the beginning */
    lab08_begin(&stream);
    for (unsigned n = 0; n < STREAM / 4; n++)
        print_value(c, &stream, draw_zipf(c));
    good = lab08_run(c, &job, "values", "-k", 48, &stream) && parse_list(c, job.output, STREAM / 4, &list);
    *right += good && list.estimate > 0 && list.value == 0;
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

static bool mix_of(struct qn_lab_check *c, bool all_levels)
{
    const unsigned *rules = qn_lab_rules(c)->value, block = rules[QN_LAB_LOADS_BLOCK];
    unsigned count[SITES_BYTES][3] = { { 0 } }, base = 0x400000 + 64 * qn_lab_below(c, 1000), first = qn_lab_below(c, 16);
    struct lab08_text stream, wanted;

    lab08_begin(&stream);
    lab08_begin(&wanted);
    for (unsigned i = 0; i < ACCESSES; i++) {
        unsigned at = first + 4 * (qn_lab_below(c, SITES) * 5 % SITES), level = all_levels ? qn_lab_below(c, 3) : 0;

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

static bool lab08_mix(struct qn_lab_check *c) { return mix_of(c, true); }
static bool only_hits(struct qn_lab_check *c) { return mix_of(c, false); }

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
    if (qn_lab_is_variant(c)) /* which of several stores, and 4k apart */
        draw_accesses(c, &a, 64, 2);
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
    { "the small stream of the handout", 5, small_stream },
    { "as many places as values: every count is exact", 15, exact },
    { "a counter has no frequent value", 10, counter },
    { "95% of one value: the estimate is within its bounds", 20, mostly },
    { "Zipf's law: the most frequent value comes first", 10, zipf },
    { "the mix: which level served each load", 10, lab08_mix },
    { "cycles of loads that all hit", 5, only_hits },
    { "a load behind a store to the same bytes", 10, same_bytes },
    { "the window counts instructions", 5, window_counts },
    { "4 KiB apart", 10, aliases },
};

static const char *const files[] = { "profile.c", NULL };

const struct qn_lab qn_lab_08 = { 8, "08-sampling", "Sampling profilers", files, tests, QN_ARRAY_LEN(tests), false };
