/* policy/srrip.c - static re-reference interval prediction: a new line is predicted to be used again only after a long time, so a scan
 * does not evict the working set.
 *
 * Static re-reference interval prediction: each line has a guess when it is used again, 0 soon to 3 late. A new line gets 2, a hit
 * makes it 0. The first 3 goes; while there is none, all grow by one.
 *
 *   A      A2  .  .  .
 *   A      A0* .  .  .
 *   BCD    A0* B2 C2 D2
 *   E      A1  E2 C3 D3       no 3: all grow, B is the first
 *   A      A0* E2 C3 D3
 *   FG     A0* E2 F2 G2       a scan leaves A alone
 *
 * Storage: 2 W bits.
 * Source: A. Jaleel, K. B. Theobald, S. C. Steely, J. Emer, High performance cache replacement using re-reference interval prediction
 * (RRIP), ISCA 2010; hit priority, 2 bits. */
#include "sim/module.h"

#define POLICY "srrip"
#include "sim/policy/rrip.h"

static void policy_fill(unsigned set, unsigned way) { way_state(set, way) = RRIP_LONG; }
