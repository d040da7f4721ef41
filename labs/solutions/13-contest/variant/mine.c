/* mine.c - lab 13, a solution for variants: numbers of two bits as in drrip, packed, and two kinds of fills that duel.
 *
 * 64 * 16 * 2 bits of numbers, a counter of 16 bits, and one of fills, and the way used last: 2,592 bits. The counter is small, so that it turns within a phase.
 */
#include "sim/module.h"

#define POLICY "mine"
#define SETS 64
#define WAYS 16
#define MIDDLE 16

static uint32_t numbers[SETS]; /* two bits for each way: 3 leaves next */
static uint16_t selector = MIDDLE, fills;

static unsigned number(unsigned set, unsigned way) { return numbers[set] >> 2 * way & 3; }
static void put(unsigned set, unsigned way, unsigned n) { numbers[set] = (numbers[set] & ~(3u << 2 * way)) | n << 2 * way; }

static uint8_t last[SETS]; /* the way that was used last: a hit there again tells nothing */

static void policy_hit(unsigned set, unsigned way)
{
    if (last[set] != way)
        put(set, way, 0);
    last[set] = (uint8_t)way;
}

static void policy_fill(unsigned set, unsigned way)
{
    bool leads_near = set % 16 == 0, leads_far = set % 16 == 1;

    last[set] = (uint8_t)way;
    if (leads_near && selector < 2 * MIDDLE)
        selector++;
    if (leads_far && selector > 0)
        selector--;
    if (leads_near || (!leads_far && selector <= MIDDLE))
        put(set, way, 2);
    else
        put(set, way, ++fills % 16 ? 3 : 2);
}

static unsigned policy_victim(unsigned set)
{
    for (;;) {
        for (unsigned way = 0; way < WAYS; way++)
            if (number(set, way) == 3)
                return way;
        numbers[set] += 0x55555555; /* one to each: none is 3 */
    }
}

static bool policy_settled(unsigned set, unsigned way) { return number(set, way) == 0; }
