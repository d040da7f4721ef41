/* lib/guest/exec_map.c - see exec_map.h. */
#include "guest/exec_map.h"

static struct qn_tree code = {.alloc = qn_engine_alloc}; /* value: the map; flag: it is writable */
static struct qn_tree shared = {.alloc = qn_engine_alloc};
static bool all_writable;

static void add(struct qn_tree *t, uint64_t start, uint64_t end, uint32_t map, bool writable)
{
    if (start < end)
        qn_tree_add(t, start, end, map)->flag = writable;
}

/* What of a range lies outside stays. */
static void cut(struct qn_tree *t, uint64_t start, uint64_t end)
{
    const struct qn_tree_node *n = qn_tree_find(t, start);
    struct qn_tree_node first = n ? *n : (struct qn_tree_node){0}, last;

    if (start >= end)
        return;
    n = qn_tree_find(t, end - 1);
    last = n ? *n : (struct qn_tree_node){0};
    qn_tree_forget(t, start, end);
    add(t, first.start, first.end < start ? first.end : start, first.value, first.flag);
    add(t, end, last.end, last.value, last.flag);
}

static bool overlaps(const struct qn_tree *t, uint64_t start, uint64_t end)
{
    const struct qn_tree_node *next = qn_tree_next(t, start);

    return qn_tree_find(t, start) || (next && next->start < end);
}

void qn_exec_remove(uint64_t start, uint64_t end) { cut(&code, start, end); }

void qn_exec_add(uint64_t start, uint64_t end, bool writable)
{
    cut(&code, start, end);
    add(&code, start, end, QN_NO_MAP, writable || all_writable);
}

bool qn_exec_fill(uint64_t pc, uint64_t start, uint64_t end, bool writable)
{
    const struct qn_tree_node *before = qn_tree_last(&code, pc), *next = qn_tree_next(&code, pc);

    if (before && before->end > pc)
        return false;
    if (before && before->end > start)
        start = before->end;
    if (next && next->start < end)
        end = next->start;
    if (pc >= end)
        return false;
    add(&code, start, end, QN_NO_MAP, writable || all_writable);
    return true;
}

bool qn_exec_are_all_writable(void) { return all_writable; }

bool qn_exec_all_writable(void)
{
    bool before = all_writable;

    all_writable = true;
    for (struct qn_tree_node *n = qn_tree_next(&code, 0); n; n = qn_tree_next(&code, n->start))
        n->flag = true;
    return !before;
}

bool qn_exec_overlaps(uint64_t start, uint64_t end) { return overlaps(&code, start, end); }

struct qn_tree_node *qn_exec_find(uint64_t pc) { return qn_tree_find(&code, pc); }

uint64_t qn_exec_avail(uint64_t pc, uint64_t most)
{
    uint64_t at = pc;

    for (const struct qn_tree_node *n = qn_tree_find(&code, pc); n && at - pc < most; n = qn_tree_find(&code, at))
        at = n->end;
    return at - pc < most ? at - pc : most;
}

void qn_shared_set(uint64_t start, uint64_t end, bool is_shared)
{
    cut(&shared, start, end);
    if (is_shared)
        add(&shared, start, end, QN_NO_MAP, true);
}

bool qn_shared_overlaps(uint64_t start, uint64_t end) { return overlaps(&shared, start, end); }

uint64_t qn_shared_end(uint64_t at)
{
    const struct qn_tree_node *n = qn_tree_find(&shared, at);

    return n ? n->end : 0;
}
