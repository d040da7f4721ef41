/* lib/run/observe/request.h - see request.c. */
#ifndef QN_RUN_REQUEST_H
#define QN_RUN_REQUEST_H

#include "base/base.h"

void qn_request(void); /* the marker at ctx.rip, with rax and rdx */

/* The text of a guest's printf; arguments: its va_list.  Returns how many bytes there would have been. */
size_t qn_guest_printf(char *text, size_t size, uint64_t format, uint64_t va_list);

#endif
