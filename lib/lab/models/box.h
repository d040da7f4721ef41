/* lib/lab/models/box.h - the black box of lab 6: a cache and a predictor whose parameters a program infers from hits and misses.
 *
 *   program: r 1f40        box: m         a read of the byte at 1f40 missed (h: hit)
 *   program: b 400a T      box: w         a branch at 400a that was taken had been predicted wrongly (c: correctly)
 *   program: reset         box: .         cache and predictor are empty again
 *   program: answer size=16384 ways=4 line=64 policy=lru history=7         the end
 *
 * One line each; the answer to any other line is "?".
 */
#ifndef QN_LAB_BOX_H
#define QN_LAB_BOX_H

#include "base/base.h"

#define QN_LAB_BOX_POLICY_MAX 15
#define QN_LAB_BOX_QUESTIONS_MAX 300000 /* more end the conversation */

struct qn_lab_box_shape {
    unsigned size, ways, line; /* bytes, lines per set, bytes */
    unsigned history;          /* outcomes in the predictor's history register */
    char policy[QN_LAB_BOX_POLICY_MAX + 1]; /* lru, fifo, plru or nru */
};

/* The machine of a seed. */
struct qn_lab_box_shape qn_lab_draw_box(uint64_t seed);

struct qn_lab_box;

struct qn_lab_box *qn_lab_new_box(const struct qn_lab_box_shape *shape);
void qn_lab_free_box(struct qn_lab_box *box);

/* A qn_lab_talk (sandbox.h); data is the box. */
bool qn_lab_box_talk(void *data, const char *said, size_t size, char **reply, size_t *reply_size);

/* The answer that ended the conversation; false: there was none. */
bool qn_lab_box_answer(const struct qn_lab_box *box, struct qn_lab_box_shape *answer);
unsigned long qn_lab_box_questions(const struct qn_lab_box *box);
/* The first line that was answered by "?"; NULL: none. */
const char *qn_lab_box_nonsense(const struct qn_lab_box *box);

#endif
