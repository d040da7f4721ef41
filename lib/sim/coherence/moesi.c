/* coherence/moesi.c - MOESI: a dirty line can be shared; nothing is written back until its owner gives it up.
 *
 *   core 0 writes A    0: M
 *   core 1 reads A     0: O  1: S   core 0 supplies the line and stays its owner: MESI would write it back
 *   core 1 writes A    0: I  1: M
 *
 * States: those of MESI, and Owned (dirty, others have it in state S, and this core supplies it).
 * Otherwise than published: an exclusive line is supplied by the core that has it, as with mesi; there only its owner (M or O) supplies a line.
 * Source: P. Sweazey, A. J. Smith, A class of compatible cache consistency protocols and their support by the IEEE Futurebus, ISCA 1986;
 * AMD64 Architecture Programmer's Manual, volume 2, section 7.3. */
#include "sim/module.h"

#define COHERENCE "moesi"

enum { INVALID, SHARED, EXCLUSIVE, OWNED, MODIFIED, STATES };
#define COHERENCE_LETTERS "ISEOM"
#define COHERENCE_DIRTY (1u << MODIFIED | 1u << OWNED)

static const struct sim_bus_access coherence_access[STATES][2] = {
    /*              a read: request, then if shared, if alone   a write */
    [INVALID]   = {{SIM_BUS_READ, SHARED, EXCLUSIVE},           {SIM_BUS_READ_OWN, MODIFIED, MODIFIED}},
    [SHARED]    = {{SIM_BUS_NONE, SHARED, SHARED},              {SIM_BUS_UPGRADE, MODIFIED, MODIFIED}},
    [EXCLUSIVE] = {{SIM_BUS_NONE, EXCLUSIVE, EXCLUSIVE},        {SIM_BUS_NONE, MODIFIED, MODIFIED}},
    [OWNED]     = {{SIM_BUS_NONE, OWNED, OWNED},                {SIM_BUS_UPGRADE, MODIFIED, MODIFIED}},
    [MODIFIED]  = {{SIM_BUS_NONE, MODIFIED, MODIFIED},          {SIM_BUS_NONE, MODIFIED, MODIFIED}},
};

static const struct sim_bus_reply coherence_reply[STATES][SIM_BUS_REQUESTS] = {
    [SHARED]    = {[SIM_BUS_READ] = {SHARED, 0}},
    [EXCLUSIVE] = {[SIM_BUS_READ] = {SHARED, SIM_SUPPLIES}, [SIM_BUS_READ_OWN] = {INVALID, SIM_SUPPLIES}},
    [OWNED]     = {[SIM_BUS_READ] = {OWNED, SIM_SUPPLIES}, [SIM_BUS_READ_OWN] = {INVALID, SIM_SUPPLIES}},
    [MODIFIED]  = {[SIM_BUS_READ] = {OWNED, SIM_SUPPLIES}, [SIM_BUS_READ_OWN] = {INVALID, SIM_SUPPLIES}},
};
