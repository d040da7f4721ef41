/* lib/cost/places/jit_parts.h - what jit.c and jitdump.c share; jit_ranges.c has the functions. */
#ifndef QN_COST_JIT_PARTS_H
#define QN_COST_JIT_PARTS_H

#include "cost/places/jit.h"

struct qn_cost_jit_range {
    uint64_t start, end;
    size_t order;          /* in which it was told */
    const char *function, *file;
    uint32_t line;
};

#define QN_COST_JIT_TEXTS 4

struct qn_cost_jit {
    struct qn_cost_jit_range *list; /* by start, then by order */
    size_t count, room;
    uint64_t longest;      /* bytes */
    char *text[QN_COST_JIT_TEXTS]; /* what the names lie in, each ended by a NUL */
    int texts;
};

/* Adds a range, whose texts are not copied.  A range of 0 bytes, or of too many, is left out. */
bool qn_cost_add_jit(struct qn_cost_jit *j, const struct qn_cost_jit_range *r);

/* The path in "file:///my%20dir/x.js", in place; any other file as it is. */
const char *qn_cost_plain_file(char *file);
/* "JS:*sum /home/me/sum.js:3:13": function, file and line into r.  The text is cut. */
void qn_cost_split_jit_name(struct qn_cost_jit_range *r, char *name);

/* As qn_cost_find_jit, while ranges are being added. */
bool qn_cost_find_jit_now(const struct qn_cost_jit *j, uint64_t address, struct qn_cost_jit_place *place);

/* jitdump.c: adds all ranges of a dump. */
void qn_cost_take_dump(struct qn_cost_jit *j, char *dump, size_t size);

#endif
