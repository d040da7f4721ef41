/* lib/cost/data/allocators.h - for --data: finds the allocators and the variables of a file that the program executes.
 *
 *   map 3: libc.so.6   ->   points: 7ffff7c8a0e0 alloc, malloc      objects: 7ffff7e03aa0, 208 bytes, a symbol (main_arena)
 *
 * Allocators are the functions of C and POSIX, operator new and delete in all their forms, and the functions of --alloc.
 */
#ifndef QN_COST_ALLOCATORS_H
#define QN_COST_ALLOCATORS_H

#include <stdbool.h>

#include "cost/data/objects.h"
#include "cost/places/places.h"
#include "cost/store.h"
#include "debug/debug.h"

struct qn_cost_allocator {   /* --alloc=NAME:BYTES*TIMES */
    const char *name;
    uint8_t bytes, times;    /* numbers of arguments, from 1; 0 = not given */
};

/* Parses "pool_get:2*3"; a NUL replaces the colon.  false: the text is not of this form, and is unchanged. */
bool qn_cost_parse_allocator(char *text, struct qn_cost_allocator *a);

/* Appends what is in one map of the arena to its points and objects. */
void qn_cost_find_data(const struct qn_cost_store *store, struct qn_cost_library *library, uint32_t map,
                       const struct qn_cost_allocator *named, unsigned count);

/* The type of the blocks of a heap object: the one that debug information has at the innermost call of a function that allocates for others;
 * else at the caller's own line; NULL: at neither.
 * `bias`: from the guest's addresses to the file's. */
const struct qn_debug_type *qn_cost_find_type(struct qn_debug *d, const struct qn_object *o, uint64_t bias);

/* Writes into an object of the arena the size of an element of its variable or blocks, for the engine. */
void qn_cost_find_element(const struct qn_cost_store *store, struct qn_cost_library *library, uint32_t object);

/* The name of a standard allocator: "malloc"; of a custom one NULL. */
const char *qn_cost_allocator_kind(uint32_t which);

/* ---- library functions that allocate for their caller: they grow vectors, tables and so on ----
 *
 *   std::vector<point>::_M_realloc_insert -> yes; main -> no; my::vector::grow -> no, it belongs to the program
 *
 * A block that such a function allocates belongs to the first caller that is not such a function.
 */

/* name: as in the symbol table. */
bool qn_cost_is_grower(const char *name);

#endif
