/*
 * Builds tables of calls. See calls.h.
 *
 * In:  qn_prof_begin_calls(c, {"Ir"}, 1), qn_prof_add_call_fn(c, NULL, "a.c", "main")
 * Out: function 0, whose counts are 0
 */
#define _GNU_SOURCE
#include "prof/calls/calls.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "prof/read.h"
#include "text/names.h"

enum { FIRST_ROOM = 64 };

static const char *keep(struct qn_prof_calls *c, const char *text)
{
    return qn_text_name(c->names, qn_text_intern(c->names, text, strlen(text)));
}

/* A row of zeros behind `count` of them. */
static void add_row(int64_t **rows, size_t count, size_t *room, size_t events)
{
    if (count >= QN_PROF_CALLS_MAX)
        qn_no_memory();
    for (size_t i = 0; i < events; i++) {
        QN_MORE(*rows, count * events + i, *room, FIRST_ROOM);
        (*rows)[count * events + i] = 0;
    }
}

void qn_prof_begin_calls(struct qn_prof_calls *c, const char *const *events, size_t count)
{
    if (!c->names)
        c->names = QN_NEEDED(calloc(1, sizeof *c->names));
    for (size_t i = 0; i < count; i++) {
        QN_MORE(c->events, c->event_count, c->event_room, FIRST_ROOM);
        c->events[c->event_count++] = keep(c, events[i]);
    }
}

uint32_t qn_prof_add_call_fn(struct qn_prof_calls *c, const char *object, const char *file, const char *name)
{
    QN_MORE(c->fns, c->fn_count, c->fn_room, FIRST_ROOM);
    add_row(&c->inclusive, c->fn_count, &c->inclusive_room, c->event_count);
    c->fns[c->fn_count] = (struct qn_prof_call_fn){object ? keep(c, object) : NULL, keep(c, file), keep(c, name), 0};
    return (uint32_t)c->fn_count++;
}

uint32_t qn_prof_add_call_edge(struct qn_prof_calls *c, uint32_t caller, const char *file, uint32_t line, uint32_t callee)
{
    QN_MORE(c->edges, c->edge_count, c->edge_room, FIRST_ROOM);
    add_row(&c->edge_counts, c->edge_count, &c->edge_counts_room, c->event_count);
    c->edges[c->edge_count] = (struct qn_prof_call_edge){caller, callee, line, file ? keep(c, file) : NULL, 0};
    return (uint32_t)c->edge_count++;
}

uint32_t qn_prof_add_call_node(struct qn_prof_calls *c, uint32_t parent, uint32_t function)
{
    QN_MORE(c->nodes, c->node_count, c->node_room, FIRST_ROOM);
    add_row(&c->node_counts, c->node_count, &c->node_counts_room, c->event_count);
    c->nodes[c->node_count] = (struct qn_prof_call_node){parent, function, 0};
    return (uint32_t)c->node_count++;
}

void qn_prof_add_call_lost(struct qn_prof_calls *c, const char *what, int64_t count)
{
    QN_MORE(c->lost, c->lost_count, c->lost_room, FIRST_ROOM);
    c->lost[c->lost_count++] = (struct qn_prof_call_lost){keep(c, what), count};
}

int64_t *qn_prof_widen_calls(const struct qn_prof_calls *c, const int64_t *counts, size_t rows, const struct qn_prof_header *h)
{
    size_t events = (size_t)h->event_count;
    int64_t *to = QN_NEEDED(calloc(rows * events + 1, sizeof *to));
    for (size_t k = 0; k < c->event_count; k++) {
        int at = qn_prof_find_event(h, c->events[k], strlen(c->events[k]));
        for (size_t i = 0; i < rows && at >= 0; i++)
            to[i * events + (size_t)at] = counts[i * c->event_count + k];
    }
    return to;
}

const char *qn_prof_call_name(const struct qn_prof_call_fn *f, char *room, size_t size)
{
    if (!f->object || strcmp(f->name, QN_PROF_NOT_KNOWN) != 0)
        return f->name;
    snprintf(room, size, QN_PROF_NOT_KNOWN " in %s", basename(f->object));
    return room;
}

void qn_prof_free_calls(struct qn_prof_calls *c)
{
    if (c->names)
        qn_text_free_names(c->names);
    free(c->names);
    free(c->events);
    free(c->fns);
    free(c->edges);
    free(c->nodes);
    free(c->lost);
    free(c->inclusive);
    free(c->edge_counts);
    free(c->node_counts);
    *c = (struct qn_prof_calls){0};
}
