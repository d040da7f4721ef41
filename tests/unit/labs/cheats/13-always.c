/* lab 13 mine.c: nearly all that comes in leaves next, whatever the program does.
 * mine */
#include "sim/module.h"

#define POLICY "mine"

static uint32_t numbers[64];
static unsigned fills;

static void policy_hit(unsigned set, unsigned way) { numbers[set] &= ~(3u << 2 * way); }
static void policy_fill(unsigned set, unsigned way) { numbers[set] = (numbers[set] & ~(3u << 2 * way)) | (++fills % 32 ? 3u : 2u) << 2 * way; }

static unsigned policy_victim(unsigned set)
{
    for (;; numbers[set] += 0x55555555)
        for (unsigned way = 0; way < 16; way++)
            if ((numbers[set] >> 2 * way & 3) == 3)
                return way;
}

static bool policy_settled(unsigned set, unsigned way) { return (void)set, (void)way, false; }
