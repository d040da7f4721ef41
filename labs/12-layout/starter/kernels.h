/* kernels.h - what layout.c has to define.  `in` is given, `out` is the result, `room` is 512 KiB for a layout of yours; each begins at a
 * multiple of 64 KiB. */
#ifndef KERNELS_H
#define KERNELS_H

#define WORDS_EACH 16 /* of a particle, and of an event */

/* One step of a hash (FNV). */
#define HASH(h, word) (((h) ^ (word)) * 16777619u)

/* n particles, one behind the other; m rounds. */
void scan(long n, long m, const unsigned *in, unsigned *room, unsigned *out);

/* n records, field by field; m lookups. */
void lookup(long n, long m, const unsigned *in, unsigned *room, unsigned *out);

/* n events, one behind the other; m steps. */
void events(long n, long m, const unsigned *in, unsigned *room, unsigned *out);

#endif
