/* tools/lab.c - `quern lab`: lists the labs, gives a student what a lab begins with, and checks what is handed in.
 *
 *   quern lab list
 *   quern lab start 1 DIR
 *   quern lab check 1 DIR          exit status 0 for full marks
 *   quern lab box DIR ./probe      a program asks the student's own black box
 *
 * The checks are lib/lab; this is the command line.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lab.h"
#include "tools.h"

static const char help[] =
    "usage: quern lab list\n"
    "       quern lab start [--seed=N] NN DIR\n"
    "       quern lab check [OPTIONS] NN DIR\n"
    "       quern lab box [--seed=N] DIR PROGRAM [ARGUMENTS]\n\n"
    "list shows the labs.  start makes DIR, with the handout and what the work begins with.  check runs the tests on\n"
    "what is in DIR, in a sandbox, and prints TAP; its exit status is 0 for full marks, 1 for less, 2 for a wrong\n"
    "command, 3 if the check itself cannot be made.  box runs PROGRAM, which asks the black box of DIR (lab 6) on its\n"
    "standard output, and prints what it finds.\n\n"
    "  --seed=N             which black box is this student's (lab 6) [start: drawn; check, box: that of start]\n"
    "  --gradescope=FILE    check: also write FILE (results.json) for Gradescope\n"
    "  --case-seed=N        check: draw the inputs from N, to have the same again [drawn]\n"
    "  --only=TEXT          check: only tests whose name has TEXT; never full marks unless that is all\n"
    "  -h, --help           show this text\n"
    "  --version            show the version\n";

int qn_lab_usage_error(const char *what, const char *argument)
{
    qn_tool_complain("quern: lab: %s%s; `quern lab --help` tells how", what, argument);
    return QN_EXIT_USAGE;
}

const struct qn_lab *qn_lab_named(const char *number)
{
    char *end;
    unsigned long n = strtoul(number, &end, 10);
    const struct qn_lab *lab = *end || end == number || n > 99 ? NULL : qn_lab_find((unsigned)n);

    if (!lab)
        qn_tool_complain("quern: lab: got '%s', wanted the number of a lab; `quern lab list` shows them", number);
    return lab;
}

bool qn_lab_number(const char *option, const char *text, uint64_t *value)
{
    char *end;

    *value = strtoull(text, &end, 10);
    if (*text >= '0' && *text <= '9' && !*end)
        return true;
    qn_tool_complain("quern: lab: %s: got '%s', wanted a number", option, text);
    return false;
}

const char *qn_lab_option(char **argv, int *at, const char *name)
{
    size_t n = strlen(name);

    if (strncmp(argv[*at], name, n))
        return NULL;
    if (argv[*at][n] == '=')
        return argv[*at] + n + 1;
    return argv[*at][n] == 0 && argv[*at + 1] ? argv[++*at] : NULL;
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

    for (int i = 1; i < argc && (i < 2 || strcmp(what, "box")); i++) {
        if (!strcmp(argv[i], "-h") || !strcmp(argv[i], "--help"))
            return fputs(help, stdout) < 0;
        if (!strcmp(argv[i], "--version"))
            return puts("quern " QN_VERSION) < 0;
    }
    if (!strcmp(what, "list"))
        return argc == 2 ? list() : qn_lab_usage_error("list takes no ", argv[2]);
    if (!strcmp(what, "start"))
        return qn_lab_tool_start(argc - 1, argv + 1);
    if (!strcmp(what, "check"))
        return qn_lab_tool_check(argc - 1, argv + 1);
    if (!strcmp(what, "box"))
        return qn_lab_tool_box(argc - 1, argv + 1);
    return qn_lab_usage_error(*what ? "what is " : "list, start, check or box?", what);
}
