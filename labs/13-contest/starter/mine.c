/* mine.c - a policy of your own for 64 sets of 16 ways, in 4,608 bits.  So far it is none: the same way leaves each time.
 *
 * All that it knows between two calls is in variables of this file; POLICY_WAY_STATE and sim_alloc are not there.
 */
#include "sim/module.h"

#define POLICY "mine"
#define SETS 64
#define WAYS 16

static void policy_hit(unsigned set, unsigned way) { (void)set, (void)way; /* TODO */ }
static void policy_fill(unsigned set, unsigned way) { (void)set, (void)way; /* TODO */ }

static unsigned policy_victim(unsigned set)
{
    (void)set;
    return 0; /* TODO */
}

static bool policy_settled(unsigned set, unsigned way)
{
    (void)set, (void)way;
    return false;
}
