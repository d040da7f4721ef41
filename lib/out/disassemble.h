/*
 * The text of an instruction of a profile, in AT&T syntax.
 *
 * In:  {0x401136, 4 bytes 48 8b 45 f8}
 * Out: "mov    -0x8(%rbp),%rax"; "(bytes not known)"; "(bad)" where the bytes are no instruction
 */
#ifndef QN_OUT_DISASSEMBLE_H
#define QN_OUT_DISASSEMBLE_H

#include "prof/insn.h"

/* Always terminated; cut at room - 1. */
void qn_out_disassemble(char *to, size_t room, const struct qn_prof_insn *insn);

#endif
