/* lib/run/core/space.h - see space.c. */
#ifndef QN_RUN_SPACE_H
#define QN_RUN_SPACE_H

#include "emit/emit.h"
#include "event/event.h"

enum { QN_SCOPE_OFF, QN_SCOPE_ON }; /* from QN_SCOPE_ON on, one for each region; then, with samples: */
enum { QN_SCOPE_ASIDE = 253, QN_SCOPE_BATCH, QN_SCOPE_REST };
#define QN_VARIANT_INSIDE 255u    /* the entry of a function of --toggle (in QN_SCOPE_OFF) or --dump-before (in all) as any other block */

struct qn_space_rules {
    struct qn_emit_rules emit;
    struct qn_event_rules event;
};

extern unsigned qn_space; /* the scope in which the running thread executes */

void qn_space_choose(unsigned scope);
const struct qn_space_rules *qn_space_rules(unsigned space);
void qn_space_note_time(void); /* updates the arena's times */
void qn_space_forked(void);    /* the arena is that of a new process */
bool qn_space_simulating(void); /* have the simulators been set up? */

#endif
