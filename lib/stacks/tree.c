/*
 * A tree of contexts, depth first. See stacks.h.
 *
 * In:  nodes whose parents come before them
 * Out: their order depth first, children in the order in which they came
 */
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "prof/read.h"
#include "stacks/stacks.h"

static void order_nodes(struct qn_stacks_tree *t)
{
    const struct qn_prof_calls *c = &t->calls;
    size_t n = c->node_count, done = 0, waiting = 0;
    uint32_t *next = QN_NEEDED(malloc((n + 1) * sizeof *next)), *child = QN_NEEDED(malloc((n + 1) * sizeof *child));
    uint32_t *stack = QN_NEEDED(malloc((n + 1) * sizeof *stack)), root = QN_PROF_NO_NODE;
    for (size_t i = 0; i < n; i++)
        child[i] = QN_PROF_NO_NODE;
    for (size_t i = n; i-- > 0;) { /* from the last, so that the first child comes first */
        uint32_t *first = c->nodes[i].parent == QN_PROF_NO_NODE ? &root : &child[c->nodes[i].parent];
        next[i] = *first;
        *first = (uint32_t)i;
    }
    if (root != QN_PROF_NO_NODE)
        stack[waiting++] = root;
    while (waiting) {
        uint32_t node = stack[--waiting];
        t->order[done++] = node;
        if (next[node] != QN_PROF_NO_NODE)
            stack[waiting++] = next[node];
        if (child[node] != QN_PROF_NO_NODE)
            stack[waiting++] = child[node];
    }
    free(next);
    free(child);
    free(stack);
}

static void measure(struct qn_stacks_tree *t, const char *path, struct qn_text_error *err)
{
    const struct qn_prof_calls *c = &t->calls;
    t->order = QN_NEEDED(calloc(c->node_count + 1, sizeof *t->order));
    t->depth = QN_NEEDED(calloc(c->node_count + 1, sizeof *t->depth));
    order_nodes(t);
    for (size_t i = 0; i < c->node_count; i++) {
        t->depth[i] = c->nodes[i].parent == QN_PROF_NO_NODE ? 1 : t->depth[c->nodes[i].parent] + 1;
        t->deepest = t->depth[i] > t->deepest ? t->depth[i] : t->deepest;
    }
    for (size_t i = 0; i < c->node_count * c->event_count; i++)
        if (c->node_counts[i] < 0) {
            qn_text_fail(err, QN_TEXT_BAD, "%s: costs of paths: got %lld, wanted none below 0: a profile, not a difference", path,
                         (long long)c->node_counts[i]);
            return;
        }
}

static int read_command(struct qn_stacks_tree *t, const char *path, struct qn_text_error *err)
{
    struct qn_prof_reader *r = qn_prof_open_reader(path, err);
    if (!r)
        return -1;
    t->command = QN_NEEDED(strdup(qn_prof_reader_header(r)->cmd.text));
    qn_prof_close_reader(r);
    return 0;
}

enum qn_text_status qn_stacks_read(struct qn_stacks_tree *t, const char *path, struct qn_text_error *err)
{
    *t = (struct qn_stacks_tree){0};
    if (read_command(t, path, err) == 0 && qn_prof_read_calls(path, &t->calls, err) == QN_TEXT_OK) {
        if (!t->calls.node_count)
            qn_text_fail(err, QN_TEXT_BAD, "%s: paths of calls are not known; `quern run --calls=paths` writes them into the profile", path);
        else
            measure(t, path, err);
    }
    if (err->status != QN_TEXT_OK)
        qn_stacks_free(t);
    return err->status;
}

void qn_stacks_free(struct qn_stacks_tree *t)
{
    qn_prof_free_calls(&t->calls);
    free(t->command);
    free(t->order);
    free(t->depth);
    *t = (struct qn_stacks_tree){0};
}

void qn_stacks_path(const struct qn_stacks_tree *t, uint32_t node, uint32_t *path)
{
    for (uint32_t i = t->depth[node]; i-- > 0; node = t->calls.nodes[node].parent)
        path[i] = t->calls.nodes[node].function;
}

int qn_stacks_find_event(const struct qn_stacks_tree *t, const char *path, const char *event, struct qn_text_error *err)
{
    char known[QN_TEXT_MAX / 2] = "";
    for (size_t i = 0; i < t->calls.event_count; i++) {
        if (!event || strcmp(t->calls.events[i], event) == 0)
            return (int)i;
        if (strlen(known) + strlen(t->calls.events[i]) + 2 < sizeof known)
            strcat(strcat(known, i ? " " : ""), t->calls.events[i]);
    }
    qn_text_fail(err, QN_TEXT_BAD, "%s: --event: got `%s`, wanted one of %s", path, event, known);
    return -1;
}
