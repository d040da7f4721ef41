/*
 * Folded stacks: a line for each path, as flamegraph.pl, inferno and speedscope read them. See stacks.h.
 *
 * A `;` in a name becomes a comma, because it separates names. A name may have blanks; the count follows the last one.
 */
#include <stdlib.h>

#include "base/grow.h"
#include "stacks/stacks.h"

static void put_name(struct qn_prof_writer *w, const char *name)
{
    char text[2] = "";
    for (; *name; name++) {
        text[0] = *name == ';' ? ',' : *name;
        qn_prof_put_escaped(w, text);
    }
}

static void put_stack(const struct qn_stacks_tree *t, uint32_t node, uint32_t *path, int64_t count, struct qn_prof_writer *w)
{
    char room[QN_TEXT_MAX];
    qn_stacks_path(t, node, path);
    for (uint32_t i = 0; i < t->depth[node]; i++) {
        qn_prof_put_text(w, i ? ";" : "");
        put_name(w, qn_prof_call_name(&t->calls.fns[path[i]], room, sizeof room));
    }
    qn_prof_put_text(w, " ");
    qn_prof_put_number(w, count);
    qn_prof_put_text(w, "\n");
}

enum qn_text_status qn_stacks_write_folded(const char *path, const char *event, struct qn_prof_writer *w, struct qn_text_error *err)
{
    struct qn_stacks_tree t;
    uint32_t *stack;
    int at;
    if (qn_stacks_read(&t, path, err) != QN_TEXT_OK)
        return err->status;
    stack = QN_NEEDED(calloc(t.deepest + (size_t)1, sizeof *stack));
    if ((at = qn_stacks_find_event(&t, path, event, err)) >= 0)
        for (size_t i = 0; i < t.calls.node_count; i++) {
            int64_t count = qn_prof_node_counts(&t.calls, t.order[i])[at];
            if (count)
                put_stack(&t, t.order[i], stack, count, w);
        }
    free(stack);
    qn_stacks_free(&t);
    return err->status;
}
