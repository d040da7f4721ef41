/* lib/exp/machine.h - a machine: caches, translation buffer, predictors and latencies, from a file.
 *
 *   title = "Intel Core i7-6700K (Skylake), 2015"
 *   cache I1 { size = 32K   ways = 8   line = 64 }
 *   cache D1 { size = 32K   ways = 8   line = 64   latency = 4 }
 *   cache L2 { size = 256K  ways = 4   line = 64   latency = 12 }
 *   cache LL { size = 8M    ways = 16  line = 64   latency = 42 }
 *   tlb { entries = 64  ways = 4  second-entries = 1536  second-ways = 12  page = 4K }
 *   predictor BC { module = tage }
 *   core { width = 4  mispredict = 16  clock = 4000 }
 *   cores = 4
 *   memory { latency = 200  bandwidth = 34100 }
 *
 *   -> geometry of I1, D1, L2 and LL; module "tlb" in slot D1 ("plru+tlb" with a policy), with options "tlb-entries=64,...", and "tage" in BC;
 *      timing "width=4,hit=4,L1=8,L2=30,LL=158,branch=16", what `quern annotate --timing` takes
 *
 * `cores`: so many share the LL, and have I1, D1 and L2 each, when a run asks for them (--cores=machine).
 *
 * Width times clock (MHz), and bandwidth (MB/s), are the peaks of `quern plot roofline`.
 *
 * I1, D1 and LL must be there.  A cache also has `prefetcher` (I1, D1), `inclusion` (LL without an L2: nine, inclusive, exclusive) and
 * `options = {"degree=2"}` for its module, as --sim-opt of `quern run`.  A predictor has them, too.  Latencies are cycles from the processor to
 * data that are found there; a level without one costs nothing beyond the level above.  Each mistake, and whatever quern cannot simulate, is
 * refused as FILE:LINE: what.
 */
#ifndef QN_EXP_MACHINE_H
#define QN_EXP_MACHINE_H

#include "exp/exp.h"

/* Cycles, as --timing has them: what a miss adds. */
struct qn_exp_time {
    uint32_t width, hit, L1, L2, LL, branch;
};

struct qn_exp_machine {
    struct qn_text_memory memory;
    const char *name, *path, *title;             /* title: "" if it has none */
    struct qn_geometry geometry[QN_EXP_LEVELS];  /* line 0: no L2 */
    struct qn_exp_text module[QN_EXP_SLOTS];     /* text NULL: the default */
    const char *options[QN_EXP_SLOTS];           /* of these modules: "key=value,..."; "" */
    struct qn_exp_time time;                     /* width 0: the file says nothing of time */
    const char *timing;                          /* the same as text; "" */
    uint32_t clock, bandwidth;                   /* MHz; millions of bytes a second from and to memory; 0: the file does not say */
    uint32_t cores;                              /* that share the LL; 0: the file does not say */
};

#define QN_EXP_MACHINE_END ".machine"

/* The folder of those that ship, beside `library`, the folder of the modules. */
const char *qn_exp_machines(struct qn_text_memory *memory, const char *library);
/* The file of a machine, a name or a path. */
const char *qn_exp_find_machine(struct qn_text_memory *memory, const char *name, const char *library);

/* Reads it into an empty `m`.  false: `err` tells.  Not reentrant. */
bool qn_exp_read_machine(struct qn_exp_machine *m, const char *name, const char *library, struct qn_text_error *err);

void qn_exp_free_machine(struct qn_exp_machine *m);

#endif
