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

#include "base/grow.h"
#include "lab/internal.h"

#define KEPT_BYTES_MAX (16u << 20)

bool qn_lab_keeps(const struct qn_lab_check *c) { return c->request->keep != NULL; }

static char *folder_of_test(const struct qn_lab_check *c) { return qn_lab_format("%s/%02u", c->request->keep, c->test + 1); }

/* free() it. */
static char *kept_path(const struct qn_lab_check *c, const char *name)
{
    char *whole = realpath(c->request->keep, NULL), *path = qn_lab_format("%s/%02u/%s", whole ? whole : c->request->keep, c->test + 1, name);

    free(whole);
    return path;
}

/* The same, quoted for the shell if need be. */
static char *kept_word(const struct qn_lab_check *c, const char *name)
{
    char *path = kept_path(c, name), *word = QN_NEEDED(calloc(4 * strlen(path) + 3, 1)), *to = word;

    if (path[strspn(path, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789/._-+:,@")]) {
        *to++ = '\'';
        for (const char *from = path; *from; from++)
            to = *from == '\'' ? stpcpy(to, "'\\''") : (*to = *from, to + 1);
        *to = '\'';
    } else {
        strcpy(word, path);
    }
    free(path);
    return word;
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
    char *folder = folder_of_test(c), *path = kept_path(c, name);
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
    free(path);
}

/* Keeps the files that the test's last program read and wrote, unless the lab has kept a file of that name. */
static void keep_cases(struct qn_lab_check *c)
{
    char *folder = qn_lab_format("%s/cases", c->scratch);
    DIR *d = opendir(folder);
    struct dirent *e;

    while (d && (e = readdir(d))) {
        size_t size = 0;
        char *bytes, *path = kept_path(c, e->d_name);
        bool is_kept = access(path, F_OK) == 0;

        free(path);
        if (*e->d_name == '.' || is_kept)
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
static void forget(const struct qn_lab_check *c, const char *name)
{
    char *path = kept_path(c, name);

    unlink(path);
    free(path);
}

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

static void add_why(struct qn_lab_check *c, const char *name, const char *format, va_list args)
{
    char *line = NULL, *longer, *word = name ? kept_word(c, name) : NULL;

    if (vasprintf(&line, format, args) < 0)
        abort();
    longer = qn_lab_format("%s%s%s%s\n", c->why ? c->why : "", line, word ? " " : "", word ? word : "");
    free(c->why);
    free(line);
    free(word);
    c->why = longer;
    qn_lab_keep(c, "why.txt", c->why, strlen(c->why));
}

void qn_lab_why(struct qn_lab_check *c, const char *format, ...)
{
    va_list args;

    if (!qn_lab_keeps(c))
        return;
    va_start(args, format);
    add_why(c, NULL, format, args);
    va_end(args);
}

void qn_lab_why_with(struct qn_lab_check *c, const char *name, const char *format, ...)
{
    va_list args;

    if (!qn_lab_keeps(c))
        return;
    va_start(args, format);
    add_why(c, name, format, args);
    va_end(args);
}
