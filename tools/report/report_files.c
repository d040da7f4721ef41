/* tools/report/report_files.c - a report of a profile that is there already.
 *
 * In:  quern report --intervals=phases.csv -o page cachegrind.out.12
 *      quern report --diff -o page before.out after.out
 * Out: the profile and the files that belong to it, in the folder of the report
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/sendfile.h>
#include <unistd.h>

#include "../tools.h"
#include "exp/sizes.h"
#include "report_tool.h"
#include "report/report.h"
#include "text/input.h"

#define AT_ONCE (1 << 20) /* bytes */

/* 0, or 1 after a message. */
static int copy(struct qn_report_options *o, const char *from, const char *name)
{
    const char *path = qn_exp_format(&o->memory, "%s/%s", o->folder, name), *wrong = from;
    FILE *in = qn_text_open_kept(from);
    int out = -1;
    ssize_t n = in ? 1 : -1;

    if (in) {
        out = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
        wrong = path;
    }
    while (out >= 0 && (n = sendfile(out, fileno(in), NULL, AT_ONCE)) > 0)
        continue;
    if (n < 0 || out < 0)
        qn_text_complain("quern report: %s: %s", wrong, strerror(errno));
    if (in)
        fclose(in);
    if (out >= 0)
        close(out);
    return n < 0 || out < 0;
}

/* That the intervals are intervals, while they still have the name that was given.  0, or 1 after a message. */
static int check_intervals(struct qn_report_options *o)
{
    struct qn_text_error err = { .status = QN_TEXT_OK };
    struct qn_prof_reader *r = qn_prof_open_reader(o->profile, &err);
    struct qn_exp_table t = { 0 };

    if (r)
        qn_exp_read_intervals(&t, o->intervals, qn_prof_reader_header(r), &err);
    qn_exp_free_table(&t);
    qn_prof_close_reader(r);
    if (err.status != QN_TEXT_OK)
        qn_text_complain("quern report: %s", err.text);
    return err.status != QN_TEXT_OK;
}

static int check_sets(const char *path)
{
    struct qn_text_error err = { .status = QN_TEXT_OK };
    struct qn_exp_table t = { 0 };

    if (qn_exp_read_sets(&t, path, &err) != QN_TEXT_OK)
        qn_text_complain("quern report: %s", err.text);
    qn_exp_free_table(&t);
    return err.status != QN_TEXT_OK;
}

bool qn_report_take_sizes(struct qn_report_options *o, const char *log, const char *counting)
{
    struct qn_text_error err = { .status = QN_TEXT_OK };
    struct qn_exp_table t = { 0 };
    bool any;

    any = qn_exp_read_sizes(&t, log, counting, &err) == QN_TEXT_OK && t.row_count;
    if (any && qn_exp_write_table(&t, qn_exp_format(&o->memory, "%s/" QN_REPORT_RUNS, o->folder), &err) != QN_TEXT_OK)
        qn_text_complain("quern report: %s", err.text);
    qn_exp_free_table(&t);
    return any && err.status == QN_TEXT_OK;
}

int qn_report_take_files(struct qn_report_options *o)
{
    if ((o->intervals && check_intervals(o)) || (o->sets && check_sets(o->sets)))
        return 1;
    if (o->log && access(o->log, R_OK)) {
        qn_text_complain("quern report: %s: %s", o->log, strerror(errno));
        return 1;
    }
    if (o->log && !o->sizes)
        qn_report_take_sizes(o, o->log, "");
    return (o->before && copy(o, o->before, QN_REPORT_BEFORE)) || copy(o, o->profile, QN_REPORT_PROFILE) || (o->intervals && copy(o, o->intervals, QN_REPORT_INTERVALS))
           || (o->sizes && copy(o, o->sizes, QN_REPORT_RUNS)) || (o->sets && copy(o, o->sets, QN_REPORT_SETS_BY_TIME));
}
