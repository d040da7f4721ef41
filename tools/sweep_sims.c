/* tools/sweep_sims.c - what the name of a simulator stands for, and building it.
 *
 *   default               what this quern was built with
 *   srrip  mine.c         the module in the slot where one looks for it: policies in D1, predictors in BC or BI, analysis in AN
 *   D1=srrip+LL=srrip     a module per slot
 *   ./mysim               built before, by `quern sim build`
 *   mine                  a simulator that the experiment file defines
 *
 * Invariant: all names are resolved, and their modules hashed, before anything runs.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/base.h"
#include "run.h"
#include "sim_build.h"
#include "sweep.h"
#include "tools.h"

_Static_assert((int)QN_EXP_SLOTS == (int)QN_SIM_SLOTS && (int)QN_EXP_SLOT_AN == (int)QN_SIM_AN, "the same slots");

#define SOURCE_MAX (1u << 20) /* bytes of a module that are looked at */

static const char *const defaults[QN_EXP_SLOTS] = { "lru", "lru", "lru", "cachegrind", "cachegrind", "" };

static int refuse(const struct qn_exp_text *sim, const char *what, const char *got)
{
    qn_tool_complain("quern: sweep: %s%ssim: %s'%s'", sim->origin, *sim->origin ? ": " : "", what, got);
    return QN_EXIT_USAGE;
}

/* ---- modules ---- */

static char *read_source(struct qn_exp_memory *m, const char *path)
{
    FILE *f = fopen(path, "r");
    char *text = qn_exp_alloc(m, SOURCE_MAX);

    if (f && fread(text, 1, SOURCE_MAX - 1, f) == 0)
        text[0] = 0;
    if (f)
        fclose(f);
    return text;
}

static bool is_policy(const char *source) { return strstr(source, "#define POLICY \""); }

/* The slot where one looks for a module of its kind; -1: it has no slot of its own. */
static int usual_slot(const char *source)
{
    if (is_policy(source))
        return QN_EXP_SLOT_D1;
    if (strstr(source, "#define PREDICTOR \""))
        return strstr(source, "branchsim_BI_target") ? QN_EXP_SLOT_BI : QN_EXP_SLOT_BC;
    return strstr(source, "#define ANALYSIS \"") ? QN_EXP_SLOT_AN : -1;
}

static int put_module(struct qn_sweep *s, struct qn_exp_sim *sim, int slot, const char *name)
{
    struct qn_exp_memory *m = &s->options.exp.memory;
    const char *library = qn_sim_library("sweep"), *base, *slash, *source;
    char *file = library ? qn_sim_find_module("sweep", library, slot < 0 ? QN_SIM_D1 : (enum qn_sim_slot)slot, name) : NULL;

    if (!file)
        return QN_EXIT_USAGE;
    source = read_source(m, file);
    if (slot < 0)
        slot = usual_slot(source);
    if (slot < 0) {
        qn_tool_complain("quern: sweep: sim: %s fits several slots: say which, as D1=%s", name, name);
        free(file);
        return QN_EXIT_USAGE;
    }
    slash = strrchr(file, '/');
    base = slash ? slash + 1 : file;
    sim->file[slot] = qn_exp_copy(m, file);
    if (slot == QN_EXP_SLOT_AN || ((slot == QN_EXP_SLOT_D1 || slot == QN_EXP_SLOT_LL) && !is_policy(source))
        || strstr(source, "#define PREDICTOR_RETURNS"))
        sim->shareable = false;
    sim->module[slot] = qn_exp_format(m, "%.*s:%016llx", (int)strcspn(base, "."), base,
                                      (unsigned long long)qn_sim_hash_file(file));
    free(file);
    return 0;
}

/* "D1=srrip+LL=srrip", "srrip" */
static int take_modules(struct qn_sweep *s, struct qn_exp_sim *sim, const struct qn_exp_text *text)
{
    char *copy = qn_exp_copy(&s->options.exp.memory, text->text), *word;

    while ((word = strsep(&copy, "+"))) {
        char *equals = strchr(word, '=');
        int slot = equals ? qn_sim_find_slot(word, (unsigned)(equals - word)) : -1, status;

        if (equals && slot < 0)
            return refuse(text, "wanted SLOT=MODULE, got ", word);
        status = put_module(s, sim, slot, equals ? equals + 1 : word);
        if (status)
            return status;
    }
    return 0;
}

/* ---- engines that are there ---- */

/* "I1=lru D1=srrip:50b3 ..." */
static void take_description(struct qn_exp_memory *m, struct qn_exp_sim *sim, const char *text)
{
    while (*text) {
        size_t n = strcspn(text, " "), name = strcspn(text, "=");
        int slot = name < n ? qn_sim_find_slot(text, (unsigned)name) : -1;

        if (slot >= 0)
            sim->module[slot] = qn_exp_copy_part(m, text + name + 1, n - name - 1);
        text += n + strspn(text + n, " ");
    }
}

static int take_engine(struct qn_sweep *s, struct qn_exp_sim *sim, const char *name)
{
    struct qn_run r = { .options.sim = (char *)name };
    char *text = NULL;
    int status = qn_run_find_engine(&r);

    if (status || !(text = qn_sim_describe("sweep", r.engine)))
        return QN_EXIT_USAGE;
    sim->engine = qn_exp_copy(&s->options.exp.memory, r.engine);
    take_description(&s->options.exp.memory, sim, text);
    for (int i = 0; i < QN_EXP_SLOTS; i++)
        sim->shareable = sim->shareable && !strcmp(sim->module[i], defaults[i]);
    free(text);
    free(r.engine);
    return 0;
}

static bool is_program(const char *path)
{
    struct stat st;

    return strchr(path, '/') && stat(path, &st) == 0 && S_ISREG(st.st_mode) && (st.st_mode & 0111);
}

/* ---- names ---- */

static int take_definition(struct qn_sweep *s, struct qn_exp_sim *sim, const struct qn_exp_simulator *d)
{
    for (int i = 0; i < d->options.count; i++)
        sim->options = qn_exp_format(&s->options.exp.memory, "%s%s%s", sim->options, i ? "," : "", d->options.at[i].text);
    if (d->path.text)
        return take_engine(s, sim, d->path.text);
    for (int i = 0; i < QN_EXP_SLOTS; i++) {
        int status = d->module[i].text ? put_module(s, sim, i, d->module[i].text) : 0;

        if (status) {
            qn_tool_complain("quern: sweep: %s: simulator %s cannot be used", d->module[i].origin, d->name.text);
            return status;
        }
    }
    return 0;
}

static int resolve(struct qn_sweep *s, struct qn_exp_sim *sim, const struct qn_exp_text *text)
{
    const struct qn_exp *e = &s->options.exp;

    sim->shareable = true;
    for (int i = 0; i < QN_EXP_SLOTS; i++)
        sim->module[i] = defaults[i];
    for (int i = 0; i < e->simulator_count; i++)
        if (!strcmp(e->simulators[i].name.text, text->text))
            return take_definition(s, sim, &e->simulators[i]);
    if (!strcmp(text->text, "default"))
        return take_engine(s, sim, NULL);
    if (is_program(text->text))
        return take_engine(s, sim, text->text);
    return take_modules(s, sim, text);
}

static int find_sim(struct qn_sweep *s, int run)
{
    const struct qn_exp_text *text = &s->runs.at[run].sim;
    struct qn_exp_sim *sim;
    int status;

    for (int i = 0; i < s->known_count; i++)
        if (!strcmp(s->known[i]->text, text->text)) {
            s->sims[run] = s->known[i];
            return 0;
        }
    if (s->known_count == (int)QN_ARRAY_LEN(s->known))
        return refuse(text, "more than 1000 simulators: ", text->text);
    sim = qn_exp_alloc(&s->options.exp.memory, sizeof *sim);
    sim->text = text->text;
    sim->options = "";
    status = resolve(s, sim, text);
    s->known[s->known_count++] = s->sims[run] = sim;
    return status;
}

int qn_sweep_find_sims(struct qn_sweep *s)
{
    int status = 0;

    s->sims = qn_exp_alloc(&s->options.exp.memory, (size_t)s->runs.count * sizeof *s->sims);
    for (int i = 0; i < s->runs.count && !status; i++)
        status = find_sim(s, i);
    return status;
}

/* ---- building ---- */

int qn_sweep_build_sim(struct qn_sweep *s, struct qn_exp_sim *sim)
{
    struct qn_sim_build b = { .tool = "sweep" };

    if (sim->engine)
        return 0;
    for (int i = 0; i < QN_EXP_SLOTS; i++)
        b.module[i] = sim->file[i];
    for (int i = 0; i < s->known_count; i++)
        if (s->known[i] == sim)
            b.output = qn_exp_format(&s->options.exp.memory, "%s/sim-%d-%d", s->work, i, (int)getpid());
    if (qn_sim_build(&b)) {
        qn_tool_complain("quern: sweep: simulator %s cannot be built", sim->text);
        return 1;
    }
    sim->engine = b.output;
    return 0;
}

static void make_many(struct qn_sweep *s, struct qn_sweep_build *build, int number)
{
    struct qn_exp_memory *m = &s->options.exp.memory;
    struct qn_prof_error err = { .status = QN_PROF_OK };
    struct qn_sim_build b = { .tool = "sweep", .many = true };
    const char *library = qn_sim_library("sweep"), *stem = qn_exp_format(m, "g%d-%d", number, (int)getpid());
    int first = build->group->runs[0];

    if (!library)
        return;
    if (!qn_exp_write_many(m, build->group, s->sims[first], s->provenance[first].options, library, s->work, stem,
                           &build->many, &err)) {
        fprintf(stderr, "quern: sweep: %s\n", err.text);
        return;
    }
    for (int i = 0; i < QN_EXP_SLOTS; i++)
        b.module[i] = build->many.module[i];
    b.extra = build->many.extra;
    b.output = qn_exp_format(m, "%s/many-%s", s->work, stem); /* apart from the files of jobs, which go */
    if (!qn_sim_build(&b))
        build->engine = b.output;
}

const struct qn_sweep_build *qn_sweep_build_many(struct qn_sweep *s, const struct qn_exp_group *group, int number)
{
    struct qn_exp_memory *m = &s->options.exp.memory;
    const char *I1 = s->sims[group->runs[0]]->file[QN_EXP_SLOT_I1];
    struct qn_sweep_build *build;

    for (int i = 0; i < s->build_count; i++) {
        build = s->builds[i];
        if ((build->I1 == I1 || (I1 && build->I1 && !strcmp(build->I1, I1))) && qn_exp_same_members(build->group, group))
            return build;
    }
    build = qn_exp_alloc(m, sizeof *build);
    build->group = group;
    build->I1 = I1;
    make_many(s, build, number);
    s->builds = qn_exp_grow(m, s->builds, (size_t)s->build_count, sizeof *s->builds);
    return s->builds[s->build_count++] = build;
}
