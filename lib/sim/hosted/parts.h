/* sim/hosted/parts.h - reads references from quern's trace format, third version (sim/parts.h). */
#ifndef QN_SIM_HOSTED_PARTS_H
#define QN_SIM_HOSTED_PARTS_H

#include "sim/hosted/bytes.h"
#include "sim/module.h"

struct parts;

/* The file is read from behind the magic on.  NULL: no memory. */
struct parts *parts_open(struct bytes *from);
void parts_close(struct parts *p);

/* 1: *ref is the next reference; 0: the end of a complete trace; -1: an error, see parts_error. */
int parts_next(struct parts *p, struct sim_ref *ref);
const char *parts_error(const struct parts *p);

/* The number of instructions without a fetch in the records since the last call. */
uint64_t parts_take_more(struct parts *p);

/* Continues at the last part that begins at instruction n or before, if there is an index.  Returns the part's first instruction. */
uint64_t parts_seek(struct parts *p, uint64_t n);

#endif
