/* lib/block/order.c - see order.h.
 *
 * The order is a list, and each of its addresses has a label, so that two can be compared without walking it: P. Dietz and D. Sleator, Two
 * algorithms for maintaining order in a list, 1987, the first of them.  Labels are numbers modulo 2^64; what counts is how
 * far they are from that of the list's head.
 */
#include "block/order.h"

#include "base/ready.h"
#include "base/sizes.h"

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

uint32_t qn_order_position(uint64_t pc, bool (*is_counted)(uint64_t pc))
{
    uint32_t a = find(pc);

    if (a == NONE || addresses[a].placed)
        return a;
    addresses[a].source = addresses[a].behind == HEAD && !is_counted(pc);
    insert_behind(addresses[a].behind, a);
    return a;
}

bool qn_order_is_source(uint32_t position) { return position == QN_ORDER_NOWHERE || addresses[position].source; }

bool qn_order_leads_back(uint32_t position, uint64_t pc)
{
    uint32_t to = find(pc);

    if (position == QN_ORDER_NOWHERE || to == NONE)
        return true;
    if (addresses[to].placed)
        return rank(to) <= rank(position);
    if (rank(addresses[to].behind) < rank(position))
        addresses[to].behind = position;
    return false;
}
