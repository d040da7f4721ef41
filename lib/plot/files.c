/* lib/plot/files.c - the three files of a picture.
 *
 *   out/curve.svg  ->  out/curve.svg.XXXXXX/{curve.csv, curve.gp, curve.svg}, which are then renamed to out/
 *
 * Pictures of a batch (plot.h) get data and script first; then one gnuplot draws all of them.
 *
 * Invariants: only whole files appear in the output's folder; the temporary folder is removed in any case.  Without gnuplot,
 * or if it fails, data and script are written nevertheless.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "base/base.h"
#include "plot/picture.h"
#include "text/escape.h"
#include "text/output.h"

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

/* Refuses outputs that would overwrite an input: a picture of policies.csv called policies.svg has its data in policies.csv. */
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
    return QN_TEXT_OK;
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
    char *argv[] = { (char *)QN_GNUPLOT, (char *)"-d", (char *)f->script, NULL };

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
        if (strstr(line, "line ") || strstr(line, "rror")) {
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

static void put_title(FILE *out, const char *title)
{
    for (; *title; title++)
        if (*title == '<' || *title == '>' || *title == '&')
            fprintf(out, "&#%d;", *title);
        else
            putc(*title, out);
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
        fprintf(out, "%.*s<title>", (int)(at - text), text);
        put_title(out, title);
        fprintf(out, "</title>%s", at + sizeof usual - 1);
        qn_text_close_output(&o, err);
    }
    if (err->status != QN_TEXT_OK)
        unlink(path);
    free(text);
    fclose(in);
    return err->status;
}

static void move_out(const struct files *f, const char *name, struct qn_text_error *err)
{
    const char *to = in_folder(f, f->home, name);

    if (rename(in_folder(f, f->folder, name), to))
        qn_text_fail(err, QN_TEXT_IO, "%s: %s", to, strerror(errno));
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

enum qn_text_status qn_plot_write_files(struct qn_plot_picture *p, struct qn_text_error *err)
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
