/* lib/plot/caption.c - see caption.h. */
#include "plot/caption.h"

#include <stdlib.h>
#include <string.h>

#include "base/base.h"
#include "plot/words.h"
#include "prof/read.h"

#define COMMAND_ROOM 90 /* characters of a command */
#define MODULES_ROOM 90

static const char *const levels[] = { "I1", "D1", "LL" };

void qn_plot_caption_command(struct qn_plot_picture *p, const char *command)
{
    qn_plot_add_caption(p, "%s", qn_plot_shorten(&p->memory, command, COMMAND_ROOM));
}

char *qn_plot_read_cache(struct qn_text_memory *m, const char *level, const char *text)
{
    unsigned long long size, line, ways = 1;
    int n = 0;

    if (sscanf(text, "%llu B, %llu B, %n", &size, &line, &n) != 2 || !n
        || (strcmp(text + n, "direct-mapped") && sscanf(text + n, "%llu-way", &ways) != 1))
        return NULL;
    return qn_text_format(m, "%s: %s", level, qn_plot_say_cache(m, (double)size, (double)ways, (double)line));
}

/* ---- sweeps ---- */

static bool is_drawn(const struct qn_plot_keys *k, int column)
{
    bool drawn = column == k->x || column == k->panel;

    for (int i = 0; i < k->count; i++)
        drawn |= k->columns[i] == column;
    return drawn;
}

/* The common text of all rows in that column; NULL: they differ, or the column is drawn. */
static const char *find_common(const struct qn_plot_keys *k, const char *name)
{
    int column = qn_text_find_column(&k->in->t, name);

    return column < 0 || is_drawn(k, column) || !qn_plot_is_constant(k->in, column) ? NULL
                                                                                    : qn_text_cell(&k->in->t, 0, column);
}

static double find_common_number(const struct qn_plot_keys *k, const char *level, const char *what)
{
    const char *text = find_common(k, qn_text_format(k->memory, "%s_%s", level, what));

    return text ? strtod(text, NULL) : 0;
}

static void add_common(struct qn_plot_picture *p, const struct qn_plot_keys *k, const char *name, const char *format)
{
    const char *text = find_common(k, name);

    if (text && *text)
        qn_plot_add_caption(p, "%s%s", format, text);
}

void qn_plot_caption_sweep(struct qn_plot_picture *p, const struct qn_plot_keys *k)
{
    const char *command = find_common(k, "command");

    if (command)
        qn_plot_caption_command(p, command);
    else
        add_common(p, k, "program", "program: ");
    for (size_t i = 0; i < QN_ARRAY_LEN(levels); i++) {
        const char *cache =
            qn_plot_say_cache(&p->memory, find_common_number(k, levels[i], "size"),
                              find_common_number(k, levels[i], "ways"), find_common_number(k, levels[i], "line"));

        if (*cache)
            qn_plot_add_caption(p, "%s: %s", levels[i], cache);
    }
    add_common(p, k, "sim", "simulator: ");
    add_common(p, k, "options", "options: ");
    add_common(p, k, "counting", "counting: ");
    add_common(p, k, "quern", "quern ");
}

/* ---- profiles ---- */

/* "desc: Counting:         exact" has text "Counting:         exact". */
static const char *find_desc(const struct qn_prof_header *h, const char *key)
{
    size_t n = strlen(key);

    for (int i = 0; i < h->desc_count; i++)
        if (!strncmp(h->descs[i].text, key, n) && h->descs[i].text[n] == ':')
            return h->descs[i].text + n + 1 + strspn(h->descs[i].text + n + 1, " ");
    return NULL;
}

/* "AN=3c:ddb01b2f850613ac AN=mine:50b34235a5a88360" -> "AN=3c AN=mine", if it is too long otherwise. */
static const char *name_modules(struct qn_text_memory *m, const char *text)
{
    char *names = qn_text_copy(m, ""), *hash;

    if (strlen(text) <= MODULES_ROOM)
        return text;
    for (; (hash = strchr(text, ':')); text = hash + 1 + strspn(hash + 1, "0123456789abcdef"))
        names = qn_text_format(m, "%s%.*s", names, (int)(hash - text), text);
    return qn_plot_shorten(m, qn_text_format(m, "%s%s", names, text), MODULES_ROOM);
}

enum part { COMMAND, I1, D1, LL, MODULES, COUNTING, QUERN, PARTS };

/* A part of the caption; NULL: the profile does not have it. */
static const char *find_part(struct qn_text_memory *m, const struct qn_prof_header *h, enum part part)
{
    static const char *const keys[PARTS] = {
        "", "I1 cache", "D1 cache", "LL cache", "Modules", "Counting", "Simulator"
    };
    const char *text = part == COMMAND ? h->cmd.text : find_desc(h, keys[part]);

    if (!text)
        return NULL;
    switch (part) {
    case COMMAND: return qn_plot_shorten(m, text, COMMAND_ROOM);
    case MODULES: return qn_text_format(m, "simulator: %s", name_modules(m, text));
    case COUNTING: return qn_text_format(m, "counting: %s", text);
    case QUERN: return qn_text_copy_part(m, text, strcspn(text, ","));
    default: return qn_plot_read_cache(m, levels[part - I1], text);
    }
}

void qn_plot_caption_profile(struct qn_plot_picture *p, const struct qn_prof_header *h)
{
    for (enum part part = 0; part < PARTS; part++) {
        const char *text = find_part(&p->memory, h, part);

        if (text)
            qn_plot_add_caption(p, "%s", text);
    }
    if (qn_prof_chosen_region())
        qn_plot_add_caption(p, "region %s", qn_prof_chosen_region());
}

struct qn_prof_reader *qn_plot_open_profile(struct qn_plot_picture *p, const char *path, struct qn_text_error *err)
{
    struct qn_prof_reader *r = qn_prof_open_reader(path, err);

    if (r)
        qn_plot_caption_profile(p, qn_prof_reader_header(r));
    return r;
}

double qn_plot_count_sets(const struct qn_prof_header *h, const char *level)
{
    char key[sizeof "D1 cache"];
    const char *text;
    double size, line, ways;

    snprintf(key, sizeof key, "%.2s cache", level);
    text = find_desc(h, key);
    return text && sscanf(text, "%lf B, %lf B, %lf-way", &size, &line, &ways) == 3 && line > 0 && ways > 0 ? size / line / ways : 0;
}

void qn_plot_caption_two(struct qn_plot_picture *p, const struct qn_prof_header *a, const struct qn_prof_header *b)
{
    for (enum part part = 0; part < PARTS; part++) {
        const char *x = find_part(&p->memory, a, part), *y = find_part(&p->memory, b, part);
        bool same = x && y && !strcmp(x, y);

        if (same)
            qn_plot_add_caption(p, "%s%s", part == COMMAND ? "A and B: " : "", x);
        else if (x || y)
            qn_plot_add_caption(p, "A: %s; B: %s", x ? x : "not told", y ? y : "not told");
    }
    if (qn_prof_chosen_region())
        qn_plot_add_caption(p, "region %s", qn_prof_chosen_region());
}
