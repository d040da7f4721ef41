/* sim/hosted/main.c - a hosted simulator: the modules of a build, fed from a trace.
 *
 * In:  mysim --D1=1024,1,32 TRACE
 * Out: the summary of `quern run`, events of the modules, what they print.  Exit status 0; 1 the trace cannot be read;
 *      2 usage; 70 a module made a mistake.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/context.h"
#include "cost/beside/cells.h"
#include "cost/summary.h"
#include "sim/cells.h"
#include "sim/hosted/hosted.h"
#include "sim/hosted/trace.h"
#include "sim/module.h"
#include "sim/twin.h"

static int64_t totals[QN_COST_EVENTS];
uint64_t hosted_references;
static struct qn_table_head table_head;
static uint8_t *tables;

static void feed_data(const struct hosted_options *o, const struct sim_ref *ref, unsigned kind)
{
    bool write = kind == SIM_WRITE;
    uint64_t misses[2] = {0, 0};
    unsigned outcome;

    hosted_steps_before(ref->addr, ref->size, kind);
    outcome = hosted_data(ref->addr, ref->size, kind, o->filter, misses);
    hosted_steps_after(outcome);
    sim_pc = qn_ctx.arg_pc;
    if (o->check)
        qn_sim_twin_data(ref->addr, ref->size, kind, outcome, 0);
    totals[write ? QN_COST_DW : QN_COST_DR]++;
    totals[write ? QN_COST_D1MW : QN_COST_D1MR] += (int64_t)misses[0];
    totals[write ? QN_COST_DLMW : QN_COST_DLMR] += (int64_t)misses[1];
    hosted_texts_data(ref, kind, outcome);
}

static void feed_fetch(const struct hosted_options *o, const struct sim_ref *ref)
{
    uint64_t misses[2] = {0, 0};
    unsigned outcome = hosted_fetch(ref->addr, ref->size, o->filter, misses);

    qn_ctx.arg_pc = ref->addr; /* the data references that follow are this instruction's */
    if (o->check)
        qn_sim_twin_fetch(ref->addr, ref->size, outcome, 0);
    totals[QN_COST_IR]++;
    totals[QN_COST_I1MR] += (int64_t)misses[0];
    totals[QN_COST_ILMR] += (int64_t)misses[1];
    hosted_texts_fetch(ref, outcome);
}

static void feed_branch(const struct hosted_options *o, const struct sim_ref *ref)
{
    bool wrong;

    if (ref->kind == SIM_REF_CALL) {
        qn_sim_predict_call(ref->addr, ref->target);
        if (o->check)
            qn_sim_twin_call(ref->target);
        hosted_texts_branch(ref, false, false);
        return;
    }
    hosted_branches_before(ref);
    if (ref->kind == SIM_REF_RETURN) {
        wrong = qn_sim_predict_return(ref->addr, ref->target);
        if (o->check)
            qn_sim_twin_return(ref->target, wrong, 0);
        if (qn_sim_returns)
            hosted_branches_after(ref, wrong);
        hosted_texts_branch(ref, qn_sim_returns, wrong);
        return;
    }
    if (ref->kind == SIM_REF_COND) {
        wrong = hosted_cond(ref->addr, ref->outcome & SIM_TAKEN, ref->backward);
        totals[QN_COST_BC]++;
        totals[QN_COST_BCM] += wrong;
    } else {
        wrong = qn_sim_predict_indirect(ref->addr, ref->target);
        totals[QN_COST_BI]++;
        totals[QN_COST_BIM] += wrong;
    }
    hosted_branches_after(ref, wrong);
    hosted_texts_branch(ref, true, wrong);
}

static void feed(const struct hosted_options *o, const struct sim_ref *ref)
{
    hosted_references++;
    if (ref->kind == SIM_REF_FETCH) {
        feed_fetch(o, ref);
    } else if (ref->kind >= SIM_REF_COND) {
        if (o->branch_sim)
            feed_branch(o, ref);
    } else if (ref->kind == SIM_MODIFY && o->split_modify) {
        feed_data(o, ref, SIM_READ);
        feed_data(o, ref, SIM_WRITE);
    } else {
        feed_data(o, ref, ref->kind);
    }
}

static void put_line(void *data, const char *line)
{
    (void)data;
    puts(line);
}

static uint64_t instructions; /* that have come up, this one too */

/* Of a window by instructions: it has begun; it has been fed. */
static bool has_begun(const struct hosted_options *o) { return instructions > o->from || o->from == 0; }

static bool is_over(const struct hosted_options *o, const struct sim_ref *ref)
{
    instructions += ref->kind == SIM_REF_FETCH;
    return instructions > o->from && instructions - o->from > o->count;
}

/* As trace_next.  What is counted beyond fetches belongs to the instruction before. */
static int next(const struct hosted_options *o, struct trace *t, struct sim_ref *ref)
{
    int got = trace_next(t, ref);
    uint64_t beyond = trace_take_more(t);

    if (has_begun(o)) {
        totals[QN_COST_IR] += (int64_t)beyond;
        sim_repetitions += beyond;
    }
    return got;
}

static int run(const struct hosted_options *o)
{
    char why[512];
    struct trace *t = trace_open(o->trace, why, sizeof why);
    struct sim_ref ref;
    int more;

    if (!t)
        return hosted_complain("%s", why), 1;
    hosted_watch();
    hosted_steps_choose(o);
    qn_sim_init(&o->config, NULL);
    if (qn_sim_wants_thread)
        return hosted_complain("%s: traces do not say which thread runs, which a module wants to know; use quern run", o->trace), trace_close(t), 1;
    if (!hosted_check_options())
        return trace_close(t), HOSTED_EXIT_USAGE;
    if (!hosted_steps_begin(o) || !hosted_branches_begin(o))
        return trace_close(t), 1;
    if (o->check)
        qn_sim_twin_init(&o->config, NULL);
    if (o->from)
        instructions = trace_seek(t, o->from);
    while ((more = next(o, t, &ref)) == 1 && !is_over(o, &ref))
        if (has_begun(o))
            feed(o, &ref);
    if (more < 0)
        hosted_complain("%s", trace_error(t));
    trace_close(t);
    return more < 0;
}

static int replay(int argc, char **argv)
{
    struct hosted_options o;
    int status = hosted_parse(&o, argc, argv);

    if (status >= 0)
        return status;
    if (!hosted_texts_begin(&o))
        return 1;
#ifdef QN_SIM_LOOKS_AHEAD
    if (o.check)
        return hosted_complain("--check: a policy that looks ahead cannot be run twice"), HOSTED_EXIT_USAGE;
    if (!hosted_look_ahead(&o))
        return hosted_complain("%s: cannot be read twice, as a policy that looks ahead needs", o.trace), 1;
#endif
    if (!(tables = calloc(1, QN_TABLE_SETS_OFF)))
        return hosted_complain("no memory"), 1;
    qn_sim_rows_init(tables, &table_head);
    status = run(&o);
    if (status)
        return status;
    qn_cost_print_summary(totals, true, totals[QN_COST_BC] + totals[QN_COST_BI] > 0, true, put_line, NULL);
    hosted_print_events();
    qn_sim_finish();
    hosted_print_kept();
    qn_cost_print_rows(tables, &table_head, totals, put_line, NULL);
    free(tables);
    if (!hosted_steps_write(&o) || !hosted_branches_write(&o))
        return 1;
    return !hosted_texts_end(&o);
}

int main(int argc, char **argv)
{
    int status = replay(argc, argv);

    if (status || (!fflush(stdout) && !ferror(stdout)))
        return status;
    return hosted_complain("standard output: cannot write: %s", strerror(errno)), 1;
}
