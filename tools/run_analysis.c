/* tools/run_analysis.c - quern run --analysis=NAME: the simulator of the run, with this module in slot AN.
 *
 *   --analysis=values                 the module that ships, in the default simulator
 *   --sim=./mine --analysis=./a.c     a file of one's own, beside what ./mine has in the other slots
 *
 * It is compiled for the run, into a scratch directory, which takes about a second; a simulator that has the module already is
 * taken as it is (quern sim build --AN=values -o FILE).
 */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "run.h"
#include "sim/unit.h"
#include "sim_build.h"
#include "tools.h"

/* Has the engine this module, under this name? */
static bool has_module(const char *engine, const char *name)
{
    char *description = qn_sim_read_description(engine, false), *at = description ? strstr(description, "AN=") : NULL;
    size_t n = strlen(name);
    bool has = at && !strncmp(at + 3, name, n) && strchr(": \n", at[3 + n]);

    free(description);
    return has;
}

static int build(struct qn_run *r)
{
    struct qn_sim_build b = { .tool = "run" };
    char *module[QN_SIM_SLOTS] = { NULL };

    if (!qn_sim_read_modules("run", r->engine, module))
        return QN_EXIT_USAGE;
    for (int i = 0; i < QN_SIM_SLOTS; i++)
        b.module[i] = module[i];
    b.module[QN_SIM_AN] = r->options.analysis;
    r->scratch = qn_sim_scratch("run");
    if (!r->scratch || asprintf(&r->engine, "%s/analysis", r->scratch) < 0)
        return QN_EXIT_SOFTWARE;
    b.output = r->engine;
    if (qn_sim_build(&b) == 0)
        return 0;
    qn_run_remove_scratch(r);
    return QN_EXIT_USAGE;
}

static int refuse(struct qn_run *r, const char *option, const char *what)
{
    qn_run_complain("--%s: %s", option, what);
    qn_run_remove_scratch(r);
    return QN_EXIT_USAGE;
}

/* Instructions are observed one by one, with nothing simulated; and what is found out of them is shown by instruction. */
static int prepare(struct qn_run *r)
{
    struct qn_run_options *o = &r->options;
    char *mark = qn_sim_find_text(r->engine, QN_SIM_OBSERVES_MARK, sizeof "yes");

    r->observes = mark != NULL;
    free(mark);
    if (o->sample.given && !r->observes)
        return refuse(r, "sample", "the simulator has no analysis module that observes instructions (values, conflicts)");
    if (r->observes && (o->interval || o->explain.count))
        return refuse(r, o->interval ? "interval" : "explain", "not with an analysis module that observes instructions");
    o->dump_instr |= r->observes || o->analysis;
    o->cache_sim &= !r->observes;
    o->branch_sim &= !r->observes;
    return 0;
}

int qn_run_build_analysis(struct qn_run *r)
{
    int status = 0;

    if (r->options.analysis && !has_module(r->engine, r->options.analysis))
        status = build(r);
    return status ? status : prepare(r);
}
