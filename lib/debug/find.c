/* lib/debug/find.c - finds the addresses of source lines, by the line tables.
 *
 * In:  "demo.c", lines 12 to 12
 * Out: 401136..40113d, 401150..401154
 *
 * Invariants: these are exactly the addresses for which qn_debug_find gives such a line; so a sequence ends where the next
 * one begins, and of several rows at one address the last one counts.
 */
#include "debug/debug.h"

#include <string.h>

#include "debug/internal.h"

/* Does the path end in what the user wrote, whole components of it? */
static bool is_named(const char *path, const char *asked)
{
    size_t n = strlen(path), m = strlen(asked);

    return n >= m && !strcmp(path + n - m, asked) && (n == m || path[n - m - 1] == '/');
}

static bool is_in(const struct qn_debug_lines_asked *a, uint32_t line) { return line >= a->first && line <= a->last; }

/* Line 0 means that no line has this code. */
static void note_nearest(struct qn_debug_lines_asked *a, uint32_t line)
{
    if (line && line < a->first && line > a->below)
        a->below = line;
    if (line > a->last && (!a->above || line < a->above))
        a->above = line;
}

/* Does the unit have a file that is meant?  Asked once per file, not once per row. */
static bool has_file(struct qn_debug *d, struct qn_unit *u, const char *asked)
{
    qn_debug_name_file(d, u, 0);
    for (size_t i = 0; i < u->nfiles; i++)
        if (u->files[i] && is_named(u->files[i], asked))
            return true;
    return false;
}

static void scan_rows(struct qn_debug *d, const struct qn_sequence *s, uint64_t limit, struct qn_debug_lines_asked *a,
                      qn_debug_take_range *take, void *data)
{
    struct qn_unit *u = &d->lines.units[s->unit];

    for (uint32_t i = 0; i + 1 < s->count; i++) {
        uint64_t start = s->rows[i].address, end = s->rows[i + 1].address < limit ? s->rows[i + 1].address : limit;
        const char *path;

        if (start >= end || s->rows[i].line == QN_ROW_END)
            continue;
        path = qn_debug_name_file(d, u, s->rows[i].file);
        if (!path || !is_named(path, a->file))
            continue;
        if (is_in(a, s->rows[i].line)) {
            a->path = path;
            take(data, start, end);
        } else {
            a->path = a->path ? a->path : path;
            note_nearest(a, s->rows[i].line);
        }
    }
}

void qn_debug_find_lines(struct qn_debug *d, struct qn_debug_lines_asked *asked, qn_debug_take_range *take, void *data)
{
    struct qn_lines *l = &d->lines;

    qn_debug_load_lines(d);
    asked->below = asked->above = 0;
    asked->path = NULL;
    for (size_t i = 0; i < l->nsequences; i++) {
        struct qn_sequence *s = &l->sequences[i];
        uint64_t limit = i + 1 < l->nsequences ? l->sequences[i + 1].start : UINT64_MAX;

        if (!has_file(d, &l->units[s->unit], asked->file))
            continue;
        if (s->rows || qn_debug_decode_sequence(&l->units[s->unit], s))
            scan_rows(d, s, limit < s->end ? limit : s->end, asked, take, data);
    }
}
