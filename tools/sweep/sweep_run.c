/* tools/sweep/sweep_run.c - executes the runs and updates the CSV file.
 *
 * Whenever a job has ended, the file is written again under another name and renamed, so at any moment it is complete up to the last job,
 * even if this process is killed.  Each job has files in the work folder, STEM.log, STEM.err and profiles STEM.PID, which are removed when
 * it has ended.
 */
#define _GNU_SOURCE
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cost/arena.h"
#include "text/output.h"
#include "sweep.h"
#include "../tools.h"

#define DEFAULT_PATH "PATH=/usr/local/bin:/usr/bin:/bin"
#define DEFAULT_LOCALE "LC_ALL=C"

struct conductor {
    struct qn_sweep *s;
    struct qn_exp_jobs jobs;
    char **environment;
    int todo, done, failed; /* runs of this call; failed: of all rows */
    double started;
    bool terminal, wrote_badly;
};

/* What a job is about. */
struct task {
    const struct qn_exp_group *group; /* NULL: one run */
    int run, number;                  /* number: of the group */
    const char *stem;
    bool again;                       /* it was killed once */
};

/* ---- results ---- */

bool qn_sweep_write(struct qn_sweep *s)
{
    struct qn_text_error err = { .status = QN_TEXT_OK };
    struct qn_text_table t = { 0 };

    qn_exp_fill_table(&t, &s->options.exp, &s->runs, s->provenance, s->results);
    if (qn_text_write_table(&t, s->options.output, &err) != QN_TEXT_OK)
        fprintf(stderr, "quern: sweep: %s\n", err.text);
    qn_text_free_table(&t);
    return err.status == QN_TEXT_OK;
}

static bool failed(const struct qn_exp_result *r) { return r->status && strcmp(r->status, QN_EXP_OK); }

/* ---- jobs ---- */

/* The names of files of a killed sweep, whose processes may still write them, are others. */
static const char *make_stem(struct qn_sweep *s, char kind, int number)
{
    return qn_text_format(&s->options.exp.memory, "%c%d-%d", kind, number, (int)getpid());
}

static void add_job(struct conductor *c, const struct task *task)
{
    struct qn_text_memory *m = &c->s->options.exp.memory;
    struct task *copy = qn_text_alloc(m, sizeof *copy);

    *copy = *task;
    copy->stem = task->group ? make_stem(c->s, 'g', task->number) : make_stem(c->s, 'r', task->run);
    qn_exp_add_job(&c->jobs, &(struct qn_exp_job){
        .environment = c->environment, .input = c->s->runs.at[task->run].input, .data = copy,
        .errors = qn_text_format(m, "%s/%s.err", c->s->work, copy->stem) });
}

static void add_single(struct conductor *c, int run) { add_job(c, &(struct task){ NULL, run, 0, NULL, false }); }

/* A simulator is built when the first job that needs it is due, so that others run meanwhile. */
static bool prepare_single(struct conductor *c, const struct task *task, struct qn_exp_job *job)
{
    struct qn_sweep_command command;

    if (qn_sweep_build_sim(c->s, c->s->sims[task->run])) {
        c->s->results[task->run].status = "its simulator cannot be built";
        c->done++;
        c->failed++;
        c->wrote_badly |= !qn_sweep_write(c->s);
        return false;
    }
    command = qn_sweep_single(c->s, task->run);
    command.stem = task->stem;
    job->argv = qn_sweep_command(c->s, &command);
    return true;
}

static bool prepare(void *data, struct qn_exp_job *job)
{
    struct conductor *c = data;
    const struct task *task = job->data;
    const struct qn_sweep_build *build;

    if (!task->group)
        return prepare_single(c, task, job);
    build = qn_sweep_build_many(c->s, task->group, task->number);
    if (build->engine) {
        struct qn_sweep_command command = { task->run, build->engine, build->many.options, &build->many.D1,
                                            &build->many.LL, task->stem };

        job->argv = qn_sweep_command(c->s, &command);
        return true;
    }
    for (int i = 0; i < task->group->count; i++)
        add_single(c, task->group->runs[i]);
    return false;
}

static void add_group(struct conductor *c, const struct qn_exp_group *group, int number)
{
    if (group->count > 1)
        add_job(c, &(struct task){ group, group->runs[0], number, NULL, false });
    else
        add_single(c, group->runs[0]);
}

/* An engine that ends a job with all its processes may hit the program first: what is killed is run again, once. */
static bool is_lost(struct conductor *c, const struct task *task)
{
    struct qn_exp_result *r = &c->s->results[task->run];

    if (!c->s->options.part || task->again || !r->status || strcmp(r->status, "SIGKILL"))
        return false;
    *r = (struct qn_exp_result){ .status = NULL };
    add_job(c, &(struct task){ NULL, task->run, 0, NULL, true });
    return true;
}

static void job_ended(void *data, struct qn_exp_job *job)
{
    struct conductor *c = data;
    const struct task *task = job->data;

    if (task->group && !qn_sweep_take_group(c->s, job, task->group, task->stem)) {
        for (int i = 0; i < task->group->count; i++)
            add_single(c, task->group->runs[i]);
    } else if (task->group) {
        c->done += task->group->count;
        c->failed += task->group->count * failed(&c->s->results[task->run]);
    } else {
        qn_sweep_take_single(c->s, job, task->run, task->stem);
        if (is_lost(c, task))
            return qn_sweep_remove_files(c->s, task->stem);
        c->done++;
        c->failed += failed(&c->s->results[task->run]);
    }
    qn_sweep_remove_files(c->s, task->stem);
    c->wrote_badly |= !qn_sweep_write(c->s);
}

int qn_sweep_make_groups(struct qn_sweep *s, const struct qn_exp_result *results, struct qn_exp_group ***groups)
{
    struct qn_exp *e = &s->options.exp;
    bool simulates = !(e->cache_sim.text && !strcmp(e->cache_sim.text, "no"))
                     || (e->branch_sim.text && !strcmp(e->branch_sim.text, "yes"));
    struct qn_exp_sharing sharing = { s->options.share && simulates,
                                      e->counting.text && !strcmp(e->counting.text, "cachegrind") };
    const char **options = qn_text_alloc(&e->memory, (size_t)s->runs.count * sizeof *options);

    for (int i = 0; i < s->runs.count; i++)
        options[i] = s->provenance[i].options;
    return qn_exp_make_groups(&e->memory, &s->runs, s->sims, options, results, &sharing, groups);
}

/* Of a part of a sweep: the runs of others count as done. */
static void leave_out_others(struct qn_sweep *s, struct qn_exp_result *results)
{
    int parts = s->options.parts;
    const int *part = s->options.part ? qn_sweep_find_parts(s, &parts) : NULL;

    for (int i = 0; part && i < s->runs.count; i++)
        if (part[i] != s->options.part)
            results[i].status = "another part's";
}

static void add_jobs(struct conductor *c)
{
    struct qn_sweep *s = c->s;
    struct qn_exp_result *results = qn_text_alloc(&s->options.exp.memory, (size_t)s->runs.count * sizeof *results);
    struct qn_exp_group **groups;
    int count;

    memcpy(results, s->results, (size_t)s->runs.count * sizeof *results);
    leave_out_others(s, results);
    for (int i = 0; i < s->runs.count; i++) {
        c->todo += !results[i].status;
        c->failed += failed(&s->results[i]);
    }
    count = qn_sweep_make_groups(s, results, &groups);
    for (int i = 0; i < count; i++)
        add_group(c, groups[i], i);
}

/* The programs' environment: always the same, so that their stacks are, too. */
static char **make_environment(struct qn_exp *e)
{
    size_t n = 0;
    char **list = qn_text_alloc(&e->memory, ((size_t)e->environment.count + 4) * sizeof *list);
    const char *engine = getenv(QN_ENGINE_CPU_VARIABLE);

    list[n++] = qn_text_copy(&e->memory, DEFAULT_PATH);
    list[n++] = qn_text_copy(&e->memory, DEFAULT_LOCALE);
    if (engine)
        list[n++] = qn_text_format(&e->memory, "%s=%s", QN_ENGINE_CPU_VARIABLE, engine);
    for (int i = 0; i < e->environment.count; i++) {
        const char *text = e->environment.at[i].text, *value = strchr(text, '=') ? NULL : getenv(text);

        if (strchr(text, '='))
            list[n++] = qn_text_copy(&e->memory, text);
        else if (value)
            list[n++] = qn_text_format(&e->memory, "%s=%s", text, value);
    }
    return list;
}

/* ---- progress ---- */

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
    double passed = qn_exp_now() - c->started;
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
        qn_text_complain("quern sweep: %s: %d runs, %d of them failed: see column status", c->s->options.output,
                         c->s->runs.count, c->failed);
    else
        qn_text_complain("quern sweep: %s: %d runs", c->s->options.output, c->s->runs.count);
}

/* ---- all of them ---- */

static int end(struct conductor *c)
{
    int sig = c->jobs.signal;

    if (sig) {
        if (c->terminal)
            fputc('\n', stderr);
        fprintf(stderr, "quern: sweep: interrupted; the same command goes on with what is missing\n");
        qn_text_remove_scratch(c->s->work);
        signal(sig, SIG_DFL);
        raise(sig);
    }
    finish_progress(c);
    return (c->failed && !c->s->options.part) || c->wrote_badly; /* a failed run of a part is a row for who gave it out */
}

int qn_sweep_run(struct qn_sweep *s)
{
    struct qn_exp *e = &s->options.exp;
    struct conductor c = { .s = s, .started = qn_exp_now(), .terminal = !s->options.quiet && isatty(STDERR_FILENO) };
    uint64_t limit = 0;
    int status;

    if (e->timeout.text)
        qn_exp_parse_size(e->timeout.text, &limit);
    qn_exp_init_jobs(&c.jobs, s->options.parallel, (double)limit, &c);
    c.jobs.prepare = prepare;
    c.jobs.ended = job_ended;
    c.jobs.tick = show_progress;
    c.environment = make_environment(e);
    add_jobs(&c);
    if (!c.todo)
        c.wrote_badly = !qn_sweep_write(s);
    qn_exp_run_jobs(&c.jobs);
    status = end(&c);
    qn_exp_free_jobs(&c.jobs);
    return status;
}
