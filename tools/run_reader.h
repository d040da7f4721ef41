/* tools/run_reader.h - the parts of folding that run_reader.c and run_finish.c share. */
#ifndef QN_RUN_READER_H
#define QN_RUN_READER_H

#include <stdbool.h>

#include "cost/modules.h"

struct qn_run;

struct qn_run_guard {
    struct qn_cost_guard modules;
    bool avoid_all; /* read nothing at all */
};

/* Folds r->store, writes the profile, prints the report, in this process.  guard may be NULL. */
bool qn_run_fold(struct qn_run *r, struct qn_run_guard *guard, struct qn_cost_library *library);

/* Limits this process's time and memory. */
void qn_run_limit_folding(void);

/* Closes every descriptor but these (and the standard ones, which are /dev/null). */
void qn_run_keep_only(const int *fds, int count);

/* Starts the reader; without it everything works, only slower. */
void qn_run_start_reader(struct qn_run *r);

/* Shows the reader a file whose code a guest has mapped; the descriptor stays the caller's.  Never waits. */
void qn_run_give_reader(const struct qn_run *r, int file);

/* The main collector's guest has become another program: its arena, in case that nobody lives to ask. */
void qn_run_show_image(const struct qn_run *r);

/* 0: profile written; 1: not written, said why; -1: nobody answered. */
int qn_run_ask_reader(struct qn_run *r);

/* Nothing more to ask: let the reader end, and wait for it if nobody else can ask. */
void qn_run_end_reader(struct qn_run *r);

#endif
