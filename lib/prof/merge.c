/*
 * Sums profiles. See merge.h.
 *
 * In:  items of prof/read.h
 * Out: rows of prof/table/table.h
 */
#define _GNU_SOURCE
#include "prof/merge.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/grow.h"
#include "prof/read.h"
#include "prof/table/table.h"
#include "prof/tables/tables.h"
#include "text/error.h"
#include "text/input.h"
#include "text/names.h"
#include "text/output.h"

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
    case QN_PROF_SUMMARY:
    case QN_PROF_REGION: break;
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

/* ---- a profile of the same program in another folder ---- */

struct name {
    const char *text;
    bool later;  /* of the later profile */
};

/* A folder of the earlier profile and the one that stands in its place: lengths of names. */
struct move {
    const char *from, *to;
    int from_length, to_length;
};

static enum qn_text_status read_names(const char *path, struct qn_text_names *names, struct qn_text_error *err)
{
    struct qn_prof_reader *r = qn_prof_open_reader(path, err);
    struct qn_prof_item item;

    while (r && qn_prof_read_next(r, &item, err) > 0)
        if (item.kind == QN_PROF_FILE)
            qn_text_intern(names, item.name, item.length);
    qn_prof_close_reader(r);
    return err->status;
}

static void list_alone(const struct qn_text_names *of, const struct qn_text_names *other, bool later, struct name *list, size_t *count)
{
    for (uint32_t i = 0; i < of->index.count; i++) {
        const char *text = qn_text_name(of, i);

        if (qn_text_find_name(other, text, strlen(text)) == QN_TEXT_NO_ID && strcmp(text, "???") != 0)
            list[(*count)++] = (struct name){ text, later };
    }
}

/* Characters at the end that two names have in common. */
static size_t count_common(const char *a, const char *b)
{
    size_t n = strlen(a), m = strlen(b), i = 0;

    while (i < n && i < m && a[n - 1 - i] == b[m - 1 - i])
        i++;
    return i;
}

/* From their last character to the first: names that end alike stand together. */
static int compare_ends(const void *left, const void *right)
{
    const struct name *a = left, *b = right;
    size_t n = strlen(a->text), m = strlen(b->text), i = count_common(a->text, b->text);

    if (i < n && i < m)
        return (unsigned char)a->text[n - 1 - i] < (unsigned char)b->text[m - 1 - i] ? -1 : 1;
    return n != m ? (n < m ? -1 : 1) : a->later - b->later;
}

/* The folders before what the two have in common, which is whole names between slashes.  A folder of the earlier profile has a name if the file
 * has one. */
static bool find_move(const char *from, const char *to, struct move *move)
{
    size_t n = strlen(from), m = strlen(to), common = count_common(from, to), least = strchr(from, '/') ? (size_t)(strchr(from, '/') - from) + 1 : 0;

    if (common > n - least)
        common = n - least;
    while (common && ((common < n && from[n - common - 1] != '/') || (common < m && to[m - common - 1] != '/')))
        common--;
    *move = (struct move){ from, to, (int)(n - common), (int)(m - common) };
    return common > 0;
}

static int compare_moves(const void *left, const void *right)
{
    const struct move *a = left, *b = right;
    int order = a->from_length != b->from_length ? a->from_length - b->from_length : a->to_length - b->to_length;

    if (!order)
        order = memcmp(a->from, b->from, (size_t)a->from_length);
    return order ? order : memcmp(a->to, b->to, (size_t)a->to_length);
}

/* Of names that end alike, the one of the later profile that stands next before or behind has most in common. */
static size_t list_moves(const struct name *list, size_t count, struct move *moves)
{
    const char **next = QN_NEEDED(calloc(count + 1, sizeof *next)), *last = NULL;
    size_t found = 0;

    for (size_t i = count; i-- > 0; next[i] = last)
        last = list[i].later ? list[i].text : last;
    last = NULL;
    for (size_t i = 0; i < count; i++) {
        const char *from = list[i].text, *best = next[i];

        if (list[i].later) {
            last = from;
            continue;
        }
        if (last && (!best || count_common(from, last) >= count_common(from, best)))
            best = last;
        found += best && find_move(from, best, &moves[found]);
    }
    free(next);
    return found;
}

/* The move of most files; of equal ones, the first. */
static bool choose_move(struct move *moves, size_t count, struct move *chosen)
{
    size_t most = 0;

    if (count)
        qsort(moves, count, sizeof *moves, compare_moves);
    for (size_t i = 0, n; i < count; i += n) {
        n = QN_COUNT_WHILE(k, count - i, compare_moves(&moves[i], &moves[i + k]) == 0);
        if (n > most) {
            most = n;
            *chosen = moves[i];
        }
    }
    return most > 0;
}

static bool find_best_move(const struct qn_text_names *before, const struct qn_text_names *after, struct move *best)
{
    struct name *list = QN_NEEDED(calloc((size_t)before->index.count + after->index.count + 1, sizeof *list));
    struct move *moves = QN_NEEDED(calloc((size_t)before->index.count + 1, sizeof *moves));
    size_t count = 0;
    bool found;

    list_alone(before, after, false, list, &count);
    list_alone(after, before, true, list, &count);
    if (count)
        qsort(list, count, sizeof *list, compare_ends);
    found = choose_move(moves, list_moves(list, count, moves), best);
    free(list);
    free(moves);
    return found;
}

/* So that it stands for itself in s/old/new/. */
static void put_quoted(FILE *out, const char *text, int length)
{
    for (int i = 0; i < length; i++) {
        if (ispunct((unsigned char)text[i]) && text[i] != '_')
            putc('\\', out);
        putc(text[i], out);
    }
}

/* before, flags: " at " and "g" for the callers of inlined functions.  A file without a folder is replaced whole. */
static struct qn_text_subst *make_subst(const struct move *m, const char *before, const char *flags, struct qn_text_error *err)
{
    bool whole = !m->from_length;
    char *text = NULL;
    size_t size;
    FILE *out = QN_NEEDED(open_memstream(&text, &size));
    struct qn_text_subst *s;

    fprintf(out, "s/%s", *before ? before : "^");
    put_quoted(out, m->from, whole ? (int)strlen(m->from) : m->from_length);
    fprintf(out, "%s/%s", !whole ? "" : *before ? "(?=:)" : "$", before);
    put_quoted(out, m->to, whole ? (int)strlen(m->to) : m->to_length);
    fprintf(out, "/%s", flags);
    if (fclose(out))
        qn_no_memory();
    s = qn_text_parse_subst(text, err);
    free(text);
    return s;
}

static enum qn_text_status write_copy(const char *path, int fd, const struct qn_text_subst *mod_file, const struct qn_text_subst *mod_fn,
                                      struct qn_text_error *err)
{
    struct qn_prof_merge *m = qn_prof_new_merge(mod_file, mod_fn);
    struct qn_prof_tables tables = { .mod_file = mod_file, .mod_fn = mod_fn };
    char warning[QN_TEXT_MAX];

    if (qn_prof_merge_file(m, path, warning, sizeof warning, err) == QN_TEXT_OK && qn_prof_sum_tables(&tables, QN_PROF_ALL_TABLES, path, 0, err) == QN_TEXT_OK) {
        struct qn_prof_writer *w = qn_prof_open_writer_fd(fd, path);

        qn_prof_finish_tables(&tables, warning, sizeof warning);
        qn_prof_write_merge(m, QN_PROF_MODERN, w);
        qn_prof_put_tables(w, &tables);
        qn_prof_close_writer(w, err);
    }
    qn_prof_free_tables(&tables);
    qn_prof_free_merge(m);
    return err->status;
}

static enum qn_text_status apply(const struct move *move, const char *path, struct qn_text_error *err)
{
    struct qn_text_subst *mod_file = make_subst(move, "", "", err), *mod_fn = mod_file ? make_subst(move, " at ", "g", err) : NULL;
    int fd = qn_text_nameless_file("quern-moved");

    if (fd < 0)
        qn_text_fail(err, QN_TEXT_IO, "%s: cannot keep a copy: %m", path);
    if (mod_fn && fd >= 0 && write_copy(path, fd, mod_file, mod_fn, err) == QN_TEXT_OK)
        qn_text_replace_input(path, fd);
    else if (fd >= 0)
        close(fd);
    qn_text_free_subst(mod_file);
    qn_text_free_subst(mod_fn);
    return err->status;
}

enum qn_text_status qn_prof_align(const char *before, const char *after, struct qn_text_error *err)
{
    bool more = true;

    for (int i = 0; i < QN_PROF_MOVES && more; i++) {
        struct qn_text_names names[2] = { { .texts = NULL }, { .texts = NULL } };
        struct move move;

        more = read_names(before, &names[0], err) == QN_TEXT_OK && read_names(after, &names[1], err) == QN_TEXT_OK
               && find_best_move(&names[0], &names[1], &move) && apply(&move, before, err) == QN_TEXT_OK;
        qn_text_free_names(&names[0]);
        qn_text_free_names(&names[1]);
    }
    return err->status;
}

/* ---- comparison of provenance ----
 *
 * In:  "D1 cache:  32 KiB\nquern: 0.1\n" and "D1 cache:  4 KiB\nquern: 0.2\n"
 * Out: 1, the two D1 cache lines
 */

static const char blanks[] = " \t";

/* One description as "key: value". */
struct desc {
    const char *key, *value;
    size_t key_length, value_length;
};

/* Cuts the first line off *rest; 0 at the end. */
static int next_desc(const char **rest, struct desc *d)
{
    if (!**rest)
        return 0;
    size_t line = strcspn(*rest, "\n");
    const char *end = *rest + line, *colon = memchr(*rest, ':', line);
    d->key = *rest;
    d->key_length = colon ? (size_t)(colon - *rest) : line;
    d->value = colon ? colon + 1 : end;
    while (d->value < end && strchr(blanks, *d->value))
        d->value++;
    d->value_length = (size_t)(end - d->value);
    *rest = *end ? end + 1 : end;
    return 1;
}

static int key_matters(const struct desc *d)
{
    static const char *const words[] = {"cache", "simulator", "module", "predictor", "counting", "processor",
                                        "I1", "D1", "LL", "BC", "BI"};
    char key[64];
    size_t n = d->key_length < sizeof key - 1 ? d->key_length : sizeof key - 1;
    memcpy(key, d->key, n);
    key[n] = '\0';
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (strcasestr(key, words[i]))
            return 1;
    return 0;
}

/* The description with the key of `wanted` among `descs`; 0 where there is none. */
static int find_key(const char *descs, const struct desc *wanted, struct desc *found)
{
    while (next_desc(&descs, found))
        if (found->key_length == wanted->key_length &&
            memcmp(found->key, wanted->key, wanted->key_length) == 0)
            return 1;
    *found = (struct desc){"", "", 0, 0};
    return 0;
}

int qn_prof_differ(const char *descs, const char *other_descs, char *to, size_t room)
{
    struct desc a, b;
    while (next_desc(&descs, &a)) {
        if (!key_matters(&a))
            continue;
        find_key(other_descs, &a, &b);
        if (a.value_length == b.value_length && memcmp(a.value, b.value, a.value_length) == 0)
            continue;
        snprintf(to, room, "%.*s: `%.*s' and `%.*s'", (int)a.key_length, a.key, (int)a.value_length,
                 a.value, (int)b.value_length, b.value);
        return 1;
    }
    return 0;
}

char *qn_prof_join_descs(const struct qn_prof_header *h)
{
    size_t n = 1;
    for (int i = 0; i < h->desc_count; i++)
        n += strlen(h->descs[i].text) + 1;
    char *text = QN_NEEDED(malloc(n)), *at = text;
    for (int i = 0; i < h->desc_count; i++) {
        at = stpcpy(at, h->descs[i].text);
        *at++ = '\n';
    }
    *at = '\0';
    return text;
}
