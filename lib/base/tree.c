/* lib/base/tree.c - a treap (Seidel and Aragon, "Randomized search trees", 1996): sorted by start, and a heap by priority.  See tree.h.
 *
 * Nodes that are not in use form a treap as well, so that whole subtrees are given back in logarithmic time.
 */
#include "base/tree.h"

#include "base/hash.h"

#define FIRST_ROOM 1024u

/* As good as random, but the same in each run. */
static uint64_t priority(uint32_t number) { return qn_hash_mix(number); }

/* Splits a subtree into ranges that begin before the address, and others. */
static void split(struct qn_tree *t, uint32_t root, uint64_t address, uint32_t *before, uint32_t *others)
{
    while (root) {
        struct qn_tree_node *n = &t->nodes[root];

        if (n->start < address) {
            *before = root;
            before = &n->right;
            root = n->right;
        } else {
            *others = root;
            others = &n->left;
            root = n->left;
        }
    }
    *before = *others = 0;
}

/* Joins two subtrees; all of `left` begins before all of `right`. */
static uint32_t join(struct qn_tree *t, uint32_t left, uint32_t right)
{
    uint32_t root, *at = &root;

    while (left && right)
        if (priority(left) > priority(right)) {
            *at = left;
            at = &t->nodes[left].right;
            left = *at;
        } else {
            *at = right;
            at = &t->nodes[right].left;
            right = *at;
        }
    *at = left | right;
    return root;
}

static uint32_t take_node(struct qn_tree *t)
{
    uint32_t number = t->free;

    if (number) {
        t->free = join(t, t->nodes[number].left, t->nodes[number].right);
        return number;
    }
    if (t->used + 1 >= t->room) {
        uint32_t room = t->room ? 2 * t->room : FIRST_ROOM;
        struct qn_tree_node *nodes = t->alloc(room * sizeof *nodes);

        if (t->room)
            __builtin_memcpy(nodes, t->nodes, t->room * sizeof *nodes);
        t->nodes = nodes;
        t->room = room;
    }
    return ++t->used;
}

struct qn_tree_node *qn_tree_add(struct qn_tree *t, uint64_t start, uint64_t end, uint32_t value)
{
    uint32_t before, others, number;

    qn_tree_remove(t, start, start + 1);
    number = take_node(t);
    t->nodes[number] = (struct qn_tree_node){.start = start, .end = end, .value = value};
    split(t, t->root, start, &before, &others);
    t->root = join(t, join(t, before, number), others);
    return &t->nodes[number];
}

void qn_tree_remove(struct qn_tree *t, uint64_t start, uint64_t end)
{
    uint32_t before, within, behind;

    split(t, t->root, start, &before, &within);
    split(t, within, end, &within, &behind);
    t->free = join(t, t->free, within);
    t->root = join(t, before, behind);
}

void qn_tree_forget(struct qn_tree *t, uint64_t start, uint64_t end)
{
    const struct qn_tree_node *n = qn_tree_find(t, start);

    qn_tree_remove(t, n ? n->start : start, end);
}

struct qn_tree_node *qn_tree_last(const struct qn_tree *t, uint64_t address)
{
    struct qn_tree_node *found = NULL;

    for (uint32_t at = t->root; at; at = t->nodes[at].start <= address ? t->nodes[at].right : t->nodes[at].left)
        if (t->nodes[at].start <= address)
            found = &t->nodes[at];
    return found;
}

struct qn_tree_node *qn_tree_next(const struct qn_tree *t, uint64_t address)
{
    struct qn_tree_node *found = NULL;

    for (uint32_t at = t->root; at; at = t->nodes[at].start <= address ? t->nodes[at].right : t->nodes[at].left)
        if (t->nodes[at].start > address)
            found = &t->nodes[at];
    return found;
}

struct qn_tree_node *qn_tree_find(const struct qn_tree *t, uint64_t address)
{
    struct qn_tree_node *n = qn_tree_last(t, address);

    return n && address < n->end ? n : NULL;
}
