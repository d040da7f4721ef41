/* bpred/loops.h - a loop predictor as the TAGE-SC-L predictors have it: how often a branch goes one way before it goes the other.
 *
 *   T T T N  T T T N  T T T N  T T T ?     4 iterations three times over, so it is sure: N
 *
 * 16 entries, direct-mapped: a tag of 10 bits, iterations of the last time and of this one, confidence, age, direction.  A branch that the others
 * predict wrong gets an entry, if the one there has aged; its way is the one that the mispredict was not.  An entry that was sure, and wrong, is
 * freed; one whose loop runs longer or shorter than the last time learns anew. */
#include "sim/bpred/table.h"

enum { LOOPS = 16, LOOP_BITS = 4, LOOP_TAG_BITS = 10, LOOP_STORAGE = LOOPS * (LOOP_TAG_BITS + 10 + 10 + 2 + 3 + 1), ITERATIONS_MAX = 1023, SURE = 3, YOUNG = 7 };

static struct loop {
    uint16_t tag, last, now; /* tag 0: free; iterations; last 0: not known */
    uint8_t sure, age, way;
} loops[LOOPS];

static inline uint16_t loop_tag(uint64_t pc) { return (uint16_t)((pc >> LOOP_BITS & low_bits(LOOP_TAG_BITS)) + 1); }

/* The entry of the branch; NULL: it has none. */
static inline struct loop *loop_of(uint64_t pc)
{
    struct loop *l = &loops[pc & low_bits(LOOP_BITS)];

    return l->tag == loop_tag(pc) ? l : NULL;
}

static inline bool loop_is_sure(const struct loop *l) { return l && l->sure == SURE; }
static inline unsigned loop_says(const struct loop *l) { return l->now + 1 == l->last ? !l->way : l->way; }

/* others_wrong: what predicts without loops was wrong. */
static void loop_train(uint64_t pc, unsigned taken, bool others_wrong)
{
    struct loop *l = &loops[pc & low_bits(LOOP_BITS)];

    if (l->tag != loop_tag(pc)) {
        if (others_wrong && l->age == 0)
            *l = (struct loop){loop_tag(pc), 0, 0, 0, YOUNG, (uint8_t)!taken};
        else if (others_wrong)
            l->age--;
        return;
    }
    if (loop_is_sure(l) && loop_says(l) != taken) {
        *l = (struct loop){.tag = 0};
        return;
    }
    l->now++;
    if (taken != l->way) { /* the loop has ended */
        l->sure = l->now == l->last ? l->sure + (l->sure < SURE) : 0;
        l->last = l->now == l->last || !l->last ? l->now : 0;
        l->now = 0;
    } else if (l->now == ITERATIONS_MAX || (l->last && l->now >= l->last)) {
        l->last = l->sure = 0;
        l->now = l->now == ITERATIONS_MAX ? 0 : l->now;
    }
}
