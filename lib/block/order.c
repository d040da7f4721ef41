/* lib/block/order.c - an order of the addresses at which blocks begin, in which few branches lead back; and the anchors that it gives.
 *
 *   while (a) if (b) c; else d; rest        a  rest  b  d  c          leads back: from c to a, from d to a
 *
 * A branch leads back if its target is the block itself or comes before it.  In any fixed order every cycle of the program has a branch
 * that leads back, so that counting these branches bounds every cycle (run/observe/insns.c).  The order should have few of them.  In the
 * order of addresses half of all calls lead back, and so do the returns from code that the compiler moved to the end of a function.
 * Here an address gets its position when its block is first translated: directly after the last block that is known to branch to it.  For the
 * branches known so far that is the reverse postorder of a depth-first search (R. Tarjan, Depth-first search and linear graph algorithms,
 * 1972), in which only loops and recursion lead back.
 *
 * The order is a list, and each of its addresses has a label, so that two can be compared without walking it: P. Dietz and D. Sleator, Two
 * algorithms for maintaining order in a list, 1987, the first of them.  Labels are numbers modulo 2^64; what counts is how
 * far they are from that of the list's head.
 */
#include "block/block.h"

#include "base/ready.h"
#include "base/sizes.h"

#define NOWHERE 0u /* the position where there is no room for more */
#define HEAD 0u
#define NONE 0u
#define SPARE 64u /* a position leaves all but this part of the room for those that will follow */

struct address {
    uint64_t pc, label;
    uint32_t next;   /* in the order */
    uint32_t chain;  /* of its bucket */
    uint32_t behind; /* without a position yet: the last position that leads here, HEAD: none */
    bool placed, source;
};

static struct address *addresses; /* [HEAD] begins the list */
static uint32_t *buckets;
static uint32_t count, most;
static uint64_t ready;

void qn_order_init(uint32_t max)
{
    most = max;
    addresses = qn_engine_alloc((uint64_t)max * sizeof *addresses);
    buckets = qn_engine_alloc(QN_ORDER_BUCKETS * sizeof *buckets);
    qn_ready(buckets, QN_ORDER_BUCKETS * sizeof *buckets);
    count = 1;
    addresses[HEAD].placed = true;
}

/* Neighbours share a line of the table. */
static uint32_t *bucket_of(uint64_t pc) { return &buckets[(pc >> 5) % QN_ORDER_BUCKETS]; }

static uint32_t find(uint64_t pc)
{
    uint32_t *bucket = bucket_of(pc), a;

    for (a = *bucket; a != NONE; a = addresses[a].chain)
        if (addresses[a].pc == pc)
            return a;
    if (count == most)
        return NONE;
    a = count++;
    qn_ready_until(&ready, &addresses[a + 1]);
    addresses[a] = (struct address){.pc = pc, .chain = *bucket};
    return *bucket = a;
}

static uint64_t rank(uint32_t a) { return addresses[a].label - addresses[HEAD].label; }

/* Makes room behind a: takes successors until n of them span more than n^2 labels, then spreads them evenly. */
static void make_room(uint32_t a)
{
    uint64_t from = addresses[a].label, room = 0, n = 0;
    uint32_t end = a;

    do {
        end = addresses[end].next;
        n++;
        room = end == a ? UINT64_MAX : addresses[end].label - from;
    } while (room <= n * n && end != a);
    room /= n;
    for (uint32_t x = addresses[a].next; x != end; x = addresses[x].next)
        addresses[x].label = from += room;
}

static uint64_t room_behind(uint32_t a)
{
    uint32_t next = addresses[a].next;

    return next == a ? UINT64_MAX : addresses[next].label - addresses[a].label;
}

static void insert_behind(uint32_t a, uint32_t fresh)
{
    struct address *x = &addresses[fresh];
    uint64_t room = room_behind(a), step;

    if (room < 2) {
        make_room(a);
        room = room_behind(a);
    }
    step = room / SPARE ? room / SPARE : 1;
    x->label = addresses[a].label + (a == HEAD ? room - step : step);
    x->next = addresses[a].next;
    x->placed = true;
    addresses[a].next = fresh;
}

/* The position of pc; chosen now if it has none.  Without a known predecessor the position is before all others, and is_counted(pc) says
 * whether the branch that led there was counted. */
static uint32_t position_of(uint64_t pc, bool (*is_counted)(uint64_t pc))
{
    uint32_t a = find(pc);

    if (a == NONE || addresses[a].placed)
        return a;
    addresses[a].source = addresses[a].behind == HEAD && !is_counted(pc);
    insert_behind(addresses[a].behind, a);
    return a;
}

/* Was this position reached first by a branch that was neither known nor counted? */
static bool is_source(uint32_t position) { return position == NOWHERE || addresses[position].source; }

/* Does a branch from a position to `pc` lead back?  The answer stays the same: if pc has no position yet, it will get one after this position.
 * Without room every branch leads back. */
static bool leads_back(uint32_t position, uint64_t pc)
{
    uint32_t to = find(pc);

    if (position == NOWHERE || to == NONE)
        return true;
    if (addresses[to].placed)
        return rank(to) <= rank(position);
    if (rank(addresses[to].behind) < rank(position))
        addresses[to].behind = position;
    return false;
}

enum qn_anchor qn_block_anchor(const struct qn_block *b, bool (*is_counted)(uint64_t pc))
{
    uint32_t position = position_of(b->pc, is_counted);
    bool branches = false, goes_on = false;

    switch (b->end) {
    case QN_END_RET:
    case QN_END_BAD: break;
    case QN_END_JMP_IND: goes_on = true; break;
    case QN_END_CALL_IND:
        leads_back(position, b->next);
        goes_on = true;
        break;
    case QN_END_JMP: branches = leads_back(position, b->target); break;
    case QN_END_CALL: /* a loop around a call may close at the return, which is no anchor: so the call is */
        branches = leads_back(position, b->target);
        branches |= leads_back(position, b->next);
        break;
    case QN_END_JCC:
    case QN_END_LOOP:
    case QN_END_XBEGIN:
        branches = leads_back(position, b->target);
        goes_on = leads_back(position, b->next);
        break;
    default: goes_on = leads_back(position, b->next);
    }
    return goes_on || is_source(position) ? QN_ANCHOR : branches ? QN_ANCHOR_IF_TAKEN : QN_NO_ANCHOR;
}
