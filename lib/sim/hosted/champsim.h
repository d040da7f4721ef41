/* sim/hosted/champsim.h - references out of ChampSim's records, one per instruction (64 or 72 bytes; lib/trace/champsim.h has the layout).
 *
 *   ip 401000, branch, taken, registers: writes 26 6, reads 6 26; written address 7ffe0ff8; the next ip is 402000
 *   -> a fetch of 401000, a write of 7ffe0ff8, a call that will return to 401005
 *
 * What a record does not tell: sizes (every fetch and reference is one byte); where a branch that is not taken would have gone (backward is
 * false until it has been taken); how long a call is (5 bytes, as a direct one, until a return has come back from it).
 */
#ifndef QN_SIM_HOSTED_CHAMPSIM_H
#define QN_SIM_HOSTED_CHAMPSIM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sim/hosted/bytes.h"
#include "sim/module.h"

struct champsim;

/* Bytes of a record, 64 or 72, if what begins here is such a trace; else 0. */
unsigned champsim_record_bytes(const unsigned char *bytes, size_t n);

struct champsim *champsim_open(unsigned record_bytes); /* NULL: no memory */
/* 1: *ref; 0: the end; -1: the last record is not whole. */
uint64_t champsim_records(const struct champsim *c); /* read so far, one more than those of which references came */
int champsim_next(struct champsim *c, struct bytes *from, struct sim_ref *ref);

#endif
