/*
 * Interned names: each text is stored once and known by a small number.
 *
 * In:  intern("main"), intern("hash"), intern("main")
 * Out: 0, 1, 0; qn_text_name(n, 1) == "hash"
 *
 * Invariants: texts never move, hold no NUL byte, and live until the whole set is freed.
 */
#ifndef QN_TEXT_NAMES_H
#define QN_TEXT_NAMES_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "text/hash.h"

struct qn_text_names {
    struct qn_text_hash index;
    const char **texts; /* by id */
    uint32_t room;
    struct qn_text_block *blocks; /* the storage, newest first */
    size_t left;                  /* bytes free in the newest block */
    char *free_at;
};

/* The id of the text of `n` bytes. */
uint32_t qn_text_intern(struct qn_text_names *names, const char *text, size_t n);

/* The id of a text that is there, or QN_TEXT_NO_ID. */
uint32_t qn_text_find_name(const struct qn_text_names *names, const char *text, size_t n);

static inline const char *qn_text_name(const struct qn_text_names *names, uint32_t id)
{
    return names->texts[id];
}

/* An array `rank` (by id) of each name's place in bytewise order; free() it. */
uint32_t *qn_text_rank_names(const struct qn_text_names *names);

void qn_text_free_names(struct qn_text_names *names);

/* For qsort: texts in bytewise order. */
static inline int qn_text_compare(const void *a, const void *b) { return strcmp(*(const char *const *)a, *(const char *const *)b); }

#endif
