/* tools/sweep_run.c - makes the runs and keeps the CSV file up to date.
 *
 * The file is written anew, under another name and then renamed, whenever a run has ended: so at any moment it is
 * complete as far as it goes, whatever kills us.  Each run has files in the work folder, NUMBER.log, NUMBER.err and profiles
 * NUMBER.PID, which go when it has ended.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <glob.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "exp/jobs.h"
#include "sweep.h"
#include "tools.h"

#define DEFAULT_PATH "PATH=/usr/local/bin:/usr/bin:/bin"
#define DEFAULT_LOCALE "LC_ALL=C"

struct conductor {
    struct qn_sweep *s;
    struct qn_exp_jobs jobs;
    int todo, done, failed; /* runs of this call; failed: of all rows */
    double started;
    bool terminal, wrote_badly;
};

/* ---- the command ---- */

struct words {
    struct qn_exp_memory *m;
    char **at;
    size_t count;
};

static void add(struct words *w, const char *word)
{
    w->at = qn_exp_grow(w->m, w->at, w->count, sizeof *w->at);
    w->at[w->count++] = word ? qn_exp_copy(w->m, word) : NULL;
}

/* In the names of logs and profiles % begins a field. */
static const char *escape_percents(struct qn_exp_memory *m, const char *text)
{
    char *out = qn_exp_copy(m, "");

    for (const char *p; (p = strchr(text, '%')); text = p + 1)
        out = qn_exp_format(m, "%s%.*s%%%%", out, (int)(p - text), text);
    return qn_exp_format(m, "%s%s", out, text);
}

static void add_geometry(struct words *w, const char *level, const struct qn_geometry *g)
{
    add(w, qn_exp_format(w->m, "--%s=%u,%u,%u", level, g->size, g->assoc, g->line));
}

char **qn_sweep_command(struct qn_sweep *s, int run, int number)
{
    const struct qn_exp *e = &s->options.exp;
    const struct qn_exp_run *r = &s->runs.at[run];
    const struct qn_sweep_sim *sim = s->sims[run];
    struct words w = { .m = &s->options.exp.memory };
    const char *work = escape_percents(w.m, s->work);

    add(&w, s->self);
    add(&w, "run");
    add(&w, qn_exp_format(w.m, "--sim=%s", sim->engine ? sim->engine : sim->text));
    add_geometry(&w, "I1", &r->geometry[QN_EXP_I1]);
    add_geometry(&w, "D1", &r->geometry[QN_EXP_D1]);
    add_geometry(&w, "LL", &r->geometry[QN_EXP_LL]);
    add(&w, qn_exp_format(w.m, "--cache-sim=%s", e->cache_sim.text ? e->cache_sim.text : "yes"));
    add(&w, qn_exp_format(w.m, "--branch-sim=%s", e->branch_sim.text ? e->branch_sim.text : "no"));
    add(&w, qn_exp_format(w.m, "--counting=%s", s->provenance[run].counting));
    add(&w, qn_exp_format(w.m, "--seed=%llu", (unsigned long long)r->seed));
    if (*s->provenance[run].options)
        add(&w, qn_exp_format(w.m, "--sim-opt=%s", s->provenance[run].options));
    add(&w, qn_exp_format(w.m, "--out-file=%s/%d.%%p", work, number));
    add(&w, qn_exp_format(w.m, "--log-file=%s/%d.log", work, number));
    add(&w, "--");
    for (int i = 0; r->argv[i]; i++)
        add(&w, r->argv[i]);
    add(&w, NULL);
    return w.at;
}

/* The programs' environment: always the same, so that their stacks are, too. */
static char **make_environment(struct qn_exp *e)
{
    struct words w = { .m = &e->memory };

    add(&w, DEFAULT_PATH);
    add(&w, DEFAULT_LOCALE);
    for (int i = 0; i < e->environment.count; i++) {
        const char *text = e->environment.at[i].text, *value = strchr(text, '=') ? NULL : getenv(text);

        if (strchr(text, '='))
            add(&w, text);
        else if (value)
            add(&w, qn_exp_format(w.m, "%s=%s", text, value));
    }
    add(&w, NULL);
    return w.at;
}

/* ---- results ---- */

static bool write_file(struct qn_sweep *s)
{
    struct qn_prof_error err = { .status = QN_PROF_OK };
    struct qn_exp_table t;

    qn_exp_init_table(&t);
    qn_exp_fill_table(&t, &s->options.exp, &s->runs, s->provenance, s->results);
    if (qn_exp_write_table(&t, s->options.output, &err) != QN_PROF_OK)
        fprintf(stderr, "quern: sweep: %s\n", err.text);
    qn_exp_free_table(&t);
    return err.status == QN_PROF_OK;
}

struct taker {
    struct qn_exp_memory *memory;
    struct qn_exp_result *result;
};

static void take_log_line(void *data, const char *text)
{
    const struct taker *t = data;

    qn_exp_read_log_line(t->memory, t->result, text);
}

static void take_counts(struct qn_sweep *s, int number, struct qn_exp_result *r)
{
    struct qn_exp_memory *m = &s->options.exp.memory;
    struct qn_prof_error err = { .status = QN_PROF_OK };
    struct taker taker = { m, r };
    long pid = qn_exp_read_log(qn_exp_format(m, "%s/%d.log", s->work, number), take_log_line, &taker);

    if (qn_exp_read_totals(m, r, qn_exp_format(m, "%s/%d.%ld", s->work, number, pid), &err) != QN_PROF_OK)
        r->status = qn_exp_copy(m, err.text);
}

static void remove_files(struct qn_sweep *s, int number)
{
    glob_t g;

    if (glob(qn_exp_format(&s->options.exp.memory, "%s/%d.*", s->work, number), GLOB_NOESCAPE, NULL, &g) == 0)
        for (size_t i = 0; i < g.gl_pathc; i++)
            unlink(g.gl_pathv[i]);
    globfree(&g);
}

/* A run that was killed has no counts, because its modules had no chance to say theirs. */
static void take_result(struct conductor *c, const struct qn_exp_job *job)
{
    struct qn_sweep *s = c->s;
    struct qn_exp_memory *m = &s->options.exp.memory;
    int run = (int)(intptr_t)job->data;
    struct qn_exp_result *r = &s->results[run];

    *r = (struct qn_exp_result){ .status = NULL };
    if (job->start_errno)
        r->status = qn_exp_format(m, "cannot be started: %s", strerror(job->start_errno));
    else if (job->timed_out)
        r->status = qn_exp_format(m, "stopped after %s seconds", s->options.exp.timeout.text);
    else
        r->status = qn_exp_describe_end(m, job->status, job->errors);
    if (!job->start_errno && !job->timed_out && WIFEXITED(job->status)
        && (!strcmp(r->status, QN_EXP_OK) || !strncmp(r->status, "exit status", 11)))
        take_counts(s, run, r);
    remove_files(s, run);
    c->done++;
    c->failed += strcmp(r->status, QN_EXP_OK) != 0;
}

/* ---- progress ---- */

static double now(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

/* "2 h 5 min", "12 s" */
static const char *format_time(char text[32], double seconds)
{
    int s = (int)(seconds + 0.5);

    if (s >= 3600)
        snprintf(text, 32, "%d h %d min", s / 3600, s % 3600 / 60);
    else if (s >= 100)
        snprintf(text, 32, "%d min", (s + 59) / 60);
    else
        snprintf(text, 32, "%d s", s);
    return text;
}

static void show_progress(void *data, int running)
{
    struct conductor *c = data;
    double passed = now() - c->started;
    char left[32];

    if (!c->terminal)
        return;
    fprintf(stderr, "\rquern sweep: %d of %d runs, %d failed, %d running", c->s->runs.count - c->todo + c->done,
            c->s->runs.count, c->failed, running);
    if (c->done)
        fprintf(stderr, ", about %s left", format_time(left, passed / c->done * (c->todo - c->done)));
    fprintf(stderr, "\033[K");
}

static void finish_progress(struct conductor *c)
{
    if (c->terminal)
        fputs("\r\033[K", stderr);
    if (c->s->options.quiet)
        return;
    if (c->failed)
        fprintf(stderr, "quern sweep: %s: %d runs, %d of them failed: see column status\n", c->s->options.output,
                c->s->runs.count, c->failed);
    else
        fprintf(stderr, "quern sweep: %s: %d runs\n", c->s->options.output, c->s->runs.count);
}

/* ---- all of them ---- */

static void job_ended(void *data, struct qn_exp_job *job)
{
    struct conductor *c = data;

    take_result(c, job);
    c->wrote_badly |= !write_file(c->s);
}

static int add_jobs(struct conductor *c, char **environment)
{
    struct qn_sweep *s = c->s;

    for (int i = 0; i < s->runs.count; i++) {
        int status;

        if (s->results[i].status) {
            c->failed += strcmp(s->results[i].status, QN_EXP_OK) != 0;
            continue;
        }
        status = qn_sweep_build_sim(s, s->sims[i]);
        if (status)
            return status;
        qn_exp_add_job(&c->jobs, &(struct qn_exp_job){
            .argv = qn_sweep_command(s, i, i), .environment = environment, .input = s->runs.at[i].input,
            .errors = qn_exp_format(&s->options.exp.memory, "%s/%d.err", s->work, i), .data = (void *)(intptr_t)i });
        c->todo++;
    }
    return 0;
}

static int end(struct conductor *c)
{
    int sig = c->jobs.signal;

    if (sig) {
        if (c->terminal)
            fputc('\n', stderr);
        fprintf(stderr, "quern: sweep: interrupted; the same command goes on with what is missing\n");
        signal(sig, SIG_DFL);
        raise(sig);
    }
    finish_progress(c);
    return c->failed || c->wrote_badly;
}

int qn_sweep_run(struct qn_sweep *s)
{
    struct qn_exp *e = &s->options.exp;
    struct conductor c = { .s = s, .started = now(), .terminal = !s->options.quiet && isatty(STDERR_FILENO) };
    uint64_t limit = 0;
    int status;

    if (e->timeout.text)
        qn_exp_parse_size(e->timeout.text, &limit);
    qn_exp_init_jobs(&c.jobs, s->options.parallel, (double)limit, &c);
    c.jobs.ended = job_ended;
    c.jobs.tick = show_progress;
    status = add_jobs(&c, make_environment(e));
    if (!status) {
        if (!c.todo)
            c.wrote_badly = !write_file(s);
        qn_exp_run_jobs(&c.jobs);
        status = end(&c);
    }
    qn_exp_free_jobs(&c.jobs);
    return status;
}
