/*
 * A machine instruction in a profile: its address and its bytes.
 *
 * In:  "0x401136 488b45f8"       Out: address 0x401136, the 4 bytes 48 8b 45 f8
 * In:  "0x7f0000001000 -"        Out: address 0x7f0000001000, bytes not known
 *
 * The address is the one that the object's symbol table uses; for code that is in no file it is the
 * address at run time. With the bytes, a profile can be disassembled even if the object is gone.
 */
#ifndef QN_PROF_INSN_H
#define QN_PROF_INSN_H

#include <stddef.h>
#include <stdint.h>

/* The longest x86-64 instruction. */
#define QN_PROF_INSN_BYTES 15

/* Room for either text below, with its NUL. */
#define QN_PROF_INSN_TEXT 32

struct qn_prof_insn {
    uint64_t address;
    uint8_t length; /* of bytes; 0: not known */
    uint8_t bytes[QN_PROF_INSN_BYTES]; /* those after `length` are 0 */
};

/* "0x401136", whose end is returned, and "488b45f8" or "-". */
char *qn_prof_format_address(char to[QN_PROF_INSN_TEXT], uint64_t address);
void qn_prof_format_bytes(char to[QN_PROF_INSN_TEXT], const struct qn_prof_insn *insn);

/* The reverse: returns the end of what was read, or NULL if the text does not begin with an address or bytes.
 * Hexadecimal digits of either case; two for each byte, without blanks. */
const char *qn_prof_parse_address(const char *text, uint64_t *address);
const char *qn_prof_parse_bytes(const char *text, struct qn_prof_insn *insn);

int qn_prof_same_insn(const struct qn_prof_insn *a, const struct qn_prof_insn *b);

#endif
