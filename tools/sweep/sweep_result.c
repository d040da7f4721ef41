/* tools/sweep/sweep_result.c - reads the files of a job in the work folder: the results of its runs.
 *
 * A job is one run, or a group of runs that share an execution.  The results of a group are used only if the program was not killed, no
 * instruction faulted (lib/sim/many does not take back the misses of a faulting instruction) and the log is complete; otherwise each run
 * is repeated alone.
 */
#define _GNU_SOURCE
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "sweep.h"

struct reading {
    struct qn_sweep *s;
    const struct qn_exp_group *group; /* NULL: one run */
    struct qn_exp_result *results;    /* of the group's runs, or of the one */
    long faults;                      /* -1: the log does not say */
};

static void read_line(void *data, const char *text)
{
    struct reading *r = data;
    struct qn_text_memory *m = &r->s->options.exp.memory;
    const char *faults = strstr(text, " signals, ");

    if (!strncmp(text, "system: ", 8) && faults)
        r->faults = atol(faults + strlen(" signals, "));
    if (!r->group)
        qn_exp_read_log_line(m, r->results, text);
    for (int i = 0; r->group && i < r->group->count; i++)
        qn_exp_read_many_line(m, &r->results[i], r->group, i, text);
}

/* Reads log and profile.  `all` gets the totals. */
static bool read_files(struct reading *r, const char *stem, struct qn_exp_result *all, struct qn_text_error *err)
{
    struct qn_text_memory *m = &r->s->options.exp.memory;
    long pid = qn_exp_read_log(qn_text_format(m, "%s/%s.log", r->s->work, stem), read_line, r);

    return qn_exp_read_totals(m, all, qn_text_format(m, "%s/%s.%ld", r->s->work, stem, pid), err) == QN_TEXT_OK;
}

static bool has_counts(const struct qn_exp_job *job, const char *status)
{
    return !job->start_errno && !job->timed_out && WIFEXITED(job->status)
           && (!strcmp(status, QN_EXP_OK) || !strncmp(status, "exit status", 11));
}

static const char *describe(struct qn_sweep *s, const struct qn_exp_job *job)
{
    struct qn_text_memory *m = &s->options.exp.memory;

    if (job->start_errno)
        return qn_text_format(m, "cannot be started: %s", strerror(job->start_errno));
    if (job->timed_out)
        return qn_text_format(m, "stopped after %s seconds", s->options.exp.timeout.text);
    return qn_exp_describe_end(m, job->status, job->errors);
}

/* A run that was killed has no counts, because its modules could not write theirs. */
void qn_sweep_take_single(struct qn_sweep *s, const struct qn_exp_job *job, int run, const char *stem)
{
    struct qn_exp_result *result = &s->results[run];
    struct reading r = { .s = s, .results = result };
    struct qn_text_error err = { .status = QN_TEXT_OK };

    *result = (struct qn_exp_result){ .status = describe(s, job) };
    if (has_counts(job, result->status) && !read_files(&r, stem, result, &err))
        result->status = qn_text_copy(&s->options.exp.memory, err.text);
}

bool qn_sweep_take_group(struct qn_sweep *s, const struct qn_exp_job *job, const struct qn_exp_group *group, const char *stem)
{
    struct qn_text_memory *m = &s->options.exp.memory;
    struct qn_exp_result all = { .status = describe(s, job) }, *results;
    struct reading r = { .s = s, .group = group, .faults = -1 };
    struct qn_text_error err = { .status = QN_TEXT_OK };

    results = r.results = qn_text_alloc(m, (size_t)group->count * sizeof *results);
    if (!has_counts(job, all.status) || !read_files(&r, stem, &all, &err) || r.faults != 0)
        return false;
    for (int i = 0; i < group->count; i++)
        if (!qn_exp_finish_many(m, &results[i], group, i, &all))
            return false;
    for (int i = 0; i < group->count; i++) {
        s->results[group->runs[i]] = results[i];
        s->results[group->runs[i]].status = all.status;
    }
    return true;
}

void qn_sweep_remove_files(struct qn_sweep *s, const char *stem)
{
    DIR *d = opendir(s->work);
    size_t n = strlen(stem);
    struct dirent *e;

    while (d && (e = readdir(d)))
        if (!strncmp(e->d_name, stem, n) && e->d_name[n] == '.')
            unlinkat(dirfd(d), e->d_name, 0);
    if (d)
        closedir(d);
}
