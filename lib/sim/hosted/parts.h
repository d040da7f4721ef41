/* sim/hosted/parts.h - references out of quern's own trace, third form (sim/parts.h). */
#ifndef QN_SIM_HOSTED_PARTS_H
#define QN_SIM_HOSTED_PARTS_H

#include "sim/hosted/bytes.h"
#include "sim/module.h"

struct parts;

/* The file is read from behind the magic on.  NULL: no memory. */
struct parts *parts_open(struct bytes *from);
void parts_close(struct parts *p);

/* 1: *ref; 0: the end, which is where it has to be; -1: parts_error says what is wrong where. */
int parts_next(struct parts *p, struct sim_ref *ref);
const char *parts_error(const struct parts *p);

/* Instructions that the records since the last call count beyond fetches. */
uint64_t parts_take_more(struct parts *p);

/* Goes on with the last part that begins with instruction n or before, if the index is there; returns its first instruction. */
uint64_t parts_seek(struct parts *p, uint64_t n);

#endif
