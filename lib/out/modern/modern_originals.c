/*
 * Sources of one annotated file. See modern_originals.h.
 *
 * In:  the names that became one
 * Out: their text
 */
#define _GNU_SOURCE
#include "out/modern/modern_originals.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "text/names.h"

void qn_out_find_originals(struct qn_out_originals *o, const struct qn_prof_ledger *g, uint32_t file)
{
    uint32_t all = g->options.mod_file ? g->originals.index.count : 1;
    o->names = QN_NEEDED(calloc(all + (size_t)1, sizeof *o->names));
    if (!g->options.mod_file)
        o->names[o->count++] = qn_text_name(&g->fns.files, file);
    for (uint32_t i = 0; i < all && g->options.mod_file; i++)
        if (g->original_of[i] == file)
            o->names[o->count++] = qn_text_name(&g->originals, i);
    qsort(o->names, (size_t)o->count, sizeof *o->names, qn_text_compare);
    o->paths = QN_NEEDED(calloc((size_t)o->count + 1, sizeof *o->paths));
    o->sources = QN_NEEDED(calloc((size_t)o->count + 1, sizeof *o->sources));
}

/* 0 where it was read. */
static int read_original(const struct qn_out_request *q, const char *name, char **path,
                         struct qn_text_source *source)
{
    *path = QN_NEEDED(strdup(name));
    if (qn_text_open_source(source, *path) == 0)
        return 0;
    for (int i = 0; i < q->include_count; i++) {
        free(*path);
        if (asprintf(path, "%s/%s", q->includes[i], name) < 0)
            qn_no_memory();
        if (qn_text_open_source(source, *path) == 0)
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
    for (int i = 1; i < o->count; i++)
        if (!qn_text_same_source(&o->sources[0], &o->sources[i]))
            return 0;
    return 1;
}

void qn_out_free_originals(struct qn_out_originals *o)
{
    for (int i = 0; i < o->count; i++) {
        free(o->paths[i]);
        qn_text_close_source(&o->sources[i]);
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
