/* lib/base/tree.h - disjoint ranges of addresses, sorted: insertion, removal and look-up take logarithmic time, in whatever order ranges come.
 *
 *   static struct qn_tree ranges = {.alloc = qn_engine_alloc};
 *
 *   qn_tree_add(&ranges, 0x1000, 0x1040, 7);
 *   qn_tree_last(&ranges, 0x1020)            ->   {0x1000, 0x1040, 7}: the last range that begins at or before the address
 *   qn_tree_remove(&ranges, 0x1000, 0x2000)       removes the ranges that begin there
 *
 * Invariants: at most one range begins at an address.  A node is valid until the tree changes.
 */
#ifndef QN_BASE_TREE_H
#define QN_BASE_TREE_H

#include "base/base.h"

struct qn_tree_node {
    uint64_t start, end;
    uint32_t value;
    uint32_t left, right;    /* 0: none */
    uint32_t flag;           /* the user's; 0 at first */
};

struct qn_tree {
    void *(*alloc)(uint64_t bytes);  /* zeroed memory, which is never given back */
    struct qn_tree_node *nodes;      /* 0 is none */
    uint32_t root, free;             /* free: the root of nodes that are not in use */
    uint32_t used, room;
};

/* A range that begins there already is replaced.  Returns the node. */
struct qn_tree_node *qn_tree_add(struct qn_tree *t, uint64_t start, uint64_t end, uint32_t value);
/* Removes all ranges that begin in [start, end). */
void qn_tree_remove(struct qn_tree *t, uint64_t start, uint64_t end);
/* The same, and the one before if it reaches into [start, end). */
void qn_tree_forget(struct qn_tree *t, uint64_t start, uint64_t end);
/* NULL: none begins at or before the address. */
struct qn_tree_node *qn_tree_last(const struct qn_tree *t, uint64_t address);
/* The first that begins behind it; NULL: none does. */
struct qn_tree_node *qn_tree_next(const struct qn_tree *t, uint64_t address);
/* The one that holds the address, or NULL. */
struct qn_tree_node *qn_tree_find(const struct qn_tree *t, uint64_t address);

#endif
