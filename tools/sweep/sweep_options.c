/* tools/sweep/sweep_options.c - the command line of `quern sweep`.
 *
 * Whatever says what to run goes into the experiment, with the option as its origin; a file is read first, so that
 * options win over it.
 */
#define _GNU_SOURCE

#include <elfutils/libdwelf.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "text/options.h"
#include "../tools.h"
#include "base/base.h"
#include "collect/collect.h"
#include "engines/engines.h"
#include "exp/exp.h"
#include "sweep.h"
#include "text/output.h"

static const char help[] =
    "usage: quern sweep [OPTIONS] [EXPERIMENT] [-- PROGRAM [ARGUMENTS]]\n"
    "Runs programs under many simulators and caches; writes one CSV file, a row per run.  Run again after an\n"
    "interruption, it keeps the rows that are there.  EXPERIMENT is a file that says what to run (see\n"
    "doc/experiments.md).\n\n";

static const char help_end[] =
    "\nExit status: 0; 1 if a run failed (its row says why); 2 bad usage or a mistake in the experiment.\n";

static int report(const struct qn_text_error *err)
{
    fprintf(stderr, "quern: sweep: %s\n", err->text);
    return QN_EXIT_USAGE;
}

/* What a function that takes an option returns. */
static const char *taken(bool ok, const struct qn_text_error *err)
{
    return ok ? NULL : (report(err), "");
}

/* ---- what goes into the experiment ---- */

static const char *take_powers(const struct qn_option *option, void *field, char **words)
{
    struct qn_sweep_options *o = field;
    struct qn_exp *e = &o->exp;
    struct qn_text_error err = { .status = QN_TEXT_OK };
    struct qn_exp_axis *axis;

    (void)option;
    if (!o->apply)
        return NULL;
    axis = qn_exp_add_axis(e, words[0], "-P", &err);
    return taken(axis && qn_exp_add_powers(e, axis, words[1], words[2], qn_text_format(&e->memory, "-P %s", words[0]), &err), &err);
}

static const char *take_list(const struct qn_option *option, void *field, char **list)
{
    struct qn_sweep_options *o = field;
    struct qn_exp *e = &o->exp;
    struct qn_text_error err = { .status = QN_TEXT_OK };
    int name = (int)strcspn(*list, "=");

    (void)option;
    return taken(!o->apply || qn_exp_add_list(e, *list, qn_text_format(&e->memory, "-L %.*s", name, *list), &err), &err);
}

/* Settings have the names of options, but for two. */
static const char *take_setting(const struct qn_option *option, void *field, char **value)
{
    struct qn_sweep_options *o = field;
    struct qn_text_error err = { .status = QN_TEXT_OK };
    const char *name = option->names;

    name = !strcmp(name, "--env") ? "environment" : !strcmp(name, "--sim-opt") ? "options" : name + 2;
    return taken(!o->apply || qn_exp_set(&o->exp, name, *value, option->names, &err), &err);
}

/* ---- the rest ---- */

static const char *take_engine_option(const struct qn_option *option, void *field, char **value)
{
    struct qn_sweep_options *o = field;

    (void)option;
    if (!o->apply)
        return NULL;
    if (o->engine_options == QN_SWEEP_ENGINE_OPTIONS)
        return "at most 100 of them";
    o->engine_option[o->engine_options++] = *value;
    return NULL;
}

static const char *take_part(const struct qn_option *option, void *field, char **value)
{
    struct qn_sweep_options *o = field;
    char rest;

    (void)option;
    return sscanf(*value, "%d/%d%c", &o->part, &o->parts, &rest) == 2 && o->part >= 1 && o->part <= o->parts ? NULL : "K/N, K from 1 to N";
}

static const char *take_parts(const struct qn_option *option, void *field, char **value)
{
    uint64_t n;

    if (qn_option_number(option, &n, value) || n < 1 || n > 1000000)
        return "a number of jobs, at most 1000000";
    *(int *)field = (int)n;
    return NULL;
}

static const char *take_jobs(const struct qn_option *option, void *field, char **value)
{
    uint64_t n;

    if (qn_option_number(option, &n, value) || n < 1 || n > 4096)
        return "a number of runs";
    ((struct qn_sweep_options *)field)->parallel = (int)n;
    ((struct qn_sweep_options *)field)->parallel_given = true;
    return NULL;
}

#define OPTION(names, argument, help, take, field) QN_OPTION(names, argument, help, take, struct qn_sweep_options, field)
static const struct qn_option options[] = {
    QN_OPTION_PLAIN("-L", "NAME=V,V...", "NAME takes these values; with ';' between them where values hold commas; A..B is a range",
                    take_list),
    QN_OPTION_PLAIN("-P", "NAME FROM TO",
                    "NAME takes FROM, twice that, and so on up to TO. NAME: sim, machine, seed; I1 D1 LL L2 (SIZE,WAYS,LINE); size ways line of D1, "
                    "or LL.size and so on; any other name stands for {NAME} in the command, geometries and --sim-opt. Values of sim: "
                    "a module (srrip, mine.c), SLOT=MODULE+..., ./simulator, default", take_powers),
    OPTION("-o", "FILE", "the CSV file [the experiment's name with .csv, or sweep.csv]", qn_option_text, output),
    QN_OPTION_PLAIN("-j", "N", "runs at a time [one per processor]", take_jobs),
    QN_OPTION_OF(qn_exp_on_names, "--on", "here|parallel|slurm", "who makes the runs: this process, GNU parallel, or Slurm as an array of jobs [here]",
                 qn_option_word, struct qn_sweep_options, on),
    QN_OPTION_PLAIN("--on-opt", "OPTION", "for parallel or sbatch, as --sshlogin=a,b or --partition=p; may be repeated", take_engine_option),
    OPTION("--parts", "N", "jobs; runs that share an execution are in one [one per execution, at most 1000]", take_parts, parts),
    QN_OPTION_PLAIN("--part", "K/N", "make the Kth of N parts only, as each job does", take_part),
    OPTION("--cancel", "yes|no", "when interrupted, cancel Slurm's jobs [no: they go on, and the same command takes their rows]", qn_option_yesno,
           cancel),
    QN_OPTION_PLAIN("--I1", "SIZE,WAYS,LINE", "instruction cache, if it does not vary [this machine's]", take_setting),
    QN_OPTION_PLAIN("--D1", "SIZE,WAYS,LINE", "data cache", take_setting),
    QN_OPTION_PLAIN("--LL", "SIZE,WAYS,LINE", "last-level cache", take_setting),
    QN_OPTION_PLAIN("--L2", "SIZE,WAYS,LINE", "a level between them and the LL [none]", take_setting),
    QN_OPTION_PLAIN("--branch-sim", "yes|no", "simulate the branch predictors [no]", take_setting),
    QN_OPTION_PLAIN("--cache-sim", "yes|no", "simulate the caches [yes]", take_setting),
    QN_OPTION_PLAIN("--counting", "exact|cachegrind", "as for quern run", take_setting),
    QN_OPTION_PLAIN("--seed", "N", "as for quern run", take_setting),
    QN_OPTION_PLAIN("--sim-opt", "KEY=VALUE", "as for quern run", take_setting),
    QN_OPTION_PLAIN("--timeout", "SECONDS", "of each run [none]", take_setting),
    QN_OPTION_PLAIN("--env", "NAME[=VALUE]", "programs see this variable; without it they see PATH and LC_ALL=C only", take_setting),
    OPTION("--share", "yes|no", "one execution for runs that differ in D1, LL or predictors only [yes]", qn_option_yesno, share),
    OPTION("--retry", NULL, "run what failed again", qn_option_set, retry),
    OPTION("--list", NULL, "print the commands, run nothing", qn_option_set, list),
    OPTION("--json", NULL, "print all rows of the table as JSON when the sweep is done (doc/json.md)", qn_option_set, json),
    OPTION("-q, --quiet", NULL, "no progress, no last line", qn_option_set, quiet),
    QN_OPTION_HELP, QN_OPTION_VERSION, QN_OPTIONS_END };

static const struct qn_option_rule rules[] = {
    { "--on-opt", false, "--on=parallel or --on=slurm or --part", NULL }, { "--parts", false, "--on=parallel or --on=slurm or --part", NULL },
    { "--cancel", false, "--on=slurm or --part", NULL }, { NULL, false, NULL, NULL } };

static const struct qn_options command = { "sweep", "quern: sweep", help, help_end, options, NULL, false, rules };

/* One pass over a copy of the arguments, up to the program.  -1: go on. */
static int parse(struct qn_sweep_options *o, int argc, char **argv)
{
    char **copy = calloc((size_t)argc + 1, sizeof *copy), **words;
    int status = 1, n = 0;

    if (!copy)
        return qn_text_complain("quern: sweep: out of memory"), 1;
    while (n < argc && strcmp(argv[n], "--"))
        copy[n] = argv[n], n++;
    status = qn_options_take(&command, o, copy, &words);
    if (status < 0 && words[0])
        o->experiment = words[0];
    if (status < 0 && words[0] && words[1])
        status = qn_options_wrong(&command, words[1], "a second experiment");
    free(copy);
    return status;
}

static void take_program(struct qn_exp *e, char **words)
{
    const char *slash = strrchr(words[0], '/');
    struct qn_exp_program *program = qn_exp_add_program(e, slash ? slash + 1 : words[0], "the command line");

    for (; *words; words++)
        qn_exp_add_text(e, &program->argv, *words, "the command line");
}

/* exp/policies.exp -> policies.csv */
static const char *name_output(struct qn_exp *e, const char *experiment)
{
    const char *base = experiment ? basename(experiment) : NULL;

    return base ? qn_text_format(&e->memory, "%.*s.csv", (int)strcspn(base, "."), base) : "sweep.csv";
}

int qn_sweep_parse(struct qn_sweep_options *o, int argc, char **argv)
{
    struct qn_text_error err = { .status = QN_TEXT_OK };
    char **program = argv;
    int status;

    o->share = true;
    qn_exp_init(&o->exp);
    if ((status = parse(o, argc, argv)) >= 0)
        return status;
    if (o->experiment && !qn_exp_read_file(&o->exp, o->experiment, &err))
        return report(&err);
    o->apply = true;
    if ((status = parse(o, argc, argv)) >= 0)
        return status;
    while (*program && strcmp(*program, "--"))
        program++;
    if (*program && *++program)
        take_program(&o->exp, program);
    if (!o->output)
        o->output = name_output(&o->exp, o->experiment);
    return o->exp.program_count ? -1 : qn_options_wrong(&command, "", "no program given");
}

/* ---- checks the programs and inputs of all runs before the first run, and identifies the programs ----
 *
 * In:  "gzip", "./prog"          searched where the programs of a sweep are: /usr/local/bin, /usr/bin, /bin
 * Out: the build-id of an ELF file, for anything else "fnv1a:" and a hash of its bytes
 */

static const char *const places[] = { "/usr/local/bin", "/usr/bin", "/bin", NULL };

/* The path of a program; a name without a slash is searched in /usr/local/bin, /usr/bin and /bin.  NULL: it is not there. */
static const char *find_program(struct qn_text_memory *m, const char *name)
{
    if (strchr(name, '/'))
        return qn_collect_is_program(name) ? name : NULL;
    for (const char *const *place = places; *place; place++) {
        const char *path = qn_text_format(m, "%s/%s", *place, name);

        if (qn_collect_is_program(path))
            return path;
    }
    return NULL;
}

static const char *read_build_id(struct qn_text_memory *m, const char *path)
{
    const unsigned char *id;
    const char *text = NULL;
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t n = -1;
    Elf *elf;

    elf_version(EV_CURRENT);
    elf = fd >= 0 ? elf_begin(fd, ELF_C_READ, NULL) : NULL;
    if (elf && elf_kind(elf) == ELF_K_ELF)
        n = dwelf_elf_gnu_build_id(elf, (const void **)&id);
    if (n > 0)
        text = "";
    for (ssize_t i = 0; i < n; i++)
        text = qn_text_format(m, "%s%02x", text, id[i]);
    elf_end(elf);
    if (fd >= 0)
        close(fd);
    return text;
}

static char *hash_of(struct qn_text_memory *m, const char *path)
{
    return qn_text_format(m, "fnv1a:%016llx", (unsigned long long)qn_engines_hash_file(path));
}

static int refuse(const struct qn_exp_text *origin, const char *what, const char *name, const char *why)
{
    qn_text_complain("quern: sweep: %s: %s '%s': %s", origin->origin, what, name, why);
    return QN_EXIT_USAGE;
}

/* Of a run whose command is new. */
static int identify(struct qn_sweep *s, int i)
{
    struct qn_text_memory *m = &s->options.exp.memory;
    const struct qn_exp_run *run = &s->runs.at[i];
    const char *path = find_program(m, run->argv[0]), *id;

    if (!path)
        return refuse(&run->program->argv.at[0], "program", run->argv[0],
                      strchr(run->argv[0], '/') ? "not a program" : "not in /usr/local/bin, /usr/bin or /bin");
    id = read_build_id(m, path);
    s->provenance[i].build_id = id ? id : hash_of(m, path);
    return 0;
}

int qn_sweep_check_programs(struct qn_sweep *s)
{
    for (int i = 0; i < s->runs.count; i++) {
        const struct qn_exp_run *run = &s->runs.at[i];
        int status, same = 0;

        if (run->input && access(run->input, R_OK))
            return refuse(&run->program->input, "input", run->input, strerror(errno));
        s->provenance[i].input_hash = run->input ? hash_of(&s->options.exp.memory, run->input) : ""; /* quick, beside the run */
        while (same < i && strcmp(s->runs.at[same].argv[0], s->runs.at[i].argv[0]))
            same++;
        s->provenance[i].build_id = s->provenance[same].build_id;
        if (same == i && (status = identify(s, i)))
            return status;
    }
    return 0;
}

/* ---- what the name of a simulator stands for, and building it ----
 *
 *   srrip  mine.c  D1=srrip+LL=srrip  ./mysim  default      as everywhere: lib/engines/choose.c
 *   mine                                                    a simulator that the experiment file defines, before all others
 *
 * Invariant: all names are resolved, and their modules hashed, before anything runs.
 */

_Static_assert((int)QN_EXP_SLOTS == (int)QN_ENGINES_SLOTS && (int)QN_EXP_SLOT_AN == (int)QN_ENGINES_AN, "the same slots");

static const char *const defaults[QN_EXP_SLOTS] = { "lru", "lru", "lru", "cachegrind", "cachegrind", "" };

/* ---- modules ---- */

/* May a run with this module share an execution?  Not with an analysis, a module of a whole level, or one that asks for more than many
 * simulators are told. */
static bool is_shareable(int slot, const char *file)
{
    char *source = qn_engines_read_source(file);
    bool alone = slot == QN_EXP_SLOT_AN || !source
                 || ((slot == QN_EXP_SLOT_D1 || slot == QN_EXP_SLOT_LL) && !qn_engines_source_defines(source, "POLICY"))
                 || qn_engines_source_defines(source, "PREDICTOR_RETURNS") || qn_engines_source_defines(source, "PREDICTOR_PATH")
                 || qn_engines_source_defines(source, "PREDICTOR_OUTCOMES") || qn_engines_source_defines(source, "WANTS_KIND")
                 || qn_engines_source_defines(source, "WANTS_PC") || strstr(source, "sim_unsettled(");

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
        return qn_text_complain("quern: sweep: %s: more than 1000 simulators: '%s'", option_of(s, text), text->text), QN_EXIT_USAGE;
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
