/*
 * Profiles in memory. See ledger.h.
 *
 * In:  items of prof/read.h
 * Out: totals per function, a table of lines
 */
#include "prof/table/ledger.h"

#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "prof/counts.h"
#include "prof/table/functions.h"
#include "text/escape.h"
#include "text/names.h"

/* Where the reading of one profile stands. */
struct cursor {
    struct qn_prof_ledger *g;
    int negate;
    uint32_t object, file, name, fn; /* current ids */
    uint32_t insn_fn; /* in the table of instructions; QN_PROF_NO_FN: not looked up */
    struct qn_text_buffer changed, shortened; /* results of a substitution, and of a shortened name */
    int64_t *negative;           /* room for one row */
    struct qn_text_error *err;
};

void qn_prof_init_ledger(struct qn_prof_ledger *g, const struct qn_prof_ledger_options *options)
{
    memset(g, 0, sizeof *g);
    g->options = *options;
}

static void copy_escaped(const char *text, struct qn_text_buffer *out, int newline)
{
    for (; *text; text++) {
        char piece[QN_TEXT_ESCAPE_MAX + 1];
        /* A tab inside a description or command is a blank that columns may rely on. */
        size_t n = *text == '\t' ? (piece[0] = '\t', (size_t)1)
                                 : qn_text_escape_byte(piece, (unsigned char)*text);
        qn_text_append(out, piece, n);
    }
    qn_text_append(out, "\n", (size_t)newline);
}

static void add_source(struct qn_prof_ledger *g, const char *path, const struct qn_prof_header *h)
{
    struct qn_text_buffer cmd = {0}, desc = {0};
    g->sources = QN_NEEDED(realloc(g->sources, ((size_t)g->source_count + 1) * sizeof *g->sources));
    qn_text_append(&desc, "", 0);
    copy_escaped(h->cmd.text, &cmd, 0);
    for (int i = 0; i < h->desc_count; i++)
        copy_escaped(h->descs[i].text, &desc, 1);
    g->sources[g->source_count++] = (struct qn_prof_source){QN_NEEDED(strdup(path)), cmd.text, desc.text};
}

static void take_events(struct qn_prof_ledger *g, const struct qn_prof_header *h)
{
    size_t n = (size_t)h->event_count;
    g->header.events = QN_NEEDED(calloc(n, sizeof *g->header.events));
    for (size_t i = 0; i < n; i++)
        g->header.events[i] = QN_NEEDED(strdup(h->events[i]));
    g->header.event_count = (int)n;
    g->fn_totals.events = g->total.events = g->object_totals.events = (int)n;
    g->lines = qn_prof_new_table((int)n);
    g->fns = qn_prof_table_fns(g->lines);
    if (g->options.keep_insns)
        g->insns = qn_prof_new_table((int)n);
    qn_prof_new_row(&g->total);
}

static enum qn_text_status match_events(const struct qn_prof_ledger *g,
                                        const struct qn_prof_header *h, struct qn_text_error *err)
{
    int same = g->header.event_count == h->event_count;
    for (int i = 0; i < h->event_count && same; i++)
        same = strcmp(g->header.events[i], h->events[i]) == 0;
    return same ? QN_TEXT_OK : qn_text_fail(err, QN_TEXT_BAD, "events in data files don't match");
}

static uint32_t changed_name(struct cursor *c, const struct qn_text_subst *s,
                             struct qn_text_names *names, const struct qn_prof_item *item)
{
    if (!s)
        return qn_text_intern(names, item->name, item->length);
    if (qn_text_apply_subst(s, item->name, item->length, &c->changed, c->err) != 0)
        return QN_TEXT_NO_ID;
    return qn_text_intern(names, c->changed.text, c->changed.length);
}

/* Makes the function of the current file and name and its row of totals. */
static void enter_fn(struct cursor *c)
{
    struct qn_prof_ledger *g = c->g;
    c->fn = qn_prof_fn_of(g->fns, c->file, c->name, QN_TEXT_NO_ID);
    if (c->fn == g->fn_totals.count)
        qn_prof_new_row(&g->fn_totals);
}

static void keep_original(struct cursor *c, const struct qn_prof_item *item)
{
    struct qn_prof_ledger *g = c->g;
    uint32_t id = qn_text_intern(&g->originals, item->name, item->length);
    QN_MORE(g->original_of, id, g->original_room, 64);
    g->original_of[id] = c->file;
}

static enum qn_text_status take_file(struct cursor *c, const struct qn_prof_item *item)
{
    struct qn_prof_ledger *g = c->g;
    c->file = changed_name(c, g->options.mod_file, &g->fns->files, item);
    if (c->file == QN_TEXT_NO_ID)
        return c->err->status;
    if (g->options.mod_file)
        keep_original(c, item);
    c->fn = QN_TEXT_NO_ID;
    if (item->keeps_function && c->name != QN_TEXT_NO_ID)
        return QN_TEXT_OK;
    c->name = qn_text_intern(&g->fns->names, QN_PROF_UNSPECIFIED, strlen(QN_PROF_UNSPECIFIED));
    if (g->options.always_unspecified)
        enter_fn(c);
    return QN_TEXT_OK;
}

static enum qn_text_status take_fn(struct cursor *c, const struct qn_prof_item *item)
{
    struct qn_prof_ledger *g = c->g;
    if (c->file == QN_TEXT_NO_ID)
        c->file = qn_text_intern(&g->fns->files, "???", 3);
    struct qn_prof_item name = *item;
    if (g->options.shorten_inlined) {
        qn_prof_shorten_inlined(item->name, item->length, &c->shortened);
        name.name = c->shortened.text;
        name.length = c->shortened.length;
    }
    c->name = changed_name(c, g->options.mod_fn, &g->fns->names, &name);
    if (c->name == QN_TEXT_NO_ID)
        return c->err->status;
    enter_fn(c);
    return QN_TEXT_OK;
}

static void enter_object(struct cursor *c, const char *name, size_t length)
{
    struct qn_prof_ledger *g = c->g;
    c->object = length ? qn_text_intern(&g->objects, name, length) : qn_text_intern(&g->objects, "???", 3);
    if (c->object == g->object_totals.count)
        qn_prof_new_row(&g->object_totals);
}

/* The counts themselves, or their negatives where the profile is to be subtracted. */
static const int64_t *negated(struct cursor *c, const int64_t *counts)
{
    if (!c->negate)
        return counts;
    for (int i = 0; i < c->g->header.event_count; i++)
        c->negative[i] = counts[i] == QN_PROF_NONE ? QN_PROF_NONE : -counts[i];
    return c->negative;
}

static enum qn_text_status out_of_range(const struct cursor *c)
{
    return qn_text_fail(c->err, QN_TEXT_BAD, "%s: a sum of counts does not fit in 64 bits",
                        c->g->sources[c->g->source_count - 1].path);
}

static enum qn_text_status take_counts(struct cursor *c, const struct qn_prof_item *item)
{
    struct qn_prof_ledger *g = c->g;
    int events = g->header.event_count;
    const int64_t *counts = negated(c, item->counts);
    if (c->fn == QN_TEXT_NO_ID)
        enter_fn(c);
    if (qn_prof_add_counts(qn_prof_row(&g->fn_totals, c->fn), counts, events) != 0 ||
        qn_prof_add_counts(qn_prof_row(&g->object_totals, c->object), counts, events) != 0)
        return out_of_range(c);
    if (g->options.keep_lines != QN_PROF_NO_LINES &&
        qn_prof_table_add_line(g->lines, c->fn, item->line, counts, NULL) != QN_TEXT_OK)
        return out_of_range(c);
    return QN_TEXT_OK;
}

static enum qn_text_status take_insn(struct cursor *c, const struct qn_prof_item *item)
{
    struct qn_prof_ledger *g = c->g;
    if (!g->options.keep_insns)
        return QN_TEXT_OK;
    if (c->insn_fn == QN_PROF_NO_FN) {
        qn_prof_table_enter_object(g->insns, qn_text_name(&g->objects, c->object));
        c->insn_fn = qn_prof_table_fn(g->insns, qn_prof_fn_file(g->fns, c->fn),
                                      qn_prof_fn_name(g->fns, c->fn));
    }
    return qn_prof_table_add_insn(g->insns, c->insn_fn, item->line, &item->insn,
                                  negated(c, item->counts), c->err);
}

/* The reader has checked that the summary is the sum of all counts. */
static enum qn_text_status take_summary(struct cursor *c, const struct qn_prof_item *item)
{
    const int64_t *counts = negated(c, item->counts);
    if (qn_prof_add_counts(qn_prof_row(&c->g->total, 0), counts, c->g->header.event_count) != 0)
        return out_of_range(c);
    return QN_TEXT_OK;
}

static enum qn_text_status take_items(struct cursor *c, struct qn_prof_reader *r)
{
    struct qn_prof_item item;
    int got;
    while ((got = qn_prof_read_next(r, &item, c->err)) > 0) {
        enum qn_text_status status = QN_TEXT_OK;
        if (item.kind != QN_PROF_COUNTS && item.kind != QN_PROF_INSN)
            c->insn_fn = QN_PROF_NO_FN;
        switch (item.kind) {
        case QN_PROF_OBJECT: enter_object(c, item.name, item.length); break;
        case QN_PROF_FILE: status = take_file(c, &item); break;
        case QN_PROF_FN: status = take_fn(c, &item); break;
        case QN_PROF_INSN: status = take_insn(c, &item); break;
        case QN_PROF_COUNTS: status = take_counts(c, &item); break;
        case QN_PROF_SUMMARY: status = take_summary(c, &item); break;
        case QN_PROF_REGION: break;
        }
        if (status != QN_TEXT_OK)
            return status;
    }
    return got < 0 ? c->err->status : QN_TEXT_OK;
}

static enum qn_text_status read_from(struct qn_prof_ledger *g, struct qn_prof_reader *r,
                                     const char *path, int negate, struct qn_text_error *err)
{
    const struct qn_prof_header *h = qn_prof_reader_header(r);
    add_source(g, path, h);
    if (!g->header.events)
        take_events(g, h);
    else if (match_events(g, h, err) != QN_TEXT_OK)
        return err->status;
    int64_t negative[h->event_count];
    struct cursor c = {.g = g, .negate = negate, .file = QN_TEXT_NO_ID, .name = QN_TEXT_NO_ID, .fn = QN_TEXT_NO_ID,
                       .insn_fn = QN_PROF_NO_FN, .negative = negative, .err = err};
    enter_object(&c, "???", 3);
    enum qn_text_status status = take_items(&c, r);
    if (status == QN_TEXT_OK && g->options.keep_insns && !qn_prof_reader_has_insns(r))
        status = qn_text_fail(err, QN_TEXT_BAD, "%s: no counts of instructions, got counts by line, wanted "
                              "a profile of `quern run --dump-instr=yes`", path);
    free(c.changed.text);
    free(c.shortened.text);
    return status;
}

struct qn_prof_lines qn_prof_ledger_lines(const struct qn_prof_ledger *g, uint32_t owner)
{
    return qn_prof_table_lines(g->lines, g->options.keep_lines == QN_PROF_LINES_OF_FNS, owner);
}

enum qn_text_status qn_prof_read_ledger(struct qn_prof_ledger *g, const char *path, int negate,
                                        struct qn_text_error *err)
{
    struct qn_prof_reader *r = qn_prof_open_reader(path, err);
    if (!r)
        return err->status;
    enum qn_text_status status = read_from(g, r, path, negate, err);
    qn_prof_close_reader(r);
    return status;
}

void qn_prof_free_ledger(struct qn_prof_ledger *g)
{
    for (int i = 0; i < g->source_count; i++) {
        free(g->sources[i].path);
        free(g->sources[i].cmd);
        free(g->sources[i].desc);
    }
    free(g->sources);
    for (int i = 0; g->header.events && i < g->fn_totals.events; i++)
        free(g->header.events[i]);
    free(g->header.events);
    qn_prof_free_rows(&g->fn_totals);
    qn_prof_free_rows(&g->total);
    qn_prof_free_table(g->lines);
    qn_prof_free_table(g->insns);
    qn_text_free_names(&g->objects);
    qn_prof_free_rows(&g->object_totals);
    qn_text_free_names(&g->originals);
    free(g->original_of);
    memset(g, 0, sizeof *g);
}
