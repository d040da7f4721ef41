/* lib/collect/part.c - divides a run, as CALLGRIND_DUMP_STATS, CALLGRIND_ZERO_STATS and `quern ctl zero` ask.
 *
 *   DUMP   PROFILE.1, .2, ...: the counts since the last part; a new part begins            BEFORE, AFTER a function: the same
 *   ZERO   discards the counts since the last part; a new part begins                       ZERO_BEFORE a function: the same
 *   end    PROFILE: the counts since the last part
 *
 * The program waits meanwhile, so a part ends exactly at the request.  The counters are not reset: a part is the difference between the
 * arena and a copy of it from the beginning of the part (cost/part.h).  A forked process continues in its parent's part.
 */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cost/calls/calls.h"
#include "cost/places/places.h"
#include "cost/part.h"
#include "cost/messages.h"
#include "collect/collect.h"

/* Only the profile, because its side tables would have the names of those at the run's end. */
bool qn_collect_write_now(struct qn_collect *r, const char *path)
{
    r->profile = path;
    r->config.interval = 0;
    r->options.explain.count = 0;
    r->options.watch = 0;
    r->options.stats = r->options.verbose = false;
    r->log.quiet = true;
    r->log.fd = -1;
    qn_cost_header(&r->store)->n_findings = qn_cost_header(&r->store)->n_value_lists = qn_cost_header(&r->store)->sim_output.loads = 0;
    qn_cost_header(&r->store)->sim_output.tables.rows = 0;
    return qn_collect_fold(r, NULL, qn_cost_new_library());
}

void qn_collect_begin_part(struct qn_collect *r)
{
    if (r->zero.base)
        qn_cost_begin_at(&r->store, &r->zero);
}

void qn_collect_forget_parts(struct qn_collect *r)
{
    qn_cost_close(&r->zero);
}

/* The reason for the end of a part, in Callgrind's words. */
static char *describe(const struct qn_collect *r, int what, const char *text)
{
    const char *name = what == QN_PART_DUMP ? text : qn_cost_name_entry(&r->store, qn_cost_new_library(), strtoull(text, NULL, 16));
    char *trigger;

    if (asprintf(&trigger, "%s%s%.200s", what == QN_PART_BEFORE ? "--dump-before=" : what == QN_PART_AFTER ? "--dump-after=" : "Client Request",
                 what == QN_PART_DUMP && *name ? ": " : "", name ? name : "?") < 0)
        return NULL;
    return trigger;
}

struct part {
    const struct qn_cost_store *now;
    const char *path, *text;
    int what;
};

/* In a child process, which may change its copy of the state, and may die of damaged debug information. */
static int write_part(struct qn_collect *r, void *data)
{
    const struct part *p = data;
    struct qn_cost_store copy;

    if (qn_cost_copy(&copy, p->now))
        return 1;
    r->store = copy;
    r->trigger = describe(r, p->what, p->text);
    qn_collect_begin_part(r);
    return !qn_collect_write_now(r, p->path);
}

static void dump(struct qn_collect *r, const struct qn_cost_store *now, int what, const char *text)
{
    char *profile = qn_collect_name_pattern(r), *path;

    r->parts++;
    if (profile && qn_collect_is_device(profile))
        path = strdup(profile);
    else if (!profile || asprintf(&path, "%s.%u", profile, r->parts) < 0)
        path = NULL;
    if (!path || qn_collect_in_child(r, true, write_part, &(struct part){ now, path, text, what }))
        qn_collect_fail(r, "part %u of the profile could not be written", r->parts);
    free(path);
    free(profile);
}

const char *qn_collect_never_divides(const struct qn_collect *r)
{
    return r->config.interval ? "--interval" : r->config.versus ? "--versus" : NULL;
}

/* As in Callgrind, the call that leads to the function counts already: in the part that ends, if the same edge has costs there; in no part, if
 * counts are discarded. */
static void count_call(struct qn_collect *r, struct qn_cost_store *now, int what, const char *text)
{
    const char *edge = strchr(text, ' ');

    if (edge && (what == QN_PART_BEFORE || what == QN_PART_ZERO_BEFORE))
        qn_cost_count_call(now, r->zero.base ? &r->zero : NULL, (uint32_t)strtoul(edge, NULL, 16), what == QN_PART_ZERO_BEFORE);
}

static void divide(struct qn_collect *r, int what, const char *text)
{
    struct qn_cost_store now = { .fd = -1 };
    const char *why = qn_collect_never_divides(r);
    int error;

    if (why) {
        if (!r->parts_refused)
            qn_collect_note(r, "counts are dumped or zeroed: not supported with %s, the profile has all of the run", why);
        r->parts_refused = true;
        return;
    }
    error = qn_cost_take_part(&now, &r->store);
    if (error) {
        qn_collect_fail(r, "counts are not divided: %s", strerror(error));
        return;
    }
    count_call(r, &now, what, text);
    if (what != QN_PART_ZERO && what != QN_PART_ZERO_BEFORE)
        dump(r, &now, what, text);
    qn_cost_close(&r->zero);
    r->zero = now;
}

void qn_collect_serve_part(struct qn_collect *r, int what, const char *text)
{
    divide(r, what, text);
    qn_collect_flush(r);
    qn_collect_answer(r, QN_MESSAGE_PARTED, 0, NULL, 0);
}

void qn_collect_end_parts(struct qn_collect *r)
{
    if (!r->zero.base)
        return;
    if (r->parts)
        qn_collect_say(r, "Parts of the run: %u, in files of their own; what follows was counted since.", r->parts);
    else if (r->merger.socket < 0)
        qn_collect_say(r, "What follows was counted since counts were set to zero.");
    qn_collect_begin_part(r);
    qn_collect_forget_parts(r);
    qn_collect_flush(r);
}
