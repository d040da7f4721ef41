/* coherence/mesi.c - MESI: a line that no other core has can be written without asking.
 *
 *   core 0 reads A     0: E      nobody else has it
 *   core 0 writes A    0: M      ... so nobody has to be asked
 *   core 1 reads A     0: S  1: S   core 0 supplies the line and writes it back
 *   core 1 writes A    0: I  1: M   an upgrade: the copy of core 0 is taken away
 *
 * States: Modified (dirty, the only copy), Exclusive (clean, the only copy), Shared (clean, maybe others), Invalid.
 * Source: M. S. Papamarcos, J. H. Patel, A low-overhead coherence solution for multiprocessors with private cache memories, ISCA 1984
 * (section 3).  There one of the caches supplies a line that several of them have; here, as in processors since, the next level does.  A
 * line that one core has alone is supplied by it, as there. */
#include "sim/module.h"

#define COHERENCE "mesi"

enum { INVALID, SHARED, EXCLUSIVE, MODIFIED, STATES };
#define COHERENCE_LETTERS "ISEM"
#define COHERENCE_DIRTY (1u << MODIFIED)

static const struct sim_bus_access coherence_access[STATES][2] = {
    /*              a read: request, then if shared, if alone   a write */
    [INVALID]   = {{SIM_BUS_READ, SHARED, EXCLUSIVE},           {SIM_BUS_READ_OWN, MODIFIED, MODIFIED}},
    [SHARED]    = {{SIM_BUS_NONE, SHARED, SHARED},              {SIM_BUS_UPGRADE, MODIFIED, MODIFIED}},
    [EXCLUSIVE] = {{SIM_BUS_NONE, EXCLUSIVE, EXCLUSIVE},        {SIM_BUS_NONE, MODIFIED, MODIFIED}},
    [MODIFIED]  = {{SIM_BUS_NONE, MODIFIED, MODIFIED},          {SIM_BUS_NONE, MODIFIED, MODIFIED}},
};

static const struct sim_bus_reply coherence_reply[STATES][SIM_BUS_REQUESTS] = {
    [SHARED]    = {[SIM_BUS_READ] = {SHARED, 0}},
    [EXCLUSIVE] = {[SIM_BUS_READ] = {SHARED, SIM_SUPPLIES}, [SIM_BUS_READ_OWN] = {INVALID, SIM_SUPPLIES}},
    [MODIFIED]  = {[SIM_BUS_READ] = {SHARED, SIM_SUPPLIES | SIM_WRITES_BACK}, [SIM_BUS_READ_OWN] = {INVALID, SIM_SUPPLIES}},
};
