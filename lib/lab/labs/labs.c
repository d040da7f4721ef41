/* lib/lab/labs/labs.c - the list of labs.  To add one: labs/NN-name, a file here with its tests, a line below. */
#include "lab/lab.h"

extern const struct qn_lab qn_lab_01, qn_lab_02, qn_lab_03, qn_lab_04, qn_lab_05, qn_lab_06, qn_lab_07, qn_lab_08;

const struct qn_lab *const qn_labs[] = { &qn_lab_01, &qn_lab_02, &qn_lab_03, &qn_lab_04,
                                         &qn_lab_05, &qn_lab_06, &qn_lab_07, &qn_lab_08 };
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
