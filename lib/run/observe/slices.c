/* lib/run/observe/slices.c - the list of slices (observe.h): the only file of the engine that knows all features by name. */
#include "run/observe/calls/calls.h"
#include "run/observe/data/data.h"
#include "run/run.h"

const struct qn_slice *qn_slices[8]; /* one more than there are */

/* In the order in which they are told. */
void qn_slices_choose(const struct qn_config *c)
{
    const struct {
        bool wanted;
        const struct qn_slice *slice;
    } all[] = {{c->toggle || c->triggers, &qn_toggle_slice}, {c->explain, &qn_explain_slice}, {c->observes, &qn_sample_slice}, {c->interval, &qn_interval_slice},
               {c->quantum, &qn_turns_slice}, {c->data, &qn_data_slice}, {c->calls, &qn_calls_slice}};
    unsigned n = 0;

    _Static_assert(sizeof all / sizeof all[0] < sizeof qn_slices / sizeof qn_slices[0], "NULL is the last");
    for (unsigned i = 0; i < sizeof all / sizeof all[0]; i++)
        if (all[i].wanted)
            qn_slices[n++] = all[i].slice;
}

bool qn_slices_begin(uint64_t pc) { return QN_ASK(begins, pc); }

unsigned qn_slices_scope(void)
{
    unsigned counts = qn_region_scope(), other = QN_ASK(scope, counts);

    return other ? other : counts;
}
