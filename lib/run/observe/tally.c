/* lib/run/observe/tally.c - counts instructions that are observed, by runs of them in a block.
 *
 *   40113a, 40113e, 401142 observed     ->   the cost centre "3 instructions from 40113a" was executed once more
 *
 * Code that is left before each instruction counts nothing by itself.  Mostly the run is a whole block, which has a cost centre.  Of one
 * that ended by a fault, or has a repeated string instruction, the cost centre of a part is looked up by its code, as for
 * any block (translate.c); those used last are found by their address here.
 */
#include "run/observe/tally.h"

#include "block/block.h"
#include "run/observe/region.h"
#include "run/run.h"
#include "tcache/tcache.h"

#define RECENT 16384u

static struct recent {
    uint64_t pc;
    uint32_t counter;
    uint16_t n, scope;
} *recent;
static uint64_t forgotten; /* they are as long as no code has been: it may have changed */

static uint64_t from; /* the run that is going on: its first instruction, and how many */
static unsigned going;

static uint32_t find_counter(uint64_t pc, unsigned n)
{
    unsigned scope = qn_region_scope();
    struct recent *r;

    if (!recent)
        recent = qn_engine_alloc(RECENT * sizeof *recent);
    r = &recent[((pc * 8 + n) * 0x9e3779b97f4a7c15ull >> 32) % RECENT];
    if (forgotten != qn_tcache_stats.forgotten)
        __builtin_memset(recent, 0, RECENT * sizeof *recent);
    forgotten = qn_tcache_stats.forgotten;
    if (r->pc != pc || r->n != n || r->scope != scope)
        *r = (struct recent){pc, qn_translate_centre(pc, n, scope).counter, (uint16_t)n, (uint16_t)scope};
    return r->counter;
}

void qn_tally_end(uint32_t block)
{
    const struct qn_tblock *b = block == QN_NO_BLOCK ? NULL : qn_tcache_block(block);
    bool whole = b && b->pc == from && b->ninsns == going;

    if (going)
        qn_arena_counters()[whole ? qn_arena_block(b->record)->counter : find_counter(from, going)]++;
    going = 0;
}

void qn_tally_block(uint64_t pc, unsigned n)
{
    from = pc;
    going = n;
}

void qn_tally_insn(uint64_t pc)
{
    if (!going)
        from = pc;
    going++;
}

/* Its steps are counted in its cost centre. */
void qn_tally_string(uint64_t pc, const uint64_t before[3])
{
    struct qn_cost_place place;

    qn_tally_end(QN_NO_BLOCK);
    place = qn_translate_centre(pc, 1, qn_region_scope());
    qn_arena_counters()[place.counter]++;
    __builtin_memcpy(qn_ctx.rep, before, 3 * sizeof *before);
    qn_ctx.saved_flags = (qn_ctx.rflags & 0xff) << 8; /* as lahf leaves them */
    qn_string_done(pc, place.record, 0, true);
}
