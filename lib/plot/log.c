/* lib/plot/log.c - mrc and sets: reads the output of an analysis module in the log of a run, or of a replay.
 *
 *   ==12== D1 cache: 8192 B, 64 B, 2-way associative        lines before the summary: program and caches
 *   ==12== Command: ./prog
 *   ==12== AN: 565252 lines touched; misses of a fully associative LRU cache:     module mattson
 *   ==12== AN: 64 lines: 3515
 *   ==12== AN: misses by set of the D1, 64 sets:                                  module sets
 *   ==12== AN: from 0: 4156 4140 4144 4137
 *
 * Only the first process counts: forked children write into the same log.
 */
#include <stdlib.h>
#include <string.h>

#include "base/base.h"
#include "plot/picture.h"
#include "plot/plot.h"
#include "plot/words.h"
#include "prof/read.h"
#include "text/input.h"

#define SETS_MAX (1u << 22)
#define KIB 1024

struct log {
    struct qn_plot_picture *p;
    const char *path;
    FILE *file;
    char *text; /* the current line, without its process number */
    char *buffer;
    size_t room;
    long number, first; /* of the line; the process of the first one */
    unsigned long line_bytes;
    const char *caches[3];
    const char *command;
};

/* ---- lines ---- */

static enum qn_text_status open_log(struct log *l, struct qn_plot_picture *p, struct qn_text_error *err)
{
    *l = (struct log){ .p = p, .path = p->request->inputs[0] };
    if (qn_prof_chosen_region())
        return qn_text_fail(err, QN_TEXT_BAD, "%s: --region: got a log, wanted a profile, which has regions", l->path);
    l->file = qn_text_open_kept(l->path);
    return l->file ? QN_TEXT_OK : qn_text_fail(err, QN_TEXT_IO, "%s: %m", l->path);
}

static void close_log(struct log *l)
{
    free(l->buffer);
    if (l->file)
        fclose(l->file);
}

/* The next line of the first process, or one without a number. */
static bool next_line(struct log *l)
{
    while (getline(&l->buffer, &l->room, l->file) > 0) {
        char *end;
        long pid;

        l->number++;
        l->text = l->buffer;
        l->text[strcspn(l->text, "\r\n")] = 0;
        if (strncmp(l->text, "==", 2))
            return true;
        pid = strtol(l->text + 2, &end, 10);
        if (!l->first)
            l->first = pid;
        if (pid == l->first && !strncmp(end, "== ", 3)) {
            l->text = end + 3;
            return true;
        }
    }
    return false;
}

static enum qn_text_status refuse(const struct log *l, const char *wanted, struct qn_text_error *err)
{
    return qn_text_fail(err, QN_TEXT_BAD, "%s:%ld: got '%.60s', wanted %s", l->path, l->number, l->text, wanted);
}

/* Takes command and caches, for the caption. */
static void take_provenance(struct log *l)
{
    static const char *const levels[] = { "I1", "D1", "LL" };

    if (!strncmp(l->text, "Command: ", 9))
        l->command = qn_text_copy(&l->p->memory, l->text + 9);
    for (size_t i = 0; i < QN_ARRAY_LEN(levels); i++)
        if (!strncmp(l->text, levels[i], 2) && !strncmp(l->text + 2, " cache:", 7)) {
            const char *cache = l->text + 9 + strspn(l->text + 9, " ");

            l->caches[i] = qn_plot_read_cache(&l->p->memory, levels[i], cache);
            if (i == 1)
                sscanf(cache, "%*u B, %lu B", &l->line_bytes);
        }
}

/* ---- stack distances ---- */

static void mark_knees(struct qn_plot_picture *p)
{
    double knees[QN_PLOT_KNEES_MAX];
    int count = qn_plot_find_knees(&p->data, knees);

    for (int i = 0; i < count; i++)
        qn_plot_add_mark(p, knees[i], qn_plot_say_bytes(&p->memory, knees[i]));
}

static void add_size(struct log *l, unsigned long long lines, unsigned long long misses, unsigned long long touched)
{
    struct qn_text_table *data = &l->p->data;
    char **cells = qn_text_add_row(data);

    cells[0] = qn_text_format(&data->memory, "%llu", lines * l->line_bytes);
    cells[1] = qn_text_format(&data->memory, "%.4f", touched ? (double)misses / (double)touched * 100 : 0);
}

static enum qn_text_status take_curve(struct log *l, struct qn_text_error *err)
{
    unsigned long long touched = 0, lines, misses;
    bool inside = false;

    while (next_line(l)) {
        take_provenance(l);
        if (strstr(l->text, " lines touched; ") && sscanf(l->text, "AN: %llu", &touched) == 1)
            inside = true;
        else if (inside && sscanf(l->text, "AN: %llu lines: %llu", &lines, &misses) == 2) {
            if (!l->line_bytes)
                return refuse(l, "a line before it that begins with 'D1 cache:'", err);
            add_size(l, lines, misses, touched);
        } else if (inside)
            break;
    }
    if (l->p->data.row_count < 2)
        return qn_text_fail(err, QN_TEXT_BAD,
                            "%s: got no line 'AN: N lines: MISSES', wanted the log of a run with "
                            "--analysis=mattson and without -q",
                            l->path);
    return QN_TEXT_OK;
}

static void caption_log(const struct log *l, bool all_of_d1)
{
    if (l->command)
        qn_plot_caption_command(l->p, l->command);
    if (!all_of_d1 && l->line_bytes)
        qn_plot_add_caption(l->p, "lines of %lu B", l->line_bytes);
    for (size_t i = 0; i < QN_ARRAY_LEN(l->caches); i++)
        if (all_of_d1 && l->caches[i])
            qn_plot_add_caption(l->p, "%s", l->caches[i]);
}

enum qn_text_status qn_plot_read_mrc(struct qn_plot_picture *p, struct qn_text_error *err)
{
    struct log l;

    p->title = "Misses by size of a fully associative cache (LRU)";
    p->x_label = "size (KiB)";
    p->x_unit = KIB;
    p->log_x = true;
    qn_text_add_column(&p->data, "size");
    qn_plot_add_panel(p, "", "misses per 100 lines touched");
    qn_plot_add_curve(p, "misses", qn_text_add_column(&p->data, "miss_percent"), 0);
    if (open_log(&l, p, err) == QN_TEXT_OK && take_curve(&l, err) == QN_TEXT_OK) {
        caption_log(&l, false);
        mark_knees(p);
        qn_plot_add_caption(p, "simulator: AN=mattson");
        if (p->mark_count)
            qn_plot_add_caption(p, "dotted: knees of the working set");
    }
    close_log(&l);
    return err->status;
}

/* ---- sets ---- */

/* "AN: from 8: 12 0 3": the misses of sets 8, 9 and 10. */
static enum qn_text_status take_sets_line(struct log *l, unsigned long *next, unsigned long sets,
                                          struct qn_text_error *err)
{
    char *at, *end;
    unsigned long first = strtoul(l->text + 9, &at, 10);

    if (first != *next || *at != ':')
        return refuse(l, qn_text_format(&l->p->memory, "'AN: from %lu: ...'", *next), err);
    for (at++; *at == ' '; at = end, ++*next) {
        unsigned long long misses = strtoull(at, &end, 10);
        struct qn_text_table *data = &l->p->data;
        char **cells;

        if (end == at || *next == sets)
            return refuse(l, "as many numbers as sets", err);
        cells = qn_text_add_row(data);
        cells[0] = qn_text_format(&data->memory, "%lu", *next);
        cells[1] = qn_text_format(&data->memory, "%llu", misses);
    }
    return *at ? refuse(l, "numbers with blanks between them", err) : QN_TEXT_OK;
}

static enum qn_text_status take_sets(struct log *l, struct qn_text_error *err)
{
    unsigned long sets = 0, next = 0;

    while (next_line(l) && (!sets || next < sets)) {
        take_provenance(l);
        if (sscanf(l->text, "AN: misses by set of the D1, %lu sets", &sets) == 1 && (sets == 0 || sets > SETS_MAX))
            return refuse(l, "a number of sets", err);
        if (sets && !strncmp(l->text, "AN: from ", 9) && take_sets_line(l, &next, sets, err) != QN_TEXT_OK)
            return err->status;
    }
    if (sets && next < sets)
        return qn_text_fail(err, QN_TEXT_BAD, "%s: sets: got the first %lu, wanted all %lu", l->path, next, sets);
    if (!sets)
        return qn_text_fail(err, QN_TEXT_BAD,
                            "%s: got no line 'AN: misses by set ...', wanted the log of a run with "
                            "--analysis=sets and without -q",
                            l->path);
    return QN_TEXT_OK;
}

enum qn_text_status qn_plot_read_sets(struct qn_plot_picture *p, struct qn_text_error *err)
{
    struct log l;

    p->form = QN_PLOT_IMPULSES;
    p->title = "Misses by set of the D1";
    p->x_label = "set";
    qn_text_add_column(&p->data, "set");
    qn_plot_add_panel(p, "", "D1 misses");
    qn_plot_add_curve(p, "D1 misses", qn_text_add_column(&p->data, "misses"), 0);
    if (open_log(&l, p, err) == QN_TEXT_OK && take_sets(&l, err) == QN_TEXT_OK) {
        caption_log(&l, true);
        qn_plot_add_caption(p, "simulator: AN=sets");
    }
    close_log(&l);
    return err->status;
}

/* ---- knees ---- */

#define DROP 0.1 /* of the height of the curve, since half the size */
#define NEXT 0.5 /* the next step down is less than this part of it */

/* The row of a size; -1: it has none. */
static int find_size(const struct qn_text_table *t, double size)
{
    for (int row = 0; row < t->row_count; row++)
        if (qn_text_number(t, row, 0) == size)
            return row;
    return -1;
}

/* How far the curve falls from half the size to the size; 0 at the ends. */
static double drop_to(const struct qn_text_table *t, double size)
{
    int here = find_size(t, size), half = find_size(t, size / 2);

    return here < 0 || half < 0 ? 0 : qn_text_number(t, half, 1) - qn_text_number(t, here, 1);
}

int qn_plot_find_knees(const struct qn_text_table *curve, double knees[QN_PLOT_KNEES_MAX])
{
    double height = curve->row_count ? qn_text_number(curve, 0, 1) - qn_text_number(curve, curve->row_count - 1, 1) : 0;
    int count = 0;

    for (int row = 1; row < curve->row_count && count < QN_PLOT_KNEES_MAX; row++) {
        double size = qn_text_number(curve, row, 0), drop = drop_to(curve, size);

        if (drop > 0 && drop >= DROP * height && drop_to(curve, 2 * size) < NEXT * drop)
            knees[count++] = size;
    }
    return count;
}
