/* tools/sim/sim.c - `quern sim`: builds simulators out of modules, lists and compares them.
 *
 *   quern sim build --D1=mine.c --BC=gshare -o mysim      then: quern run --sim=./mysim PROG; run --sim=D1=mine.c,BC=gshare does both
 *   quern sim build --replay --D1=mine.c -o myreplay      then: gdb --args ./myreplay TRACE
 *   quern sim list                                        slots and the modules that ship
 *   quern sim list ./mysim                                what is in it
 *   quern sim compare lru srrip -- PROG                   a table of what they miss (compare.c)
 */
#define _GNU_SOURCE
#include <stdio.h>
#include <string.h>

#include "text/options.h"
#include "engines/engines.h"
#include "plot/plot.h"
#include "../tools.h"
#include "sim_tool.h"

static const char help[] =
    "usage: quern sim build [OPTIONS] -o PATH\n"
    "       quern sim list [--json] [SLOT|PATH...]\n"
    "       quern sim show NAME...\n"
    "       quern sim compare [OPTIONS] M... -- PROGRAM [ARGUMENTS]\n"
    "       quern sim test MODULE\n\n"
    "build makes a simulator: an engine for `quern run --sim=PATH`, or with --replay a program that reads traces,\n"
    "for gdb and sanitizers.  M is a C file or the name of a module that ships; slots not named hold their default.\n"
    "It needs a C compiler, $CC or cc.  `quern run --sim=D1=M,BC=M` needs no simulator made before.\n"
    "list shows the modules that ship by slot: year of the design, bits of storage, how references\n"
    "reach it; or what is in a simulator.\n"
    "show prints a module's page: what it does, an example, options, events, storage; its file, hash and text.\n"
    "compare runs a program under each of the modules, in one execution where they can share it, prints a table.\n"
    "test says of a module whether it keeps the contract of modules (doc/modules.md): a line for each check.\n\n";

/* ---- options ---- */

struct settings {
    struct qn_engines_build b;
    const char *sim_opt, *plot;
    bool json;
};

static const char *take_slot(const struct qn_option *o, void *field, char **value)
{
    struct qn_engines_build *b = &((struct settings *)field)->b;
    const char **module = &b->module[qn_engines_find_slot(o->names + 2, (unsigned)strlen(o->names + 2))];

    if (*module)
        return "one module for a slot";
    *module = *value;
    return NULL;
}

#define OPTION(names, argument, help, take, field) QN_OPTION(names, argument, help, take, struct settings, field)
static const struct qn_option options[] = {
    QN_OPTION_PLAIN("--I1", "M", "module of the instruction cache; of compare SIZE,WAYS,LINE", take_slot),
    QN_OPTION_PLAIN("--D1", "M", "of the data cache; the same", take_slot),
    QN_OPTION_PLAIN("--LL", "M", "of the last level; the same", take_slot),
    QN_OPTION_PLAIN("--BC", "M", "of the predictor of conditional branches", take_slot),
    QN_OPTION_PLAIN("--BI", "M", "of that of indirect branches", take_slot),
    QN_OPTION_PLAIN("--AN", "M", "analysis", take_slot),
    OPTION("-o", "PATH", "where the simulator goes", qn_option_text, b.output),
    OPTION("--replay", NULL, "a hosted program", qn_option_set, b.replay),
    OPTION("--cflags", "F", "flags for the compiler, as --cflags='-g -fsanitize=address'", qn_option_text, b.cflags),
    OPTION("--json", NULL, "list the modules as JSON", qn_option_set, json),
    OPTION("--sim-opt", "KEY=VALUE", "of compare: options of modules, as for quern run", qn_option_text, sim_opt),
    OPTION("--plot", "FILE", "of compare: draw a picture, .svg, .png or .pdf", qn_option_text, plot),
    OPTION("--verbose", NULL, "print the compiler's command", qn_option_set, b.verbose),
    QN_OPTION_HELP, QN_OPTION_VERSION, QN_OPTIONS_END };

static const struct qn_options command = { "sim", "quern: sim", help, NULL, options, NULL, false, NULL };

static int build(const struct qn_engines_build *b)
{
    if (!b->output)
        return qn_options_wrong(&command, "build", "no output given: -o PATH");
    return qn_engines_build(b);
}

static int list(char **simulators, bool json)
{
    if (simulators[0] && json)
        return qn_options_wrong(&command, "--json", "it is for the modules that ship");
    if (simulators[0] && !simulators[1] && qn_engines_find_slot(simulators[0], (unsigned)strlen(simulators[0])) >= 0)
        return qn_sim_list(simulators[0]);
    return simulators[0] ? qn_sim_describe(simulators) : json ? qn_sim_list_json() : qn_sim_list(NULL);
}

static int compare(const struct settings *s, char **modules, char **program)
{
    struct qn_sim_comparison c = { .geometry = s->b.module, .sim_opt = s->sim_opt, .plot = s->plot, .modules = modules, .program = program };

    if (!modules[0] || !modules[1])
        return qn_options_wrong(&command, "", "compare wants two modules or more");
    if (!program || !program[0])
        return qn_options_wrong(&command, "", "compare wants a program behind --");
    if (s->plot && !qn_plot_knows_format(s->plot))
        return qn_options_wrong(&command, "--plot", "wanted a name that ends in .svg, .png or .pdf");
    return qn_sim_compare(&c);
}

static int test(char **words)
{
    const char *own = qn_engines_own_path("sim");

    if (!words[0] || words[1])
        return qn_options_wrong(&command, words[0] ? words[1] : "", "test wants one module, a name or a C file");
    return own ? qn_engines_test_module(words[0], own) : 1;
}

/* What follows "--" is the program of `compare`; it is cut off. */
static char **cut_program(char **argv)
{
    for (; *argv; argv++)
        if (!strcmp(*argv, "--")) {
            *argv = NULL;
            return argv + 1;
        }
    return NULL;
}

int qn_tool_sim(int argc, char **argv)
{
    struct settings s = { .b.tool = "sim build" };
    const struct qn_engines_build *b = &s.b;
    char **program = cut_program(argv), **words;
    int status = qn_options_take(&command, &s, argv, &words);

    (void)argc;
    if (status >= 0)
        return status;
    if (words[0] && !strcmp(words[0], "compare"))
        return compare(&s, words + 1, program);
    if (program)
        return qn_options_wrong(&command, "--", "a program is for compare");
    if (s.plot || s.sim_opt)
        return qn_options_wrong(&command, s.plot ? "--plot" : "--sim-opt", "is for compare");
    if (words[0] && !strcmp(words[0], "list"))
        return list(words + 1, s.json);
    if (words[0] && !strcmp(words[0], "show"))
        return words[1] ? qn_sim_show(words + 1) : qn_options_wrong(&command, "", "show wants the name of a module that ships");
    if (words[0] && !strcmp(words[0], "test"))
        return test(words + 1);
    if (!words[0] || strcmp(words[0], "build"))
        return qn_options_wrong(&command, words[0] ? words[0] : "", "wanted build, list, show, compare or test");
    return words[1] ? qn_options_wrong(&command, words[1], "build takes options only") : build(b);
}
