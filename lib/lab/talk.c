/* lib/lab/talk.c - see talk.h. */
#include "lab/talk.h"

#include "lab/check.h"
#include "lab/sandbox/sandbox.h"

static bool talk(void *data, const char *said, size_t size, char **reply, size_t *reply_size)
{
    struct qn_lab_dialogue *d = data;

    qn_lab_add_text(&d->heard, said, size);
    while (d->take(d))
        ;
    *reply = d->said.bytes;
    *reply_size = d->said.size;
    d->said = (struct qn_lab_text){ NULL, 0, 0, 0 };
    return d->waits_for != QN_LAB_OVER;
}

bool qn_lab_hold_dialogue(struct qn_lab_check *c, const char *program, struct qn_lab_dialogue *d, bool may_split)
{
    const char *argv[] = { program, NULL };
    struct qn_lab_job job = { .argv = argv, .talk = talk, .talk_data = d, .limits = qn_lab_limits_program };
    bool good;

    job.limits.may_split = may_split;
    good = qn_lab_run_program(c, &job);
    free(d->heard.bytes);
    free(d->said.bytes);
    qn_lab_free_job(&job);
    return good;
}
