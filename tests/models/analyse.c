/* tests/models/analyse.c - what the analysis modules should say, slowly: caches of every size are simulated one by one, and
 * the class of a miss is asked of a list of all lines ever used, the latest first.
 *
 *   an=3c mattson interval sets sizes */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model.h"

static const char *kind;
static unsigned size, ways, bytes;

/* A fully associative cache of `room` lines, the latest in front. */
struct list {
    uint64_t *line;
    size_t n, room;
};

/* Where the line was; -1: not there.  It moves to the front. */
static long touch(struct list *l, uint64_t line)
{
    size_t i = 0;

    while (i < l->n && l->line[i] != line)
        i++;
    long was = i < l->n ? (long)i : -1;

    if (was < 0 && l->n < l->room)
        l->n++;
    if (was < 0)
        i = l->n - 1;
    memmove(l->line + 1, l->line, i * sizeof *l->line);
    l->line[0] = line;
    return was;
}

static struct list make(size_t room) { return (struct list){calloc(room, sizeof(uint64_t)), 0, room}; }

/* ---- 3c ---- */

#define LINES_MAX 100000

static struct list ever;
static uint64_t classes[3], conflicts[LINES_MAX], conflict_line[LINES_MAX], nconflicts;

static void blame(uint64_t line)
{
    uint64_t i = 0;

    while (i < nconflicts && conflict_line[i] != line)
        i++;
    nconflicts += i == nconflicts;
    conflict_line[i] = line;
    conflicts[i]++;
}

/* Of several lines the one that was away longest decides; a conflict is one of the last. */
static void classify(const struct op_record *o, bool missed)
{
    uint64_t last = (o->addr + o->size - 1) / bytes;
    long worst = 0;

    for (uint64_t b = o->addr / bytes; b <= last; b++) {
        long was = touch(&ever, b);

        worst = was < 0 || (worst >= 0 && was >= worst) ? was : worst;
    }
    if (!missed)
        return;
    classes[worst < 0 ? 0 : worst >= (long)(size / bytes) ? 1 : 2]++;
    if (worst >= 0 && worst < (long)(size / bytes))
        blame(last);
}

/* ---- stack distances: one cache for each size, and for each associativity ---- */

#define SIZES_MAX 1024

static struct list caches[SIZES_MAX], *sets[65];
static uint64_t touched, missed[SIZES_MAX], set_missed[65], nsets;
static unsigned ncaches;

static void make_curve(void)
{
    for (uint64_t lines = 1; lines <= option("sizes", 0); lines++)
        caches[ncaches++] = make(lines);
    if (!option("sizes", 0) && !option("sets", 0)) { /* up to 64 MiB */
        for (uint64_t lines = 1; lines * bytes <= 64 << 20; lines *= 2)
            if (lines * bytes >= option("smallest", 4096))
                caches[ncaches++] = make(lines);
        return;
    }
    for (uint64_t lines = 1; !option("sizes", 0) && lines <= 1 << 18; lines *= 2)
        caches[ncaches++] = make(lines);
    nsets = option("sets", size / ways / bytes);
    for (unsigned w = 1; w <= 64; w++) {
        sets[w] = calloc(nsets, sizeof *sets[w]);
        for (uint64_t i = 0; i < nsets; i++)
            sets[w][i] = make(w);
    }
}

static void curve(const struct op_record *o)
{
    for (uint64_t b = o->addr / bytes; b <= (o->addr + o->size - 1) / bytes; b++) {
        touched++;
        for (unsigned i = 0; i < ncaches; i++)
            missed[i] += touch(&caches[i], b) < 0;
        for (unsigned w = 1; nsets && w <= 64; w++)
            set_missed[w] += touch(&sets[w][b % nsets], b) < 0;
    }
}

static void print_curve(FILE *out)
{
    bool all = option("sizes", 0) > 0;

    fprintf(out, "AN: %llu lines touched\n", (unsigned long long)touched);
    for (unsigned i = 0; i < ncaches; i++)
        fprintf(out, "AN: %zu lines: %llu\n", caches[i].room, (unsigned long long)missed[i]);
    for (unsigned w = 1; nsets && w <= 64; w = all ? w + 1 : w * 2)
        fprintf(out, "AN: %u ways: %llu\n", w, (unsigned long long)set_missed[w]);
}

/* ---- intervals ---- */

#define ROWS_MAX 200
#define COUNTS 7 /* instructions, data, I1, D1, LL misses, branches, mispredicts */

static struct moment { uint64_t instruction; uint8_t count[COUNTS]; } *moments;
static size_t nmoments, room;
static uint64_t instructions;

static void remember(const struct op_record *o, unsigned outcome)
{
    bool branch = o->op >= OP_COND, fetch = o->op == OP_FETCH;

    if (nmoments == room) {
        room = room ? 2 * room : 1024;
        moments = realloc(moments, room * sizeof *moments);
    }
    instructions += fetch;
    moments[nmoments++] = (struct moment){instructions ? instructions - 1 : 0,
                                          {fetch, !fetch && !branch, fetch && outcome, !fetch && !branch && outcome,
                                           !branch && outcome == 3, branch, branch && outcome}};
}

static void print_intervals(FILE *out)
{
    uint64_t length = option("interval", 1000000), (*row)[COUNTS] = calloc(ROWS_MAX + 1, sizeof *row), last = 0;

    while (instructions > ROWS_MAX * length)
        length *= 2;
    for (size_t i = 0; i < nmoments; i++) {
        last = moments[i].instruction / length;
        for (unsigned k = 0; k < COUNTS; k++)
            row[last][k] += moments[i].count[k];
    }
    for (uint64_t i = 0; i <= last; i++) {
        fprintf(out, "AN: %llu", (unsigned long long)i);
        for (unsigned k = 0; k < COUNTS; k++)
            fprintf(out, " %llu", (unsigned long long)row[i][k]);
        fputc('\n', out);
    }
}

/* ---- sets: by division, not by shift; no bound but memory ---- */

static uint64_t by_set[LINES_MAX];

static void print_sets(FILE *out)
{
    unsigned count = size / ways / bytes;

    for (unsigned i = 0; i < count; i++) {
        if (i % 8 == 0)
            fprintf(out, "AN: from %u:", i);
        fprintf(out, " %llu%s", (unsigned long long)by_set[i], i % 8 == 7 || i == count - 1 ? "\n" : "");
    }
}

/* ---- sizes: a list for each set of each size ---- */

static struct list *of_size[SIZES_MAX];
static uint64_t size_missed[SIZES_MAX][2], first_sets;

static void make_sizes(void)
{
    uint64_t smaller = option("smaller", 5);

    for (first_sets = size / ways / bytes; smaller > 0 && first_sets > 1; smaller--)
        first_sets /= 2;
    for (uint64_t n = first_sets; n <= (uint64_t)(size / ways / bytes) << option("larger", 4); n *= 2) {
        of_size[ncaches] = calloc(n, sizeof **of_size);
        for (uint64_t set = 0; set < n; set++)
            of_size[ncaches][set] = make(ways);
        ncaches++;
    }
}

static void refer_to_sizes(const struct op_record *o)
{
    for (unsigned i = 0; i < ncaches; i++) {
        int miss = 0;

        for (uint64_t b = o->addr / bytes; b <= (o->addr + o->size - 1) / bytes; b++)
            miss |= touch(&of_size[i][b % (first_sets << i)], b) < 0;
        size_missed[i][o->op == OP_WRITE] += (uint64_t)miss;
    }
}

static void print_sizes(FILE *out)
{
    for (unsigned i = 0; i < ncaches; i++)
        fprintf(out, "AN: %llu bytes: %llu %llu\n", (unsigned long long)(first_sets << i) * ways * bytes, (unsigned long long)size_missed[i][0],
                (unsigned long long)size_missed[i][1]);
}

/* ---- all of it ---- */

void analysis_make(const char *name, const char *D1)
{
    kind = name;
    if (sscanf(D1, "%u,%u,%u", &size, &ways, &bytes) != 3)
        abort();
    if (!strcmp(kind, "3c"))
        ever = make(LINES_MAX);
    else if (!strcmp(kind, "mattson"))
        make_curve();
    else if (!strcmp(kind, "sizes"))
        make_sizes();
}

void analysis_see(const struct op_record *o, unsigned outcome)
{
    if (!strcmp(kind, "3c") && o->op != OP_FETCH && o->op < OP_COND)
        classify(o, outcome != 0);
    else if (!strcmp(kind, "mattson") && o->op != OP_FETCH && o->op < OP_COND)
        curve(o);
    else if (!strcmp(kind, "sizes") && o->op != OP_FETCH && o->op < OP_COND)
        refer_to_sizes(o);
    else if (!strcmp(kind, "interval"))
        remember(o, outcome);
    else if (!strcmp(kind, "sets") && outcome && o->op != OP_FETCH && o->op < OP_COND)
        by_set[o->addr / bytes % (size / ways / bytes)]++;
}

void analysis_print(FILE *out)
{
    static const char *const names[] = {"AN.compulsory", "AN.capacity", "AN.conflict"};

    if (!strcmp(kind, "3c")) {
        for (unsigned i = 0; i < 3; i++)
            fprintf(out, "%s %llu\n", names[i], (unsigned long long)classes[i]);
        for (uint64_t i = 0; i < nconflicts; i++)
            fprintf(out, "AN: line 0x%llx: %llu conflict misses\n", (unsigned long long)(conflict_line[i] * bytes),
                    (unsigned long long)conflicts[i]);
    } else if (!strcmp(kind, "mattson")) {
        print_curve(out);
    } else if (!strcmp(kind, "interval")) {
        print_intervals(out);
    } else if (!strcmp(kind, "sets")) {
        print_sets(out);
    } else if (!strcmp(kind, "sizes")) {
        print_sizes(out);
    }
}
