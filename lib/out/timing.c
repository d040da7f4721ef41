/*
 * Estimated time. See timing.h.
 *
 * In:  "width=2,LL=200"; "CPI.LL" and the events of a profile
 * Out: "(0+200*(ILmr+DLmr+DLmw))/Ir"
 */
#define _GNU_SOURCE
#include "out/timing.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define USUAL { .width = 1, .hit = 1, .L1 = QN_OUT_TIMING_L1, .LL = QN_OUT_TIMING_LL, .branch = QN_OUT_TIMING_BRANCH }
#define LATENCY_MOST 1e6 /* cycles */

static const struct qn_out_timing usual = USUAL;
static struct qn_out_timing current = USUAL;
static bool chosen;

const struct qn_out_timing *qn_out_timing(void) { return &current; }
bool qn_out_timing_chosen(void) { return chosen; }

/* ---- choosing ---- */

static double *find_field(struct qn_out_timing *t, const char *name, size_t n)
{
    const struct {
        const char *name;
        double *field;
    } fields[] = { { "width", &t->width }, { "hit", &t->hit }, { "L1", &t->L1 }, { "LL", &t->LL }, { "branch", &t->branch } };

    for (size_t i = 0; i < sizeof fields / sizeof *fields; i++)
        if (strlen(fields[i].name) == n && !memcmp(fields[i].name, name, n))
            return fields[i].field;
    return NULL;
}

const char *qn_out_choose_timing(const char *text)
{
    struct qn_out_timing t = usual;

    for (const char *at = text; *at;) {
        size_t n = strcspn(at, "=,");
        double *field = find_field(&t, at, n), value;
        char *end;

        if (!field || at[n] != '=')
            return "width=N,hit=N,L1=N,LL=N,branch=N, or some of them";
        value = strtod(at + n + 1, &end);
        if (end == at + n + 1 || (*end && *end != ',') || !(value >= 0 && value <= LATENCY_MOST)
            || (field == &t.width && value == 0))
            return "numbers of cycles from 0 to 1000000, and a width above 0";
        *field = value;
        at = *end ? end + 1 : end;
    }
    current = t;
    chosen = true;
    return NULL;
}

void qn_out_describe_timing(char *text, size_t room)
{
    snprintf(text, room, "instructions/%.10g + %.10g x L1 misses + %.10g x LL misses + %.10g x mispredicts (a rule of thumb)",
             current.width, current.L1, current.LL, current.branch);
}

/* ---- expressions ---- */

/* Writes `before` and "f*(A+B)" of those events that the profile has; nothing if it has none. */
static void put_term(FILE *out, const struct qn_prof_header *h, const char *before, double factor, const char *events)
{
    bool any = false;

    for (size_t n; *events; events += n + (events[n] == '+')) {
        n = strcspn(events, "+");
        if (qn_prof_find_event(h, events, n) < 0)
            continue;
        fprintf(out, any ? "+" : "%s%.10g*(", before, factor);
        fwrite(events, 1, n, out);
        any = true;
    }
    if (any)
        putc(')', out);
}

static const struct part {
    const char *name, *L1, *LL, *branch;
    bool issue;
} parts[] = {
    { "", "I1mr+D1mr+D1mw", "ILmr+DLmr+DLmw", "Bcm+Bim", true },
    { ".issue", "", "", "", true },
    { ".I1", "I1mr", "", "", false },
    { ".D1", "D1mr+D1mw", "", "", false },
    { ".LL", "", "ILmr+DLmr+DLmw", "", false },
    { ".branch", "", "", "Bcm+Bim", false },
};

#define CYCLES "cycles"
#define CPI "CPI"

static bool begins(const char *name, const char *with) { return !strncmp(name, with, strlen(with)); }

static const struct part *find_part(const char *name)
{
    const char *of = begins(name, CYCLES) ? name + strlen(CYCLES) : begins(name, CPI) ? name + strlen(CPI) : NULL;

    for (size_t i = 0; of && i < sizeof parts / sizeof *parts; i++)
        if (!strcmp(parts[i].name, of))
            return &parts[i];
    return NULL;
}

bool qn_out_timing_is_sum(const char *name) { return begins(name, CYCLES) && find_part(name); }

static bool has_all(const struct qn_prof_header *h, const char *events)
{
    for (size_t n; *events; events += n + (events[n] == '+')) {
        n = strcspn(events, "+");
        if (qn_prof_find_event(h, events, n) < 0)
            return false;
    }
    return true;
}

static void put_cycles(FILE *out, const struct qn_prof_header *h, const struct part *p)
{
    if (p->issue)
        fprintf(out, "Ir/%.10g", current.width);
    else
        fputs("0", out);
    put_term(out, h, "+", current.L1, p->L1);
    put_term(out, h, "+", current.LL, p->LL);
    put_term(out, h, "+", current.branch, p->branch);
}

char *qn_out_write_timing(const char *name, const struct qn_prof_header *h)
{
    const struct part *p = find_part(name);
    bool amat = !strcmp(name, "AMAT");
    char *text = NULL;
    size_t size;
    FILE *out;

    if ((!p && !amat) || !has_all(h, amat ? "Dr+Dw+D1mr+D1mw+DLmr+DLmw" : "Ir"))
        return NULL;
    out = open_memstream(&text, &size);
    if (!out)
        return NULL;
    if (amat) {
        fprintf(out, "(%.10g*(Dr+Dw)", current.hit);
        put_term(out, h, "+", current.L1, "D1mr+D1mw");
        put_term(out, h, "+", current.LL, "DLmr+DLmw");
        fputs(")/(Dr+Dw)", out);
    } else {
        if (begins(name, CPI))
            putc('(', out);
        put_cycles(out, h, p);
        if (begins(name, CPI))
            fputs(")/Ir", out);
    }
    fclose(out);
    return text;
}
