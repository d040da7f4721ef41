/* lib/plot/picture.c - the kinds of pictures, and the functions that build one.  See plot.h and picture.h. */
#define _GNU_SOURCE
#include "plot/picture.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "base/base.h"
#include "plot/input.h"
#include "plot/words.h"
#include "prof/read.h"
#include "text/escape.h"
#include "text/output.h"

#define SWEEP "--x --y --panel --curve --where --log"
#define NAMES "--mod-filename --mod-funcname"
#define CENTRES "--event --by --most --timing " NAMES
const struct qn_plot_kind qn_plot_kinds[] = {
    { "size", "a sweep", "misses against the size of a cache; also of PROFILE.sizes.csv (module sizes)", 1, 1, SWEEP " --level" },
    { "ways", "a sweep", "... against its ways", 1, 1, SWEEP " --level" },
    { "line", "a sweep", "... against the length of its lines", 1, 1, SWEEP " --level" },
    { "curve", "a sweep", "any column against any other: --x, --y", 1, 1, SWEEP },
    { "budget", "a sweep", "mispredicts against the bits of predictors", 1, 1, SWEEP " --level" },
    { "threec", "a sweep or profile", "compulsory, capacity and conflict misses (module 3c)", 1, 1, "--where --curve --by --most " NAMES },
    { "cpi", "a profile", "estimated cycles per instruction, stacked: issue, I1, D1, LL, mispredicts", 1, 1, "--by --most --timing " NAMES },
    { "mrc", "curve", "misses by size, fully associative: PROFILE.mattson.csv (module mattson)", 1, 2, "--log" },
    { "sets", "misses by set", "misses by set: PROFILE.sets.csv (module sets)", 1, 2, "--log" },
    { "heat", "misses by set", "... by set and time, as colours; a profile beside it tells whose they are", 1, 2, "--level --where" },
    { "invariance", "findings", "executions whose value is the same again and again (module values)", 1, 1, "--where --log" },
    { "time", "intervals", "events over instructions; a profile beside it tells whose they are", 1, 2, "--y --where --log" },
    { "flame", "a profile", "a flame graph of call paths (quern run --calls=paths): search and zoom", 1, 1, "--event " NAMES },
    { "top", "a profile", "functions or lines that have the most of an event", 1, 1, CENTRES },
    { "data", "a profile", "objects that the D1 misses most, stacked (quern run --data=yes)", 1, 1, "--most" },
    { "calls", "a profile", "functions with all that they call (quern run --calls=yes)", 1, 1, "--event --most" },
    { "compare", "two profiles", "the same of both, with the difference", 2, 2, CENTRES },
    { "roofline", "profiles", "instructions a second by those for a byte of memory, below a machine's peaks", 1, QN_PLOT_INPUTS_MAX, "--machine --most " NAMES },
};
const int qn_plot_kind_count = QN_ARRAY_LEN(qn_plot_kinds);

typedef enum qn_text_status reader(struct qn_plot_picture *p, struct qn_text_error *err);

static reader *const readers[] = {
    qn_plot_read_sweep, qn_plot_read_sweep,  qn_plot_read_sweep,   qn_plot_read_sweep,
    qn_plot_read_sweep, qn_plot_read_threec, qn_plot_read_cpi,     qn_plot_read_mrc,
    qn_plot_read_sets,  qn_plot_read_heat,   qn_plot_read_invariance,
    qn_plot_read_time,  NULL /* flame.c draws by itself */, qn_plot_read_top,    qn_plot_read_data,
    qn_plot_read_calls, qn_plot_read_compare, qn_plot_read_roofline,
};
_Static_assert(QN_ARRAY_LEN(readers) == QN_ARRAY_LEN(qn_plot_kinds), "a reader for each kind");

const struct qn_plot_kind *qn_plot_find_kind(const char *name)
{
    for (int i = 0; i < qn_plot_kind_count; i++)
        if (!strcmp(qn_plot_kinds[i].name, name))
            return &qn_plot_kinds[i];
    return NULL;
}

/* ---- parts ---- */

struct qn_plot_panel *qn_plot_add_panel(struct qn_plot_picture *p, const char *title, const char *y_label)
{
    p->panels = qn_text_grow(&p->memory, p->panels, (size_t)p->panel_count, sizeof *p->panels);
    p->panels[p->panel_count] = (struct qn_plot_panel){ title, y_label, p->curve_count, 0 };
    return &p->panels[p->panel_count++];
}

struct qn_plot_curve *qn_plot_add_curve(struct qn_plot_picture *p, const char *name, int column, int style)
{
    p->curves = qn_text_grow(&p->memory, p->curves, (size_t)p->curve_count, sizeof *p->curves);
    p->curves[p->curve_count] = (struct qn_plot_curve){ name, column, style, false };
    p->panels[p->panel_count - 1].count++;
    return &p->curves[p->curve_count++];
}

void qn_plot_add_mark(struct qn_plot_picture *p, double x, const char *label)
{
    p->marks = qn_text_grow(&p->memory, p->marks, (size_t)p->mark_count, sizeof *p->marks);
    p->marks[p->mark_count++] = (struct qn_plot_mark){ x, label };
}

void qn_plot_add_caption(struct qn_plot_picture *p, const char *format, ...)
{
    va_list args;
    char *text;

    va_start(args, format);
    if (vasprintf(&text, format, args) < 0)
        abort();
    va_end(args);
    p->caption = qn_text_grow(&p->memory, p->caption, (size_t)p->caption_count, sizeof *p->caption);
    p->caption[p->caption_count++] = qn_text_copy(&p->memory, text);
    free(text);
}

void qn_plot_add_remark(struct qn_plot_picture *p, const char *format, ...)
{
    size_t used = strlen(p->remark);
    va_list args;

    if (used)
        used += (size_t)snprintf(p->remark + used, QN_PLOT_REMARK_MAX - used, "; ");
    if (used >= QN_PLOT_REMARK_MAX)
        return;
    va_start(args, format);
    vsnprintf(p->remark + used, QN_PLOT_REMARK_MAX - used, format, args);
    va_end(args);
}

bool qn_plot_find_range(const struct qn_plot_picture *p, int column, double *least, double *most)
{
    bool found = false;
    double v;

    for (int row = 0; row < p->data.row_count; row++)
        if (qn_text_cell_number(&p->data, row, column, &v)) {
            *least = found && *least < v ? *least : v;
            *most = found && *most > v ? *most : v;
            found = true;
        }
    return found;
}

/* Takes the axes that the user wants, and says what a logarithmic one has no place for. */
static enum qn_text_status choose_axes(struct qn_plot_picture *p, struct qn_text_error *err)
{
    const char *log = p->request->log;
    double least = 0, most = 0, value;
    int good = 0, bad = 0;

    if (!log)
        return QN_TEXT_OK;
    p->log_x = strchr(log, 'x');
    p->log_y = strchr(log, 'y');
    if (p->log_x && !p->x_names && qn_plot_find_range(p, 0, &least, &most) && least <= 0)
        qn_plot_add_remark(p, "the x axis is not logarithmic, since it has %.10g", least);
    for (int i = 0; p->log_y && p->form <= QN_PLOT_IMPULSES && i < p->curve_count; i++)
        for (int row = 0; row < p->data.row_count; row++)
            if (qn_text_cell_number(&p->data, row, p->curves[i].column, &value))
                *(value > 0 ? &good : &bad) += 1;
    if (bad && !good)
        return qn_text_fail(err, QN_TEXT_BAD, "--log=%s: got no value above 0, wanted one for a logarithmic y axis", log);
    if (bad)
        qn_plot_add_remark(p, "values that are 0 or less and so not on the logarithmic y axis: %d", bad);
    return QN_TEXT_OK;
}

static enum qn_text_status write_files(struct qn_plot_picture *p, struct qn_text_error *err);

/* ---- all ---- */

enum qn_text_status qn_plot_draw(const struct qn_plot_request *q, char remark[QN_PLOT_REMARK_MAX],
                                 struct qn_text_error *err)
{
    struct qn_plot_picture p = {
        .request = q, .x_unit = 1, .across = 1, .points = true, .x_label = "", .remark = remark
    };
    enum qn_text_status status;

    remark[0] = 0;
    if (!strcmp(q->kind, "flame"))
        return qn_plot_draw_flame(q, err);
    status = readers[qn_plot_find_kind(q->kind) - qn_plot_kinds](&p, err);
    if (q->title)
        p.title = q->title;
    if (status == QN_TEXT_OK)
        status = choose_axes(&p, err);
    if (status == QN_TEXT_OK)
        status = q->data_only ? qn_text_write_table(&p.data, q->output, err) : write_files(&p, err);
    if (q->data && status == QN_TEXT_OK)
        *q->data = p.data;
    else
        qn_text_free_table(&p.data);
    qn_text_free_memory(&p.memory);
    return status;
}

/* ---- caption ---- */

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

/* Returns how many of them the profile has. */
static int read_level(const struct qn_prof_header *h, const char *level, double *size, double *line, double *ways)
{
    char key[sizeof "D1 cache"];
    const char *text;

    snprintf(key, sizeof key, "%.2s cache", level);
    text = find_desc(h, key);
    return text ? sscanf(text, "%lf B, %lf B, %lf-way", size, line, ways) : 0;
}

double qn_plot_count_sets(const struct qn_prof_header *h, const char *level)
{
    double size, line, ways;

    return read_level(h, level, &size, &line, &ways) == 3 && line > 0 && ways > 0 ? size / line / ways : 0;
}

double qn_plot_line_bytes(const struct qn_prof_header *h, const char *level)
{
    double size, line, ways;

    return read_level(h, level, &size, &line, &ways) >= 2 ? line : 0;
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

/* ---- the three files of a picture ----
 *
 *   out/curve.svg  ->  out/curve.svg.XXXXXX/{curve.csv, curve.gp, curve.svg}, which are then renamed to out/
 *
 * Pictures of a batch (plot.h) get data and script first; then one gnuplot draws all of them.
 *
 * Invariants: only whole files appear in the output's folder; the temporary folder is removed in any case.  Without gnuplot,
 * or if it fails, data and script are written nevertheless.
 */

#ifndef QN_GNUPLOT
#define QN_GNUPLOT "gnuplot"
#endif

#define NOT_FOUND 127       /* as in shells */
#define COMPLAINTS "gnuplot.err"

struct files {
    struct qn_plot_picture *p;
    const char *folder;              /* the temporary one */
    const char *home;                /* the output's folder, "." */
    const char *data, *script, *image; /* names without a folder */
};

static const char *const formats[] = { ".svg", ".png", ".pdf" };

bool qn_plot_knows_format(const char *output)
{
    const char *name = basename(output), *dot = strrchr(name, '.');

    for (size_t i = 0; dot && dot > name && i < QN_ARRAY_LEN(formats); i++)
        if (!strcmp(dot, formats[i]))
            return true;
    return false;
}

static const char *in_folder(const struct files *f, const char *folder, const char *name)
{
    return qn_text_format(&f->p->memory, "%s/%s", folder, name);
}

/* ---- checks ---- */

/* What a user keeps under the name of the data, as the rows of a sweep, has no script of ours beside it. */
static bool is_of_others(const struct files *f)
{
    char line[4096] = "";
    const char *path = in_folder(f, f->home, f->script);
    struct stat st;
    bool is_there = !stat(path, &st);
    FILE *script = is_there && S_ISREG(st.st_mode) ? fopen(path, "re") : NULL;
    bool ours = script && fgets(line, sizeof line, script) && strstr(line, QN_PLOT_WRITTEN);

    if (script)
        fclose(script);
    return !ours && (is_there || (!stat(in_folder(f, f->home, f->data), &st) && st.st_size));
}

/* Refuses outputs that would overwrite an input: a picture of policies.csv called policies.svg has its data in policies.csv; or what plot did not write. */
static enum qn_text_status check_inputs(const struct files *f, struct qn_text_error *err)
{
    const char *const names[] = { f->data, f->script, f->image };
    const struct qn_plot_request *q = f->p->request;

    for (int i = 0; i < q->input_count; i++)
        for (size_t k = 0; k < QN_ARRAY_LEN(names); k++) {
            struct stat a, b;

            if (!stat(q->inputs[i], &a) && !stat(in_folder(f, f->home, names[k]), &b) && a.st_dev == b.st_dev
                && a.st_ino == b.st_ino)
                return qn_text_fail(err, QN_TEXT_BAD, "-o %s: got a name whose %s is the input, wanted another",
                                    q->output, names[k]);
        }
    if (is_of_others(f))
        return qn_text_fail(err, QN_TEXT_BAD, "-o %s: got a name whose %s or %s is there, and not of a picture, wanted another", q->output, f->data, f->script);
    return QN_TEXT_OK;
}

/* Does a script, a text of lines, call a file by this name? */
static bool is_name_for_scripts(const char *name)
{
    char piece[QN_TEXT_ESCAPE_MAX + 1];
    size_t taken;

    while (*name && qn_text_escape(piece, name, strlen(name), &taken) == taken)
        name += taken;
    return !*name;
}

static enum qn_text_status make_folder(struct files *f, struct qn_text_error *err)
{
    struct qn_text_memory *m = &f->p->memory;
    const char *output = f->p->request->output, *slash = strrchr(output, '/'), *name = slash ? slash + 1 : output;
    int stem = (int)(strrchr(name, '.') - name);
    char *folder = qn_text_format(m, "%s.XXXXXX", output);

    f->home = !slash ? "." : slash == output ? "/" : qn_text_copy_part(m, output, (size_t)(slash - output));
    f->image = name;
    f->data = qn_text_format(m, "%.*s.csv", stem, name);
    f->script = qn_text_format(m, "%.*s.gp", stem, name);
    if (!is_name_for_scripts(name))
        return qn_text_fail(err, QN_TEXT_BAD, "-o %s: got a character in the name that no script of gnuplot has, wanted another name", output);
    if (check_inputs(f, err) != QN_TEXT_OK)
        return err->status;
    if (!qn_text_make_scratch(folder))
        return qn_text_fail(err, QN_TEXT_IO, "%s: %s", output, strerror(errno));
    f->folder = folder;
    return QN_TEXT_OK;
}

/* ---- making them ---- */

/* Replaces quotes, which gnuplot takes for the end of a cell, newlines, because it reads lines, not records, and all that is made visible elsewhere. */
static void make_plain(char *text)
{
    for (size_t left = strlen(text), taken; left; text += taken, left -= taken) {
        char piece[QN_TEXT_ESCAPE_MAX + 1];

        qn_text_escape(piece, text, left, &taken);
        if (*text == '"')
            *text = '\'';
        else if (*piece != *text)
            memset(text, '?', taken);
    }
}

static void make_data_plain(struct qn_text_table *t)
{
    for (int i = 0; i < t->column_count; i++)
        make_plain(t->columns[i]);
    for (int row = 0; row < t->row_count; row++)
        for (int i = 0; i < t->column_count; i++)
            make_plain(t->rows[row][i]);
}

static enum qn_text_status write_script(const struct files *f, struct qn_text_error *err)
{
    const char *path = in_folder(f, f->folder, f->script);
    FILE *out = fopen(path, "w");
    bool good;

    if (!out)
        return qn_text_fail(err, QN_TEXT_IO, "%s: %s", path, strerror(errno));
    qn_plot_write_script(f->p, out, f->script, f->data, f->image);
    good = !ferror(out);
    if (fclose(out) || !good)
        return qn_text_fail(err, QN_TEXT_IO, "%s: %s", path, strerror(errno));
    return QN_TEXT_OK;
}

/* Runs in the temporary folder, and without the user's settings (-d), so that the picture is the same for everyone. */
static void become_gnuplot(const struct files *f)
{
    char *argv[] = { (char *)QN_GNUPLOT, (char *)"-d", (char *)in_folder(f, ".", f->script), NULL }; /* the name may begin with - */

    prctl(PR_SET_PDEATHSIG, SIGTERM); /* gnuplot ends with its parent */
    if (chdir(f->folder) || !freopen(COMPLAINTS, "w", stderr))
        _exit(1);
    unsetenv("GNUTERM");
    setenv("LC_ALL", "C", 1);
    execvp(argv[0], argv);
    _exit(errno == ENOENT ? NOT_FOUND : 1);
}

/* The first line of gnuplot's messages that says what is wrong. */
static const char *read_complaint(const struct files *f)
{
    FILE *file = fopen(in_folder(f, f->folder, COMPLAINTS), "r");
    const char *found = "it failed";
    char *line = NULL;
    size_t room = 0;

    while (file && getline(&line, &room, file) > 0) {
        line[strcspn(line, "\n")] = 0;
        if ((strstr(line, "line ") || strstr(line, "rror")) && !strstr(line, "warning: ")) {
            found = qn_text_copy(&f->p->memory, line);
            break;
        }
    }
    free(line);
    if (file)
        fclose(file);
    return found;
}

/* Makes the image; *made: there is one. */
static enum qn_text_status run_gnuplot(const struct files *f, bool *made, struct qn_text_error *err)
{
    pid_t child = fork();
    int status;

    if (child < 0)
        return qn_text_fail(err, QN_TEXT_IO, "cannot start gnuplot: %s", strerror(errno));
    if (child == 0)
        become_gnuplot(f);
    while (waitpid(child, &status, 0) < 0 && errno == EINTR)
        continue;
    *made = WIFEXITED(status) && WEXITSTATUS(status) == 0 && !access(in_folder(f, f->folder, f->image), F_OK);
    if (*made)
        return QN_TEXT_OK;
    if (WIFEXITED(status) && WEXITSTATUS(status) == NOT_FOUND) {
        qn_plot_add_remark(f->p, "there is no gnuplot here, so only %s and %s were written; `gnuplot %s` draws them", f->data, f->script, f->script);
        return qn_text_fail(err, QN_TEXT_IO, "%s", f->p->remark);
    }
    return qn_text_fail(err, QN_TEXT_BAD, "gnuplot %s: %s", f->script, read_complaint(f));
}

/* Writes a character and returns its bytes.  What is none of XML, as in names of another encoding, gnuplot hands on; no browser would show the
 * picture. */
static size_t put_character(FILE *out, const char *text, size_t left)
{
    size_t n = qn_text_utf8_length(text, left);

    if (!n || (n == 3 && !memcmp(text, "\xef\xbf", 2) && (unsigned char)text[2] >= 0xbe)) /* U+FFFE, U+FFFF */
        fputs("\xef\xbf\xbd", out);
    else
        fwrite(text, 1, n, out);
    return n ? n : 1;
}

static void put_characters(FILE *out, const char *text, size_t left)
{
    for (size_t n; left; text += n, left -= n)
        n = put_character(out, text, left);
}

static void put_title(FILE *out, const char *title)
{
    for (size_t left = strlen(title), n; left; title += n, left -= n)
        if (strchr("<>&", *title))
            n = 1, fprintf(out, "&#%d;", *title);
        else
            n = put_character(out, title, left);
}

/* Replaces the title "Gnuplot" that every picture has, because browsers and screen readers use it.  A picture that is not whole, as on a full
 * disk, which gnuplot says nothing about, is removed. */
static enum qn_text_status name_svg(const char *path, const char *title, struct qn_text_error *err)
{
    static const char usual[] = "<title>Gnuplot</title>", last[] = "</svg>";
    FILE *in = strcmp(strrchr(path, '.'), ".svg") ? NULL : fopen(path, "r"), *out;
    char *text = NULL, *at;
    struct qn_text_output o;
    size_t room = 0;

    if (!in)
        return QN_TEXT_OK;
    if (getdelim(&text, &room, 0, in) <= 0 || !(at = strstr(text, usual)) || !strstr(at, last)) {
        qn_text_fail(err, QN_TEXT_IO, "%s: gnuplot wrote no whole picture: no space left, or a limit of file sizes", path);
    } else if (qn_text_open_output(&o, path, QN_TEXT_SHARED, err) == QN_TEXT_OK) {
        out = qn_text_stream_output(&o);
        put_characters(out, text, (size_t)(at - text));
        fputs("<title>", out);
        put_title(out, title);
        fputs("</title>", out);
        put_characters(out, at + sizeof usual - 1, strlen(at + sizeof usual - 1));
        qn_text_close_output(&o, err);
    }
    if (err->status != QN_TEXT_OK)
        unlink(path);
    free(text);
    fclose(in);
    return err->status;
}

/* Written as every output, not renamed: a link stays, and what it leads to gets the bytes. */
static void move_out(const struct files *f, const char *name, struct qn_text_error *err)
{
    const char *from = in_folder(f, f->folder, name), *to = in_folder(f, f->home, name);
    struct qn_text_output o;
    int in = open(from, O_RDONLY | O_CLOEXEC);
    ssize_t n;

    if (in < 0) {
        qn_text_fail(err, QN_TEXT_IO, "%s: %s", to, strerror(errno));
    } else if (qn_text_open_output(&o, to, QN_TEXT_SHARED, err) == QN_TEXT_OK) {
        while ((n = sendfile(o.fd, in, NULL, INT_MAX)) > 0)
            continue;
        if (n < 0)
            qn_text_fail(err, QN_TEXT_IO, "%s: %s", to, strerror(errno));
        qn_text_close_output(&o, err); /* after a failure it keeps nothing */
    }
    if (in >= 0)
        close(in);
}

/* ---- many at once ---- */

static void add_to_batch(const struct files *f, struct qn_plot_batch *b)
{
    if (b->count == QN_PLOT_BATCH_MAX)
        return;
    b->stems[b->count] = strndup(f->image, (size_t)(strrchr(f->image, '.') - f->image));
    b->titles[b->count] = strdup(f->p->title);
    if (!b->stems[b->count] || !b->titles[b->count])
        abort();
    b->count++;
}

/* gnuplot -d a.gp -e 'reset session' b.gp ...; it ends at the first error. */
static void become_gnuplot_of_all(const struct qn_plot_batch *b)
{
    char *argv[2 + 3 * QN_PLOT_BATCH_MAX + 1] = { (char *)QN_GNUPLOT, (char *)"-d" };
    char scripts[QN_PLOT_BATCH_MAX][NAME_MAX + 1];
    int n = 2;

    for (int i = 0; i < b->count; i++) {
        if (i) {
            argv[n++] = (char *)"-e";
            argv[n++] = (char *)"reset session";
        }
        snprintf(scripts[i], sizeof scripts[i], "%s.gp", b->stems[i]);
        argv[n++] = scripts[i];
    }
    prctl(PR_SET_PDEATHSIG, SIGTERM);
    if (chdir(b->folder) || !freopen("/dev/null", "w", stderr))
        _exit(1);
    unsetenv("GNUTERM");
    setenv("LC_ALL", "C", 1);
    execvp(argv[0], argv);
    _exit(errno == ENOENT ? NOT_FOUND : 1);
}

void qn_plot_start_batch(struct qn_plot_batch *b)
{
    b->child = b->count ? fork() : -1;
    if (b->child == 0)
        become_gnuplot_of_all(b);
}

void qn_plot_end_batch(struct qn_plot_batch *b)
{
    int status = -1;

    while (b->child > 0 && waitpid(b->child, &status, 0) < 0 && errno == EINTR)
        continue;
    b->missing = b->child > 0 && WIFEXITED(status) && WEXITSTATUS(status) == NOT_FOUND;
    for (int i = 0; i < b->count; i++) {
        struct qn_text_error err = { .status = QN_TEXT_OK }; /* a picture that is not there is drawn by itself, which says why */
        char *image = NULL;

        if (asprintf(&image, "%s/%s.svg", b->folder, b->stems[i]) < 0)
            abort();
        if (b->child > 0 && WIFEXITED(status) && !WEXITSTATUS(status))
            name_svg(image, b->titles[i], &err);
        else
            unlink(image);
        free(image);
        free(b->stems[i]);
        free(b->titles[i]);
    }
    b->count = 0;
}

/* ---- all ---- */

/* Data, script and image of a picture that is complete. */
static enum qn_text_status write_files(struct qn_plot_picture *p, struct qn_text_error *err)
{
    struct files f = { .p = p };
    struct qn_text_error drawing = { .status = QN_TEXT_OK };
    bool made = false;

    if (make_folder(&f, err) != QN_TEXT_OK)
        return err->status;
    make_data_plain(&p->data);
    if (qn_text_write_table(&p->data, in_folder(&f, f.folder, f.data), err) == QN_TEXT_OK
        && write_script(&f, err) == QN_TEXT_OK) {
        if (!p->request->batch)
            run_gnuplot(&f, &made, &drawing);
        move_out(&f, f.data, err);
        move_out(&f, f.script, err);
        if (made && name_svg(in_folder(&f, f.folder, f.image), p->title, err) == QN_TEXT_OK)
            move_out(&f, f.image, err);
        if (p->request->batch && err->status == QN_TEXT_OK)
            add_to_batch(&f, p->request->batch);
        if (drawing.status != QN_TEXT_OK)
            qn_text_fail(err, drawing.status, "%s", drawing.text);
    }
    qn_text_remove_scratch(f.folder);
    return err->status;
}
