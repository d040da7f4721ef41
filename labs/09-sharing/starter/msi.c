/* msi.c - a protocol that does not protect yet: no core hears what the others do, so that two write to a line as if each had it alone.
 *
 *   quern run --cores=4 --coherence=msi.c ./share counters 4 1000
 *
 * Two tables, see HANDOUT.md.  State 0 is Invalid: the core does not have the line.
 */
#include "sim/module.h"

#define COHERENCE "msi"

enum { INVALID, SHARED, MODIFIED, STATES };
#define COHERENCE_LETTERS "ISM"             /* one for each state */
#define COHERENCE_DIRTY (1u << MODIFIED)    /* the states in which a line has to be written back when it is evicted */

/* What a core asks the others for when it reads or writes a line that it has in this state, and the state that it has then: if another core
 * (still) has the line, and if none has. */
static const struct sim_bus_access coherence_access[STATES][2] = {
    /*             a read                             a write */
    [INVALID]  = {{SIM_BUS_READ, SHARED, SHARED},     {SIM_BUS_READ, SHARED, SHARED}},
    [SHARED]   = {{SIM_BUS_NONE, SHARED, SHARED},     {SIM_BUS_NONE, SHARED, SHARED}},
    [MODIFIED] = {{SIM_BUS_NONE, MODIFIED, MODIFIED}, {SIM_BUS_NONE, MODIFIED, MODIFIED}},
};

/* What a core that has the line in this state does when another asks: its state then, and SIM_SUPPLIES, SIM_WRITES_BACK, both (|) or nothing. */
static const struct sim_bus_reply coherence_reply[STATES][SIM_BUS_REQUESTS] = {
    [SHARED]   = {[SIM_BUS_READ] = {SHARED, 0}},
    [MODIFIED] = {[SIM_BUS_READ] = {MODIFIED, 0}},
};
