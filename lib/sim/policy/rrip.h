/* policy/rrip.h - what srrip, brrip, drrip and ship share: re-reference interval prediction with 2 bits per line.
 *
 *   0 near: expected again soon   2 long   3 distant: the next victim
 *
 * A hit makes a line near.  The victim is the first distant line; while there is none, all lines of the set age by one.  The
 * policies differ in the prediction of a new line.  A hit on a near line changes nothing.
 * Source: A. Jaleel, K. Theobald, S. Steely, J. Emer, High performance cache replacement using re-reference interval
 * prediction (RRIP), ISCA 2010; hit priority, 2 bits.
 */
enum { RRIP_NEAR = 0, RRIP_LONG = 2, RRIP_DISTANT = 3 };
#define BRRIP_PERIOD 32 /* one new line in 32 is long, the others are distant */
#define POLICY_HIT_KEEPS_SETTLED 1

#ifndef PREDICTION /* of a line */
#define POLICY_WAY_STATE uint8_t
#define POLICY_WAY_SHOWS "RRPV"
#define PREDICTION(set, way) way_state(set, way)

static void policy_hit(unsigned set, unsigned way) { PREDICTION(set, way) = RRIP_NEAR; }
static bool policy_settled(unsigned set, unsigned way) { return PREDICTION(set, way) == RRIP_NEAR; }
static unsigned rrip_victim(unsigned set);
static unsigned policy_victim(unsigned set) { return rrip_victim(set); }
#endif

/* The first line with the largest prediction.  All lines of the set age by the difference from there to "distant". */
static unsigned rrip_victim(unsigned set)
{
    unsigned victim = 0;
    uint8_t age, most = PREDICTION(set, 0);

    for (unsigned way = 1; way < sim.ways; way++) {
        uint8_t other = PREDICTION(set, way);

        victim = other > most ? way : victim;
        most = other > most ? other : most;
    }
    age = (uint8_t)(RRIP_DISTANT - most);
    for (unsigned way = 0; way < sim.ways && age; way++)
        PREDICTION(set, way) += age;
    return victim;
}
