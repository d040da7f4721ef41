/*
 * The tree of contexts of a profile (prof/tables/calls.h, `quern run --calls=paths`) in the formats of tools that show stacks.
 *
 * In:  #node: -1 0 1 300 4        main
 *      #node: 0 1 3 600 8         main, f
 * Out: folded:      main 300 / main;f 600
 *      speedscope:  a profile of samples for each event (https://www.speedscope.app/file-format-schema.json)
 *      pprof:       a sample of each path with all events (profile.proto), packed by gzip
 *
 * Rules: costs are self costs; a path without any is left out. Paths come depth first, so that tools which show samples in order show the
 * tree. The tree of a difference, with costs below 0, is refused: these formats have no negative numbers.
 */
#ifndef QN_STACKS_STACKS_H
#define QN_STACKS_STACKS_H

#include "prof/tables/calls.h"
#include "prof/write.h"
#include "text/error.h"

struct qn_stacks_tree {
    struct qn_prof_calls calls;
    char *command;
    uint32_t *order; /* nodes, depth first */
    uint32_t *depth; /* by node; of a root 1 */
    uint32_t deepest;
};

/* A profile without a tree is an error. */
enum qn_text_status qn_stacks_read(struct qn_stacks_tree *t, const char *path, struct qn_text_error *err);
void qn_stacks_free(struct qn_stacks_tree *t);

/* event: NULL, the first (folded), all (speedscope). */
enum qn_text_status qn_stacks_write_folded(const char *path, const char *event, struct qn_prof_writer *w, struct qn_text_error *err);
enum qn_text_status qn_stacks_write_speedscope(const char *path, const char *event, const char *creator, struct qn_prof_writer *w,
                                               struct qn_text_error *err);
enum qn_text_status qn_stacks_write_pprof(const char *path, struct qn_prof_writer *w, struct qn_text_error *err);

#endif
