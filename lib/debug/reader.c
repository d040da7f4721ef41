/* lib/debug/reader.c - reads numbers and strings of DWARF from bytes that may be damaged.
 *
 * In:  { 0xe5, 0x8e, 0x26 } as ULEB128     Out: 624485
 *
 * Invariants: it never reads beyond `end`: numbers there are 0, and `bad` stays set.
 */
#include <string.h>

#include "debug/internal.h"

#define LEB_BITS 7

void qn_debug_skip(struct qn_reader *r, uint64_t bytes)
{
    if (bytes > (uint64_t)(r->end - r->at)) {
        r->bad = true;
        r->at = r->end;
        return;
    }
    r->at += bytes;
}

/* Little-endian; bytes is 1, 2, 4 or 8. */
uint64_t qn_debug_read(struct qn_reader *r, unsigned bytes)
{
    uint64_t value = 0;

    if (bytes > sizeof value || (size_t)(r->end - r->at) < bytes) {
        qn_debug_skip(r, UINT64_MAX);
        return 0;
    }
    memcpy(&value, r->at, bytes);
    r->at += bytes;
    return value;
}

uint64_t qn_debug_read_long_uleb(struct qn_reader *r)
{
    uint64_t value = 0;

    for (unsigned shift = 0; r->at < r->end; shift += LEB_BITS) {
        uint8_t byte = *r->at++;

        if (shift < 64)
            value |= (uint64_t)(byte & 0x7f) << shift;
        if (!(byte & 0x80))
            return value;
    }
    r->bad = true;
    return 0;
}

int64_t qn_debug_read_long_sleb(struct qn_reader *r)
{
    uint64_t value = 0;

    for (unsigned shift = 0; r->at < r->end;) {
        uint8_t byte = *r->at++;

        if (shift < 64)
            value |= (uint64_t)(byte & 0x7f) << shift;
        shift += LEB_BITS;
        if (!(byte & 0x80))
            return (int64_t)(byte & 0x40 && shift < 64 ? value | ~0ull << shift : value);
    }
    r->bad = true;
    return 0;
}

/* A string that ends inside the section; "" otherwise. */
const char *qn_debug_read_string(struct qn_reader *r)
{
    const uint8_t *start = r->at, *zero = memchr(start, 0, (size_t)(r->end - start));

    if (!zero) {
        r->bad = true;
        r->at = r->end;
        return "";
    }
    r->at = zero + 1;
    return (const char *)start;
}
