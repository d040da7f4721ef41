/* lib/trace/champsim.h - a recorded trace as ChampSim reads it: a record per instruction.
 *
 *   u64 ip; u8 is_branch, taken; u8 written registers[2]; u8 read registers[4]; u64 written addresses[2]; u64 read addresses[4]
 *
 * 64 bytes, little-endian; the longer form has 8 more, of which the first says what kind of load it is (0 here).  0 is no register and no
 * address.  ChampSim tells the kind of a branch from the registers that it reads and writes: 6 the stack pointer, 25 the flags, 26 the
 * instruction pointer (its inc/instruction.h).  The others are numbered as in Pin, as far as they are general ones.
 */
#ifndef QN_TRACE_CHAMPSIM_H
#define QN_TRACE_CHAMPSIM_H

#include <stdbool.h>
#include <stdint.h>

#include "trace/pack.h"
#include "trace/records.h"

#define QN_CHAMPSIM_SHORT 64 /* bytes of a record */
#define QN_CHAMPSIM_LONG 72

enum qn_champsim_branch {
    QN_CHAMPSIM_JUMP, QN_CHAMPSIM_INDIRECT, QN_CHAMPSIM_CONDITIONAL, QN_CHAMPSIM_CALL, QN_CHAMPSIM_INDIRECT_CALL, QN_CHAMPSIM_RETURN,
    QN_CHAMPSIM_BRANCHES
};

struct qn_champsim_counts {
    uint64_t instructions, reads, writes, branches[QN_CHAMPSIM_BRANCHES];
    uint64_t taken;   /* conditional branches */
    uint64_t left_out; /* references beyond the four that an instruction reads, and the two that it writes */
};

/* Writes all records, each of `bytes` (SHORT or LONG).  false: the file cannot be written, or there is no memory. */
bool qn_trace_write_champsim(struct qn_trace_pack *to, struct qn_trace_records *from, unsigned bytes, struct qn_champsim_counts *counts);

#endif
