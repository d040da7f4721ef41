/* lib/exp/groups.c - see groups.h. */
#include "exp/groups.h"

#include <string.h>

#define LINES_MAX (1u << 20) /* lines of all D1s of a group together: the engine's memory for their stacks */

const char *const qn_exp_kind_names[QN_EXP_MANY_KINDS] = { "D1", "LL", "BC", "BI" };
static const enum qn_exp_slot slots[QN_EXP_MANY_KINDS] = { QN_EXP_SLOT_D1, QN_EXP_SLOT_LL, QN_EXP_SLOT_BC,
                                                           QN_EXP_SLOT_BI };

struct grouper {
    struct qn_text_memory *m;
    const struct qn_exp_runs *runs;
    struct qn_exp_sim *const *sims;
    const char *const *options;
    const struct qn_exp_sharing *sharing;
};

static bool same_text(const char *a, const char *b) { return a == b || (a && b && !strcmp(a, b)); }

static bool same_geometry(const struct qn_geometry *a, const struct qn_geometry *b)
{
    return a->size == b->size && a->assoc == b->assoc && a->line == b->line;
}

static uint32_t smallest_line(const struct qn_exp_run *r)
{
    uint32_t line = r->geometry[0].line;

    for (int i = 1; i < QN_EXP_LEVELS; i++)
        line = r->geometry[i].line < line ? r->geometry[i].line : line;
    return line;
}

static bool same_command(const struct qn_exp_run *a, const struct qn_exp_run *b)
{
    int i = 0;

    if (!same_text(a->input, b->input))
        return false;
    while (a->argv[i] && b->argv[i] && !strcmp(a->argv[i], b->argv[i]))
        i++;
    return !a->argv[i] && !b->argv[i];
}

/* May these two runs share an execution? */
static bool alike(const struct grouper *g, int a, int b)
{
    const struct qn_exp_run *ra = &g->runs->at[a], *rb = &g->runs->at[b];
    const char *file = g->sims[a]->file[QN_EXP_SLOT_I1];

    return g->sharing->allowed && g->sims[a]->shareable && g->sims[b]->shareable && ra->program == rb->program
           && ra->seed == rb->seed && same_geometry(&ra->geometry[QN_EXP_I1], &rb->geometry[QN_EXP_I1])
           && same_text(file, g->sims[b]->file[QN_EXP_SLOT_I1]) && (!file || same_text(g->options[a], g->options[b]))
           && (!g->sharing->smallest_line_counts || smallest_line(ra) == smallest_line(rb)) && same_command(ra, rb);
}

/* ---- members ---- */

static struct qn_exp_member make_member(const struct grouper *g, int run, enum qn_exp_kind kind, int D1)
{
    struct qn_exp_member member = { .file = g->sims[run]->file[slots[kind]], .options = "" };

    if (member.file)
        member.options = g->options[run];
    if (kind == QN_EXP_MANY_D1)
        member.geometry = g->runs->at[run].geometry[QN_EXP_D1];
    if (kind == QN_EXP_MANY_LL) {
        member.geometry = g->runs->at[run].geometry[QN_EXP_LL];
        member.D1 = D1;
    }
    return member;
}

static bool same_member(const struct qn_exp_member *a, const struct qn_exp_member *b)
{
    return same_geometry(&a->geometry, &b->geometry) && a->D1 == b->D1 && same_text(a->file, b->file)
           && same_text(a->options, b->options);
}

bool qn_exp_same_members(const struct qn_exp_group *a, const struct qn_exp_group *b)
{
    for (int kind = 0; kind < QN_EXP_MANY_KINDS; kind++) {
        if (a->members[kind] != b->members[kind])
            return false;
        for (int i = 0; i < a->members[kind]; i++)
            if (!same_member(&a->member[kind][i], &b->member[kind][i]))
                return false;
    }
    return true;
}

/* The member's number in the group; the next free number if it is not there. */
static int find_member(const struct qn_exp_group *group, enum qn_exp_kind kind, const struct qn_exp_member *member)
{
    int i = 0;

    while (i < group->members[kind] && !same_member(&group->member[kind][i], member))
        i++;
    return i;
}

static uint64_t count_lines(const struct qn_exp_group *group)
{
    uint64_t lines = 0;

    for (int i = 0; i < group->members[QN_EXP_MANY_D1]; i++)
        lines += group->member[QN_EXP_MANY_D1][i].geometry.size / group->member[QN_EXP_MANY_D1][i].geometry.line;
    return lines;
}

/* Adds a run to the group.  false: there is no room for its members. */
static bool add_run(const struct grouper *g, struct qn_exp_group *group, int run)
{
    int place[QN_EXP_MANY_KINDS];
    struct qn_exp_member member[QN_EXP_MANY_KINDS];
    const struct qn_geometry *D1 = &g->runs->at[run].geometry[QN_EXP_D1];

    for (int kind = 0; kind < QN_EXP_MANY_KINDS; kind++) {
        member[kind] = make_member(g, run, (enum qn_exp_kind)kind, kind == QN_EXP_MANY_LL ? place[QN_EXP_MANY_D1] : 0);
        place[kind] = find_member(group, (enum qn_exp_kind)kind, &member[kind]);
        if (place[kind] == QN_EXP_MEMBERS_MAX)
            return false;
    }
    if (group->count && count_lines(group) + D1->size / D1->line > LINES_MAX)
        return false;
    for (int kind = 0; kind < QN_EXP_MANY_KINDS; kind++)
        if (place[kind] == group->members[kind])
            group->member[kind][group->members[kind]++] = member[kind];
    group->runs = qn_text_grow(g->m, group->runs, (size_t)group->count, sizeof *group->runs);
    group->place = qn_text_grow(g->m, group->place, (size_t)group->count, sizeof *group->place);
    group->runs[group->count] = run;
    memcpy(group->place[group->count++], place, sizeof place);
    return true;
}

int qn_exp_make_groups(struct qn_text_memory *m, const struct qn_exp_runs *runs, struct qn_exp_sim *const *sims,
                       const char *const *options, const struct qn_exp_result *results,
                       const struct qn_exp_sharing *sharing, struct qn_exp_group ***groups)
{
    struct grouper g = { m, runs, sims, options, sharing };
    int count = 0;

    *groups = NULL;
    for (int i = 0; i < runs->count; i++) {
        int k = 0;

        if (results[i].status)
            continue;
        while (k < count && !(alike(&g, (*groups)[k]->runs[0], i) && add_run(&g, (*groups)[k], i)))
            k++;
        if (k < count)
            continue;
        *groups = qn_text_grow(m, *groups, (size_t)count, sizeof **groups);
        (*groups)[count] = qn_text_alloc(m, sizeof ***groups);
        add_run(&g, (*groups)[count++], i);
    }
    return count;
}
