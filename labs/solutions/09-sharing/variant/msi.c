/* msi.c - lab 9, a solution for variants.  READ, OWN, CLEAN and ASKS are defined before it. */
#include "sim/module.h"

#define COHERENCE "msi"

enum { INVALID, SHARED, MODIFIED, STATES };
#define COHERENCE_LETTERS "ISM"
#define COHERENCE_DIRTY (1u << MODIFIED)

static const struct sim_bus_access coherence_access[STATES][2] = {
    [INVALID]  = {{SIM_BUS_READ, SHARED, SHARED},     {SIM_BUS_READ_OWN, MODIFIED, MODIFIED}},
    [SHARED]   = {{SIM_BUS_NONE, SHARED, SHARED},     {ASKS, MODIFIED, MODIFIED}},
    [MODIFIED] = {{SIM_BUS_NONE, MODIFIED, MODIFIED}, {SIM_BUS_NONE, MODIFIED, MODIFIED}},
};

static const struct sim_bus_reply coherence_reply[STATES][SIM_BUS_REQUESTS] = {
    [SHARED]   = {[SIM_BUS_READ] = {SHARED, CLEAN == 1 ? SIM_SUPPLIES : 0}, [SIM_BUS_READ_OWN] = {INVALID, CLEAN == 2 ? SIM_SUPPLIES : 0}},
    [MODIFIED] = {[SIM_BUS_READ] = {READ == 1 ? INVALID : SHARED, READ == 2 ? SIM_WRITES_BACK : SIM_SUPPLIES | SIM_WRITES_BACK},
                  [SIM_BUS_READ_OWN] = {INVALID, OWN == 1 ? SIM_WRITES_BACK : SIM_SUPPLIES | SIM_WRITES_BACK}},
};
