/* tools/lab/lab_marks.c - `quern lab marks NN DIR -o marks.csv`: checks every folder of DIR, a student's each, and writes a table.
 *
 *   student,points,1,2,3          a column for each test
 *   ada,85,10,20,0              or the same as JSON
 *   "lovelace, b",100,15,30,15
 *
 * Each check is a process of its own: `quern lab check`, whose TAP is read.  With --key-file the folder's name is the student's.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../tools.h"
#include "json/json.h"
#include "lab_tool.h"
#include "text/output.h"

#define WORDS 10
#define LINE_BYTES 512

bool qn_lab_read_points(FILE *tap, unsigned *points, unsigned n_tests)
{
    char line[LINE_BYTES];
    unsigned n = 0, of;

    while (fgets(line, sizeof line, tap)) {
        const char *open = strrchr(line, '(');

        if ((!strncmp(line, "ok ", 3) || !strncmp(line, "not ok ", 7)) && open && n < n_tests)
            n += sscanf(open, "(%u of %u points", &points[n], &of) == 2;
    }
    return n == n_tests;
}

static bool check(const struct qn_lab_request *r, const char *student, unsigned *points)
{
    char number[16], seed[40], name[NAME_MAX + 16], key[PATH_MAX + 16], folder[PATH_MAX];
    const char *argv[WORDS] = { "quern", "lab", "check", seed, NULL };
    int ends[2], status, n = 4;
    pid_t child;
    FILE *tap;
    bool good;

    snprintf(number, sizeof number, "%u", r->lab->number);
    snprintf(seed, sizeof seed, "--case-seed=%llu", (unsigned long long)r->seed);
    snprintf(name, sizeof name, "--student=%s", student);
    snprintf(key, sizeof key, "--key-file=%s", r->key_file ? r->key_file : "");
    snprintf(folder, sizeof folder, "%s/%s", r->directory, student);
    if (r->key_file)
        argv[n++] = name, argv[n++] = key;
    argv[n++] = number;
    argv[n] = folder;
    if (pipe(ends) || (child = fork()) < 0)
        return false;
    if (child == 0) {
        dup2(ends[1], 1);
        close(ends[0]);
        close(ends[1]);
        execv("/proc/self/exe", (char **)argv);
        _exit(127);
    }
    close(ends[1]);
    tap = fdopen(ends[0], "r");
    good = tap && qn_lab_read_points(tap, points, r->lab->n_tests);
    if (tap)
        fclose(tap);
    while (waitpid(child, &status, 0) < 0 && errno == EINTR)
        ;
    return good;
}

static void put_row(const struct qn_lab_request *r, FILE *f, const char *student, const unsigned *points)
{
    unsigned sum = 0;

    for (unsigned i = 0; i < r->lab->n_tests; i++)
        sum += points[i];
    qn_lab_put_student(f, student, !r->json);
    fprintf(f, ",%u", sum);
    for (unsigned i = 0; i < r->lab->n_tests; i++)
        fprintf(f, ",%u", points[i]);
    putc('\n', f);
    fflush(f);
}

static void put_head(const struct qn_lab_request *r, FILE *f)
{
    fputs("student,points", f);
    for (unsigned i = 0; i < r->lab->n_tests; i++)
        fprintf(f, ",%u", i + 1);
    putc('\n', f);
}

/* 0; or 1: some could not be checked, which lines say. */
static int put_rows(const struct qn_lab_request *r, FILE *f, char *const *students, int n)
{
    int failed = 0;

    for (int i = 0; i < n; i++) {
        unsigned points[QN_LAB_TESTS_MAX] = { 0 };

        if (isatty(2))
            fprintf(stderr, "\r%d of %d: %.40s\033[K", i + 1, n, students[i]);
        if (r->on ? qn_lab_take_farmed(r, i, points) : check(r, students[i], points)) {
            put_row(r, f, students[i], points);
        } else {
            qn_text_complain("quern: lab: %s/%s: could not be checked", r->directory, students[i]);
            failed = 1;
        }
    }
    if (isatty(2))
        fputs("\r\033[K", stderr);
    return failed;
}

static int put_marks(const struct qn_lab_request *r, FILE *f)
{
    struct qn_lab_students s;
    int status = 1;

    if (qn_lab_list_students(&s, r->directory))
        return 1;
    put_head(r, f);
    if (!r->on || qn_lab_farm_out(r, s.name, (int)s.n))
        status = put_rows(r, f, s.name, (int)s.n);
    if (r->on && !status)
        qn_lab_end_farm(r, (int)s.n);
    status |= s.left_out;
    qn_lab_free_students(&s);
    return status;
}

/* --json: out of the table, which is a file meanwhile. */
static int put_json(const struct qn_lab_request *r, FILE *out)
{
    const char *tmp = getenv("TMPDIR");
    char folder[PATH_MAX], path[PATH_MAX + 16];
    struct qn_text_error err = { .status = QN_TEXT_OK };
    int status = QN_LAB_BROKEN;
    FILE *f;

    snprintf(folder, sizeof folder, "%s/quern-marks.XXXXXX", tmp && *tmp ? tmp : "/tmp");
    if (!qn_text_make_scratch(folder))
        return qn_text_complain("quern: lab: %s: %s", folder, strerror(errno)), QN_LAB_BROKEN;
    snprintf(path, sizeof path, "%s/marks.csv", folder);
    f = fopen(path, "we");
    if (f)
        status = put_marks(r, f);
    if (!f || fclose(f))
        qn_text_fail(&err, QN_TEXT_IO, "%s: %s", path, strerror(errno));
    else if (qn_json_write_table(out, path, &err) == QN_TEXT_OK && fflush(out))
        qn_text_fail(&err, QN_TEXT_IO, "cannot write JSON");
    qn_text_remove_scratch(folder);
    if (err.status != QN_TEXT_OK)
        return qn_text_complain("quern: lab: %s", err.text), QN_LAB_BROKEN;
    return status;
}

static int put(const struct qn_lab_request *r, FILE *out) { return r->json ? put_json(r, out) : put_marks(r, out); }

int qn_lab_tool_marks(char **argv)
{
    struct qn_lab_request r = { .seed = 1 };
    struct qn_text_error err = { .status = QN_TEXT_OK };
    struct qn_text_output o;
    char **words;
    int status = qn_options_take(&qn_lab_marks_options, &r, argv, &words);
    FILE *f;

    if (status >= 0)
        return status;
    if (!words[0] || !words[1] || words[2])
        return qn_options_wrong(&qn_lab_marks_options, "marks", "wanted the number of a lab and a folder of students' folders");
    r.lab = qn_lab_named(words[0]);
    r.directory = words[1];
    if (!r.lab)
        return QN_EXIT_USAGE;
    if (r.on && !r.output)
        return qn_options_wrong(&qn_lab_marks_options, "--on", "wanted -o FILE, too: parts are kept in FILE.parts");
    if (!r.output)
        return put(&r, stdout);
    f = qn_text_open_output(&o, r.output, QN_TEXT_SHARED, &err) == QN_TEXT_OK ? qn_text_stream_output(&o) : NULL;
    if (f) {
        status = put(&r, f);
        qn_text_close_output(&o, &err);
    }
    if (err.status != QN_TEXT_OK)
        return qn_text_complain("quern: lab: %s", err.text), QN_LAB_BROKEN;
    return f ? status : QN_LAB_BROKEN;
}
