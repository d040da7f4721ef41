/* lib/emit/why.c - run --trace=emit: the reason why a reference or branch has no short form.
 *
 *   40101a: D r 4: each reference is a call: the module in slot D1 says of no line that its hits change nothing
 *   401020: Bc: written down: a module is in slot BC
 *
 * The short forms are: the hit filter for data (check.c) with its stub (lru_stub.c), the hit filter for code (fetch.c) with its stub
 * (line_stub.c), and the default predictors in assembly (predict.c, indirect.c).
 */
#include "emit/internal.h"

#include "base/format.h"

static const char *why_no_filter(const struct qn_event *ev)
{
    const struct qn_filter *f = &qn_sim_d1_filter;
    bool writes = ev->write || (ev->mem.access & QN_ACC_WRITE);

    if (qn_sim_log_all)
        return "written down: the module in slot D1 wants to see each reference";
    if (emit_rules.batch || emit_rules.log_all)
        return "written down: so many references miss that a jump on each could not be predicted";
    if (emit_rules.sees)
        return "each reference is a call: --explain looks at it";
    if (!emit_rules.filter)
        return "each reference is a call: --no-filter";
    if (qn_sim_analyses)
        return "each reference is a call: an analysis module sees it";
    if (!f->entries)
        return "each reference is a call: the module in slot D1 says of no line that its hits change nothing";
    if (!ev->size || ev->size > f->line)
        return "a call: it is larger than a line";
    return f->writes_call && writes ? "a call: to the module in slot D1 no write changes nothing" : NULL;
}

static const char *why_no_data_stub(const struct qn_event *ev)
{
    if (!qn_fast.D1.sets && !qn_sim_log.many)
        return "behind the filter; what does not pass is a call: slot D1 does not hold the default file as it was proven";
    if (qn_sim_uses)
        return "behind the filter; what does not pass is a call: --data=use looks at it";
    if ((ev->size & (ev->size - 1)) || ev->size > QN_SITE_SIZE_MAX)
        return "behind the filter; what does not pass is a call: the size is no power of two";
    return NULL;
}

static const char *why_no_fetch(void)
{
    if (!emit_rules.filter)
        return "each fetch is a call: --no-filter";
    if (qn_sim_i1_hit == QN_HIT_CALL)
        return qn_sim_analyses ? "each fetch is a call: an analysis module sees it" : "each fetch is a call: so the module in slot I1 wants it";
    return qn_fast.I1.ways ? NULL : "behind the filter; a miss is a call: slot I1 does not hold the default file as it was proven";
}

static const char *why_no_prediction(const struct qn_event *ev)
{
    if (ev->kind == QN_EV_INDIRECT)
        return qn_fast.BI.targets ? NULL : "a call: slot BI does not hold the default file as it was proven";
    if (qn_fast.BC.counters)
        return emit_rules.caches && !ev->fixed ? NULL : "a call: there are no registers to do it in";
    return qn_sim_branches.next ? "written down: slot BC does not hold the default file as it was proven"
                                : "a call: slot BC does not hold the default file as it was proven";
}

static const char *why(const struct qn_event *ev)
{
    const char *text;

    switch (ev->kind) {
    case QN_EV_FETCH: return ev->repeat ? NULL : why_no_fetch();
    case QN_EV_DATA: return (text = why_no_filter(ev)) ? text : why_no_data_stub(ev);
    case QN_EV_STRING: return "worked out in C behind the instruction: it repeats itself";
    case QN_EV_COMPLEX: return "worked out in C before the instruction: what it references depends on more than an address";
    case QN_EV_COND:
    case QN_EV_INDIRECT: return why_no_prediction(ev);
    default: return NULL;
    }
}

void qn_emit_why(const struct qn_block *b, const struct qn_event_list *list, void (*out)(const char *line))
{
    char line[240];

    for (unsigned n = 0; n < list->n; n++) {
        const struct qn_event *ev = &list->ev[n];
        const char *text = why(ev);

        if (!text)
            continue;
        if (ev->kind == QN_EV_DATA)
            qn_format(line, sizeof line, "  %x: D %s %u: %s", b->at[ev->insn], ev->write ? "w" : "r", (unsigned)ev->size, text);
        else
            qn_format(line, sizeof line, "  %x: %s: %s", b->at[ev->insn], qn_event_kind_name(ev->kind), text);
        out(line);
    }
}
