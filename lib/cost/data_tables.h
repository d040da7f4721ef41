/* lib/cost/data_tables.h - the tables of --data while they become text; shared by data.c, which writes them, and data_rows.c. */
#ifndef QN_COST_DATA_TABLES_H
#define QN_COST_DATA_TABLES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cost/data.h"
#include "cost/objects.h"
#include "cost/sites.h"
#include "debug/types.h"
#include "prof/data.h"

struct qn_data_line {
    const char *file, *function;
    uint32_t line, object;
    uint64_t offset;
    uint32_t part;           /* of all, from 0; QN_PROF_NO_PART */
    int64_t counts[QN_PROF_DATA_EVENTS];
};

struct qn_data_shown {               /* of an object */
    bool used;
    uint32_t number;         /* that it is shown as */
    const struct qn_debug_type *type;
    size_t first, parts;     /* its parts among all */
};

struct qn_data_output {
    const struct qn_cost_data *x;
    struct qn_prof_writer *w;
    struct qn_cost_sites sites;
    struct qn_object *objects; /* a copy */
    struct qn_data_shown *shown;       /* by object */
    struct qn_data_line *rows;
    uint64_t object_count, row_count;
    char **parts;              /* names */
    size_t nparts, part_room;
    int events;                /* that are written */
};

/* data_rows.c */
void qn_data_add_up(struct qn_data_output *o, int (*compare)(const void *, const void *));
void qn_data_take_row(struct qn_data_output *o, const struct qn_data_row *from);
void qn_data_merge_objects(struct qn_data_output *o);
int qn_data_by_place(const void *left, const void *right);
int qn_data_by_object(const void *left, const void *right);

#endif
