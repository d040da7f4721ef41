/* tools/lab/demo.c - `quern demo NAME`: a demonstration for a lecture, of one command: a question to the class, what quern counts, the answer.
 *
 * Each is a file labs/demos/NAME.sh:
 *
 *   # Belady's anomaly: more room, more misses             what `quern demo` lists
 *   # ask: First in, first out. ...                        said before; on a terminal it waits for the Enter key then
 *   # tell: Three places miss 9 times, ...                 said at the end
 *   quern replay --sim=D1=fifo ...                         shown and run, one line after the other, in a folder with the files of labs/demos
 */
#define _GNU_SOURCE

#include <errno.h>
#include <glob.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../tools.h"
#include "base/grow.h"
#include "engines/engines.h"
#include "lab_tool.h"
#include "text/error.h"
#include "text/output.h"

#define LINE_MAX_BYTES 1024
#define COLUMNS 78

struct settings {
    const char *keep; /* the folder that stays; NULL: none */
};

static const char help[] = "usage: quern demo [--keep=DIR] [NAME]\n\n"
                           "Runs a demonstration for a lecture: asks a question, runs quern, and tells the answer. Without NAME: lists\n"
                           "them.\n"
                           "Needs a C compiler, cc. On a terminal it waits for the Enter key behind the question.\n\n";

static const struct qn_option own[] = {
    QN_OPTION("--keep", "DIR", "make DIR, run there, and leave the programs and profiles [a folder that is removed]", qn_option_text, struct settings, keep),
    QN_OPTION_HELP, QN_OPTION_VERSION, QN_OPTIONS_END };
static const struct qn_options options = { "demo", "quern demo", help, NULL, own, NULL, false, NULL };

static bool complain(const char *path) { return qn_text_complain("quern demo: %s: %s", path, strerror(errno)), false; }

/* "# ask: TEXT" -> TEXT; NULL: the line is something else. */
static const char *said(const char *line, const char *what)
{
    size_t n = strlen(what);

    return strncmp(line, what, n) ? NULL : line + n;
}

/* Filled lines. */
static void print_text(const char *text)
{
    size_t column = 0;

    for (size_t n; *text; text += n) {
        text += strspn(text, " \n");
        n = strcspn(text, " \n");
        if (column && column + 1 + n > COLUMNS)
            column = 0, putchar('\n');
        printf("%s%.*s", column ? " " : "", (int)n, text);
        column += n + (column > 0);
    }
    putchar('\n');
}

static void list(const struct qn_lab_place *place)
{
    char pattern[PATH_MAX], line[LINE_MAX_BYTES];
    glob_t found = { 0 };

    snprintf(pattern, sizeof pattern, "%s/demos/*.sh", place->labs);
    glob(pattern, 0, NULL, &found);
    for (size_t i = 0; i < found.gl_pathc; i++) {
        const char *name = strrchr(found.gl_pathv[i], '/') + 1;
        FILE *f = fopen(found.gl_pathv[i], "re");

        if (f && fgets(line, sizeof line, f) && said(line, "# "))
            printf("%-10.*s %s", (int)strcspn(name, "."), name, said(line, "# "));
        if (f)
            fclose(f);
    }
    globfree(&found);
}

/* The sources and traces of the demonstrations into the folder in which one runs. */
static bool link_files(const struct qn_lab_place *place)
{
    static const char *const patterns[] = { "demos/*.c", "03-policies/starter/belady.xdin" };
    char pattern[PATH_MAX];
    glob_t found = { 0 };
    bool good = true;

    for (size_t i = 0; i < sizeof patterns / sizeof *patterns; i++) {
        snprintf(pattern, sizeof pattern, "%s/%s", place->labs, patterns[i]);
        glob(pattern, i ? GLOB_APPEND : 0, NULL, &found);
    }
    for (size_t i = 0; good && i < found.gl_pathc; i++)
        good = symlink(found.gl_pathv[i], strrchr(found.gl_pathv[i], '/') + 1) == 0 || errno == EEXIST || complain(found.gl_pathv[i]);
    globfree(&found);
    return good;
}

static void wait_for_key(void)
{
    int c;

    if (!isatty(0) || !isatty(1))
        return;
    printf("(Enter)");
    fflush(stdout);
    while ((c = getchar()) != '\n' && c != EOF)
        ;
}

/* In the folder in which it runs. */
static bool play(FILE *f)
{
    char line[LINE_MAX_BYTES], answer[LINE_MAX_BYTES] = "";
    const char *text;

    while (fgets(line, sizeof line, f)) {
        line[strcspn(line, "\n")] = 0;
        if ((text = said(line, "# ask: "))) {
            printf("\n");
            print_text(text);
            wait_for_key();
            printf("\n");
        } else if ((text = said(line, "# tell: "))) {
            snprintf(answer, sizeof answer, "%s", text);
        } else if ((text = said(line, "# "))) {
            puts(text);
        } else {
            printf("$ %s\n", line);
            fflush(stdout);
            if (system(line)) /* NOLINT(cert-env33-c): a line of an installed file */
                return qn_text_complain("quern demo: this command failed: %s", line), false;
        }
    }
    printf("\n");
    print_text(answer);
    return true;
}

/* quern is the command of that name, as in the student's shell, whatever PATH was. */
static void put_own_folder_first(void)
{
    const char *path = getenv("PATH");
    char *longer;

    if (asprintf(&longer, "%s:%s", qn_engines_own_folder(), path ? path : "/usr/bin:/bin") < 0)
        qn_no_memory();
    setenv("PATH", longer, 1);
    free(longer);
}

static int run(const struct qn_lab_place *place, const char *name, const char *keep)
{
    const char *tmp = getenv("TMPDIR");
    char path[PATH_MAX], folder[PATH_MAX];
    bool good;
    FILE *f;

    snprintf(path, sizeof path, "%s/demos/%s.sh", place->labs, name);
    f = strchr(name, '/') ? NULL : fopen(path, "re");
    if (!f)
        return qn_text_complain("quern demo: %s: no such demonstration; `quern demo` lists them", name), QN_EXIT_USAGE;
    put_own_folder_first();
    snprintf(folder, sizeof folder, "%s/quern-demo.XXXXXX", tmp && *tmp ? tmp : "/tmp");
    if (keep)
        good = snprintf(folder, sizeof folder, "%s", keep) < PATH_MAX && (mkdir(folder, 0777) == 0 || errno == EEXIST || complain(folder));
    else
        good = qn_text_make_scratch(folder) || complain(folder);
    good = good && (chdir(folder) == 0 || complain(folder)) && link_files(place) && play(f);
    fclose(f);
    if (!keep)
        qn_text_remove_scratch(folder);
    return good ? 0 : 1;
}

int qn_tool_demo(int argc, char **argv)
{
    struct settings s = { NULL };
    struct qn_lab_place place;
    char **words;
    int status = qn_options_take(&options, &s, argv, &words);

    (void)argc;
    if (status >= 0)
        return status;
    if (words[0] && words[1])
        return qn_options_wrong(&options, words[1], "wanted one name");
    if (!qn_lab_find_place(&place))
        return 1;
    if (words[0])
        return run(&place, words[0], s.keep);
    list(&place);
    return 0;
}
