/*
 * Interned names, and the hash index below them: each text is stored once and known by a small number.
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

/* ---- first sizes of buffers and tables ----
 *
 * In:  -DQN_TINY, as the fuzzers and one test build have it
 * Out: sizes so small that buffers and tables grow all the time, which shows bugs there;
 *      otherwise sizes that suit the profile of a real program
 */

#ifdef QN_TINY
#define QN_TEXT_LINES_BYTES ((size_t)64)      /* text read at once */
#define QN_TEXT_NAME_BYTES ((size_t)64)       /* a block of names */
#define QN_TEXT_SLOTS 4u                      /* of a hash index, a power of two */
#define QN_TEXT_ROOM 1u                       /* entries of a growing array */
#else
#define QN_TEXT_LINES_BYTES ((size_t)256 << 10)
#define QN_TEXT_NAME_BYTES ((size_t)256 << 10)
#define QN_TEXT_SLOTS 1024u
#define QN_TEXT_ROOM 256u
#endif

/* ---- a hash index that numbers its entries: 0, 1, 2, ... ----
 *
 * The owner keeps the entries themselves in arrays by number; the index keeps only their hashes.
 *
 * In:  for (id = qn_text_hash_first(&x, hash, &at); id != QN_TEXT_NO_ID;
 *           id = qn_text_hash_next(&x, hash, &at))
 *          if (equal(entries[id], wanted)) return id;
 *      id = qn_text_hash_insert(&x, hash);      the next number
 * Out: candidates, whose 32-bit hash is equal; the owner compares the entries.
 *
 * Invariants: at most 70% full; numbers never change; nothing is ever removed.
 */

#define QN_TEXT_NO_ID UINT32_MAX

struct qn_text_hash {
    uint32_t *slots;  /* id + 1, 0 = empty; mask + 1 of them */
    uint32_t *hashes; /* by id */
    uint32_t mask;
    uint32_t count;
    uint32_t room; /* ids that fit before the next growth */
};

/* Appends one id under `hash`. */
uint32_t qn_text_hash_insert(struct qn_text_hash *x, uint32_t hash);
void qn_text_hash_free(struct qn_text_hash *x);

/* Hashes of a string and of a pair of numbers. */
uint32_t qn_text_hash_bytes(const char *text, size_t n);

static inline uint32_t qn_text_hash_pair(uint32_t a, uint32_t b)
{
    /* Fibonacci hashing: the multiplier is 2^64 / golden ratio. */
    uint64_t x = ((uint64_t)a << 32 | b) * 0x9e3779b97f4a7c15u;
    x ^= x >> 32;
    return (uint32_t)(x * 0x9e3779b97f4a7c15u >> 32);
}

static inline uint32_t qn_text_hash_scan(const struct qn_text_hash *x, uint32_t hash, uint32_t *at)
{
    for (;; (*at)++) {
        uint32_t id = x->slots[*at & x->mask];
        if (!id)
            return QN_TEXT_NO_ID;
        if (x->hashes[id - 1] == hash)
            return id - 1;
    }
}

static inline uint32_t qn_text_hash_first(const struct qn_text_hash *x, uint32_t hash, uint32_t *at)
{
    *at = hash;
    return x->slots ? qn_text_hash_scan(x, hash, at) : QN_TEXT_NO_ID;
}

static inline uint32_t qn_text_hash_next(const struct qn_text_hash *x, uint32_t hash, uint32_t *at)
{
    (*at)++;
    return qn_text_hash_scan(x, hash, at);
}

/* ---- names ---- */

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
