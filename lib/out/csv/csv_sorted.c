/*
 * Rows of a sorted profile. See csv_sorted.h.
 *
 * In:  items of prof/read.h
 * Out: rows
 *
 * Invariant: names are those that prof/merge.c and prof/table/table.c give to the same items.
 */
#include "out/csv/csv_sorted.h"

#include <string.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "base/grow.h"
#include "prof/counts.h"
#include "text/subst.h"

#define UNKNOWN "???"

/* Where the profile is: the names that count for the next line. */
struct place {
    struct qn_text_buffer object, file, function;
    int named; /* a name has come since the last line */
};

static void set(struct qn_text_buffer *to, const char *name, size_t length)
{
    to->length = 0;
    qn_text_append(to, length ? name : UNKNOWN, length ? length : strlen(UNKNOWN));
}

static void begin(struct place *p)
{
    p->named = 1;
    set(&p->object, "", 0);
    set(&p->file, "", 0);
    set(&p->function, "", 0);
}

static void free_place(struct place *p)
{
    free(p->object.text);
    free(p->file.text);
    free(p->function.text);
}

/* Counts behind fl= have no function until fn= says so; fi= and fe= keep it. */
static void take_name(struct place *p, const struct qn_prof_item *item)
{
    if (item->kind != QN_PROF_OBJECT && item->kind != QN_PROF_FILE && item->kind != QN_PROF_FN)
        return;
    p->named = 1;
    set(item->kind == QN_PROF_FILE ? &p->file : item->kind == QN_PROF_FN ? &p->function : &p->object, item->name, item->length);
    if (item->kind == QN_PROF_FILE && !item->keeps_function)
        set(&p->function, QN_PROF_UNSPECIFIED, strlen(QN_PROF_UNSPECIFIED));
}

/* The last line that was seen. */
struct last {
    struct place at;
    uint32_t line;
    int any;
};

static void copy(struct qn_text_buffer *to, const struct qn_text_buffer *from) { set(to, from->text, from->length); }

/* 1: the line comes behind the last one, which it then is. */
static int follows(struct last *last, struct place *p, uint32_t line)
{
    int order = 1;
    if (last->any && p->named) {
        order = strcmp(p->file.text, last->at.file.text);
        order = order ? order : strcmp(p->function.text, last->at.function.text);
        if (order == 0 && strcmp(p->object.text, last->at.object.text) != 0)
            return 0;
    }
    if (last->any && (order < 0 || ((order == 0 || !p->named) && line <= last->line)))
        return 0;
    if (p->named) {
        copy(&last->at.object, &p->object);
        copy(&last->at.file, &p->file);
        copy(&last->at.function, &p->function);
    }
    p->named = 0;
    last->line = line;
    return last->any = 1;
}

static int look(struct qn_prof_reader *r, int64_t *totals, int events, struct qn_text_error *err)
{
    struct place p = {0};
    struct last last = {0};
    struct qn_prof_item item;
    int sorted = 1, got = 0;
    begin(&p);
    qn_prof_clear_counts(totals, events);
    while (sorted && (got = qn_prof_read_next(r, &item, err)) > 0) {
        take_name(&p, &item);
        if (item.kind == QN_PROF_COUNTS)
            sorted = qn_prof_add_counts(totals, item.counts, events) == 0 ? follows(&last, &p, item.line) : 0;
    }
    free_place(&p);
    free_place(&last.at);
    return got < 0 ? -1 : sorted && last.any;
}

int qn_out_csv_is_sorted(const char *path, int64_t *totals, int events, struct qn_text_error *err)
{
    struct stat st;
    if (stat(path, &st) != 0 || !S_ISREG(st.st_mode) || strcmp(path, "-") == 0)
        return 0;
    struct qn_prof_reader *r = qn_prof_open_reader(path, err);
    if (!r)
        return -1;
    int sorted = qn_prof_reader_header(r)->event_count == events ? look(r, totals, events, err) : 0;
    qn_prof_close_reader(r);
    return sorted;
}

static void hand_out(struct place *p, const struct qn_prof_item *item, qn_out_csv_take *take, void *data)
{
    struct qn_prof_row row = {.object = p->object.text, .file = p->file.text, .function = p->function.text,
                              .line = item->line, .counts = item->counts};
    take(data, &row, item->counts);
}

enum qn_text_status qn_out_csv_sorted_rows(struct qn_prof_reader *r, const char *path, const int64_t *totals, qn_out_csv_take *take,
                                           void *data, struct qn_text_error *err)
{
    int events = qn_prof_reader_header(r)->event_count, got = 0;
    int64_t *sums = QN_NEEDED(malloc((size_t)events * sizeof *sums));
    struct place p = {0};
    struct qn_prof_item item;
    begin(&p);
    qn_prof_clear_counts(sums, events);
    while ((got = qn_prof_read_next(r, &item, err)) > 0) {
        take_name(&p, &item);
        if (item.kind == QN_PROF_COUNTS && qn_prof_add_counts(sums, item.counts, events) != 0)
            break;
        if (item.kind == QN_PROF_COUNTS)
            hand_out(&p, &item, take, data);
    }
    if (got > 0 || (got == 0 && memcmp(sums, totals, (size_t)events * sizeof *sums) != 0))
        qn_text_fail(err, QN_TEXT_BAD, "%s: the file has changed while it was read", path);
    free_place(&p);
    free(sums);
    return err->status;
}
