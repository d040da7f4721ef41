/* tools/sweep/sweep_on.c - a sweep in parts, each a job of an engine: GNU parallel, or Slurm.
 *
 *   quern sweep --on=slurm -L sim=lru,srrip -P size 1K 64K -o s.csv -- ./prog
 *   s.csv.parts/job.sh   quern sweep ... --part=K/N -o s.csv.parts/K.csv -- ./prog, K being the job's number
 *   s.csv.parts/K.csv    the rows of part K: written whole, kept by a job that runs again
 *   s.csv                all of them, in the order that they would have anyhow
 *
 * Runs that share an execution are in one part.  Which part a run is in follows from the experiment alone, so that the same command
 * goes on wherever it, a job or a node was killed: it takes what parts are there, and gives out those that are not whole.  The
 * folder must be the same one on all nodes.  A node with another processor refuses, since programs choose their code by it.
 */
#define _GNU_SOURCE
#include <cpuid.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../tools.h"
#include "sweep.h"
#include "text/output.h"

#define LOG_LINE_BYTES 4096 /* of a job's log */
#define MACHINE "QUERN_SWEEP_MACHINE" /* of a job: the processor and the caches that the sweep began with */

static int complain(const char *what, const char *why)
{
    qn_text_complain("quern: sweep: %s: %s", what, why);
    return 1;
}

/* ---- the machine ---- */

static void name_processor(char text[64])
{
    unsigned a, b, c, d, family, extended = 0;
    char vendor[13] = "";

    __cpuid(0, a, b, c, d);
    memcpy(vendor, &b, 4), memcpy(vendor + 4, &d, 4), memcpy(vendor + 8, &c, 4);
    __cpuid(1, family, b, c, d);
    if (a >= 7)
        __cpuid_count(7, 0, a, extended, c, d);
    snprintf(text, 64, "%s-%x-%x", vendor, family, extended);
}

static void name_machine(const struct qn_geometry *g, char *text, size_t size)
{
    char processor[64];

    name_processor(processor);
    snprintf(text, size, "%s:%u,%u,%u:%u,%u,%u:%u,%u,%u", processor, g[0].size, g[0].assoc, g[0].line, g[1].size, g[1].assoc, g[1].line,
             g[2].size, g[2].assoc, g[2].line);
}

bool qn_sweep_take_machine(struct qn_geometry *g)
{
    const char *given = getenv(MACHINE);
    char processor[64];
    unsigned v[9];
    size_t n;

    if (!given)
        return true;
    name_processor(processor);
    n = strcspn(given, ":");
    if (n != strlen(processor) || strncmp(given, processor, n)) {
        qn_text_complain("quern: sweep: this node's processor is %s, wanted that of the sweep, %.*s", processor, (int)n, given);
        return false;
    }
    if (sscanf(given + n, ":%u,%u,%u:%u,%u,%u:%u,%u,%u", &v[0], &v[1], &v[2], &v[3], &v[4], &v[5], &v[6], &v[7], &v[8]) != 9) {
        complain(MACHINE, "wanted PROCESSOR:I1:D1:LL");
        return false;
    }
    for (int i = 0; i < 3; i++)
        g[i] = (struct qn_geometry){ v[3 * i], v[3 * i + 1], v[3 * i + 2] };
    return true;
}

/* ---- parts ---- */

int *qn_sweep_find_parts(struct qn_sweep *s, int *parts)
{
    struct qn_text_memory *m = &s->options.exp.memory;
    struct qn_exp_result *none = qn_text_alloc(m, (size_t)s->runs.count * sizeof *none);
    int *part = qn_text_alloc(m, (size_t)s->runs.count * sizeof *part), count;
    struct qn_exp_group **groups;

    count = qn_sweep_make_groups(s, none, &groups);
    if (!*parts)
        *parts = count < QN_EXP_FARM_PARTS_MAX ? count : QN_EXP_FARM_PARTS_MAX;
    for (int i = 0; i < count; i++)
        for (int k = 0; k < groups[i]->count; k++)
            part[groups[i]->runs[k]] = i % *parts + 1;
    return part;
}

struct engine {
    struct qn_sweep *s;
    const char *folder, *script;
    const int *part; /* by run */
    int parts;
    bool *wanted;    /* by part: it lacks a row */
    int signal;      /* that ended us, 0 = none */
};

static const char *part_file(struct engine *e, int part)
{
    return qn_text_format(&e->s->options.exp.memory, "%s/%d.csv", e->folder, part);
}

/* The rows that the parts have.  A part that cannot be read is made again: only a writer that was cut off by a full disk leaves one. */
static void take_parts(struct engine *e)
{
    struct qn_sweep *s = e->s;

    for (int part = 1; part <= e->parts; part++) {
        struct qn_text_error err = { .status = QN_TEXT_OK };
        struct qn_text_table t = { 0 };
        const char *path = part_file(e, part);

        if (access(path, F_OK))
            continue;
        if (qn_text_read_table(&t, path, &err) != QN_TEXT_OK ||
            qn_exp_take_rows(&t, path, &s->options.exp, &s->runs, s->provenance, s->results, &err) != QN_TEXT_OK) {
            qn_text_complain("quern: sweep: %s; the part is made again", err.text);
            unlink(path);
        }
        qn_text_free_table(&t);
    }
}

static int find_missing(struct engine *e)
{
    int missing = 0;

    memset(e->wanted, 0, (size_t)e->parts + 1);
    for (int i = 0; i < e->s->runs.count; i++)
        if (!e->s->results[i].status) {
            e->wanted[e->part[i]] = true;
            missing++;
        }
    return missing;
}

/* ---- the script of a job ---- */

static void write_script_to(struct engine *e, FILE *f)
{
    const char *self = e->s->self;
    char machine[160], *folder = getcwd(NULL, 0);
    char **word = e->s->options.argv;

    name_machine(e->s->host, machine, sizeof machine);
    fputs("#!/bin/sh\n# A part of a sweep; its number is the argument, or that of Slurm's array.\ncd", f);
    qn_exp_put_word(f, folder ? folder : ".");
    fputs(" || exit 1\npart=${1:-$SLURM_ARRAY_TASK_ID}\n[ -x", f);
    qn_exp_put_word(f, self);
    fputs(" ] || {\n    echo \"quern: sweep: this node, $(uname -n), has no quern:\"", f);
    qn_exp_put_word(f, self);
    fprintf(f, " >&2\n    exit 1\n}\nexec env %s=%s", MACHINE, machine);
    qn_exp_put_word(f, self);
    fputs(" sweep", f);
    for (word++; *word && strcmp(*word, "--"); word++)
        qn_exp_put_word(f, *word);
    fprintf(f, " --on=here -q -j 1 --part=\"$part/%d\" -o", e->parts);
    qn_exp_put_word(f, e->folder);
    fputs("/\"$part\".csv", f);
    for (; *word; word++)
        qn_exp_put_word(f, *word);
    putc('\n', f);
    free(folder);
}

static bool write_script(struct engine *e)
{
    struct qn_text_error err = { .status = QN_TEXT_OK };
    struct qn_text_output o;
    FILE *f;

    if (qn_text_open_output(&o, e->script, QN_TEXT_SHARED, &err) == QN_TEXT_OK && (f = qn_text_stream_output(&o))) {
        write_script_to(e, f);
        qn_text_close_output(&o, &err);
    }
    if (err.status != QN_TEXT_OK)
        complain(e->script, err.text);
    return err.status == QN_TEXT_OK;
}

/* ---- the engine ---- */

static int count_lines(const char *path)
{
    FILE *f = fopen(path, "r");
    int lines = 0, c;

    while (f && (c = getc(f)) != EOF)
        lines += c == '\n';
    if (f)
        fclose(f);
    return lines > 1 ? lines - 1 : 0; /* without the head */
}

static void show_progress(void *data)
{
    struct engine *e = data;
    int rows = 0;

    for (int part = 1; part <= e->parts; part++)
        rows += count_lines(part_file(e, part));
    fprintf(stderr, "\rquern sweep: %d of %d rows\033[K", rows, e->s->runs.count);
}

static bool run_engine(struct engine *e)
{
    const struct qn_sweep_options *o = &e->s->options;
    bool terminal = !o->quiet && isatty(STDERR_FILENO);
    struct qn_exp_farm farm = { .on = (enum qn_exp_on)o->on, .options = o->engine_option, .n_options = o->engine_options, .name = "quern-sweep",
                                .folder = e->folder, .script = e->script, .parts = e->parts, .wanted = e->wanted,
                                .jobs = o->on == QN_EXP_PARALLEL || o->parallel_given ? o->parallel : 0 };
    struct qn_exp_farm_watch watch = { .who = "sweep", .what = "rows", .cancel = o->cancel, .tick = terminal ? show_progress : NULL, .data = e };
    int status = qn_exp_run_farm(&e->s->options.exp.memory, &farm, &watch);

    if (terminal)
        fputs("\r\033[K", stderr);
    e->signal = status > 0 ? status : 0;
    return status >= 0;
}

/* ---- all ---- */

static void remove_folder(struct engine *e)
{
    for (int part = 1; part <= e->parts; part++) {
        unlink(part_file(e, part));
        unlink(qn_text_format(&e->s->options.exp.memory, "%s/%d.log", e->folder, part));
    }
    unlink(e->script);
    unlink(qn_text_format(&e->s->options.exp.memory, "%s/joblog", e->folder));
    rmdir(e->folder);
}

/* What the first of the jobs that failed said last; GNU parallel has shown it already. */
static void show_reason(struct engine *e)
{
    for (int part = 1; part <= e->parts; part++) {
        FILE *f = e->wanted[part] ? fopen(qn_text_format(&e->s->options.exp.memory, "%s/%d.log", e->folder, part), "re") : NULL;
        char line[LOG_LINE_BYTES], last[LOG_LINE_BYTES] = "";

        while (f && fgets(line, sizeof line, f))
            memcpy(last, line, sizeof last);
        if (f)
            fclose(f);
        last[strcspn(last, "\n")] = 0;
        if (*last) {
            qn_text_complain("quern: sweep: job %d: %s", part, last);
            return;
        }
    }
}

static int end(struct engine *e, int missing)
{
    struct qn_sweep *s = e->s;
    int failed = 0, status = qn_sweep_write(s) ? 0 : 1;

    for (int i = 0; i < s->runs.count; i++)
        failed += s->results[i].status && strcmp(s->results[i].status, QN_EXP_OK);
    if (!missing && !status)
        remove_folder(e);
    if (missing && !e->signal)
        show_reason(e);
    if (missing)
        qn_text_complain("quern: sweep: %s: %d of %d runs have no row; the same command goes on with them", s->options.output, missing,
                         s->runs.count);
    else if (failed)
        qn_text_complain("quern sweep: %s: %d runs, %d of them failed: see column status", s->options.output, s->runs.count, failed);
    else if (!s->options.quiet)
        qn_text_complain("quern sweep: %s: %d runs", s->options.output, s->runs.count);
    if (e->signal) {
        qn_text_remove_scratch(s->work);
        signal(e->signal, SIG_DFL);
        raise(e->signal);
    }
    return status || missing || failed;
}

static const char *make_folder(struct qn_sweep *s)
{
    const char *name = qn_text_format(&s->options.exp.memory, "%s.parts", s->options.output), *copy;
    char *own;

    if ((mkdir(name, 0777) && errno != EEXIST) || !(own = realpath(name, NULL)))
        return complain(name, strerror(errno)), NULL;
    copy = qn_text_copy(&s->options.exp.memory, own);
    free(own);
    return copy;
}

int qn_sweep_run_on(struct qn_sweep *s)
{
    struct qn_text_memory *m = &s->options.exp.memory;
    struct engine e = { .s = s, .parts = s->options.parts };
    int missing;

    e.part = qn_sweep_find_parts(s, &e.parts);
    e.wanted = qn_text_alloc(m, (size_t)e.parts + 1);
    if (!(e.folder = make_folder(s)))
        return 1;
    e.script = qn_text_format(m, "%s/job.sh", e.folder);
    take_parts(&e);
    missing = find_missing(&e);
    if (missing && !write_script(&e))
        return 1;
    for (int round = 0; round < QN_EXP_FARM_ROUNDS && missing && !e.signal; round++) {
        if (!run_engine(&e))
            break;
        take_parts(&e);
        missing = find_missing(&e);
    }
    return end(&e, missing);
}
