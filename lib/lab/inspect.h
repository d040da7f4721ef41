/* lib/lab/inspect.h - looks into compiled code before it runs. */
#ifndef QN_LAB_INSPECT_H
#define QN_LAB_INSPECT_H

#include "lab/check.h"

/* An object file made by the compiler: false, with a remark, if its code asks the system or quern for anything, or if there is more
 * in it than functions and variables.  Of a kernel, which runs beside the engine that counts, not even within other instructions; a
 * module calls nothing but services. */
enum qn_lab_code { QN_LAB_KERNEL, QN_LAB_MODULE };
bool qn_lab_inspect(struct qn_lab_check *c, const char *path, enum qn_lab_code kind);

/* The second half of that (object.c): of a file whose sections are known to lie within it. */
bool qn_lab_object_is_usual(struct qn_lab_check *c, const uint8_t *file, size_t size, bool module);

/* Bytes of its variables: all sections that can be written.  false: it cannot be read. */
bool qn_lab_storage(struct qn_lab_check *c, const char *path, uint64_t *bytes);

#endif
