/* lib/trace/champsim.h - writes a recorded trace in ChampSim's format: a record for each instruction.
 *
 *   u64 ip; u8 is_branch, taken; u8 written registers[2]; u8 read registers[4]; u64 written addresses[2]; u64 read addresses[4]
 *
 * A record has 64 bytes, little-endian; the longer form has 8 more, of which the first is the kind of load (0 here).  0 means no register
 * or no address.  ChampSim tells the kind of a branch from the registers that it reads and writes: 6 is the stack pointer, 25 the flags,
 * 26 the instruction pointer (its inc/instruction.h).  The other general registers have Pin's numbers.
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
    uint64_t left_out; /* references for which the record has no room: it holds four addresses read and two written */
};

/* Writes a record of `bytes` (QN_CHAMPSIM_SHORT or _LONG) for each instruction.  false: the file cannot be written, or there is no memory. */
bool qn_trace_write_champsim(struct qn_trace_pack *to, struct qn_trace_records *from, unsigned bytes, struct qn_champsim_counts *counts);

#endif
