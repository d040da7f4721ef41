/* lib/json/profile.c - a profile as JSON.  The totals stand before the rows, so the file is read twice. */
#include <errno.h>
#include <string.h>

#include "json/json.h"
#include "json/write.h"
#include "prof/counts.h"
#include "prof/read.h"


static json_t *texts_of(const struct qn_prof_header *h)
{
    json_t *list = json_array();

    for (int i = 0; i < h->desc_count; i++)
        if (json_array_append_new(list, qn_json_text(h->descs[i].text)))
            return json_decref(list), NULL;
    return list;
}

static json_t *events_of(const struct qn_prof_header *h)
{
    json_t *list = json_array();

    for (int i = 0; i < h->event_count; i++)
        if (json_array_append_new(list, qn_json_text(h->events[i])))
            return json_decref(list), NULL;
    return list;
}

static json_t *counts_of(const int64_t *counts, int n)
{
    json_t *list = json_array();

    for (int i = 0; i < n; i++)
        if (json_array_append_new(list, json_integer(qn_prof_count(counts[i]))))
            return json_decref(list), NULL;
    return list;
}

static json_t *totals_of(const struct qn_prof_header *h, const int64_t *counts)
{
    json_t *all = json_object();

    for (int i = 0; i < h->event_count; i++)
        if (json_object_set_new(all, h->events[i], json_integer(qn_prof_count(counts[i]))))
            return json_decref(all), NULL;
    return all;
}

/* Up to "rows", whose list is open then. */
static bool put_head(FILE *out, const struct qn_prof_header *h, const int64_t *totals)
{
    return fprintf(out, "{\"schema\":\"quern-profile\",\"version\":%d,\"command\":", QN_JSON_VERSION) > 0 &&
           !qn_json_put(out, qn_json_text(h->cmd.text ? h->cmd.text : "")) && fputs(",\n\"descriptions\":", out) >= 0 &&
           !qn_json_put(out, texts_of(h)) && fputs(",\n\"events\":", out) >= 0 && !qn_json_put(out, events_of(h)) &&
           fputs(",\n\"totals\":", out) >= 0 && !qn_json_put(out, totals_of(h, totals));
}

struct place {
    json_t *object, *file, *function; /* NULL: none yet */
};

static bool name(json_t **which, const char *text, size_t length)
{
    char name[65536];

    snprintf(name, sizeof name, "%.*s", (int)(length < sizeof name ? length : sizeof name - 1), text);
    json_decref(*which);
    *which = qn_json_text(name);
    return *which;
}

static json_t *row_of(const struct place *p, const struct qn_prof_item *item, int events)
{
    json_t *row = json_object();

    if ((p->object && json_object_set(row, "object", p->object)) || (p->file && json_object_set(row, "file", p->file)) ||
        (p->function && json_object_set(row, "function", p->function)) || json_object_set_new(row, "line", json_integer(item->line)) ||
        json_object_set_new(row, "counts", counts_of(item->counts, events)))
        return json_decref(row), NULL;
    return row;
}

/* false: it cannot be written, or there is no memory. */
static bool put_item(FILE *out, struct place *p, const struct qn_prof_item *item, int events, bool *first)
{
    switch (item->kind) {
    case QN_PROF_OBJECT: return name(&p->object, item->name, item->length);
    case QN_PROF_FILE: return name(&p->file, item->name, item->length);
    case QN_PROF_FN: return name(&p->function, item->name, item->length);
    case QN_PROF_COUNTS:
        if (fputs(*first ? "\n" : ",\n", out) < 0)
            return false;
        *first = false;
        return !qn_json_put(out, row_of(p, item, events));
    default: return true; /* instructions are in the rows of their lines */
    }
}

static enum qn_text_status put_rows(FILE *out, struct qn_prof_reader *r, struct qn_text_error *err)
{
    struct place p = { NULL, NULL, NULL };
    struct qn_prof_item item;
    bool first = true, good = true;
    int more;

    while (good && (more = qn_prof_read_next(r, &item, err)) == 1)
        good = put_item(out, &p, &item, qn_prof_reader_header(r)->event_count, &first);
    json_decref(p.object);
    json_decref(p.file);
    json_decref(p.function);
    return good ? err->status : qn_text_fail(err, QN_TEXT_IO, "cannot write JSON: %s", strerror(errno));
}

static enum qn_text_status find_totals(const char *path, int64_t *totals, struct qn_text_error *err)
{
    struct qn_prof_reader *r = qn_prof_open_reader(path, err);
    struct qn_prof_item item;

    while (r && qn_prof_read_next(r, &item, err) == 1)
        if (item.kind == QN_PROF_SUMMARY)
            memcpy(totals, item.counts, (size_t)qn_prof_reader_header(r)->event_count * sizeof *totals);
    if (r)
        qn_prof_close_reader(r);
    return err->status;
}

enum qn_text_status qn_json_write_profile(FILE *out, const char *path, bool totals, struct qn_text_error *err)
{
    static int64_t sums[QN_PROF_EVENTS_MAX];
    struct qn_prof_reader *r;

    if (find_totals(path, sums, err) != QN_TEXT_OK || !(r = qn_prof_open_reader(path, err)))
        return err->status;
    if (!put_head(out, qn_prof_reader_header(r), sums))
        qn_text_fail(err, QN_TEXT_IO, "cannot write JSON: %s", strerror(errno));
    if (err->status == QN_TEXT_OK && !totals && fputs(",\n\"rows\":[", out) >= 0 && put_rows(out, r, err) == QN_TEXT_OK)
        fputs("\n]", out);
    qn_prof_close_reader(r);
    if (err->status == QN_TEXT_OK)
        fputs("}\n", out);
    return err->status;
}

