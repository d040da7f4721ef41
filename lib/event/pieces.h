/* lib/event/pieces.h - memory operands that Valgrind 3.19 loads in several pieces, or in part.
 *
 *   vfmadd132ps (%rbx),%xmm5,%xmm1    ->  {4, 4, 4}      four loads of 4 bytes, side by side
 *   vmovddup    (%rbx),%ymm1          ->  {2, 8, 16}     two of 8, at 0 and at 16
 *   vpslld      (%rbx),%xmm5,%xmm1    ->  {1, 8, 8}      the lower half
 *   addps       (%rbx),%xmm1          ->  {0, 0, 0}      no rule: all at once
 *
 * The lower address comes first.  Source: the references that its tool lackey shows (--trace-mem=yes). */
#ifndef QN_EVENT_PIECES_H
#define QN_EVENT_PIECES_H

#include "decode/decode.h"

#define QN_PIECES_PLAIN 3 /* so many are references of their own in a block's events; for more a helper is called */

struct qn_pieces {
    uint8_t n, size, step; /* size and step in bytes; n = 0: no pieces */
};

/* Of the operand in memory.  code: the bytes of the instruction. */
struct qn_pieces qn_event_pieces(const struct qn_insn *in, const uint8_t *code);

#endif
