/* lib/sim/versus.c - run --versus: counts the references whose outcome differs between two simulators, A and B.
 *
 *   A: D1 = lru     B: D1 = fifo        reference 17 of the run: A hits, B misses, the LL has it
 *
 * B is the twin (twin.c).  A uses its hit filter, B sees all references that could differ, both in program order.  There is only
 * one execution, so both see exactly the same references.
 *
 * B's misses are events, charged to the instruction like those of modules: the profile has the column B.D1mr beside D1mr.
 * Events that B's own modules declare are not shown.
 */
#include "sim/versus.h"

enum { L1_MISS = 1, LL_MISS = 2 };

uint64_t qn_versus_counted;

static struct qn_versus *versus;
static unsigned level1[QN_VERSUS_KINDS], level2[QN_VERSUS_KINDS]; /* events: misses of each level, mispredicts in level1 */

static void declare_caches(void)
{
    level1[QN_VERSUS_FETCH] = sim_event("B", "I1mr", "I1 misses of the second simulator");
    level2[QN_VERSUS_FETCH] = sim_event("B", "ILmr", "LL misses of its fetches");
    level1[QN_VERSUS_READ] = level1[QN_VERSUS_MODIFY] = sim_event("B", "D1mr", "its D1 read misses");
    level2[QN_VERSUS_READ] = level2[QN_VERSUS_MODIFY] = sim_event("B", "DLmr", "its LL misses of reads");
    level1[QN_VERSUS_WRITE] = sim_event("B", "D1mw", "its D1 write misses");
    level2[QN_VERSUS_WRITE] = sim_event("B", "DLmw", "its LL misses of writes");
}

static void declare_branches(void)
{
    level1[QN_VERSUS_COND] = sim_event("B", "Bcm", "its mispredicted conditional branches");
    level1[QN_VERSUS_INDIRECT] = sim_event("B", "Bim", "its mispredicted indirect branches");
}

void qn_versus_init(const struct qn_config *config, struct qn_versus *where)
{
    versus = where;
    if (config->cache_sim)
        declare_caches();
    if (config->branch_sim)
        declare_branches();
}

void qn_versus_finish(void) { versus->references = qn_versus_counted; }

static QN_SIM_NCSR void differ(enum qn_versus_kind kind, uint64_t addr, uint32_t size, uint32_t site, unsigned a, unsigned b)
{
    versus->different++;
    versus->worse += b > a;
    versus->better += b < a;
    if (versus->first)
        return;
    versus->first = qn_versus_counted - (uint64_t)qn_sim_twin.ahead;
    versus->addr = addr;
    versus->size = size;
    versus->site = site;
    versus->kind = (uint8_t)kind;
    versus->a = (uint8_t)a;
    versus->b = (uint8_t)b;
}

QN_SIM_NCSR void qn_versus_follow(enum qn_versus_kind kind, uint64_t addr, uint32_t size, uint32_t site, unsigned a, unsigned b)
{
    versus->references = qn_versus_counted;
    if (b & L1_MISS)
        sim_count(level1[kind], 1);
    if (b & LL_MISS)
        sim_count(level2[kind], 1);
    if (a != b)
        differ(kind, addr, size, site, a, b);
}
