/*
 * Objects in memory and the misses on them (`quern run --data=yes`): tables behind the summary of a profile.
 *
 *     summary: 9 4
 *     #data: 2 1                                  2 objects, 1 row of misses
 *     #data-events: D1mr D1mw DLmr DLmw           the counts of a row; with --analysis=3c also the classes of its D1 misses:
 *                                                 compulsory capacity conflict; with --data=use also the bytes of the lines that its misses
 *                                                 filled and that were evicted since, and how many of these bytes were used: filled used
 *     #line: 64                                   with filled and used: bytes of a line of the D1; 0 = of several sizes
 *     #object: symbol 8388608 0 0 b               KIND, bytes, blocks and bytes allocated, name
 *     #from: 20 /src/demo.c                       where it is declared, or allocated: line and file
 *     #in: main                                   the function that does so
 *     #type: 8 double                             its type, or that of its elements: bytes of one, name
 *     #member: 0 8 x                              of a structure: offset, bytes, name; at the first object of a type
 *     #part: next                                 parts of this object, numbered from 0 in the whole table
 *     #object: heap 64 1000 64000 malloc
 *     #part: +8
 *     #pair: 0 1 900 850                          misses on object 0 whose line had been evicted for one of object 1; conflict misses among them
 *     #use: 0 0 640 80                            object, part; bytes of this part in evicted lines, and how many of them were used
 *     #file: /src/demo.c                          of the next rows
 *     #function: main
 *     #miss: 55 0 0 16800000 0 12 0               line, object, part (or -), counts
 *
 * To readers of Cachegrind's format these lines are comments.  The rows add up to the profile's D1mr, D1mw, DLmr and DLmw, less the misses
 * in "#lost: D1 LL", for which there was no room.
 *
 * Objects are the same if kind, name, place and type are.  Files are read, and tables added up, by prof/tables/tables.h.
 *
 * Invariants: numbers of objects and parts are below their count; a file whose tables end early is an error.
 */
#ifndef QN_PROF_DATA_H
#define QN_PROF_DATA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "prof/tables/records.h"
#include "prof/write.h"
#include "text/names.h"

enum { QN_PROF_OBJECTS, QN_PROF_MEMBERS, QN_PROF_PARTS, QN_PROF_PAIRS, QN_PROF_USES, QN_PROF_MISSES };

enum { QN_PROF_D1MR, QN_PROF_D1MW, QN_PROF_DLMR, QN_PROF_DLMW, QN_PROF_COMPULSORY, QN_PROF_CAPACITY, QN_PROF_CONFLICT, QN_PROF_FILLED, QN_PROF_USED, QN_PROF_DATA_EVENTS };
enum { QN_PROF_DATA_MISSES = QN_PROF_COMPULSORY, QN_PROF_DATA_CLASSES = QN_PROF_FILLED }; /* the misses end here; the classes behind them */
extern const char *const qn_prof_data_events[QN_PROF_DATA_EVENTS]; /* names */
extern const char *const qn_prof_data_profile_events[QN_PROF_DATA_EVENTS]; /* their names in `events:`, which begin with the module's slot */
#define QN_PROF_NO_PART UINT32_MAX

struct qn_prof_object {
    const char *kind;        /* symbol, heap, local, stack, rest, file, anonymous, unknown */
    const char *name;
    const char *file, *function, *type; /* NULL: not known */
    uint32_t line;           /* 0: not known */
    int64_t type_size;       /* bytes of one; 0: not known */
    int64_t size;            /* bytes; heap: of the largest block */
    int64_t blocks, bytes;   /* heap: allocated in the whole run */
};

struct qn_prof_part {
    uint32_t object;
    const char *name;        /* "next", "[3].key", "+64" */
};

struct qn_prof_member {      /* of the type of an object; members are in the order of their objects */
    uint32_t object;
    const char *name;
    int64_t offset, size;
};

struct qn_prof_miss {
    const char *file, *function;
    uint32_t line, object, part; /* part: QN_PROF_NO_PART = not known */
    int64_t counts[QN_PROF_DATA_EVENTS];
};

struct qn_prof_pair {
    uint32_t object, by;
    int64_t misses, conflicts;
};

struct qn_prof_use {
    uint32_t object, part;
    int64_t filled, used;    /* bytes */
};

struct qn_prof_data {
    struct qn_prof_object *objects;
    struct qn_prof_part *parts;
    struct qn_prof_member *members;
    struct qn_prof_miss *misses;
    struct qn_prof_pair *pairs;
    struct qn_prof_use *uses;
    size_t use_count, pair_count, object_count, part_count, member_count, miss_count;
    size_t use_room, pair_room, object_room, part_room, member_room, miss_room;
    bool classes, use;       /* the table has these events; otherwise they are 0 */
    int64_t line;            /* bytes of a line, with `use`; 0: of several sizes */
    int64_t lost[2];         /* of both levels */
    int64_t all;             /* sum of the magnitudes of all numbers that were read; so no sum of some of them overflows */
    struct qn_text_names *names; /* owns all texts above */
    struct qn_text_hash index[QN_PROF_MISSES + 1];
};

/* Does the table have this event? */
static inline bool qn_prof_data_has(const struct qn_prof_data *d, int event)
{
    return event < QN_PROF_DATA_MISSES || (event < QN_PROF_DATA_CLASSES ? d->classes : d->use);
}

void qn_prof_free_data(struct qn_prof_data *data);

/* The object as listings name it, in at most `size` bytes: "b (global, demo.c:20, double)", "malloc in main (demo.c:30), struct node". */
void qn_prof_describe_object(const struct qn_prof_object *o, char *text, size_t size);

/* Writes the tables, behind the summary; nothing if there are no misses.  Objects without misses are dropped from the tables. */
void qn_prof_put_data(struct qn_prof_writer *w, struct qn_prof_data *data);

#endif
