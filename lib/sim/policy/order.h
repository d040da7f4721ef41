/* policy/order.h - the order of use of a set's lines, which dip and eaf share: a number for each line, the least is the next victim.
 *
 * A line is put behind all others with a number above the largest, before all others with one below the smallest.  A hit on the last
 * changes nothing; a line that was just put before all others is not settled, so POLICY_ONE_SETTLED would be wrong. */
struct order {
    int64_t first, last; /* the numbers given so far */
};

#define POLICY_SET_STATE struct order
#ifndef ORDER
#define POLICY_WAY_STATE int64_t
#define ORDER(set, way) way_state(set, way)
#endif
#define POLICY_WAY_SHOWS "order"
#define policy_show_way(set, way) ((uint64_t)ORDER(set, way))

static bool policy_settled(unsigned set, unsigned way) { return ORDER(set, way) == set_state(set).last; }
static inline void order_last(unsigned set, unsigned way) { ORDER(set, way) = ++set_state(set).last; }
static inline void order_first(unsigned set, unsigned way) { ORDER(set, way) = --set_state(set).first; }

static void policy_hit(unsigned set, unsigned way)
{
    if (!policy_settled(set, way))
        order_last(set, way);
}

static unsigned policy_victim(unsigned set)
{
    unsigned first = 0;

    for (unsigned way = 1; way < sim.ways; way++)
        if (ORDER(set, way) < ORDER(set, first))
            first = way;
    return first;
}
