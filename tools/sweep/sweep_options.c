/* tools/sweep/sweep_options.c - the command line of `quern sweep`.
 *
 * Whatever says what to run goes into the experiment, with the option as its origin; a file is read first, so that
 * options win over it.
 */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../options.h"
#include "../tools.h"
#include "exp/file.h"
#include "sweep.h"

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
                    "NAME takes FROM, twice that, and so on up to TO. NAME: sim, seed; I1 D1 LL (SIZE,WAYS,LINE); size ways line of D1, "
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
