/* lib/cost/store.h - the collector's side of the counts arena: make, copy, read strings, close.
 *
 *   qn_cost_create(&s);  qn_cost_header(&s)->config = ...;      before the engine starts
 *   qn_cost_copy(&child, &s);                                   for a guest that forks
 *
 * Invariants: the memfd cannot shrink or grow, so no access inside a mapped section can fault.  Sections that are not mapped have an extent
 * of 0.  The engine may write anything at any time: what is read from the arena is first copied, then checked.
 */
#ifndef QN_COST_STORE_H
#define QN_COST_STORE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cost/arena.h"

struct qn_cost_store {
    int fd; /* -1: none */
    uint8_t *base;
    unsigned sections; /* that are mapped, a bit for each enum qn_section */
};

/* The parts of the arena, in elements, cut to what fits: never more than the room there is.  The engine may write to the header at any
 * time: a reader who takes a number of rows from here takes their size from here, too. */
struct qn_cost_extent {
    uint64_t strings, maps, side_exits, blocks, insns, counters, charges, intervals, probes, notes, findings, value_lists, objects, data, pairs, uses;
    uint64_t used_lines, frames, frame_variables, cells, terms, rows, text, shared, set_rows;
    size_t charge_bytes, interval_bytes, used_lines_bytes, set_row_bytes, value_list_bytes; /* of a row: of charges a site and a count for each event
                                                                              of the modules; of intervals a count for each event */
};

/* All sections are mapped.  0, or errno. */
int qn_cost_create(struct qn_cost_store *s);
/* The same with those sections only that each run has; and maps others, a bit for each. */
int qn_cost_create_first(struct qn_cost_store *s);
int qn_cost_map_sections(struct qn_cost_store *s, unsigned sections);
static inline bool qn_cost_has(const struct qn_cost_store *s, enum qn_section part) { return s->sections >> part & 1; }
/* Maps the arena of s->fd, which another process made.  false: it is none. */
bool qn_cost_map(struct qn_cost_store *s);
/* A new arena with the used ranges of another.  0, or errno. */
int qn_cost_copy(struct qn_cost_store *to, const struct qn_cost_store *from);
/* A new arena with the same config (and the strings it refers to), nothing counted. */
int qn_cost_create_like(struct qn_cost_store *to, const struct qn_cost_store *from);
void qn_cost_close(struct qn_cost_store *s);

static inline struct qn_arena_header *qn_cost_header(const struct qn_cost_store *s)
{
    return (struct qn_arena_header *)s->base;
}

/* What --explain left. */
static inline volatile struct qn_explain_output *qn_cost_explain(const struct qn_cost_store *s)
{
    return (volatile struct qn_explain_output *)(s->base + QN_ARENA_EXPLAIN_OFF);
}

struct qn_cost_extent qn_cost_get_extent(const struct qn_cost_store *s);
/* Subtracts the counts of an earlier copy of the arena, in all tables whose columns add up. */
void qn_cost_subtract_tables(const struct qn_cost_store *s, const struct qn_cost_store *less);

/* Of one row of misses by set; 0: none are counted. */
size_t qn_cost_set_row_bytes(const struct qn_cost_store *s);

/* Appends a string; 0 (the empty string) where there is no room.  Before the engine starts only. */
uint32_t qn_cost_put_string(struct qn_cost_store *s, const char *text);

/* A copy of a string of the arena, at most size - 1 bytes; "" for an index that is out of range. */
void qn_cost_get_string(const struct qn_cost_store *s, uint32_t at, char *text, size_t size);

#endif
