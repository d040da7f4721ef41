/* lib/cost/data/data_tables.h - the tables of --data while they are made; shared by data.c, which writes them, and data_rows.c. */
#ifndef QN_COST_DATA_TABLES_H
#define QN_COST_DATA_TABLES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cost/data/data.h"
#include "cost/data/objects.h"
#include "cost/places/sites.h"
#include "debug/debug.h"
#include "prof/data/data.h"
#include "text/names.h"

struct qn_data_line {
    struct qn_prof_miss miss; /* object: of the arena, until it is named; only FILLED and USED count: of a place */
    uint64_t offset;
    bool is_place;            /* bytes of the object, wherever they were used */
};

struct qn_data_shown {        /* of an object of the arena */
    bool used;
    uint32_t same;            /* number of the object that represents it */
    uint32_t number;          /* in the tables */
    const struct qn_debug_type *type;
};

struct qn_data_output {
    const struct qn_cost_data *x;
    struct qn_cost_sites sites;
    struct qn_object *objects; /* a copy */
    struct qn_data_shown *shown; /* by object */
    struct qn_data_line *rows;
    uint64_t object_count;
    size_t row_count;
    struct qn_prof_data data;  /* what is written */
    size_t part_room, member_room, pair_room, use_room, row_room;
    struct qn_text_names names;
    struct qn_text_names types; /* those whose members are in the tables */
};

/* data_rows.c */
void qn_data_add_up(struct qn_data_output *o);
void qn_data_take_row(struct qn_data_output *o, const struct qn_data_row *from, const struct qn_data_use *use);
/* Pairs of objects that have rows, by their numbers in the tables; once these are known. */
void qn_data_take_pairs(struct qn_data_output *o);
void qn_data_take_used_lines(struct qn_data_output *o);
/* Rows of places become uses, once parts are named. */
void qn_data_take_uses(struct qn_data_output *o);
void qn_data_merge_objects(struct qn_data_output *o);
int qn_data_by_object(const void *left, const void *right);

#endif
