/* tools/lab/lab_check.c - `quern lab check NN DIR`: the command line of the check; lib/lab does it. */
#include <stdio.h>
#include <string.h>
#include <sys/random.h>

#include "../tools.h"
#include "lab_tool.h"
#include "text/output.h"

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
