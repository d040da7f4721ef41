/* sim/hosted/hosted.h - the options of the hosted simulator, and the functions that its files call of each other. */
#ifndef QN_SIM_HOSTED_H
#define QN_SIM_HOSTED_H

#include <stdbool.h>
#include <stdint.h>

#include "sim/current_module.h"
#include "sim/contract.h"
#include "sim/module.h"

#define HOSTED_EXIT_MODULE 70 /* a module made a mistake, or --check found a difference */
#define HOSTED_EXIT_USAGE 2

enum hosted_format { HOSTED_OUTCOMES, HOSTED_TEXT, HOSTED_LACKEY, HOSTED_DIN }; /* of the file of outcomes */

struct hosted_options {
    struct qn_config config;
    bool check, filter, split_modify, branch_sim;
    uint64_t from, count; /* instructions to skip, and to simulate */
    const char *tables;   /* prefix of files for the tables of modules, NULL = none */
    const char *outcomes; /* file for the outcome of each reference, NULL = none */
    int format;             /* enum hosted_format */
    const char *watch_file; /* file for config.watch_count references or branches, with the state of the cache or predictor, NULL = none */
    enum sim_slot watch_of; /* D1, BC or BI */
    const char *watch_at;   /* begins with the first branch at one of these addresses; NULL = config.watch_from */
    const char *trace;
};

extern const char *hosted_options;
extern uint64_t hosted_options_asked; /* see sim/option.h */
extern uint64_t hosted_references;    /* records read so far */

/* service.c */
/* A line on stderr, behind "quern: replay: ".  Control bytes of what the line quotes are made visible. */
void hosted_complain(const char *format, ...) __attribute__((format(printf, 1, 2)));
struct qn_cost_total;
size_t hosted_list_events(struct qn_cost_total *to); /* of modules, SIM_EVENTS_MAX at most; returns how many */
void hosted_print_kept(void); /* what modules have kept (sim_keep) */
void hosted_guard(void);      /* from now on, modules that crash or hang are named in a message */

/* watch.c: called after qn_sim_init; before and after each data reference; before and after each conditional branch, indirect branch and return; at
 * the end.  false: a message was printed. */
bool hosted_watch_begin(const struct hosted_options *o);
void hosted_watch_reference(uint64_t addr, uint32_t size, unsigned kind);
void hosted_watch_outcome(unsigned outcome);
void hosted_watch_branch(const struct sim_ref *ref);
void hosted_watch_predicted(const struct sim_ref *ref, bool wrong);
bool hosted_watch_write(const struct hosted_options *o);

#endif
