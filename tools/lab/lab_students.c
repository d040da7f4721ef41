/* tools/lab/lab_students.c - the folders of a class: each is a student's, or is refused by name.
 *
 * In:  marks.csv (a file), ada/, "lovelace, ada"/, bob -> /home/bob/lab1, eve -> nowhere, .git/
 * Out: ada, bob, "lovelace, ada"; lines about eve and .git
 */
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/grow.h"
#include "exp/table.h"
#include "lab_tool.h"
#include "text/complain.h"

static int compare(const void *left, const void *right) { return strcmp(*(char *const *)left, *(char *const *)right); }

/* 1: a student's folder; 0: a file, or a folder that a line was printed about; -1: what may be one, and cannot be read. */
static int judge(const char *directory, DIR *d, const char *name)
{
    struct stat st;

    if (!strcmp(name, ".") || !strcmp(name, ".."))
        return 0;
    if (fstatat(dirfd(d), name, &st, 0)) {
        qn_text_complain("quern: lab: %s/%s: left out: %s", directory, name, strerror(errno));
        return -1;
    }
    if (S_ISDIR(st.st_mode) && *name == '.')
        qn_text_complain("quern: lab: %s/%s: left out: hidden folders are no student's", directory, name);
    return S_ISDIR(st.st_mode) && *name != '.';
}

int qn_lab_list_students(struct qn_lab_students *s, const char *directory)
{
    DIR *d = opendir(directory);
    struct dirent *e;
    unsigned room = 0;

    *s = (struct qn_lab_students){ .n = 0 };
    if (!d)
        return qn_text_complain("quern: lab: %s: %s", directory, strerror(errno)), -1;
    while ((e = readdir(d))) {
        int what = judge(directory, d, e->d_name);

        s->left_out |= what < 0;
        if (what <= 0)
            continue;
        QN_MORE(s->name, s->n, room, 64);
        s->name[s->n++] = QN_NEEDED(strdup(e->d_name));
    }
    closedir(d);
    if (s->n)
        qsort(s->name, s->n, sizeof *s->name, compare);
    return 0;
}

void qn_lab_free_students(struct qn_lab_students *s)
{
    for (unsigned i = 0; i < s->n; i++)
        free(s->name[i]);
    free(s->name);
    *s = (struct qn_lab_students){ .n = 0 };
}

/* Spreadsheets take what begins so for a formula, which may call programs; behind an apostrophe it is text. */
void qn_lab_put_student(FILE *f, const char *name, bool harmless)
{
    char *text;

    if (asprintf(&text, "%s%s", harmless && strchr("=+-@\t\r", *name) ? "'" : "", name) < 0)
        qn_no_memory();
    qn_exp_write_cell(f, text);
    free(text);
}
