/*
 * Instructions as text. See disassemble.h.
 *
 * In:  bytes of a profile, which may be damaged
 * Out: what lib/decode prints
 */
#include "out/disassemble.h"

#include <stdbool.h>
#include <stdio.h>

#include "decode/decode.h"

/* Some encodings have different lengths on Intel's and AMD's processors; the length in the profile tells which it was. */
static bool decode(const struct qn_prof_insn *insn, struct qn_insn *decoded)
{
    return (qn_decode_insn_for(QN_MACHINE_INTEL, insn->bytes, insn->length, decoded) == QN_DEC_OK &&
            decoded->len == insn->length) ||
           (qn_decode_insn_for(QN_MACHINE_AMD, insn->bytes, insn->length, decoded) == QN_DEC_OK &&
            decoded->len == insn->length);
}

void qn_out_disassemble(char *to, size_t room, const struct qn_prof_insn *insn)
{
    struct qn_insn decoded;
    if (insn->length == 0)
        snprintf(to, room, "(bytes not known)");
    else if (!decode(insn, &decoded))
        snprintf(to, room, "(bad)");
    else
        qn_decode_print(insn->bytes, &decoded, insn->address, to, room);
}
