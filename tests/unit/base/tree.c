/* Ranges in a tree, beside an array with a place for each address: added, replaced, removed, asked for at random. */
#include <stdlib.h>

#include "base/tree.h"

#include "tap.h"

#define PLACES 2000u
#define CHANGES 20000

struct model {
    uint64_t end; /* of the range that begins here; 0: none does */
    uint32_t value;
};

static struct model model[PLACES];
static uint64_t random_state = 1;

static void *zeros(uint64_t bytes) { return calloc(1, bytes); }

static struct qn_tree tree = {.alloc = zeros};

static uint32_t below(uint32_t n)
{
    random_state = random_state * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)((random_state >> 33) % n);
}

static void model_remove(uint64_t start, uint64_t end)
{
    for (uint64_t i = start; i < end && i < PLACES; i++)
        model[i].end = 0;
}

static void model_forget(uint64_t start, uint64_t end)
{
    uint64_t i = start;

    while (i > 0 && !model[i].end)
        i--;
    model_remove(model[i].end > start ? i : start, end);
}

static void change(uint32_t value)
{
    uint64_t start = below(PLACES), end = start + 1 + below(20);

    switch (below(8)) {
    case 0:
        qn_tree_remove(&tree, start, end);
        model_remove(start, end);
        break;
    case 1:
        qn_tree_forget(&tree, start, end);
        model_forget(start, end);
        break;
    default:
        qn_tree_forget(&tree, start, end);
        qn_tree_add(&tree, start, end, value);
        model_forget(start, end);
        model[start] = (struct model){end, value};
        break;
    }
}

static bool is(const struct qn_tree_node *n, uint64_t start)
{
    return n && n->start == start && n->end == model[start].end && n->value == model[start].value;
}

/* At one address all three questions have the model's answers. */
static bool agrees(uint64_t at)
{
    uint64_t last = at, next = at + 1;
    bool begun;

    while (last > 0 && !model[last].end)
        last--;
    while (next < PLACES && !model[next].end)
        next++;
    begun = model[last].end;
    return (begun ? is(qn_tree_last(&tree, at), last) : !qn_tree_last(&tree, at))
           && (next < PLACES ? is(qn_tree_next(&tree, at), next) : !qn_tree_next(&tree, at))
           && (begun && model[last].end > at ? is(qn_tree_find(&tree, at), last) : !qn_tree_find(&tree, at));
}

int main(void)
{
    unsigned wrong = 0;

    ok(!qn_tree_last(&tree, 5) && !qn_tree_next(&tree, 5) && !qn_tree_find(&tree, 5), "an empty tree has none");
    for (uint32_t i = 1; i <= CHANGES; i++) {
        change(i);
        wrong += !agrees(below(PLACES));
    }
    for (uint64_t i = 0; i < PLACES; i++)
        wrong += !agrees(i);
    is_int(wrong, 0, "answers that differ from the array's");
    ok(tree.room < 2 * PLACES, "nodes of ranges that are gone are used again");
    return done_testing();
}
