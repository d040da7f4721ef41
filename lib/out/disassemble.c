/*
 * Instructions as text. See disassemble.h.
 *
 * In:  bytes of a profile, which may be damaged
 * Out: what lib/decode prints
 */
#include "out/disassemble.h"

#include <stdio.h>

#include "decode/decode.h"

void qn_out_disassemble(char *to, size_t room, const struct qn_prof_insn *insn)
{
    struct qn_insn decoded;
    if (insn->length == 0)
        snprintf(to, room, "(bytes not known)");
    else if (qn_decode_insn(insn->bytes, insn->length, &decoded) != QN_DEC_OK || decoded.len != insn->length)
        snprintf(to, room, "(bad)");
    else
        qn_decode_print(insn->bytes, &decoded, insn->address, to, room);
}
