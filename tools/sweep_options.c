/* tools/sweep_options.c - the command line of `quern sweep`.
 *
 * Whatever says what to run goes into the experiment, with the option as its origin; a file is read first, so that
 * options win over it.
 */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "exp/file.h"
#include "sweep.h"
#include "tools.h"

static const char help[] =
    "usage: quern sweep [OPTIONS] [EXPERIMENT] [-- PROGRAM [ARGUMENTS]]\n"
    "Runs programs under many simulators and caches; writes one CSV file, a row per run.  Run again after an\n"
    "interruption, it keeps the rows that are there.\n\n"
    "  EXPERIMENT            a file that says what to run (see doc/experiments.md)\n"
    "  -L NAME=V,V...        NAME takes these values; with ';' between them where values hold commas; A..B is a range\n"
    "  -P NAME FROM TO       NAME takes FROM, twice that, and so on up to TO\n"
    "                        NAME: sim, seed; I1 D1 LL (SIZE,WAYS,LINE); size ways line of D1, or LL.size and so on;\n"
    "                        any other name stands for {NAME} in the command, geometries and --sim-opt\n"
    "                        sim: a module (srrip, mine.c), SLOT=MODULE+..., ./simulator, default\n"
    "  -o FILE               the CSV file [the experiment's name with .csv, or sweep.csv]\n"
    "  -j N                  runs at a time [one per processor]\n"
    "  --I1= --D1= --LL=     caches that do not vary [this machine's]\n"
    "  --branch-sim=yes|no   simulate the branch predictors [no]\n"
    "  --cache-sim=yes|no    simulate the caches [yes]\n"
    "  --counting=exact|cachegrind, --seed=N, --sim-opt=KEY=VALUE   as for quern run\n"
    "  --timeout=SECONDS     of each run [none]\n"
    "  --env=NAME[=VALUE]    programs see this variable; without it they see PATH and LC_ALL=C only\n"
    "  --share=yes|no        one execution for runs that differ in D1, LL or predictors only [yes]\n"
    "  --retry               run what failed again\n"
    "  --list                print the commands, run nothing\n"
    "  -q, --quiet           no progress, no last line\n"
    "  -h, --help            show this text\n"
    "  --version             show the version\n\n"
    "Exit status: 0; 1 if a run failed (its row says why); 2 bad usage or a mistake in the experiment.\n";

/* Options with a value that are settings of the experiment. */
static const char *const settings[][2] = {
    { "--I1", "I1" },           { "--D1", "D1" },             { "--LL", "LL" },
    { "--seed", "seed" },       { "--counting", "counting" }, { "--branch-sim", "branch-sim" },
    { "--timeout", "timeout" }, { "--env", "environment" },   { "--cache-sim", "cache-sim" },
    { "--sim-opt", "options" },
};

struct parser {
    struct qn_sweep_options *o;
    char **at; /* the argument being looked at */
    bool apply; /* the second pass: settings go into the experiment */
    struct qn_prof_error err;
};

static int usage(const char *what, const char *argument)
{
    qn_tool_complain("quern: sweep: %s%s; `quern sweep --help` tells how", what, argument);
    return QN_EXIT_USAGE;
}

static int report(const struct parser *p)
{
    fprintf(stderr, "quern: sweep: %s\n", p->err.text);
    return QN_EXIT_USAGE;
}

/* The value of option `name` as --name=VALUE or --name VALUE; NULL: it is another, or there is none. */
static const char *value_of(struct parser *p, const char *name)
{
    size_t n = strlen(name);

    if (strncmp(p->at[0], name, n) || (p->at[0][n] && p->at[0][n] != '='))
        return NULL;
    if (p->at[0][n] == '=')
        return p->at[0] + n + 1;
    return p->at[1] ? *++p->at : NULL;
}

/* ---- axes ---- */

static bool take_powers(struct parser *p)
{
    struct qn_exp *e = &p->o->exp;
    struct qn_exp_axis *axis;
    char **words = p->at;

    if (!words[1] || !words[2] || !words[3])
        return qn_prof_fail(&p->err, QN_PROF_BAD, "-P: wanted NAME FROM TO"), false;
    p->at += 3;
    if (!p->apply)
        return true;
    axis = qn_exp_add_axis(e, words[1], "-P", &p->err);
    return axis && qn_exp_add_powers(e, axis, words[2], words[3], qn_exp_format(&e->memory, "-P %s", words[1]), &p->err);
}

static bool take_list(struct parser *p)
{
    struct qn_exp *e = &p->o->exp;
    const char *list = *++p->at;

    if (!list)
        return qn_prof_fail(&p->err, QN_PROF_BAD, "-L: wanted NAME=VALUE,VALUE"), false;
    return !p->apply
           || qn_exp_add_list(e, list, qn_exp_format(&e->memory, "-L %.*s", (int)strcspn(list, "="), list), &p->err);
}

/* ---- the rest ---- */

static bool take_jobs(struct parser *p, const char *text)
{
    char *end;
    long n = strtol(text, &end, 10);

    if (*end || n < 1 || n > 4096)
        return qn_prof_fail(&p->err, QN_PROF_BAD, "-j: got '%s', wanted a number of runs", text), false;
    p->o->parallel = (int)n;
    return true;
}

static bool take_sharing(struct parser *p, const char *text)
{
    if (strcmp(text, "yes") && strcmp(text, "no"))
        return qn_prof_fail(&p->err, QN_PROF_BAD, "--share: got '%s', wanted yes or no", text), false;
    p->o->no_sharing = !strcmp(text, "no");
    return true;
}

/* 1: taken; 0: a mistake, in p->err; -1: no such option. */
static int take_setting(struct parser *p)
{
    for (size_t i = 0; i < sizeof settings / sizeof *settings; i++) {
        const char *value;

        if (strncmp(*p->at, settings[i][0], strlen(settings[i][0])) || !(value = value_of(p, settings[i][0])))
            continue;
        return !p->apply || qn_exp_set(&p->o->exp, settings[i][1], value, settings[i][0], &p->err);
    }
    return -1;
}

static int take_option(struct parser *p)
{
    const char *a = *p->at, *value;

    if (!strcmp(a, "-L"))
        return take_list(p);
    if (!strcmp(a, "-P"))
        return take_powers(p);
    if (!strcmp(a, "-q") || !strcmp(a, "--quiet"))
        return p->o->quiet = true;
    if (!strcmp(a, "--list"))
        return p->o->list = true;
    if (!strcmp(a, "--retry"))
        return p->o->retry = true;
    if ((value = value_of(p, "--share")))
        return take_sharing(p, value);
    if ((value = value_of(p, "-o")))
        return p->o->output = value, 1;
    if (!strncmp(a, "-j", 2))
        return take_jobs(p, a[2] ? a + 2 : p->at[1] ? *++p->at : "");
    return take_setting(p);
}

static void take_program(struct parser *p)
{
    struct qn_exp *e = &p->o->exp;
    const char *slash = strrchr(p->at[0], '/');
    struct qn_exp_program *program = qn_exp_add_program(e, slash ? slash + 1 : p->at[0], "the command line");

    for (; *p->at; p->at++)
        qn_exp_add_text(e, &program->argv, *p->at, "the command line");
}

static int take_experiment(struct parser *p)
{
    if (!p->apply && p->o->experiment)
        return qn_prof_fail(&p->err, QN_PROF_BAD, "%s: a second experiment", *p->at), 0;
    p->o->experiment = *p->at;
    return 1;
}

/* One pass over the arguments, up to the program.  -1: go on. */
static int parse(struct parser *p, char **arguments)
{
    for (p->at = arguments; *p->at && strcmp(*p->at, "--"); p->at++) {
        int taken = **p->at == '-' ? take_option(p) : take_experiment(p);

        if (taken < 0)
            return usage("what is ", *p->at);
        if (!taken)
            return report(p);
    }
    return -1;
}

/* exp/policies.exp -> policies.csv */
static const char *name_output(struct qn_exp *e, const char *experiment)
{
    const char *slash = experiment ? strrchr(experiment, '/') : NULL, *base = slash ? slash + 1 : experiment;

    return base ? qn_exp_format(&e->memory, "%.*s.csv", (int)strcspn(base, "."), base) : "sweep.csv";
}

int qn_sweep_parse(struct qn_sweep_options *o, int argc, char **argv)
{
    struct parser p = { .o = o };
    int status;

    for (int i = 1; i < argc && strcmp(argv[i], "--"); i++) {
        if (!strcmp(argv[i], "-h") || !strcmp(argv[i], "--help"))
            return printf("%s", help) < 0;
        if (!strcmp(argv[i], "--version"))
            return puts("quern " QN_VERSION) < 0;
    }
    qn_exp_init(&o->exp);
    if ((status = parse(&p, argv + 1)) >= 0)
        return status;
    if (o->experiment && !qn_exp_read_file(&o->exp, o->experiment, &p.err))
        return report(&p);
    p.apply = true;
    if ((status = parse(&p, argv + 1)) >= 0)
        return status;
    if (*p.at && *++p.at)
        take_program(&p);
    if (!o->output)
        o->output = name_output(&o->exp, o->experiment);
    if (!o->exp.program_count)
        return usage("no program given", "");
    return -1;
}
