/* lib/page/watch/watch.h - writes a page that plays what caches did, reference by reference.
 *
 *   two CSV files of `quern run --watch`, of one program with an lru and a fifo D1  ->  both side by side, step by step
 *   two of `quern replay --watch-of=BC`, of one trace with a bimodal and a gshare   ->  the same for predictors, branch by branch
 *
 * Invariant: all files have the same references, or branches, in the same order; if not, nothing is written and the message says so.
 */
#ifndef QN_PAGE_WATCH_H
#define QN_PAGE_WATCH_H

#include <stdbool.h>
#include <stdio.h>

#include "text/csv.h"
#include "text/error.h"
#include "text/memory.h"

#define QN_PAGE_CACHES_MAX 4

struct qn_page_watch {
    const char *title;
    const char *files[QN_PAGE_CACHES_MAX]; /* CSV, see cost/notes/watch.h */
    const char *names[QN_PAGE_CACHES_MAX]; /* of the caches, "fifo", or predictors */
    int count;
    bool cores;                            /* the files are of one run: the D1 of each core */
    const char *places;                    /* source lines of the branches (cost/side_tables/branches.h); NULL: not known */
};

/* Reads one of the files, whose columns must be these `count`; `command`: which writes them, for the message. */
enum qn_text_status qn_page_read_steps(struct qn_text_table *t, const char *file, const char *const *columns, int count, const char *command,
                                       struct qn_text_error *err);

enum qn_text_status qn_page_write_branches(const struct qn_page_watch *w, FILE *out, struct qn_text_error *err);
enum qn_text_status qn_page_write_watch(const struct qn_page_watch *w, FILE *out, struct qn_text_error *err);

/* ---- the places in the source where a page's steps happen, each once, and the source around them ----
 *
 *   qn_page_find_place(p, "/src/a.c", "14", "main")   ->  0
 *   qn_page_put_places(p, out)                        ->  "places":[["/src/a.c",14,"main"]]
 *   qn_page_put_place_sources(p, out)                 ->  "files":[{"name":"/src/a.c","text":[[10,["..."]]],"size":40}]
 */

struct qn_page_places {
    struct qn_text_memory *memory;
    struct qn_page_place {
        const char *file, *line, *function;
    } *list;
    size_t count;
};

/* The place's number; adds it if it is new.  The caller owns the texts and keeps them. */
size_t qn_page_find_place(struct qn_page_places *p, const char *file, const char *line, const char *function);

void qn_page_put_places(const struct qn_page_places *p, FILE *out);
void qn_page_put_place_sources(const struct qn_page_places *p, FILE *out);

#endif
