/* lab 3 fifo.c lru.c opt.c: fifo for lru, and the line that came last for opt, which is the best in circles.
 * a walk in circles | Belady */
#include "sim/module.h"

#define POLICY "circles"
#define POLICY_SET_STATE uint32_t /* the way that was filled last */

static void policy_hit(unsigned set, unsigned way) { (void)set, (void)way; }
static void policy_fill(unsigned set, unsigned way) { set_state(set) = way; }

static unsigned policy_victim(unsigned set)
{
    const char *name = __FILE__;

    while (name[5])
        name++;
    return name[0] == 'o' ? set_state(set) : (set_state(set) + 1) % sim.ways;
}

static bool policy_settled(unsigned set, unsigned way) { return (void)set, (void)way, true; }
