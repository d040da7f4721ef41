/*
 * A hash index that numbers its entries: 0, 1, 2, ... The owner keeps the entries themselves
 * in arrays by number; the index keeps only their hashes.
 *
 * In:  for (id = qn_text_hash_first(&x, hash, &at); id != QN_TEXT_NO_ID;
 *           id = qn_text_hash_next(&x, hash, &at))
 *          if (equal(entries[id], wanted)) return id;
 *      id = qn_text_hash_insert(&x, hash);      the next number
 * Out: candidates, whose 32-bit hash is equal; the owner compares the entries.
 *
 * Invariants: at most 70% full; numbers never change; nothing is ever removed.
 */
#ifndef QN_TEXT_HASH_H
#define QN_TEXT_HASH_H

#include <stddef.h>
#include <stdint.h>

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

#endif
