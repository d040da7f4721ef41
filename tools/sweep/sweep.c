/* tools/sweep/sweep.c - `quern sweep`: programs x simulators x caches, each run a row of one CSV file.
 *
 *   quern sweep -L sim=lru,srrip -P size 1K 64K --D1=32768,8,64 -o s.csv -- ./prog arg
 *   quern sweep policies.exp                            -> policies.csv
 *
 * Everything is checked before anything runs: the experiment, each cache, each module, each program.  Rows that the file has
 * already are kept, so the same command goes on after an interruption.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "text/output.h"
#include "../tools.h"
#include "collect/collect.h"
#include "engines/engines.h"
#include "json/json.h"
#include "sweep.h"

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
    if (!qn_sweep_take_machine(host))
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
    int locked;

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

static int list(struct qn_sweep *s)
{
    s->work = ".";
    for (int i = 0; i < s->runs.count; i++) {
        struct qn_sweep_command command = qn_sweep_single(s, i);
        char **argv;

        command.engine = spell_sim(s, command.engine);
        argv = qn_sweep_command(s, &command);

        fputs("quern", stdout);
        for (argv++; *argv; argv++) {
            putchar(' ');
            print_word(*argv);
        }
        putchar('\n');
    }
    return 0;
}

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
    qn_exp_free(&s.options.exp);
    return status;
}
