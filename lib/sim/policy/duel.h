/* policy/duel.h - set duelling, which drrip and dip share: of every 32 sets the first always does one thing, the second the other; their
 * misses move a counter from 0 to 1023 up and down, and the other sets do what has missed less.
 *
 * A cache of fewer than 32 sets duels with its first and last.
 * Source: M. K. Qureshi, A. Jaleel, Y. N. Patt, S. C. Steely, J. Emer, Adaptive insertion policies for high performance caching, ISCA 2007.
 */
#define SELECTOR_MAX 1023
#define DUEL_SETS 32 /* one leader of each kind in so many sets */

static unsigned selector = SELECTOR_MAX / 2; /* above this: the sets that do the first thing missed more often */

enum leader { FOLLOWS, LEADS_FIRST, LEADS_SECOND };

static enum leader leader_of(unsigned set)
{
    unsigned period = sim.sets < DUEL_SETS ? sim.sets : DUEL_SETS;
    unsigned second = sim.sets < DUEL_SETS ? period - 1 : 1;

    return set % period == 0 ? LEADS_FIRST : set % period == second ? LEADS_SECOND : FOLLOWS;
}

/* At a miss in the set: does it do the second thing? */
static bool duel_does_second(unsigned set)
{
    enum leader leader = leader_of(set);
    bool second = leader == LEADS_SECOND || (leader == FOLLOWS && selector > SELECTOR_MAX / 2);

    if (leader == LEADS_FIRST)
        selector += selector < SELECTOR_MAX;
    else if (leader == LEADS_SECOND)
        selector -= selector > 0;
    return second;
}
