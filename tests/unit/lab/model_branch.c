/* Do the graders' predictors mispredict nested loops as often as follows by counting? */
#include "lab/models/models.h"

#include "tap.h"

#define OUTER 10000
#define INNER_MAX 16

static struct qn_lab_variant standard;

/* Inner loops of k rounds; without lib/lab/trace.c, which belongs to a check. */
static unsigned long nested(enum qn_lab_predictor model, unsigned k)
{
    static struct qn_lab_branch branches[OUTER * (INNER_MAX + 1)];
    struct qn_lab_branches t = { .at = branches };

    for (unsigned i = 0; i < OUTER; i++) {
        for (unsigned j = 0; j < k; j++)
            branches[t.n++] = (struct qn_lab_branch){ 0x401010, j + 1 < k };
        branches[t.n++] = (struct qn_lab_branch){ 0x401020, i + 1 < OUTER };
    }
    return qn_lab_mispredicts(&t, model, QN_LAB_PREDICTOR_BITS_MAX, &standard, NULL);
}

int main(void)
{
    static const struct qn_lab_branch once[] = { { 0x401000, true }, { 0x401000, true }, { 0x401000, false } };
    struct qn_lab_branches t = { .at = (struct qn_lab_branch *)once, .n = 3 };
    unsigned char wrong[3];

    standard = qn_lab_standard();
    is_int((long long)qn_lab_mispredicts(&t, QN_LAB_ONE_BIT, 4, &standard, wrong), 2, "one bit: taken, taken, not");
    is_mem(wrong, "\1\0\1", 3, "wrong at the first and the last");
    is_int((long long)qn_lab_mispredicts(&t, QN_LAB_TWO_BIT, 4, &standard, wrong), 3, "two bits from 0: wrong twice, then taken");
    is_int((long long)nested(QN_LAB_ONE_BIT, 10), 20002, "one bit, an inner loop of 10");
    is_int((long long)nested(QN_LAB_ONE_BIT, 3), 20002, "and of 3");
    is_int((long long)nested(QN_LAB_TWO_BIT, 10), 10005, "two bits, an inner loop of 10");
    is_int((long long)nested(QN_LAB_TWO_BIT, 4), 10005, "and of 4");
    ok(nested(QN_LAB_GSHARE, 12) < 200, "twelve bits of history learn an inner loop of 12");
    ok(nested(QN_LAB_GSHARE, 13) > 9000, "but not of 13");
    return done_testing();
}
