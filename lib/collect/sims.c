/* lib/collect/sims.c - --sim, --versus and --analysis: chooses the engine and the modules in its slots; prints them with -v.
 *
 *   --sim=D1=mine.c --versus=D1=fifo      one engine that has both modules; the program runs once
 *   --sim=./mysim --analysis=values       the modules of ./mysim, and this module in slot AN
 */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "collect/collect.h"
#include "engines/engines.h"
#include "text/error.h"

static int refuse(const char *option, const char *what)
{
    qn_collect_complain("--%s: %s", option, what);
    return QN_EXIT_USAGE;
}

/* The module that was named for a slot from `first` to `last`; NULL: none. */
static const struct qn_engines_module *named(const struct qn_engines_choice *c, int first, int last)
{
    for (int i = first; i <= last; i++)
        if (c->slot[i].given && strcmp(c->slot[i].given, "default")) /* --sim=default names none: a sweep says it with each row */
            return &c->slot[i];
    return NULL;
}

/* Each core needs a D1 that is kept coherent with the others', and the LL serves them all.  Of an engine, or a module named by its hash, the engine says so. */
static int check_cores(const struct qn_collect_options *o, const struct qn_engines_choice *c)
{
    const struct qn_engines_module *D1 = &c->slot[QN_ENGINES_D1], *LL = &c->slot[QN_ENGINES_LL];

    if (c->at_L2)
        return qn_collect_complain("--cores: not with a module in slot L2: each core has one of its own"), QN_EXIT_USAGE;
    if (o->cores > 1 && D1->file && !qn_engines_file_defines(D1->file, "COHERENCE"))
        return qn_collect_complain("--sim=D1=%s: not with --cores: wanted a coherence protocol (mesi), or mesi+tlb", D1->given), QN_EXIT_USAGE;
    if (o->cores > 1 && LL->file && qn_engines_file_defines(LL->file, "LEVEL_WANTS_EVICTIONS"))
        return qn_collect_complain("--sim=LL=%s: not with --cores: it holds what the levels above give up", LL->given), QN_EXIT_USAGE;
    return 0;
}

/* A predictor that is named is simulated: --branch-sim=yes goes without saying. What is named and cannot be simulated is refused. */
static int check_named(struct qn_collect_options *o, const struct qn_engines_choice *c, bool observes)
{
    const struct qn_engines_module *cache = named(c, QN_ENGINES_I1, QN_ENGINES_LL), *predictor = named(c, QN_ENGINES_BC, QN_ENGINES_BI);
    const char *option = c->option;

    if ((cache || predictor) && observes)
        return qn_collect_complain("%s=%s: not with an analysis module that observes instructions", option, (cache ? cache : predictor)->given),
               QN_EXIT_USAGE;
    if (cache && !o->cache_sim)
        return qn_collect_complain("%s=%s: not with --cache-sim=no", option, cache->given), QN_EXIT_USAGE;
    if (predictor && !o->branch_sim && o->branch_sim_given)
        return qn_collect_complain("%s=%s: not with --branch-sim=no", option, predictor->given), QN_EXIT_USAGE;
    o->branch_sim |= predictor != NULL;
    return 0;
}

/* Checks the analyses.  If they observe instructions, nothing is simulated, and the profile is by instruction; other profiles have
 * instructions with --dump-instr only, since these are most of a profile and of the time that it takes. */
static int prepare(struct qn_collect *r)
{
    struct qn_collect_options *o = &r->options;
    int status;

    if (r->sims.mixed)
        return refuse("analysis", "those that observe instructions (values, conflicts) not with others: nothing is simulated");
    r->observes = r->sims.observes;
    if ((status = check_named(o, &r->first, r->observes)) || (status = check_named(o, &r->second, r->observes)))
        return status;
    if (r->sims.analyses && !r->observes && !o->cache_sim && !o->branch_sim)
        return refuse("analysis", "nothing is simulated that could be analysed");
    if (o->data == QN_DATA_USE && named(&r->first, QN_ENGINES_D1, QN_ENGINES_D1))
        return refuse("data=use", "not with another module in slot D1");
    if (o->sample.given && !r->observes)
        return refuse("sample", "the simulator has no analysis module that observes instructions (values, conflicts)");
    if (r->observes && (o->interval || o->explain.count || o->watch))
        return refuse(o->interval ? "interval" : o->watch ? "watch" : "explain", "not with an analysis module that observes instructions");
    if (r->observes && (o->turn.count || o->dump_before.count || o->dump_after.count || o->zero_before.count))
        return refuse(o->turn.count ? "toggle-collect" : o->dump_before.count ? "dump-before" : o->dump_after.count ? "dump-after" : "zero-before",
                      "not with an analysis module that observes instructions");
    if (r->observes && o->versus)
        return refuse("versus", "not with an analysis module that observes instructions");
    o->dump_instr |= r->observes;
    o->cache_sim &= !r->observes;
    o->branch_sim &= !r->observes;
    return 0;
}

/* The modules of --machine, in slots for which --sim names none, or beside the one that it names; with their options before those that are given. */
static bool take_machine(struct qn_collect *r)
{
    struct qn_collect_options *o = &r->options;
    const char *tool = r->first.tool, *library = qn_engines_library(tool);
    char *options, *place;

    for (int i = 0; i < QN_ENGINES_AN && !r->first.engine; i++) {
        bool simulated = i <= QN_ENGINES_LL ? o->cache_sim : o->branch_sim || !o->branch_sim_given;
        const char *name = o->from_machine.module[i].name, *own = o->from_machine.module[i].options, *given = r->first.slot[i].given;
        bool joins = name && given && library && qn_engines_stands_beside(library, name, given), chosen;

        if (name && i == QN_ENGINES_LL && r->first.at_L2)
            return qn_collect_complain("--machine: its LL=%s: not with a module in slot L2", name), false;
        if (!name || !simulated || (r->first.slot[i].name && !joins))
            continue;
        if (asprintf(&place, "run: --machine: %s", o->from_machine.module[i].origin) < 0)
            return false;
        r->first.tool = place;
        chosen = joins ? qn_engines_join(&r->first, (enum qn_engines_slot)i, name) : qn_engines_choose_module(&r->first, i, name);
        if (!chosen)
            return false;
        r->first.tool = tool;
        free(place);
        if (!*own)
            continue;
        if (asprintf(&options, "%s%s%s", own, o->sim_opt ? "," : "", o->sim_opt ? o->sim_opt : "") < 0)
            return false;
        o->sim_opt = options;
    }
    return true;
}

/* The second simulator has no analysis. */
static bool choose_second(struct qn_engines_choice *c, const char *text)
{
    if (!qn_engines_choose(c, text))
        return false;
    if (!c->slot[QN_ENGINES_AN].name)
        return true;
    qn_collect_complain("--versus=%s: wanted a simulator, or modules in slots I1, D1, LL, BC or BI", text);
    return false;
}

int qn_collect_set_up_sims(struct qn_collect *r)
{
    struct qn_collect_options *o = &r->options;
    int status;

    r->first = (struct qn_engines_choice){ .tool = "run", .option = "--sim", .takes_L2 = true };
    r->second = (struct qn_engines_choice){ .tool = "run", .option = "--versus", .takes_L2 = true };
    if ((o->sim && !qn_engines_choose(&r->first, o->sim)) || (o->versus && !choose_second(&r->second, o->versus)))
        return QN_EXIT_USAGE;
    if (o->cores && !named(&r->first, QN_ENGINES_D1, QN_ENGINES_D1)) {
        r->first.option = "--coherence";
        if (!qn_engines_choose_module(&r->first, QN_ENGINES_D1, o->coherence ? o->coherence : "mesi"))
            return QN_EXIT_USAGE;
    } else if (o->coherence) {
        return refuse("coherence", "not with another module in slot D1");
    }
    if (!take_machine(r))
        return QN_EXIT_USAGE;
    if (o->cores && (status = check_cores(o, &r->first)))
        return status;
    if (o->analysis)
        r->first.option = "--analysis";
    if (o->analysis && !qn_engines_choose_analyses(&r->first, o->analysis))
        return QN_EXIT_USAGE;
    r->first.option = "--sim";
    status = qn_engines_set_up(&r->first, o->versus ? &r->second : NULL, &r->sims);
    r->engine = r->sims.engine;
    if (!status && (status = prepare(r)))
        qn_engines_remove_scratch(&r->sims);
    return status;
}

/* ---- -v ---- */

/* In the words of enum qn_sim_how. */
static const char *const hows[] = { "not simulated", "in emitted code", "behind a filter", "each reference a call", "reads records" };

#define HOWS (sizeof hows / sizeof hows[0])

/* The source file of the module in a slot; NULL: none. */
static char *file_of(const struct qn_engines_choice *c, enum qn_engines_slot slot, const struct qn_engines_texts *t, const char *library)
{
    char *path = c->slot[slot].file ? strdup(c->slot[slot].file) : c->slot[slot].name ? qn_engines_text_of_slot(t->sources, slot) : NULL;

    if (path || slot == QN_ENGINES_AN || (c->slot[slot].name && strcmp(c->slot[slot].name, "default")))
        return path;
    return asprintf(&path, "%s/sim/%s_%s.c", library, slot <= QN_ENGINES_LL ? "cachesim" : "branchsim", qn_engines_slot_names[slot]) < 0 ? NULL : path;
}

const char *const *qn_collect_list_module_files(const struct qn_collect *r)
{
    static const char *files[2 * QN_ENGINES_SLOTS + QN_ENGINES_MORE_MAX + 1];
    const struct qn_engines_choice *const both[] = { &r->first, &r->second };
    const char *library = qn_engines_library("run");
    struct qn_engines_texts t;
    unsigned n = 0;

    if (!library || !qn_engines_read_texts(r->engine, &t))
        return files;
    for (unsigned k = 0; k < 2 * QN_ENGINES_SLOTS; k++)
        if ((files[n] = file_of(both[k / QN_ENGINES_SLOTS], (enum qn_engines_slot)(k % QN_ENGINES_SLOTS), &t, library)))
            n++;
    for (int i = 0; i < r->first.nmore; i++)
        if ((files[n] = r->first.more[i].file))
            n++;
    qn_engines_free_texts(&t);
    return files;
}

/* Does the file have the name of a default module?  If it is called for each reference, it was edited: emitted code simulates the original. */
static bool is_changed_default(const char *file)
{
    const char *base = file && strrchr(file, '/') ? strrchr(file, '/') + 1 : "";

    return !strncmp(base, "cachesim_", 9) || !strncmp(base, "branchsim_", 10);
}

static void print_slot(struct qn_collect *r, const char *simulator, const struct qn_engines_choice *c, enum qn_engines_slot slot,
                       const struct qn_engines_texts *t, unsigned how)
{
    const char *name = c->slot[slot].name, *colon = name ? strrchr(name, ':') : NULL;
    char *usual = colon ? NULL : qn_engines_text_of_slot(t->defaults, slot), *file = file_of(c, slot, t, qn_engines_library("run"));
    const char *base = file && strrchr(file, '/') ? strrchr(file, '/') + 1 : "";
    bool changed = colon && how == QN_HOW_CALL && is_changed_default(file);

    qn_collect_note(r, "%s%s: %s %s, %s%s%s%s", simulator, slot == QN_ENGINES_LL && c->at_L2 ? "L2" : qn_engines_slot_names[slot], file ? file : name, colon ? colon + 1 : usual ? usual : "",
                how < HOWS ? hows[how] : "?", changed ? ": " : "", changed ? base : "", changed ? " is changed" : "");
    free(file);
    free(usual);
}

void qn_collect_print_sims(struct qn_collect *r)
{
    const uint8_t *how = qn_cost_header(&r->store)->sim_output.how;
    struct qn_engines_texts t;

    if (!r->options.verbose || !qn_engines_read_texts(r->engine, &t))
        return;
    for (int i = 0; i < QN_ENGINES_SLOTS; i++)
        if (i != QN_ENGINES_AN || r->sims.analyses)
            print_slot(r, "", &r->first, (enum qn_engines_slot)i, &t, how[i]);
    for (int i = 0; i < r->first.nmore; i++) {
        struct qn_engines_choice more = { .slot[QN_ENGINES_AN] = r->first.more[i] };

        print_slot(r, "", &more, QN_ENGINES_AN, &t, how[QN_ENGINES_AN]);
    }
    for (int i = 0; i < QN_ENGINES_AN && r->options.versus; i++)
        print_slot(r, "B, ", &r->second, (enum qn_engines_slot)i, &t, how[i] ? QN_HOW_CALL : QN_HOW_NOT);
    qn_engines_free_texts(&t);
}
