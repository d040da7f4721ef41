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

/* Where code comes from as its author sees it: what was inlined from a library (a header of the system, a crate) belongs to the
 * line that called it. */
void qn_debug_find_user(struct qn_debug *d, uint64_t address, struct qn_debug_place *place);

#endif
