/* share.h - what share.c has to define.  `shared` is memory that all threads see: SHARED_BYTES bytes, zero at first, at a multiple of 64 KiB.  Each
 * function is called by the thread whose number is me. */
#ifndef SHARE_H
#define SHARE_H

#define SHARED_BYTES 65536
#define THREADS 16 /* at most: me is below */
#define LINE 64    /* bytes */

/* Sixteen counters.  Adds an amount to one; the sum of all that was added to it, when nobody adds any more. */
#define COUNTERS 16
void counter_add(void *shared, long me, unsigned counter, unsigned amount);
unsigned counter_sum(void *shared, unsigned counter);

/* A queue of 64 values between two threads: one puts, the other takes.  Returns 0 if the queue is full, or empty; else 1. */
int queue_put(void *shared, unsigned value);
int queue_take(void *shared, unsigned *value);

/* One thread is in at a time; those that wait come in by turns.  Returns how often threads have come in before. */
unsigned lock_enter(void *shared, long me);
void lock_leave(void *shared, long me);

#endif
