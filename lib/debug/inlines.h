/* lib/debug/inlines.h - the functions that the compiler has inlined at an address, and the lines that called them.
 *
 *   main() calls middle() in line 20 of a.c, which calls leaf() in line 9; both are inlined
 *   ->  { "leaf", "/src/a.c", 9 }, { "middle", "/src/a.c", 20 }, and then the function that the symbol table has, main
 *
 * They come from DW_TAG_inlined_subroutine (DWARF 5, section 3.3.8).  A compilation unit is read when one of its addresses is first asked for.
 */
#ifndef QN_DEBUG_INLINES_H
#define QN_DEBUG_INLINES_H

#include "debug/internal.h"

struct qn_inline { /* one inlined call */
    const char *function;         /* the inlined function; never NULL */
    const char *file;             /* of the call; NULL: not known */
    uint32_t line;                /* of the call; 0: not known */
    const struct qn_inline *into; /* the inlined call around this one; NULL: it is inlined in a function with code of its own */
};

/* The innermost inlined call at the address; NULL: none.  Lowers *end to the next address for which the answer may differ. */
const struct qn_inline *qn_debug_find_inline(struct qn_debug *d, uint64_t address, uint64_t *end);

/* "leaf (inlined in main)", or with the whole chain "leaf (inlined in middle at /src/a.c:9, in main at /src/a.c:20)".  Valid until the
 * module is closed; NULL: no memory. */
const char *qn_debug_name_inline(struct qn_debug *d, const struct qn_inline *call, const char *outer);

void qn_debug_free_inline_names(struct qn_debug *d);

void qn_debug_free_inlines(struct qn_debug *d);

#endif
