/* lib/exp/runs.c - see runs.h. */
#include "exp/runs.h"

#include <string.h>

#include "base/base.h"

#define MACHINE "machine" /* the axis */

enum part { SIZE, WAYS, LINE, WHOLE, PARTS = WHOLE };
static const char *const part_names[PARTS] = { "size", "ways", "line" };

struct maker {
    struct qn_exp *e;
    const struct qn_geometry *host;
    const char **values; /* of the run being made */
    bool *used;          /* by axis */
    struct qn_exp_machine *machine; /* of the run being made, NULL: none */
    struct qn_text_error *err;
};

/* "D1.size" -> D1, SIZE; "D1" -> D1, WHOLE; "ways" -> D1, WAYS */
static bool parse_level_axis(const char *name, enum qn_exp_level *level, enum part *part)
{
    const char *tail = name;

    *level = QN_EXP_D1;
    *part = WHOLE;
    for (int i = 0; i < QN_EXP_LEVELS; i++)
        if (!strncmp(name, qn_exp_level_names[i], 2) && (!name[2] || name[2] == '.')) {
            *level = (enum qn_exp_level)i;
            if (!name[2])
                return true;
            tail = name + 3;
        }
    for (int i = 0; i < PARTS; i++)
        if (!strcmp(tail, part_names[i])) {
            *part = (enum part)i;
            return true;
        }
    return false;
}

bool qn_exp_is_parameter(const struct qn_exp_axis *axis)
{
    const char *name = axis->name.text;
    enum qn_exp_level level;
    enum part part;

    return strcmp(name, "sim") && strcmp(name, "seed") && !parse_level_axis(name, &level, &part);
}

/* The axis of this name; NULL: there is none. */
static const struct qn_exp_axis *varies(const struct qn_exp *e, const char *name)
{
    for (int i = 0; i < e->axis_count; i++)
        if (!strcmp(e->axes[i].name.text, name))
            return &e->axes[i];
    return NULL;
}

/* ---- {NAME} ---- */

/* The axis of "{NAME}" at `text`; -1: there is none, so the braces belong to the program, as in awk '{print}'. */
static int find_reference(const struct maker *m, const char *text, size_t *length)
{
    *length = strcspn(text + 1, "}");
    for (int i = 0; i < m->e->axis_count; i++)
        if (text[*length + 1] == '}' && strlen(m->e->axes[i].name.text) == *length
            && !strncmp(m->e->axes[i].name.text, text + 1, *length))
            return i;
    return -1;
}

static const char *fill_in(struct maker *m, const char *text)
{
    char *out = qn_text_copy(&m->e->memory, "");

    for (const char *brace; (brace = strchr(text, '{')); ) {
        size_t length;
        int axis = find_reference(m, brace, &length);

        if (axis < 0) {
            out = qn_text_format(&m->e->memory, "%s%.*s", out, (int)(brace - text) + 1, text);
            text = brace + 1;
            continue;
        }
        m->used[axis] = true;
        out = qn_text_format(&m->e->memory, "%s%.*s%s", out, (int)(brace - text), text, m->values[axis]);
        text = brace + length + 2;
    }
    return *out ? qn_text_format(&m->e->memory, "%s%s", out, text) : qn_text_copy(&m->e->memory, text);
}

/* ---- geometry ---- */

static bool bad_geometry(struct maker *m, const char *origin, const char *level, const char *text, const char *wanted)
{
    qn_text_fail(m->err, QN_TEXT_BAD, "%s: %s: got '%s', wanted %s", origin, level, text, wanted);
    return false;
}

static bool parse_geometry(struct maker *m, const char *level, const char *text, const char *origin,
                           struct qn_geometry *g)
{
    uint32_t *parts[PARTS] = { &g->size, &g->assoc, &g->line };
    const char *at = text;

    for (int i = 0; i < PARTS; i++) {
        size_t n = strcspn(at, ",");
        uint64_t number;

        if ((at[n] == ',') != (i < PARTS - 1)
            || !qn_exp_parse_size(qn_text_copy_part(&m->e->memory, at, n), &number) || number > UINT32_MAX)
            return bad_geometry(m, origin, level, text, "SIZE,WAYS,LINE");
        *parts[i] = (uint32_t)number;
        at += n + 1;
    }
    return true;
}

/* `whole`: only axes of whole levels, or only those of parts. */
static bool apply_axis(struct maker *m, int i, bool whole, struct qn_geometry g[QN_EXP_LEVELS],
                       const char *origins[QN_EXP_LEVELS])
{
    const struct qn_exp_axis *axis = &m->e->axes[i];
    const char *value = m->values[i];
    enum qn_exp_level level;
    enum part part;
    uint64_t number;

    if (!parse_level_axis(axis->name.text, &level, &part) || (part == WHOLE) != whole)
        return true;
    m->used[i] = true;
    for (int v = 0; v < axis->values.count; v++)
        if (!strcmp(axis->values.at[v].text, value))
            origins[level] = axis->values.at[v].origin;
    if (part == WHOLE)
        return parse_geometry(m, qn_exp_level_names[level], fill_in(m, value), origins[level], &g[level]);
    if (!qn_exp_parse_size(value, &number) || number > UINT32_MAX)
        return bad_geometry(m, origins[level], axis->name.text, value, "a number below 2^32");
    *(part == SIZE ? &g[level].size : part == WAYS ? &g[level].assoc : &g[level].line) = (uint32_t)number;
    return true;
}

/* Is this level's size, ways or line an axis? */
static bool varies_in_parts(const struct maker *m, enum qn_exp_level level)
{
    enum qn_exp_level of;
    enum part part;

    for (int i = 0; i < m->e->axis_count; i++)
        if (parse_level_axis(m->e->axes[i].name.text, &of, &part) && of == level && part != WHOLE)
            return true;
    return false;
}

/* This machine's geometry.  If size, ways or line of the level vary, its ways are changed to a power of two: with 12 ways no size of 2^n bytes
 * is possible. */
static struct qn_geometry usual_geometry(const struct maker *m, enum qn_exp_level level)
{
    struct qn_geometry g = m->machine ? m->machine->geometry[level] : m->host[level];
    uint32_t sets = g.line ? g.size / (g.assoc * g.line) : 0; /* no machine's L2 is taken */

    if (sets && varies_in_parts(m, level) && !qn_is_pow2(g.assoc)) {
        g.assoc = 1u << qn_log2(g.assoc);
        g.size = sets * g.assoc * g.line;
    }
    return g;
}

/* The given geometry, then axes of whole levels, then axes of their parts. */
static bool find_geometry(struct maker *m, struct qn_exp_run *run)
{
    const char *origins[QN_EXP_LEVELS];

    for (int i = 0; i < QN_EXP_LEVELS; i++) {
        const struct qn_exp_text *given = &m->e->geometry[i];

        run->geometry[i] = usual_geometry(m, i);
        origins[i] = given->text ? given->origin : m->machine ? m->machine->path : i == QN_EXP_L2 ? "no L2 is given" : "this machine's cache";
        if (given->text
            && !parse_geometry(m, qn_exp_level_names[i], fill_in(m, given->text), given->origin, &run->geometry[i]))
            return false;
    }
    for (int pass = 0; pass < 2; pass++)
        for (int i = 0; i < m->e->axis_count; i++)
            if (!apply_axis(m, i, pass == 0, run->geometry, origins))
                return false;
    for (int i = 0; i < QN_EXP_LEVELS; i++) {
        const struct qn_geometry *g = &run->geometry[i];
        bool none = i == QN_EXP_L2 && (!qn_exp_has_L2(m->e) || (m->machine && !g->size && !g->assoc && !g->line));
        const char *wanted = none ? NULL : qn_exp_wanted_of((enum qn_exp_level)i, g);

        if (wanted)
            return bad_geometry(m, origins[i], qn_exp_level_names[i],
                                qn_text_format(&m->e->memory, "%u,%u,%u", g->size, g->assoc, g->line), wanted);
    }
    return true;
}

/* ---- the rest of a run ---- */

static void fill_command(struct maker *m, struct qn_exp_run *run)
{
    const struct qn_exp_texts *argv = &run->program->argv;

    run->argv = qn_text_alloc(&m->e->memory, ((size_t)argv->count + 1) * sizeof *run->argv);
    for (int i = 0; i < argv->count; i++)
        run->argv[i] = fill_in(m, argv->at[i].text);
    m->e->has_input |= run->program->input.text != NULL;
    if (run->program->input.text)
        run->input = fill_in(m, run->program->input.text);
}

/* Of the modules of a machine, those that are simulated; their options. */
static void take_modules(struct maker *m, struct qn_exp_run *run)
{
    struct qn_text_memory *memory = &m->e->memory;
    bool caches = !m->e->cache_sim.text || strcmp(m->e->cache_sim.text, "no"), branches = m->e->branch_sim.text && !strcmp(m->e->branch_sim.text, "yes");
    const char *sim = "";

    for (int i = 0; i < QN_EXP_SLOT_AN; i++) {
        if (!m->machine->module[i].text || !(i < QN_EXP_SLOT_BC ? caches : branches))
            continue;
        sim = qn_text_format(memory, "%s%s%s=%s", sim, *sim ? "+" : "", qn_exp_slot_names[i], m->machine->module[i].text);
        if (*m->machine->options[i])
            run->options = qn_text_format(memory, "%s%s%s", run->options, *run->options ? "," : "", m->machine->options[i]);
    }
    if (*sim)
        run->sim = (struct qn_exp_text){ sim, m->machine->path };
}

static bool fill_settings(struct maker *m, struct qn_exp_run *run)
{
    struct qn_exp *e = m->e;
    struct qn_exp_text seed = e->seed;

    run->sim = (struct qn_exp_text){ "default", "" };
    run->options = "";
    if (m->machine && !varies(m->e, "sim"))
        take_modules(m, run);
    for (int i = 0; i < e->axis_count; i++) {
        const char *name = e->axes[i].name.text;

        if (!strcmp(name, "sim"))
            run->sim = (struct qn_exp_text){ fill_in(m, m->values[i]), e->axes[i].name.origin };
        else if (!strcmp(name, "seed"))
            seed = (struct qn_exp_text){ m->values[i], e->axes[i].name.origin };
        else if (strcmp(name, MACHINE))
            continue;
        m->used[i] = true;
    }
    run->seed = 1;
    if (seed.text && !qn_exp_parse_size(seed.text, &run->seed))
        return bad_geometry(m, seed.origin, "seed", seed.text, "a number");
    for (int i = 0; i < e->options.count; i++)
        run->options = qn_text_format(&e->memory, "%s%s%s", run->options, *run->options ? "," : "", fill_in(m, e->options.at[i].text));
    return true;
}

static bool make_run(struct maker *m, const struct qn_exp_program *program, struct qn_exp_run *run)
{
    *run = (struct qn_exp_run){ .program = program, .machine = m->machine };
    run->values = qn_text_alloc(&m->e->memory, ((size_t)m->e->axis_count + 1) * sizeof *run->values);
    memcpy(run->values, m->values, (size_t)m->e->axis_count * sizeof *run->values);
    fill_command(m, run);
    return fill_settings(m, run) && find_geometry(m, run);
}

/* ---- all of them ---- */

static bool count_runs(const struct qn_exp *e, int *count, struct qn_text_error *err)
{
    uint64_t n = (uint64_t)e->program_count;

    for (int i = 0; i < e->axis_count; i++) {
        n *= (uint64_t)e->axes[i].values.count;
        if (!e->axes[i].values.count)
            return qn_text_fail(err, QN_TEXT_BAD, "%s: %s has no values", e->axes[i].name.origin, e->axes[i].name.text), false;
        if (n > QN_EXP_RUNS_MAX)
            return qn_text_fail(err, QN_TEXT_BAD, "more than %d runs", QN_EXP_RUNS_MAX), false;
    }
    *count = (int)n;
    return n || (qn_text_fail(err, QN_TEXT_BAD, "no program to run"), false);
}

static bool all_used(const struct maker *m)
{
    for (int i = 0; i < m->e->axis_count; i++)
        if (!m->used[i]) {
            qn_text_fail(m->err, QN_TEXT_BAD, "%s: nothing has a {%s} that could vary", m->e->axes[i].name.origin,
                         m->e->axes[i].name.text);
            return false;
        }
    return true;
}

static bool read_machines(struct maker *m, struct qn_exp_runs *runs)
{
    const struct qn_exp_axis *axis = varies(m->e, MACHINE);

    runs->machines = axis ? qn_text_alloc(&m->e->memory, (size_t)axis->values.count * sizeof *runs->machines) : NULL;
    for (int i = 0; axis && i < axis->values.count; i++) {
        struct qn_exp_machine *machine = &runs->machines[runs->machine_count++];
        struct qn_text_error err = { .status = QN_TEXT_OK };
        const struct qn_exp_text *value = &axis->values.at[i];

        if (!qn_exp_read_machine(machine, value->text, m->e->library, &err))
            return qn_text_fail(m->err, QN_TEXT_BAD, "%s: " MACHINE ": %s", value->origin, err.text), false;
        m->e->machine_has_time |= machine->time.width != 0;
        m->e->machine_has_L2 |= machine->geometry[QN_EXP_L2].line != 0;
    }
    return true;
}

bool qn_exp_make_runs(struct qn_exp *e, const struct qn_geometry host[QN_EXP_LEVELS], struct qn_exp_runs *runs,
                      struct qn_text_error *err)
{
    struct maker m = { .e = e, .host = host, .err = err };
    const struct qn_exp_axis *machine = varies(e, MACHINE);

    if (!count_runs(e, &runs->count, err) || !read_machines(&m, runs))
        return false;
    m.values = qn_text_alloc(&e->memory, ((size_t)e->axis_count + 1) * sizeof *m.values);
    m.used = qn_text_alloc(&e->memory, (size_t)e->axis_count + 1);
    runs->at = qn_text_alloc(&e->memory, (size_t)runs->count * sizeof *runs->at);
    for (int i = 0; i < runs->count; i++) {
        int rest = i;

        for (int a = e->axis_count - 1; a >= 0; a--) { /* mixed-radix digits, the last axis first */
            m.values[a] = e->axes[a].values.at[rest % e->axes[a].values.count].text;
            if (&e->axes[a] == machine)
                m.machine = &runs->machines[rest % machine->values.count];
            rest /= e->axes[a].values.count;
        }
        if (!make_run(&m, &e->programs[rest], &runs->at[i]))
            return false;
    }
    return all_used(&m);
}

void qn_exp_free_runs(struct qn_exp_runs *runs)
{
    for (int i = 0; i < runs->machine_count; i++)
        qn_exp_free_machine(&runs->machines[i]);
}
