/* tools/lab/lab_marks.c - `quern lab marks NN DIR -o marks.csv`: checks every folder of DIR, a student's each, and writes a table.
 *
 *   student,points,1,2,3,note          a column for each test, and what the folder's own file tells
 *   ada,85,10,20,0,                   or the same as JSON
 *   "lovelace, b",100,15,30,15,.quern-lab is that of ada
 *
 * Each check is a process of its own: `quern lab check`, whose TAP is read.  With --key-file the folder's name is the student's.
 * No student knows the seed of the inputs: it comes from the key, or is drawn.
 */
#define _GNU_SOURCE

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "../tools.h"
#include "base/grow.h"
#include "exp/farm.h"
#include "text/csv.h"
#include "json/json.h"
#include "lab/variant.h"
#include "lab_tool.h"
#include "text/error.h"
#include "text/escape.h"
#include "text/output.h"

#define WORDS 10
#define LINE_BYTES 512

bool qn_lab_read_points(FILE *tap, unsigned *points, unsigned n_tests, char *result)
{
    char line[LINE_BYTES];
    unsigned n = 0, of;

    *result = 0;
    while (fgets(line, sizeof line, tap)) {
        const char *open = strrchr(line, '(');

        if (!strncmp(line, "# " QN_LAB_CONTEST, strlen("# " QN_LAB_CONTEST)))
            snprintf(result, QN_LAB_RESULT_BYTES, "%.*s", (int)strcspn(line + 2, "\n"), line + 2);

        if ((!strncmp(line, "ok ", 3) || !strncmp(line, "not ok ", 7)) && open && n < n_tests)
            n += sscanf(open, "(%u of %u points", &points[n], &of) == 2;
    }
    return n == n_tests;
}

static bool check(const struct qn_lab_request *r, const char *student, unsigned *points, char *result)
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
    for (char *end = name; (end = strpbrk(end, "\r\n"));) /* a name is one line */
        *end = ' ';
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
    good = tap && qn_lab_read_points(tap, points, r->lab->n_tests, result);
    if (tap)
        fclose(tap);
    while (waitpid(child, &status, 0) < 0 && errno == EINTR)
        ;
    return good;
}

/* ---- what .quern-lab in a student's folder tells ---- */

#define BOX 6 /* the lab whose variant is the seed of a box */
#define BOX_SEEDS 1000000000ull
#define NOTE_BYTES (2 * NAME_MAX + 256)
#define COPIED_PERCENT 85

struct class {
    const struct qn_lab_request *request;
    char *const *students;
    int n;
    struct qn_lab_folder *folders; /* of each */
    uint64_t *wanted;              /* with a key: the seed of each */
    struct qn_lab_works works;     /* with --earlier: of the class and of that year */
};

static uint64_t seed_of(const struct class *c, int i) { return c->request->lab->number == BOX ? c->folders[i].seed : c->folders[i].variant; }

static bool read_class(struct class *c)
{
    const struct qn_lab_request *r = c->request;

    c->folders = QN_NEEDED(calloc((size_t)c->n + 1, sizeof *c->folders));
    c->wanted = QN_NEEDED(calloc((size_t)c->n + 1, sizeof *c->wanted));
    for (int i = 0; i < c->n; i++) {
        char *path;

        if (asprintf(&path, "%s/%s", r->directory, c->students[i]) < 0)
            qn_no_memory();
        qn_lab_read_folder(path, &c->folders[i]);
        free(path);
        if (r->key_file && !strpbrk(c->students[i], "\r\n") && !qn_lab_variant_seed(r->key_file, c->students[i], r->lab->number, &c->wanted[i]))
            return false;
        c->wanted[i] = r->lab->number == BOX ? c->wanted[i] % BOX_SEEDS : c->wanted[i];
    }
    return true;
}

/* Whose file is it?  With a key: the student whose variant it has; else the first other one with the same seed, unless all have it.  -1: nobody's. */
static int find_owner(const struct class *c, int i)
{
    int same = 0, other = -1;

    for (int k = 0; k < c->n; k++) {
        bool is = c->request->key_file ? seed_of(c, i) == c->wanted[k]
                                       : c->folders[k].lab && seed_of(c, k) == seed_of(c, i) && c->folders[k].seed == c->folders[i].seed;

        same += is;
        if (is && k != i && other < 0)
            other = k;
    }
    return same == c->n && !c->request->key_file ? -1 : other;
}

static char *path_of(const struct class *c, int i, const char *name)
{
    char *path;

    if (asprintf(&path, "%s/%s/%s", c->request->directory, c->students[i], name) < 0)
        qn_no_memory();
    return path;
}

/* Reports of lab 6 that were judged in this folder. */
static unsigned count_reports(const struct class *c, int i)
{
    char *path = path_of(c, i, QN_LAB_REPORTS);
    unsigned n = 0;
    FILE *f = fopen(path, "re");

    free(path);
    for (int b; f && (b = getc(f)) != EOF;)
        n += b == '\n';
    if (f)
        fclose(f);
    return n;
}

/* Empty: nothing is odd. */
static void make_note(const struct class *c, int i, char note[NOTE_BYTES])
{
    const struct qn_lab_folder *f = &c->folders[i];
    bool box = c->request->lab->number == BOX, keyed = false;
    unsigned reports = box ? count_reports(c, i) : 0, alike, other = 0;
    int owner = f->lab ? find_owner(c, i) : -1;

    for (int k = 0; k < c->n; k++)
        keyed |= c->folders[k].has_variant;
    keyed |= c->request->key_file && !box;
    *note = 0;
    if (!f->there)
        snprintf(note, NOTE_BYTES, keyed || c->request->key_file ? "no .quern-lab" : "");
    else if (!f->whole)
        snprintf(note, NOTE_BYTES, ".quern-lab is cut or changed");
    else if (keyed && !f->has_variant)
        snprintf(note, NOTE_BYTES, "begun without the class's key");
    else if (c->request->key_file ? seed_of(c, i) != c->wanted[i] : owner >= 0)
        snprintf(note, NOTE_BYTES, owner >= 0 ? ".quern-lab is that of %s" : "begun with another key or name%.0s", owner >= 0 ? c->students[owner] : "");
    if (reports)
        snprintf(note + strlen(note), NOTE_BYTES - strlen(note), "%s%u reports judged", *note ? "; " : "", reports);
    for (const char *const *file = c->request->lab->files; *file; file++) {
        char *path = path_of(c, i, *file);

        if (access(path, F_OK) && errno == ENOENT)
            snprintf(note + strlen(note), NOTE_BYTES - strlen(note), "%s%s was not handed in", *note ? "; " : "", *file);
        free(path);
    }
    if (c->works.n && (alike = qn_lab_most_alike(&c->works, (unsigned)i, &other)) >= COPIED_PERCENT)
        snprintf(note + strlen(note), NOTE_BYTES - strlen(note), "%s%u%% in common with %s", *note ? "; " : "", alike, c->works.at[other].name);
}

/* ---- the table ---- */

static void put_row(const struct class *c, FILE *f, int i, const unsigned *points, const char *result)
{
    const struct qn_lab_request *r = c->request;
    char note[NOTE_BYTES];
    unsigned sum = 0;

    for (unsigned t = 0; t < r->lab->n_tests; t++)
        sum += points[t];
    qn_lab_put_student(f, c->students[i], !r->json);
    fprintf(f, ",%u", sum);
    for (unsigned t = 0; t < r->lab->n_tests; t++)
        fprintf(f, ",%u", points[t]);
    make_note(c, i, note);
    if (*result)
        snprintf(note + strlen(note), NOTE_BYTES - strlen(note), "%s%s", *note ? "; " : "", result);
    putc(',', f);
    qn_lab_put_student(f, note, !r->json);
    putc('\n', f);
    fflush(f);
}

static void put_head(const struct qn_lab_request *r, FILE *f)
{
    fputs("student,points", f);
    for (unsigned i = 0; i < r->lab->n_tests; i++)
        fprintf(f, ",%u", i + 1);
    fputs(",note\n", f);
}

/* Names of folders are as the students or their course system chose. */
static __attribute__((format(printf, 1, 2))) void show(const char *format, ...)
{
    va_list args;
    char *made;

    va_start(args, format);
    fprintf(stderr, "\r%s\033[K", qn_text_visible(&made, format, args));
    va_end(args);
    free(made);
}

static void show_rest(int done, int n, time_t begun, const char *student)
{
    long left = done ? (long)((double)(time(NULL) - begun) / done * (n - done)) : 0;

    show("%d of %d checked, about %ld:%02ld min left: %.40s", done, n, left / 60, left % 60, student);
}

/* 0; or 1: some could not be checked, which lines say. */
static int put_rows(const struct class *c, FILE *f)
{
    const struct qn_lab_request *r = c->request;
    time_t begun = time(NULL);
    int failed = 0;

    for (int i = 0; i < c->n; i++) {
        unsigned points[QN_LAB_TESTS_MAX] = { 0 };
        char result[QN_LAB_RESULT_BYTES];

        if (isatty(2))
            show_rest(i, c->n, begun, c->students[i]);
        if (r->on ? qn_lab_take_farmed(r, i, points, result) : check(r, c->students[i], points, result)) {
            put_row(c, f, i, points, result);
        } else {
            qn_text_complain("quern: lab: %s/%s: could not be checked", r->directory, c->students[i]);
            failed = 1;
        }
    }
    if (isatty(2))
        fputs("\r\033[K", stderr);
    return failed;
}

static bool compare_earlier(struct class *c, const struct qn_lab_place *place, const struct qn_lab_students *s)
{
    const struct qn_lab_request *r = c->request;

    c->works = (struct qn_lab_works){ .lab = r->lab, .place = place };
    return !r->earlier || (qn_lab_add_class(&c->works, r->directory, s) && qn_lab_add_earlier(&c->works, r->earlier));
}

static int put_marks(const struct qn_lab_request *r, FILE *f)
{
    struct qn_lab_students s;
    struct qn_lab_place place;
    struct class c = { .request = r };
    int status = 1;

    if (qn_lab_list_students(&s, r->directory))
        return 1;
    c.students = s.name;
    c.n = (int)s.n;
    if (qn_lab_find_place(&place) && read_class(&c) && compare_earlier(&c, &place, &s) && (!r->on || qn_lab_farm_out(r, s.name, (int)s.n))) {
        put_head(r, f);
        status = put_rows(&c, f);
    }
    free(c.folders);
    free(c.wanted);
    qn_lab_free_works(&c.works);
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
    bool has_head = false;
    FILE *f;

    snprintf(folder, sizeof folder, "%s/quern-marks.XXXXXX", tmp && *tmp ? tmp : "/tmp");
    if (!qn_text_make_scratch(folder))
        return qn_lab_complain(folder), QN_LAB_BROKEN;
    snprintf(path, sizeof path, "%s/marks.csv", folder);
    f = fopen(path, "we");
    if (f) {
        status = put_marks(r, f);
        has_head = ftell(f) > 0; /* without one a message has said why */
    }
    if (!f || fclose(f))
        qn_text_fail(&err, QN_TEXT_IO, "%s: %s", path, strerror(errno));
    else if (has_head && qn_json_write_table(out, path, &err) == QN_TEXT_OK && fflush(out))
        qn_text_fail(&err, QN_TEXT_IO, "cannot write JSON");
    qn_text_remove_scratch(folder);
    if (err.status != QN_TEXT_OK)
        return qn_text_complain("quern: lab: %s", err.text), QN_LAB_BROKEN;
    return status;
}

static int put(const struct qn_lab_request *r, FILE *out) { return r->json ? put_json(r, out) : put_marks(r, out); }

#define CASE_SEEDS 1000000000ull /* nine digits can be written down */
#define NOT_GIVEN UINT64_MAX

/* The seed of the inputs, if none was given: from the key; or that of the jobs that go on; or drawn. */
static bool choose_seed(struct qn_lab_request *r)
{
    struct qn_text_memory m = { 0 };
    FILE *f = r->on ? fopen(qn_text_format(&m, "%s.parts/seed", r->output), "re") : NULL;
    unsigned long long before;
    bool good = true;

    if (f && fscanf(f, "%llu", &before) == 1)
        r->seed = before;
    else if (r->key_file)
        good = qn_lab_variant_seed(r->key_file, "the inputs of the check", r->lab->number, &r->seed);
    else
        good = getrandom(&r->seed, sizeof r->seed, 0) == sizeof r->seed;
    r->seed %= CASE_SEEDS;
    if (f)
        fclose(f);
    qn_text_free_memory(&m);
    return good;
}

int qn_lab_tool_marks(char **argv)
{
    struct qn_lab_request r = { .seed = NOT_GIVEN };
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
    if (r.seed == NOT_GIVEN && !choose_seed(&r))
        return QN_LAB_BROKEN;
    setenv(QN_LAB_MARKS, "1", 1);
    if (!r.output)
        return put(&r, stdout);
    f = qn_text_open_output(&o, r.output, QN_TEXT_SHARED, &err) == QN_TEXT_OK ? qn_text_stream_output(&o) : NULL;
    if (f) {
        status = put(&r, f);
        if (status && ftell(f) == 0) /* nothing could be marked: marks that are there stay */
            qn_text_drop_output(&o);
        else
            qn_text_close_output(&o, &err);
    }
    if (err.status != QN_TEXT_OK)
        return qn_text_complain("quern: lab: %s", err.text), QN_LAB_BROKEN;
    return f ? status : QN_LAB_BROKEN;
}

/* ---- `quern lab marks --on=parallel|slurm -o FILE`: the checks of a class as jobs ----
 *
 *   FILE.parts/students    1) set -- 'ada' ;;   the names by number, in the shell's quotes, whatever is in them
 *   FILE.parts/seed        of the inputs
 *   FILE.parts/job.sh      checks student K, K + PARTS, ...; K is its argument, or that of Slurm's array
 *   FILE.parts/K.tap       the output of a check; it is complete, or does not exist
 *
 * Checks that were lost are given out again, also if the same command is run again.  The folder is removed when all checks are done.
 */

struct parts {
    struct qn_text_memory memory;
    char *folder, *script;
    int n; /* students */
};

static const char *tap_file(struct qn_text_memory *m, const struct qn_lab_request *r, int student)
{
    return qn_text_format(m, "%s.parts/%d.tap", r->output, student + 1);
}

bool qn_lab_take_farmed(const struct qn_lab_request *r, int student, unsigned *points, char *result)
{
    struct qn_text_memory m = { 0 };
    FILE *tap = fopen(tap_file(&m, r, student), "re");
    bool good = tap && qn_lab_read_points(tap, points, r->lab->n_tests, result);
    if (tap)
        fclose(tap);
    qn_text_free_memory(&m);
    return good;
}

/* ---- what a job is ---- */

static char *whole_path(struct qn_text_memory *m, const char *path)
{
    char *whole = realpath(path, NULL), *copy = whole ? qn_text_copy(m, whole) : NULL;

    free(whole);
    return copy;
}

static bool write_students(struct parts *p, char *const *students)
{
    const char *path = qn_text_format(&p->memory, "%s/students", p->folder);
    FILE *f = fopen(path, "we");

    if (!f)
        return qn_lab_complain(path);
    fputs("case $line in\n", f);
    for (int i = 0; i < p->n; i++)
        fprintf(f, "%d) set --", i + 1), qn_exp_put_word(f, students[i]), fputs(" ;;\n", f);
    fputs("esac\n", f);
    return fclose(f) == 0 || qn_lab_complain(path);
}

static bool write_seed(struct parts *p, const struct qn_lab_request *r)
{
    const char *path = qn_text_format(&p->memory, "%s/seed", p->folder);
    FILE *f = fopen(path, "we");

    if (!f)
        return qn_lab_complain(path);
    fprintf(f, "%llu\n", (unsigned long long)r->seed);
    return fclose(f) == 0 || qn_lab_complain(path);
}

static bool write_script(struct parts *p, const struct qn_lab_request *r, const char *quern, int jobs)
{
    struct qn_text_memory *m = &p->memory;
    const char *directory = whole_path(m, r->directory), *key = r->key_file ? whole_path(m, r->key_file) : NULL;
    FILE *f;

    if (!directory || (r->key_file && !key))
        return qn_lab_complain(!directory ? r->directory : r->key_file);
    f = fopen(p->script, "we");
    if (!f)
        return qn_lab_complain(p->script);
    fprintf(f, "#!/bin/sh\n# Checks of lab %u; the number of the part is the argument, or that of Slurm's array.\nexport " QN_LAB_MARKS "=1\ncd",
            r->lab->number);
    qn_exp_put_word(f, p->folder);
    fprintf(f, " || exit 1\nline=${1:-$SLURM_ARRAY_TASK_ID}\nwhile [ \"$line\" -le %d ]; do\n"
               "    . ./students\n    student=$1\n   ", p->n);
    qn_exp_put_word(f, quern);
    fprintf(f, " lab check --case-seed=%llu", (unsigned long long)r->seed);
    if (key) {
        fputs(" --student=\"$(printf %s \"$student\" | tr '\\r\\n' '  ')\"", f);
        qn_exp_put_word(f, qn_text_format(&p->memory, "--key-file=%s", key));
    }
    fprintf(f, " %u", r->lab->number);
    qn_exp_put_word(f, directory);
    fprintf(f, "/\"$student\" >\"$line.new.$$\"\n    [ $? -le 1 ] && mv \"$line.new.$$\" \"$line.tap\" || rm -f \"$line.new.$$\"\n"
               "    line=$((line + %d))\ndone\nexit 0\n", jobs);
    return fclose(f) == 0 || qn_lab_complain(p->script);
}

/* ---- giving them out ---- */

static int find_missing(struct parts *p, const struct qn_lab_request *r, struct qn_exp_farm *farm, bool *wanted)
{
    int missing = 0;

    memset(wanted, 0, (size_t)farm->parts + 1);
    for (int i = 0; i < p->n; i++) {
        unsigned points[QN_LAB_TESTS_MAX];
        char result[QN_LAB_RESULT_BYTES];

        if (!qn_lab_take_farmed(r, i, points, result)) {
            wanted[i % farm->parts + 1] = true;
            missing++;
        }
    }
    return missing;
}

struct progress {
    const struct qn_lab_request *request;
    int n;
};

static void show_progress(void *data)
{
    const struct progress *p = data;
    struct qn_text_memory m = { 0 };
    int done = 0;

    for (int i = 0; i < p->n; i++)
        done += !access(tap_file(&m, p->request, i), F_OK);
    qn_text_free_memory(&m);
    show("quern lab: %d of %d checked", done, p->n);
}

static bool give_out(struct parts *p, const struct qn_lab_request *r, char *const *students)
{
    struct qn_exp_farm farm = { .on = (enum qn_exp_on)r->on, .options = r->on_option, .n_options = r->on_options, .name = "quern-lab",
                                .folder = p->folder, .script = p->script,
                                .parts = p->n < QN_EXP_FARM_PARTS_MAX ? p->n : QN_EXP_FARM_PARTS_MAX };
    bool *wanted = qn_text_alloc(&p->memory, (size_t)farm.parts + 1);
    struct progress progress = { r, p->n };
    struct qn_exp_farm_watch watch = { .who = "lab", .what = "checks", .cancel = r->cancel, .tick = isatty(2) ? show_progress : NULL, .data = &progress };
    struct qn_lab_place place;
    int status;

    farm.wanted = wanted;
    if (!qn_lab_find_place(&place) || !write_students(p, students) || !write_seed(p, r) || !write_script(p, r, place.quern, farm.parts))
        return false;
    for (int round = 0; round < QN_EXP_FARM_ROUNDS && find_missing(p, r, &farm, wanted); round++) {
        status = qn_exp_run_farm(&p->memory, &farm, &watch);
        if (isatty(2))
            fputs("\r\033[K", stderr);
        if (status > 0)
            raise(status);
        if (status)
            return false;
    }
    return true;
}

bool qn_lab_farm_out(const struct qn_lab_request *r, char *const *students, int n)
{
    struct parts p = { .n = n };
    const char *folder;
    bool good = true;

    folder = qn_text_format(&p.memory, "%s.parts", r->output);
    if ((mkdir(folder, 0777) && errno != EEXIST) || !(p.folder = whole_path(&p.memory, folder)))
        good = qn_lab_complain(folder);
    if (good) {
        p.script = qn_text_format(&p.memory, "%s/job.sh", p.folder);
        good = !n || give_out(&p, r, students);
    }
    qn_text_free_memory(&p.memory);
    return good;
}

void qn_lab_end_farm(const struct qn_lab_request *r, int n)
{
    static const char *const others[] = { "students", "seed", "job.sh", "joblog" };
    struct qn_text_memory m = { 0 };

    for (int i = 0; i < n; i++) {
        unlink(tap_file(&m, r, i));
        unlink(qn_text_format(&m, "%s.parts/%d.log", r->output, i + 1));
    }
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        unlink(qn_text_format(&m, "%s.parts/%s", r->output, others[i]));
    rmdir(qn_text_format(&m, "%s.parts", r->output));
    qn_text_free_memory(&m);
}

/* ---- the folders of a class: each is a student's, or is refused by name ----
 *
 * In:  marks.csv (a file), ada/, "lovelace, ada"/, bob -> /home/bob/lab1, eve -> nowhere, .git/
 * Out: ada, bob, "lovelace, ada"; lines about eve and .git
 */

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
        return qn_lab_complain(directory), -1;
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

    if (asprintf(&text, "%s%s", harmless && *name && strchr("=+-@\t\r", *name) ? "'" : "", name) < 0)
        qn_no_memory();
    qn_text_write_cell(f, text);
    free(text);
}
