/*
 * Sorts 64-bit keys, each with a number that travels along.
 *
 * In:  {key, id} in any order
 * Out: by key ascending; equal keys keep their order
 *
 * Invariants: stable; linear in the number of keys; already sorted input costs one scan.
 */
#ifndef QN_TEXT_RADIX_H
#define QN_TEXT_RADIX_H

#include <stddef.h>
#include <stdint.h>

struct qn_text_key {
    uint64_t key;
    uint64_t id;
};

void qn_text_sort_keys(struct qn_text_key *keys, size_t count);

#endif
