/* tools/lab/lab_on.c - `quern lab marks --on=parallel|slurm -o FILE`: the checks of a class as jobs.
 *
 *   FILE.parts/students    1) set -- 'ada' ;;   the names by number, in the shell's quotes, whatever is in them
 *   FILE.parts/job.sh      checks student K, K + PARTS, ...; K is its argument, or that of Slurm's array
 *   FILE.parts/K.tap       the output of a check; it is complete, or does not exist
 *
 * Checks that were lost are given out again, also if the same command is run again.  The folder is removed when all checks are done.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../tools.h"
#include "exp/farm.h"
#include "lab_tool.h"
#include "text/complain.h"

struct parts {
    struct qn_exp_memory memory;
    char *folder, *script;
    int n; /* students */
};

static bool complain(const char *what) { return qn_text_complain("quern: lab: %s: %s", what, strerror(errno)), false; }

static const char *tap_file(struct qn_exp_memory *m, const struct qn_lab_request *r, int student)
{
    return qn_exp_format(m, "%s.parts/%d.tap", r->output, student + 1);
}

bool qn_lab_take_farmed(const struct qn_lab_request *r, int student, unsigned *points)
{
    struct qn_exp_memory m = { 0 };
    FILE *tap = fopen(tap_file(&m, r, student), "re");
    bool good = tap && qn_lab_read_points(tap, points, r->lab->n_tests);
    if (tap)
        fclose(tap);
    qn_exp_free_memory(&m);
    return good;
}

/* ---- what a job is ---- */

static char *whole_path(struct qn_exp_memory *m, const char *path)
{
    char *whole = realpath(path, NULL), *copy = whole ? qn_exp_copy(m, whole) : NULL;

    free(whole);
    return copy;
}

static bool write_students(struct parts *p, char *const *students)
{
    const char *path = qn_exp_format(&p->memory, "%s/students", p->folder);
    FILE *f = fopen(path, "we");

    if (!f)
        return complain(path);
    fputs("case $line in\n", f);
    for (int i = 0; i < p->n; i++)
        fprintf(f, "%d) set --", i + 1), qn_exp_put_word(f, students[i]), fputs(" ;;\n", f);
    fputs("esac\n", f);
    return fclose(f) == 0 || complain(path);
}

static bool write_script(struct parts *p, const struct qn_lab_request *r, const char *quern, int jobs)
{
    struct qn_exp_memory *m = &p->memory;
    const char *directory = whole_path(m, r->directory), *key = r->key_file ? whole_path(m, r->key_file) : NULL;
    FILE *f = fopen(p->script, "we");

    if (!f || !directory || (r->key_file && !key))
        return complain(!f ? p->script : !directory ? r->directory : r->key_file);
    fprintf(f, "#!/bin/sh\n# Checks of lab %u; the number of the part is the argument, or that of Slurm's array.\ncd", r->lab->number);
    qn_exp_put_word(f, p->folder);
    fprintf(f, " || exit 1\nline=${1:-$SLURM_ARRAY_TASK_ID}\nwhile [ \"$line\" -le %d ]; do\n"
               "    . ./students\n    student=$1\n   ", p->n);
    qn_exp_put_word(f, quern);
    fprintf(f, " lab check --case-seed=%llu", (unsigned long long)r->seed);
    if (key) {
        fputs(" --student=\"$student\" --key-file=", f);
        qn_exp_put_word(f, key);
    }
    fprintf(f, " %u", r->lab->number);
    qn_exp_put_word(f, directory);
    fprintf(f, "/\"$student\" >\"$line.new.$$\"\n    [ $? -le 1 ] && mv \"$line.new.$$\" \"$line.tap\" || rm -f \"$line.new.$$\"\n"
               "    line=$((line + %d))\ndone\nexit 0\n", jobs);
    return fclose(f) == 0 || complain(p->script);
}

/* ---- giving them out ---- */

static int find_missing(struct parts *p, const struct qn_lab_request *r, struct qn_exp_farm *farm, bool *wanted)
{
    int missing = 0;

    memset(wanted, 0, (size_t)farm->parts + 1);
    for (int i = 0; i < p->n; i++) {
        unsigned points[QN_LAB_TESTS_MAX];

        if (!qn_lab_take_farmed(r, i, points)) {
            wanted[i % farm->parts + 1] = true;
            missing++;
        }
    }
    return missing;
}

struct progress {
    const struct qn_lab_request *request;
    int n;
};

static void show_progress(void *data)
{
    const struct progress *p = data;
    struct qn_exp_memory m = { 0 };
    int done = 0;

    for (int i = 0; i < p->n; i++)
        done += !access(tap_file(&m, p->request, i), F_OK);
    qn_exp_free_memory(&m);
    fprintf(stderr, "\rquern lab: %d of %d checked\033[K", done, p->n);
}

static bool give_out(struct parts *p, const struct qn_lab_request *r, char *const *students)
{
    struct qn_exp_farm farm = { .on = (enum qn_exp_on)r->on, .options = r->on_option, .n_options = r->on_options, .name = "quern-lab",
                                .folder = p->folder, .script = p->script,
                                .parts = p->n < QN_EXP_FARM_PARTS_MAX ? p->n : QN_EXP_FARM_PARTS_MAX };
    bool *wanted = qn_exp_alloc(&p->memory, (size_t)farm.parts + 1);
    struct progress progress = { r, p->n };
    struct qn_exp_farm_watch watch = { .who = "lab", .what = "checks", .cancel = r->cancel, .tick = isatty(2) ? show_progress : NULL, .data = &progress };
    struct qn_lab_place place;
    int status;

    farm.wanted = wanted;
    if (!qn_lab_find_place(&place) || !write_students(p, students) || !write_script(p, r, place.quern, farm.parts))
        return false;
    for (int round = 0; round < QN_EXP_FARM_ROUNDS && find_missing(p, r, &farm, wanted); round++) {
        status = qn_exp_run_farm(&p->memory, &farm, &watch);
        if (isatty(2))
            fputs("\r\033[K", stderr);
        if (status > 0)
            raise(status);
        if (status)
            return false;
    }
    return true;
}

bool qn_lab_farm_out(const struct qn_lab_request *r, char *const *students, int n)
{
    struct parts p = { .n = n };
    const char *folder;
    bool good = true;

    folder = qn_exp_format(&p.memory, "%s.parts", r->output);
    if ((mkdir(folder, 0777) && errno != EEXIST) || !(p.folder = whole_path(&p.memory, folder)))
        good = complain(folder);
    if (good) {
        p.script = qn_exp_format(&p.memory, "%s/job.sh", p.folder);
        good = !n || give_out(&p, r, students);
    }
    qn_exp_free_memory(&p.memory);
    return good;
}

void qn_lab_end_farm(const struct qn_lab_request *r, int n)
{
    static const char *const others[] = { "students", "job.sh", "joblog" };
    struct qn_exp_memory m = { 0 };

    for (int i = 0; i < n; i++) {
        unlink(tap_file(&m, r, i));
        unlink(qn_exp_format(&m, "%s.parts/%d.log", r->output, i + 1));
    }
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        unlink(qn_exp_format(&m, "%s.parts/%s", r->output, others[i]));
    rmdir(qn_exp_format(&m, "%s.parts", r->output));
    qn_exp_free_memory(&m);
}
