/*
 * The parts of a table of counts; only table.c (adding) and table_write.c (order and text) include this.
 *
 * Invariants: `places` and `rows` run in parallel; `order`, where present, is a permutation of all rows; a line's row
 * has a lower number than those of its instructions.
 */
#ifndef QN_PROF_TABLE_ROWS_H
#define QN_PROF_TABLE_ROWS_H

#include "prof/table/fns.h"
#include "text/names.h"
#include "prof/table/rows.h"
#include "prof/table/table.h"

struct qn_prof_place {
    uint32_t fn, line;
    uint32_t insn; /* index into insns; QN_TEXT_NO_ID: the line itself */
};

struct qn_prof_table {
    struct qn_prof_fns fns;
    struct qn_text_hash index; /* (function, line, instruction) -> row */
    struct qn_prof_place *places; /* by row */
    uint32_t room;
    struct qn_prof_insn *insns;
    uint32_t insn_count, insn_room;
    int insns_hidden;
    struct qn_prof_rows rows;
    struct qn_prof_rows total; /* a single row */
    uint32_t *order;           /* sorted rows, or NULL */
    uint32_t last_file, last_fn;
    uint32_t object; /* of functions to come */
    enum qn_prof_detail detail;
    uint32_t next; /* the row behind the one added to last: profiles of one program come in one order */
};

#endif
