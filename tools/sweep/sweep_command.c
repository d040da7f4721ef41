/* tools/sweep/sweep_command.c - makes the `quern run` command of a run, or of a group of runs. */
#define _GNU_SOURCE
#include <stdio.h>
#include <string.h>

#include "sweep.h"

struct words {
    struct qn_text_memory *m;
    char **at;
    size_t count;
};

static void add(struct words *w, const char *word)
{
    w->at = qn_text_grow(w->m, w->at, w->count, sizeof *w->at);
    w->at[w->count++] = word ? qn_text_copy(w->m, word) : NULL;
}

/* In the names of logs and profiles % begins a field. */
static const char *escape_percents(struct qn_text_memory *m, const char *text)
{
    char *out = qn_text_copy(m, "");

    for (const char *p; (p = strchr(text, '%')); text = p + 1)
        out = qn_text_format(m, "%s%.*s%%%%", out, (int)(p - text), text);
    return qn_text_format(m, "%s%s", out, text);
}

static void add_geometry(struct words *w, const char *level, const struct qn_geometry *g)
{
    add(w, qn_text_format(w->m, "--%s=%u,%u,%u", level, g->size, g->assoc, g->line));
}

static void add_simulation(struct words *w, struct qn_sweep *s, const struct qn_sweep_command *c)
{
    const struct qn_exp *e = &s->options.exp;
    const struct qn_exp_run *r = &s->runs.at[c->run];

    add(w, qn_text_format(w->m, "--sim=%s", c->engine));
    add_geometry(w, "I1", &r->geometry[QN_EXP_I1]);
    add_geometry(w, "D1", c->D1);
    add_geometry(w, "LL", c->LL);
    add(w, qn_text_format(w->m, "--cache-sim=%s", e->cache_sim.text ? e->cache_sim.text : "yes"));
    add(w, qn_text_format(w->m, "--branch-sim=%s", e->branch_sim.text ? e->branch_sim.text : "no"));
    add(w, qn_text_format(w->m, "--counting=%s", s->provenance[c->run].counting));
    add(w, qn_text_format(w->m, "--seed=%llu", (unsigned long long)r->seed));
    if (*c->options)
        add(w, qn_text_format(w->m, "--sim-opt=%s", c->options));
}

char **qn_sweep_command(struct qn_sweep *s, const struct qn_sweep_command *c)
{
    struct words w = { .m = &s->options.exp.memory };
    const char *work = escape_percents(w.m, s->work);

    add(&w, s->self);
    add(&w, "run");
    add_simulation(&w, s, c);
    add(&w, "--processors=4"); /* wherever it runs */
    add(&w, "--stats=yes");
    add(&w, qn_text_format(w.m, "--out-file=%s/%s.%%p", work, c->stem));
    add(&w, qn_text_format(w.m, "--log-file=%s/%s.log", work, c->stem));
    add(&w, "--");
    for (int i = 0; s->runs.at[c->run].argv[i]; i++)
        add(&w, s->runs.at[c->run].argv[i]);
    add(&w, NULL);
    return w.at;
}

struct qn_sweep_command qn_sweep_single(struct qn_sweep *s, int run)
{
    const struct qn_exp_run *r = &s->runs.at[run];
    const struct qn_exp_sim *sim = s->sims[run];

    return (struct qn_sweep_command){
        .run = run, .engine = sim->engine ? sim->engine : sim->text, .options = s->provenance[run].options,
        .D1 = &r->geometry[QN_EXP_D1], .LL = &r->geometry[QN_EXP_LL],
        .stem = qn_text_format(&s->options.exp.memory, "%d", run),
    };
}
