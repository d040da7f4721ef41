/* lib/sim/hosted/branch_steps.c - --watch-of=BC or BI of a replay: writes consecutive branches with the predictor's state, as CSV.
 *
 *   quern replay --sim=BC=gshare --watch-of=BC --watch=2000 --watch-file=FILE TRACE  ->
 *
 *   number,pc,kind,taken,target,backward,wrong,shows
 *   61,0x401146,cond,1,,1,0,index=18 history=0b0110 counter=2>3/0:3
 *   4,0x40117a,indirect,1,0x401136,,1,target=0x0
 *
 * number: among the conditional branches of the trace (BC), or among the indirect ones and, where the module predicts them, returns (BI).
 * wrong: it was mispredicted.  shows: see shows.c; empty if the module shows nothing.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/hosted/hosted.h"
#include "sim/slots.h"

static FILE *text; /* NULL: nothing is looked at */
static char *written;
static size_t bytes;
static const struct qn_unit *unit;
static enum sim_slot slot;
static uint64_t number, from, left; /* from 0: with the first at `at`; left: of those that are still to come */
static uint64_t *at;
static unsigned at_count;

static bool parse_addresses(const char *list)
{
    char *end;

    at = calloc(strlen(list) + 1, sizeof *at);
    for (; at; list = end + 1) {
        errno = 0;
        at[at_count++] = strtoull(list, &end, 16);
        if (errno || end == list || (*end && *end != ',') || strspn(list, "0123456789abcdefABCDEFx") < (size_t)(end - list))
            return hosted_complain("--watch-at: got '%s', wanted hexadecimal addresses with commas between them", list), false;
        if (!*end)
            return true;
    }
    return hosted_complain("--watch-at: no memory"), false;
}

bool hosted_branches_begin(const struct hosted_options *o)
{
    slot = o->watch_of;
    if (!o->watch_file || slot == SLOT_D1)
        return true;
    unit = qn_sim_unit(slot, false);
    left = o->config.watch_count;
    from = o->watch_at ? 0 : o->config.watch_from;
    if (o->watch_at && !parse_addresses(o->watch_at))
        return false;
    text = open_memstream(&written, &bytes);
    if (!text)
        return hosted_complain("--watch: no memory"), false;
    fputs("number,pc,kind,taken,target,backward,wrong,shows\n", text);
    return true;
}

static bool is_watched(const struct sim_ref *ref)
{
    return slot == SLOT_BC ? ref->kind == SIM_REF_COND : ref->kind == SIM_REF_INDIRECT || (ref->kind == SIM_REF_RETURN && qn_sim_returns);
}

static bool has_begun(const struct sim_ref *ref)
{
    for (unsigned i = 0; !from && i < at_count; i++)
        if (at[i] == ref->addr)
            from = number;
    return from && number >= from;
}

void hosted_branches_before(const struct sim_ref *ref)
{
    if (!text || !left || !is_watched(ref))
        return;
    number++;
    hosted_shown_clear();
    if (unit->shown && has_begun(ref)) {
        sim_branch_backward = ref->backward;
        unit->shown(ref->addr, ref->kind);
    }
}

void hosted_branches_after(const struct sim_ref *ref, bool wrong)
{
    if (!text || !left || !is_watched(ref) || !has_begun(ref))
        return;
    left--;
    fprintf(text, "%llu,0x%llx,", (unsigned long long)number, (unsigned long long)ref->addr);
    if (ref->kind == SIM_REF_COND)
        fprintf(text, "cond,%d,,%d", (ref->outcome & SIM_TAKEN) != 0, ref->backward);
    else
        fprintf(text, "%s,1,0x%llx,", ref->kind == SIM_REF_RETURN ? "return" : "indirect", (unsigned long long)ref->target);
    fprintf(text, ",%d,", wrong);
    hosted_shown_put(text);
    putc('\n', text);
}

bool hosted_branches_write(const struct hosted_options *o)
{
    FILE *f = NULL;
    bool good;

    if (!text)
        return true;
    if (!fclose(text))
        f = fopen(o->watch_file, "w");
    good = f && fwrite(written, 1, bytes, f) == bytes;
    good = f && !fclose(f) && good;
    if (!good)
        hosted_complain("%s: cannot write: %s", o->watch_file, strerror(errno));
    free(written);
    free(at);
    return good;
}
