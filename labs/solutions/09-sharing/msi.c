/* coherence/msi.c - MSI: the smallest protocol that takes lines away, with three states.
 *
 *   core 0 reads A     0: S
 *   core 0 writes A    0: M         an upgrade, though nobody else has the line: MESI saves it
 *   core 1 reads A     0: S  1: S   core 0 supplies the line and writes it back
 *   core 1 writes A    0: I  1: M
 *
 * Source: J. R. Goodman, Using cache memory to reduce processor-memory traffic, ISCA 1983 (write-once, of which MSI is the form without the
 * first write through); D. J. Sorin, M. D. Hill, D. A. Wood, A primer on memory consistency and cache coherence, 2011, chapter 7. */
#include "sim/module.h"

#define COHERENCE "msi"

enum { INVALID, SHARED, MODIFIED, STATES };
#define COHERENCE_LETTERS "ISM"
#define COHERENCE_DIRTY (1u << MODIFIED)

static const struct sim_bus_access coherence_access[STATES][2] = {
    /*             a read: request, then if shared, if alone   a write */
    [INVALID]  = {{SIM_BUS_READ, SHARED, SHARED},              {SIM_BUS_READ_OWN, MODIFIED, MODIFIED}},
    [SHARED]   = {{SIM_BUS_NONE, SHARED, SHARED},              {SIM_BUS_UPGRADE, MODIFIED, MODIFIED}},
    [MODIFIED] = {{SIM_BUS_NONE, MODIFIED, MODIFIED},          {SIM_BUS_NONE, MODIFIED, MODIFIED}},
};

static const struct sim_bus_reply coherence_reply[STATES][SIM_BUS_REQUESTS] = {
    [SHARED]   = {[SIM_BUS_READ] = {SHARED, 0}},
    [MODIFIED] = {[SIM_BUS_READ] = {SHARED, SIM_SUPPLIES | SIM_WRITES_BACK}, [SIM_BUS_READ_OWN] = {INVALID, SIM_SUPPLIES}},
};
