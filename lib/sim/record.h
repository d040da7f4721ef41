/* lib/sim/record.h - quern's trace format, second version: analysis/record.c writes it, tools/trace/trace.c ends it, hosted/trace.c reads it.
 *
 *   "QNTRACE2"  then for each reference
 *     1 byte       kind (3 bits) | code << 3
 *     varint       zigzag of the address less the last address of this kind
 *   fetch, read, write, modify: code = bytes, 1 to 31; 0: a varint with the bytes stands before that of the address
 *   conditional: code bit 0 taken, bit 1 the target lies below;   indirect: a varint, zigzag of target less address, follows
 *   stack: code 0 a call, 1 a return; then as for indirect, where the target of a call is its return address
 *   stack, code 2 (with --sim-opt=record-code=1 only): no address; a varint n and n bytes: the instruction of the next fetch
 *   kind 0 ends the records; then three little-endian numbers of 8 bytes, struct record_sum of the records; then the file ends
 *
 * A varint has 7 bits per byte, low bits first, and the high bit set in all but its last byte.  The whole file may be compressed.
 * While the program runs, zeros follow the records, and the first byte of a record is written last.  So if the program is killed at
 * any point, all records before that are complete, and kind 0 follows them.
 */
#ifndef QN_SIM_RECORD_H
#define QN_SIM_RECORD_H

#include "base/base.h"

#define RECORD_MAGIC "QNTRACE2"
#define RECORD_MAGIC_BYTES 8
#define RECORD_MAGIC_SAME 7    /* bytes that are the same in all versions */
#define RECORD_TRAILER_BYTES 25 /* kind 0, and the sum */
#define RECORD_BYTES_MAX 32 /* of one record */
#define RECORD_CODE 2       /* code of RECORD_STACK: bytes of an instruction */
#define RECORD_CODE_MAX 15  /* of them */

enum record_kind { RECORD_END, RECORD_FETCH, RECORD_READ, RECORD_WRITE, RECORD_MODIFY, RECORD_COND, RECORD_INDIRECT,
                   RECORD_STACK, RECORD_KINDS };

static inline uint64_t record_zigzag(uint64_t delta) { return delta << 1 ^ (0 - (delta >> 63)); }
static inline uint64_t record_unzigzag(uint64_t z) { return z >> 1 ^ (0 - (z & 1)); }

/* A checksum of the records, modulo 2^64: the number of bytes, their sum, and the sum of the partial sums, which depends on their
 * order.  Source:
 * J. G. Fletcher, An arithmetic checksum for serial transmissions, IEEE Transactions on Communications 30(1), 1982. */
struct record_sum {
    uint64_t bytes, sum, sums;
};

static inline void record_add(struct record_sum *s, uint8_t byte)
{
    s->bytes++;
    s->sum += byte;
    s->sums += s->sum;
}

#endif
