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
 * Invariants: numbers of objects and parts are below their count; a file whose tables end early is an error.
 */
#ifndef QN_PROF_DATA_H
#define QN_PROF_DATA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "prof/write.h"
#include "text/error.h"
#include "text/names.h"
#include "text/subst.h"

struct qn_text_names;

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
    bool classes, use;       /* the table has these events; otherwise they are 0 */
    int64_t line;            /* bytes of a line, with `use`; 0: of several sizes */
    int64_t lost[2];         /* of both levels */
    int64_t all;             /* sum of the magnitudes of all numbers that were read; so no sum of some of them overflows */
    struct qn_text_names *names; /* owns all texts above */
};

/* Does the table have this event? */
static inline bool qn_prof_data_has(const struct qn_prof_data *d, int event)
{
    return event < QN_PROF_DATA_MISSES || (event < QN_PROF_DATA_CLASSES ? d->classes : d->use);
}

/* Reads the tables of a profile.  Without tables there are no objects. */
enum qn_text_status qn_prof_read_data(const char *path, struct qn_prof_data *data, struct qn_text_error *err);
void qn_prof_free_data(struct qn_prof_data *data);

/* The object as listings name it, in at most `size` bytes: "b (global, demo.c:20, double)", "malloc in main (demo.c:30), struct node". */
void qn_prof_describe_object(const struct qn_prof_object *o, char *text, size_t size);

/* ---- adds up tables, or takes one from another ----
 *
 * In:  qn_prof_sum_data(&s, "a.out", 1, err); qn_prof_sum_data(&s, "b.out", 0, err);      1: counts are negated
 * Out: qn_prof_finish_data_sum(&s): s.data has each object once, and the rows of b - a; qn_prof_put_data(w, &s.data) writes them
 *
 * Objects are the same if kind, name, place and type are.  So objects of another build, whose source lines have moved, are different ones.
 *
 * Invariants: rows by file, function, line, object and part; rows that are 0 are left out, and so are objects without rows. A profile
 * without tables adds none.
 */

struct qn_prof_data_sum {
    const struct qn_text_subst *mod_file, *mod_fn; /* changes to names, or NULL */
    struct qn_prof_data data;
    struct qn_text_names names;
    size_t object_room, part_room, member_room, miss_room, pair_room, use_room;
    void *objects; /* a tree (tsearch) of keys */
};

enum qn_text_status qn_prof_sum_data(struct qn_prof_data_sum *s, const char *path, int negated, struct qn_text_error *err);
void qn_prof_finish_data_sum(struct qn_prof_data_sum *s);
void qn_prof_free_data_sum(struct qn_prof_data_sum *s);

/* By file, function, line, object and part. */
int qn_prof_compare_misses(const void *left, const void *right);

/* Sorts `count` elements of `size` bytes, adds up those that compare equal, and drops those for which is_nothing is true (NULL: none).
 * Returns how many are left. */
size_t qn_prof_unite(void *list, size_t count, size_t size, int (*compare)(const void *, const void *), void (*add)(void *to, const void *from),
                     int (*is_nothing)(const void *));

/* Adds the counts of a qn_prof_miss. */
void qn_prof_add_miss(void *to, const void *from);

/* Each pair once, those that are 0 left out. */
void qn_prof_unite_pairs(struct qn_prof_data *data);

/* The same of uses. */
void qn_prof_unite_uses(struct qn_prof_data *data);

/* Writes the tables, behind the summary; nothing if there are no objects. */
void qn_prof_put_data(struct qn_prof_writer *w, const struct qn_prof_data *data);

#endif
