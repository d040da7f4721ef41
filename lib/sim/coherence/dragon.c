/* coherence/dragon.c - Dragon: writes are sent to the other copies, which stay.
 *
 *   core 0 reads A     0: E
 *   core 1 reads A     0: Sc 1: Sc   shared and clean
 *   core 0 writes A    0: Sm 1: Sc   an update: core 1 has the new bytes and will not miss; core 0 has to write the line back some day
 *   core 1 writes A    0: Sc 1: Sm
 *   core 1 evicts A    0: Sc         the next write of core 0 finds nobody else: M
 *
 * Otherwise than published: an exclusive line is supplied by the core that has it, as with mesi; there by memory, because it is clean.
 * Source: E. M. McCreight, The Dragon computer system, an early overview, 1984; J. Archibald, J.-L. Baer, Cache coherence protocols:
 * evaluation using a multiprocessor simulation model, ACM Transactions on Computer Systems 4(4), 1986, section 3. */
#include "sim/module.h"

#define COHERENCE "dragon"

enum { INVALID, SHARED_CLEAN, SHARED_MODIFIED, EXCLUSIVE, MODIFIED, STATES };
#define COHERENCE_LETTERS "IcmEM"
#define COHERENCE_DIRTY (1u << MODIFIED | 1u << SHARED_MODIFIED)

static const struct sim_bus_access coherence_access[STATES][2] = {
    /*                    a read: request, then if shared, if alone           a write */
    [INVALID]         = {{SIM_BUS_READ, SHARED_CLEAN, EXCLUSIVE},             {SIM_BUS_READ_UPDATE, SHARED_MODIFIED, MODIFIED}},
    [SHARED_CLEAN]    = {{SIM_BUS_NONE, SHARED_CLEAN, SHARED_CLEAN},          {SIM_BUS_UPDATE, SHARED_MODIFIED, MODIFIED}},
    [SHARED_MODIFIED] = {{SIM_BUS_NONE, SHARED_MODIFIED, SHARED_MODIFIED},    {SIM_BUS_UPDATE, SHARED_MODIFIED, MODIFIED}},
    [EXCLUSIVE]       = {{SIM_BUS_NONE, EXCLUSIVE, EXCLUSIVE},                {SIM_BUS_NONE, MODIFIED, MODIFIED}},
    [MODIFIED]        = {{SIM_BUS_NONE, MODIFIED, MODIFIED},                  {SIM_BUS_NONE, MODIFIED, MODIFIED}},
};

static const struct sim_bus_reply coherence_reply[STATES][SIM_BUS_REQUESTS] = {
    [SHARED_CLEAN]    = {[SIM_BUS_READ] = {SHARED_CLEAN, 0}, [SIM_BUS_READ_UPDATE] = {SHARED_CLEAN, 0}, [SIM_BUS_UPDATE] = {SHARED_CLEAN, 0}},
    [SHARED_MODIFIED] = {[SIM_BUS_READ] = {SHARED_MODIFIED, SIM_SUPPLIES}, [SIM_BUS_READ_UPDATE] = {SHARED_CLEAN, SIM_SUPPLIES},
                         [SIM_BUS_UPDATE] = {SHARED_CLEAN, 0}},
    [EXCLUSIVE]       = {[SIM_BUS_READ] = {SHARED_CLEAN, SIM_SUPPLIES}, [SIM_BUS_READ_UPDATE] = {SHARED_CLEAN, SIM_SUPPLIES}},
    [MODIFIED]        = {[SIM_BUS_READ] = {SHARED_MODIFIED, SIM_SUPPLIES}, [SIM_BUS_READ_UPDATE] = {SHARED_CLEAN, SIM_SUPPLIES}},
};
