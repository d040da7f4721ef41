/* tools/sweep/sweep.c - `quern sweep`: programs x simulators x caches, each run a row of one CSV file.
 *
 *   quern sweep -L sim=lru,srrip -P size 1K 64K --D1=32768,8,64 -o s.csv -- ./prog arg
 *   quern sweep policies.exp                            -> policies.csv
 *
 * Everything is checked before anything runs: the experiment, each cache, each module, each program.  Rows that the file has
 * already are kept, so the same command goes on after an interruption.
 */
#define _GNU_SOURCE
#include "sweep.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../tools.h"
#include "collect/collect.h"
#include "cost/arena.h"
#include "engines/engines.h"
#include "json/json.h"
#include "text/output.h"

static int complain(const char *what, const char *why, int status)
{
    qn_text_complain("quern: sweep: %s%s%s", what, *why ? ": " : "", why);
    return status;
}

static int make_runs(struct qn_sweep *s)
{
    struct qn_collect_options none = { .cache_sim = true };
    struct qn_geometry *host = s->host;
    enum qn_collect_origin origin[QN_COLLECT_LEVELS];
    struct qn_text_error err = { .status = QN_TEXT_OK };

    if (!qn_collect_choose_geometry(&none, host, origin))
        return QN_EXIT_USAGE;
    if (!qn_sweep_take_machine(host) || !(s->options.exp.library = qn_engines_library("sweep")))
        return 1;
    if (qn_exp_make_runs(&s->options.exp, host, &s->runs, &err))
        return 0;
    return complain(err.text, "", QN_EXIT_USAGE);
}

static int find_provenance(struct qn_sweep *s)
{
    struct qn_exp *e = &s->options.exp;

    s->provenance = qn_text_alloc(&e->memory, (size_t)s->runs.count * sizeof *s->provenance);
    s->results = qn_text_alloc(&e->memory, (size_t)s->runs.count * sizeof *s->results);
    for (int i = 0; i < s->runs.count; i++) {
        struct qn_exp_provenance *p = &s->provenance[i];
        const char *fixed = s->runs.at[i].options, *own = s->sims[i]->options;

        memcpy(p->modules, s->sims[i]->module, sizeof p->modules);
        p->version = QN_VERSION;
        p->counting = e->counting.text ? e->counting.text : "exact";
        p->options = qn_text_format(&e->memory, "%s%s%s", fixed, *fixed && *own ? "," : "", own);
    }
    return qn_sweep_check_programs(s);
}

/* ---- what is there already ---- */

static int take_old_rows(struct qn_sweep *s)
{
    struct qn_text_error err = { .status = QN_TEXT_OK };
    struct qn_text_table t = { 0 };

    if (access(s->options.output, F_OK) == 0 && qn_text_read_table(&t, s->options.output, &err) == QN_TEXT_OK)
        qn_exp_take_rows(&t, s->options.output, &s->options.exp, &s->runs, s->provenance, s->results, &err);
    qn_text_free_table(&t);
    for (int i = 0; i < s->runs.count && s->options.retry; i++)
        if (s->results[i].status && strcmp(s->results[i].status, QN_EXP_OK))
            s->results[i].status = NULL;
    return err.status == QN_TEXT_OK ? 0 : complain(err.text, "", QN_EXIT_USAGE);
}

/* ---- the work folder ---- */

/* 1: we have the lock of the folder; 0: another sweep has removed the lock or the folder meanwhile; -1: errno says why not. */
static int lock_work(const struct qn_sweep *s, const char *lock)
{
    struct stat ours, there;
    int fd;

    if (mkdir(s->work, 0700) && errno != EEXIST)
        return -1;
    fd = open(lock, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    if (fd < 0)
        return errno == ENOENT ? 0 : -1;
    if (flock(fd, LOCK_EX | LOCK_NB))
        return -1;
    if (!fstat(fd, &ours) && !stat(lock, &there) && ours.st_dev == there.st_dev && ours.st_ino == there.st_ino)
        return 1;
    close(fd);
    return 0;
}

/* One sweep at a time may write a file; the lock ends with this process. */
static int make_work(struct qn_sweep *s)
{
    struct qn_text_memory *m = &s->options.exp.memory;
    struct qn_text_error err = { .status = QN_TEXT_OK };
    const char *lock;
    char folder[PATH_MAX];
    struct stat st;
    int locked;

    if (!stat(s->options.output, &st) && (S_ISFIFO(st.st_mode) || S_ISSOCK(st.st_mode)))
        return complain(s->options.output, "got a pipe, wanted a file, whose rows are read again", 1);
    if (qn_text_check_output(s->options.output, &err) != QN_TEXT_OK)
        return complain(err.text, "", 1);
    s->work = qn_text_format(m, "%s.work", s->options.output);
    lock = qn_text_format(m, "%s/lock", s->work);
    do
        locked = lock_work(s, lock);
    while (!locked);
    if (locked < 0 && errno == EWOULDBLOCK)
        return complain(s->options.output, "another sweep is writing it", 1);
    if (locked < 0 || !realpath(s->work, folder))
        return complain(s->work, strerror(errno), 1);
    s->work = qn_text_copy(m, folder);
    qn_text_watch_scratch(s->work);
    return 0;
}

/* ---- --list ---- */

static void print_word(const char *word)
{
    if (*word && !word[strspn(word, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_./=,:+%-")]) {
        fputs(word, stdout);
        return;
    }
    putchar('\'');
    for (; *word; word++)
        if (*word == '\'')
            fputs("'\\''", stdout);
        else
            putchar(*word);
    putchar('\'');
}

/* What --sim of `quern run` is for a simulator that the experiment file defines, whose name may be that of another one; else as it is. */
static const char *spell_sim(struct qn_sweep *s, const char *engine)
{
    struct qn_exp *e = &s->options.exp;
    const char *text = "";

    for (int i = 0; i < e->simulator_count; i++)
        if (!strcmp(e->simulators[i].name.text, engine))
            for (int k = 0; k < QN_EXP_SLOTS; k++)
                if (e->simulators[i].module[k].text)
                    text = qn_text_format(&e->memory, "%s%s%s=%s", text, *text ? "," : "", qn_exp_slot_names[k], e->simulators[i].module[k].text);
    return *text ? text : engine;
}

static struct qn_sweep_command single(struct qn_sweep *s, int run);

static char **qn_sweep_command(struct qn_sweep *s, const struct qn_sweep_command *c);

static int list(struct qn_sweep *s)
{
    s->work = ".";
    for (int i = 0; i < s->runs.count; i++) {
        struct qn_sweep_command command = single(s, i);
        char **argv;

        command.engine = spell_sim(s, command.engine);
        argv = qn_sweep_command(s, &command);

        fputs("quern", stdout);
        for (argv++; *argv; argv++) {
            putchar(' ');
            print_word(*argv);
        }
        if (s->runs.at[i].input) {
            fputs(" <", stdout);
            print_word(s->runs.at[i].input);
        }
        putchar('\n');
    }
    return 0;
}

static int qn_sweep_run(struct qn_sweep *s);

/* ---- all ---- */

static int sweep(struct qn_sweep *s)
{
    int status;

    if ((status = make_runs(s)) || (status = qn_sweep_find_sims(s)) || (status = find_provenance(s)))
        return status;
    if (s->options.list)
        return list(s);
    if ((status = make_work(s)))
        return status;
    if (!(status = take_old_rows(s)))
        status = s->options.on != QN_EXP_HERE ? qn_sweep_run_on(s) : qn_sweep_run(s);
    qn_text_remove_scratch(s->work);
    return status;
}

/* --json: all rows of the table, when they are there. */
static int print_json(const struct qn_sweep *s)
{
    struct qn_text_error err = { .status = QN_TEXT_OK };

    if (qn_json_write_sweep(stdout, s->options.output, &err) == QN_TEXT_OK)
        return 0;
    return qn_text_complain("quern: sweep: %s", err.text), 1;
}

int qn_tool_sweep(int argc, char **argv)
{
    static struct qn_sweep s;
    int status;

    s.options.argv = argv;
    status = qn_sweep_parse(&s.options, argc, argv);
    if (status >= 0)
        return status;
    if (!(s.self = qn_engines_own_path("sweep")))
        return 1;
    if (!s.options.parallel)
        s.options.parallel = qn_engines_count_processors();
    status = sweep(&s);
    if (s.options.json && !s.options.list && status <= 1 && !access(s.options.output, R_OK))
        status |= print_json(&s);
    qn_exp_free_runs(&s.runs);
    qn_exp_free(&s.options.exp);
    return status;
}

/* ---- makes the `quern run` command of a run, or of a group of runs ---- */

/* In the names of logs and profiles % begins a field. */
static const char *escape_percents(struct qn_text_memory *m, const char *text)
{
    char *out = qn_text_copy(m, "");

    for (const char *p; (p = strchr(text, '%')); text = p + 1)
        out = qn_text_format(m, "%s%.*s%%%%", out, (int)(p - text), text);
    return qn_text_format(m, "%s%s", out, text);
}

/* The list ends with NULL. */
static char **qn_sweep_command(struct qn_sweep *s, const struct qn_sweep_command *c)
{
    const struct qn_exp *e = &s->options.exp;
    const struct qn_exp_run *r = &s->runs.at[c->run];
    const struct qn_geometry *const geometry[] = { &r->geometry[QN_EXP_I1], c->D1, c->LL, &r->geometry[QN_EXP_L2] };
    struct qn_text_words w = { .memory = &s->options.exp.memory };
    const char *work = escape_percents(w.memory, s->work);

    qn_text_add_word(&w, "%s", s->self);
    qn_text_add_word(&w, "run");
    qn_text_add_word(&w, "--sim=%s", c->engine);
    for (int i = 0; i < QN_EXP_LEVELS; i++)
        if (geometry[i]->line)
            qn_text_add_word(&w, "--%s=%u,%u,%u", qn_exp_level_names[i], geometry[i]->size, geometry[i]->assoc, geometry[i]->line);
    qn_text_add_word(&w, "--cache-sim=%s", e->cache_sim.text ? e->cache_sim.text : "yes");
    qn_text_add_word(&w, "--branch-sim=%s", e->branch_sim.text ? e->branch_sim.text : "no");
    qn_text_add_word(&w, "--counting=%s", s->provenance[c->run].counting);
    qn_text_add_word(&w, "--seed=%llu", (unsigned long long)r->seed);
    if (*c->options)
        qn_text_add_word(&w, "--sim-opt=%s", c->options);
    qn_text_add_word(&w, "--processors=4"); /* wherever it runs */
    qn_text_add_word(&w, "--stats=yes");
    qn_text_add_word(&w, "--out-file=%s/%s", work, c->stem);
    qn_text_add_word(&w, "-q");
    qn_text_add_word(&w, "--");
    qn_text_add_words(&w, (char *const *)r->argv);
    return w.at;
}

/* For one run alone. */
static struct qn_sweep_command single(struct qn_sweep *s, int run)
{
    const struct qn_exp_run *r = &s->runs.at[run];
    const struct qn_exp_sim *sim = s->sims[run];

    return (struct qn_sweep_command){
        .run = run, .engine = sim->engine ? sim->engine : sim->text, .options = s->provenance[run].options,
        .D1 = &r->geometry[QN_EXP_D1], .LL = &r->geometry[QN_EXP_LL],
        .stem = qn_text_format(&s->options.exp.memory, "%d", run),
    };
}

/* ---- reads the files of a job in the work folder: the results of its runs ----
 *
 * A job is one run, or a group of runs that share an execution.  The results of a group are used only if the program was not killed, no
 * instruction faulted (lib/sim/many does not take back the misses of a faulting instruction) and the totals are complete; otherwise each run
 * is repeated alone.
 */

/* The totals of modules go to `results`, of the group's runs or of the one. */
static bool take_totals(struct qn_sweep *s, const char *profile, const struct qn_exp_group *group, struct qn_exp_result *results, struct qn_text_error *err)
{
    struct qn_text_memory *m = &s->options.exp.memory;
    struct qn_text_table t = { 0 };

    qn_exp_read_beside(&t, profile, "totals", err);
    for (int row = 0; row < t.row_count; row++) {
        const char *name = qn_text_cell(&t, row, qn_text_find_column(&t, "name")), *count = qn_text_cell(&t, row, qn_text_find_column(&t, "count"));

        if (!group)
            qn_exp_add_total(m, results, name, count);
        for (int i = 0; group && i < group->count; i++)
            qn_exp_take_many(m, &results[i], group, i, name, count);
    }
    qn_text_free_table(&t);
    return err->status == QN_TEXT_OK;
}

/* `all` gets the totals of the profile. */
static bool read_files(struct qn_sweep *s, const char *stem, const struct qn_exp_group *group, struct qn_exp_result *results,
                       struct qn_exp_result *all, struct qn_text_error *err)
{
    struct qn_text_memory *m = &s->options.exp.memory;
    const char *profile = qn_text_format(m, "%s/%s", s->work, stem);

    return take_totals(s, profile, group, results, err) && qn_exp_read_totals(m, all, profile, err) == QN_TEXT_OK;
}

static bool had_no_faults(struct qn_sweep *s, const char *stem)
{
    struct qn_text_error err = { .status = QN_TEXT_OK };
    struct qn_text_table t = { 0 };
    double faults = -1;

    qn_exp_read_beside(&t, qn_text_format(&s->options.exp.memory, "%s/%s", s->work, stem), "stats", &err);
    for (int row = 0; row < t.row_count; row++)
        if (!strcmp(qn_text_cell(&t, row, qn_text_find_column(&t, "name")), "faults"))
            faults = qn_text_number(&t, row, qn_text_find_column(&t, "count"));
    qn_text_free_table(&t);
    return faults == 0;
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
static void take_single(struct qn_sweep *s, const struct qn_exp_job *job, int run, const char *stem)
{
    struct qn_exp_result *result = &s->results[run];
    struct qn_text_error err = { .status = QN_TEXT_OK };

    *result = (struct qn_exp_result){ .status = describe(s, job) };
    if (has_counts(job, result->status) && !read_files(s, stem, NULL, result, result, &err))
        result->status = qn_text_copy(&s->options.exp.memory, err.text);
}

static bool take_group(struct qn_sweep *s, const struct qn_exp_job *job, const struct qn_exp_group *group, const char *stem)
{
    struct qn_text_memory *m = &s->options.exp.memory;
    struct qn_exp_result all = { .status = describe(s, job) }, *results;
    struct qn_text_error err = { .status = QN_TEXT_OK };

    results = qn_text_alloc(m, (size_t)group->count * sizeof *results);
    if (!has_counts(job, all.status) || !read_files(s, stem, group, results, &all, &err) || !had_no_faults(s, stem))
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

static void remove_files(struct qn_sweep *s, const char *stem)
{
    DIR *d = opendir(s->work);
    size_t n = strlen(stem);
    struct dirent *e;

    while (d && (e = readdir(d)))
        if (!strncmp(e->d_name, stem, n) && (!e->d_name[n] || e->d_name[n] == '.'))
            unlinkat(dirfd(d), e->d_name, 0);
    if (d)
        closedir(d);
}

/* ---- executes the runs and updates the CSV file ----
 *
 * Whenever a job has ended, the file is written again under another name and renamed, so at any moment it is complete up to the last job,
 * even if this process is killed.  Each job has files in the work folder, STEM.err, the profile STEM, those of forked children and tables, which are removed when
 * it has ended.
 */

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
    command = single(c->s, task->run);
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

    if (task->group && !take_group(c->s, job, task->group, task->stem)) {
        for (int i = 0; i < task->group->count; i++)
            add_single(c, task->group->runs[i]);
    } else if (task->group) {
        c->done += task->group->count;
        c->failed += task->group->count * failed(&c->s->results[task->run]);
    } else {
        take_single(c->s, job, task->run, task->stem);
        if (is_lost(c, task))
            return remove_files(c->s, task->stem);
        c->done++;
        c->failed += failed(&c->s->results[task->run]);
    }
    remove_files(c->s, task->stem);
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

/* Appends NAME=VALUE, or replaces that of the same name. */
static void set_variable(char **list, size_t *n, char *text)
{
    size_t i = 0, length = strcspn(text, "=") + 1;

    while (i < *n && strncmp(list[i], text, length))
        i++;
    list[i] = text;
    *n += i == *n;
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
            set_variable(list, &n, qn_text_copy(&e->memory, text));
        else if (value)
            set_variable(list, &n, qn_text_format(&e->memory, "%s=%s", text, value));
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

/* Makes all runs that have no result yet and keeps the file up to date.  The exit status. */
static int qn_sweep_run(struct qn_sweep *s)
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
