/*
 * Rows of the tables behind a summary. See records.h.
 *
 * In:  a schema, a set, the number of a list
 * Out: rows that are found, added up, sorted, written
 */
#define _GNU_SOURCE
#include "prof/tables/records.h"

#include <stdlib.h>
#include <string.h>

#include "base/grow.h"

enum { FIRST_ROOM = 64 };

/* ---- lists in memory ---- */

const struct qn_prof_line *qn_prof_line_of(const struct qn_prof_schema *s, int list)
{
    const struct qn_prof_line *l = s->lines;
    while (l->list != list || l->more)
        l++;
    return l;
}

const char *qn_prof_keep_text(const struct qn_prof_schema *s, void *set, const char *text, size_t length)
{
    struct qn_text_names **names = (struct qn_text_names **)((char *)set + s->names);
    if (!*names)
        *names = QN_NEEDED(calloc(1, sizeof **names));
    return text ? qn_text_name(*names, qn_text_intern(*names, text, length)) : NULL;
}

/* The pointer at this offset of a set. */
static void *pointer_at(const void *set, size_t at)
{
    void *p;
    memcpy(&p, (const char *)set + at, sizeof p);
    return p;
}

static void set_pointer(void *set, size_t at, const void *p) { memcpy((char *)set + at, &p, sizeof p); }

static size_t *size_at(const void *set, size_t at) { return (size_t *)((char *)(uintptr_t)set + at); }

static uint32_t *number_in(const void *record, const struct qn_prof_column *c) { return (uint32_t *)((char *)(uintptr_t)record + c->at); }
static int64_t *integer_in(const void *record, const struct qn_prof_column *c) { return (int64_t *)((char *)(uintptr_t)record + c->at); }
static const char **text_in(const void *record, const struct qn_prof_column *c) { return (const char **)((char *)(uintptr_t)record + c->at); }

static bool is_number(const struct qn_prof_column *c) { return c->type <= QN_COLUMN_OWNER; }
static bool is_text(const struct qn_prof_column *c) { return c->type >= QN_COLUMN_WORD && c->type <= QN_COLUMN_NEEDED_BEFORE; }
static bool is_sum(const struct qn_prof_column *c) { return c->type == QN_COLUMN_SUM || c->type == QN_COLUMN_EVENT; }
static bool refers(const struct qn_prof_column *c, int list) { return c->type >= QN_COLUMN_ROW && c->type <= QN_COLUMN_OWNER && c->of == list; }

size_t qn_prof_record_count(const struct qn_prof_schema *s, const void *set, int list) { return *size_at(set, s->lists[list].count); }

void *qn_prof_record(const struct qn_prof_schema *s, const void *set, int list, size_t i)
{
    return (void *)((uintptr_t)pointer_at(set, s->lists[list].rows) + i * s->lists[list].size);
}

size_t qn_prof_event_count(const struct qn_prof_schema *s, const void *set)
{
    size_t n = 0;

    while (s->event(set, n))
        n++;
    return n;
}

int64_t *qn_prof_record_counts(const struct qn_prof_schema *s, const void *set, int list, size_t i)
{
    return s->lists[list].counts ? (int64_t *)pointer_at(set, s->lists[list].counts) + i * qn_prof_event_count(s, set) : NULL;
}

static void grow(void *set, size_t at, size_t count, size_t room, size_t size)
{
    if (size)
        set_pointer(set, at, QN_NEEDED(qn_grown(pointer_at(set, at), count, room, size)));
}

uint32_t qn_prof_add_record(const struct qn_prof_schema *s, void *set, int list, const void *record)
{
    const struct qn_prof_list *l = &s->lists[list];
    size_t *count = size_at(set, l->count), *room = size_at(set, l->room);
    size_t row = l->counts ? qn_prof_event_count(s, set) * sizeof(int64_t) : 0;
    if (*count >= QN_PROF_ROWS_MAX)
        qn_no_memory();
    if (*count == *room) {
        *room = *room ? 2 * *room : FIRST_ROOM;
        grow(set, l->rows, *count, *room, l->size);
        grow(set, l->counts, *count, *room, row);
    }
    memcpy(qn_prof_record(s, set, list, *count), record, l->size);
    if (row)
        memset((char *)pointer_at(set, l->counts) + *count * row, 0, row);
    return (uint32_t)(*count)++;
}

void qn_prof_free_records(const struct qn_prof_schema *s, void *set)
{
    struct qn_text_names *names = pointer_at(set, s->names);
    struct qn_text_hash *index = (struct qn_text_hash *)((char *)set + s->index);
    if (names)
        qn_text_free_names(names);
    free(names);
    for (int list = 0; s->lists[list].size; list++) {
        free(pointer_at(set, s->lists[list].rows));
        if (s->lists[list].counts)
            free(pointer_at(set, s->lists[list].counts));
        qn_text_hash_free(&index[list]);
    }
}

/* ---- rows by their keys ---- */

static uint32_t hash_pointer(const char *text) { return qn_text_hash_pair((uint32_t)((uintptr_t)text >> 32), (uint32_t)(uintptr_t)text); }

static uint32_t hash_record(const struct qn_prof_schema *s, int list, const void *record)
{
    uint32_t hash = 0;
    QN_PROF_EACH_COLUMN(s, list, c)
        if (is_number(c) || is_text(c))
            hash = qn_text_hash_pair(hash, is_text(c) ? hash_pointer(*text_in(record, c)) : *number_in(record, c));
    return hash;
}

static bool is_same(const struct qn_prof_schema *s, int list, const void *a, const void *b)
{
    QN_PROF_EACH_COLUMN(s, list, c)
        if (is_text(c) ? *text_in(a, c) != *text_in(b, c) : is_number(c) && *number_in(a, c) != *number_in(b, c))
            return false;
    return true;
}

uint32_t qn_prof_find_record(const struct qn_prof_schema *s, void *set, int list, const void *record)
{
    struct qn_text_hash *index = (struct qn_text_hash *)((char *)set + s->index) + list;
    uint32_t at, hash = hash_record(s, list, record);
    for (uint32_t id = qn_text_hash_first(index, hash, &at); id != QN_TEXT_NO_ID; id = qn_text_hash_next(index, hash, &at))
        if (is_same(s, list, qn_prof_record(s, set, list, id), record))
            return id;
    qn_text_hash_insert(index, hash); /* which gives the same number */
    return qn_prof_add_record(s, set, list, record);
}

/* ---- sums ---- */

struct adding {
    const struct qn_prof_schema *s;
    void *to;
    const void *from;
    int sign;
    const struct qn_text_subst *mod_file, *mod_fn;
    uint32_t *numbers[QN_PROF_LISTS_MAX]; /* of the rows of `from` in `to` */
    struct qn_text_buffer text;
    struct qn_text_error *err;
};

static int add_number(const struct adding *a, int64_t *to, int64_t n)
{
    return a->sign < 0 ? __builtin_sub_overflow(*to, n, to) : __builtin_add_overflow(*to, n, to);
}

/* The name, changed, in the names of the sum. */
static const char *change(struct adding *a, enum qn_prof_naming naming, const char *name)
{
    const struct qn_text_subst *mod = naming == QN_PROF_FILE_NAME ? a->mod_file : naming == QN_PROF_FUNCTION_NAME ? a->mod_fn : NULL;
    a->text.length = 0;
    if (!mod || !name)
        return qn_prof_keep_text(a->s, a->to, name, name ? strlen(name) : 0);
    return qn_text_apply_subst(mod, name, strlen(name), &a->text, a->err) == 0 ? qn_prof_keep_text(a->s, a->to, a->text.text, a->text.length) : NULL;
}

/* The row as it begins in the sum: names are changed, numbers of rows are those there, sums are 0. */
static void prepare(struct adding *a, int list, char *record)
{
    QN_PROF_EACH_COLUMN(a->s, list, c) {
        if (is_text(c))
            *text_in(record, c) = change(a, c->naming, *text_in(record, c));
        else if (is_sum(c) || c->type == QN_COLUMN_MOST)
            *integer_in(record, c) = 0;
        else if (is_number(c) && c->type != QN_COLUMN_NUMBER && *number_in(record, c) != UINT32_MAX)
            *number_in(record, c) = a->numbers[c->of][*number_in(record, c)];
    }
}

static int add_values(const struct adding *a, int list, uint32_t to, size_t i)
{
    void *sum = qn_prof_record(a->s, a->to, list, to);
    const void *from = qn_prof_record(a->s, a->from, list, i);
    int64_t *counts = qn_prof_record_counts(a->s, a->to, list, to);
    const int64_t *more = qn_prof_record_counts(a->s, a->from, list, i);
    int failed = 0;
    QN_PROF_EACH_COLUMN(a->s, list, c)
        if (is_sum(c))
            failed |= add_number(a, integer_in(sum, c), *integer_in(from, c));
        else if (c->type == QN_COLUMN_MOST && *integer_in(from, c) > *integer_in(sum, c))
            *integer_in(sum, c) = *integer_in(from, c);
    for (size_t k = 0; counts && a->s->event(a->to, k); k++)
        failed |= add_number(a, &counts[k], more[k]);
    return failed;
}

static int add_list(struct adding *a, int list)
{
    size_t size = a->s->lists[list].size, count = qn_prof_record_count(a->s, a->from, list);
    char *record = QN_NEEDED(malloc(size));
    int failed = 0;
    a->numbers[list] = QN_NEEDED(calloc(count + 1, sizeof *a->numbers[list]));
    for (size_t i = 0; i < count && !failed && a->err->status == QN_TEXT_OK; i++) {
        memcpy(record, qn_prof_record(a->s, a->from, list, i), size);
        prepare(a, list, record);
        a->numbers[list][i] = qn_prof_find_record(a->s, a->to, list, record);
        failed = add_values(a, list, a->numbers[list][i], i);
    }
    free(record);
    return failed;
}

/* No sum overflows, if that of all magnitudes does not. */
static int add_magnitudes(const struct adding *a)
{
    return a->s->all && __builtin_add_overflow(*(int64_t *)((char *)a->to + a->s->all), *(const int64_t *)((const char *)a->from + a->s->all),
                                               (int64_t *)((char *)a->to + a->s->all));
}

enum qn_text_status qn_prof_sum_records(const struct qn_prof_schema *s, void *to, const void *from, int sign, const struct qn_text_subst *mod_file,
                                        const struct qn_text_subst *mod_fn, const char *path, struct qn_text_error *err)
{
    struct adding a = {.s = s, .to = to, .from = from, .sign = sign, .mod_file = mod_file, .mod_fn = mod_fn, .err = err};
    int failed = add_magnitudes(&a);
    if (!failed && s->join(to, from, sign) != 0)
        return qn_text_fail(err, QN_TEXT_BAD, "%s: events of %s don't match those of the profiles before", path, s->name);
    for (int list = 0; s->lists[list].size && !failed; list++)
        failed = add_list(&a, list);
    if (failed)
        qn_text_fail(err, QN_TEXT_BAD, "%s: a sum of %s does not fit in 64 bits", path, s->name);
    for (int list = 0; list < QN_PROF_LISTS_MAX; list++)
        free(a.numbers[list]);
    free(a.text.text);
    return err->status;
}

/* ---- order ---- */

/* The list consists of these rows of it from now on; rows of other lists that refer to one that is left out are left out, too. */
static void choose(const struct qn_prof_schema *s, void *set, int list, const uint32_t *order, size_t kept)
{
    const struct qn_prof_list *l = &s->lists[list];
    size_t *count = size_at(set, l->count), had = *count;
    uint32_t *number = QN_NEEDED(malloc((had + 1) * sizeof *number));
    char *rows = QN_NEEDED(malloc((kept + 1) * l->size));
    memset(number, 0xff, (had + 1) * sizeof *number);
    for (size_t i = 0; i < kept; i++) {
        memcpy(rows + i * l->size, qn_prof_record(s, set, list, order[i]), l->size);
        number[order[i]] = (uint32_t)i;
    }
    free(pointer_at(set, l->rows));
    set_pointer(set, l->rows, rows);
    *count = *size_at(set, l->room) = kept;
    for (int other = 0; s->lists[other].size; other++) {
        size_t n = qn_prof_record_count(s, set, other), left = 0;
        uint32_t *rest = QN_NEEDED(malloc((n + 1) * sizeof *rest));
        for (size_t i = 0; i < n; i++) {
            bool stays = true;
            QN_PROF_EACH_COLUMN(s, other, c)
                if (refers(c, list) && *number_in(qn_prof_record(s, set, other, i), c) != UINT32_MAX) {
                    uint32_t *to = number_in(qn_prof_record(s, set, other, i), c);
                    *to = number[*to];
                    stays &= *to != UINT32_MAX;
                }
            rest[left] = (uint32_t)i;
            left += stays;
        }
        if (left < n)
            choose(s, set, other, rest, left);
        free(rest);
    }
    free(number);
}

struct sorting {
    const char *rows;
    size_t size;
    const struct qn_prof_column *columns;
};

static int compare_column(const void *a, const void *b, const struct qn_prof_column *c)
{
    if (is_text(c))
        return c->type != QN_COLUMN_TEXT ? strcmp(*text_in(a, c), *text_in(b, c)) : c->of ? strverscmp(*text_in(a, c), *text_in(b, c)) : 0;
    if (!is_number(c) || *number_in(a, c) == *number_in(b, c))
        return 0;
    return *number_in(a, c) < *number_in(b, c) ? -1 : 1;
}

static int by_key(const void *left, const void *right, void *sorting)
{
    const struct sorting *t = sorting;
    uint32_t a = *(const uint32_t *)left, b = *(const uint32_t *)right;
    int order = 0;
    for (const struct qn_prof_column *c = t->columns; c->type && order == 0; c++)
        order = compare_column(t->rows + a * t->size, t->rows + b * t->size, c);
    return order ? order : a < b ? -1 : a > b;
}

/* Are there sums, and all of them 0? */
static bool is_nothing(const struct qn_prof_schema *s, int list, const void *record)
{
    bool has_sums = false;
    QN_PROF_EACH_COLUMN(s, list, c) {
        has_sums |= is_sum(c);
        if (is_sum(c) && *integer_in(record, c))
            return false;
    }
    return has_sums;
}

void qn_prof_sort_records(const struct qn_prof_schema *s, void *set, int list)
{
    struct sorting t = {qn_prof_record(s, set, list, 0), s->lists[list].size, qn_prof_line_of(s, list)->columns};
    size_t count = qn_prof_record_count(s, set, list), kept = 0;
    uint32_t *order = QN_NEEDED(malloc((count + 1) * sizeof *order));
    for (size_t i = 0; i < count; i++) {
        order[kept] = (uint32_t)i;
        kept += !is_nothing(s, list, qn_prof_record(s, set, list, i));
    }
    qsort_r(order, kept, sizeof *order, by_key, &t);
    choose(s, set, list, order, kept);
    free(order);
}

void qn_prof_keep_records(const struct qn_prof_schema *s, void *set, int list, const bool *keep)
{
    size_t count = qn_prof_record_count(s, set, list), kept = 0;
    uint32_t *order = QN_NEEDED(malloc((count + 1) * sizeof *order));
    for (size_t i = 0; i < count; i++) {
        order[kept] = (uint32_t)i;
        kept += keep[i];
    }
    choose(s, set, list, order, kept);
    free(order);
}

/* ---- text ---- */

struct putting {
    struct qn_prof_writer *w;
    const struct qn_prof_schema *s;
    const void *set;
    const char *before[2 * QN_PROF_LISTS_MAX]; /* by line: the text that was written last */
};

static void put_key(const struct putting *t, const char *key)
{
    qn_prof_put_text(t->w, "#");
    qn_prof_put_text(t->w, key);
    qn_prof_put_text(t->w, ":");
}

static void put_named(const struct putting *t, const char *key, const char *text)
{
    put_key(t, key);
    qn_prof_put_text(t->w, " ");
    qn_prof_put_line(t->w, text);
}

static void put_number(const struct putting *t, int64_t n)
{
    qn_prof_put_text(t->w, " ");
    qn_prof_put_number(t->w, n);
}

static void put_column(const struct putting *t, const void *record, const int64_t *counts, const struct qn_prof_column *c, const char *separator)
{
    bool none = is_number(c) && c->type != QN_COLUMN_NUMBER && *number_in(record, c) == UINT32_MAX;
    if (c->type == QN_COLUMN_COUNTS) {
        for (size_t k = 0; t->s->event(t->set, k); k++)
            put_number(t, counts[k]);
        return;
    }
    qn_prof_put_text(t->w, separator);
    if (is_text(c))
        qn_prof_put_escaped(t->w, *text_in(record, c));
    else if (none)
        qn_prof_put_text(t->w, c->type == QN_COLUMN_ROW_OR_DASH ? "-" : "-1");
    else
        qn_prof_put_number(t->w, is_number(c) ? (int64_t)*number_in(record, c) : *integer_in(record, c));
}

static bool is_before(const struct qn_prof_column *c) { return c->type == QN_COLUMN_BEFORE || c->type == QN_COLUMN_NEEDED_BEFORE; }

/* Is it among those that the set has? */
static bool has_column(const struct putting *t, const struct qn_prof_column *c) { return c->type != QN_COLUMN_EVENT || t->s->event(t->set, (size_t)c->of)[0]; }

/* A line about a row that has no text is left out, and one about the set without events if all its numbers are 0. */
static bool has_line(const struct putting *t, const struct qn_prof_line *l, const void *record)
{
    bool any = l->list != QN_PROF_SET;
    for (const struct qn_prof_column *c = l->columns; c->type; c++) {
        if (is_text(c) && !*text_in(record, c))
            return false;
        any |= c->type == QN_COLUMN_EVENT ? has_column(t, c) : c->type == QN_COLUMN_SUM && *integer_in(record, c);
    }
    return any;
}

static void put_line(const struct putting *t, const struct qn_prof_line *l, const void *record, const int64_t *counts)
{
    const char *separator = " ";
    put_key(t, l->key);
    for (const struct qn_prof_column *c = l->columns; c->type; c++)
        if (!is_before(c) && c->type != QN_COLUMN_OWNER && has_column(t, c)) {
            put_column(t, record, counts, c, separator);
            separator = c->type == QN_COLUMN_BEFORE_TAB ? "\t" : " ";
        }
    qn_prof_put_line(t->w, "");
}

/* The lines before a row, where they differ from those that were written last. The file of an edge is that of the caller if none was written. */
static void put_before(struct putting *t, const struct qn_prof_line *l, const void *record)
{
    bool again = false;
    for (const struct qn_prof_column *c = l->columns; is_before(c); c++) {
        const char **last = &t->before[c->of], *text = *text_in(record, c), *usual = *last ? *last : t->s->usual ? t->s->usual(t->set, l->list, record) : NULL;
        if (!text && *last)
            text = QN_PROF_NOT_KNOWN;
        if (!text || (!again && usual && strcmp(text, usual) == 0))
            continue;
        again = c->type == QN_COLUMN_NEEDED_BEFORE;
        put_named(t, t->s->lines[c->of].key, *last = text);
    }
}

static void put_row(struct putting *t, int list, size_t i, size_t *next)
{
    const void *record = qn_prof_record(t->s, t->set, list, i);
    const int64_t *counts = qn_prof_record_counts(t->s, t->set, list, i);
    put_before(t, qn_prof_line_of(t->s, list), record);
    for (const struct qn_prof_line *l = t->s->lines; l->key; l++)
        if (l->list == list && (!l->more || has_line(t, l, record)))
            put_line(t, l, record, counts);
        else if (l->columns[0].type == QN_COLUMN_OWNER && l->columns[0].of == list)
            for (; next[l->list] < qn_prof_record_count(t->s, t->set, l->list); next[l->list]++) {
                const void *owned = qn_prof_record(t->s, t->set, l->list, next[l->list]);
                if (*number_in(owned, l->columns) != i)
                    break;
                put_line(t, l, owned, NULL);
            }
}

static void put_head(const struct putting *t)
{
    put_key(t, t->s->name);
    for (const int *list = t->s->counted; *list != QN_PROF_SET; list++)
        put_number(t, (int64_t)qn_prof_record_count(t->s, t->set, *list));
    qn_prof_put_line(t->w, "");
    put_key(t, t->s->events_key);
    for (size_t i = 0; t->s->event(t->set, i); i++)
        if (t->s->event(t->set, i)[0]) {
            qn_prof_put_text(t->w, " ");
            qn_prof_put_escaped(t->w, t->s->event(t->set, i));
        }
    qn_prof_put_line(t->w, "");
    for (const struct qn_prof_line *l = t->s->lines; l->key; l++)
        if (l->list == QN_PROF_SET && has_line(t, l, t->set))
            put_line(t, l, t->set, NULL);
}

void qn_prof_put_records(struct qn_prof_writer *w, const struct qn_prof_schema *s, const void *set)
{
    struct putting t = {.w = w, .s = s, .set = set};
    size_t next[QN_PROF_LISTS_MAX] = {0};
    put_head(&t);
    for (int list = 0; s->lists[list].size; list++)
        for (size_t i = 0; qn_prof_line_of(s, list)->columns[0].type != QN_COLUMN_OWNER && i < qn_prof_record_count(s, set, list); i++)
            put_row(&t, list, i, next);
}
