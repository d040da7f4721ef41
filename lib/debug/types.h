/* lib/debug/types.h - the types of objects in memory, and the part of an object at an offset.
 *
 *   struct particle { double x, y; char name[40]; } swarm[1000];
 *
 *   qn_debug_variable(d, 404040, &v)            -> v.type: struct particle, an array of them
 *   qn_debug_allocated(d, 401150)               -> the type of the block that the call that returns to 401150 has allocated: struct node
 *   qn_debug_put_part(type, 8, 1, text, size)   -> "y";  of an array of numbers, 40 bytes from 8 on: "[1..5]"
 *
 * The type of an array is that of its elements.  The type of a heap block is that of the variable, member, argument or function that
 * receives the address that the call returns (DWARF does not record casts), in C++ and Rust the parameter of the template that allocates.
 *
 * Invariants: types are valid until the module is closed; NULL means a type that is not known.
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

/* Does the module have debug information that can describe types? */
bool qn_debug_has_types(struct qn_debug *d);

/* The global variable that covers the address.  false: debug information has none. */
bool qn_debug_find_variable(struct qn_debug *d, uint64_t address, struct qn_debug_variable *v);

/* The type of the block that was allocated by the call that returns to this address; NULL: not known. */
const struct qn_debug_type *qn_debug_allocated(struct qn_debug *d, uint64_t returns_to);

/* Bytes of one element; 0: not known. */
uint64_t qn_debug_type_size(const struct qn_debug_type *t);

/* "struct particle", "geo::point", "double"; valid until the module is closed. */
const char *qn_debug_type_name(const struct qn_debug_type *t);

/* The size of a structure in bytes: in an array of them an offset modulo this size is that of the member.  0: the type is no structure, or its
 * objects differ in size (it ends in an array without bounds). */
uint32_t qn_debug_type_element(const struct qn_debug_type *t);

/* Writes the name of the part at `bytes` bytes from the offset on: a member of a structure, an index of anything else; "" is the whole. */
void qn_debug_put_part(const struct qn_debug_type *t, uint64_t offset, uint64_t bytes, char *text, size_t size);

/* Calls `take` for each member of a structure, in the order of their offsets; a structure inside it gives its members instead. */
typedef void qn_debug_take_member(void *data, const char *name, uint64_t offset, uint64_t bytes);
void qn_debug_list_members(const struct qn_debug_type *t, qn_debug_take_member *take, void *data);

/* ---- frames ---- */

/* Where something is saved: `offset` bytes from a register as it is at the address of code, or from the frame's CFA. */
struct qn_debug_slot {
    enum { QN_DEBUG_FROM_NOTHING, QN_DEBUG_FROM_RSP, QN_DEBUG_FROM_RBP, QN_DEBUG_FROM_CFA } from;
    int64_t offset;
};

/* A frame ends below its CFA (canonical frame address), which is the caller's stack pointer once the function has returned. */
struct qn_debug_frame {
    struct qn_debug_slot cfa;
    bool stored;             /* the slot `cfa` holds the CFA's value */
    bool interrupted;        /* the frame is a signal's: the caller was interrupted at exactly the return address */
    struct qn_debug_slot ret, rbp; /* the return address and the caller's rbp; FROM_NOTHING: no caller is known; rbp has not changed */
};

/* Finds the frame at an address of code, by .eh_frame or .debug_frame.  false: they have no rules for it, or rules that are not modelled. */
bool qn_debug_find_frame(struct qn_debug *d, uint64_t pc, struct qn_debug_frame *f);

struct qn_debug_local {
    int64_t start, end;      /* bytes from the CFA; end exclusive */
    uint64_t id;             /* of the variable, in this file */
};

/* Calls `take` for the variables and parameters in the function's frame at pc; where some overlap, the first one counts. */
typedef void qn_debug_take_local(void *data, const struct qn_debug_local *local);
void qn_debug_list_locals(struct qn_debug *d, uint64_t pc, const struct qn_debug_frame *frame, qn_debug_take_local *take, void *data);
/* One of those, by the pc and the id with which it was listed; its `start` is 0. */
bool qn_debug_find_local(struct qn_debug *d, uint64_t pc, uint64_t id, struct qn_debug_variable *v);

/* The place of code as its author sees it: code inlined from a library (a system header, a crate) belongs to the line that called it. */
void qn_debug_find_user(struct qn_debug *d, uint64_t address, struct qn_debug_place *place);

#endif
