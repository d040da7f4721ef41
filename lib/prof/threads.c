/* lib/prof/threads.c - what each thread has counted: the sums of its regions. See read.h.
 *
 * In:  #region: thread 1 ... #summary: 30 2, #region: thread 1/solve ... #summary: 5 1
 * Out: {1, {35, 3}}
 */
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "prof/counts.h"
#include "prof/read.h"
#include "text/digits.h"

static int64_t *thread_counts(struct qn_prof_threads *t, uint32_t number)
{
    for (size_t i = 0; i < t->count; i++)
        if (t->list[i].number == number)
            return t->list[i].counts;
    QN_MORE(t->list, t->count, t->room, 16);
    t->list[t->count] = (struct qn_prof_thread){number, QN_NEEDED(calloc((size_t)t->events, sizeof(int64_t)))};
    return t->list[t->count++].counts;
}

static enum qn_text_status add_thread(struct qn_prof_threads *t, const struct qn_prof_item *item, int negate, struct qn_text_error *err)
{
    const size_t n = sizeof QN_PROF_THREAD - 1;
    uint64_t number;
    if (item->kind != QN_PROF_REGION || strncmp(item->name, QN_PROF_THREAD, n) != 0)
        return QN_TEXT_OK;
    const char *end = qn_text_parse_digits(item->name + n, UINT32_MAX, &number);
    if (!end || (*end != '\0' && *end != '/'))
        return QN_TEXT_OK;
    int64_t *sum = thread_counts(t, (uint32_t)number);
    for (int e = 0; e < t->events; e++)
        if (negate ? __builtin_sub_overflow(sum[e], qn_prof_count(item->counts[e]), &sum[e])
                   : __builtin_add_overflow(sum[e], qn_prof_count(item->counts[e]), &sum[e]))
            return qn_text_fail(err, QN_TEXT_BAD, "a sum of counts does not fit in 64 bits");
    return QN_TEXT_OK;
}

enum qn_text_status qn_prof_read_threads(struct qn_prof_threads *t, const char *path, int negate, struct qn_text_error *err)
{
    struct qn_prof_item item;
    size_t before = t->count;
    if (strcmp(path, "-") == 0)
        return qn_text_fail(err, QN_TEXT_BAD, "-: threads are read after the profile, which standard input has only once");
    struct qn_prof_reader *r = qn_prof_open_regions(path, err);
    if (!r)
        return err->status;
    t->events = qn_prof_reader_header(r)->event_count;
    while (err->status == QN_TEXT_OK && qn_prof_read_next(r, &item, err) > 0)
        add_thread(t, &item, negate, err);
    qn_prof_close_reader(r);
    if (err->status == QN_TEXT_OK && t->count == before && !before)
        qn_text_fail(err, QN_TEXT_BAD, "%s: counts by thread are not known; `quern run --separate-threads=yes` writes them into the profile", path);
    return err->status;
}

int64_t *qn_prof_threads_rest(const struct qn_prof_threads *t, const int64_t *totals)
{
    int64_t *rest = QN_NEEDED(calloc((size_t)t->events, sizeof *rest)), any = 0;
    for (int e = 0; e < t->events; e++) {
        rest[e] = qn_prof_count(totals[e]);
        for (size_t i = 0; i < t->count; i++)
            rest[e] -= t->list[i].counts[e];
        any |= rest[e];
    }
    if (any)
        return rest;
    free(rest);
    return NULL;
}

void qn_prof_free_threads(struct qn_prof_threads *t)
{
    for (size_t i = 0; i < t->count; i++)
        free(t->list[i].counts);
    free(t->list);
}
