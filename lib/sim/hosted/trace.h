/* sim/hosted/trace.h - reading recorded references.
 *
 *   lackey text     I  04001000,3      L 1ffe,8      S 1ffe,8      M 1ffe,8
 *   Dinero .din     2 4001000          0 1ffe        1 1ffe        (4 bytes each)
 *   extended .xdin  i 4001000 3        r 1ffe 8      w 1ffe 8      (hexadecimal)
 *   quern's own     see sim/parts.h, and for the form before it sim/record.h
 *   ChampSim        see champsim.h
 *
 * The format is detected from the content; for text, from the first line that is a reference.
 */
#ifndef QN_SIM_TRACE_H
#define QN_SIM_TRACE_H

#include <stdbool.h>
#include <stdint.h>

#include "sim/module.h"

struct trace;

/* NULL: `why` says what is wrong. */
struct trace *trace_open(const char *path, char *why, unsigned why_size);

/* Skips instructions before n, as far as the format allows it without reading them.  Returns the number of the next instruction.  Call it
 * before the first reference is read. */
uint64_t trace_seek(struct trace *t, uint64_t n);

/* The number of instructions without a fetch (repetitions of string instructions) before the last reference, or before the end, that have not been
 * returned yet. */
uint64_t trace_take_more(struct trace *t);

/* 1: *ref is the next one; 0: the end; -1: trace_error says FILE:LINE: what.  outcome holds SIM_TAKEN for branches. */
int trace_next(struct trace *t, struct sim_ref *ref);
const char *trace_error(const struct trace *t);
void trace_close(struct trace *t);

#endif
