/*
 * The findings of an analysis module about instructions: the table beside a profile, and its text.
 *
 * In:  object,address,file,function,line,what,rank,value,other,count,of,share
 *      /bin/prog,0x401136,/src/a.c,main,12,rax,1,0x7,,9500,10000,95.00
 *      /bin/prog,0x401136,/src/a.c,main,12,rax,2,0x3,,100,10000,1.00
 * Out: "rax:(95.00% 0x7) (1.00% 0x3)"
 *
 * Text by `what`: D, L and M are levels, "(94.30% D)"; cycles is a mean, "5.2 cycles"; findings about another
 * instruction name it, "bytes:(80.00% 401120 at 0x7ffc10)"; all others are values. Of each the first few are shown.
 *
 * Invariants: columns are found by name; rows are sorted by object and address, those of one address in the file's order. A file
 * with a malformed row is refused.
 */
#ifndef QN_OUT_FINDINGS_H
#define QN_OUT_FINDINGS_H

#include <stddef.h>
#include <stdint.h>

#include "prof/insn.h"
#include "text/error.h"
#include "text/memory.h"

/* Behind the name of the profile. */
#define QN_OUT_FINDINGS_SUFFIX ".findings.csv"

struct qn_out_finding {
    const char *object, *what;
    uint64_t address, value, other; /* other 0: none */
    uint64_t count, of;
    size_t number; /* of the row, in the order of the files */
};

struct qn_out_findings {
    struct qn_text_memory memory;
    struct qn_out_finding *rows;
    size_t count, room;
};

/* Adds the rows of a file. */
enum qn_text_status qn_out_read_findings(struct qn_out_findings *f, const char *path, struct qn_text_error *err);
void qn_out_free_findings(struct qn_out_findings *f);

/* The text about an instruction, "" if there is nothing; cut at room - 1. */
void qn_out_format_findings(const struct qn_out_findings *f, const char *object, uint64_t address, char *to, size_t room);

/* ---- The text of an instruction of a profile, in AT&T syntax ----
 *
 * In:  {0x401136, 4 bytes 48 8b 45 f8}
 * Out: "mov    -0x8(%rbp),%rax"; "(bytes not known)"; "(bad)" where the bytes are no instruction
 */

/* Always terminated; cut at room - 1. */
void qn_out_disassemble(char *to, size_t room, const struct qn_prof_insn *insn);

#endif
