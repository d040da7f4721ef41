/* lib/run/kernel/maps.h - see maps.c. */
#ifndef QN_RUN_MAPS_H
#define QN_RUN_MAPS_H

#include "base/base.h"
#include "guest/elf.h"

enum { QN_MAPS_READ = 1, QN_MAPS_WRITE = 2, QN_MAPS_EXEC = 4, QN_MAPS_SHARED = 8 };

struct qn_mapping {
    uint64_t start, end, offset, dev, ino;
    unsigned flags; /* QN_MAPS_... */
    char path[QN_PATH_MAX]; /* "" = none */
};

/* The mapping that contains this address; false: there is none. */
bool qn_maps_find(uint64_t address, struct qn_mapping *m);
/* Calls `see` for each mapping, in order of addresses, until it returns false.  false: the list cannot be read. */
bool qn_maps_each(bool (*see)(void *data, const struct qn_mapping *m), void *data);

#endif
