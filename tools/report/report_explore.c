/* tools/report/report_explore.c - the page of a report that one explores, beside the plain one.
 *
 * In:  the folder of a report: profile, intervals.csv, runs.csv, profile.sets.csv, before; the log of the run
 * Out: explore.html there, and explore.sources.js where not all sources find room in it (page/page.h)
 */
#define _GNU_SOURCE
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "page/log.h"
#include "page/page.h"
#include "report_tool.h"
#include "report/report.h"

#define MORE "explore.sources.js"

/* A file of the folder; NULL: it is not there. */
static const char *find(struct qn_report_options *o, const char *name)
{
    const char *path = qn_exp_format(&o->memory, "%s/%s", o->folder, name);

    return access(path, R_OK) ? NULL : path;
}

/* Not every log has tables of misses by size or set. */
static bool has_tables(const char *log)
{
    struct qn_page_log tables;
    struct qn_text_error err = { .status = QN_TEXT_OK };
    bool any = qn_page_read_log(&tables, log, &err) == QN_TEXT_OK;

    qn_page_free_log(&tables);
    return any;
}

static enum qn_text_status close_file(FILE *file, const char *path, struct qn_text_error *err)
{
    bool good = file && !ferror(file);

    if ((file && fclose(file)) || !good)
        return err->status == QN_TEXT_OK ? qn_text_fail(err, QN_TEXT_IO, "%s: %s", path, strerror(errno)) : err->status;
    return QN_TEXT_OK;
}

enum qn_text_status qn_report_explore(struct qn_report_options *o, struct qn_report_facts *facts, struct qn_text_error *err)
{
    const char *page = qn_exp_format(&o->memory, "%s/" QN_REPORT_EXPLORE, o->folder), *more = qn_exp_format(&o->memory, "%s/" MORE, o->folder);
    struct qn_page_request q = { .profile = find(o, QN_REPORT_PROFILE), .shown = o->profile ? o->profile : QN_REPORT_PROFILE, .more_name = MORE };
    FILE *out = fopen(page, "we");
    bool used = false;

    q.facts = facts;
    q.before = o->diff ? find(o, QN_REPORT_BEFORE) : NULL;
    q.shown_before = o->before;
    q.intervals = find(o, QN_REPORT_INTERVALS);
    q.runs = find(o, QN_REPORT_RUNS);
    q.culprits = find(o, QN_REPORT_CULPRITS);
    q.sharing = find(o, QN_REPORT_SHARING);
    q.sets = find(o, QN_REPORT_SETS_BY_TIME);
    q.log = o->log && has_tables(o->log) ? o->log : NULL;
    q.more = out ? fopen(more, "we") : NULL;
    if (q.more)
        qn_page_write(&q, out, err);
    used = q.more && ftell(q.more) > 0;
    if (out)
        close_file(q.more, more, err);
    close_file(out, page, err);
    if (!used)
        unlink(more);
    return err->status;
}
