/* lib/cost/profile.h - writes the profile file: where the numbers come from, then the numbers.
 *
 *   desc: I1 cache:         32768 B, 64 B, 8-way associative
 *   desc: D1 cache:         ...
 *   desc: LL cache:         ...
 *   desc: Machine:          skylake:0123456789abcdef             with --machine
 *   desc: Simulator:        quern 0.1, quern-engine 0123456789abcdef
 *   desc: Modules:          I1=lru D1=lru LL=lru BC=cachegrind BI=cachegrind
 *   desc: Counting:         exact
 *   desc: Processor:        haswell                               with --cpu
 *   desc: Seed:             1
 *   desc: Sample:           4 of 124000 instructions                 if only some were observed
 *   desc: Program:          /bin/true, build-id 0123...
 *   desc: Instrumented:     all of the run                           or parts, or nothing
 *   desc: Threads:          3                                        if there was more than one
 *   desc: Unsupported:      ...                                   for each feature that the program used and that is not supported
 *   desc: Trigger:          Client Request: warm                  if it is a part that ended before the run did
 *   desc: Regions:          setup, solve/step                        if there are any
 *   cmd: ...  events: ...  fl= fn= counts ...  summary: ...  objects in memory (prof/tables/data.h)  calls (prof/tables/calls.h)  regions (prof/read.h)
 *
 * Invariants: the same run gives the same bytes; nothing here depends on time, pid or machine load.
 */
#ifndef QN_COST_PROFILE_H
#define QN_COST_PROFILE_H

#include <stdint.h>

#include "cost/arena.h"
#include "cost/data/data.h"
#include "cost/events.h"
#include "text/error.h"
#include "prof/table/table.h"
#include "prof/tables/calls.h"

struct qn_cost_profile {
    const struct qn_config *config;
    const struct qn_cost_event_set *events;
    const char *version;    /* of quern */
    const char *engine;     /* file name of the engine, without directory */
    uint64_t engine_hash;   /* of what is loaded of the engine */
    const char *machine;    /* --machine: its name and the hash of its file; NULL: none */
    const char *sim_opt;    /* options of the simulator modules, "" if none */
    const char *cpu;        /* the processor that the program was shown, "" if its own */
    const char *modules;    /* what is in the slots, "" if not known; without simulation not looked at */
    const char *program;    /* path */
    const char *build_id;   /* of the program, "" if none */
    const char *trigger;    /* of a part of the run: what ended it; NULL: the run did */
    const char *command;    /* as typed, arguments joined by blanks */
    const struct qn_cost_data *data; /* NULL: misses were not told apart by object */
    const struct qn_prof_calls *calls; /* NULL: calls were not counted */
    const char *unsupported[QN_UNSUPPORTED_MAX]; /* NULL ends, unless there are so many */
    uint64_t threads;       /* that were begun, besides the first of each process */
    bool partly, nothing;   /* some, or all, of the run was not counted, as the user or the program asked */
    const struct qn_cost_region {        /* parts of the whole that the program has named */
        const char *path;                /* "solve/step" */
        struct qn_prof_table *table;
    } *regions;
    int region_count;
};

enum qn_text_status qn_cost_write_profile(const char *path, const struct qn_cost_profile *p,
                                          struct qn_prof_table *table, struct qn_text_error *err);

#endif
