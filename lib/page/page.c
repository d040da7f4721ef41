/* lib/page/page.c - see page.h. */
#include "page/page.h"

#include "exp/rows.h"
#include "text/csv.h"
#include "page/findings.h"
#include "page/json.h"
#include "page/log.h"
#include "page/profile.h"
#include "page/shell.h"
#include "page/sources.h"
#include "page/tables.h"
#include "prof/merge.h"
#include "report/facts.h"

struct input {
    struct qn_page_profile profile, before;
    struct qn_text_table intervals, intervals_before, runs, culprits, sets, sharing;
    struct qn_page_log log, log_before;
};

static enum qn_text_status read_input(struct input *in, const struct qn_page_request *q, struct qn_text_error *err)
{
    if (q->before && qn_prof_align(q->before, q->profile, err) != QN_TEXT_OK)
        return err->status;
    if (qn_page_read_profile(&in->profile, q->profile, q->facts ? &q->facts->profile : NULL, err) != QN_TEXT_OK)
        return err->status;
    if (q->shown)
        in->profile.shown = q->shown;
    if (q->before && qn_page_read_profile(&in->before, q->before, NULL, err) != QN_TEXT_OK)
        return err->status;
    if (q->before && q->shown_before)
        in->before.shown = q->shown_before;
    if (q->intervals && qn_exp_read_intervals(&in->intervals, q->intervals, qn_prof_reader_header(in->profile.reader), err) != QN_TEXT_OK)
        return err->status;
    if (q->intervals_before && qn_exp_read_intervals(&in->intervals_before, q->intervals_before, qn_prof_reader_header(in->before.reader), err)
                                    != QN_TEXT_OK)
        return err->status;
    if (q->runs && qn_text_read_table(&in->runs, q->runs, err) != QN_TEXT_OK)
        return err->status;
    if (q->sets && qn_exp_read_sets(&in->sets, q->sets, err) != QN_TEXT_OK)
        return err->status;
    if (q->culprits && (qn_text_read_table(&in->culprits, q->culprits, err) != QN_TEXT_OK
                        || qn_page_check_culprits(&in->culprits, q->culprits, err) != QN_TEXT_OK))
        return err->status;
    if (q->sharing && (qn_text_read_table(&in->sharing, q->sharing, err) != QN_TEXT_OK
                       || qn_page_check_sharing(&in->sharing, q->sharing, err) != QN_TEXT_OK))
        return err->status;
    if (q->log && qn_page_read_log(&in->log, q->log, err) != QN_TEXT_OK)
        return err->status;
    return q->log_before ? qn_page_read_log(&in->log_before, q->log_before, err) : QN_TEXT_OK;
}

static void put_table(FILE *out, const char *name, const struct qn_text_table *t)
{
    fprintf(out, ",\n\"%s\":", name);
    qn_page_put_table(out, t);
}

static void put_log(FILE *out, const char *name, const struct qn_page_log *log)
{
    fprintf(out, ",\n\"%s\":", name);
    qn_page_put_log(out, log);
}

static size_t count_more(const struct qn_page_profile *p)
{
    size_t count = 0;

    for (size_t i = 0; i < p->file_count; i++)
        count += p->files[i].more;
    return count;
}

/* What a report of the same files says first. */
static void put_findings(struct input *in, const struct qn_page_request *q, FILE *out)
{
    const struct qn_page_found found = { .profile = &in->profile, .intervals = &in->intervals, .runs = &in->runs, .sharing = &in->sharing,
                                         .culprits = &in->culprits, .log = q->log ? &in->log : NULL };

    if (q->facts)
        qn_page_put_findings(q->facts, out);
    else if (!q->before)
        qn_page_find(&found, out);
}

static void put_data(struct input *in, const struct qn_page_request *q, FILE *out)
{
    fputs("{\"after\":", out);
    qn_page_put_profile(&in->profile, q, q->culprits ? &in->culprits : NULL, out);
    if (q->before) {
        fputs(",\n\"before\":", out);
        qn_page_put_profile(&in->before, q, NULL, out);
    }
    if (q->intervals)
        put_table(out, "intervals", &in->intervals);
    if (q->runs)
        put_table(out, "runs", &in->runs);
    if (q->sets) {
        fputs(",\n\"sets\":", out);
        qn_page_put_sets(out, &in->sets);
    }
    if (q->sharing) {
        fputs(",\n\"sharing\":", out);
        qn_page_put_sharing(&in->sharing, out);
    }
    if (q->intervals_before)
        put_table(out, "intervalsBefore", &in->intervals_before);
    if (q->log)
        put_log(out, "log", &in->log);
    if (q->log_before)
        put_log(out, "logBefore", &in->log_before);
    if (count_more(&in->profile) + count_more(&in->before)) {
        fputs(",\n\"more\":", out);
        qn_page_put_text(out, q->more_name);
    }
    put_findings(in, q, out);
    putc('}', out);
}

enum qn_text_status qn_page_write(const struct qn_page_request *q, FILE *out, struct qn_text_error *err)
{
    struct input in = { 0 };
    size_t count = 0;

    if (read_input(&in, q, err) == QN_TEXT_OK) {
        qn_page_begin(out, qn_prof_reader_header(in.profile.reader)->cmd.text);
        qn_page_put_plain(&in.profile, out);
        qn_page_begin_data(out);
        put_data(&in, q, out);
        qn_page_end(out, QN_PAGE_EXPLORE);
        qn_page_put_more(&in.profile, q, &count);
        qn_page_put_more(&in.before, q, &count);
        qn_page_end_more(q, count);
    }
    qn_page_free_profile(&in.profile);
    qn_page_free_profile(&in.before);
    qn_text_free_table(&in.intervals);
    qn_text_free_table(&in.runs);
    qn_text_free_table(&in.culprits);
    qn_text_free_table(&in.sharing);
    qn_text_free_table(&in.sets);
    qn_page_free_log(&in.log);
    qn_page_free_log(&in.log_before);
    qn_text_free_table(&in.intervals_before);
    return err->status;
}
