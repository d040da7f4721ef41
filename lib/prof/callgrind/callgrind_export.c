/*
 * Profiles in Callgrind's format. See callgrind.h.
 *
 * In:  a table of rows, tables of calls
 * Out: lines of both ("units") by function, file and line; then their text
 */
#define _GNU_SOURCE
#include "prof/callgrind/callgrind.h"

#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "prof/counts.h"
#include "prof/merge.h"
#include "prof/read.h"
#include "prof/table/table.h"
#include "prof/tables/tables.h"
#include "text/names.h"

/* An entry of the output: costs of a function in a line, or of calls there. */
struct unit {
    uint32_t fn;
    const char *file;
    int elsewhere; /* not the function's own file */
    uint32_t line;
    const int64_t *counts;               /* of a row */
    const struct qn_prof_call_edge *edge; /* NULL: a row */
};

struct export {
    const char *path;
    const struct qn_prof_callgrind_head *head;
    struct qn_prof_writer *w;
    struct qn_text_error *err;
    struct qn_prof_reader *reader;
    struct qn_prof_merge *merge;
    struct qn_prof_calls calls;
    int events;
    int *column;           /* of each event of the profile in the counts of calls; -1: there is none */
    struct unit *units;
    size_t count, room;
    uint32_t *first_line;  /* by function */
    struct qn_text_names objects, files, functions; /* numbered as they come */
};

/* ---- what there is to write ---- */

static void add_unit(struct export *x, struct unit u)
{
    QN_MORE(x->units, x->count, x->room, 1024);
    u.elsewhere = strcmp(u.file, x->calls.fns[u.fn].file) != 0;
    x->units[x->count++] = u;
}

static void add_rows(struct export *x)
{
    const struct qn_prof_table *t = qn_prof_merge_table(x->merge);
    uint32_t *fns = qn_prof_own_rows(t, &x->calls);
    for (size_t i = 0; i < qn_prof_table_rows(t); i++) {
        struct qn_prof_row row = qn_prof_table_at(t, i);
        if (!row.insn)
            add_unit(x, (struct unit){.fn = fns[i], .file = row.file, .line = row.line, .counts = row.counts});
    }
    free(fns);
}

/* Is the edge written?  An edge without calls is one that was called before this part of the run, and is still active: it is written if it has
 * costs.  Callgrind's readers do not know negative costs, which a difference may have. */
static int is_shown(const struct export *x, size_t edge)
{
    const int64_t *counts = qn_prof_edge_counts(&x->calls, edge);
    int costs = 0;
    for (size_t k = 0; k < x->calls.event_count && x->calls.edges[edge].calls == 0; k++) {
        if (counts[k] < 0)
            return 0;
        costs |= counts[k] > 0;
    }
    return x->calls.edges[edge].calls > 0 || costs;
}

static void add_edges(struct export *x)
{
    for (size_t i = 0; i < x->calls.edge_count; i++) {
        const struct qn_prof_call_edge *e = &x->calls.edges[i];
        if (is_shown(x, i))
            add_unit(x, (struct unit){.fn = e->caller, .file = e->file, .line = e->line, .edge = e});
    }
}

static int by_place(const void *left, const void *right)
{
    const struct unit *a = left, *b = right;
    int order;
    if (a->fn != b->fn)
        return a->fn < b->fn ? -1 : 1;
    if (a->elsewhere != b->elsewhere)
        return a->elsewhere - b->elsewhere;
    if ((order = strcmp(a->file, b->file)) != 0)
        return order;
    if (a->line != b->line)
        return a->line < b->line ? -1 : 1;
    if (!a->edge || !b->edge)
        return (a->edge != NULL) - (b->edge != NULL);
    return a->edge < b->edge ? -1 : a->edge > b->edge;
}

static void find_first_lines(struct export *x)
{
    x->first_line = QN_NEEDED(calloc(x->calls.fn_count + 1, sizeof *x->first_line));
    for (size_t i = x->count; i-- > 0;)
        if (!x->units[i].elsewhere && x->units[i].line)
            x->first_line[x->units[i].fn] = x->units[i].line;
}

static void map_events(struct export *x, const struct qn_prof_header *h)
{
    x->events = h->event_count;
    x->column = QN_NEEDED(calloc((size_t)x->events, sizeof *x->column));
    for (int i = 0; i < x->events; i++) {
        x->column[i] = -1;
        for (size_t k = 0; k < x->calls.event_count; k++)
            if (strcmp(x->calls.events[k], h->events[i]) == 0)
                x->column[i] = (int)k;
    }
}

static int read_all(struct export *x)
{
    char warning[QN_TEXT_MAX];
    x->reader = qn_prof_open_reader(x->path, x->err);
    x->merge = qn_prof_new_merge(NULL, NULL);
    if (!x->reader)
        return -1;
    if (qn_prof_merge_reader(x->merge, x->reader, x->path, warning, sizeof warning, x->err) != QN_TEXT_OK
        || qn_prof_read_calls(x->path, &x->calls, x->err) != QN_TEXT_OK)
        return -1;
    qn_prof_table_sort(qn_prof_merge_table(x->merge));
    map_events(x, qn_prof_reader_header(x->reader));
    add_rows(x);
    add_edges(x);
    if (x->count)
        qsort(x->units, x->count, sizeof *x->units, by_place);
    find_first_lines(x);
    return 0;
}

/* ---- text ---- */

/* "KEY=(7) NAME", or "KEY=(7)" if the name has come already. */
static void put_name(struct export *x, const char *key, struct qn_text_names *names, const char *name)
{
    uint32_t before = names->index.count, id = qn_text_intern(names, name, strlen(name));
    qn_prof_put_text(x->w, key);
    qn_prof_put_number(x->w, (int64_t)id + 1);
    qn_prof_put_text(x->w, id < before ? ")" : ") ");
    if (id >= before)
        qn_prof_put_escaped(x->w, name);
    qn_prof_put_text(x->w, "\n");
}

/* Writes a line, unless the number is 0. */
static void put_number(struct qn_prof_writer *w, const char *name, unsigned number)
{
    if (!number)
        return;
    qn_prof_put_text(w, name);
    qn_prof_put_number(w, number);
    qn_prof_put_text(w, "\n");
}

static void put_header(struct export *x)
{
    const struct qn_prof_header *h = qn_prof_reader_header(x->reader);
    qn_prof_put_text(x->w, "# callgrind format\nversion: 1\ncreator: ");
    qn_prof_put_line(x->w, x->head->creator);
    put_number(x->w, "pid: ", (unsigned)x->head->pid);
    qn_prof_put_text(x->w, "cmd: ");
    qn_prof_put_line(x->w, h->cmd.text);
    put_number(x->w, "part: ", x->head->part);
    put_number(x->w, "thread: ", x->head->thread);
    qn_prof_put_text(x->w, "\n");
    for (int i = 0; i < h->desc_count; i++)
        qn_prof_put_desc(x->w, h->descs[i].text);
    qn_prof_put_text(x->w, "\npositions: line\nevents:");
    for (int i = 0; i < h->event_count; i++) {
        qn_prof_put_text(x->w, " ");
        qn_prof_put_escaped(x->w, h->events[i]);
    }
    qn_prof_put_text(x->w, "\nsummary:");
    for (int i = 0; i < x->events; i++) {
        qn_prof_put_text(x->w, " ");
        qn_prof_put_number(x->w, qn_prof_count(qn_prof_table_totals(qn_prof_merge_table(x->merge))[i]));
    }
    qn_prof_put_text(x->w, "\n");
}

static const char *object_of_row(const struct qn_prof_call_fn *f) { return f->object && *f->object ? f->object : QN_PROF_NOT_KNOWN; }

/* Begins another function: object, file, name. */
static void put_fn(struct export *x, uint32_t fn)
{
    char room[QN_TEXT_MAX];
    const struct qn_prof_call_fn *f = &x->calls.fns[fn];
    qn_prof_put_text(x->w, "\n");
    put_name(x, "ob=(", &x->objects, object_of_row(f));
    put_name(x, "fl=(", &x->files, f->file);
    put_name(x, "fn=(", &x->functions, qn_prof_call_name(f, room, sizeof room));
}

static void put_callee(struct export *x, const struct unit *u)
{
    char room[QN_TEXT_MAX];
    const struct qn_prof_call_fn *from = &x->calls.fns[u->fn], *to = &x->calls.fns[u->edge->callee];
    if (strcmp(object_of_row(from), object_of_row(to)) != 0)
        put_name(x, "cob=(", &x->objects, object_of_row(to));
    /* If the callee's file is left out, some readers take the caller's file, others the line's; so it is always written. */
    put_name(x, "cfi=(", &x->files, to->file);
    put_name(x, "cfn=(", &x->functions, qn_prof_call_name(to, room, sizeof room));
    qn_prof_put_text(x->w, "calls=");
    qn_prof_put_number(x->w, u->edge->calls);
    qn_prof_put_text(x->w, " ");
    qn_prof_put_number(x->w, x->first_line[u->edge->callee]);
    qn_prof_put_text(x->w, "\n");
}

static void put_counts(struct export *x, const struct unit *u)
{
    const int64_t *counts = u->edge ? qn_prof_edge_counts(&x->calls, (size_t)(u->edge - x->calls.edges)) : u->counts;
    qn_prof_put_number(x->w, u->line);
    for (int i = 0; i < x->events; i++) {
        int at = u->edge ? x->column[i] : i;
        qn_prof_put_text(x->w, " ");
        qn_prof_put_number(x->w, at < 0 ? 0 : qn_prof_count(counts[at]));
    }
    qn_prof_put_text(x->w, "\n");
}

static void put_units(struct export *x)
{
    for (size_t i = 0; i < x->count; i++) {
        const struct unit *u = &x->units[i], *last = i ? u - 1 : NULL;
        int enters = !last || last->fn != u->fn;
        const char *file = enters ? x->calls.fns[u->fn].file : last->file;
        if (enters)
            put_fn(x, u->fn);
        if (strcmp(u->file, file) != 0)
            put_name(x, "fi=(", &x->files, u->file);
        if (u->edge)
            put_callee(x, u);
        put_counts(x, u);
    }
}

static void put_totals(struct export *x)
{
    const int64_t *totals = qn_prof_table_totals(qn_prof_merge_table(x->merge));
    qn_prof_put_text(x->w, "\ntotals:");
    for (int i = 0; i < x->events; i++) {
        qn_prof_put_text(x->w, " ");
        qn_prof_put_number(x->w, qn_prof_count(totals[i]));
    }
    qn_prof_put_text(x->w, "\n");
}

enum qn_text_status qn_prof_export_callgrind(const char *path, const struct qn_prof_callgrind_head *head, struct qn_prof_writer *w, struct qn_text_error *err)
{
    struct export x = {.path = path, .head = head, .w = w, .err = err};
    if (read_all(&x) == 0) {
        put_header(&x);
        put_units(&x);
        put_totals(&x);
    }
    qn_text_free_names(&x.objects);
    qn_text_free_names(&x.files);
    qn_text_free_names(&x.functions);
    qn_prof_free_calls(&x.calls);
    qn_prof_free_merge(x.merge);
    qn_prof_close_reader(x.reader);
    free(x.units);
    free(x.column);
    free(x.first_line);
    return err->status;
}
