/* tools/sweep/sweep_sims.c - what the name of a simulator stands for, and building it.
 *
 *   srrip  mine.c  D1=srrip+LL=srrip  ./mysim  default      as everywhere: lib/engines/choose.c
 *   mine                                                    a simulator that the experiment file defines, before all others
 *
 * Invariant: all names are resolved, and their modules hashed, before anything runs.
 */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../tools.h"
#include "base/base.h"
#include "engines/engines.h"
#include "sweep.h"
#include "text/output.h"

_Static_assert((int)QN_EXP_SLOTS == (int)QN_ENGINES_SLOTS && (int)QN_EXP_SLOT_AN == (int)QN_ENGINES_AN, "the same slots");

static const char *const defaults[QN_EXP_SLOTS] = { "lru", "lru", "lru", "cachegrind", "cachegrind", "" };

static int refuse(const struct qn_exp_text *sim, const char *what, const char *got)
{
    qn_text_complain("quern: sweep: %s%ssim: %s'%s'", sim->origin, *sim->origin ? ": " : "", what, got);
    return QN_EXIT_USAGE;
}

/* ---- modules ---- */

/* May a run with this module share an execution?  Not with an analysis, a module of a whole level, or a predictor of returns. */
static bool is_shareable(int slot, const char *file)
{
    char *source = qn_engines_read_source(file);
    bool alone = slot == QN_EXP_SLOT_AN || !source
                 || ((slot == QN_EXP_SLOT_D1 || slot == QN_EXP_SLOT_LL) && !qn_engines_source_defines(source, "POLICY"))
                 || qn_engines_source_defines(source, "PREDICTOR_RETURNS");

    free(source);
    return !alone;
}

static void take_chosen(struct qn_sweep *s, struct qn_exp_sim *sim, const struct qn_engines_choice *c)
{
    struct qn_text_memory *m = &s->options.exp.memory;

    for (int i = 0; i < QN_EXP_SLOTS; i++) {
        const struct qn_engines_module *module = &c->slot[i];

        if (!module->name || !strcmp(module->name, "default"))
            continue;
        sim->file[i] = module->file ? qn_text_copy(m, module->file) : NULL;
        sim->module[i] = qn_text_copy(m, module->name);
        sim->shareable = sim->shareable && module->file && is_shareable(i, module->file);
    }
}

/* ---- engines that are there ---- */

/* "I1=lru D1=srrip:50b3 ..." */
static void take_description(struct qn_text_memory *m, struct qn_exp_sim *sim, const char *text)
{
    while (*text) {
        size_t n = strcspn(text, " "), name = strcspn(text, "=");
        int slot = name < n ? qn_engines_find_slot(text, (unsigned)name) : -1;

        if (slot >= 0)
            sim->module[slot] = qn_text_copy_part(m, text + name + 1, n - name - 1);
        text += n + strspn(text + n, " ");
    }
}

static int take_engine(struct qn_sweep *s, struct qn_exp_sim *sim, const char *engine)
{
    struct qn_engines_texts t;

    if (!engine || !qn_engines_read_texts(engine, &t)) {
        qn_engines_tell_no_engine("sweep");
        return QN_EXIT_USAGE;
    }
    sim->engine = qn_text_copy(&s->options.exp.memory, engine);
    take_description(&s->options.exp.memory, sim, t.description);
    for (int i = 0; i < QN_EXP_SLOTS; i++)
        sim->shareable = sim->shareable && !strcmp(sim->module[i], defaults[i]);
    qn_engines_free_texts(&t);
    return 0;
}

/* ---- names ---- */

/* "sim", or where in the experiment file. */
static const char *option_of(struct qn_sweep *s, const struct qn_exp_text *text)
{
    return *text->origin ? qn_text_format(&s->options.exp.memory, "%s: sim", text->origin) : "sim";
}

static int take_definition(struct qn_sweep *s, struct qn_exp_sim *sim, const struct qn_exp_simulator *d)
{
    struct qn_engines_choice c = { .tool = "sweep" };
    int status = 0;

    for (int i = 0; i < d->options.count; i++)
        sim->options = qn_text_format(&s->options.exp.memory, "%s%s%s", sim->options, i ? "," : "", d->options.at[i].text);
    if (d->path.text) {
        c.engine = qn_engines_search_engine("sweep", option_of(s, &d->path), d->path.text);
        status = c.engine ? take_engine(s, sim, c.engine) : QN_EXIT_USAGE;
        qn_engines_free_choice(&c);
        return status;
    }
    for (int i = 0; i < QN_EXP_SLOTS && !status; i++) {
        if (!d->module[i].text)
            continue;
        c.option = option_of(s, &d->module[i]);
        if (qn_engines_choose_module(&c, i, d->module[i].text))
            continue;
        qn_text_complain("quern: sweep: %s: simulator %s cannot be used", d->module[i].origin, d->name.text);
        status = QN_EXIT_USAGE;
    }
    take_chosen(s, sim, &c);
    qn_engines_free_choice(&c);
    return status;
}

/* What was chosen for `text`: an engine that is there, or modules. */
static int take(struct qn_sweep *s, struct qn_exp_sim *sim, const struct qn_exp_text *text, const struct qn_engines_choice *c)
{
    if (c->nmore) {
        qn_text_complain("quern: sweep: sim=%s: a simulator of a sweep has one analysis at most", text->text);
        return QN_EXIT_USAGE;
    }
    if (c->engine || !strcmp(text->text, "default"))
        return take_engine(s, sim, c->engine);
    take_chosen(s, sim, c);
    return 0;
}

static int resolve(struct qn_sweep *s, struct qn_exp_sim *sim, const struct qn_exp_text *text)
{
    const struct qn_exp *e = &s->options.exp;
    struct qn_engines_choice c = { .tool = "sweep", .option = option_of(s, text) };
    int status;

    sim->shareable = true;
    for (int i = 0; i < QN_EXP_SLOTS; i++)
        sim->module[i] = defaults[i];
    for (int i = 0; i < e->simulator_count; i++)
        if (!strcmp(e->simulators[i].name.text, text->text))
            return take_definition(s, sim, &e->simulators[i]);
    if (!strcmp(text->text, "default"))
        c.engine = qn_engines_default_engine();
    status = c.engine || qn_engines_choose(&c, text->text) ? take(s, sim, text, &c) : QN_EXIT_USAGE;
    qn_engines_free_choice(&c);
    return status;
}

/* Many at once takes what has no file for the default as sim/fast has it: not where a default file was edited. */
static bool defaults_are_proven(const struct qn_exp_sim *sim)
{
    char *engine = qn_engines_default_engine(), *hash;
    struct qn_engines_texts t = { .description = NULL };
    bool proven = engine && qn_engines_read_texts(engine, &t);

    for (int i = 0; i < QN_EXP_SLOT_AN && proven; i++) {
        hash = sim->file[i] ? NULL : qn_engines_text_of_slot(t.defaults, (enum qn_engines_slot)i);
        proven = sim->file[i] || hash;
        free(hash);
    }
    qn_engines_free_texts(&t);
    free(engine);
    return proven;
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
    sim = qn_text_alloc(&s->options.exp.memory, sizeof *sim);
    sim->text = text->text;
    sim->options = "";
    status = resolve(s, sim, text);
    sim->shareable = !status && sim->shareable && defaults_are_proven(sim);
    s->known[s->known_count++] = s->sims[run] = sim;
    return status;
}

int qn_sweep_find_sims(struct qn_sweep *s)
{
    int status = 0;

    s->sims = qn_text_alloc(&s->options.exp.memory, (size_t)s->runs.count * sizeof *s->sims);
    for (int i = 0; i < s->runs.count && !status; i++)
        status = find_sim(s, i);
    return status;
}

/* ---- building ---- */

/* What the default engine has is told by its name and hash; else all of it is compiled, and stays with us, whatever becomes of
 * the files. */
static bool find_by_name(struct qn_sweep *s, struct qn_exp_sim *sim)
{
    struct qn_engines_choice c = { .tool = "sweep" };
    char *text;

    for (int i = 0; i < QN_EXP_SLOTS; i++)
        if (strcmp(sim->module[i], defaults[i]))
            c.slot[i].name = qn_text_copy(&s->options.exp.memory, sim->module[i]);
    text = qn_engines_by_name(&c);
    if (text)
        sim->engine = qn_text_copy(&s->options.exp.memory, text);
    free(text);
    return sim->engine;
}

int qn_sweep_build_sim(struct qn_sweep *s, struct qn_exp_sim *sim)
{
    struct qn_engines_build b = { .tool = "sweep", .kept = true };

    if (sim->engine || find_by_name(s, sim))
        return 0;
    for (int i = 0; i < QN_EXP_SLOTS; i++) {
        b.module[i] = sim->file[i];
        if (sim->file[i] || !strcmp(sim->module[i], defaults[i]))
            continue;
        qn_text_complain("quern: sweep: %s=%s is in no engine that is there", qn_engines_slot_names[i], sim->module[i]);
        return 1;
    }
    for (int i = 0; i < s->known_count; i++)
        if (s->known[i] == sim)
            b.output = qn_text_format(&s->options.exp.memory, "%s/sim-%d-%d", s->work, i, (int)getpid());
    if (qn_engines_build(&b)) {
        qn_text_complain("quern: sweep: simulator %s cannot be built", sim->text);
        return 1;
    }
    sim->engine = b.output;
    return 0;
}

/* A build of the table alone is kept, as simulators of a run are: then the table has a place that does not change, named after what it says. */
static bool keep_table(struct qn_text_memory *m, struct qn_exp_many *many)
{
    char *cache = many->extra[1] ? NULL : qn_engines_cache_folder(), *text = cache ? qn_engines_read_source(many->table) : NULL;
    struct qn_text_error err = { .status = QN_TEXT_OK };
    struct qn_text_output out;
    const char *path;
    bool kept = false;

    if (text) {
        path = qn_text_format(m, "%s/" QN_ENGINES_TABLE "%016llx.h", cache, (unsigned long long)qn_engines_hash_file(many->table));
        if (qn_text_open_output(&out, path, 0600, &err) == QN_TEXT_OK) {
            fprintf(qn_text_stream_output(&out), QN_ENGINES_TABLE_MARK "%s", text);
            kept = qn_text_close_output(&out, &err) == QN_TEXT_OK;
        }
        if (kept)
            many->extra[0] = qn_text_format(m, "-DQN_MANY_TABLE=\"%s\"", path);
    }
    free(text);
    free(cache);
    return kept;
}

static void make_many(struct qn_sweep *s, struct qn_sweep_build *build, int number)
{
    struct qn_text_memory *m = &s->options.exp.memory;
    struct qn_text_error err = { .status = QN_TEXT_OK };
    struct qn_engines_build b = { .tool = "sweep", .many = true };
    const char *library = qn_engines_library("sweep"), *stem = qn_text_format(m, "g%d-%d", number, (int)getpid());
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
    b.kept = keep_table(m, &build->many);
    b.extra = build->many.extra;
    b.output = qn_text_format(m, "%s/many-%s", s->work, stem); /* apart from the files of jobs, which go */
    if (!qn_engines_build(&b))
        build->engine = b.output;
}

const struct qn_sweep_build *qn_sweep_build_many(struct qn_sweep *s, const struct qn_exp_group *group, int number)
{
    struct qn_text_memory *m = &s->options.exp.memory;
    const char *I1 = s->sims[group->runs[0]]->file[QN_EXP_SLOT_I1];
    struct qn_sweep_build *build;

    for (int i = 0; i < s->build_count; i++) {
        build = s->builds[i];
        if ((build->I1 == I1 || (I1 && build->I1 && !strcmp(build->I1, I1))) && qn_exp_same_members(build->group, group))
            return build;
    }
    build = qn_text_alloc(m, sizeof *build);
    build->group = group;
    build->I1 = I1;
    make_many(s, build, number);
    s->builds = qn_text_grow(m, s->builds, (size_t)s->build_count, sizeof *s->builds);
    return s->builds[s->build_count++] = build;
}
