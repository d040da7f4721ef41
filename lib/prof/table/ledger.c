/*
 * Profiles in memory. See ledger.h.
 *
 * In:  items of prof/read.h
 * Out: totals per function, a line log per file
 */
#include "prof/table/ledger.h"

#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "prof/counts.h"
#include "prof/table/functions.h"
#include "text/escape.h"
#include "text/names.h"

/* ---- the log of lines ----
 *
 * In:  (file 0, line 12, {3, 0, 1}), (file 0, line 13, {1, 0, 0})
 * Out: bytes 18 05 06 02 | 02 01 02   (zigzag: 12 -> 0x18, mask 101, 3 -> 06, 1 -> 02; +1 -> 02 ...)
 */

enum { VARINT_MAX = 10, GROUP = 8 };

struct qn_prof_log_piece {
    struct qn_prof_log_piece *older;
    uint8_t bytes[];
};

static inline uint64_t zigzag(int64_t v)
{
    return (uint64_t)v << 1 ^ (uint64_t)(v >> 63);
}

static inline int64_t unzigzag(uint64_t v)
{
    return (int64_t)(v >> 1 ^ (0 - (v & 1)));
}

static inline uint8_t *put_varint(uint8_t *p, uint64_t v)
{
    for (; v >= 0x80; v >>= 7)
        *p++ = (uint8_t)(v | 0x80);
    *p++ = (uint8_t)v;
    return p;
}

static inline const uint8_t *get_varint(const uint8_t *p, uint64_t *out)
{
    uint64_t v = *p & 0x7f;
    for (int shift = 7; *p++ & 0x80; shift += 7)
        v |= (uint64_t)(*p & 0x7f) << shift;
    *out = v;
    return p;
}

static uint8_t *put_counts(uint8_t *p, const int64_t *counts, int events)
{
    for (int base = 0; base < events; base += GROUP) {
        uint8_t *mask = p++;
        *mask = 0;
        for (int i = 0; i < GROUP && base + i < events; i++)
            if (counts[base + i] != 0) {
                *mask |= (uint8_t)(1u << i);
                p = put_varint(p, zigzag(counts[base + i]));
            }
    }
    return p;
}

/* Decodes into `counts`, or only passes over them where it is NULL. */
static const uint8_t *get_counts(const uint8_t *p, int64_t *counts, int events)
{
    for (int base = 0; base < events; base += GROUP) {
        unsigned mask = *p++;
        for (int i = 0; i < GROUP && base + i < events; i++) {
            uint64_t v = 0;
            if (mask >> i & 1)
                p = get_varint(p, &v);
            if (counts)
                counts[base + i] = unzigzag(v);
        }
    }
    return p;
}

static size_t record_max(const struct qn_prof_log *log)
{
    size_t events = (size_t)log->events;
    return VARINT_MAX * (events + 1) + events / GROUP + 1;
}

static void add_log_piece(struct qn_prof_log *log)
{
    struct qn_prof_log_piece *piece = QN_NEEDED(malloc(sizeof *piece + QN_PROF_LOG_BYTES));
    piece->older = log->pieces;
    log->pieces = piece;
    log->at = piece->bytes;
    log->limit = piece->bytes + QN_PROF_LOG_BYTES;
}

static void know_file(struct qn_prof_log *log, uint32_t file)
{
    for (uint32_t known = log->file_room; file >= log->file_room;) {
        QN_MORE(log->files, log->file_room, log->file_room, QN_TEXT_ROOM);
        for (; known < log->file_room; known++)
            log->files[known] = (struct qn_prof_log_file){QN_TEXT_NO_ID, QN_TEXT_NO_ID, 0};
    }
}

static void open_segment(struct qn_prof_log *log, uint32_t file)
{
    know_file(log, file);
    QN_MORE(log->segments, log->segment_count, log->segment_room, QN_TEXT_ROOM);
    uint32_t id = log->segment_count++;
    struct qn_prof_log_file *f = &log->files[file];
    if (f->last == QN_TEXT_NO_ID)
        f->first = id;
    else
        log->segments[f->last].next = id;
    f->last = id;
    log->segments[id] = (struct qn_prof_segment){log->at, 0, file, QN_TEXT_NO_ID};
    log->last_line = 0;
}

void qn_prof_log_add(struct qn_prof_log *log, uint32_t file, uint32_t line, const int64_t *counts)
{
    int full = (size_t)(log->limit - log->at) < record_max(log);
    if (full)
        add_log_piece(log);
    int fits = !full && log->segment_count > 0 && log->segments[log->segment_count - 1].file == file;
    if (!fits)
        open_segment(log, file);
    uint8_t *p = put_varint(log->at, zigzag((int64_t)line - (int64_t)log->last_line));
    log->at = put_counts(p, counts, log->events);
    log->last_line = line;
    log->segments[log->segment_count - 1].records++;
    log->files[file].records++;
}

static size_t gather_segment(const struct qn_prof_log *log, const struct qn_prof_segment *s,
                             struct qn_text_key *keys)
{
    const uint8_t *p = s->start;
    int64_t line = 0;
    for (uint32_t i = 0; i < s->records; i++) {
        uint64_t step;
        p = get_varint(p, &step);
        line += unzigzag(step);
        keys[i] = (struct qn_text_key){(uint64_t)line, (uint64_t)(uintptr_t)p};
        p = get_counts(p, NULL, log->events);
    }
    return s->records;
}

void qn_prof_log_gather(const struct qn_prof_log *log, uint32_t file,
                        struct qn_prof_log_lines *lines)
{
    memset(lines, 0, sizeof *lines);
    lines->log = log;
    if (file >= log->file_room)
        return;
    const struct qn_prof_log_file *f = &log->files[file];
    lines->keys = QN_NEEDED(malloc((f->records + (size_t)1) * sizeof *lines->keys));
    for (uint32_t s = f->first; s != QN_TEXT_NO_ID; s = log->segments[s].next)
        lines->count += gather_segment(log, &log->segments[s], lines->keys + lines->count);
    qn_text_sort_keys(lines->keys, lines->count);
}

int qn_prof_log_next(struct qn_prof_log_lines *lines, uint32_t *line, int64_t *counts)
{
    int events = lines->log->events;
    if (lines->at == lines->count)
        return 0;
    const struct qn_text_key *k = &lines->keys[lines->at++];
    *line = (uint32_t)k->key;
    get_counts((const uint8_t *)(uintptr_t)k->id, counts, events);
    for (; lines->at < lines->count && lines->keys[lines->at].key == k->key; lines->at++) {
        int64_t more[events];
        get_counts((const uint8_t *)(uintptr_t)lines->keys[lines->at].id, more, events);
        if (qn_prof_add_counts(counts, more, events) != 0)
            return -1;
    }
    return 1;
}

void qn_prof_log_free_lines(struct qn_prof_log_lines *lines)
{
    free(lines->keys);
    memset(lines, 0, sizeof *lines);
}

void qn_prof_free_log(struct qn_prof_log *log)
{
    while (log->pieces) {
        struct qn_prof_log_piece *older = log->pieces->older;
        free(log->pieces);
        log->pieces = older;
    }
    free(log->segments);
    free(log->files);
    memset(log, 0, sizeof *log);
}

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
    g->fn_totals.events = g->total.events = g->log.events = g->object_totals.events = (int)n;
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
    c->fn = qn_prof_fn_of(&g->fns, c->file, c->name, QN_TEXT_NO_ID);
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
    c->file = changed_name(c, g->options.mod_file, &g->fns.files, item);
    if (c->file == QN_TEXT_NO_ID)
        return c->err->status;
    if (g->options.mod_file)
        keep_original(c, item);
    c->fn = QN_TEXT_NO_ID;
    if (item->keeps_function && c->name != QN_TEXT_NO_ID)
        return QN_TEXT_OK;
    c->name = qn_text_intern(&g->fns.names, QN_PROF_UNSPECIFIED, strlen(QN_PROF_UNSPECIFIED));
    if (g->options.always_unspecified)
        enter_fn(c);
    return QN_TEXT_OK;
}

static enum qn_text_status take_fn(struct cursor *c, const struct qn_prof_item *item)
{
    struct qn_prof_ledger *g = c->g;
    if (c->file == QN_TEXT_NO_ID)
        c->file = qn_text_intern(&g->fns.files, "???", 3);
    struct qn_prof_item name = *item;
    if (g->options.shorten_inlined) {
        qn_prof_shorten_inlined(item->name, item->length, &c->shortened);
        name.name = c->shortened.text;
        name.length = c->shortened.length;
    }
    c->name = changed_name(c, g->options.mod_fn, &g->fns.names, &name);
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
    if (g->options.keep_lines == QN_PROF_NO_LINES)
        return QN_TEXT_OK;
    uint32_t owner = g->options.keep_lines == QN_PROF_LINES_OF_FILES ? c->file : c->fn;
    qn_prof_log_add(&g->log, owner, item->line, counts);
    return QN_TEXT_OK;
}

static enum qn_text_status take_insn(struct cursor *c, const struct qn_prof_item *item)
{
    struct qn_prof_ledger *g = c->g;
    if (!g->options.keep_insns)
        return QN_TEXT_OK;
    if (c->insn_fn == QN_PROF_NO_FN) {
        qn_prof_table_enter_object(g->insns, qn_text_name(&g->objects, c->object));
        c->insn_fn = qn_prof_table_fn(g->insns, qn_prof_fn_file(&g->fns, c->fn),
                                      qn_prof_fn_name(&g->fns, c->fn));
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
    qn_prof_free_fns(&g->fns);
    qn_prof_free_rows(&g->fn_totals);
    qn_prof_free_rows(&g->total);
    qn_prof_free_log(&g->log);
    qn_prof_free_table(g->insns);
    qn_text_free_names(&g->objects);
    qn_prof_free_rows(&g->object_totals);
    qn_text_free_names(&g->originals);
    free(g->original_of);
    memset(g, 0, sizeof *g);
}
