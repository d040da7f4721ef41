/*
 * Sources of one annotated file. See modern_originals.h.
 *
 * In:  the names that became one
 * Out: their text
 */
#include "out/modern/modern_originals.h"

#include <stdlib.h>
#include <string.h>

#include "text/names.h"

int qn_out_find_originals(struct qn_out_originals *o, const struct qn_prof_ledger *g, uint32_t file)
{
    uint32_t all = g->options.mod_file ? g->originals.index.count : 1;
    o->names = calloc(all + (size_t)1, sizeof *o->names);
    if (!o->names)
        return -1;
    if (!g->options.mod_file)
        o->names[o->count++] = qn_text_name(&g->fns.files, file);
    for (uint32_t i = 0; i < all && g->options.mod_file; i++)
        if (g->original_of[i] == file)
            o->names[o->count++] = qn_text_name(&g->originals, i);
    qsort(o->names, (size_t)o->count, sizeof *o->names, qn_text_compare);
    o->paths = calloc((size_t)o->count + 1, sizeof *o->paths);
    o->sources = calloc((size_t)o->count + 1, sizeof *o->sources);
    return o->paths && o->sources ? 0 : -1;
}

static char *join_path(const char *dir, const char *name)
{
    size_t n = strlen(dir);
    char *path = malloc(n + strlen(name) + 2);
    if (!path)
        return NULL;
    memcpy(path, dir, n);
    path[n] = '/';
    strcpy(path + n + 1, name);
    return path;
}

/* 0 where it was read. */
static int read_original(const struct qn_out_request *q, const char *name, char **path,
                         struct qn_out_source *source)
{
    *path = strdup(name);
    if (*path && qn_out_read_source(source, *path) == 0)
        return 0;
    for (int i = 0; i < q->include_count; i++) {
        free(*path);
        *path = join_path(q->includes[i], name);
        if (*path && qn_out_read_source(source, *path) == 0)
            return 0;
    }
    return -1;
}

int qn_out_read_originals(struct qn_out_originals *o, const struct qn_out_request *q)
{
    int failed = 0;
    for (int i = 0; i < o->count; i++)
        if (read_original(q, o->names[i], &o->paths[i], &o->sources[i]) != 0)
            failed = -1;
    return failed;
}

int qn_out_are_identical(const struct qn_out_originals *o)
{
    const struct qn_out_source *first = &o->sources[0];
    for (int i = 1; i < o->count; i++)
        if (o->sources[i].size != first->size ||
            memcmp(o->sources[i].text, first->text, first->size) != 0)
            return 0;
    return 1;
}

void qn_out_free_originals(struct qn_out_originals *o)
{
    for (int i = 0; i < o->count; i++) {
        if (o->paths)
            free(o->paths[i]);
        if (o->sources)
            qn_out_free_source(&o->sources[i]);
    }
    free(o->names);
    free(o->paths);
    free(o->sources);
}

void qn_out_list_originals(struct qn_out_sink *s, const struct qn_out_originals *o, const char *mark)
{
    for (int i = 0; i < o->count; i++) {
        qn_out_puts(s, mark);
        qn_out_name(s, o->names[i]);
        qn_out_putc(s, '\n');
    }
}
