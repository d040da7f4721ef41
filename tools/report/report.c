/* tools/report/report.c - `quern report`: one command from a program to a page about it.
 *
 * In:  quern report -o page -- ./prog args
 * Out: page/index.html, its pictures and their data; exit 0, 1 (a run or a write failed), 2 (usage), 126, 127 (no such
 * program)
 *
 * The folder is filled under another name and renamed.  One that holds a report already is replaced, any other is
 * refused.
 */
#define _GNU_SOURCE

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../machine.h"
#include "text/options.h"
#include "../prof_args.h"
#include "../tools.h"
#include "engines/engines.h"
#include "exp/rows.h"
#include "out/columns.h"
#include "page/page.h"
#include "prof/kind.h"
#include "report/report.h"
#include "report_tool.h"
#include "text/source.h"
#include "text/input.h"
#include "text/output.h"

#define USUAL_FOLDER "quern-report"

static const char help[] =
    "usage: quern report [-o FOLDER] [OPTIONS] [--] PROGRAM [ARGUMENTS]\n"
    "       quern report [-o FOLDER] [--intervals=FILE] [--sizes=FILE] [--sets=FILE] [--mattson=FILE] PROFILE\n"
    "       quern report --diff [-o FOLDER] BEFORE AFTER\n"
    "\n"
    "Runs the program, and writes pages about it, FOLDER/index.html and one to explore, explore.html: what to\n"
    "look at first, functions and lines with their source, misses by cache size, three Cs, phases, branches.\n"
    "Of a profile it shows what that holds, and says how the rest is collected; of two, what has changed.\n"
    "\n";

static const char help_end[] =
    "\nThe program's output goes nowhere. Without gnuplot there are no pictures, but their data and scripts.\n";

/* `what` may be "". */
static int complain(const char *what, const char *why, int status)
{
    qn_text_complain("quern report: %s%s%s", what, *what ? ": " : "", why);
    return status;
}

/* ---- options ---- */

static const char *take_variable(const struct qn_option *o, void *field, char **value)
{
    struct qn_report_options *all = field;

    (void)o;
    if (all->environment_count == QN_REPORT_ENVIRONMENT_MAX)
        return "fewer of them";
    all->environment[all->environment_count++] = *value;
    return NULL;
}

static const char *const data_words[] = { "no", "yes", "use", NULL };

#define OPTION(names, argument, help, take, field) QN_OPTION(names, argument, help, take, struct qn_report_options, field)
static const struct qn_option options[] = {
    OPTION("-o", "FOLDER", "[quern-report]; a report that is there is replaced, anything else is not", qn_option_text, output),
    OPTION("--I1", "SIZE,WAYS,LINE", "instruction cache [this machine's]", qn_option_text, geometry[0]),
    OPTION("--D1", "SIZE,WAYS,LINE", "data cache", qn_option_text, geometry[1]),
    OPTION("--LL", "SIZE,WAYS,LINE", "last-level cache", qn_option_text, geometry[2]),
    OPTION("--L2", "SIZE,WAYS,LINE", "a level between them and --LL [none]", qn_option_text, geometry[3]),
    OPTION("--cores", "N", "threads run on N cores, each with caches of its own; also which lines they share [one for all]", qn_option_text, cores),
    OPTION("--machine", "NAME|FILE", "caches, TLB, predictors and latencies of a machine (quern machine list)", qn_option_text, machine),
    OPTION("--input", "FILE", "standard input of the program [nothing]", qn_option_text, input),
    QN_OPTION_PLAIN("--env", "NAME[=VALUE]", "the program sees this variable; without it PATH and LC_ALL=C only", take_variable),
    OPTION("--analysis", "NAMES", "of the run, by name [3c,sets,sizes]; without sizes: a second run is made for D1s of other sizes; mattson: the curve of a fully associative cache", qn_option_text,
           analysis),
    QN_OPTION_OF(data_words, "--data", "yes|no|use", "of the run: misses by object in memory, too; use: and which bytes of a line are used [no]",
                 qn_option_word, struct qn_report_options, data),
    OPTION("--calls", "yes|no", "of the run: who calls whom, at what cost, too [no]", qn_option_yesno, calls),
    OPTION("--dump-instr", "yes|no", "of the run: counts by instruction, too, for the page to explore [no]", qn_option_yesno, instructions),
    QN_OPTION_SOURCE_MAP,
    PROF_ARGS_TIMING("how cycles are estimated, or some of it [1,1,10,100,10]"),
    OPTION("--diff", NULL, "of two profiles: what has changed, by function and line", qn_option_set, diff),
    OPTION("--intervals", "FILE", "of a profile: counts by interval, of quern run --interval", qn_option_text, intervals),
    OPTION("--sizes", "FILE", "of a profile: a sweep of D1 sizes, or PROFILE.sizes.csv", qn_option_text, sizes),
    OPTION("--sets", "FILE", "of a profile: misses by set, PROFILE.sets.csv", qn_option_text, sets),
    OPTION("--mattson", "FILE", "of a profile: misses by size, PROFILE.mattson.csv", qn_option_text, mattson),
    OPTION("-q, --quiet", NULL, "do not say which run is being made, nor where the page is", qn_option_set, quiet),
    QN_OPTION_HELP, QN_OPTION_VERSION, QN_OPTIONS_END };

static const struct qn_options command = { "report", "quern report", help, help_end, options, NULL, true, NULL };

/* A word that is a profile is one.  What is wrong with the options for it, or NULL. */
static const char *check_words(struct qn_report_options *o)
{
    bool of_run = o->geometry[0] || o->geometry[1] || o->geometry[2] || o->geometry[3] || o->machine || o->cores || o->input || o->environment_count || o->data || o->calls || o->instructions;

    if (o->diff) {
        if (!o->program[1] || o->program[2] || !qn_prof_is_profile(o->program[0]) || !qn_prof_is_profile(o->program[1]))
            return "--diff: wanted two profiles";
        o->before = o->program[0];
        o->profile = o->program[1];
        return o->intervals || o->sizes || o->sets || o->mattson || of_run ? "--diff: wanted no other options than -o" : NULL;
    }
    if (o->program[1] || !qn_prof_is_profile(o->program[0]))
        return o->intervals || o->sizes || o->sets || o->mattson ? "--intervals, --sizes, --sets and --mattson: wanted one profile with them" : NULL;
    o->profile = o->program[0];
    return of_run ? "--I1, --D1, --LL, --machine, --cores, --input, --env, --data, --calls and --dump-instr: got a profile, wanted a program with them" : NULL;
}

/* Its latencies, too, unless --timing says otherwise. */
static bool take_machine(struct qn_report_options *o)
{
    struct qn_exp_machine m;

    if (!qn_machine_take("report: --machine", o->machine, &o->from_machine) || !qn_machine_read("report: --machine", o->machine, &m))
        return false;
    if (*m.timing && !qn_out_timing_chosen())
        qn_out_choose_timing(m.timing);
    qn_exp_free_machine(&m);
    return true;
}

/* -1: go on; else the exit status. */
static int parse(struct qn_report_options *o, char **argv)
{
    int status = qn_options_take(&command, o, argv, &o->program);
    const char *what;

    if (status >= 0)
        return status;
    if (!*o->program)
        return qn_options_wrong(&command, "", "name a program");
    what = check_words(o);
    if (what)
        return qn_options_wrong(&command, "", what);
    if (o->machine && !take_machine(o))
        return QN_EXIT_USAGE;
    for (size_t n = strlen(o->output); n > 1 && o->output[n - 1] == '/'; n--) /* as a shell completes it */
        o->output = qn_text_copy_part(&o->memory, o->output, n - 1);
    return !*o->output ? qn_options_wrong(&command, "", "-o: wanted a folder") : -1;
}

/* ---- folders ---- */

static char *in_output(const struct qn_report_options *o, const char *name)
{
    return qn_text_format((struct qn_text_memory *)&o->memory, "%s/%s", o->output, name);
}

/* Names have no newline: they are those that this command chose. */
static bool list_files(const char *folder, const char *list)
{
    FILE *f = fopen(list, "wxe");
    struct dirent **entries = NULL;
    int n = f ? scandir(folder, &entries, NULL, alphasort) : -1;

    if (f)
        fputs("files of quern report:\n", f);
    for (int i = 0; i < n; i++) {
        if (strcmp(entries[i]->d_name, ".") && strcmp(entries[i]->d_name, ".."))
            fprintf(f, "%s\n", entries[i]->d_name);
        free(entries[i]);
    }
    free(entries);
    return f && !fclose(f) && n >= 0; /* a cut list would only make the report one that is not replaced */
}

/* The first thing in the folder that no quern report has put there; NULL: there is none.  "." : it is no report at all. */
static const char *find_foreign(const struct qn_report_options *o)
{
    FILE *f = fopen(in_output(o, QN_REPORT_LIST), "re");
    char *list = NULL, name[NAME_MAX + 3];
    const char *foreign = NULL;
    DIR *d = opendir(o->output);
    size_t room = 0;
    struct dirent *e;
    struct stat st;

    if (!f || !d || getdelim(&list, &room, 0, f) < 0)
        foreign = ".";
    while (!foreign && (e = readdir(d))) {
        snprintf(name, sizeof name, "\n%s\n", e->d_name);

        if (strcmp(e->d_name, ".") && strcmp(e->d_name, "..") &&
            (!strstr(list, name) || fstatat(dirfd(d), e->d_name, &st, AT_SYMLINK_NOFOLLOW) || !S_ISREG(st.st_mode)))
            foreign = qn_text_copy((struct qn_text_memory *)&o->memory, e->d_name);
    }
    free(list);
    if (f)
        fclose(f);
    if (d)
        closedir(d);
    return foreign;
}

static const char *make_folder(struct qn_report_options *o)
{
    char *folder = qn_text_format(&o->memory, "%s.XXXXXX", o->output);

    if (!qn_text_make_scratch(folder)) {
        complain(o->output, strerror(errno), 1);
        return NULL;
    }
    return folder;
}

/* Where file systems cannot exchange two names, the old report goes first. */
static bool move_aside(struct qn_report_options *o)
{
    const char *old = make_folder(o);
    bool moved = old && !rename(o->output, old);

    qn_text_remove_scratch(old);
    return moved;
}

/* A rename replaces an empty folder.  An existing report, maybe one that another quern has just written, is swapped with the new one. */
static int move_into_place(struct qn_report_options *o)
{
    const char *list = qn_text_format(&o->memory, "%s/" QN_REPORT_LIST, o->folder);
    mode_t mask;
    bool moved;

    umask(mask = umask(0));
    if (!list_files(o->folder, list))
        return complain(list, strerror(errno), 1);
    moved = !chmod(o->folder, 0777 & ~mask) && !rename(o->folder, o->output);

    while (!moved && (errno == EEXIST || errno == ENOTEMPTY) && !find_foreign(o)) {
        if (!renameat2(AT_FDCWD, o->folder, AT_FDCWD, o->output, RENAME_EXCHANGE))
            return 0;
        if (errno == EINVAL && !move_aside(o) && errno != ENOENT)
            break;
        moved = !rename(o->folder, o->output);
    }
    if (!moved)
        return complain(o->output, strerror(errno), 1);
    qn_text_keep_scratch(o->folder);
    o->folder = NULL;
    return 0;
}

static int check_output(const struct qn_report_options *o)
{
    const char *foreign;
    struct stat st;

    if (lstat(o->output, &st))
        return errno == ENOENT ? 0 : complain(o->output, strerror(errno), 1);
    if (!S_ISDIR(st.st_mode))
        return complain(o->output, "got a file, wanted the name of a folder", 1);
    foreign = rmdir(o->output) ? find_foreign(o) : NULL;
    if (!foreign) /* an empty one can be replaced, and stays until there is a report */
        return access(o->output, F_OK) && mkdir(o->output, st.st_mode & 07777) ? complain(o->output, strerror(errno), 1) : 0;
    return complain(strcmp(foreign, ".") ? in_output(o, foreign) : o->output,
                    strcmp(foreign, ".") ? "is not of the report in this folder, and would be lost; name another with -o"
                                         : "is a folder without a report in it; name another with -o", 1);
}

/* ---- a report of a profile that is there already ----
 *
 * In:  quern report --intervals=phases.csv -o page cachegrind.out.12
 *      quern report --diff -o page before.out after.out
 * Out: the profile and the files that belong to it, in the folder of the report
 */

#define AT_ONCE (1 << 20) /* bytes */

/* 0, or 1 after a message. */
static int copy(struct qn_report_options *o, const char *from, const char *name)
{
    const char *path = qn_text_format(&o->memory, "%s/%s", o->folder, name), *wrong = from;
    FILE *in = qn_text_open_kept(from);
    int out = -1;
    ssize_t n = in ? 1 : -1;

    if (in) {
        out = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
        wrong = path;
    }
    while (out >= 0 && (n = sendfile(out, fileno(in), NULL, AT_ONCE)) > 0)
        continue;
    if (n < 0 || out < 0)
        qn_text_complain("quern report: %s: %s", wrong, strerror(errno));
    if (in)
        fclose(in);
    if (out >= 0)
        close(out);
    return n < 0 || out < 0;
}

/* Tables are read while they still have the names that were given.  0, or 1 after a message. */
static int check_tables(const struct qn_report_options *o)
{
    struct qn_text_error err = { .status = QN_TEXT_OK };
    struct qn_prof_reader *r = o->intervals ? qn_prof_open_reader(o->profile, &err) : NULL;
    struct qn_text_table intervals = { 0 }, sets = { 0 }, curve = { 0 };

    if (r)
        qn_exp_read_intervals(&intervals, o->intervals, qn_prof_reader_header(r), &err);
    if (o->sets && err.status == QN_TEXT_OK)
        qn_exp_read_sets(&sets, o->sets, &err);
    if (o->mattson && err.status == QN_TEXT_OK)
        qn_exp_read_curve(&curve, o->mattson, &err);
    qn_text_free_table(&curve);
    qn_text_free_table(&intervals);
    qn_text_free_table(&sets);
    qn_prof_close_reader(r);
    return err.status == QN_TEXT_OK ? 0 : complain("", err.text, 1);
}

/* What was given, and its name in the folder. */
struct given {
    const char *path, *name;
};
enum { GIVEN = 6 };

static void list_given(const struct qn_report_options *o, struct given files[GIVEN])
{
    const struct given all[GIVEN] = { { o->before, QN_REPORT_BEFORE }, { o->profile, QN_REPORT_PROFILE }, { o->intervals, QN_REPORT_INTERVALS },
                                      { o->sizes, QN_REPORT_RUNS }, { o->sets, QN_REPORT_SETS_BY_TIME }, { o->mattson, QN_REPORT_CURVE_BY_SIZE } };

    memcpy(files, all, sizeof all);
}

static int take_files(struct qn_report_options *o)
{
    struct given files[GIVEN];

    if (check_tables(o))
        return 1;
    list_given(o, files);
    for (int i = 0; i < GIVEN; i++)
        if (files[i].path && copy(o, files[i].path, files[i].name))
            return 1;
    return 0;
}

/* ---- the page of a report that one explores, beside the plain one ----
 *
 * In:  the folder of a report: profile, intervals.csv, runs.csv, profile.sets.csv, profile.mattson.csv, before
 * Out: explore.html there, and explore.sources.js where not all sources find room in it (page/page.h)
 */

#define MORE "explore.sources.js"

/* A file of the folder; NULL: it is not there. */
static const char *find(struct qn_report_options *o, const char *name)
{
    const char *path = qn_text_format(&o->memory, "%s/%s", o->folder, name);

    return access(path, R_OK) ? NULL : path;
}

static enum qn_text_status close_file(FILE *file, const char *path, struct qn_text_error *err)
{
    bool good = file && !ferror(file);

    if ((file && fclose(file)) || !good)
        return err->status == QN_TEXT_OK ? qn_text_fail(err, QN_TEXT_IO, "%s: %s", path, strerror(errno)) : err->status;
    return QN_TEXT_OK;
}

static enum qn_text_status explore(void *options, struct qn_report_facts *facts, struct qn_text_error *err)
{
    struct qn_report_options *o = options;
    const char *page = qn_text_format(&o->memory, "%s/" QN_REPORT_EXPLORE, o->folder), *more = qn_text_format(&o->memory, "%s/" MORE, o->folder);
    struct qn_page_request q = { .profile = find(o, QN_REPORT_PROFILE), .shown = o->profile ? o->profile : QN_REPORT_PROFILE, .more_name = MORE };
    FILE *out = fopen(page, "we");
    bool used = false;

    q.facts = facts;
    q.before = o->diff ? find(o, QN_REPORT_BEFORE) : NULL;
    q.shown_before = o->before;
    q.intervals = find(o, QN_REPORT_INTERVALS);
    q.runs = find(o, QN_REPORT_RUNS);
    q.culprits = find(o, QN_REPORT_CULPRITS);
    q.sharing = find(o, QN_REPORT_SHARING);
    q.sets = find(o, QN_REPORT_SETS_BY_TIME);
    q.mattson = find(o, QN_REPORT_CURVE_BY_SIZE);
    q.more = out ? fopen(more, "we") : NULL;
    if (q.more)
        qn_page_write(&q, out, err);
    used = q.more && ftell(q.more) > 0;
    if (out)
        close_file(q.more, more, err);
    close_file(out, page, err);
    if (!used)
        unlink(more);
    return err->status;
}

/* ---- all ---- */

/* What is wrong with a copy in the folder, which goes, is said of the file that was given. */
static const char *name_given(struct qn_report_options *o, const char *message)
{
    struct given files[GIVEN];

    list_given(o, files);
    for (int i = 0; i < GIVEN; i++) {
        const char *copied = qn_text_format(&o->memory, "%s/%s:", o->folder, files[i].name);

        if (files[i].path && !strncmp(message, copied, strlen(copied)))
            return qn_text_format(&o->memory, "%s:%s", files[i].path, message + strlen(copied));
    }
    return message;
}

static int write_page(struct qn_report_options *o)
{
    struct qn_report page = { .folder = o->folder,
                              .ended = o->ended,
                              .meanwhile = explore,
                              .data = o };
    struct qn_text_error err = { .status = QN_TEXT_OK };

    if (!o->diff)
        qn_report_write(&page, &err);
    else if (qn_report_compare(o->folder, &err) == QN_TEXT_OK)
        explore(o, NULL, &err);
    qn_report_end_steps(o);
    if (err.status != QN_TEXT_OK)
        return fprintf(stderr, "quern report: %s\n", name_given(o, err.text)), 1;
    if (move_into_place(o))
        return 1;
    if (!o->quiet)
        qn_text_complain("quern report: the page is %s/" QN_REPORT_PAGE, o->output);
    return 0;
}

static int make_report(struct qn_report_options *o)
{
    int status = check_output(o);

    if (status)
        return status;
    if (o->input && access(o->input, R_OK))
        return complain(o->input, strerror(errno), QN_EXIT_USAGE);
    qn_engines_guard(&o->guard);
    o->folder = make_folder(o);
    o->work = o->folder ? qn_engines_scratch("report") : NULL;
    if (!o->work)
        status = 1;
    else if (!(status = o->profile ? take_files(o) : qn_report_run(o)) && !o->guard.signal)
        status = write_page(o);
    qn_text_remove_scratch(o->work);
    qn_text_remove_scratch(o->folder);
    qn_engines_unguard(&o->guard);
    return status;
}

int qn_tool_report(int argc, char **argv)
{
    static struct qn_report_options o = { .output = USUAL_FOLDER };
    int status;

    (void)argc;
    status = parse(&o, argv);
    o.self = status < 0 ? qn_engines_own_path("report") : NULL;
    if (status < 0)
        status = o.self ? make_report(&o) : 1;
    qn_text_free_memory(&o.memory);
    return status;
}
