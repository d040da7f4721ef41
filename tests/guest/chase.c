/* chase.c - pointer chasing: one cycle through all nodes in random order, so that the next address is known only when
 * the last load is done, and no line helps the next one. */
#include "guest.h"

#define NODES 2048
#define LAPS 8

struct node {
    struct node *next;
    uint64_t payload;
    uint8_t pad[32]; /* 48 bytes: some nodes straddle two lines */
};

static struct node nodes[NODES];
static uint16_t order[NODES];

static NOINLINE void shuffle(uint64_t seed)
{
    for (unsigned i = 0; i < NODES; i++)
        order[i] = (uint16_t)i;
    for (unsigned i = NODES - 1; i > 0; i--) {
        unsigned j = guest_random(&seed) % (i + 1);
        uint16_t t = order[i];

        order[i] = order[j];
        order[j] = t;
    }
}

static NOINLINE void link_nodes(void)
{
    for (unsigned i = 0; i < NODES; i++) {
        nodes[order[i]].next = &nodes[order[(i + 1) % NODES]];
        nodes[order[i]].payload = order[i];
    }
}

static NOINLINE uint64_t chase(const struct node *node, unsigned steps)
{
    uint64_t sum = 0;

    while (steps-- > 0) {
        sum += node->payload;
        node = node->next;
    }
    return sum;
}

static int guest_main(void)
{
    shuffle(7);
    link_nodes();
    return EXPECT(chase(nodes, NODES * LAPS) == (uint64_t)LAPS * NODES * (NODES - 1) / 2);
}
