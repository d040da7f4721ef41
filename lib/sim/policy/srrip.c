/* policy/srrip.c - static re-reference interval prediction: a new line is predicted to be used again only after a long time,
 * so a scan does not evict the working set.
 *
 *   2 ways, A A B C:   A0 -> A0 B2 -> (age) A1 B3 -> A1 C2      B is the victim, although A is older
 *
 * Source and rules: rrip.h (Jaleel et al., ISCA 2010).
 */
#include "sim/module.h"

#define POLICY "srrip"
#include "sim/policy/rrip.h"

static void policy_fill(unsigned set, unsigned way) { way_state(set, way) = RRIP_LONG; }
