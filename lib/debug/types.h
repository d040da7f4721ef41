/* lib/debug/types.h - of what type memory is, and which part of it lies at an offset.
 *
 *   struct particle { double x, y; char name[40]; } swarm[1000];
 *
 *   qn_debug_variable(d, 404040, &v)            -> v.type: struct particle, an array of them
 *   qn_debug_allocated(d, 401150)               -> what the call that returns to 401150 has allocated: struct node
 *   qn_debug_put_part(type, 8, 1, text, size)   -> "y";  of an array of numbers, 40 bytes from 8 on: "[1..5]"
 *
 * Of arrays a type is that of the elements.  The type of a block on the heap is that of the variable, member, argument or function that
 * takes the address that the call returns (DWARF knows no casts), in C++ and Rust the parameter of the template that allocates.
 *
 * Invariants: types stay until the module is closed; NULL is a type that is not known.
 */
#ifndef QN_DEBUG_TYPES_H
#define QN_DEBUG_TYPES_H

#include "debug/debug.h"

struct qn_debug_type;

struct qn_debug_variable {
    const char *name, *file; /* file: where it is declared; NULL: not known */
    uint32_t line;           /* 0: not known */
    uint64_t start, size;    /* address in the file; bytes, 0 = not known */
    const struct qn_debug_type *type;
};

/* Whether there is debug information that could know any. */
bool qn_debug_has_types(struct qn_debug *d);

/* The global variable that covers the address.  false: debug information knows none. */
bool qn_debug_find_variable(struct qn_debug *d, uint64_t address, struct qn_debug_variable *v);

/* Of the block that the call has allocated which returns to this address. */
const struct qn_debug_type *qn_debug_allocated(struct qn_debug *d, uint64_t returns_to);

/* Bytes of one; 0: not known. */
uint64_t qn_debug_type_size(const struct qn_debug_type *t);

/* "struct particle", "geo::point", "double"; stays. */
const char *qn_debug_type_name(const struct qn_debug_type *t);

/* Bytes of a structure, so that in an array of them an offset modulo it says which member; 0: of something else, or of one whose size
 * differs from one to the next (an array at its end that has no bounds). */
uint32_t qn_debug_type_element(const struct qn_debug_type *t);

/* What lies in the `bytes` bytes from the offset on: a member of a structure, an index of anything else; "" all of it. */
void qn_debug_put_part(const struct qn_debug_type *t, uint64_t offset, uint64_t bytes, char *text, size_t size);

/* Calls `take` for each member of a structure, in the order of their offsets, those of structures inside it for themselves. */
typedef void qn_debug_take_member(void *data, const char *name, uint64_t offset, uint64_t bytes);
void qn_debug_list_members(const struct qn_debug_type *t, qn_debug_take_member *take, void *data);

/* ---- frames ---- */

/* Where something is kept: so many bytes from a register as it is at the address of code, or from the frame's CFA. */
struct qn_debug_slot {
    enum { QN_DEBUG_FROM_NOTHING, QN_DEBUG_FROM_RSP, QN_DEBUG_FROM_RBP, QN_DEBUG_FROM_CFA } from;
    int64_t offset;
};

/* A frame ends below its CFA (canonical frame address), which is the caller's stack pointer once the function has returned. */
struct qn_debug_frame {
    struct qn_debug_slot cfa;
    bool stored;             /* the CFA is what lies there */
    bool interrupted;        /* the caller was interrupted by a signal, at the very address that is kept */
    struct qn_debug_slot ret, rbp; /* the caller's address and rbp; FROM_NOTHING: there is no caller that is known; rbp has not changed */
};

/* By what .eh_frame or .debug_frame says of the address of code.  false: nothing, or nothing that is followed here. */
bool qn_debug_find_frame(struct qn_debug *d, uint64_t pc, struct qn_debug_frame *f);

struct qn_debug_local {
    int64_t start, end;      /* bytes from the CFA; end exclusive */
    uint64_t id;             /* of the variable, in this file */
};

/* Variables and parameters of the function that lie in its frame then; where some overlap, the first one counts. */
typedef void qn_debug_take_local(void *data, const struct qn_debug_local *local);
void qn_debug_list_locals(struct qn_debug *d, uint64_t pc, const struct qn_debug_frame *frame, qn_debug_take_local *take, void *data);
/* One of those, by the address at which it was listed; its `start` is 0. */
bool qn_debug_find_local(struct qn_debug *d, uint64_t pc, uint64_t id, struct qn_debug_variable *v);

/* Where code comes from as its author sees it: what was inlined from a library (a header of the system, a crate) belongs to the
 * line that called it. */
void qn_debug_find_user(struct qn_debug *d, uint64_t address, struct qn_debug_place *place);

#endif
