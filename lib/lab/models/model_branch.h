/* lib/lab/models/model_branch.h - reference models of the predictors of lab 5. */
#ifndef QN_LAB_MODEL_BRANCH_H
#define QN_LAB_MODEL_BRANCH_H

#include "lab/trace.h"
#include "lab/variant.h"

#define QN_LAB_PREDICTOR_BITS_MAX 12

/* Tables of 2^bits entries: the last outcome, a two-bit counter, the same at address xor the last `bits` outcomes. */
enum qn_lab_predictor { QN_LAB_ONE_BIT, QN_LAB_TWO_BIT, QN_LAB_GSHARE };

/* How many branches are mispredicted, with the rules of a variant (qn_lab_standard(): with those of the handout); wrong[i], if not NULL:
 * is branch i? */
unsigned long qn_lab_mispredicts(const struct qn_lab_branches *t, enum qn_lab_predictor model, unsigned bits,
                                 const struct qn_lab_variant *rules, unsigned char *wrong);

#endif
