/*
 * One annotated source of the classic style. See classic_file.h.
 *
 * In:  counts by line, rising; the lines of the source
 * Out: ranges of lines around those with counts, gaps between them, counts of lines that the source does not have
 */
#define _GNU_SOURCE
#include "out/classic/classic_file.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "out/source.h"
#include "prof/counts.h"

#define FRAME \
    "@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@\n"
#define WARNING \
    FRAME "@@ WARNING @@ WARNING @@ WARNING @@ WARNING @@ WARNING @@ WARNING @@ WARNING @@\n" FRAME

static void advance(struct qn_out_classic_file *f)
{
    int got = qn_prof_log_next(&f->lines, &f->line, f->counts);
    if (got < 0)
        qn_text_fail(f->c->err, QN_TEXT_BAD, "a sum of counts does not fit in 64 bits");
    f->pending = got > 0;
}

/* Opens the source under its own name or an include directory; `title` is the name to print. A
 * directory opens too, as it does in the original, and has no lines. */
static bool open_source(struct qn_out_classic_file *f, char **path, char **title)
{
    const struct qn_out_request *q = f->c->request;
    *path = QN_NEEDED(strdup(f->name));
    *title = QN_NEEDED(strdup(f->name));
    int error = qn_text_open_source(&f->source, *path);
    for (int i = 0; i < q->include_count && error && error != EISDIR; i++) {
        const char *dir = q->includes[i];
        int n = (int)strlen(dir);
        n -= n > 0 && dir[n - 1] == '/';
        free(*path);
        free(*title);
        if (asprintf(path, "%.*s/%s", n, dir, f->name) < 0 || asprintf(title, "%.*s/ + %s", n, dir, f->name) < 0)
            qn_no_memory();
        error = qn_text_open_source(&f->source, *path);
    }
    f->source.as_is = true;
    return !error || error == EISDIR;
}

/* Reads the next line with its newline; returns its length, 0 at the end. A last line "0" without a newline
 * counts as the end, because it is false in Perl. */
static size_t read_line(struct qn_out_classic_file *f)
{
    size_t n;
    if (!qn_text_next_source_line(&f->source, &f->text, &n))
        return 0;
    f->line_number++;
    return n == 1 && f->text[0] == '0' ? 0 : n;
}

/* Skips lines up to `last`. */
static void skip_to(struct qn_out_classic_file *f, int64_t last)
{
    size_t n;
    for (; f->line_number < last; f->line_number++)
        if (!qn_text_next_source_line(&f->source, &f->text, &n))
            return;
}

static void put_none(const struct qn_out_classic_file *f)
{
    int64_t none[f->c->events];
    qn_prof_clear_counts(none, f->c->events);
    qn_out_classic_put_counts(f->c, f->widths, none);
}

static void put_source_line(struct qn_out_classic_file *f, size_t length)
{
    if (f->pending && f->line == f->line_number) {
        qn_out_classic_put_counts(f->c, f->widths, f->counts);
        if (qn_prof_add_counts(f->annotated, f->counts, f->c->events) != 0)
            qn_text_fail(f->c->err, QN_TEXT_BAD, "a sum of counts does not fit in 64 bits");
        advance(f);
    } else {
        put_none(f);
    }
    qn_out_putc(f->c->sink, ' ');
    qn_out_put_line(f->c->sink, f->text, length);
}

/* Writes the ranges. The first one is cut at line 1; later ones cannot reach it. */
static void put_ranges(struct qn_out_classic_file *f)
{
    for (int first = 1; f->pending; first = 0) {
        int64_t context = f->c->request->context;
        int64_t low = f->line - context, high = qn_out_end_of_range(&f->lines, f->line, context);
        low = first && low < 1 ? 1 : low;
        skip_to(f, low - 1);
        if (low != 1)
            qn_out_put_gap(f->c->sink, low);
        size_t length = 0;
        while (f->line_number < high && (length = read_line(f)) > 0)
            put_source_line(f, length);
        if (length == 0)
            return;
        qn_out_put_gap(f->c->sink, high);
    }
}

static void warn_newer(const struct qn_out_classic_file *f)
{
    struct qn_out_sink *s = f->c->sink;
    qn_out_puts(s, WARNING "@ Source file '");
    qn_out_name(s, f->name);
    qn_out_puts(s, "' is more recent than input file '");
    qn_out_name(s, f->c->input);
    qn_out_puts(s, "'.\n@ Annotations may not be correct.\n" FRAME "\n");
}

static int is_header(const char *name)
{
    size_t n = strlen(name);
    return n >= 2 && strcmp(name + n - 2, ".h") == 0;
}

static void warn_bogus(const struct qn_out_classic_file *f)
{
    struct qn_out_sink *s = f->c->sink;
    qn_out_puts(s, WARNING "@@\n@@ Information recorded about lines past the end of '");
    qn_out_name(s, f->name);
    qn_out_puts(s, "'.\n@@\n@@ Probable cause and solution:\n");
    if (f->source.error) {
        qn_out_printf(s, "@@ cause:    the source was read up to line %lld: %s\n", (long long)f->line_number, qn_text_source_why(f->source.error));
    } else if (f->is_newer) {
        qn_out_puts(s, "@@ cause:    '");
        qn_out_name(s, f->name);
        qn_out_puts(s, "' has changed since information was gathered.\n"
                    "@@           If so, a warning will have already been issued about this.\n"
                    "@@ solution: Recompile program and rerun under \"valgrind --cachesim=yes\" to \n"
                    "@@           gather new information.\n");
    } else if (is_header(f->name)) {
        qn_out_puts(s, "@@ cause:    bug in the Valgrind's debug info reader that screws up with .h\n"
                    "@@           files sometimes\n@@ solution: none, sorry\n");
    } else {
        qn_out_puts(s, "@@ cause:    not sure, sorry\n");
    }
    qn_out_puts(s, "@@\n" FRAME);
}

static void put_bogus_lines(struct qn_out_classic_file *f)
{
    while (f->pending) {
        qn_out_classic_put_counts(f->c, f->widths, f->counts);
        qn_out_printf(f->c->sink, " <bogus line %u>\n", f->line);
        advance(f);
    }
    qn_out_putc(f->c->sink, '\n');
    warn_bogus(f);
}

/* Saves the counts of line 0, which are written last. */
static void take_line0(struct qn_out_classic_file *f)
{
    f->has_line0 = f->pending && f->line == 0;
    if (!f->has_line0)
        return;
    memcpy(f->line0, f->counts, (size_t)f->c->events * sizeof *f->line0);
    advance(f);
}

static void measure_lines(struct qn_out_classic_file *f)
{
    qn_out_classic_begin_widths(f->c, f->widths);
    for (advance(f); f->pending; advance(f))
        qn_out_classic_measure(f->c, f->widths, f->counts);
    f->lines.at = 0;
    advance(f);
}

static void put_lines(struct qn_out_classic_file *f)
{
    struct qn_out_sink *s = f->c->sink;
    if (f->is_newer)
        warn_newer(f);
    measure_lines(f);
    qn_out_classic_put_events(f->c, f->widths);
    qn_out_puts(s, "\n\n");
    take_line0(f);
    put_ranges(f);
    if (f->pending)
        put_bogus_lines(f);
    qn_out_putc(s, '\n');
    if (!f->has_line0)
        return;
    qn_out_classic_put_counts(f->c, f->widths, f->line0);
    qn_out_puts(s, " <counts for unidentified lines in ");
    qn_out_name(s, f->name);
    qn_out_puts(s, ">\n\n");
}

/* Compares whole seconds, as the original does. */
static int is_newer_than(const char *source, const char *profile)
{
    struct timespec a, b;
    return qn_text_time_of(source, &a) == 0 && qn_text_time_of(profile, &b) == 0 &&
           a.tv_sec > b.tv_sec;
}

static void put_title(const struct qn_out_classic_file *f, const char *title)
{
    struct qn_out_sink *s = f->c->sink;
    qn_out_classic_put_frame(s);
    qn_out_puts(s, f->by_user ? "-- User-annotated source: " : "-- Auto-annotated source: ");
    qn_out_name(s, title);
    qn_out_putc(s, '\n');
    qn_out_classic_put_frame(s);
}

/* 1: counts were annotated; 0: the profile has none for the file. */
static int put_found(struct qn_out_classic_file *f, const char *path, const char *title)
{
    struct qn_out_classic *c = f->c;
    put_title(f, title);
    uint32_t id = qn_text_find_name(&c->ledger.fns.files, f->name, strlen(f->name));
    if (id == QN_TEXT_NO_ID) {
        qn_out_puts(c->sink, "  No information has been collected for ");
        qn_out_name(c->sink, f->name);
        qn_out_puts(c->sink, "\n\n");
        return 0;
    }
    qn_prof_log_gather(&c->ledger.log, id, &f->lines);
    f->is_newer = is_newer_than(path, c->input);
    put_lines(f);
    qn_prof_log_free_lines(&f->lines);
    return 1;
}

int qn_out_classic_put_file(struct qn_out_classic_file *f)
{
    char *path, *title;
    f->line_number = 0;
    f->pending = 0;
    int result = open_source(f, &path, &title) ? put_found(f, path, title) : -1;
    qn_text_close_source(&f->source);
    free(path);
    free(title);
    return result;
}
