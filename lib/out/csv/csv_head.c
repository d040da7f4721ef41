/*
 * Metadata columns of CSV. See csv_head.h.
 *
 * In:  descriptions
 * Out: columns and values
 */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "out/csv/csv_head.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <csv.h>

#include "base/grow.h"
#include "text/escape.h"

/* Where Cachegrind begins the value of a description. */
enum { VALUE_COLUMN = 18 };

const char *const qn_out_csv_names[QN_OUT_CSV_COLUMNS] = {
    "profile", "command", "events", "summary", "object", "file", "function", "line", "address", "bytes",
    "instruction",
};

/* A description cut in two: at its colon, or not at all. */
struct parts {
    const char *key; /* not terminated */
    size_t key_length;
    const char *value;
};

static int is_reserved(const char *key, size_t n)
{
    for (int i = 0; i < QN_OUT_CSV_COLUMNS; i++)
        if (strlen(qn_out_csv_names[i]) == n && memcmp(qn_out_csv_names[i], key, n) == 0)
            return 1;
    return 0;
}

/* Whether joining key and value again gives the same text: "Key:" padded to VALUE_COLUMN, or one blank. */
static int is_canonical(const char *text, size_t key, size_t value)
{
    size_t wanted = key + 2 > VALUE_COLUMN ? key + 2 : VALUE_COLUMN;
    return key > 0 && value == wanted && text[value] != '\0' && !qn_text_has_control(text, key);
}

static struct parts split(const char *text)
{
    const char *colon = strchr(text, ':');
    size_t key = colon ? (size_t)(colon - text) : 0;
    size_t value = colon ? key + 1 + strspn(colon + 1, " ") : 0;
    if (colon && is_canonical(text, key, value) && !is_reserved(text, key) &&
        !(key == sizeof QN_OUT_CSV_DESC - 1 && memcmp(text, QN_OUT_CSV_DESC, key) == 0))
        return (struct parts){text, key, text + value};
    return (struct parts){QN_OUT_CSV_DESC, sizeof QN_OUT_CSV_DESC - 1, text};
}

/* The first column of that key that is not in use yet; -1 where there is none. */
static int find_key(const struct qn_out_csv_keys *keys, const struct parts *p, const char **values)
{
    for (int i = 0; i < keys->count; i++)
        if (!values[i] && strncmp(keys->names[i], p->key, p->key_length) == 0 &&
            keys->names[i][p->key_length] == '\0')
            return i;
    return -1;
}

static int new_key(struct qn_out_csv_keys *keys, const struct parts *p)
{
    keys->names = QN_NEEDED(realloc(keys->names, ((size_t)keys->count + 1) * sizeof *keys->names));
    keys->names[keys->count] = QN_NEEDED(strndup(p->key, p->key_length));
    return keys->count++;
}

void qn_out_csv_add_keys(struct qn_out_csv_keys *keys, const struct qn_prof_header *h)
{
    const char **values = QN_NEEDED(calloc((size_t)keys->count + (size_t)h->desc_count + 1, sizeof *values));
    for (int i = 0; i < h->desc_count; i++) {
        struct parts p = split(h->descs[i].text);
        int at = find_key(keys, &p, values);
        values[at < 0 ? new_key(keys, &p) : at] = p.value;
    }
    free(values);
}

void qn_out_csv_find_values(const struct qn_out_csv_keys *keys, const struct qn_prof_header *h,
                            const char **values)
{
    memset(values, 0, (size_t)keys->count * sizeof *values);
    for (int i = 0; i < h->desc_count; i++) {
        struct parts p = split(h->descs[i].text);
        int at = find_key(keys, &p, values);
        if (at >= 0)
            values[at] = p.value;
    }
}

void qn_out_csv_free_keys(struct qn_out_csv_keys *keys)
{
    for (int i = 0; i < keys->count; i++)
        free(keys->names[i]);
    free(keys->names);
    memset(keys, 0, sizeof *keys);
}

void qn_out_csv_join_desc(struct qn_text_buffer *to, const char *key, const char *value)
{
    static const char blanks[VALUE_COLUMN + 1] = "                  ";
    size_t n = strlen(key) + 1, pad = n < VALUE_COLUMN ? VALUE_COLUMN - n : 1;
    to->length = 0;
    if (strcmp(key, QN_OUT_CSV_DESC) != 0) {
        qn_text_append(to, key, n - 1);
        qn_text_append(to, ":", 1);
        qn_text_append(to, blanks, pad);
    }
    qn_text_append(to, value, strlen(value));
}

static void append_escaped(struct qn_text_buffer *to, const char *text)
{
    for (; *text; text++) {
        char piece[QN_TEXT_ESCAPE_MAX + 1];
        qn_text_append(to, piece, qn_text_escape_byte(piece, (unsigned char)*text));
    }
}

/* Quotes what was appended from `from` on. */
static void quote(struct qn_text_buffer *to, size_t from)
{
    size_t n = to->length - from, room = 2 * n + 2; /* every byte a quote, and two around */
    char *quoted = QN_NEEDED(malloc(room));
    size_t length = csv_write2(quoted, room, to->text + from, n, CSV_QUOTE);

    to->length = from;
    qn_text_append(to, quoted, length);
    free(quoted);
}

/* What a cell needs before it can be written. */
enum need { NOTHING, QUOTES = 1, ESCAPES = 2 };

static int find_needs(const char *text)
{
    int needs = NOTHING;
    const char *p = text;
    for (; *p; p++) {
        if (qn_text_is_control((unsigned char)*p))
            needs |= ESCAPES;
        if (*p == ',' || *p == '"' || *p == ';')
            needs |= QUOTES;
    }
    if (p > text && (text[0] == ' ' || p[-1] == ' '))
        needs |= QUOTES;
    return needs;
}

void qn_out_csv_cell(struct qn_text_buffer *to, const char *text)
{
    size_t from = to->length;
    int needs = find_needs(text);
    if (needs & ESCAPES)
        append_escaped(to, text);
    else
        qn_text_append(to, text, strlen(text));
    if (needs & QUOTES)
        quote(to, from);
}
