/*
 * Sums profiles. See merge.h.
 *
 * In:  items of prof/read.h
 * Out: rows of prof/table/table.h
 */
#define _GNU_SOURCE
#include "prof/merge.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "prof/provenance.h"
#include "prof/read.h"
#include "prof/region.h"
#include "prof/table/table.h"

struct qn_prof_merge {
    const struct qn_text_subst *mod_file, *mod_fn;
    struct qn_prof_table *table; /* NULL before the first profile */
    char **head;                 /* the header lines of the first profile as they stand */
    int head_count;
    char *descs;                 /* its descriptions */
    char **events;
    int event_count;
    struct qn_text_buffer file, name; /* current names, changed */
    uint32_t fn;                    /* of these; QN_PROF_NO_FN: not looked up */
};

struct qn_prof_merge *qn_prof_new_merge(const struct qn_text_subst *mod_file,
                                        const struct qn_text_subst *mod_fn)
{
    struct qn_prof_merge *m = QN_NEEDED(calloc(1, sizeof *m));
    m->mod_file = mod_file;
    m->mod_fn = mod_fn;
    return m;
}

static void free_head(struct qn_prof_merge *m)
{
    for (int i = 0; i < m->head_count; i++)
        free(m->head[i]);
    free(m->head);
    m->head_count = 0;
}

void qn_prof_free_merge(struct qn_prof_merge *m)
{
    if (!m)
        return;
    free_head(m);
    for (int i = 0; i < m->event_count; i++)
        free(m->events[i]);
    free(m->events);
    free(m->descs);
    free(m->file.text);
    free(m->name.text);
    qn_prof_free_table(m->table);
    free(m);
}

static void copy_text(char **to, int *count, const char *text) { to[(*count)++] = QN_NEEDED(strdup(text)); }

/* Turns other blanks into spaces: a tab between names would be escaped like one inside a name. */
static void use_spaces(char *text)
{
    for (; *text; text++)
        if (*text >= '\t' && *text <= '\r')
            *text = ' ';
}

void qn_prof_head_merge(struct qn_prof_merge *m, const struct qn_prof_header *h)
{
    free_head(m);
    m->head = QN_NEEDED(calloc((size_t)h->desc_count + 2, sizeof *m->head));
    for (int i = 0; i < h->desc_count; i++)
        if (!qn_prof_names_regions(h->descs[i].text)) /* which a sum does not have */
            copy_text(m->head, &m->head_count, h->descs[i].raw);
    copy_text(m->head, &m->head_count, h->cmd.raw);
    copy_text(m->head, &m->head_count, h->events_line.raw);
    use_spaces(m->head[m->head_count - 1]);
}

void qn_prof_describe_merge(struct qn_prof_merge *m, const char *text)
{
    int descs = m->head_count - 2;
    size_t size = strlen(text) + sizeof "desc: ";
    char *line = QN_NEEDED(malloc(size));

    snprintf(line, size, "desc: %s", text);
    m->head = QN_NEEDED(realloc(m->head, ((size_t)m->head_count + 1) * sizeof *m->head));
    memmove(m->head + descs + 1, m->head + descs, 2 * sizeof *m->head);
    m->head[descs] = line;
    m->head_count++;
}

static void begin(struct qn_prof_merge *m, const struct qn_prof_header *h)
{
    m->events = QN_NEEDED(calloc((size_t)h->event_count, sizeof *m->events));
    m->descs = qn_prof_join_descs(h);
    m->table = qn_prof_new_table(h->event_count);
    qn_prof_head_merge(m, h);
    for (int i = 0; i < h->event_count; i++)
        copy_text(m->events, &m->event_count, h->events[i]);
}

static enum qn_text_status check(const struct qn_prof_merge *m, const struct qn_prof_header *h,
                                 const char *path, struct qn_text_error *err)
{
    int same = m->event_count == h->event_count;
    for (int i = 0; i < h->event_count && same; i++)
        same = strcmp(m->events[i], h->events[i]) == 0;
    return same ? QN_TEXT_OK
                : qn_text_fail(err, QN_TEXT_BAD, "%s: events don't match, got `%s`, wanted `%s`", path,
                               h->events_line.raw, m->head[m->head_count - 1]);
}

static enum qn_text_status take_name(const struct qn_text_subst *s, const struct qn_prof_item *item,
                                     struct qn_text_buffer *to, struct qn_text_error *err)
{
    to->length = 0;
    if (s)
        return qn_text_apply_subst(s, item->name, item->length, to, err) == 0 ? QN_TEXT_OK
                                                                             : err->status;
    qn_text_append(to, item->name, item->length);
    return QN_TEXT_OK;
}

static enum qn_text_status take_file(struct qn_prof_merge *m, const struct qn_prof_item *item,
                                     struct qn_text_error *err)
{
    if (take_name(m->mod_file, item, &m->file, err) != QN_TEXT_OK)
        return err->status;
    if (item->keeps_function && m->name.length)
        return QN_TEXT_OK;
    m->name.length = 0;
    qn_text_append(&m->name, QN_PROF_UNSPECIFIED, strlen(QN_PROF_UNSPECIFIED));
    return QN_TEXT_OK;
}

/* The current function, looked up once. */
static uint32_t current_fn(struct qn_prof_merge *m)
{
    if (m->fn == QN_PROF_NO_FN)
        m->fn = qn_prof_table_fn(m->table, m->file.text, m->name.text);
    return m->fn;
}

static enum qn_text_status take_item(struct qn_prof_merge *m, const struct qn_prof_item *item,
                                     struct qn_text_error *err)
{
    if (item->kind == QN_PROF_OBJECT || item->kind == QN_PROF_FILE || item->kind == QN_PROF_FN)
        m->fn = QN_PROF_NO_FN;
    switch (item->kind) {
    case QN_PROF_OBJECT: qn_prof_table_enter_object(m->table, item->name); break;
    case QN_PROF_FILE: return take_file(m, item, err);
    case QN_PROF_FN: return take_name(m->mod_fn, item, &m->name, err);
    case QN_PROF_COUNTS:
        return qn_prof_table_add_line(m->table, current_fn(m), item->line, item->counts, err);
    case QN_PROF_INSN:
        return qn_prof_table_add_insn(m->table, current_fn(m), item->line, &item->insn, item->counts, err);
    case QN_PROF_SUMMARY: break;
    }
    return QN_TEXT_OK;
}

static enum qn_text_status take_items(struct qn_prof_merge *m, struct qn_prof_reader *r,
                                      struct qn_text_error *err)
{
    struct qn_prof_item item;
    int got;
    m->fn = QN_PROF_NO_FN;
    qn_prof_table_enter_object(m->table, NULL);
    while ((got = qn_prof_read_next(r, &item, err)) > 0)
        if (take_item(m, &item, err) != QN_TEXT_OK)
            return err->status;
    if (!qn_prof_reader_has_insns(r))
        qn_prof_table_hide_insns(m->table);
    return got < 0 ? err->status : QN_TEXT_OK;
}

enum qn_text_status qn_prof_merge_reader(struct qn_prof_merge *m, struct qn_prof_reader *r,
                                         const char *path, char *warning, size_t room,
                                         struct qn_text_error *err)
{
    warning[0] = '\0';
    const struct qn_prof_header *h = qn_prof_reader_header(r);
    if (!m->table)
        begin(m, h);
    else if (check(m, h, path, err) != QN_TEXT_OK)
        return err->status;
    char *descs = qn_prof_join_descs(h);
    qn_prof_differ(m->descs, descs, warning, room);
    free(descs);
    m->file.length = m->name.length = 0;
    qn_text_append(&m->file, "", 0);
    qn_text_append(&m->name, "", 0);
    return take_items(m, r, err);
}

enum qn_text_status qn_prof_merge_file(struct qn_prof_merge *m, const char *path, char *warning,
                                       size_t room, struct qn_text_error *err)
{
    warning[0] = '\0';
    struct qn_prof_reader *r = qn_prof_open_reader(path, err);
    if (!r)
        return err->status;
    enum qn_text_status status = qn_prof_merge_reader(m, r, path, warning, room, err);
    qn_prof_close_reader(r);
    return status;
}

struct qn_prof_table *qn_prof_merge_table(const struct qn_prof_merge *m)
{
    return m->table;
}

/* What follows the keyword and blanks in a line of the header. */
static const char *value(const char *line)
{
    const char *text = strchr(line, ':') + 1;
    return text + strspn(text, " \t\v\f\r");
}

/* Descriptions, the command, the events, each behind one blank. */
static void put_modern_head(const struct qn_prof_merge *m, struct qn_prof_writer *w)
{
    int descs = m->head_count - 2;
    for (int i = 0; i < descs; i++)
        qn_prof_put_desc(w, value(m->head[i]));
    qn_prof_put_cmd(w, value(m->head[descs]));
    qn_prof_put_events(w, (const char *const *)m->events, m->event_count);
}

static void put_classic_head(const struct qn_prof_merge *m, struct qn_prof_writer *w)
{
    qn_prof_set_form(w, QN_PROF_MERGED);
    qn_prof_set_events(w, m->event_count);
    for (int i = 0; i < m->head_count; i++)
        qn_prof_put_line(w, m->head[i]);
}

void qn_prof_write_sorted_merge(struct qn_prof_merge *m, struct qn_prof_writer *w)
{
    put_modern_head(m, w);
    qn_prof_table_write(m->table, w);
}

void qn_prof_write_merge(struct qn_prof_merge *m, enum qn_prof_style style, struct qn_prof_writer *w)
{
    if (style == QN_PROF_MODERN)
        qn_prof_table_keep_order(m->table);
    (style == QN_PROF_MODERN ? put_modern_head : put_classic_head)(m, w);
    qn_prof_table_write(m->table, w);
}
