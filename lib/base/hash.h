/* lib/base/hash.h - a hash of what may be long: FNV-1a (http://www.isthe.com/chongo/tech/comp/fnv/), which needs no table.
 *
 *   qn_hash_bytes(QN_HASH_NONE, "a", 1) = af63dc4c8601ec8c
 *
 * Values may be added that are wider than a byte: that is faster, and another hash.  qn_hash_words does so.
 */
#ifndef QN_BASE_HASH_H
#define QN_BASE_HASH_H

#include <stdint.h>

#define QN_HASH_NONE 0xcbf29ce484222325ull /* of no bytes */

static inline uint64_t qn_hash_add(uint64_t hash, uint64_t value) { return (hash ^ value) * 0x100000001b3ull; }

static inline uint64_t qn_hash_bytes(uint64_t hash, const void *bytes, uint64_t n)
{
    for (uint64_t i = 0; i < n; i++)
        hash = qn_hash_add(hash, ((const uint8_t *)bytes)[i]);
    return hash;
}

/* One number for another, and no two for the same one: the last step of splitmix64 (Steele, Lea, Flood 2014). */
static inline uint64_t qn_hash_mix(uint64_t z)
{
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9ull;
    z = (z ^ z >> 27) * 0x94d049bb133111ebull;
    return z ^ z >> 31;
}

/* By words of eight bytes, the last filled up with zeros. */
static inline uint64_t qn_hash_words(uint64_t hash, const void *bytes, uint64_t n)
{
    const char *at = bytes;
    uint64_t word;

    for (; n >= sizeof word; n -= sizeof word, at += sizeof word) {
        __builtin_memcpy(&word, at, sizeof word);
        hash = qn_hash_add(hash, word);
    }
    if (!n)
        return hash;
    word = 0;
    __builtin_memcpy(&word, at, n);
    return qn_hash_add(hash, word);
}

#endif
