/* lib/debug/inline_names.c - names of inlined calls; each is made once.
 *
 * In:  leaf, which is inlined in middle, which is inlined in main
 * Out: "leaf (inlined in middle)", or with all calls between "leaf (inlined in middle at a.c:12, in main at a.c:30)"
 */
#define _GNU_SOURCE
#include <search.h>
#include <stdio.h>
#include <stdlib.h>

#include "debug/inlines.h"

struct name {
    const struct qn_inline *call;
    const char *outer;
    char *text;
};

static int compare_names(const void *left, const void *right)
{
    const struct name *a = left, *b = right;

    if (a->call != b->call)
        return (uintptr_t)a->call < (uintptr_t)b->call ? -1 : 1;
    return (uintptr_t)a->outer < (uintptr_t)b->outer ? -1 : a->outer != b->outer;
}

static void put_chain(FILE *out, const struct qn_inline *call, const char *outer)
{
    for (; call; call = call->into) {
        fprintf(out, "in %s", call->into ? call->into->function : outer);
        if (call->file && call->line)
            fprintf(out, " at %s:%u", call->file, call->line);
        fputs(call->into ? ", " : ")", out);
    }
}

static char *make_name(const struct qn_inline *call, const char *outer)
{
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);

    if (!out)
        return NULL;
    fprintf(out, "%s (inlined ", call->function);
    if (qn_debug_settings.inlines == QN_DEBUG_CHAINS)
        put_chain(out, call, outer);
    else
        fprintf(out, "in %s)", outer);
    return fclose(out) ? NULL : text;
}

static void free_name(void *node)
{
    free(((struct name *)node)->text);
    free(node);
}

const char *qn_debug_name_inline(struct qn_debug *d, const struct qn_inline *call, const char *outer)
{
    void **names = &d->inline_names;
    struct name wanted = {call, outer, NULL}, *fresh, **found = tfind(&wanted, names, compare_names);

    if (found)
        return (*found)->text;
    if (!(fresh = malloc(sizeof *fresh)))
        return NULL;
    *fresh = (struct name){call, outer, make_name(call, outer)};
    if (fresh->text && tsearch(fresh, names, compare_names))
        return fresh->text;
    free_name(fresh);
    return NULL;
}

void qn_debug_free_inline_names(struct qn_debug *d)
{
    tdestroy(d->inline_names, free_name);
    d->inline_names = NULL;
}
