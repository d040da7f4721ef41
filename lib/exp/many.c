/* lib/exp/many.c - see many.h; lib/sim/many/many.h describes the table. */
#include "exp/many.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/base.h"

/* ---- groups ---- */

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

static uint32_t sets_of(const struct qn_geometry *g) { return g->size / (g->assoc * g->line); }

static bool same_geometry(const struct qn_geometry *a, const struct qn_geometry *b)
{
    return a->size == b->size && a->assoc == b->assoc && a->line == b->line;
}

static uint32_t smallest_line(const struct qn_exp_run *r)
{
    uint32_t line = r->geometry[0].line;

    for (int i = 1; i < QN_EXP_LEVELS; i++)
        line = r->geometry[i].line && r->geometry[i].line < line ? r->geometry[i].line : line;
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

    if (!qn_is_pow2(sets_of(&ra->geometry[QN_EXP_LL])) || !qn_is_pow2(sets_of(&rb->geometry[QN_EXP_LL])))
        return false;
    return g->sharing->allowed && !ra->geometry[QN_EXP_L2].line && !rb->geometry[QN_EXP_L2].line && g->sims[a]->shareable && g->sims[b]->shareable && ra->program == rb->program
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

#define MEMBERS(group, kind) for (int i = 0; i < (group)->members[kind]; i++)


static bool is_many(const struct qn_exp_group *g, enum qn_exp_kind kind)
{
    if (kind <= QN_EXP_MANY_LL)
        return g->members[QN_EXP_MANY_D1] > 1 || g->members[QN_EXP_MANY_LL] > 1;
    return g->members[kind] > 1;
}

/* ---- the table: caches ---- */

struct node {
    uint32_t bits, sets, ways;
    uint64_t members; /* policies that a repeated hit does not change */
};

struct group { /* of LLs */
    struct qn_geometry geometry;
    uint64_t D1s;
};

struct plan {
    const struct qn_exp_group *g;
    struct node node[QN_EXP_MEMBERS_MAX];
    struct group group[QN_EXP_MEMBERS_MAX];
    int nodes, groups;
    int D1_node[QN_EXP_MEMBERS_MAX], LL_group[QN_EXP_MEMBERS_MAX]; /* -1: a policy */
    uint64_t minds;
};

/* Policies declare it by these macros (doc/modules.md). */
static bool repeat_is_noop(const char *file)
{
    static const char *const marks[] = { "#define POLICY_HIT_IS_NOOP", "#define POLICY_ONE_SETTLED",
                                         "#define POLICY_REPEAT_IS_NOOP" };
    char line[512];
    bool found = false;
    FILE *f = fopen(file, "r");

    while (f && !found && fgets(line, sizeof line, f))
        for (size_t i = 0; i < QN_ARRAY_LEN(marks); i++)
            found |= !strncmp(line, marks[i], strlen(marks[i]));
    if (f)
        fclose(f);
    return found;
}

static int compare_nodes(const void *a, const void *b)
{
    const struct node *x = a, *y = b;

    return x->bits != y->bits ? (x->bits > y->bits) - (x->bits < y->bits) : (x->sets > y->sets) - (x->sets < y->sets);
}

static struct node *find_node(struct plan *p, const struct qn_geometry *geometry)
{
    int i = 0;

    while (i < p->nodes && (p->node[i].bits != qn_log2(geometry->line) || p->node[i].sets != sets_of(geometry)))
        i++;
    return &p->node[i];
}

#define ROW_WORDS_MAX 16u /* as in sim/fast/rows.h: rows up to here are powers of two, and lie at a multiple of their size */

static uint32_t row_words_of(uint32_t ways)
{
    uint32_t words = 1;

    while (words < ways)
        words *= 2;
    return words <= ROW_WORDS_MAX ? words : ways;
}

static void plan_D1s(struct plan *p)
{
    const struct qn_exp_member *D1 = p->g->member[QN_EXP_MANY_D1];

    MEMBERS(p->g, QN_EXP_MANY_D1) {
        struct node *node = find_node(p, &D1[i].geometry);

        if (node == &p->node[p->nodes])
            *node = (struct node){ qn_log2(D1[i].geometry.line), sets_of(&D1[i].geometry), 1, 0 }, p->nodes++;
        if (!D1[i].file && node->ways < row_words_of(D1[i].geometry.assoc))
            node->ways = row_words_of(D1[i].geometry.assoc);
        if (D1[i].file && repeat_is_noop(D1[i].file))
            node->members |= 1ull << i;
        else if (D1[i].file)
            p->minds |= 1ull << i;
    }
    qsort(p->node, (size_t)p->nodes, sizeof *p->node, compare_nodes);
    MEMBERS(p->g, QN_EXP_MANY_D1)
        p->D1_node[i] = (int)(find_node(p, &D1[i].geometry) - p->node);
}

static void plan_LLs(struct plan *p)
{
    const struct qn_exp_member *LL = p->g->member[QN_EXP_MANY_LL];

    MEMBERS(p->g, QN_EXP_MANY_LL) {
        int k = 0;

        p->LL_group[i] = -1;
        if (LL[i].file)
            continue;
        while (k < p->groups && memcmp(&p->group[k].geometry, &LL[i].geometry, sizeof LL[i].geometry))
            k++;
        if (k == p->groups)
            p->group[p->groups++] = (struct group){ LL[i].geometry, 0 };
        p->group[k].D1s |= 1ull << LL[i].D1;
        p->LL_group[i] = k;
    }
}

static void print_pointer(FILE *f, const char *kind, int number, bool is_module)
{
    if (is_module)
        fprintf(f, "&many_%s_%d", kind, number);
    else
        fputs("NULL", f);
}

static void print_D1s(FILE *f, const struct plan *p)
{
    const struct qn_exp_member *D1 = p->g->member[QN_EXP_MANY_D1];
    uint32_t rows = 0, depths = 0;

    MEMBERS(p->g, QN_EXP_MANY_D1)
        if (D1[i].file)
            fprintf(f, "extern const struct many_member many_D1_%d;\n", i);
    fputs("const struct many_D1 many_D1[] = {\n", f);
    MEMBERS(p->g, QN_EXP_MANY_D1) {
        fprintf(f, "    {%u, %u, %u, %d, ", D1[i].geometry.size, D1[i].geometry.assoc, D1[i].geometry.line, p->D1_node[i]);
        print_pointer(f, "D1", i, D1[i].file);
        fputs("},\n", f);
    }
    fputs("};\nconst struct many_node many_nodes[] = {\n", f);
    for (int i = 0; i < p->nodes; i++) {
        const struct node *n = &p->node[i];

        fprintf(f, "    {%u, %u, %u, %u, %u, 0x%llxull},\n", n->bits, n->sets, n->ways, rows, depths,
                (unsigned long long)n->members);
        rows += (n->sets * n->ways + ROW_WORDS_MAX - 1) & ~(ROW_WORDS_MAX - 1);
        depths += n->ways + 1;
    }
    fprintf(f, "};\n#define MANY_NODES %d\n#define MANY_ROWS %u\n#define MANY_DEPTHS %u\n#define MANY_MINDS 0x%llxull\n",
            p->nodes, rows, depths, (unsigned long long)p->minds);
}

static void print_LLs(FILE *f, const struct plan *p)
{
    const struct qn_exp_member *LL = p->g->member[QN_EXP_MANY_LL];

    MEMBERS(p->g, QN_EXP_MANY_LL)
        if (LL[i].file)
            fprintf(f, "extern const struct many_member many_LL_%d;\n", i);
    fputs("const struct many_LL many_LL[] = {\n", f);
    MEMBERS(p->g, QN_EXP_MANY_LL) {
        fprintf(f, "    {%u, %u, %u, %d, ", LL[i].geometry.size, LL[i].geometry.assoc, LL[i].geometry.line, LL[i].D1);
        if (p->LL_group[i] < 0)
            fputs("MANY_NONE, ", f);
        else
            fprintf(f, "%d, ", p->LL_group[i]);
        print_pointer(f, "LL", i, LL[i].file);
        fputs("},\n", f);
    }
    fputs("};\nconst struct many_group many_groups[] = {\n", f);
    for (int i = 0; i < p->groups; i++) {
        const struct qn_geometry *g = &p->group[i].geometry;

        fprintf(f, "    {%u, %u, %u, 0x%llxull},\n", sets_of(g), g->assoc, qn_log2(g->line),
                (unsigned long long)p->group[i].D1s);
    }
    fprintf(f, "    {0, 0, 0, 0}\n};\nconst uint32_t many_D1_count = %d, many_LL_count = %d, many_group_count = %d;\n",
            p->g->members[QN_EXP_MANY_D1], p->g->members[QN_EXP_MANY_LL], p->groups);
}

/* ---- the table: predictors ---- */

static void print_predictors(FILE *f, const struct qn_exp_group *g, enum qn_exp_kind kind)
{
    const char *name = qn_exp_kind_names[kind];

    MEMBERS(g, kind)
        fprintf(f, "extern const struct many_predictor many_%s_%d;\n", name, i);
    fprintf(f, "static const struct many_predictor *const many_%s[] __attribute__((unused)) = {\n", name);
    MEMBERS(g, kind)
        fprintf(f, "    &many_%s_%d,\n", name, i);
    fputs("};\n", f);
}

/* ---- files ---- */

struct writer {
    struct qn_text_memory *m;
    const char *library, *folder, *stem;
    struct qn_exp_many *many;
    size_t extra_count;
    struct qn_text_error *err;
};

static FILE *open_file(struct writer *w, const char *path)
{
    FILE *f = fopen(path, "w");

    if (!f)
        qn_text_fail(w->err, QN_TEXT_IO, "%s: %s", path, strerror(errno));
    return f;
}

static void close_file(struct writer *w, FILE *f, const char *path)
{
    bool bad = ferror(f);

    if (fclose(f) || bad)
        qn_text_fail(w->err, QN_TEXT_IO, "%s: cannot be written", path);
}

static void add_extra(struct writer *w, const char *word)
{
    w->many->extra = qn_text_grow(w->m, w->many->extra, w->extra_count, sizeof *w->many->extra);
    w->many->extra[w->extra_count++] = word;
}

static void write_member(struct writer *w, enum qn_exp_kind kind, int number, const char *module)
{
    const char *name = qn_exp_kind_names[kind];
    const char *path = qn_text_format(w->m, "%s/%s_%s_%d.c", w->folder, w->stem, name, number);
    FILE *f = open_file(w, path);

    if (!f)
        return;
    fprintf(f, "#define QN_MEMBER many_%s_%d\n#define QN_MEMBER_FILE \"%s\"\n", name, number, module);
    if (kind >= QN_EXP_MANY_BC)
        fprintf(f, "#define QN_MEMBER_%s 1\n", name);
    else if (repeat_is_noop(module))
        fputs("#define QN_MEMBER_REPEAT_IS_NOOP 1\n", f);
    fputs("#include \"sim/many/member.h\"\n", f);
    close_file(w, f, path);
    add_extra(w, path);
}

static void write_members(struct writer *w, const struct qn_exp_group *g)
{
    for (int kind = 0; kind < QN_EXP_MANY_KINDS; kind++)
        MEMBERS(g, kind) {
            const char *file = g->member[kind][i].file;

            if (!is_many(g, (enum qn_exp_kind)kind))
                continue;
            if (!file && kind >= QN_EXP_MANY_BC)
                file = qn_text_format(w->m, "%s/sim/branchsim_%s.c", w->library, qn_exp_kind_names[kind]);
            if (file)
                write_member(w, (enum qn_exp_kind)kind, i, file);
        }
}

static void write_table(struct writer *w, const struct qn_exp_group *g)
{
    const char *path = qn_text_format(w->m, "%s/%s_table.h", w->folder, w->stem);
    struct plan *p = qn_text_alloc(w->m, sizeof *p);
    FILE *f = open_file(w, path);

    if (!f)
        return;
    w->many->table = path;
    p->g = g;
    if (is_many(g, QN_EXP_MANY_D1)) {
        plan_D1s(p);
        plan_LLs(p);
        fputs("#ifdef MANY_CACHES\n", f);
        print_D1s(f, p);
        print_LLs(f, p);
        fputs("#endif\n", f);
    }
    for (int kind = QN_EXP_MANY_BC; kind <= QN_EXP_MANY_BI; kind++)
        if (is_many(g, (enum qn_exp_kind)kind))
            print_predictors(f, g, (enum qn_exp_kind)kind);
    close_file(w, f, path);
    add_extra(w, qn_text_format(w->m, "-DQN_MANY_TABLE=\"%s\"", path));
}

/* ---- slots and options ---- */

static void fill_slots(struct writer *w, const struct qn_exp_group *g, const struct qn_exp_sim *sim)
{
    static const char *const files[QN_EXP_SLOTS] = { NULL, "caches", "fetches", "predictors", "predictors", NULL };
    static const enum qn_exp_kind kinds[QN_EXP_SLOTS] = { [QN_EXP_SLOT_D1] = QN_EXP_MANY_D1, [QN_EXP_SLOT_LL] = QN_EXP_MANY_LL,
                                                          [QN_EXP_SLOT_BC] = QN_EXP_MANY_BC, [QN_EXP_SLOT_BI] = QN_EXP_MANY_BI };

    for (int slot = 0; slot < QN_EXP_SLOTS; slot++)
        if (files[slot] && is_many(g, kinds[slot]))
            w->many->module[slot] = qn_text_format(w->m, "%s/sim/many/%s.c", w->library, files[slot]);
        else
            w->many->module[slot] = sim->file[slot];
}

/* "bits=3,D1.degree=4" for slot D1 becomes "D1#2.bits=3,D1#2.degree=4"; what names another slot is left out.  Those that
 * name the slot come last: the last one counts. */
static const char *rename_options(struct qn_text_memory *m, const char *options, const char *slot, const char *name)
{
    const char *out = "";

    for (int named = 0; named < 2; named++)
        for (const char *at = options; *at;) {
            size_t n = strcspn(at, ","), dot = strcspn(at, ".=");
            bool has_slot = dot < n && at[dot] == '.';
            const char *key = has_slot ? at + dot + 1 : at;

            if (has_slot == named && (!has_slot || (dot == strlen(slot) && !strncmp(at, slot, dot))))
                out = qn_text_format(m, "%s%s%s.%.*s", out, *out ? "," : "", name, (int)(at + n - key), key);
            at += n + (at[n] == ',');
        }
    return out;
}

static void add_options(struct writer *w, const char *options, const char *slot, const char *name)
{
    const char *own = rename_options(w->m, options, slot, name), *all = w->many->options;

    w->many->options = qn_text_format(w->m, "%s%s%s", all, *all && *own ? "," : "", own);
}

static void fill_options(struct writer *w, const struct qn_exp_group *g, const struct qn_exp_sim *sim,
                         const char *run_options)
{
    w->many->options = "";
    if (sim->file[QN_EXP_SLOT_I1])
        add_options(w, run_options, "I1", "I1");
    for (int kind = 0; kind < QN_EXP_MANY_KINDS; kind++) {
        const char *slot = qn_exp_kind_names[kind];

        MEMBERS(g, kind)
            add_options(w, g->member[kind][i].options, slot,
                        is_many(g, (enum qn_exp_kind)kind) ? qn_text_format(w->m, "%s#%d", slot, i) : slot);
    }
}

/* The hit filter of many caches has the lines used last in the sets of the smallest number, by the smallest line size. */
static void fill_geometry(struct qn_exp_many *many, const struct qn_exp_group *g)
{
    uint32_t line = UINT32_MAX, way = UINT32_MAX;

    many->LL = g->member[QN_EXP_MANY_LL][0].geometry;
    MEMBERS(g, QN_EXP_MANY_LL)
        if (g->member[QN_EXP_MANY_LL][i].geometry.line < many->LL.line)
            many->LL = g->member[QN_EXP_MANY_LL][i].geometry;
    MEMBERS(g, QN_EXP_MANY_D1) {
        const struct qn_geometry *d = &g->member[QN_EXP_MANY_D1][i].geometry;

        line = d->line < line ? d->line : line;
        way = d->size / d->assoc < way ? d->size / d->assoc : way;
    }
    many->D1 = is_many(g, QN_EXP_MANY_D1) ? (struct qn_geometry){ way, 1, line } : g->member[QN_EXP_MANY_D1][0].geometry;
}

bool qn_exp_write_many(struct qn_text_memory *m, const struct qn_exp_group *group, const struct qn_exp_sim *sim,
                       const char *run_options, const char *library, const char *folder, const char *stem,
                       struct qn_exp_many *many, struct qn_text_error *err)
{
    struct writer w = { m, library, folder, stem, many, 0, err };

    memset(many, 0, sizeof *many);
    write_table(&w, group);
    write_members(&w, group);
    add_extra(&w, NULL);
    fill_slots(&w, group, sim);
    fill_options(&w, group, sim, run_options);
    fill_geometry(many, group);
    return err->status == QN_TEXT_OK;
}

/* ---- the totals of such a build, for one run of the group ----
 *
 *   D1#1.D1mr,991             D1mr of the runs whose D1 is number 1
 *   D1#1.evictions,12         D1.evictions of them
 *   BC#0.bits,32780           BC_bits of the runs whose predictor is number 0
 */

/* The events of each kind. */
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

static bool counts(int kind, const char *event)
{
    for (int k = 0; k < 3 && events[kind][k]; k++)
        if (!strcmp(events[kind][k], event))
            return true;
    return false;
}

void qn_exp_take_many(struct qn_text_memory *m, struct qn_exp_result *r, const struct qn_exp_group *group, int i, const char *name,
                      const char *value)
{
    const char *rest;
    long number;
    int kind;

    if (!(rest = skip_member(name, &kind, &number)))
        qn_exp_add_total(m, r, name, value);
    else if (number == group->place[i][kind])
        qn_exp_add_total(m, r, counts(kind, rest + 1) ? rest + 1 : qn_text_format(m, "%.2s%s", name, rest), value);
}

/* Does the group count this event for each member? */
static bool is_own(const struct qn_exp_group *group, const char *name)
{
    bool caches = group->members[QN_EXP_MANY_D1] > 1 || group->members[QN_EXP_MANY_LL] > 1;

    for (int kind = 0; kind < QN_EXP_MANY_KINDS; kind++)
        if (counts(kind, name))
            return kind <= QN_EXP_MANY_LL ? caches : group->members[kind] > 1;
    return false;
}

/* Counts of the whole execution are those of each run.  Counts by member must be there, unless the execution did not count them
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
