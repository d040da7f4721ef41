/* lib/collect/merger.c - --merge-children: one profile, the sum of those of all processes.
 *
 *   folder          --PROFILE--> merger    a descriptor of the profile of a process that has ended
 *   main collector  --FINISH-->  merger    all processes have ended; the sum is written
 *   main collector <--result--   merger    how many processes, and their totals
 *
 * A profile is added when its process ends, so neither 2,000 files nor 2,000 profiles in memory are there at any time.  A forked process
 * begins with the counts of its parent, so its part begins at the fork (answer.c): each instruction is counted once.  If the main collector is
 * killed, the sum of those that have ended is written.  Processes that go on after the main one write profiles of their own.
 *
 * Invariant: the merger holds no descriptor of the user.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <search.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/grow.h"
#include "collect/collect.h"
#include "cost/summary.h"
#include "prof/merge.h"
#include "prof/read.h"
#include "prof/table/table.h"
#include "prof/tables/tables.h"

#define NAMED_MAX 1000 /* bytes of the programs' names in the profile */

enum kind { PROFILE, FINISH };

struct message {
    uint32_t kind;
    bool is_main; /* the profile's head is that of the sum */
};

struct answer {
    uint64_t processes;
    int64_t totals[QN_COST_COLUMNS];
    bool written;
    char why[512];
};

struct program {
    char *name;
    uint64_t processes;
};

struct sum {
    struct qn_prof_merge *merge;
    struct qn_prof_tables tables;
    void *programs; /* a tree (tsearch) of struct program */
    uint64_t processes;
    FILE *names;    /* while they are being written */
};

/* ---- adding ---- */

static int compare(const void *left, const void *right)
{
    return strcmp(((const struct program *)left)->name, ((const struct program *)right)->name);
}

static void count_program(struct sum *s, const char *command)
{
    struct program *p = QN_NEEDED(calloc(1, sizeof *p)), **found;

    p->name = QN_NEEDED(strndup(command, strcspn(command, " ")));
    found = QN_NEEDED(tsearch(p, &s->programs, compare));
    (*found)->processes++;
    if (*found != p) {
        free(p->name);
        free(p);
    }
}

static enum qn_text_status add(struct sum *s, const char *path, bool is_main, struct qn_text_error *err)
{
    struct qn_prof_reader *r = qn_prof_open_reader(path, err);
    char warning[QN_TEXT_MAX];

    if (!r)
        return err->status;
    if (qn_prof_merge_reader(s->merge, r, path, warning, sizeof warning, err) == QN_TEXT_OK) {
        if (is_main)
            qn_prof_head_merge(s->merge, qn_prof_reader_header(r));
        count_program(s, qn_prof_reader_header(r)->cmd.text);
        s->processes++;
    }
    qn_prof_close_reader(r);
    return err->status == QN_TEXT_OK ? qn_prof_sum_tables(&s->tables, QN_PROF_ALL_TABLES, path, 0, err) : err->status;
}

/* ---- writing ---- */

static void put_program(const void *node, VISIT visit, void *data)
{
    const struct program *p = *(const struct program *const *)node;
    struct sum *s = data;

    if ((visit == postorder || visit == leaf) && ftell(s->names) < NAMED_MAX)
        fprintf(s->names, ", %llu of %s", (unsigned long long)p->processes, p->name);
    else if (visit == postorder || visit == leaf)
        fputs(", ...", s->names);
}

/* "Processes: 101, 1 of sh, 100 of true" */
static void describe(struct sum *s)
{
    char *text = NULL, *more;
    size_t size;

    s->names = QN_NEEDED(open_memstream(&text, &size));
    fprintf(s->names, "Processes: %llu", (unsigned long long)s->processes);
    twalk_r(s->programs, put_program, s);
    fclose(s->names);
    more = strstr(text, ", ...");
    if (more)
        more[strlen(", ...")] = 0;
    qn_prof_describe_merge(s->merge, text);
    free(text);
}

static enum qn_text_status write_sum(void *data, const char *path, struct qn_text_error *err)
{
    struct sum *s = data;
    struct qn_prof_writer *w = qn_prof_open_writer(path, err);

    if (!w)
        return err->status;
    qn_prof_write_sorted_merge(s->merge, w);
    qn_prof_put_tables(w, &s->tables);
    return qn_prof_close_writer(w, err);
}

static void finish(struct qn_collect *r, struct sum *s, struct answer *a)
{
    struct qn_text_error err = { .status = QN_TEXT_OK };
    char left_out[QN_TEXT_MAX], *path = qn_collect_name_file(r, QN_COLLECT_PROFILE);
    struct qn_cost_event_set events;

    a->processes = s->processes;
    if (!path || !s->processes)
        return;
    qn_collect_choose_events(r, &events);
    for (int i = 0; i < events.count; i++)
        a->totals[events.which[i]] = qn_prof_table_totals(qn_prof_merge_table(s->merge))[i];
    qn_prof_finish_tables(&s->tables, left_out, sizeof left_out);
    describe(s);
    a->written = qn_collect_write_profile(r, write_sum, s, path, &err) == QN_TEXT_OK;
    snprintf(a->why, sizeof a->why, "%.*s", (int)sizeof a->why - 1, a->written ? left_out : err.text);
}

static _Noreturn void merge_all(struct qn_collect *r, int socket)
{
    struct sum s = { .merge = qn_prof_new_merge(NULL, NULL) };
    int fds[QN_COLLECT_FDS_MAX];
    struct answer a = { .written = false };
    struct message m;
    bool good = true;

    qn_collect_keep_only(&socket, 1);
    r->log.fd = r->log.errors = -1;
    while (qn_collect_receive(socket, &m, sizeof m, fds) && m.kind == PROFILE) {
        struct qn_text_error err = { .status = QN_TEXT_OK };
        char path[32];

        snprintf(path, sizeof path, "/proc/self/fd/%d", fds[0]);
        good = add(&s, path, m.is_main, &err) == QN_TEXT_OK && good;
        if (err.status != QN_TEXT_OK)
            snprintf(a.why, sizeof a.why, "%.*s", (int)sizeof a.why - 1, err.text);
        close(fds[0]);
    }
    if (good)
        finish(r, &s, &a);
    qn_collect_send(socket, &a, sizeof a, NULL, 0, 0);
    _exit(0);
}

/* ---- the collectors ---- */

void qn_collect_start_merger(struct qn_collect *r) { qn_collect_start_server(r, &r->merger, merge_all); }

bool qn_collect_give_profile(struct qn_collect *r, const char *path)
{
    const struct message m = { PROFILE, r->guest == r->root };
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    bool sent = fd >= 0 && qn_collect_send(r->merger.socket, &m, sizeof m, &fd, 1, 0);

    if (fd >= 0)
        close(fd);
    return sent;
}

bool qn_collect_finish_merge(struct qn_collect *r)
{
    const struct message m = { .kind = FINISH };
    static struct answer a;
    int fds[QN_COLLECT_FDS_MAX];
    bool answered;

    if (r->merger.socket < 0)
        return true;
    answered = qn_collect_send(r->merger.socket, &m, sizeof m, NULL, 0, 0) && qn_collect_receive(r->merger.socket, &a, sizeof a, fds);
    if (answered && !a.processes)
        return true;
    if (!answered || !a.written) {
        qn_collect_fail(r, "no profile of all processes: %s", answered ? a.why : "the process that merges has died");
        return false;
    }
    qn_collect_say(r, "Processes: %llu, all in one profile", (unsigned long long)a.processes);
    qn_collect_say(r, "%s", "");
    qn_cost_print_summary(a.totals, r->config.L2.line ? a.totals + QN_COST_I2MR : NULL, r->config.cache_sim, r->config.branch_sim, r->options.local_rates, qn_collect_put_line, r);
    if (*a.why)
        qn_collect_note(r, "--merge-children: %s", a.why);
    qn_collect_flush(r);
    return true;
}
