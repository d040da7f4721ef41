/* tools/lab/lab.c - `quern lab`: lists the labs, gives a student what a lab begins with, and checks what is handed in.
 *
 *   quern lab list
 *   quern lab start 1 DIR
 *   quern lab check 1 DIR          exit status 0 for full marks
 *   quern lab box DIR ./probe      a program asks the student's own black box
 *
 * The checks are lib/lab; this is the command line.
 */
#define _GNU_SOURCE

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <unistd.h>

#include "../tools.h"
#include "engines/engines.h"
#include "exp/farm.h"
#include "lab_tool.h"
#include "text/output.h"

static const char help[] =
    "usage: quern lab list\n"
    "       quern lab start [--seed=N] [--student=ID --key-file=FILE] NN DIR\n"
    "       quern lab check [OPTIONS] NN DIR\n"
    "       quern lab box [--seed=N] DIR PROGRAM [ARGUMENTS]\n"
    "       quern lab marks [--key-file=FILE] [-o FILE] [--on=ENGINE] [--earlier=DIR] NN DIR\n"
    "       quern lab gradescope [--key-file=FILE] [-o FILE] NN\n"
    "       quern lab export [--earlier=DIR] -o FOLDER NN DIR\n\n"
    "list        shows the labs.\n"
    "start       makes DIR, with the handout and the files that the work begins with.\n"
    "check       runs the tests on what is in DIR, in a sandbox, and prints TAP; exit status 0: full marks,\n"
    "            1: less, 2: a wrong command, 3: the check itself cannot be made.\n"
    "box         runs PROGRAM, whose standard output asks the black box of DIR (lab 6), and prints what it finds.\n"
    "marks       checks every folder of DIR, a student's each, and writes a table.\n"
    "gradescope  writes the zip file of an autograder.\n"
    "export      copies what every student handed in into FOLDER, as MOSS and JPlag want it, with a table of how\n"
    "            much any two have in common, and a page with both sides of the most alike.\n\n";

static const char *take_student(const struct qn_option *o, void *field, char **value)
{
    struct qn_lab_request *r = field;

    r->knows_student = true;
    return qn_option_number(o, &r->student, value);
}

static const char *take_on_option(const struct qn_option *o, void *field, char **value)
{
    struct qn_lab_request *r = field;

    (void)o;
    if (r->on_options == QN_LAB_ON_OPTIONS)
        return "at most 32 of them";
    r->on_option[r->on_options++] = *value;
    return NULL;
}

#define OPTION(names, argument, help, take, field) QN_OPTION(names, argument, help, take, struct qn_lab_request, field)
static const struct qn_option of_all[] = {
    QN_OPTION_PLAIN("--seed", "N", "which black box is this student's (lab 6) [start: drawn; check, box: that of start]", take_student),
    OPTION("--student", "ID", "start, check: whose variant of the lab it is; with --key-file", qn_option_text, name),
    OPTION("--key-file", "FILE", "start, check: its first line is the key from which variants are drawn; keep it secret", qn_option_text, key_file),
    QN_OPTION_HELP, QN_OPTION_VERSION, QN_OPTIONS_END };
static const struct qn_option of_check[] = {
    OPTION("--gradescope", "FILE", "check: also write FILE (results.json) for Gradescope", qn_option_text, gradescope),
    OPTION("--json", NULL, "check: as JSON, not TAP (doc/json.md)", qn_option_set, json),
    OPTION("--keep", "DIR", "check: save there, of each test that fails, its input, what was wrong, and a command for the debugger", qn_option_text, keep),
    OPTION("--case-seed", "N", "check: draw the inputs from N, to have the same again [drawn]", qn_option_number, seed),
    OPTION("--only", "TEXT", "check: only tests whose name has TEXT; never full marks unless that is all", qn_option_text, only),
    QN_OPTIONS_END };

static const struct qn_option of_marks[] = {
    OPTION("--case-seed", "N", "marks: draw the inputs from N [from the key, or drawn]", qn_option_number, seed),
    OPTION("--json", NULL, "marks: as JSON, not CSV", qn_option_set, json),
    OPTION("-o", "FILE", "marks: a CSV table [standard output]; gradescope: the zip file [autograder.zip]; export: a folder", qn_option_text, output),
    OPTION("--earlier", "DIR", "marks, export: compare with the folders of another year, too", qn_option_text, earlier),
    QN_OPTION_OF(qn_exp_on_names, "--on", "here|parallel|slurm", "marks: who makes the checks: this process, GNU parallel, or Slurm as an array of "
                 "jobs, both with -o; the folder has to be the same on all nodes [here]", qn_option_word, struct qn_lab_request, on),
    QN_OPTION("--cancel", "yes|no", "marks: when interrupted, cancel Slurm's jobs [no: they go on, and the same command takes their checks]", qn_option_yesno,
              struct qn_lab_request, cancel),
    QN_OPTION_PLAIN("--on-opt", "OPTION", "marks: for parallel or sbatch, as --sshlogin=a,b or --partition=p; may be repeated", take_on_option),
    QN_OPTIONS_END };

static const struct qn_option_rule marks_rules[] = {
    { "--on-opt", false, "--on=parallel or --on=slurm", NULL }, { NULL, false, NULL, NULL } };

const struct qn_options qn_lab_start_options = { "lab", "quern: lab", help, NULL, NULL, of_all, false, NULL },
                        qn_lab_check_options = { "lab", "quern: lab", help, NULL, of_check, of_all, false, NULL },
                        qn_lab_marks_options = { "lab", "quern: lab", help, NULL, of_marks, of_all, false, marks_rules },
                        qn_lab_box_options = { "lab", "quern: lab", help, NULL, NULL, of_all, true, NULL };

const struct qn_lab *qn_lab_named(const char *number)
{
    char *end;
    unsigned long n = strtoul(number, &end, 10);
    const struct qn_lab *lab = *end || end == number || n > 99 ? NULL : qn_lab_find((unsigned)n);

    if (!lab)
        qn_text_complain("quern: lab: got '%s', wanted the number of a lab; `quern lab list` shows them", number);
    return lab;
}

static int list(void)
{
    for (unsigned i = 0; i < qn_labs_count; i++) {
        const struct qn_lab *lab = qn_labs[i];

        printf("%2u  %-46s %3u points; hand in", lab->number, lab->title, qn_lab_points(lab));
        for (const char *const *file = lab->files; *file; file++)
            printf(" %s", *file);
        putchar('\n');
    }
    return 0;
}

int qn_tool_lab(int argc, char **argv)
{
    const char *what = argc > 1 ? argv[1] : "";
    struct qn_lab_request none;
    char **words;
    int status;

    if (!strcmp(what, "start"))
        return qn_lab_tool_start(argv + 1);
    if (!strcmp(what, "check"))
        return qn_lab_tool_check(argv + 1);
    if (!strcmp(what, "box"))
        return qn_lab_tool_box(argv + 1);
    if (!strcmp(what, "marks"))
        return qn_lab_tool_marks(argv + 1);
    if (!strcmp(what, "gradescope"))
        return qn_lab_tool_gradescope(argv + 1);
    if (!strcmp(what, "export"))
        return qn_lab_tool_export(argv + 1);
    status = qn_options_take(&qn_lab_check_options, &none, argv, &words);
    if (status >= 0)
        return status;
    if (!words[0] || strcmp(words[0], "list"))
        return qn_options_wrong(&qn_lab_check_options, words[0] ? words[0] : "", "wanted list, start, check, box, marks, gradescope or export");
    return words[1] ? qn_options_wrong(&qn_lab_check_options, words[1], "list takes none") : list();
}

/* ---- where the labs are: ../share/quern beside an installed quern, the source tree of one that was built ---- */

#ifndef QN_TOP_SRCDIR /* the makefile has both; linters do not ask it */
#define QN_TOP_SRCDIR "."
#endif
#ifndef QN_PKGDATADIR
#define QN_PKGDATADIR "."
#endif

/* The first of these folders that holds `probe`; in `found`. */
static const char *first_with(const char *const *folders, const char *probe, char found[PATH_MAX])
{
    char path[PATH_MAX];

    for (; *folders; folders++) {
        snprintf(path, sizeof path, "%s/%s", *folders, probe);
        if (access(path, R_OK) == 0 && realpath(*folders, found))
            return found;
    }
    return NULL;
}

bool qn_lab_find_place(struct qn_lab_place *place)
{
    static char labs[PATH_MAX], header[PATH_MAX];
    char shared[PATH_MAX + 32], beside[PATH_MAX + 32], include[PATH_MAX + 32];
    const char *const lab_folders[] = { shared, beside, QN_TOP_SRCDIR "/labs", QN_PKGDATADIR "/labs", NULL };
    const char *const header_folders[] = { include, QN_TOP_SRCDIR "/include", NULL };
    const char *own = qn_engines_own_path("lab"), *folder = qn_engines_own_folder();

    if (!own)
        return false;
    snprintf(shared, sizeof shared, "%s/../share/quern/labs", folder);
    snprintf(beside, sizeof beside, "%s/../labs", folder);
    snprintf(include, sizeof include, "%s/../include", folder);
    place->quern = own;
    place->library = qn_engines_library("lab");
    place->labs = first_with(lab_folders, "README.md", labs);
    place->header = first_with(header_folders, "quern.h", header);
    if (!place->library)
        return false;
    if (!place->labs || !place->header)
        qn_text_complain("quern: lab: the labs are not in %s", shared);
    return place->labs && place->header;
}

/* ---- `quern lab check NN DIR`: the command line of the check; lib/lab does it ---- */

#define CASE_SEEDS 1000000000ull /* nine digits can be written down */

/* A folder that `start` made says of which lab it is. */
static bool is_that_lab(const struct qn_lab_request *r, unsigned started)
{
    if (!started || started == r->lab->number)
        return true;
    qn_text_complain("quern: lab: %s: was started as lab %u, got %u", r->directory, started, r->lab->number);
    return false;
}

static bool has_tests(const struct qn_lab_request *r)
{
    for (unsigned i = 0; i < r->lab->n_tests; i++)
        if (!r->only || strstr(r->lab->tests[i].name, r->only))
            return true;
    qn_text_complain("quern: lab: --only: no test of lab %u has '%s' in its name", r->lab->number, r->only);
    return false;
}

/* The exit status, or -1: go on. */
static int parse(struct qn_lab_request *r, char **argv)
{
    struct qn_lab_folder folder;
    char **words;
    int status = qn_options_take(&qn_lab_check_options, r, argv, &words);
    bool started;

    if (status >= 0)
        return status;
    if (!words[0] || !words[1] || words[2])
        return qn_options_wrong(&qn_lab_check_options, "check", "wanted the number of a lab and a folder");
    r->lab = qn_lab_named(words[0]);
    r->directory = words[1];
    started = qn_lab_read_folder(r->directory, &folder);
    if (!r->lab || !is_that_lab(r, folder.lab) || !has_tests(r))
        return QN_EXIT_USAGE;
    if (!qn_lab_take_variant(r))
        return QN_EXIT_USAGE;
    if (!r->knows_student && started) {
        r->knows_student = true;
        r->student = folder.seed;
    }
    if (!r->has_variant && folder.has_variant) {
        r->has_variant = r->practises = true;
        r->variant = folder.variant;
    }
    return -1;
}

int qn_lab_tool_check(char **argv)
{
    struct qn_lab_request request = { .lab = NULL };
    struct qn_text_error err = { .status = QN_TEXT_OK };
    struct qn_lab_place place;
    int status;

    if (getrandom(&request.seed, sizeof request.seed, 0) != sizeof request.seed)
        return fputs("quern: lab: no random numbers\n", stderr), QN_LAB_BROKEN;
    request.seed %= CASE_SEEDS;
    status = parse(&request, argv);
    if (status >= 0)
        return status;
    if (request.gradescope && qn_text_check_output(request.gradescope, &err) != QN_TEXT_OK)
        return qn_text_complain("quern: lab: %s", err.text), QN_LAB_BROKEN;
    return qn_lab_find_place(&place) ? qn_lab_check(&request, &place) : QN_LAB_BROKEN;
}
