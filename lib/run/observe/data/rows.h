/* lib/run/observe/data/rows.h - see rows.c.  What a site's last reference was found to be, for the next one. */
#ifndef QN_RUN_ROWS_H
#define QN_RUN_ROWS_H

#include "run/observe/data/blocks.h"
#include "run/observe/data/data.h"

#define QN_RECENT_BITS 10u
#define QN_RECENT (1u << QN_RECENT_BITS)
#define QN_RECENT_ROWS_BITS 6u
#define QN_RECENT_ROWS (1u << QN_RECENT_ROWS_BITS)
#define QN_RECENT_ROW_BITS 23u /* of a row's number; above: its offset */
_Static_assert(QN_ARENA_DATA_SIZE / sizeof(struct qn_data_row) <= 1u << QN_RECENT_ROW_BITS, "numbers of rows");

struct qn_recent {
    uint64_t from, length;  /* of the bytes for which the rest holds, */
    const uint64_t *stamp;  /* as long as this */
    uint64_t then;          /* is that */
    uint64_t start, size;   /* of what they lie in */
    uint32_t site, object, modulus;
    uint32_t others;        /* references in a row that were to something else */
    uint64_t rows[QN_RECENT_ROWS]; /* of the object, by hash of the offset: offset << QN_RECENT_ROW_BITS | number; 0: none */
};

extern struct qn_recent qn_recent[QN_RECENT];

static inline struct qn_recent *qn_recent_of(uint32_t site) { return &qn_recent[(site * 0x9e3779b1u) >> (32 - QN_RECENT_BITS)]; }

/* modulus: of offsets that count; 0: they are rounded instead. */
static inline uint64_t qn_rows_offset(uint64_t offset, uint32_t modulus)
{
    if (!modulus)
        return offset & ~(qn_offset_step(offset) - 1);
    return offset >> 32 ? offset % modulus : (uint32_t)offset % modulus;
}

static inline uint64_t *qn_rows_word(struct qn_recent *r, uint64_t offset)
{
    return &r->rows[offset * 0x9e3779b97f4a7c15ull >> (64 - QN_RECENT_ROWS_BITS)];
}

/* Is the reference to what the last one of its site was to? */
static inline bool qn_rows_is_expected(const struct qn_recent *r, uint64_t address, uint32_t site)
{
    return QN_LIKELY(r->site == site && address - r->from < r->length && *r->stamp == r->then);
}

/* The row of a reference that is; QN_NO_OBJECT: the next function finds it. */
static inline uint32_t qn_rows_find_quick(struct qn_recent *r, uint64_t offset)
{
    uint64_t word = *qn_rows_word(r, offset);

    return QN_LIKELY(word && word >> QN_RECENT_ROW_BITS == offset) ? (uint32_t)word & ((1u << QN_RECENT_ROW_BITS) - 1) : QN_NO_OBJECT;
}

uint32_t qn_rows_find_in(struct qn_recent *r, uint64_t offset);

#endif
