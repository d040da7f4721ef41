/* lib/cost/places/library.h - the files of a library, shared by library.c and modules.c. */
#ifndef QN_COST_LIBRARY_H
#define QN_COST_LIBRARY_H

#include <stdbool.h>
#include <stdint.h>

#include "cost/places/modules.h"

struct qn_cost_file {
    char *path;             /* as the kernel shows it: "", "/bin/true", "[vdso]" */
    uint64_t ino;           /* 0: not known */
    struct qn_debug *debug; /* NULL: not known, or not opened yet */
    bool opened;
    char why[96];           /* what is wrong with it; "" nothing to say */
};

struct qn_cost_library {
    struct qn_cost_file *files;
    uint32_t count;
    uint64_t preloaded;    /* blocks whose lines were decoded ahead, */
    uint64_t preloaded_of; /* of arenas that were made (struct qn_arena_header) at this time: of one program and its forks */
    struct qn_cost_given {
        int fd; /* -1: in use by a file of the list above */
        uint64_t dev, ino;
    } *given; /* each file once */
    uint32_t given_count, given_room;
};

/* The number of a file, + 1; 0 if there is no room. */
uint32_t qn_cost_number_file(struct qn_cost_library *l, const char *path, uint64_t ino);

/* Opens the file if that was not tried. */
void qn_cost_open_file(struct qn_cost_library *l, struct qn_cost_file *f);

/* Number + 1 of the file of a map record. */
uint32_t qn_cost_number_map(struct qn_cost_library *l, const struct qn_cost_store *store, const struct qn_map_rec *rec);

/* What is known of the file of map number `map` of the arena, whose record is copied; NULL: nothing, or there is no such map. */
struct qn_debug *qn_cost_open_number(struct qn_cost_library *l, const struct qn_cost_store *store, uint32_t map, struct qn_map_rec *rec);

/* From the file's addresses to the guest's in this map, modulo 2^64.  false: the map is of none of its segments. */
bool qn_cost_find_bias(struct qn_debug *debug, const struct qn_map_rec *map, uint64_t *bias);

#endif
