/*
 * Comparison of provenance. See provenance.h.
 *
 * In:  "D1 cache:  32 KiB\nquern: 0.1\n" and "D1 cache:  4 KiB\nquern: 0.2\n"
 * Out: 1, the two D1 cache lines
 */
#define _GNU_SOURCE
#include "prof/provenance.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"

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
