/* tools/run_versus.c - quern run --sim=A --versus=B: makes the simulator that runs both.
 *
 * A and B were built apart, into two engines, but one process is to give both the same references.  A recorded stream
 * would have to be stored or sent, hundreds of megabytes a second, and two runs need not have equal addresses.  So the
 * modules of both, whose sources the engines name, are compiled into one engine (sim/versus.c), which takes about a
 * second; it lies in a scratch directory while the program runs.
 */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "run.h"
#include "sim_build.h"
#include "tools.h"

/* "D1=fifo,BC=gshare" */
static bool parse_modules(const char *text, char *module[QN_SIM_SLOTS])
{
    char *copy = strdup(text), *rest = copy, *word;

    while ((word = strsep(&rest, ","))) {
        char *equals = strchr(word, '=');
        int slot = equals ? qn_sim_find_slot(word, (unsigned)(equals - word)) : -1;

        if (slot < 0 || slot == QN_SIM_AN) {
            qn_run_complain("--versus=%s: got '%s', wanted a simulator, or SLOT=MODULE with slot I1, D1, LL, BC or BI",
                            text, word);
            return false;
        }
        module[slot] = equals + 1;
    }
    return true;
}

static bool read_second(struct qn_run *r, char *module[QN_SIM_SLOTS])
{
    char *engine;

    if (strchr(r->options.versus, '='))
        return parse_modules(r->options.versus, module);
    engine = qn_run_search_engine("--versus", r->options.versus);
    return engine && qn_sim_read_modules("run", engine, module);
}

static bool build(struct qn_run *r, char *first[QN_SIM_SLOTS], char *second[QN_SIM_SLOTS])
{
    struct qn_sim_build b = { .tool = "run", .versus = true };

    r->scratch = qn_sim_scratch("run");
    if (!r->scratch || asprintf(&r->engine, "%s/versus", r->scratch) < 0)
        return false;
    for (int i = 0; i < QN_SIM_SLOTS; i++) {
        b.module[i] = first[i];
        b.second[i] = second[i];
    }
    b.output = r->engine;
    if (qn_sim_build(&b) == 0)
        return true;
    qn_run_remove_scratch(r);
    return false;
}

int qn_run_build_versus(struct qn_run *r)
{
    char *first[QN_SIM_SLOTS] = { NULL }, *second[QN_SIM_SLOTS] = { NULL };

    if (!r->options.versus)
        return 0;
    if (!qn_sim_read_modules("run", r->engine, first) || !read_second(r, second))
        return QN_EXIT_USAGE;
    return build(r, first, second) ? 0 : QN_EXIT_USAGE;
}

void qn_run_remove_scratch(struct qn_run *r)
{
    if (!r->scratch)
        return;
    unlink(r->engine);
    rmdir(r->scratch);
    r->scratch = NULL;
}
