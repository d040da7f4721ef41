/*
 * Tables behind summaries, from files. See tables.h.
 *
 * In:  the lines behind "#calls: 2 1 0" or "#data: 2 3"
 * Out: rows; sums of those of several profiles
 */
#include "prof/tables/tables.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "prof/kind.h"
#include "prof/read.h"
#include "prof/tables/records.h"
#include "text/digits.h"
#include "text/input.h"
#include "text/source.h"

/* ---- one line ---- */

struct reading {
    const struct qn_prof_schema *s;
    void *set;
    struct qn_text_lines lines;
    struct qn_text_error *err;
    const char *before[2 * QN_PROF_LISTS_MAX]; /* by line: the text of the last one, or NULL */
    int64_t promised[QN_PROF_COUNTED_MAX];     /* numbers of rows that the head announces */
    const struct qn_prof_line *due;            /* the next line has to be this one */
};

static int bad(const struct reading *r, const char *what, const char *got, const char *wanted)
{
    qn_text_fail(r->err, QN_TEXT_BAD, "%s:%ld: %s, got `%.*s`%s%s", r->lines.path, r->lines.number, what, QN_PROF_QUOTE_MAX, got, wanted ? ", wanted " : "",
                 wanted ? wanted : "");
    return -1;
}

/* NULL: malformed, or the sum of the magnitudes of all that were read leaves 64 bits. */
static const char *take_integer(const struct reading *r, const char *text, int64_t *n)
{
    int64_t *all = r->s->all ? (int64_t *)((char *)r->set + r->s->all) : NULL;
    text = qn_text_parse_integer(text, n);
    return text && all && __builtin_add_overflow(*all, *n < 0 ? -*n : *n, all) ? NULL : text;
}

static size_t text_length(const struct qn_prof_column *c, const char *text)
{
    const char *blank = strrchr(text, ' ');
    switch (c->type) {
    case QN_COLUMN_WORD: return strcspn(text, " ");
    case QN_COLUMN_WORDS: return blank ? (size_t)(blank - text) : 0;
    case QN_COLUMN_BEFORE_TAB: return strcspn(text, "\t");
    default: return strlen(text);
    }
}

static const char *take_text(const struct reading *r, const struct qn_prof_column *c, const char *text, const char **to)
{
    size_t length = text_length(c, text), kept = length;
    const char *name = c->naming == QN_PROF_FILE_NAME ? qn_text_map_source(text, &kept) : text;
    if (c->type != QN_COLUMN_TEXT && (!length || !text[length] || (text[length] == '\t' && !text[length + 1])))
        return NULL;
    *to = qn_prof_keep_text(r->s, r->set, name, kept);
    return text + length;
}

/* The number of a row; of a part, which belongs to an object, that of a row of the object named before it. */
static const char *take_row(const struct reading *r, const struct qn_prof_column *c, const char *text, uint32_t *to)
{
    int64_t n = -1;
    const char *end = c->type == QN_COLUMN_ROW_OR_DASH && *text == '-' && text[1] == ' ' ? text + 1 : take_integer(r, text, &n);
    bool none = n == -1 && c->type != QN_COLUMN_ROW;
    *to = none ? UINT32_MAX : (uint32_t)n;
    return end && (none || (n >= 0 && n < (int64_t)qn_prof_record_count(r->s, r->set, c->of))) && (!none || *text == '-') ? end : NULL;
}

/* Takes a column; NULL: malformed. */
static const char *take_column(const struct reading *r, const struct qn_prof_column *c, const char *text, char *record, int64_t *counts)
{
    int64_t n = 0;
    switch (c->type) {
    case QN_COLUMN_WORD: case QN_COLUMN_WORDS: case QN_COLUMN_BEFORE_TAB: case QN_COLUMN_TEXT: return take_text(r, c, text, (const char **)(record + c->at));
    case QN_COLUMN_ROW: case QN_COLUMN_ROW_OR_MINUS: case QN_COLUMN_ROW_OR_DASH: return take_row(r, c, text, (uint32_t *)(record + c->at));
    case QN_COLUMN_NUMBER:
        text = take_integer(r, text, &n);
        *(uint32_t *)(record + c->at) = (uint32_t)n;
        return n >= 0 && n <= UINT32_MAX ? text : NULL;
    case QN_COLUMN_COUNTS:
        for (size_t k = 0; r->s->event(r->set, k) && text; k++)
            text = k && *text++ != ' ' ? NULL : take_integer(r, text, &counts[k]);
        return text && !*text ? text : NULL;
    default: return take_integer(r, text, (int64_t *)(record + c->at));
    }
}

/* Fills what is not in the line itself. 0, or -1: there is no row that it belongs to, or no text before it. */
static int take_context(const struct reading *r, const struct qn_prof_column *c, char *record)
{
    if (c->type == QN_COLUMN_OWNER)
        return (*(uint32_t *)(record + c->at) = (uint32_t)qn_prof_record_count(r->s, r->set, c->of) - 1) == UINT32_MAX ? -1 : 0;
    bool is_known = r->before[c->of] && (c->naming || c->type == QN_COLUMN_NEEDED_BEFORE || strcmp(r->before[c->of], QN_PROF_NOT_KNOWN) != 0);
    *(const char **)(record + c->at) = is_known ? r->before[c->of] : NULL;
    return c->type == QN_COLUMN_NEEDED_BEFORE && !r->before[c->of] ? -1 : 0;
}

/* Takes a line into a row. */
static int take_columns(const struct reading *r, const struct qn_prof_line *l, const char *line, char *record, int64_t *counts)
{
    const char *text = line;
    char separator = '\0';
    for (const struct qn_prof_column *c = l->columns; c->type; c++) {
        if (c->type == QN_COLUMN_OWNER || c->type == QN_COLUMN_BEFORE || c->type == QN_COLUMN_NEEDED_BEFORE) {
            if (take_context(r, c, record) != 0)
                return bad(r, l->alone && c->type == QN_COLUMN_OWNER ? l->alone : l->what, line, c->type == QN_COLUMN_OWNER ? l->alone_wanted : l->wanted);
            continue;
        }
        if (c->type == QN_COLUMN_EVENT && !r->s->event(r->set, (size_t)c->of)[0])
            continue;
        text = separator && *text++ != separator ? NULL : take_column(r, c, text, record, counts);
        if (!text && c->type == QN_COLUMN_COUNTS)
            return bad(r, "malformed counts", line, "a number for each of `#call-events:`");
        if (!text)
            return bad(r, l->what, line, l->wanted);
        separator = c->type == QN_COLUMN_BEFORE_TAB ? '\t' : ' ';
    }
    return *text ? bad(r, l->what, line, l->wanted) : 0;
}

/* A part belongs to an object, and stands behind it in a row. */
static bool has_foreign_part(const struct reading *r, const struct qn_prof_line *l, const char *record)
{
    for (const struct qn_prof_column *c = l->columns; c->type; c++) {
        uint32_t row = c->type == QN_COLUMN_ROW || c->type == QN_COLUMN_ROW_OR_DASH ? *(const uint32_t *)(record + c->at) : UINT32_MAX;
        const struct qn_prof_column *owner = row == UINT32_MAX ? NULL : qn_prof_line_of(r->s, c->of)->columns;
        if (owner && owner->type == QN_COLUMN_OWNER
            && *(const uint32_t *)((const char *)qn_prof_record(r->s, r->set, c->of, row) + owner->at) != *(const uint32_t *)(record + c[-1].at))
            return true;
    }
    return false;
}

/* A line about the last row of its list, or about the set. */
static int take_more(struct reading *r, const struct qn_prof_line *l, const char *text)
{
    size_t count = l->list == QN_PROF_SET ? 1 : qn_prof_record_count(r->s, r->set, l->list);
    if (!count || (l->missing && r->due != l))
        return bad(r, l->alone, text, l->alone_wanted);
    r->due = NULL;
    if (l->list == QN_PROF_SET)
        return take_columns(r, l, text, r->set, NULL);
    return take_columns(r, l, text, qn_prof_record(r->s, r->set, l->list, count - 1), qn_prof_record_counts(r->s, r->set, l->list, count - 1));
}

static int add_row(struct reading *r, const struct qn_prof_line *l, const char *text)
{
    size_t events = qn_prof_event_count(r->s, r->set);
    int64_t *counts = QN_NEEDED(calloc(events + 1, sizeof *counts));
    char *record = QN_NEEDED(calloc(1, r->s->lists[l->list].size));
    const struct qn_prof_column *first = l->columns;
    int failed = take_columns(r, l, text, record, counts);
    if (!failed && has_foreign_part(r, l, record))
        failed = bad(r, "a part of another object", text, NULL);
    if (!failed) {
        const char **before = (const char **)(record + first->at);
        if (first->type == QN_COLUMN_BEFORE && !*before && r->s->usual)
            *before = r->s->usual(r->set, l->list, record);
        uint32_t id = qn_prof_add_record(r->s, r->set, l->list, record);
        if (r->s->lists[l->list].counts)
            memcpy(qn_prof_record_counts(r->s, r->set, l->list, id), counts, events * sizeof *counts);
        r->due = l[1].missing ? l + 1 : NULL;
    }
    free(record);
    free(counts);
    return failed;
}

static int take_line_of(struct reading *r, const struct qn_prof_line *l, const char *text)
{
    size_t length = strlen(text);
    const char *name = l->columns[0].naming == QN_PROF_FILE_NAME ? qn_text_map_source(text, &length) : text;
    if (l->list != QN_PROF_TEXT_ONLY)
        return l->more ? take_more(r, l, text) : add_row(r, l, text);
    r->before[l - r->s->lines] = qn_prof_keep_text(r->s, r->set, name, length);
    return 0;
}

/* Takes one line of the tables, without its "#". 1: the tables have ended before it. */
static int take_line(struct reading *r, char *text)
{
    char *colon = strstr(text, ": "), got[QN_PROF_QUOTE_MAX + 1], message[QN_PROF_QUOTE_MAX];
    const struct qn_prof_line *l = r->s->lines;
    const char *what, *wanted;
    if (!colon)
        return 1;
    snprintf(got, sizeof got, "%s", text);
    *colon = '\0';
    while (l->key && strcmp(text, l->key) != 0)
        l++;
    if (r->due && l != r->due) {
        snprintf(message, sizeof message, "`#%s:` behind `#%s:`", r->due->key, r->due[-1].key);
        return bad(r, r->due->missing, got, message);
    }
    if (strcmp(text, r->s->events_key) == 0)
        return r->s->take_events(r->set, colon + 2, &what, &wanted) == 0 ? 0 : bad(r, what, colon + 2, wanted);
    if (!l->key)
        return 1;
    if (r->s->needs_events && !r->s->event(r->set, 0))
        return bad(r, "calls without their events", got, "`#call-events:` first");
    return take_line_of(r, l, colon + 2);
}

/* ---- the file ---- */

static int take_head(struct reading *r, const char *text)
{
    const char *at = text;
    for (int i = 0; r->s->counted[i] != QN_PROF_SET && at; i++) {
        at = i && *at++ != ' ' ? NULL : qn_text_parse_integer(at, &r->promised[i]);
        if (at && r->promised[i] < (i == 0))
            at = NULL;
    }
    return at && !*at ? 1 : bad(r, r->s->head_what, text - strlen(r->s->name) - strlen("#: "), r->s->head_wanted);
}

/* Reads up to and with the head. 0: there is none. */
static int find_tables(struct reading *r)
{
    char *text;
    size_t length, n = strlen(r->s->name);
    int got;
    while ((got = qn_text_next_line(&r->lines, &text, &length, r->err)) > 0) {
        if (strncmp(text, "#regions: ", 10) == 0)
            return 0; /* of which each has a summary of its own, and no tables */
        if (text[0] == '#' && strncmp(text + 1, r->s->name, n) == 0 && strncmp(text + 1 + n, ": ", 2) == 0)
            return take_head(r, text + n + 3);
    }
    return got;
}

static int check_complete(const struct reading *r)
{
    if (r->due)
        return bad(r, "cut short", "the end of the calls", "`#inclusive:` behind `#fn:`");
    for (int i = 0; r->s->counted[i] != QN_PROF_SET; i++) {
        size_t got = qn_prof_record_count(r->s, r->set, r->s->counted[i]);
        if ((int64_t)got != r->promised[i]) {
            qn_text_fail(r->err, QN_TEXT_BAD, "%s:%ld: the tables of %s are not whole, got %zu %s, wanted %lld", r->lines.path, r->lines.number,
                         r->s->name, got, r->s->lists[r->s->counted[i]].rows_name, (long long)r->promised[i]);
            return -1;
        }
    }
    return 0;
}

static int read_lines(struct reading *r)
{
    char *text;
    size_t length;
    int got = find_tables(r), taken = 0;
    if (got <= 0)
        return got;
    if (r->s->of_whole_run && qn_prof_chosen_region()) {
        qn_text_fail(r->err, QN_TEXT_BAD, "%s:%ld: %s are not told apart by region, got region `%s`, wanted none", r->lines.path, r->lines.number,
                     r->s->name, qn_prof_chosen_region());
        return -1;
    }
    while (!taken && (got = qn_text_next_line(&r->lines, &text, &length, r->err)) != 0) {
        if (got < 0)
            return -1;
        if (strlen(text) != length)
            return bad(r, "malformed line", text, "text without NUL bytes");
        taken = text[0] == '#' ? take_line(r, text + 1) : bad(r, "text behind the summary", text, "the end of the file");
    }
    return taken < 0 ? -1 : check_complete(r);
}

/* `set` is all 0.  If it fails, its caller frees what was read. */
static enum qn_text_status read_set(const struct qn_prof_schema *s, void *set, const char *path, struct qn_text_error *err)
{
    struct reading r = {.s = s, .set = set, .err = err};
    if (qn_prof_open_lines(&r.lines, path, err) != QN_TEXT_OK)
        return err->status;
    read_lines(&r);
    qn_text_close_lines(&r.lines);
    return err->status;
}

enum qn_text_status qn_prof_read_calls(const char *path, struct qn_prof_calls *calls, struct qn_text_error *err)
{
    *calls = (struct qn_prof_calls){0};
    if (read_set(&qn_prof_calls_schema, calls, path, err) != QN_TEXT_OK)
        qn_prof_free_calls(calls);
    return err->status;
}

enum qn_text_status qn_prof_read_data(const char *path, struct qn_prof_data *data, struct qn_text_error *err)
{
    *data = (struct qn_prof_data){.classes = false};
    if (read_set(&qn_prof_data_schema, data, path, err) != QN_TEXT_OK)
        qn_prof_free_data(data);
    return err->status;
}

/* ---- sums ---- */

/* Reads the tables of calls; if a region was chosen, only finds out whether there are any. */
static enum qn_text_status read_calls(struct qn_prof_tables *t, struct qn_prof_calls *from, const char *path, struct qn_text_error *err)
{
    struct qn_text_error refused = {.status = QN_TEXT_OK};
    if (!qn_prof_chosen_region())
        return qn_prof_read_calls(path, from, err);
    if (qn_prof_read_calls(path, from, &refused) == QN_TEXT_BAD && !t->of_region)
        t->of_region = path;
    return QN_TEXT_OK;
}

static enum qn_text_status sum_calls(struct qn_prof_tables *t, const char *path, int sign, struct qn_text_error *err)
{
    struct qn_prof_calls from = {0};
    t->inputs++;
    if (read_calls(t, &from, path, err) != QN_TEXT_OK)
        return err->status;
    t->with_calls += from.fn_count > 0;
    t->with_nodes += from.node_count > 0;
    if (!t->without_calls && !from.fn_count)
        t->without_calls = path;
    if (!t->without_nodes && !from.node_count)
        t->without_nodes = path;
    if (from.fn_count)
        qn_prof_sum_records(&qn_prof_calls_schema, &t->calls, &from, sign, t->mod_file, t->mod_fn, path, err);
    qn_prof_free_calls(&from);
    return err->status;
}

static enum qn_text_status sum_data(struct qn_prof_tables *t, const char *path, int sign, struct qn_text_error *err)
{
    struct qn_prof_data from;
    if (qn_prof_read_data(path, &from, err) == QN_TEXT_OK)
        qn_prof_sum_records(&qn_prof_data_schema, &t->data, &from, sign, t->mod_file, t->mod_fn, path, err);
    qn_prof_free_data(&from);
    return err->status;
}

enum qn_text_status qn_prof_sum_tables(struct qn_prof_tables *t, enum qn_prof_which_tables which, const char *path, int negate,
                                       struct qn_text_error *err)
{
    int sign = negate ? -1 : 1;
    enum qn_text_status status = which == QN_PROF_DATA_ONLY ? QN_TEXT_OK : sum_calls(t, path, sign, err);
    return status == QN_TEXT_OK && which != QN_PROF_CALLS_ONLY ? sum_data(t, path, sign, err) : status;
}

void qn_prof_finish_tables(struct qn_prof_tables *t, char *left_out, size_t room)
{
    int calls = t->with_calls && t->with_calls < t->inputs, nodes = t->with_nodes && t->with_nodes < t->inputs;
    left_out[0] = '\0';
    if (t->of_region)
        snprintf(left_out, room, "calls are left out: those of %.512s are not told apart by region", t->of_region);
    if (calls || nodes)
        snprintf(left_out, room, "%s left out: %.512s has none", calls ? "calls are" : "paths of calls are",
                 calls ? t->without_calls : t->without_nodes);
    if (nodes)
        t->calls.node_count = 0;
    if (calls)
        t->calls.fn_count = t->calls.edge_count = 0;
    for (int list = QN_PROF_MEMBERS; list <= QN_PROF_MISSES; list++)
        qn_prof_sort_records(&qn_prof_data_schema, &t->data, list);
}

void qn_prof_put_tables(struct qn_prof_writer *w, struct qn_prof_tables *t)
{
    qn_prof_put_calls(w, &t->calls);
    qn_prof_put_data(w, &t->data);
}

void qn_prof_free_tables(struct qn_prof_tables *t)
{
    qn_prof_free_calls(&t->calls);
    qn_prof_free_data(&t->data);
}
