/* lib/debug/inlines.h - which functions the compiler has inlined at an address, and where they were called.
 *
 *   main() calls middle() in line 20 of a.c, which calls leaf() in line 9; both are inlined
 *   ->  { "leaf", "/src/a.c", 9 }, { "middle", "/src/a.c", 20 }, and then the function that the symbol table has, main
 *
 * Read from DW_TAG_inlined_subroutine (DWARF 5, section 3.3.8), one compilation unit at a time, when an address of it is first asked for.
 */
#ifndef QN_DEBUG_INLINES_H
#define QN_DEBUG_INLINES_H

#include "debug/internal.h"

struct qn_inline { /* one inlined call */
    const char *function;         /* that was inlined; never NULL */
    const char *file;             /* where it was called; NULL: not known */
    uint32_t line;                /* 0: not known */
    const struct qn_inline *into; /* the inlined call that this one stands in; NULL: a function with code of its own */
};

/* The innermost call that was inlined at the address; NULL: none.  *end becomes the first address behind for which the answer
 * may be another one, if that is below what it was. */
const struct qn_inline *qn_debug_find_inline(struct qn_debug *d, uint64_t address, uint64_t *end);

/* "leaf (inlined in main)", or with the whole chain "leaf (inlined in middle at /src/a.c:9, in main at /src/a.c:20)".  Stays until the
 * module is closed; NULL: no memory. */
const char *qn_debug_name_inline(struct qn_debug *d, const struct qn_inline *call, const char *outer);

/* Where these names are kept: a tree of search.h. */
void **qn_debug_inline_names(struct qn_debug *d);
void qn_debug_free_inline_names(void **names);

void qn_debug_free_inlines(struct qn_debug *d);

#endif
