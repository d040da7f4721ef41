/* chase.c - walk a list through 64 MB in random order: every step misses every cache. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

enum { NODES = 1 << 20 }; /* of a cache line each */

struct node {
    struct node *next;
    uint64_t value[7];
};

static struct node nodes[NODES];
static uint32_t order[NODES];

int main(int argc, char **argv)
{
    long steps = argc > 1 ? atol(argv[1]) : NODES;
    uint64_t seed = 1, sum = 0;
    struct node *p;

    for (uint32_t i = 0; i < NODES; i++)
        order[i] = i;
    for (uint32_t i = NODES - 1; i > 0; i--) {
        uint32_t j, swapped = order[i];

        seed = seed * 6364136223846793005ull + 1442695040888963407ull;
        j = (uint32_t)((seed >> 33) % (i + 1));
        order[i] = order[j];
        order[j] = swapped;
    }
    for (uint32_t i = 0; i < NODES; i++) {
        nodes[order[i]].next = &nodes[order[(i + 1) % NODES]];
        nodes[order[i]].value[0] = i;
    }
    for (p = nodes; steps > 0; steps--, p = p->next)
        sum += p->value[0];
    printf("%llu\n", (unsigned long long)sum);
    return 0;
}
