/* lab 9 msi.c: who reads a line owns it, as who writes it: one core has it at a time, and nothing is ever shared.
 * msi */
#include "sim/module.h"

#define COHERENCE "msi"

enum { INVALID, SHARED, MODIFIED, STATES };
#define COHERENCE_LETTERS "ISM"
#define COHERENCE_DIRTY (1u << MODIFIED)

static const struct sim_bus_access coherence_access[STATES][2] = {
    /*             a read: request, then if shared, if alone   a write */
    [INVALID]  = {{SIM_BUS_READ_OWN, MODIFIED, MODIFIED},      {SIM_BUS_READ_OWN, MODIFIED, MODIFIED}},
    [SHARED]   = {{SIM_BUS_NONE, SHARED, SHARED},              {SIM_BUS_UPGRADE, MODIFIED, MODIFIED}},
    [MODIFIED] = {{SIM_BUS_NONE, MODIFIED, MODIFIED},          {SIM_BUS_NONE, MODIFIED, MODIFIED}},
};

static const struct sim_bus_reply coherence_reply[STATES][SIM_BUS_REQUESTS] = {
    [MODIFIED] = {[SIM_BUS_READ_OWN] = {INVALID, SIM_SUPPLIES}},
};
