/* sim/hosted/champsim.h - references from ChampSim's records, one for each instruction (64 or 72 bytes; layout: lib/trace/champsim.h).
 *
 *   ip 401000, branch, taken, registers: writes 26 6, reads 6 26; written address 7ffe0ff8; the next ip is 402000
 *   -> a fetch of 401000, a write of 7ffe0ff8, a call that will return to 401005
 *
 * A record does not have: sizes (every fetch and reference is one byte); the target of a branch that is not taken (backward is false until
 * it has been taken); the length of a call (5 bytes, as of a direct call, until a return from it has been seen).
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
uint64_t champsim_take_more(struct champsim *c); /* as trace_take_more: records of further steps of a string instruction have no fetch */

#endif
