/*
 * Adds up tables of data (prof/data/data.h), or takes one from another.
 *
 * In:  qn_prof_sum_data(&s, "a.out", 1, err); qn_prof_sum_data(&s, "b.out", 0, err);      1: counts are negated
 * Out: qn_prof_finish_data_sum(&s): s.data has each object once, and the rows of b - a; qn_prof_put_data(w, &s.data) writes them
 *
 * Objects are the same if kind, name, place and type are.  So objects of another build, whose source lines have moved, are different ones.
 *
 * Invariants: rows by file, function, line, object and part; rows that are 0 are left out, and so are objects without rows. A profile
 * without tables adds none.
 */
#ifndef QN_PROF_DATA_SUM_H
#define QN_PROF_DATA_SUM_H

#include "prof/data/data.h"
#include "prof/write.h"
#include "text/names.h"
#include "text/subst.h"

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
