/* lib/exp/many.c - see many.h; lib/sim/many/many.h describes the table. */
#include "exp/many.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/base.h"

#define MEMBERS(group, kind) for (int i = 0; i < (group)->members[kind]; i++)

static uint32_t sets_of(const struct qn_geometry *g) { return g->size / (g->assoc * g->line); }

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

/* For the log of sim/many/fetches.c. */
static bool may_log(const struct plan *p, const struct qn_exp_sim *sim)
{
    bool may = !sim->file[QN_EXP_SLOT_I1] && p->node[0].bits == p->node[p->nodes - 1].bits;

    for (int kind = QN_EXP_MANY_D1; kind <= QN_EXP_MANY_LL; kind++)
        MEMBERS(p->g, kind)
            may = may && !p->g->member[kind][i].file;
    return may;
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

static void write_table(struct writer *w, const struct qn_exp_group *g, const struct qn_exp_sim *sim)
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
        if (may_log(p, sim))
            fputs("#define MANY_LOGS 1\n", f);
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
    write_table(&w, group, sim);
    write_members(&w, group);
    add_extra(&w, NULL);
    fill_slots(&w, group, sim);
    fill_options(&w, group, sim, run_options);
    fill_geometry(many, group);
    return err->status == QN_TEXT_OK;
}
