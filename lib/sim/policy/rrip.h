/* policy/rrip.h - what srrip, brrip and drrip share: re-reference interval prediction with 2 bits per line.
 *
 *   0 near: expected again soon   2 long   3 distant: the next victim
 *
 * A hit makes a line near.  The victim is the first distant line; while there is none, all lines age by one.  The three
 * differ in what a new line gets.  A near line may be hit without any change.
 * Source: A. Jaleel, K. Theobald, S. Steely, J. Emer, High performance cache replacement using re-reference interval
 * prediction (RRIP), ISCA 2010; hit priority, 2 bits.
 */
#define POLICY_WAY_STATE uint8_t /* prediction, 0 to 3 */

enum { RRIP_NEAR = 0, RRIP_LONG = 2, RRIP_DISTANT = 3 };
#define BRRIP_PERIOD 32 /* one new line in so many is long, the others distant */

static void policy_hit(unsigned set, unsigned way) { way_state(set, way) = RRIP_NEAR; }
static bool policy_settled(unsigned set, unsigned way) { return way_state(set, way) == RRIP_NEAR; }

static unsigned policy_victim(unsigned set)
{
    for (;;) {
        for (unsigned way = 0; way < sim.ways; way++)
            if (way_state(set, way) == RRIP_DISTANT)
                return way;
        for (unsigned way = 0; way < sim.ways; way++)
            way_state(set, way)++;
    }
}
