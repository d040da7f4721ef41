/*
 * Advice from the tables of data (prof/tables/data.h), each with its rule.
 *
 * In:  types, their members, misses by member, function and class
 * Out: struct particle: 128 bytes, 95.6% of the D1 misses
 *          94.2% of its D1 misses are on speed, 8 bytes: what is used with it belongs beside it, the rest elsewhere
 *
 * Rules, for a type or object with at least QN_OUT_ADVICE_SHARE per cent of all D1 misses (reads and writes):
 *   one member       without --data=use: a member has QN_OUT_ADVICE_ONE per cent of the type's misses or more, and at most half of the type's
 *                    bytes, which are more than QN_OUT_ADVICE_LINE
 *   bytes used       with --data=use: less than QN_OUT_ADVICE_USED per cent of the bytes of lines that were filled for the type or object were
 *                    used; for a type the advice names the member with QN_OUT_ADVICE_ONE per cent of the used bytes of members, or else the
 *                    members that were not used at all
 *   padding          with its members in the order of their size, the type would have QN_OUT_ADVICE_PADDING per cent fewer bytes, or more
 *   two structures   no function that misses on some of its members misses on the others, and both have QN_OUT_ADVICE_PART per cent of
 *                    its misses or more; it has more bytes than QN_OUT_ADVICE_LINE
 *   conflicts        with classes: QN_OUT_ADVICE_CONFLICT per cent of an object's misses or more are conflict misses
 *
 * A miss is counted for the member whose reference missed; only --data=use shows which other bytes of the line were used later.
 */
#ifndef QN_OUT_ADVICE_H
#define QN_OUT_ADVICE_H

#include "out/sink.h"
#include "prof/tables/data.h"
#include "text/error.h"

enum { QN_OUT_ADVICE_SHARE = 5, QN_OUT_ADVICE_ONE = 80, QN_OUT_ADVICE_PADDING = 12, QN_OUT_ADVICE_PART = 10, QN_OUT_ADVICE_CONFLICT = 20,
       QN_OUT_ADVICE_USED = 50 };
enum { QN_OUT_ADVICE_LINE = 64 }; /* bytes; in a structure of one line, it means little which member is referenced first */

/* What is said of a type or an object: `text` has a line for the subject, and one for each rule that holds, each ended by a newline. */
struct qn_out_advice_item {
    uint32_t object;  /* the number of the object, or of the first one of the type */
    const char *type; /* NULL: of the object alone */
    int64_t misses;
    char *text;
    int name_length;  /* of the subject's name, with which the text begins */
};

struct qn_out_advice {
    struct qn_out_advice_item *items;
    size_t count, room;
};

/* Finds the advice; to be freed. */
void qn_out_find_advice(struct qn_out_advice *to, const struct qn_prof_data *data);
void qn_out_free_advice(struct qn_out_advice *a);

/* Writes the section "Advice"; nothing if no rule holds. */
void qn_out_put_advice(struct qn_out_sink *s, const struct qn_prof_data *data);

#endif
