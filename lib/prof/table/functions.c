/*
 * Sums rows by function. See functions.h.
 *
 * Rows of a sorted table come by file, so the part of a function that one file has is a run of rows. The parts are added up in a table
 * whose files are the objects; an array beside it has the file of each function.
 */
#define _GNU_SOURCE
#include "prof/table/functions.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "prof/counts.h"

/* ---- the short form of the name of an inlined function ----
 *
 * Names of functions may contain " at " and ", in ", too; so the last one of each is taken for the chain's.
 */

#define BEGINS " (inlined in "
#define GOES_ON ", in "
#define AT " at "

/* The last place of `what`, before `end`; NULL: none. */
static const char *find_last(const char *from, const char *end, const char *what)
{
    const char *found = NULL, *next;

    while ((next = memmem(from, (size_t)(end - from), what, strlen(what)))) {
        found = next;
        from = next + 1;
    }
    return found;
}

/* Does the name end in ":20)"? */
static int ends_in_a_line(const char *name, size_t n)
{
    size_t i = n - 1;

    while (i > 0 && isdigit((unsigned char)name[i - 1]))
        i--;
    return i < n - 1 && i > 0 && name[i - 1] == ':';
}

/* Finds the name of the function that the code is inlined in, from *outer to *end. 0: nothing is inlined. */
static int find_outer(const char *name, size_t n, const char **begin, const char **outer, const char **end)
{
    const char *last, *at;

    *begin = memmem(name, n, BEGINS, strlen(BEGINS));
    if (!*begin || name[n - 1] != ')')
        return 0;
    *begin += strlen(BEGINS);
    *end = name + n - 1;
    last = find_last(*begin, *end, GOES_ON);
    *outer = last ? last + strlen(GOES_ON) : *begin;
    at = ends_in_a_line(name, n) ? find_last(*outer, *end, AT) : NULL; /* the place of a call is not always known */
    *end = at ? at : *end;
    return 1;
}

void qn_prof_shorten_inlined(const char *name, size_t n, struct qn_text_buffer *out)
{
    const char *begin, *outer, *end;

    out->length = 0;
    if (!find_outer(name, n, &begin, &outer, &end)) {
        qn_text_append(out, name, n);
        return;
    }
    qn_text_append(out, name, (size_t)(begin - name));
    qn_text_append(out, outer, (size_t)(end - outer));
    qn_text_append(out, ")", 1);
}

void qn_prof_inlined_into(const char *name, size_t n, struct qn_text_buffer *out)
{
    const char *begin, *outer, *end;

    out->length = 0;
    if (find_outer(name, n, &begin, &outer, &end))
        qn_text_append(out, outer, (size_t)(end - outer));
    else
        qn_text_append(out, name, n);
}

struct sums {
    struct qn_prof_table *by_object;
    const char **file_of; /* by function of by_object; the names are the first table's */
    int64_t *most;        /* of the first event in that file */
    uint32_t count, file_room, most_room;
    int events;
    struct qn_text_buffer name; /* of a function that is inlined, without the calls between */
    struct qn_text_error *err;
};

static int is_unknown(const char *name)
{
    return strcmp(name, "???") == 0;
}

static int is_same_part(const struct qn_prof_row *a, const struct qn_prof_row *b)
{
    return a->file == b->file && a->function == b->function && strcmp(a->object, b->object) == 0;
}

/* The number of the function in by_object. */
static uint32_t number(struct sums *s, const struct qn_prof_row *part)
{
    /* Functions without a name are one for each file. */
    qn_prof_table_enter_object(s->by_object, is_unknown(part->function) ? part->file : NULL);
    qn_prof_shorten_inlined(part->function, strlen(part->function), &s->name);
    uint32_t fn = qn_prof_table_fn(s->by_object, part->object, s->name.text);
    if (fn < s->count)
        return fn;
    QN_MORE(s->file_of, s->count, s->file_room, 64);
    QN_MORE(s->most, s->count, s->most_room, 64);
    s->file_of[fn] = NULL;
    s->most[fn] = 0;
    s->count++;
    return fn;
}

static enum qn_text_status add_part(struct sums *s, const struct qn_prof_row *part, const int64_t *counts)
{
    uint32_t fn = number(s, part);
    int64_t much = (int64_t)qn_prof_magnitude(qn_prof_count(counts[0]));
    if (!s->file_of[fn] || much > s->most[fn]) {
        s->file_of[fn] = part->file;
        s->most[fn] = much;
    }
    return qn_prof_table_add_line(s->by_object, fn, 0, counts, s->err);
}

static enum qn_text_status add_parts(struct sums *s, const struct qn_prof_table *t)
{
    int64_t counts[s->events];
    struct qn_prof_row part = {0};
    qn_prof_clear_counts(counts, s->events);
    for (size_t i = 0; i < qn_prof_table_rows(t); i++) {
        struct qn_prof_row row = qn_prof_table_at(t, i);
        if (row.insn)
            continue;
        if (part.file && !is_same_part(&part, &row)) {
            if (add_part(s, &part, counts) != QN_TEXT_OK)
                return s->err->status;
            qn_prof_clear_counts(counts, s->events);
        }
        part = row;
        if (qn_prof_add_counts(counts, row.counts, s->events) != 0)
            return qn_text_fail(s->err, QN_TEXT_BAD, "a sum of counts does not fit in 64 bits");
    }
    return part.file ? add_part(s, &part, counts) : QN_TEXT_OK;
}

/* From by_object, whose rows are in the order in which functions were numbered, to a table with files. */
static enum qn_text_status name_files(const struct sums *s, struct qn_prof_table *out)
{
    for (size_t i = 0; i < qn_prof_table_rows(s->by_object); i++) {
        struct qn_prof_row row = qn_prof_table_at(s->by_object, i);
        qn_prof_table_enter_object(out, row.file);
        if (qn_prof_table_add(out, s->file_of[i], row.function, 0, row.counts, s->err) != QN_TEXT_OK)
            return s->err->status;
    }
    qn_prof_table_sort(out);
    return QN_TEXT_OK;
}

struct qn_prof_table *qn_prof_sum_functions(struct qn_prof_table *t, int events, struct qn_text_error *err)
{
    struct sums s = {.by_object = qn_prof_new_table(events), .events = events, .err = err};
    struct qn_prof_table *out = qn_prof_new_table(events);
    if (add_parts(&s, t) == QN_TEXT_OK && name_files(&s, out) == QN_TEXT_OK)
        err = NULL; /* done */
    qn_prof_free_table(s.by_object);
    free(s.file_of);
    free(s.most);
    free(s.name.text);
    if (!err)
        return out;
    qn_prof_free_table(out);
    return NULL;
}
