/* lib/guest/exec_map.h - which guest addresses are executable, and from which file they are mapped.
 *
 * The loader and the guest's mmap, mprotect, munmap, mremap, shmat and shmdt update it.  It has only executable ranges.
 * The translator reads code in these ranges only, so that other data is never executed.
 */
#ifndef QN_GUEST_EXEC_MAP_H
#define QN_GUEST_EXEC_MAP_H

#include "base/tree.h"

#define QN_NO_MAP 0xffffffffu

void *qn_engine_alloc(uint64_t bytes); /* zeros; supplied by the engine */

void qn_exec_add(uint64_t start, uint64_t end, bool writable);
/* From now on all ranges, future ones as well, count as writable: another process or a debugger may write code.  false: they did already. */
bool qn_exec_all_writable(void);
bool qn_exec_are_all_writable(void);
/* Adds what lies between start and end around pc and is in no range yet.  false: pc is in one. */
bool qn_exec_fill(uint64_t pc, uint64_t start, uint64_t end, bool writable);
void qn_exec_remove(uint64_t start, uint64_t end);
bool qn_exec_overlaps(uint64_t start, uint64_t end);
/* NULL: not executable.  value: index into the arena's maps, QN_NO_MAP until code was first translated from it; flag: it is writable. */
struct qn_tree_node *qn_exec_find(uint64_t pc);
/* Executable bytes from pc on, following adjacent ranges, at most `most`. */
uint64_t qn_exec_avail(uint64_t pc, uint64_t most);

/* Shared mappings, executable or not: writes through another mapping change them. */
void qn_shared_set(uint64_t start, uint64_t end, bool shared);
bool qn_shared_overlaps(uint64_t start, uint64_t end);
uint64_t qn_shared_end(uint64_t at); /* of the mapping there; 0 = none */

#endif
