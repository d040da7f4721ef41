/* lib/lab/check.c - runs the tests of a lab, one after the other.  See lab.h and check.h. */
#define _GNU_SOURCE

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/grow.h"
#include "base/hash.h"
#include "lab/internal.h"
#include "lab/lab.h"
#include "text/error.h"
#include "text/output.h"

/* ---- the scratch directory of a check ----
 *
 *   quern-lab.XXXXXX/in/       copies of the files handed in; links are not followed
 *   quern-lab.XXXXXX/build/    programs built from them; the compiler may write here
 *   quern-lab.XXXXXX/cases/    inputs, and files that a program may write (made beforehand, because it cannot create files)
 *
 * All of it is removed at the end.  Files belong to us; build/ and the files to be written to the user that the code
 * runs as.
 */

#define SOURCE_MAX (1u << 20)  /* bytes of a file that is handed in */
#define OUT_MAX (64u << 20)    /* bytes that are read of one that was written */

bool qn_lab_complain(const char *path)
{
    qn_text_complain("quern: lab: %s: %s", path, strerror(errno));
    return false;
}

/* The bytes of an open file, at most `most`; a zero byte behind them. */
static char *read_all(int fd, size_t most, size_t *size)
{
    char *bytes = QN_NEEDED(malloc(most + 1));
    ssize_t n = 0;

    for (*size = 0; *size < most && (n = read(fd, bytes + *size, most - *size)) > 0; *size += (size_t)n)
        ;
    bytes[*size] = 0;
    return bytes;
}

static bool write_file(const char *path, const char *bytes, size_t size, mode_t mode)
{
    int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, mode);
    bool good = fd >= 0 && qn_text_write_all(fd, bytes, size) && fchmod(fd, mode) == 0;

    if (fd >= 0)
        close(fd);
    return good || qn_lab_complain(path);
}

/* ---- what was handed in ---- */

/* Copies a file.  false: the grader cannot write.  A file that cannot be copied is missing, and the tests say so. */
static bool take_file(struct qn_lab_check *c, const char *name)
{
    char *from = qn_lab_format("%s/%s", c->request->directory, name), *to = qn_lab_format("%s/in/%s", c->scratch, name);
    int fd = open(from, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    struct stat st;
    bool good = true;
    size_t size;
    char *bytes;

    if (fd < 0 || fstat(fd, &st) || !S_ISREG(st.st_mode) || st.st_size > SOURCE_MAX) {
        if (!c->quiet && !c->request->json)
            printf("# %s: %s\n", name, fd < 0 ? strerror(errno) : "is not a file of at most 1 MiB");
    } else {
        bytes = read_all(fd, SOURCE_MAX, &size);
        good = write_file(to, bytes, size, 0644);
        free(bytes);
    }
    if (fd >= 0)
        close(fd);
    free(from);
    free(to);
    return good;
}

static bool make_folder(const struct qn_lab_check *c, const char *name, bool theirs)
{
    char *path = qn_lab_format("%s/%s", c->scratch, name);
    bool good = mkdir(path, 0755) == 0 && chmod(path, 0755) == 0
                && (!theirs || qn_lab_user() == geteuid() || chown(path, qn_lab_user(), qn_lab_user()) == 0);

    if (!good)
        qn_lab_complain(path);
    free(path);
    return good;
}

bool qn_lab_open_work(struct qn_lab_check *c)
{
    const char *tmp = getenv("TMPDIR");
    struct stat st;
    bool good = true, is_there = !stat(c->request->directory, &st);

    if (!is_there || !S_ISDIR(st.st_mode)) {
        errno = is_there ? ENOTDIR : errno;
        return qn_lab_complain(c->request->directory);
    }
    c->scratch = qn_lab_format("%s/quern-lab.XXXXXX", tmp && *tmp ? tmp : "/tmp");
    if (!qn_text_make_scratch(c->scratch) || chmod(c->scratch, 0711))
        return qn_lab_complain(c->scratch);
    qn_lab_choose_user(c->place->quern, c->scratch);
    if (!make_folder(c, "in", false) || !make_folder(c, "build", true) || !make_folder(c, "cases", false))
        return false;
    for (const char *const *name = c->request->lab->files; good && *name; name++)
        good = take_file(c, *name);
    return good;
}

void qn_lab_close_work(struct qn_lab_check *c)
{
    if (c->scratch)
        qn_text_remove_scratch(c->scratch);
    qn_lab_free_built(c);
    free(c->scratch);
    free(c->compiler);
}

const char *qn_lab_handed_in(struct qn_lab_check *c, const char *name)
{
    static char path[4096];

    snprintf(path, sizeof path, "%s/in/%s", c->scratch, name);
    return access(path, R_OK) == 0 ? path : NULL;
}

/* ---- inputs and outputs ---- */

static const char *case_path(const struct qn_lab_check *c, const char *name)
{
    static char paths[4][4096]; /* several are in use at a time */
    static unsigned next;
    char *path = paths[next++ % 4];

    snprintf(path, sizeof paths[0], "%s/cases/%s", c->scratch, name);
    return path;
}

const char *qn_lab_write(struct qn_lab_check *c, const char *name, const char *bytes, size_t size)
{
    const char *path = case_path(c, name);

    unlink(path);
    if (!write_file(path, bytes, size, 0644)) {
        qn_lab_say(c, "the grader cannot write %s", name);
        c->broken = true;
    }
    return path;
}

const char *qn_lab_out(struct qn_lab_check *c, const char *name)
{
    const char *path = qn_lab_write(c, name, "", 0);

    if (!c->broken && qn_lab_user() != geteuid() && chown(path, qn_lab_user(), qn_lab_user())) {
        qn_lab_say(c, "the grader cannot give %s away", name);
        c->broken = true;
    }
    return path;
}

char *qn_lab_read_out(struct qn_lab_check *c, const char *name, size_t *size)
{
    int fd = open(case_path(c, name), O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
    char *bytes;

    if (fd < 0)
        return NULL;
    bytes = read_all(fd, OUT_MAX, size);
    close(fd);
    return bytes;
}

#define REMARK_LINE_MAX 200 /* bytes */
#define SHOWN_MAX 100       /* bytes of a line that is quoted */

static char *format_args(const char *format, va_list args)
{
    char *text;

    if (vasprintf(&text, format, args) < 0)
        abort();
    return text;
}

char *qn_lab_format(const char *format, ...)
{
    va_list args;
    char *text;

    va_start(args, format);
    text = format_args(format, args);
    va_end(args);
    return text;
}

/* ---- remarks ---- */

static void add_remark(struct qn_lab_outcome *o, const char *line, size_t n)
{
    o->remarks = QN_NEEDED(realloc(o->remarks, o->remarks_size + n + 2));
    for (size_t i = 0; i < n; i++) {
        unsigned char b = (unsigned char)line[i];

        o->remarks[o->remarks_size++] = b == '\t' ? ' ' : b < ' ' || b == 127 ? '?' : (char)b;
    }
    o->remarks[o->remarks_size++] = '\n';
    o->remarks[o->remarks_size] = 0;
}

/* Adds the first lines of a text that a program printed. */
void qn_lab_say_text(struct qn_lab_check *c, const char *text, unsigned lines)
{
    for (; text && *text && lines; lines--) {
        size_t n = strcspn(text, "\n");

        add_remark(&c->outcomes[c->test], text, n < REMARK_LINE_MAX ? n : REMARK_LINE_MAX);
        text += n + (text[n] != 0);
    }
    if (text && *text)
        add_remark(&c->outcomes[c->test], "...", 3);
}

bool qn_lab_say(struct qn_lab_check *c, const char *format, ...)
{
    va_list args;
    char *text;

    va_start(args, format);
    text = format_args(format, args);
    va_end(args);
    add_remark(&c->outcomes[c->test], text, strlen(text));
    free(text);
    return false;
}

const char *qn_lab_first_line(const char *text)
{
    static char lines[2][SHOWN_MAX + 4];
    static unsigned next;
    char *line = lines[next++ % 2];
    size_t n = strcspn(text, "\r\n");

    snprintf(line, sizeof lines[0], "%.*s%s", (int)(n < SHOWN_MAX ? n : SHOWN_MAX), text, n < SHOWN_MAX ? "" : "...");
    return line;
}

bool qn_lab_same_lines(struct qn_lab_check *c, const char *output, const char *wanted)
{
    for (unsigned line = 1; *wanted; line++) {
        size_t n = strcspn(wanted, "\n"), got = strcspn(output, "\r\n");

        if (n != got || strncmp(output, wanted, n))
            return qn_lab_say(c, "line %u: got '%s', wanted '%.*s'", line, qn_lab_first_line(output), (int)n, wanted);
        wanted += n + 1;
        output += got;
        output += strspn(output, "\r");
        output += *output == '\n';
    }
    return strspn(output, "\r\n") == strlen(output) || qn_lab_say(c, "more lines than wanted: '%s'", qn_lab_first_line(output));
}

const char *qn_lab_number(uint64_t n)
{
    static char texts[4][48];
    static unsigned next;
    char *text = texts[next++ % 4];

    snprintf(text, sizeof texts[0], "%" PRIu64 " (0x%" PRIx64 ")", n, n);
    return text;
}

/* ---- chance: splitmix64 (Steele, Lea, Flood 2014) ---- */

#define GOLDEN 0x9e3779b97f4a7c15ull

uint64_t qn_lab_draw(struct qn_lab_check *c) { return qn_hash_mix(c->random += GOLDEN); }
unsigned qn_lab_below(struct qn_lab_check *c, unsigned n) { return (unsigned)((qn_lab_draw(c) >> 32) * n >> 32); }

unsigned qn_lab_between(struct qn_lab_check *c, unsigned from, unsigned to)
{
    return from + qn_lab_below(c, to - from + 1);
}

const struct qn_lab_variant *qn_lab_rules(const struct qn_lab_check *c) { return &c->rules; }
bool qn_lab_is_variant(const struct qn_lab_check *c) { return c->request->has_variant; }
bool qn_lab_knows_student(const struct qn_lab_check *c) { return c->request->knows_student; }
uint64_t qn_lab_student(const struct qn_lab_check *c) { return c->request->student; }

/* ---- the check ---- */

static void run_tests(struct qn_lab_check *c)
{
    const struct qn_lab *lab = c->request->lab;
    unsigned number = 0;

    for (c->test = 0; c->test < lab->n_tests && !c->broken; c->test++) {
        if (!c->outcomes[c->test].ran)
            continue;
        c->timed = false;
        if (qn_lab_keeps(c))
            qn_lab_forget_kept(c);
        c->random = qn_hash_mix(c->request->seed * GOLDEN + c->test + 1);
        c->outcomes[c->test].passed = lab->tests[c->test].passes(c);
        if (!c->outcomes[c->test].passed && qn_lab_keeps(c))
            qn_lab_keep_failed(c);
        free(c->why);
        c->why = NULL;
        if (!c->broken)
            qn_lab_print_test(c, ++number, c->test);
    }
}

static int finish(struct qn_lab_check *c)
{
    unsigned all = 0;

    if (c->broken) {
        qn_lab_print_broken(c, c->outcomes[c->test - 1].remarks);
        return QN_LAB_BROKEN;
    }
    qn_lab_print_score(c);
    if (c->request->json && !qn_lab_write_json(c, stdout, NULL))
        return QN_LAB_BROKEN;
    if (c->request->gradescope && !qn_lab_write_gradescope(c, c->request->gradescope))
        return QN_LAB_BROKEN;
    for (unsigned i = 0; i < c->request->lab->n_tests; i++)
        all += c->request->lab->tests[i].points;
    return qn_lab_score(c) == all ? QN_LAB_FULL : QN_LAB_NOT_FULL;
}

int qn_lab_check(const struct qn_lab_request *request, const struct qn_lab_place *place)
{
    const struct qn_lab *lab = request->lab;
    struct qn_lab_check c = { .request = request, .place = place };
    int status = QN_LAB_BROKEN;

    c.rules = request->has_variant ? qn_lab_draw_variant(request->variant) : qn_lab_standard();
    c.outcomes = QN_NEEDED(calloc(lab->n_tests, sizeof *c.outcomes));
    for (unsigned i = 0; i < lab->n_tests; i++)
        c.outcomes[i].ran = !request->only || strstr(lab->tests[i].name, request->only);
    if (!request->json)
        puts("TAP version 14");
    if (qn_lab_begin_keeping(&c) && qn_lab_open_work(&c)) {
        qn_lab_print_head(&c);
        run_tests(&c);
        status = finish(&c);
    } else {
        qn_lab_print_broken(&c, "there is nothing to check");
        if (request->gradescope)
            qn_lab_write_gradescope(&c, request->gradescope);
    }
    qn_lab_close_work(&c);
    for (unsigned i = 0; i < c.n_stuck; i++)
        free(c.stuck[i]);
    for (unsigned i = 0; i < lab->n_tests; i++)
        free(c.outcomes[i].remarks);
    free(c.outcomes);
    return status;
}

/* ---- --keep=DIR: files about the tests that failed ----
 *
 *   DIR/04/remarks.txt    the test, and its lines on the terminal
 *   DIR/04/trace.txt      the test's input; in labs that find the first wrong reference, that is its last line
 *   DIR/04/why.txt        that reference, what its set held, what was expected and why, and the command for a debugger
 */

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

bool qn_lab_begin_keeping(const struct qn_lab_check *c)
{
    if (!c->request->keep || mkdir(c->request->keep, 0777) == 0 || errno == EEXIST)
        return !c->request->keep || access(c->request->keep, W_OK | X_OK) == 0 || qn_lab_complain(c->request->keep);
    return qn_lab_complain(c->request->keep);
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
        qn_lab_complain(path);
    } else {
        if (fwrite(bytes, 1, size, f) != size)
            qn_lab_complain(path);
        if (fclose(f))
            qn_lab_complain(path);
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

/* ---- the list of labs.  To add one: labs/NN-name, lib/lab/labs/labNN.c with its tests, a line below ---- */

extern const struct qn_lab qn_lab_01, qn_lab_02, qn_lab_03, qn_lab_04, qn_lab_05, qn_lab_06, qn_lab_07, qn_lab_08, qn_lab_09, qn_lab_10, qn_lab_11, qn_lab_12, qn_lab_13;

const struct qn_lab *const qn_labs[] = { &qn_lab_01, &qn_lab_02, &qn_lab_03, &qn_lab_04,
                                         &qn_lab_05, &qn_lab_06, &qn_lab_07, &qn_lab_08, &qn_lab_09, &qn_lab_10, &qn_lab_11, &qn_lab_12, &qn_lab_13 };
const unsigned qn_labs_count = QN_ARRAY_LEN(qn_labs);

const struct qn_lab *qn_lab_find(unsigned number)
{
    for (unsigned i = 0; i < qn_labs_count; i++)
        if (qn_labs[i]->number == number)
            return qn_labs[i];
    return NULL;
}

unsigned qn_lab_points(const struct qn_lab *lab)
{
    unsigned sum = 0;

    for (unsigned i = 0; i < lab->n_tests; i++)
        sum += lab->tests[i].points;
    return sum;
}
