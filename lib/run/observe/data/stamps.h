/* lib/run/observe/data/stamps.h - does what was found at an address still hold?
 *
 *   then = *qn_stamp_of(address)              the object there is found
 *   then == *qn_stamp_of(address)             no block has come or gone near it, and nothing was mapped or unmapped
 *
 * One stamp for each 64 KiB; of ranges that are far apart it may be the same one.  blocks.c and ranges.c change them.
 */
#ifndef QN_RUN_STAMPS_H
#define QN_RUN_STAMPS_H

#include "base/base.h"

#define QN_STAMP_BITS 16u
#define QN_STAMP_BYTES (1u << QN_STAMP_BITS)
#define QN_STAMPS 256u
extern uint64_t qn_stamps_changes; /* how often any was changed */
extern uint64_t qn_stamps[QN_STAMPS];

static inline const uint64_t *qn_stamp_of(uint64_t address) { return &qn_stamps[address >> QN_STAMP_BITS & (QN_STAMPS - 1)]; }

static inline void qn_stamps_change_all(void)
{
    qn_stamps_changes++;
    for (unsigned i = 0; i < QN_STAMPS; i++)
        qn_stamps[i] = qn_stamps_changes;
}

/* A block there comes or goes. */
static inline void qn_stamps_change(uint64_t base, uint64_t end)
{
    if ((end - base) >> QN_STAMP_BITS >= QN_STAMPS) {
        qn_stamps_change_all();
        return;
    }
    qn_stamps_changes++;
    for (uint64_t at = base >> QN_STAMP_BITS; at <= (end - 1) >> QN_STAMP_BITS; at++)
        qn_stamps[at % QN_STAMPS] = qn_stamps_changes;
}

#endif
