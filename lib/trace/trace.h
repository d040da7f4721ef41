/* lib/trace/trace.h - writes and reads recorded references: quern's own trace (format.h), and those of other programs.
 *
 *   w = qn_trace_open_writer(file, QN_TRACE_ZSTD, 0, UINT64_MAX);      words (sim/contract.h) in, parts of a trace out
 *   qn_trace_write(w, words, n); ... good = qn_trace_close_writer(w, &counts);
 *
 *   r = qn_trace_open_recorder(w);                                     the same from the ring, in a thread
 *   start the program, which inherits qn_trace_recorder_fds(r)[0], the memory, and [1], the socket; wait for its end
 *   good = qn_trace_close_recorder(r, &begun);
 *
 *   qn_trace_measure_parts(fd, &facts)     instructions, references, bytes; whether the trace has its end
 *   qn_trace_end_parts(fd, &facts)         cuts off a part that is not whole; writes the index and the end mark, unless they are there
 *
 *   t = qn_trace_open("prog.trace", why, sizeof why); while (qn_trace_next(t, &ref) == 1) ...
 *
 *   p = qn_trace_open_pack(file, QN_TRACE_XZ);                         a file, compressed by zstd, by xz or not at all
 *   qn_trace_pack(p, bytes, n); ... if (!qn_trace_close_pack(p)) ...
 */
#ifndef QN_TRACE_TRACE_H
#define QN_TRACE_TRACE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "sim/contract.h"

/* ---- compression ---- */

enum qn_trace_packing { QN_TRACE_PLAIN, QN_TRACE_ZSTD, QN_TRACE_XZ };

struct qn_trace_pack;

/* NULL: no memory. */
struct qn_trace_pack *qn_trace_open_pack(FILE *to, enum qn_trace_packing how);

/* false: a write failed, now or in an earlier call. */
bool qn_trace_pack(struct qn_trace_pack *p, const void *bytes, size_t n);

/* Writes the rest and frees p; the file stays open.  false: something was not written. */
bool qn_trace_close_pack(struct qn_trace_pack *p);

/* A packer compresses pieces, each by itself, in memory.  qn_trace_pack_bytes returns the packed piece, which is valid until the next call;
 * NULL: no memory, or the library failed. */
struct qn_trace_packer;
struct qn_trace_packer *qn_trace_open_packer(enum qn_trace_packing how);
const uint8_t *qn_trace_pack_bytes(struct qn_trace_packer *p, const uint8_t *bytes, size_t n, size_t *packed);
void qn_trace_close_packer(struct qn_trace_packer *p);

/* ---- the writer ---- */

struct qn_trace_writer;

struct qn_trace_counts {
    uint64_t instructions, references, bytes; /* references: fetches and those to data; bytes: of the file */
    const char *bug;                          /* what is wrong with the recorder's words; NULL: nothing */
    bool whole;                               /* the file has its end mark; the last parts may be missing, if they could not be written */
};

/* Writes the beginning of the file.  Only instructions `from` to from + count - 1 will be recorded.  NULL: no memory. */
struct qn_trace_writer *qn_trace_open_writer(FILE *to, enum qn_trace_packing how, uint64_t from, uint64_t count);

/* Returns how many of the words (sim/contract.h) it took: fewer than n if a block at the end is not whole, or if it failed. */
size_t qn_trace_write(struct qn_trace_writer *w, const uint64_t *words, size_t n);

/* false: the file cannot be written, or the words make no sense; qn_trace_close_writer says which. */
bool qn_trace_good(const struct qn_trace_writer *w);

/* Writes the rest, the index and the end mark; frees w.  A block whose words are not all there is left out.  false: counts->bug, or errno
 * if not all could be written.  Then, if counts->whole, the file is a whole trace of what `counts` says.  If there was no room for an end
 * either, the file holds as much without one, which qn_trace_end_parts can end; instructions 0: it holds nothing. */
bool qn_trace_close_writer(struct qn_trace_writer *w, struct qn_trace_counts *counts);

/* ---- the reader of the ring ---- */

struct qn_trace_recorder;

/* NULL: errno says why not. */
struct qn_trace_recorder *qn_trace_open_recorder(struct qn_trace_writer *to);
const int *qn_trace_recorder_fds(const struct qn_trace_recorder *r);

/* Writes what is left in the ring, ends the thread and frees r.  *begun: the program recorded something.  false: the writer failed. */
bool qn_trace_close_recorder(struct qn_trace_recorder *r, bool *begun);

/* ---- a trace that was written ---- */

struct qn_trace_facts {
    uint64_t parts, instructions, references; /* whole parts, the index not counted; what they hold */
    uint64_t bytes;                           /* of the file */
    uint64_t whole;                           /* bytes from the file's beginning to the end of these parts */
    uint8_t packing;                          /* of the last part, enum part_packing */
    bool ended;                               /* the index and the end mark are there */
    bool cut;                                 /* ... are not, because the file ends before */
    char wrong[160];                          /* if not ended: at which byte, and what it is */
};

/* false: it cannot be read (errno), or is no such trace (errno 0). */
bool qn_trace_measure_parts(int fd, struct qn_trace_facts *facts);
/* The same; also false if it is damaged, and then the file is unchanged (errno 0): what is behind the damage would be lost. */
bool qn_trace_end_parts(int fd, struct qn_trace_facts *facts);

/* ---- reading recorded references ----
 *
 *   quern's own     format.h
 *   ChampSim        champsim_read.c
 *   text            r 0x401136 0x7ffe10 8    b 0x401140 backward taken    what `quern replay --format=text` writes; outcomes are passed over
 *   lackey text     I  04001000,3      L 1ffe,8      S 1ffe,8      M 1ffe,8
 *   Dinero .din     2 4001000          0 1ffe        1 1ffe        (4 bytes each)
 *   extended .xdin  i 4001000 3        r 1ffe 8      w 1ffe 8      (hexadecimal)
 *
 * The format is detected from the content; for texts, from the first line that is a reference.  zstd and xz are unpacked.
 */

struct sim_ref;
struct qn_trace_reader;

/* NULL: `why` says what is wrong.  "-": standard input. */
struct qn_trace_reader *qn_trace_open(const char *path, char *why, unsigned why_size);

/* Skips instructions before n, as far as the format allows it without reading them.  Returns the number of the next instruction.  Call it
 * before the first reference is read. */
uint64_t qn_trace_seek(struct qn_trace_reader *t, uint64_t n);

/* The number of instructions without a fetch (repetitions of string instructions) before the last reference, or before the end, that have not been
 * returned yet. */
uint64_t qn_trace_take_more(struct qn_trace_reader *t);

/* The core that made the last reference, and its thread's number; 0 and 0 in traces that do not say. */
uint32_t qn_trace_core(const struct qn_trace_reader *t, uint32_t *thread);

/* 1: *ref is the next one; 0: the end; -1: qn_trace_error says FILE:LINE: what.  outcome holds SIM_TAKEN for branches. */
int qn_trace_next(struct qn_trace_reader *t, struct sim_ref *ref);

/* The bytes of code from pc on, where the last fetch was: n of them, to the end of a basic block.  NULL: they were not recorded, or are those of
 * another block than the running one, and `search` is false.  Valid until the next reference. */
const uint8_t *qn_trace_code(const struct qn_trace_reader *t, uint64_t pc, bool search, size_t *n);

const char *qn_trace_error(const struct qn_trace_reader *t);
void qn_trace_close(struct qn_trace_reader *t);

/* ---- ChampSim's format: a record for each instruction ----
 *
 *   u64 ip; u8 is_branch, taken; u8 written registers[2]; u8 read registers[4]; u64 written addresses[2]; u64 read addresses[4]
 *
 * A record has 64 bytes, little-endian; the longer form has 8 more, of which the first is the kind of load (0 here).  0 means no register
 * or no address.  ChampSim tells the kind of a branch from the registers that it reads and writes: 6 is the stack pointer, 25 the flags,
 * 26 the instruction pointer (its inc/instruction.h).  The other general registers have Pin's numbers.
 */

#define QN_CHAMPSIM_SHORT 64 /* bytes of a record */
#define QN_CHAMPSIM_LONG 72

enum { QN_CHAMPSIM_STACK_POINTER = 6, QN_CHAMPSIM_FLAGS = 25, QN_CHAMPSIM_INSTRUCTION_POINTER = 26 }; /* registers */
enum { QN_CHAMPSIM_WRITTEN = 2, QN_CHAMPSIM_READ = 4 }; /* registers in a record, and addresses */

struct qn_champsim_record {
    uint64_t ip;
    uint8_t is_branch, taken, writes[QN_CHAMPSIM_WRITTEN], reads[QN_CHAMPSIM_READ];
    uint64_t written[QN_CHAMPSIM_WRITTEN], read[QN_CHAMPSIM_READ];
    uint64_t load_type; /* of the long form */
};

enum qn_champsim_branch {
    QN_CHAMPSIM_JUMP, QN_CHAMPSIM_INDIRECT, QN_CHAMPSIM_CONDITIONAL, QN_CHAMPSIM_CALL, QN_CHAMPSIM_INDIRECT_CALL, QN_CHAMPSIM_RETURN,
    QN_CHAMPSIM_BRANCHES
};

struct qn_champsim_counts {
    uint64_t instructions, reads, writes, branches[QN_CHAMPSIM_BRANCHES];
    uint64_t taken;   /* conditional branches */
    uint64_t left_out; /* references for which the record has no room: it holds four addresses read and two written */
};

/* Writes a record of `bytes` (QN_CHAMPSIM_SHORT or _LONG) for each instruction of a trace that has its code.  false: the file cannot be written, the
 * trace cannot be read, or there is no memory. */
bool qn_trace_write_champsim(struct qn_trace_pack *to, struct qn_trace_reader *from, unsigned bytes, struct qn_champsim_counts *counts);

#endif
