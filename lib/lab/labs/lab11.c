/* lib/lab/labs/lab11.c - the tests of lab 11: timing, which computes the time of references, of instructions, of walks and of kernels.
 *
 * All results are whole numbers, or thousandths and hundredths that are rounded down, so that outputs can be compared.
 */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "lab/check.h"

#define LEVELS_MAX 4
#define CASES 3

static unsigned rule(struct qn_lab_check *c, enum qn_lab_parameter which) { return qn_lab_rules(c)->value[which]; }

/* ---- running ---- */

/* What timing reads, and what it should print. */
struct exercise {
    char *input, *wanted;
    size_t input_size, wanted_size;
    FILE *in, *out;
};

static void begin(struct exercise *e)
{
    e->in = QN_NEEDED(open_memstream(&e->input, &e->input_size));
    e->out = QN_NEEDED(open_memstream(&e->wanted, &e->wanted_size));
}

/* Runs timing with these words, NULL at the end, and -t FILE. */
static bool judge(struct qn_lab_check *c, struct exercise *e, const char *const *words)
{
    const char *argv[16] = { qn_lab_program(c, "timing.c", NULL) };
    struct qn_lab_job job = { .argv = argv };
    char command[128] = "";
    unsigned n = 1;
    bool good;

    fclose(e->in);
    fclose(e->out);
    for (; *words; words++) {
        argv[n++] = *words;
        snprintf(command + strlen(command), sizeof command - strlen(command), " %s", *words);
    }
    argv[n++] = "-t";
    argv[n] = qn_lab_write(c, "input.txt", e->input, e->input_size);
    good = argv[0] && qn_lab_run_program(c, &job);
    if (good && !qn_lab_same_lines(c, job.output, e->wanted)) {
        good = false;
        if (qn_lab_keeps(c))
            qn_lab_keep(c, "wanted.txt", e->wanted, e->wanted_size);
        qn_lab_why_with(c, "input.txt", "wanted.txt is what it should have printed. In a debugger (timing compiled with -g):\n"
                        "    gdb -ex 'break main' -ex run --args ./timing%s -t", command);
    }
    qn_lab_free_job(&job);
    free(e->input);
    free(e->wanted);
    return good;
}

/* a / b with so many digits behind the point, rounded down. */
static const char *quotient(uint64_t a, uint64_t b, unsigned digits)
{
    static char texts[6][40];
    static unsigned next;
    char *text = texts[next++ % 6];
    uint64_t scale = digits == 2 ? 100 : 1000, all = (uint64_t)((unsigned __int128)a * scale / b);

    snprintf(text, sizeof texts[0], "%llu.%0*llu", (unsigned long long)(all / scale), (int)digits, (unsigned long long)(all % scale));
    return text;
}

/* ---- amat ---- */

struct level {
    unsigned cycles;
    uint64_t loads, stores; /* that reach it */
};

static uint64_t all_of(const struct level *l) { return l->loads + l->stores; }

static uint64_t time_of(struct qn_lab_check *c, const struct level *levels, unsigned n)
{
    uint64_t cycles = 0;

    for (unsigned i = 0; i <= n; i++) {
        struct level here = levels[i], next = i < n ? levels[i + 1] : (struct level){ 0, 0, 0 };

        if (!rule(c, QN_LAB_TIMING_PARALLEL))
            next = (struct level){ 0, 0, 0 }; /* whoever reaches it takes its time */
        if (rule(c, QN_LAB_TIMING_STORES)) {  /* they stay in the first */
            here.stores = i ? 0 : here.stores;
            next.stores = 0;
        }
        cycles += here.cycles * (all_of(&here) - all_of(&next));
    }
    return cycles;
}

static bool amat(struct qn_lab_check *c, unsigned n)
{
    static const char *const words[] = { "amat", NULL };
    struct level levels[LEVELS_MAX + 1] = { { qn_lab_between(c, 2, 5), 1000 + qn_lab_below(c, 1000000), 1000 + qn_lab_below(c, 300000) } };
    struct exercise e;
    uint64_t cycles;

    for (unsigned i = 1; i <= n; i++)
        levels[i] = (struct level){ levels[i - 1].cycles * qn_lab_between(c, 2, 6), 20 + levels[i - 1].loads * qn_lab_between(c, 5, 70) / 100,
                                    10 + levels[i - 1].stores * qn_lab_between(c, 5, 70) / 100 };
    begin(&e);
    fputs("level,local,global\n", e.out);
    for (unsigned i = 0; i < n; i++) {
        fprintf(e.in, "L%u %u %llu %llu\n", i + 1, levels[i].cycles, (unsigned long long)levels[i].loads, (unsigned long long)levels[i].stores);
        fprintf(e.out, "L%u,%s,%s\n", i + 1, quotient(100 * all_of(&levels[i + 1]), all_of(&levels[i]), 2),
                quotient(100 * all_of(&levels[i + 1]), all_of(&levels[0]), 2));
    }
    fprintf(e.in, "memory %u %llu %llu\n", levels[n].cycles, (unsigned long long)levels[n].loads, (unsigned long long)levels[n].stores);
    cycles = time_of(c, levels, n);
    fprintf(e.out, "cycles:%llu amat:%s\n", (unsigned long long)cycles, quotient(cycles, all_of(&levels[0]), 3));
    return judge(c, &e, words);
}

static bool one_level(struct qn_lab_check *c) { return amat(c, 1); }
static bool several_levels(struct qn_lab_check *c) { return amat(c, 2) && amat(c, 3) && amat(c, LEVELS_MAX); }

/* ---- the stack of cycles ---- */

enum event { IR, I1MR, ILMR, DR, D1MR, DLMR, DW, D1MW, DLMW, BC, BCM, BI, BIM, EVENTS };
static const char *const names[EVENTS] = { "Ir", "I1mr", "ILmr", "Dr", "D1mr", "DLmr", "Dw", "D1mw", "DLmw", "Bc", "Bcm", "Bi", "Bim" };

static void draw_counts(struct qn_lab_check *c, uint64_t *n)
{
    n[IR] = 500 + qn_lab_below(c, 2000000);
    n[I1MR] = n[IR] * qn_lab_between(c, 3, 20) / 1000, n[ILMR] = n[I1MR] * qn_lab_below(c, 60) / 100;
    n[DR] = n[IR] * qn_lab_between(c, 10, 40) / 100, n[D1MR] = n[DR] * qn_lab_between(c, 2, 30) / 100, n[DLMR] = n[D1MR] * qn_lab_between(c, 5, 60) / 100;
    n[DW] = n[IR] * qn_lab_between(c, 8, 20) / 100, n[D1MW] = n[DW] * qn_lab_between(c, 4, 30) / 100, n[DLMW] = n[D1MW] * qn_lab_between(c, 5, 60) / 100;
    n[BC] = n[IR] * qn_lab_between(c, 5, 20) / 100, n[BCM] = n[BC] * qn_lab_below(c, 15) / 100;
    n[BI] = n[IR] * qn_lab_between(c, 1, 3) / 100, n[BIM] = n[BI] * qn_lab_between(c, 20, 40) / 100;
}

struct penalties {
    unsigned last, memory, branch;
};

static void put_stack(struct qn_lab_check *c, FILE *f, const char *function, const uint64_t *n, const struct penalties *p)
{
    bool stores = !rule(c, QN_LAB_TIMING_STORES);
    uint64_t last = (n[I1MR] + n[D1MR] + stores * n[D1MW]) * p->last, branches = (n[BCM] + n[BIM]) * p->branch;
    uint64_t memory = (n[ILMR] + n[DLMR] + stores * n[DLMW]) * p->memory / rule(c, QN_LAB_TIMING_OVERLAP);

    fprintf(f, "%s,%s,1.000,%s,%s,%s\n", function, quotient(n[IR] + last + memory + branches, n[IR], 3), quotient(last, n[IR], 3),
            quotient(memory, n[IR], 3), quotient(branches, n[IR], 3));
}

/* mixed: the columns come in an order that is drawn, among others. */
static bool stack(struct qn_lab_check *c, unsigned functions, bool mixed)
{
    struct penalties p = { qn_lab_between(c, 8, 40), qn_lab_between(c, 100, 400), qn_lab_between(c, 5, 30) };
    char last[16], memory[16], branch[16];
    const char *const words[] = { "stack", "-l", last, "-m", memory, "-p", branch, NULL };
    unsigned order[EVENTS];
    uint64_t sum[EVENTS] = { 0 };
    struct exercise e;

    snprintf(last, sizeof last, "%u", p.last);
    snprintf(memory, sizeof memory, "%u", p.memory);
    snprintf(branch, sizeof branch, "%u", p.branch);
    for (unsigned i = 0; i < EVENTS; i++) {
        unsigned k = mixed ? qn_lab_below(c, i + 1) : i, other;

        order[i] = i;
        other = order[k], order[k] = i, order[i] = other;
    }
    begin(&e);
    fputs("file,function", e.in);
    for (unsigned i = 0; i < EVENTS; i++)
        fprintf(e.in, ",%s%s", names[order[i]], mixed && i == EVENTS / 2 ? ",D1m%" : "");
    fputs("\n", e.in);
    fputs("function,cpi,base,last,memory,branches\n", e.out);
    for (unsigned f = 0; f < functions; f++) {
        uint64_t n[EVENTS];
        char name[16];

        snprintf(name, sizeof name, "f%u", f + 1);
        draw_counts(c, n);
        fprintf(e.in, "work.c,%s", name);
        for (unsigned i = 0; i < EVENTS; i++) {
            fprintf(e.in, ",%llu%s", (unsigned long long)n[order[i]], mixed && i == EVENTS / 2 ? ",12.5" : "");
            sum[i] += n[i];
        }
        fputs("\n", e.in);
        put_stack(c, e.out, name, n, &p);
    }
    put_stack(c, e.out, "total", sum, &p);
    return judge(c, &e, words);
}

static bool one_function(struct qn_lab_check *c) { return stack(c, 1, false); }
static bool functions(struct qn_lab_check *c) { return stack(c, qn_lab_between(c, 3, 12), false); }
static bool any_order(struct qn_lab_check *c) { return stack(c, qn_lab_between(c, 2, 6), true); }

/* ---- predicted misses ---- */

struct walk {
    uint64_t bytes, step, rounds;
};

static void put_walk(struct qn_lab_check *c, struct exercise *e, const struct walk *w, uint64_t size, uint64_t line)
{
    uint64_t elements = (w->bytes + w->step - 1) / w->step, places = size / line, misses, references = elements * w->rounds * rule(c, QN_LAB_TIMING_TWICE);
    uint64_t lines = w->step >= line ? elements : (elements - 1) * w->step / line + 1;

    if (lines <= places)
        misses = lines;
    else if (rule(c, QN_LAB_TIMING_TURNS))
        misses = lines + (w->rounds - 1) * (lines - places);
    else
        misses = lines * w->rounds;
    fprintf(e->in, "%llu %llu %llu\n", (unsigned long long)w->bytes, (unsigned long long)w->step, (unsigned long long)w->rounds);
    fprintf(e->out, "%llu,%llu,%s\n", (unsigned long long)references, (unsigned long long)misses, quotient(100 * misses, references, 2));
}

enum size { FITS, TOO_LARGE, HUGE };

static bool predict(struct qn_lab_check *c, enum size how, bool wide)
{
    uint64_t line = 32u << qn_lab_below(c, 3), places = 8u << qn_lab_below(c, 6), size = line * places;
    char s[32], b[16];
    const char *const words[] = { "predict", "-s", s, "-b", b, NULL };
    struct exercise e;

    snprintf(s, sizeof s, "%llu", (unsigned long long)size);
    snprintf(b, sizeof b, "%llu", (unsigned long long)line);
    begin(&e);
    fputs("references,misses,percent\n", e.out);
    for (unsigned i = 0; i < 6; i++) {
        struct walk w = { .step = wide ? line * qn_lab_between(c, 1, 9) : 4u << qn_lab_below(c, 3), .rounds = qn_lab_between(c, 3, 20) };
        uint64_t lines = how == FITS ? 1 + qn_lab_below(c, (unsigned)places) : places + 1 + qn_lab_below(c, (unsigned)places);

        if (how == HUGE)
            lines = (1ull << qn_lab_between(c, 30, 36)) + qn_lab_below(c, 1000);
        w.bytes = wide ? lines * w.step - qn_lab_below(c, (unsigned)w.step) : lines * line - qn_lab_below(c, (unsigned)line / 2);
        put_walk(c, &e, &w, size, line);
    }
    if (how == FITS)
        put_walk(c, &e, &(struct walk){ size, 4, 5 }, size, line); /* just */
    if (how == FITS) /* a variant shows in walks that do not */
        put_walk(c, &e, &(struct walk){ 2 * size, line, 3 }, size, line);
    return judge(c, &e, words);
}

static bool fitting(struct qn_lab_check *c) { return predict(c, FITS, false); }
static bool too_large(struct qn_lab_check *c) { return predict(c, TOO_LARGE, false); }
static bool wide(struct qn_lab_check *c) { return predict(c, FITS, true) && predict(c, TOO_LARGE, true); }
static bool by_formula(struct qn_lab_check *c) { return predict(c, HUGE, false) && predict(c, HUGE, true); }

/* ---- the roofline ---- */

static bool roofline(struct qn_lab_check *c)
{
    uint64_t peak = qn_lab_between(c, 2, 32), width = qn_lab_between(c, 2, 16), roof = peak * rule(c, QN_LAB_TIMING_CORES);
    char p[16], w[16];
    const char *const words[] = { "roofline", "-p", p, "-w", w, NULL };
    struct exercise e;

    snprintf(p, sizeof p, "%llu", (unsigned long long)peak);
    snprintf(w, sizeof w, "%llu", (unsigned long long)width);
    begin(&e);
    fputs("kernel,bound,flops\n", e.out);
    for (unsigned i = 0; i < 12; i++) {
        uint64_t read = 8 + 8 * qn_lab_below(c, 1000), written = 8 * qn_lab_below(c, 500), bytes = read + written * rule(c, QN_LAB_TIMING_WRITES);
        uint64_t flops = 1 + roof * bytes / width * qn_lab_between(c, 20, 180) / 100;
        bool memory;

        if (i == 5) { /* just at the ridge: as fast by both */
            bytes = width * (1 + qn_lab_below(c, 100)), read = bytes, written = 0;
            flops = roof * bytes / width;
        }
        memory = flops * width < roof * bytes;
        fprintf(e.in, "k%u %llu %llu %llu\n", i + 1, (unsigned long long)flops, (unsigned long long)read, (unsigned long long)written);
        fprintf(e.out, "k%u,%s,%s\n", i + 1, memory ? "memory" : "compute", memory ? quotient(flops * width, bytes, 3) : quotient(roof, 1, 3));
    }
    return judge(c, &e, words);
}

static bool roofs(struct qn_lab_check *c)
{
    for (unsigned i = 0; i < CASES; i++)
        if (!roofline(c))
            return false;
    return true;
}

static const struct qn_lab_test tests[] = {
    { "amat: one level", 10, one_level },
    { "amat: several levels, local and global", 20, several_levels },
    { "stack: one function", 10, one_function },
    { "stack: functions and their total", 10, functions },
    { "stack: columns are found by their names", 10, any_order },
    { "predict: walks that fit", 10, fitting },
    { "predict: walks that do not fit", 10, too_large },
    { "predict: steps as long as a line and longer", 5, wide },
    { "predict: walks too long to be simulated", 5, by_formula },
    { "roofline: the lower of two roofs", 10, roofs },
};

static const char *const files[] = { "timing.c", NULL };

const struct qn_lab qn_lab_11 = {
    11, "11-timing", "Timing: AMAT, CPI stacks, roofline", files, tests, QN_ARRAY_LEN(tests), NULL
};
