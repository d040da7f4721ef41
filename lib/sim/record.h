/* lib/sim/record.h - a ring of words (sim/contract.h) in shared memory, from the recorded program (analysis/record.c) to `quern trace` (lib/trace).
 *
 *   recorder   words[head % RING_WORDS] = ... ; head += n ;  if the reader sleeps: a byte through the socket
 *   reader     words[tail % RING_WORDS] ...   ; tail += n ;  if the recorder waits: a byte back
 *
 * head and tail only grow, by whole blocks and pairs.  Each side sets its flag (reader_sleeps, recorder_waits) before it checks the ring for the last time, so
 * no wake-up is lost.  If the reader ends, the waiting recorder reads the end of the socket.  A reader that cannot write its output
 * sets `refused` before it ends, and the recorder stops the program. */
#ifndef QN_SIM_RECORD_H
#define QN_SIM_RECORD_H

#include "base/base.h"
#include "sim/contract.h"

#define RING_WORDS (1u << 17)
#define RING_OFFSET 4096u /* of the words */
#define RING_BYTES (RING_OFFSET + RING_WORDS * sizeof(uint64_t))

struct ring {
    uint64_t head __attribute__((aligned(64))), reader_sleeps;
    uint64_t tail __attribute__((aligned(64))), recorder_waits, refused; /* in one line, because the recorder reads tail anyway */
};

static inline uint64_t *ring_words(struct ring *r) { return (uint64_t *)((uint8_t *)r + RING_OFFSET); }

#define RING_LOAD(field) __atomic_load_n(&(field), __ATOMIC_SEQ_CST)
#define RING_STORE(field, value) __atomic_store_n(&(field), value, __ATOMIC_SEQ_CST)
#define RING_TAKE(field) __atomic_exchange_n(&(field), 0, __ATOMIC_SEQ_CST) /* the old value; sets it to 0 */

#endif
