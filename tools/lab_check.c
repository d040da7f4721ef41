/* tools/lab_check.c - `quern lab check NN DIR`: the command line of the check; lib/lab does it. */
#include <stdio.h>
#include <sys/random.h>

#include "lab.h"
#include "prof/output.h"
#include "tools.h"

#define CASE_SEEDS 1000000000ull /* nine digits can be written down */

/* 1: taken; 0: not an option of check; -1: a line was printed. */
static int parse_option(struct qn_lab_request *r, char **argv, int *at)
{
    const char *value;

    if ((value = qn_lab_option(argv, at, "--gradescope"))) {
        r->gradescope = value;
    } else if ((value = qn_lab_option(argv, at, "--only"))) {
        r->only = value;
    } else if ((value = qn_lab_option(argv, at, "--case-seed"))) {
        return qn_lab_number("--case-seed", value, &r->seed) ? 1 : -1;
    } else if ((value = qn_lab_option(argv, at, "--seed"))) {
        r->knows_student = true;
        return qn_lab_number("--seed", value, &r->student) ? 1 : -1;
    } else {
        return 0;
    }
    return 1;
}

static int parse(struct qn_lab_request *r, int argc, char **argv)
{
    const char *words[2];
    int n = 0;

    for (int i = 1; i < argc; i++) {
        int taken = parse_option(r, argv, &i);

        if (taken < 0)
            return QN_EXIT_USAGE;
        if (!taken && (*argv[i] == '-' || n == 2))
            return qn_lab_usage_error("what is ", argv[i]);
        if (!taken)
            words[n++] = argv[i];
    }
    if (n < 2)
        return qn_lab_usage_error("check: wanted the number of a lab and a folder", "");
    r->lab = qn_lab_named(words[0]);
    r->directory = words[1];
    if (!r->knows_student)
        r->knows_student = qn_lab_read_student(r->directory, &r->student);
    return r->lab ? 0 : QN_EXIT_USAGE;
}

int qn_lab_tool_check(int argc, char **argv)
{
    struct qn_lab_request request = { .lab = NULL };
    struct qn_prof_error err = { .status = QN_PROF_OK };
    struct qn_lab_place place;
    int status;

    if (getrandom(&request.seed, sizeof request.seed, 0) != sizeof request.seed)
        return fputs("quern: lab: no random numbers\n", stderr), QN_LAB_BROKEN;
    request.seed %= CASE_SEEDS;
    status = parse(&request, argc, argv);
    if (status)
        return status;
    if (request.gradescope && qn_prof_check_output(request.gradescope, &err) != QN_PROF_OK)
        return qn_tool_complain("quern: lab: %s", err.text), QN_LAB_BROKEN;
    return qn_lab_find_place(&place) ? qn_lab_check(&request, &place) : QN_LAB_BROKEN;
}
