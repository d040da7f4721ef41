/* lib/exp/many_result.c - reads the output of a build of many simulators, for one run of the group.  See many.h.
 *
 *   many D1 1 991 77          D1mr, D1mw of the runs whose D1 is number 1
 *   D1#1.evictions 12 ...     as "D1.evictions 12 ..." for them
 *   BC#0: gshare, 32780 ...   as "BC: gshare, 32780 ..." for the runs whose predictor is number 0
 */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "exp/many.h"

/* The events of each kind, in the order of the line. */
static const char *const events[QN_EXP_MANY_KINDS][3] = {
    { "D1mr", "D1mw" }, { "ILmr", "DLmr", "DLmw" }, { "Bcm" }, { "Bim" }
};

static int find_kind(const char *text)
{
    for (int kind = 0; kind < QN_EXP_MANY_KINDS; kind++)
        if (!strncmp(text, qn_exp_kind_names[kind], 2))
            return kind;
    return -1;
}

/* Skips "D1#12" and returns what follows; NULL: the text does not begin so. */
static const char *skip_member(const char *text, int *kind, long *number)
{
    char *end;

    *kind = find_kind(text);
    if (*kind < 0 || text[2] != '#' || !isdigit((unsigned char)text[3]))
        return NULL;
    *number = strtol(text + 3, &end, 10);
    return end;
}

static void read_counts(struct qn_text_memory *m, struct qn_exp_result *r, const struct qn_exp_group *group, int i,
                        const char *text)
{
    int kind = find_kind(text);
    char *at;

    if (kind < 0 || strtol(text + 2, &at, 10) != group->place[i][kind])
        return;
    for (int k = 0; k < 3 && events[kind][k] && *at == ' '; k++) {
        size_t digits = strspn(at + 1, "0123456789");

        qn_exp_add_count(m, r, events[kind][k], qn_text_copy_part(m, at + 1, digits));
        at += 1 + digits;
    }
}

void qn_exp_read_many_line(struct qn_text_memory *m, struct qn_exp_result *r, const struct qn_exp_group *group, int i,
                           const char *text)
{
    const char *rest;
    long number;
    int kind;

    if (!strncmp(text, "many ", 5))
        read_counts(m, r, group, i, text + 5);
    else if (!(rest = skip_member(text, &kind, &number)))
        qn_exp_read_log_line(m, r, text);
    else if (number == group->place[i][kind])
        qn_exp_read_log_line(m, r, qn_text_format(m, "%.2s%s", text, rest));
}

/* Does the group count this event for each member? */
static bool is_own(const struct qn_exp_group *group, const char *name)
{
    bool caches = group->members[QN_EXP_MANY_D1] > 1 || group->members[QN_EXP_MANY_LL] > 1;

    for (int kind = 0; kind < QN_EXP_MANY_KINDS; kind++)
        for (int k = 0; k < 3 && events[kind][k]; k++)
            if (!strcmp(events[kind][k], name))
                return kind <= QN_EXP_MANY_LL ? caches : group->members[kind] > 1;
    return false;
}

/* Counts of the whole execution are those of each run.  Counts by member must be in the log, unless the execution did not count them
 * (--branch-sim=no). */
bool qn_exp_finish_many(struct qn_text_memory *m, struct qn_exp_result *r, const struct qn_exp_group *group, int i,
                        const struct qn_exp_result *all)
{
    struct qn_exp_result own = *r;

    *r = (struct qn_exp_result){ .status = own.status };
    for (int k = 0; k < all->count; k++) {
        const char *name = all->counts[k].name, *rest, *value = all->counts[k].value;
        long number;
        int kind;

        if (is_own(group, name) && !(value = qn_exp_find_count(&own, name)))
            return false;
        rest = skip_member(name, &kind, &number);
        if (!rest)
            qn_exp_add_count(m, r, name, value);
        else if (number == group->place[i][kind])
            qn_exp_add_count(m, r, qn_text_format(m, "%.2s%s", name, rest), value);
    }
    for (int k = 0; k < own.count; k++)
        if (!is_own(group, own.counts[k].name))
            qn_exp_add_count(m, r, own.counts[k].name, own.counts[k].value);
    return true;
}
