/* lib/lab/sandbox/inspect.h - inspects compiled code before it runs. */
#ifndef QN_LAB_INSPECT_H
#define QN_LAB_INSPECT_H

#include "lab/check.h"

/* Inspects an object file that the compiler has made.  false, with a remark: its code has a system call or a request to quern, or the file has
 * more than functions and variables.  A kernel runs in the process of the engine that counts, so these may not even be inside other
 * instructions; a module calls only services. */
enum qn_lab_code { QN_LAB_KERNEL, QN_LAB_MODULE };
bool qn_lab_inspect(struct qn_lab_check *c, const char *path, enum qn_lab_code kind);

/* The second half of that, for a file whose sections are known to lie within it. */
bool qn_lab_object_is_usual(struct qn_lab_check *c, const uint8_t *file, size_t size, bool module);

/* The bytes of a file's variables, which are all writable sections.  false: it cannot be read. */
bool qn_lab_storage(struct qn_lab_check *c, const char *path, uint64_t *bytes);

#endif
