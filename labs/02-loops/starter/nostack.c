/* nostack.c - a cache that does not see a kernel's local variables: what is left are the references to the matrices.
 *
 *   quern sim build --D1=nostack.c -o nostack
 *   quern run --sim=./nostack --D1=1024,1,32 ./loops transpose 32 32
 *
 * Where the compiler has too few registers it keeps variables on the stack, and in a cache of 1 KiB they evict
 * matrices.  So the topmost KiB of the stack on which driver.c calls kernels is free; what lies deeper is memory like all other.
 *
 * Where quern has its own memory, the counts among it, natively there is nothing: a kernel that goes there ends the run.
 */
#include "sim/lines.h"

#define LEVEL "nostack"
#define STACK_TOP 0x700000100000ull /* as in driver.c */
#define FREE (1024 + 256)           /* bytes: for the kernel, and for the driver's functions that call it */

#define QUERN_LOW 0x54000000ull     /* base/context.h */
#define QUERN_LOW_END 0x80000000ull
#define QUERN_HIGH 0x7e8000000000ull
#define QUERN_HIGH_END 0x7ef000000000ull

static struct lines lines;

static void cachesim_X_initcache(const struct sim_config *c) { lines_init(&lines, c->sets, c->ways, c->line_bits); }

static void cachesim_X_doref(uint64_t addr, uint32_t size, enum sim_kind kind, struct sim_result *result)
{
    (void)kind;
    if ((addr >= QUERN_LOW && addr < QUERN_LOW_END) || (addr >= QUERN_HIGH && addr < QUERN_HIGH_END))
        sim_fail("D1", LEVEL, "doref", 0, "the program refers to memory of quern's");
    if (addr >= STACK_TOP - FREE && addr < STACK_TOP)
        return;
    LINES_OF(line, addr, size) {
        if (lines_find(&lines, line))
            continue;
        result->miss = true;
        lines_add(&lines, line, 0);
    }
}
