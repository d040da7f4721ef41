/* lib/exp/runs.h - makes the runs of an experiment, with the values of all axes put in.
 *
 *   -L n=10,20 -L D1.ways=1,2 --D1=1024,1,64 -- ./prog {n}
 *   -> ./prog 10 with D1 1024,1,64;  ./prog 10 with 1024,2,64;  ./prog 20 ...
 *
 * Invariant: if any run is impossible (an invalid cache, an axis that nothing uses), there are no runs, and the message
 * names the origin of the wrong text.
 */
#ifndef QN_EXP_RUNS_H
#define QN_EXP_RUNS_H

#include "exp/exp.h"
#include "exp/machine.h"

struct qn_exp_run {
    const struct qn_exp_program *program;
    const char **values;       /* by axis */
    const char **argv;         /* NULL at the end */
    const char *input;         /* NULL: nothing to read */
    struct qn_exp_text sim;    /* "default" if no axis says otherwise */
    struct qn_geometry geometry[QN_EXP_LEVELS];
    const struct qn_exp_machine *machine; /* NULL: none */
    uint64_t seed;
    const char *options;       /* key=value,... */
};

struct qn_exp_runs {
    struct qn_exp_run *at;
    int count;
    struct qn_exp_machine *machines; /* by value of the axis `machine`; the runs have their texts */
    int machine_count;
};

/* `host` is used for levels that the experiment does not give.  `runs` is empty before, and is
 * freed, also if this is false, before the experiment. */
bool qn_exp_make_runs(struct qn_exp *e, const struct qn_geometry host[QN_EXP_LEVELS], struct qn_exp_runs *runs,
                      struct qn_text_error *err);
void qn_exp_free_runs(struct qn_exp_runs *runs);

/* Is this axis a parameter, that is, one of the {NAME}s? */
bool qn_exp_is_parameter(const struct qn_exp_axis *axis);

#endif
