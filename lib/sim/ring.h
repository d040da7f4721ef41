/* lib/sim/ring.h - words from the program that is recorded (analysis/record.c) to `quern trace`, through memory that both have.
 *
 *   recorder   words[head % RING_WORDS] = ... ; head += n ;  the reader sleeps?  a byte through the socket
 *   reader     words[tail % RING_WORDS] ...   ; tail += n ;  the recorder waits?  a byte back
 *
 * head and tail only grow.  Each side says that it is going to sleep before it looks for the last time, and so is not missed.  The
 * recorder that waits reads the end of the socket when the reader is gone.  A reader that cannot write what it reads says so (refused)
 * before it goes, and the recorder stops the program.
 */
#ifndef QN_SIM_RING_H
#define QN_SIM_RING_H

#include "sim/contract.h"

#define RING_WORDS (1u << 17)
#define RING_OFFSET 4096u /* of the words */
#define RING_BYTES (RING_OFFSET + RING_WORDS * sizeof(struct qn_log_entry))

struct ring {
    uint64_t head __attribute__((aligned(64))), reader_sleeps;
    uint64_t tail __attribute__((aligned(64))), recorder_waits, refused; /* the recorder looks at tail anyhow */
};

static inline struct qn_log_entry *ring_words(struct ring *r) { return (struct qn_log_entry *)((uint8_t *)r + RING_OFFSET); }

#define RING_LOAD(field) __atomic_load_n(&(field), __ATOMIC_SEQ_CST)
#define RING_STORE(field, value) __atomic_store_n(&(field), value, __ATOMIC_SEQ_CST)
#define RING_TAKE(field) __atomic_exchange_n(&(field), 0, __ATOMIC_SEQ_CST) /* what it was; now 0 */

#endif
