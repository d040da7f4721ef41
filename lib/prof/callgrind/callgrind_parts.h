/*
 * The state while a file of Callgrind is read; only callgrind.c (headers, lines), callgrind_names.c and callgrind_costs.c include this.
 *
 * Invariant: `object`, `file` and `function` are those of the next costs; `home` is the file that fl= named last, the function's own.
 */
#ifndef QN_PROF_CALLGRIND_PARTS_H
#define QN_PROF_CALLGRIND_PARTS_H

#include "prof/callgrind/callgrind.h"
#include "prof/calls/calls_index.h"
#include "text/input.h"

enum qn_prof_callgrind_space { QN_PROF_CG_OBJECTS, QN_PROF_CG_FILES, QN_PROF_CG_FUNCTIONS, QN_PROF_CG_SPACES };

enum { QN_PROF_CG_FIRST_ROOM = 16 };

struct qn_prof_callgrind {
    struct qn_text_lines lines;
    struct qn_text_error *err;
    struct qn_prof_callgrind_names {
        char **at; /* by number; NULL: not named yet */
        size_t room;
    } names[QN_PROF_CG_SPACES];
    char *object, *file, *function; /* of the next costs */
    char *home;
    char *called_object, *called_file, *called; /* of the next call; NULL: the same as those above */
    int inner, called_inner; /* the function is Callgrind's "f'2": it was active already */
    char **descs, *cmd, *event_line, **events;
    size_t ndescs, descs_room, nevents, events_room;
    int has_instr, has_line; /* columns of a position */
    uint64_t instr, line;    /* the last position */
    int64_t *counts, *part;  /* of a line; of the part since its `events:` */
    int skips;               /* the next line belongs to a call or a jump */
    int is_call;             /* of these: a call */
    int64_t calls;           /* number of calls; 0: the call was made before this part of the run and is still active */
    struct qn_prof_table *table;
    struct qn_prof_calls tables; /* of calls */
    struct qn_prof_call_index index;
};

/* One message with FILE:LINE; -1. */
#define QN_PROF_CG_QUOTE_MAX 60 /* bytes of a line that a message quotes */
static inline int qn_prof_callgrind_bad(const struct qn_prof_callgrind *c, const char *what, const char *got, const char *wanted)
{
    qn_text_fail(c->err, QN_TEXT_BAD, "%s:%ld: %s, got `%.*s`, wanted %s", c->lines.path, c->lines.number, what, QN_PROF_CG_QUOTE_MAX, got,
                 wanted);
    return -1;
}

/* 1: the line named an object, a file or a function; 0: it did not; -1. */
int qn_prof_callgrind_take_place(struct qn_prof_callgrind *c, const char *text);
void qn_prof_callgrind_free_names(struct qn_prof_callgrind *c);

/* Reads counts up to the end of the line into c->counts; missing ones are 0. */
int qn_prof_callgrind_take_counts(struct qn_prof_callgrind *c, const char *p, const char *line);

/* "12 3 1": self cost, or the cost of the call that the line before announced. */
int qn_prof_callgrind_take_costs(struct qn_prof_callgrind *c, const char *text);

/* "calls=2 20", "jump=", "jcnd=". 0: it is none of them. */
int qn_prof_callgrind_begin_call(struct qn_prof_callgrind *c, const char *text);

#endif
