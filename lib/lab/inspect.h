/* lib/lab/inspect.h - looks into compiled code before it runs beside the engine that counts. */
#ifndef QN_LAB_INSPECT_H
#define QN_LAB_INSPECT_H

#include "lab/check.h"

/* An object file made by the compiler: false, with a remark, if its code asks the system or quern for anything. */
bool qn_lab_inspect(struct qn_lab_check *c, const char *path);

/* Bytes of its variables: all sections that can be written.  false: it cannot be read. */
bool qn_lab_storage(struct qn_lab_check *c, const char *path, uint64_t *bytes);

#endif
