/* lib/collect/beside.c - writes the files beside a profile: intervals, findings, culprits, explanations, watched references.
 *
 * In:  the arena of a program that has ended
 * Out: PROFILE.findings.csv, PROFILE.culprits.csv, PROFILE.sets.csv, PROFILE.sharing.csv, and the files that options name
 *
 * If the profile goes to a device (/dev/null), no files are made beside it.
 */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "collect/work.h"
#include "cost/beside/branches.h"
#include "cost/notes/explain.h"
#include "json/write.h"
#include "cost/beside/findings.h"
#include "cost/beside/intervals.h"
#include "cost/beside/sets.h"
#include "cost/beside/sharing.h"
#include "cost/notes/watch.h"

#define CULPRITS_PRINTED 10 /* lines with the summary */

/* Reports a file that was written (with --verbose), or why not; frees its path. */
bool qn_collect_tell_file(struct qn_collect *r, const char *what, char *path, enum qn_text_status status, const struct qn_text_error *err)
{
    if (status != QN_TEXT_OK)
        qn_collect_fail(r, "no %s: %s", what, err->text);
    else if (r->options.verbose)
        qn_collect_note(r, "%s: %s", what, path);
    free(path);
    return status == QN_TEXT_OK;
}

bool qn_collect_write_intervals(struct qn_collect_work *w)
{
    struct qn_collect *r = w->run;
    struct qn_text_error err = { .status = QN_TEXT_OK };
    char *path = r->config.interval ? qn_collect_name_intervals(r) : NULL;

    if (!path)
        return !r->config.interval;
    if (qn_cost_intervals_full(&r->store))
        qn_collect_note(r, "--interval=%llu: no room for so many intervals; the last one holds the rest of the run",
                    (unsigned long long)r->config.interval);
    return qn_collect_tell_file(r, "intervals", path, qn_cost_write_intervals(path, &r->store, &w->events, w->result.totals, &err), &err);
}

/* PROFILE.findings.csv, which annotate --values reads. */
static bool write_findings(struct qn_collect_work *w, const char *profile)
{
    struct qn_collect *r = w->run;
    struct qn_text_error err = { .status = QN_TEXT_OK };
    char *path = qn_collect_name_beside(profile, QN_COLLECT_FINDINGS_SUFFIX);

    if (!path)
        return false;
    if (qn_cost_findings_full(&r->store))
        qn_collect_note(r, "no room for all that the analysis has found: %s holds the first part", path);
    return qn_collect_tell_file(r, "findings", path, qn_cost_write_findings(path, &r->store, w->modules, &err), &err);
}

/* Which source lines evict what a line misses. */
static bool write_culprits(struct qn_collect_work *w, const char *profile)
{
    struct qn_text_error err = { .status = QN_TEXT_OK };
    char *path = qn_collect_name_beside(profile, QN_COLLECT_CULPRITS_SUFFIX);

    return path && qn_collect_tell_file(w->run, "culprits", path, qn_cost_write_culprits(path, &w->culprits, &err), &err);
}

/* Misses by set and interval. */
static bool write_sets(struct qn_collect_work *w, const char *profile)
{
    struct qn_collect *r = w->run;
    struct qn_text_error err = { .status = QN_TEXT_OK };
    char *path = qn_collect_name_beside(profile, QN_COLLECT_SETS_SUFFIX);

    if (!path)
        return false;
    if (qn_cost_sets_full(&r->store))
        qn_collect_note(r, "--interval=%llu: no room for so many intervals by set; the last one in %s holds the rest of the run",
                        (unsigned long long)r->config.interval, path);
    return qn_collect_tell_file(r, "misses by set", path, qn_cost_write_sets(path, &r->store, (uint64_t)w->result.totals[QN_COST_IR], &err), &err);
}

/* Cache lines that threads share. */
static bool write_sharing(struct qn_collect_work *w, const char *profile)
{
    struct qn_collect *r = w->run;
    struct qn_text_error err = { .status = QN_TEXT_OK };
    const struct qn_cost_data data = { &r->store, w->modules, r->allocators, r->options.alloc.count };
    char *path = qn_collect_name_beside(profile, QN_COLLECT_SHARING_SUFFIX);

    return path && qn_collect_tell_file(r, "shared lines", path, qn_cost_write_sharing(path, &data, &err), &err);
}

bool qn_collect_write_beside(struct qn_collect_work *w, const char *profile)
{
    struct qn_collect *r = w->run;
    bool good = true;

    qn_cost_find_culprits(&r->store, w->modules, &w->culprits);
    if (qn_collect_is_device(profile))
        return good;
    if (qn_cost_has_findings(&r->store))
        good &= write_findings(w, profile);
    if (w->culprits.count)
        good &= write_culprits(w, profile);
    if (r->config.interval && qn_cost_has_sets(&r->store))
        good &= write_sets(w, profile);
    if (qn_cost_has_sharing(&r->store))
        good &= write_sharing(w, profile);
    return good;
}

void qn_collect_print_culprits(struct qn_collect_work *w)
{
    for (size_t i = 0; i < w->culprits.count && i < CULPRITS_PRINTED; i++) {
        const struct qn_culprit_pair *p = &w->culprits.pairs[i];
        const char *victim = p->victim.file ? p->victim.file : "???", *evictor = p->evictor.file ? p->evictor.file : "???";

        qn_collect_say(w->run, "%s:%u misses %llu lines of %llu that %s:%u had evicted", basename(victim), p->victim.line,
                   (unsigned long long)p->count, (unsigned long long)p->of, basename(evictor), p->evictor.line);
    }
    qn_cost_free_culprits(&w->culprits);
}

bool qn_collect_write_explanation(struct qn_collect_work *w)
{
    struct qn_collect *r = w->run;
    struct qn_text_error err = { .status = QN_TEXT_OK };
    struct qn_cost_explanation x = { .store = &r->store, .config = &r->config, .modules = w->modules, .named = r->named,
                                     .count = r->named_count };
    char *path = r->options.explain.count ? qn_collect_name_explanation(r) : NULL;
    enum qn_text_status status;

    if (!path)
        return !r->options.explain.count;
    status = qn_json_is_named(path) ? qn_cost_write_explanation_json(path, &x, &err) : qn_cost_write_explanation(path, &x, &err);
    if (status == QN_TEXT_OK)
        qn_collect_say(r, "Explained in %s", path);
    return qn_collect_tell_file(r, "explanation", path, status, &err);
}

bool qn_collect_write_watch(struct qn_collect_work *w)
{
    struct qn_collect *r = w->run;
    struct qn_text_error err = { .status = QN_TEXT_OK };
    char *path = r->options.watch ? qn_collect_name_watch(r) : NULL;
    enum qn_text_status status;

    if (!path)
        return !r->options.watch;
    status = qn_cost_write_watch(path, &r->store, w->modules, &err);
    if (status == QN_TEXT_OK)
        qn_collect_say(r, "Watched in %s", path);
    return qn_collect_tell_file(r, "watch", path, status, &err);
}

bool qn_collect_write_branches(struct qn_collect_work *w)
{
    struct qn_collect *r = w->run;
    struct qn_text_error err = { .status = QN_TEXT_OK };
    char *path = r->options.branches_file ? qn_collect_name_branches(r) : NULL;

    if (!path)
        return !r->options.branches_file;
    return qn_collect_tell_file(r, "table of branches", path, qn_cost_write_branches(path, &r->store, w->modules, &err), &err);
}
