/* tools/lab_check.c - `quern lab check NN DIR`: the command line of the check; lib/lab does it. */
#include <stdio.h>
#include <sys/random.h>

#include "lab.h"
#include "text/output.h"
#include "tools.h"

#define CASE_SEEDS 1000000000ull /* nine digits can be written down */

/* -1: go on, else the exit status. */
static int parse(struct qn_lab_request *r, char **argv)
{
    char **words;
    int status = qn_options_take(&qn_lab_check_options, r, argv, &words);

    if (status >= 0)
        return status;
    if (!words[0] || !words[1] || words[2])
        return qn_options_wrong(&qn_lab_check_options, "check", "wanted the number of a lab and a folder");
    r->lab = qn_lab_named(words[0]);
    r->directory = words[1];
    if (!r->knows_student)
        r->knows_student = qn_lab_read_student(r->directory, &r->student);
    return r->lab ? -1 : QN_EXIT_USAGE;
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
        return qn_tool_complain("quern: lab: %s", err.text), QN_LAB_BROKEN;
    return qn_lab_find_place(&place) ? qn_lab_check(&request, &place) : QN_LAB_BROKEN;
}
