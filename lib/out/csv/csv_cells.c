/*
 * Metadata columns of CSV. See csv_cells.h.
 *
 * In:  descriptions
 * Out: columns and values
 */
#include "out/csv/csv_cells.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "text/csv.h"
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

void qn_out_csv_add_keys(struct qn_out_csv_keys *keys, const struct qn_prof_header *h)
{
    const char **values = QN_NEEDED(calloc((size_t)keys->count + (size_t)h->desc_count + 1, sizeof *values));
    for (int i = 0; i < h->desc_count; i++) {
        struct parts p = split(h->descs[i].text);
        int at = find_key(keys, &p, values);
        if (at < 0) {
            keys->names = QN_NEEDED(realloc(keys->names, ((size_t)keys->count + 1) * sizeof *keys->names));
            keys->names[at = keys->count++] = QN_NEEDED(strndup(p.key, p.key_length));
        }
        values[at] = p.value;
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

void qn_out_csv_cell(struct qn_text_buffer *to, const char *text)
{
    struct qn_text_buffer escaped = {0};
    if (!qn_text_has_control(text, strlen(text))) {
        qn_text_append_cell(to, text);
        return;
    }
    for (; *text; text++) {
        char piece[QN_TEXT_ESCAPE_MAX + 1];
        qn_text_append(&escaped, piece, qn_text_escape_byte(piece, (unsigned char)*text));
    }
    qn_text_append_cell(to, escaped.text);
    free(escaped.text);
}

/* ---- Counts and ratios as digits ----
 *
 * In:  2.6086956
 * Out: 2.6086956 * 10^5 = 260869.56, rounded 260870, written "2.6087"
 *
 * A value is scaled in 80 bits to six digits before the point; the relative error of the product is at most 2^-63. So its rounding is
 * certain, unless it is within DOUBT of the middle between two numbers. printf formats those values, and all that are not between
 * LEAST and MOST.
 */

#define DIGITS 6
#define LEAST 1e-4 /* %g writes what is less with an exponent */
#define MOST 1e5   /* from here on all digits before the point are wanted */
#define DOUBT 1e-6L

size_t qn_out_csv_count(char *to, int64_t count)
{
    char digits[24], *at = digits + sizeof digits;
    uint64_t left = count < 0 ? 0 - (uint64_t)count : (uint64_t)count;
    do
        *--at = (char)('0' + left % 10);
    while (left /= 10);
    if (count < 0)
        *--at = '-';
    size_t n = (size_t)(digits + sizeof digits - at);
    memcpy(to, at, n);
    return n;
}

/* digits has DIGITS of them, of which `whole` (at most 0 for values below 1) stand before the point. */
static size_t put_digits(char *to, uint32_t number, int whole)
{
    char digits[DIGITS];
    int n = DIGITS;
    size_t used = 0;
    for (int i = DIGITS; i-- > 0; number /= 10)
        digits[i] = (char)('0' + number % 10);
    while (n > whole && n > 1 && digits[n - 1] == '0')
        n--;
    if (whole <= 0) {
        to[used++] = '0';
        to[used++] = '.';
        for (int i = whole; i < 0; i++)
            to[used++] = '0';
    }
    for (int i = 0; i < n; i++) {
        if (i == whole && i > 0)
            to[used++] = '.';
        to[used++] = digits[i];
    }
    return used;
}

/* Formats a value; returns its length, 0 if the rounding is not certain. */
static size_t put_small(char *to, double value)
{
    static const long double powers[] = {1e0L, 1e1L, 1e2L, 1e3L, 1e4L, 1e5L, 1e6L, 1e7L, 1e8L, 1e9L};
    int whole = value >= 1e4 ? 5 : value >= 1e3 ? 4 : value >= 1e2 ? 3 : value >= 1e1 ? 2 : value >= 1 ? 1 : 0;
    for (double bound = 0.1; whole <= 0 && value < bound; bound /= 10)
        whole--;
    if (whole < DIGITS - (int)(sizeof powers / sizeof *powers) + 1)
        return 0;
    long double scaled = (long double)value * powers[DIGITS - whole];
    uint32_t number = (uint32_t)scaled;
    long double rest = scaled - number;
    if (number < 100000 || fabsl(rest - 0.5L) < DOUBT)
        return 0;
    number += rest > 0.5L;
    return number < 1000000 ? put_digits(to, number, whole) : 0;
}

size_t qn_out_csv_ratio(char *to, double value)
{
    size_t n = 0;
    if (value == 0 && !signbit(value)) {
        *to = '0';
        return 1;
    }
    if (value >= LEAST && value < MOST)
        n = put_small(to, value);
    if (n == 0)
        n = (size_t)snprintf(to, QN_OUT_CSV_NUMBER, fabs(value) < MOST ? "%.6g" : "%.0f", value);
    return n;
}

/* ---- The geometry of caches as numbers ----
 *
 * In:  desc: D1 cache:         32768 B, 64 B, 8-way associative
 * Out: D1 size 32768, D1 ways 8, D1 line 64; 0 for what the profile does not have
 */

const char *const qn_out_csv_geometry_names[QN_OUT_CSV_GEOMETRY] = {
    "I1 size", "I1 ways", "I1 line", "D1 size", "D1 ways", "D1 line", "LL size", "LL ways", "LL line",
};

/* "32768 B, 64 B, 8-way associative", or Cachegrind's "..., direct-mapped". */
static void parse_cache(const char *value, uint64_t numbers[3])
{
    uint64_t size, line, ways;
    int n = 0;
    if (sscanf(value, "%" SCNu64 " B, %" SCNu64 " B, %n", &size, &line, &n) != 2 || n == 0)
        return;
    if (strcmp(value + n, "direct-mapped") == 0)
        ways = 1;
    else if (sscanf(value + n, "%" SCNu64 "-way", &ways) != 1)
        return;
    numbers[0] = size;
    numbers[1] = ways;
    numbers[2] = line;
}

void qn_out_csv_find_geometry(const struct qn_prof_header *h, uint64_t numbers[QN_OUT_CSV_GEOMETRY])
{
    static const char *const keys[] = {"I1 cache:", "D1 cache:", "LL cache:"};
    memset(numbers, 0, QN_OUT_CSV_GEOMETRY * sizeof *numbers);
    for (int i = 0; i < h->desc_count; i++)
        for (int k = 0; k < 3; k++) {
            size_t n = strlen(keys[k]);
            const char *text = h->descs[i].text;
            if (strncmp(text, keys[k], n) == 0)
                parse_cache(text + n + strspn(text + n, " "), numbers + 3 * k);
        }
}
