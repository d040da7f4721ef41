/* nostack.c - a cache that does not see a kernel's local variables: what is left are the references to the matrices.
 *
 *   quern sim build --D1=nostack.c -o nostack
 *   quern run --sim=./nostack --D1=1024,1,32 ./loops transpose 32 32
 *
 * Where the compiler has too few registers it keeps variables on the stack, and in a cache of 1 KiB they evict
 * matrices.  So the topmost KiB of the stack on which driver.c calls kernels is free; what lies deeper is memory like all other.
 *
 * A reference to several lines misses each of them: it counts as one miss, and the others as the event "more".
 *
 * Where quern has its own memory, the counts among it, natively there is nothing: a kernel that goes there ends the run.
 */
#include "sim/lines.h"

#define LEVEL "nostack"
#define STACK_TOP 0x700000100000ull /* as in driver.c */
#define LIBRARIES 0x7e0000000000ull /* and what they refer to, from here on */
#define FREE (1024 + 256)           /* bytes: for the kernel, and for the driver's functions that call it */

static const uint64_t querns[][2] = { /* base/context.h; between these lie programs and libraries */
    { 0x54000000, 0x68000000 }, { 0x70000000, 0x80000000 }, { 0x7e8000000000, 0x7ef000000000 }
};

static struct lines lines;
static unsigned more; /* an event */

static void cachesim_X_initcache(const struct sim_config *c)
{
    lines_init(&lines, c->sets, c->ways, c->line_bits);
    more = sim_event(c->slot, "more", "more lines missed by a reference that missed one");
}

static void cachesim_X_doref(uint64_t addr, uint32_t size, enum sim_kind kind, struct sim_result *result)
{
    (void)kind;
    for (unsigned i = 0; i < sizeof querns / sizeof querns[0]; i++)
        if (addr >= querns[i][0] && addr < querns[i][1])
            sim_fail("D1", LEVEL, "doref", 0, "the program refers to memory of quern's");
    if (addr >= STACK_TOP - FREE && addr < STACK_TOP)
        return;
    LINES_OF(line, addr, size) {
        if (lines_find(&lines, line))
            continue;
        if (result->miss && addr < LIBRARIES)
            sim_count(more, 1);
        result->miss = true;
        lines_add(&lines, line, 0);
    }
}
