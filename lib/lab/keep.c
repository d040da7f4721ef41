/* lib/lab/keep.c - --keep=DIR: files about the tests that failed:
 *
 *   DIR/04/remarks.txt    the test, and its lines on the terminal
 *   DIR/04/trace.txt      the test's input; in labs that find the first wrong reference, that is its last line
 *   DIR/04/why.txt        that reference, what its set held, what was expected and why, and the command for a debugger
 */
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lab/internal.h"

#define KEPT_BYTES_MAX (16u << 20)

bool qn_lab_keeps(const struct qn_lab_check *c) { return c->request->keep != NULL; }

static char *folder_of_test(const struct qn_lab_check *c) { return qn_lab_format("%s/%02u", c->request->keep, c->test + 1); }

const char *qn_lab_kept_path(const struct qn_lab_check *c, const char *name)
{
    static char path[4096];
    char *folder = folder_of_test(c), *whole;

    snprintf(path, sizeof path, "%s/%s", folder, name);
    whole = realpath(c->request->keep, NULL);
    if (whole)
        snprintf(path, sizeof path, "%s/%02u/%s", whole, c->test + 1, name);
    free(whole);
    free(folder);
    return path;
}

static bool complain(const char *path)
{
    fprintf(stderr, "quern: lab: %s: %s\n", path, strerror(errno));
    return false;
}

bool qn_lab_begin_keeping(const struct qn_lab_check *c)
{
    if (!c->request->keep || mkdir(c->request->keep, 0777) == 0 || errno == EEXIST)
        return !c->request->keep || access(c->request->keep, W_OK | X_OK) == 0 || complain(c->request->keep);
    return complain(c->request->keep);
}

/* Whose folder it is may have put links there. */
static bool is_folder(const char *path)
{
    struct stat st;

    return !lstat(path, &st) && (S_ISDIR(st.st_mode) || (errno = ENOTDIR, false));
}

void qn_lab_keep(const struct qn_lab_check *c, const char *name, const char *bytes, size_t size)
{
    char *folder = folder_of_test(c);
    const char *path = qn_lab_kept_path(c, name);
    FILE *f;

    if ((mkdir(folder, 0777) && errno != EEXIST) || !is_folder(folder) || (unlink(path) && errno != ENOENT) || !(f = fopen(path, "wx"))) {
        complain(path);
    } else {
        if (fwrite(bytes, 1, size, f) != size)
            complain(path);
        if (fclose(f))
            complain(path);
    }
    free(folder);
}

/* Keeps the files that the test's last program read and wrote, unless the lab has kept a file of that name. */
static void keep_cases(struct qn_lab_check *c)
{
    char *folder = qn_lab_format("%s/cases", c->scratch);
    DIR *d = opendir(folder);
    struct dirent *e;

    while (d && (e = readdir(d))) {
        size_t size = 0;
        char *bytes;

        if (*e->d_name == '.' || access(qn_lab_kept_path(c, e->d_name), F_OK) == 0)
            continue;
        bytes = qn_lab_read_out(c, e->d_name, &size);
        if (bytes && size <= KEPT_BYTES_MAX)
            qn_lab_keep(c, e->d_name, bytes, size);
        free(bytes);
    }
    if (d)
        closedir(d);
    free(folder);
}

/* Removes a file of an earlier check. */
static void forget(const struct qn_lab_check *c, const char *name) { unlink(qn_lab_kept_path(c, name)); }

void qn_lab_forget_kept(const struct qn_lab_check *c)
{
    static const char *const names[] = { "remarks.txt", "trace.txt", "why.txt", "branches.trace", "stream.txt", "results", "wanted.txt", "conversation.txt" };
    char *folder = folder_of_test(c);

    for (size_t i = 0; i < QN_ARRAY_LEN(names) && is_folder(folder); i++)
        forget(c, names[i]);
    rmdir(folder);
    free(folder);
}

void qn_lab_keep_failed(struct qn_lab_check *c)
{
    const struct qn_lab_outcome *o = &c->outcomes[c->test];
    char *text = qn_lab_format("%s\n\n%sThe same inputs again: quern lab check --case-seed=%llu --only='%s' %u %s\n",
                               c->request->lab->tests[c->test].name, o->remarks ? o->remarks : "",
                               (unsigned long long)c->request->seed, c->request->lab->tests[c->test].name, c->request->lab->number,
                               c->request->directory);

    qn_lab_keep(c, "remarks.txt", text, strlen(text));
    keep_cases(c);
    free(text);
}

/* ---- why.txt ---- */

void qn_lab_why(struct qn_lab_check *c, const char *format, ...)
{
    va_list args;
    char *line = NULL, *longer;

    if (!qn_lab_keeps(c))
        return;
    va_start(args, format);
    if (vasprintf(&line, format, args) < 0)
        abort();
    va_end(args);
    longer = qn_lab_format("%s%s\n", c->why ? c->why : "", line);
    free(c->why);
    free(line);
    c->why = longer;
    qn_lab_keep(c, "why.txt", c->why, strlen(c->why));
}
