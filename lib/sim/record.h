/* lib/sim/record.h - quern's own trace format: what analysis/record.c writes and hosted/trace.c reads.
 *
 *   "QNTRACE1"  then per reference
 *     1 byte       kind (3 bits) | code << 3
 *     varint       zigzag of the address less the last address of this kind
 *   fetch, read, write, modify: code = bytes, 1 to 31; 0 = a varint with the bytes follows
 *   conditional: code bit 0 taken, bit 1 the target lies below;   indirect: a varint, zigzag of target less address, follows
 *   stack: code 0 a call, 1 a return; as for indirect, the target of a call being where it will return
 *   kind 0 ends the trace, so that a file cut off anywhere behind the last record reads well with zeros behind it
 *
 * A varint has 7 bits per byte, low bits first, and the high bit set in all but its last byte.  The whole may be compressed.
 */
#ifndef QN_SIM_RECORD_H
#define QN_SIM_RECORD_H

#include "base/base.h"

#define RECORD_MAGIC "QNTRACE1"
#define RECORD_MAGIC_BYTES 8
#define RECORD_BYTES_MAX 32 /* of one record */

enum record_kind { RECORD_END, RECORD_FETCH, RECORD_READ, RECORD_WRITE, RECORD_MODIFY, RECORD_COND, RECORD_INDIRECT,
                   RECORD_STACK, RECORD_KINDS };

static inline uint64_t record_zigzag(uint64_t delta) { return delta << 1 ^ (0 - (delta >> 63)); }
static inline uint64_t record_unzigzag(uint64_t z) { return z >> 1 ^ (0 - (z & 1)); }

#endif
