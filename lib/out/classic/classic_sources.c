/*
 * The annotated sources of the classic style.
 *
 * In:  files chosen by the function table and by the user
 * Out: a section per file that was found, the list of those that were not, the events annotated
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "out/classic/classic_file.h"
#include "prof/counts.h"
#include "text/names.h"

static int is_user_source(const struct qn_out_classic *c, const char *name)
{
    return bsearch(&name, c->sources, (size_t)c->source_count, sizeof *c->sources, qn_text_compare) != NULL;
}

/* All files to annotate, sorted, each once: the user's and, where auto-annotating, the table's. */
static const char **list_files(struct qn_out_classic *c, size_t *count)
{
    size_t chosen = c->request->annotate ? c->chosen.index.count : 0;
    const char **names = QN_NEEDED(malloc(((size_t)c->source_count + chosen + 1) * sizeof *names));
    *count = 0;
    for (int i = 0; i < c->source_count; i++)
        names[(*count)++] = c->sources[i];
    for (size_t i = 0; i < chosen; i++) {
        const char *name = qn_text_name(&c->chosen, (uint32_t)i);
        if (strcmp(name, "???") != 0 && !is_user_source(c, name))
            names[(*count)++] = name;
    }
    qsort(names, *count, sizeof *names, qn_text_compare);
    return names;
}

static void put_not_found(const struct qn_out_classic *c, const char **names, size_t count)
{
    if (count == 0)
        return;
    qn_out_classic_put_frame(c->sink);
    qn_out_puts(c->sink, "The following files chosen for auto-annotation could not be found:\n");
    qn_out_classic_put_frame(c->sink);
    for (size_t i = 0; i < count; i++) {
        qn_out_puts(c->sink, "  ");
        qn_out_name(c->sink, names[i]);
        qn_out_putc(c->sink, '\n');
    }
    qn_out_putc(c->sink, '\n');
}

static void put_annotated_sum(struct qn_out_classic_file *f)
{
    struct qn_out_sink *s = f->c->sink;
    qn_out_classic_begin_widths(f->c, f->widths);
    qn_out_classic_measure(f->c, f->widths, f->annotated);
    qn_out_classic_put_frame(s);
    qn_out_classic_put_events(f->c, f->widths);
    qn_out_putc(s, '\n');
    qn_out_classic_put_frame(s);
    qn_out_classic_put_counts(f->c, f->widths, f->annotated);
    qn_out_puts(s, " events annotated\n\n");
}

/* Puts all files; those that could not be opened gather at the front of `names`. */
static void put_files(struct qn_out_classic_file *f, const char **names, size_t count)
{
    struct qn_out_classic *c = f->c;
    size_t missing = 0;
    int any = 0;
    for (size_t i = 0; i < count && c->err->status == QN_TEXT_OK; i++) {
        f->name = names[i];
        f->by_user = is_user_source(c, names[i]);
        int result = qn_out_classic_put_file(f);
        if (result < 0 && f->by_user)
            qn_text_fail(c->err, QN_TEXT_IO, "%s: cannot open: %s", names[i], strerror(errno));
        else if (result < 0)
            names[missing++] = names[i];
        any |= result > 0;
    }
    if (c->err->status != QN_TEXT_OK)
        return;
    put_not_found(c, names, missing);
    if (any)
        put_annotated_sum(f);
}

static void init_file(struct qn_out_classic_file *f)
{
    size_t n = (size_t)f->c->events;
    f->widths = QN_NEEDED(calloc(n, sizeof *f->widths));
    f->counts = QN_NEEDED(calloc(n * 3, sizeof *f->counts));
    f->line0 = f->counts + n;
    f->annotated = f->counts + 2 * n;
    qn_prof_clear_counts(f->annotated, f->c->events);
}

void qn_out_classic_sources(struct qn_out_classic *c)
{
    struct qn_out_classic_file f = {.c = c};
    size_t count;
    const char **names = list_files(c, &count);
    init_file(&f);
    put_files(&f, names, count);
    free(names);
    free(f.widths);
    free(f.counts);
}
