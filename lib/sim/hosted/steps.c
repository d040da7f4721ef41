/* lib/sim/hosted/steps.c - --watch of a replay: writes consecutive data references with the state of the D1, as CSV.
 *
 *   quern replay --watch=2000 --watch-from=61 --watch-file=FILE TRACE  ->  the rows of cost/notes/watch.h, as `quern run --watch` writes them
 *
 * explain_seen.c provides the history of lines, explain.c the notes.  A trace has no source lines: file, line, function and object are
 * empty.  After the last watched reference, nothing is observed any more.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/context.h"
#include "cost/notes/steps.h"
#include "sim/explain.h"
#include "sim/hosted/hosted.h"
#include "sim/slots.h"

static struct qn_explain_output *output; /* the notes lie QN_NOTES_OFF bytes behind its beginning; NULL: nothing is looked at */
static struct qn_explained reference;    /* the one that is being made */
static uint64_t *pcs;                    /* by note */
static uint64_t left;                    /* notes that are still to come */

void hosted_steps_choose(const struct hosted_options *o) { qn_sim_shown_slots = o->watch_file ? 1u << o->watch_of : 0; }

bool hosted_steps_begin(const struct hosted_options *o)
{
    const struct qn_unit *unit = qn_sim_unit(SLOT_D1, false);
    const struct qn_unit_facts *facts = qn_sim_unit_facts(SLOT_D1);
    const struct qn_explain_shows shows = {unit->show, facts->shows, unit->state, facts->way_state, facts->set_state};

    if (!o->watch_file || o->watch_of != SLOT_D1)
        return true;
    left = o->config.watch_count;
    output = calloc(1, QN_NOTES_OFF + left * sizeof(struct qn_note));
    pcs = calloc(left, sizeof *pcs);
    if (!output || !pcs)
        return hosted_complain("--watch: no memory for %llu data references", (unsigned long long)left), false;
    qn_explain_init(&o->config, output, &shows);
    qn_explain_begin_seen();
    return true;
}

void hosted_steps_before(uint64_t addr, uint32_t size, unsigned kind)
{
    if (!left)
        return;
    reference = (struct qn_explained){.addr = addr, .size = size, .kind = kind};
    qn_explain_before(&reference);
}

void hosted_steps_after(unsigned outcome)
{
    uint64_t notes;

    if (!left)
        return;
    notes = output->notes;
    reference.outcome = outcome;
    qn_explain_after(&reference);
    if (output->notes == notes)
        return;
    pcs[notes] = qn_ctx.arg_pc;
    left--;
}

static void put_text(void *data, const char *text) { fputs(text, data); }

static bool write_all(const struct hosted_options *o, FILE *f)
{
    const struct qn_cost_steps steps = {.put = put_text, .data = f, .D1 = &o->config.D1, .head = output};
    const struct qn_note *note = (const struct qn_note *)((const char *)output + QN_NOTES_OFF);

    qn_cost_put_step_names(&steps);
    for (uint64_t i = 0; i < output->notes; i++)
        qn_cost_put_step(&steps, &note[i], &(struct qn_cost_step){.pc = pcs[i]});
    return !ferror(f);
}

bool hosted_steps_write(const struct hosted_options *o)
{
    FILE *f = output ? fopen(o->watch_file, "w") : NULL;
    bool written = f && write_all(o, f);

    written = f && !fclose(f) && written;
    if (output && !written)
        hosted_complain("%s: cannot write: %s", o->watch_file, strerror(errno));
    free(output);
    free(pcs);
    return !o->watch_file || o->watch_of != SLOT_D1 || written;
}
