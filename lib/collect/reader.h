/* lib/collect/reader.h - the parts of folding that reader.c and finish.c share. */
#ifndef QN_COLLECT_READER_H
#define QN_COLLECT_READER_H

#include <stdbool.h>

#include "cost/modules.h"

struct qn_collect;

struct qn_collect_guard {
    struct qn_cost_guard modules;
    bool avoid_all; /* read nothing at all */
};

/* Folds r->store, writes the profile, prints the report, in this process.  guard may be NULL. */
bool qn_collect_fold(struct qn_collect *r, struct qn_collect_guard *guard, struct qn_cost_library *library);

/* Limits this process's time and memory. */
void qn_collect_limit_folding(void);

/* Closes every descriptor but these (and the standard ones, which are /dev/null). */
void qn_collect_keep_only(const int *fds, int count);

/* Starts the reader; without it everything works, only slower. */
void qn_collect_start_reader(struct qn_collect *r);

/* Shows the reader a file whose code a guest has mapped; the descriptor stays the caller's.  Never waits. */
void qn_collect_give_reader(const struct qn_collect *r, int file);

/* The main collector's guest has become another program: its arena, in case that nobody lives to ask. */
void qn_collect_show_image(const struct qn_collect *r);

/* 0: profile written; 1: not written, said why; -1: nobody answered. */
int qn_collect_ask_reader(struct qn_collect *r);

/* Nothing more to ask: let the reader end, and wait for it if nobody else can ask. */
void qn_collect_end_reader(struct qn_collect *r);

#endif
