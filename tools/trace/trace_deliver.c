/* tools/trace/trace_deliver.c - see trace_deliver.h. */
#include "trace_deliver.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "text/error.h"

/* Keeps what could be written: a complete trace, or parts from which --recover makes one. */
static void deliver_short(const struct qn_trace_counts *c, const char *why, struct qn_text_output *o)
{
    struct qn_text_error err = { .status = QN_TEXT_OK };
    char *name = strdup(o->path), *left = NULL;

    if (c->whole)
        qn_text_close_output(o, &err);
    else if (c->instructions)
        left = qn_text_leave_output(o);
    else
        qn_text_drop_output(o);
    if (err.status != QN_TEXT_OK)
        qn_text_complain("quern: trace: %s", err.text);
    else if (c->whole)
        qn_text_complain("quern: trace: %s: cannot write: %s; it is whole up to instruction %" PRIu64, name ? name : "", why, c->instructions);
    else if (left)
        qn_text_complain("quern: trace: %s: cannot write: %s; what there is up to instruction %" PRIu64 " is left in %s, which --recover makes whole",
                         name ? name : "", why, c->instructions, left);
    else
        qn_text_complain("quern: trace: %s: cannot write: %s; nothing of it is kept", name ? name : "", why);
    free(left);
    free(name);
}

int trace_deliver_blocks(struct qn_trace_writer *w, bool begun, struct qn_text_output *o, int status)
{
    struct qn_text_error err = { .status = QN_TEXT_OK };
    struct qn_trace_counts counts;
    bool good = qn_trace_close_writer(w, &counts);
    const char *why = strerror(errno);

    if (good && begun) {
        if (qn_text_close_output(o, &err) == QN_TEXT_OK)
            return status;
        qn_text_complain("quern: trace: %s: not written", err.text);
    } else if (begun && !counts.bug) {
        deliver_short(&counts, why, o);
    } else {
        if (begun)
            qn_text_complain("quern: trace: a bug, please report it: %s", counts.bug);
        qn_text_drop_output(o);
        return begun ? 1 : status;
    }
    return status ? status : 1;
}
