/* sim/hosted/hosted.h - the options of the hosted simulator, and the functions that its files call of each other. */
#ifndef QN_SIM_HOSTED_H
#define QN_SIM_HOSTED_H

#include <stdbool.h>
#include <stdint.h>

#include "sim/at_work.h"
#include "sim/contract.h"
#include "sim/module.h"

#define HOSTED_EXIT_MODULE 70 /* a module made a mistake, or --check found a difference */
#define HOSTED_EXIT_USAGE 2

enum hosted_format { HOSTED_OUTCOMES, HOSTED_TEXT, HOSTED_LACKEY, HOSTED_DIN }; /* of the file of outcomes */

struct hosted_options {
    struct qn_config config;
    bool check, filter, split_modify, branch_sim;
    uint64_t from, count; /* instructions to skip, and to simulate */
    const char *outcomes; /* file for the outcome of each reference, NULL = none */
    enum hosted_format format;
    const char *watch_file; /* file for config.watch_count references or branches, with the state of the cache or predictor, NULL = none */
    enum sim_slot watch_of; /* D1, BC or BI */
    bool watch_of_given;
    const char *watch_at;   /* begins with the first branch at one of these addresses; NULL = config.watch_from */
    const char *trace;
};

extern const char *hosted_options;
extern uint64_t hosted_options_asked; /* see sim/option.h */
bool hosted_check_options(void);      /* call it after modules are set up; false: no module knows one of the options (a message was printed) */

/* option.c.  -1: go on; else the exit status. */
int hosted_parse(struct hosted_options *o, int argc, char **argv);

/* filter.c: a reference as in emitted code, with the hit filter. */
unsigned hosted_data(uint64_t addr, uint32_t size, unsigned kind, bool filter, uint64_t *misses);
unsigned hosted_fetch(uint64_t addr, uint32_t size, bool filter, uint64_t *misses);

bool hosted_cond(uint64_t pc, bool taken, bool backward); /* true: mispredicted */

extern uint64_t hosted_references; /* records read so far */

/* blame.c: from now on, modules that crash or hang are named in a message. */
void hosted_watch(void);
/* A line about a module that stands there: printed, or left for `quern replay` (places.h). */
void hosted_say(const char *line, uintptr_t pc, uintptr_t sp);

/* steps.c: --watch.  Called before qn_sim_init; after it; before and after each data reference; at the end.  false: a message was printed. */
void hosted_steps_choose(const struct hosted_options *o);
bool hosted_steps_begin(const struct hosted_options *o);
void hosted_steps_before(uint64_t addr, uint32_t size, unsigned kind);
void hosted_steps_after(unsigned outcome);
bool hosted_steps_write(const struct hosted_options *o);

/* branch_steps.c: the same for BC or BI, before and after each conditional branch, indirect branch and return. */
bool hosted_branches_begin(const struct hosted_options *o);
void hosted_branches_before(const struct sim_ref *ref);
void hosted_branches_after(const struct sim_ref *ref, bool wrong);
bool hosted_branches_write(const struct hosted_options *o);

/* texts.c: --outcomes.  Before all; for each fetch, data reference and branch; at the end.  false: a message was printed. */
bool hosted_texts_begin(const struct hosted_options *o);
void hosted_texts_fetch(const struct sim_ref *ref, unsigned outcome);
void hosted_texts_data(const struct sim_ref *ref, unsigned kind, unsigned outcome);
void hosted_texts_branch(const struct sim_ref *ref, bool is_predicted, bool wrong);
bool hosted_texts_end(const struct hosted_options *o);

/* shows.c: prints the state that a predictor has shown since hosted_shown_clear, with old and new values of its counters. */
void hosted_shown_clear(void);
void hosted_shown_put(FILE *f);

/* future.c: one pass over the trace for policies that look ahead. */
bool hosted_look_ahead(const struct hosted_options *o);

/* service.c */
/* A line on stderr, behind "quern: replay: ".  Control bytes of what the line quotes are made visible. */
void hosted_complain(const char *format, ...) __attribute__((format(printf, 1, 2)));
void hosted_print_events(void);
void hosted_print_kept(void); /* what modules have kept (sim_keep) */

#endif
