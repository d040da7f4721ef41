/* lib/run/observe/points.h - see points.c. */
#ifndef QN_RUN_POINTS_H
#define QN_RUN_POINTS_H

#include "base/base.h"

/* Code at pc is about to be translated: find out what the user has named there. */
void qn_points_learn(uint64_t pc);

/* Of the lines that are explained, which is the instruction's, from 1; 0: none. */
unsigned qn_points_explain(uint64_t pc);

/* Does an allocator begin here (--data)?  As QN_ALLOC_OF, + 1; 0: none. */
uint32_t qn_points_alloc(uint64_t pc);
uint64_t qn_points_alloc_end(uint64_t pc); /* where its code ends */

/* Kinds (1 << enum qn_point_what) of options other than --toggle whose function begins here. */
unsigned qn_points_triggers(uint64_t pc);
bool qn_points_enters(uint64_t pc); /* a function of any of these options begins here */
/* Does a function of --toggle begin here?  Is it one that returns the address of the function that is meant? */
bool qn_points_toggle(uint64_t pc);
bool qn_points_chooses(uint64_t pc);
/* That function has returned pc. */
void qn_points_chosen(uint64_t chooser, uint64_t pc);

#endif
