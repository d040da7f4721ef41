/* lib/cost/places/jit.h - names of code that a program has generated at run time, from /tmp/perf-PID.map, and from jit-PID.dump in
 * /tmp or in quern's working directory.
 *
 *   3ef6c00040 1a4 JS:*sum /home/me/sum.js:3:13   ->   3ef6c00040..3ef6c001e4: JS:*sum, /home/me/sum.js, line 3
 *   3ef6c00400 80 Builtin:Call                    ->   Builtin:Call, no file
 *
 * node --perf-basic-prof, java with perf-map-agent, python3 -X perf and others write such files: hexadecimal start and size, then a name.
 * If ranges overlap, the last one that was read counts, because the map file has no times.
 */
#ifndef QN_COST_JIT_H
#define QN_COST_JIT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct qn_cost_jit;

struct qn_cost_jit_place {
    const char *function, *file; /* file NULL: not told */
    uint32_t line;
    uint64_t end;                /* up to where this holds, exclusive */
};

/* NULL: there is none, it is older than `since` (ns; that of a process long gone), it is not the user's own, or there is no memory. */
struct qn_cost_jit *qn_cost_read_jit(int32_t pid, uint64_t since);
/* The same of text; damaged lines are left out. */
struct qn_cost_jit *qn_cost_parse_jit(const char *text, size_t size);
/* The same of a dump. */
struct qn_cost_jit *qn_cost_parse_dump(const void *dump, size_t size);
void qn_cost_free_jit(struct qn_cost_jit *j);

/* false: no range contains the address; place->end is set also then. */
bool qn_cost_find_jit(const struct qn_cost_jit *j, uint64_t address, struct qn_cost_jit_place *place);

#endif
