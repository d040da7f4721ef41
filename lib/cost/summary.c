/* lib/cost/summary.c - the summary, in the format of Cachegrind 3.19.  See summary.h. */
#include "cost/summary.h"

#include <stdio.h>
#include <string.h>

struct printer {
    const int64_t *t, *L2; /* misses of an L2; NULL: there is none */
    int width[3]; /* of the three columns */
    void (*put)(void *, const char *);
    void *data;
};

#define NUMBER_MAX 32  /* 2^63 with commas has 25 characters */

/* 1234567 -> "1,234,567" */
static const char *with_commas(char text[NUMBER_MAX], int64_t n)
{
    char digits[NUMBER_MAX];
    int length = snprintf(digits, sizeof digits, "%lld", (long long)n), out = 0;

    for (int i = 0; i < length; i++) {
        if (i && (length - i) % 3 == 0 && digits[i - 1] != '-')
            text[out++] = ',';
        text[out++] = digits[i];
    }
    text[out] = 0;
    return text;
}

static int width_of(int64_t a, int64_t b)
{
    char text[NUMBER_MAX];

    return (int)strlen(with_commas(text, a > b ? a : b));
}

static double percent(int64_t part, int64_t whole)
{
    return (double)part * 100.0 / (double)(whole ? whole : 1);
}

static void put_one(const struct printer *p, const char *label, int64_t n)
{
    char line[128], text[NUMBER_MAX];

    snprintf(line, sizeof line, "%-14s %*s", label, p->width[0], with_commas(text, n));
    p->put(p->data, line);
}

static void put_one_rate(const struct printer *p, const char *label, double rate)
{
    char line[128];

    snprintf(line, sizeof line, "%-14s %*.2f%%", label, p->width[0], rate);
    p->put(p->data, line);
}

/* names: "rd  " and "wr" or "cond" and "ind" */
static void put_two(const struct printer *p, const char *label, int64_t a, int64_t b, const char *const names[2])
{
    char line[192], sum[NUMBER_MAX], first[NUMBER_MAX], second[NUMBER_MAX];

    snprintf(line, sizeof line, "%-14s %*s  (%*s %s + %*s %s)", label, p->width[0], with_commas(sum, a + b),
             p->width[1], with_commas(first, a), names[0], p->width[2], with_commas(second, b), names[1]);
    p->put(p->data, line);
}

static void put_rates(const struct printer *p, const char *label, double all, double a, double b, const char *tail)
{
    char line[192];

    snprintf(line, sizeof line, "%-14s %*.1f%% (%*.1f%%     + %*.1f%%%s)", label, p->width[0], all, p->width[1], a,
             p->width[2], b, tail);
    p->put(p->data, line);
}

static const char *const read_write[2] = { "rd  ", "wr" };
static const char *const cond_ind[2] = { "cond", "ind" };

static void put_fetches(const struct printer *p)
{
    const int64_t *t = p->t;

    put_one(p, "I1  misses:", t[QN_COST_I1MR]);
    if (p->L2)
        put_one(p, "L2i misses:", p->L2[0]);
    put_one(p, "LLi misses:", t[QN_COST_ILMR]);
    put_one_rate(p, "I1  miss rate:", percent(t[QN_COST_I1MR], t[QN_COST_IR]));
    if (p->L2)
        put_one_rate(p, "L2i miss rate:", percent(p->L2[0], t[QN_COST_IR]));
    put_one_rate(p, "LLi miss rate:", percent(t[QN_COST_ILMR], t[QN_COST_IR]));
    p->put(p->data, "");
}

static void put_data(const struct printer *p)
{
    const int64_t *t = p->t;
    int64_t refs = t[QN_COST_DR] + t[QN_COST_DW];

    put_two(p, "D   refs:", t[QN_COST_DR], t[QN_COST_DW], read_write);
    put_two(p, "D1  misses:", t[QN_COST_D1MR], t[QN_COST_D1MW], read_write);
    if (p->L2)
        put_two(p, "L2d misses:", p->L2[1], p->L2[2], read_write);
    put_two(p, "LLd misses:", t[QN_COST_DLMR], t[QN_COST_DLMW], read_write);
    put_rates(p, "D1  miss rate:", percent(t[QN_COST_D1MR] + t[QN_COST_D1MW], refs),
              percent(t[QN_COST_D1MR], t[QN_COST_DR]), percent(t[QN_COST_D1MW], t[QN_COST_DW]), "  ");
    if (p->L2)
        put_rates(p, "L2d miss rate:", percent(p->L2[1] + p->L2[2], refs), percent(p->L2[1], t[QN_COST_DR]),
                  percent(p->L2[2], t[QN_COST_DW]), "  ");
    put_rates(p, "LLd miss rate:", percent(t[QN_COST_DLMR] + t[QN_COST_DLMW], refs),
              percent(t[QN_COST_DLMR], t[QN_COST_DR]), percent(t[QN_COST_DLMW], t[QN_COST_DW]), "  ");
    p->put(p->data, "");
}

/* A level for instructions and data: its references are the misses of the level above it. */
static void put_level(const struct printer *p, const char *level, const int64_t refs[2], const int64_t misses[2], bool local_rates)
{
    const int64_t *t = p->t;
    int64_t reads = t[QN_COST_IR] + t[QN_COST_DR];
    char label[4][24];
    static const char *const labels[4] = { "refs:", "misses:", "miss rate:", "local rate:" };

    for (int i = 0; i < 4; i++)
        snprintf(label[i], sizeof label[i], "%s %s", level, labels[i]);
    put_two(p, label[0], refs[0], refs[1], read_write);
    put_two(p, label[1], misses[0], misses[1], read_write);
    put_rates(p, label[2], percent(misses[0] + misses[1], reads + t[QN_COST_DW]), percent(misses[0], reads),
              percent(misses[1], t[QN_COST_DW]), "  ");
    if (local_rates)
        put_rates(p, label[3], percent(misses[0] + misses[1], refs[0] + refs[1]), percent(misses[0], refs[0]),
                  percent(misses[1], refs[1]), "  ");
}

static void put_lower_levels(const struct printer *p, bool local_rates)
{
    const int64_t *t = p->t;
    const int64_t L1[2] = { t[QN_COST_I1MR] + t[QN_COST_D1MR], t[QN_COST_D1MW] }, L2[2] = { p->L2 ? p->L2[0] + p->L2[1] : 0, p->L2 ? p->L2[2] : 0 };
    const int64_t LL[2] = { t[QN_COST_ILMR] + t[QN_COST_DLMR], t[QN_COST_DLMW] };

    if (p->L2)
        put_level(p, "L2", L1, L2, local_rates);
    put_level(p, "LL", p->L2 ? L2 : L1, LL, local_rates);
}

static void put_branches(const struct printer *p)
{
    const int64_t *t = p->t;

    p->put(p->data, "");
    put_two(p, "Branches:", t[QN_COST_BC], t[QN_COST_BI], cond_ind);
    put_two(p, "Mispredicts:", t[QN_COST_BCM], t[QN_COST_BIM], cond_ind);
    put_rates(p, "Mispred rate:", percent(t[QN_COST_BCM] + t[QN_COST_BIM], t[QN_COST_BC] + t[QN_COST_BI]),
              percent(t[QN_COST_BCM], t[QN_COST_BC]), percent(t[QN_COST_BIM], t[QN_COST_BI]), "   ");
}

void qn_cost_print_summary(const int64_t totals[QN_COST_EVENTS], const int64_t L2[QN_L2_EVENTS], bool cache_sim, bool branch_sim, bool local_rates,
                           void (*put)(void *, const char *), void *data)
{
    const int64_t *t = totals;
    int64_t dr = cache_sim ? t[QN_COST_DR] : 0, dw = cache_sim ? t[QN_COST_DW] : 0;
    struct printer p = {
        t, L2,
        { width_of(t[QN_COST_IR], 0), width_of(dr, branch_sim ? t[QN_COST_BC] : 0),
          width_of(dw, branch_sim ? t[QN_COST_BI] : 0) },
        put, data
    };

    put_one(&p, "I   refs:", t[QN_COST_IR]);
    if (cache_sim) {
        put_fetches(&p);
        put_data(&p);
        put_lower_levels(&p, local_rates);
    }
    if (branch_sim)
        put_branches(&p);
}
