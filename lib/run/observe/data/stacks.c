/* lib/run/observe/data/stacks.c - where stacks of threads lie (--data).
 *
 *   a miss while rsp = 7ffe0fc0   ->   the block, symbol or mapping that this lies in is a stack, until it is unmapped
 *
 * The newest STACKS_MAX are known.
 */
#include "run/observe/data/blocks.h"
#include "run/observe/data/data.h"
#include "run/run.h"

#define STACKS_MAX 64u

static struct {
    uint64_t start, end;
} stacks[STACKS_MAX];
static uint32_t nstacks;
struct qn_stack_in_use qn_stack_in_use;

/* What the running thread's stack pointer lies in becomes known as a stack. */
static void learn_stack(uint64_t sp)
{
    const struct qn_live_block *b = qn_blocks_find(sp);
    uint32_t symbol = b ? QN_NO_OBJECT : qn_ranges_find_symbol(sp);
    uint64_t start = 0, end = 0;

    if (b) {
        start = b->base;
        end = b->end;
    } else if (symbol != QN_NO_OBJECT) {
        start = qn_data_object(symbol)->start;
        end = start + qn_data_object(symbol)->size;
    } else {
        qn_ranges_find_mapping(sp, &start, &end);
    }
    stacks[nstacks % STACKS_MAX].start = start;
    stacks[nstacks % STACKS_MAX].end = end;
    nstacks++;
    qn_rows_forget(start, end);
}

uint64_t qn_stacks_end(uint64_t address)
{
    for (uint32_t i = 0; i < nstacks && i < STACKS_MAX; i++)
        if (address - stacks[i].start < stacks[i].end - stacks[i].start)
            return stacks[i].end;
    return 0;
}

void qn_stacks_forget(uint64_t start, uint64_t end)
{
    for (uint32_t i = 0; i < STACKS_MAX; i++)
        if (stacks[i].start < end && stacks[i].end > start)
            stacks[i].start = stacks[i].end = 0;
    qn_stack_in_use.size = 0;
}

void qn_stacks_follow(void)
{
    uint64_t sp = qn_ctx.guest_sp;

    if (QN_LIKELY(qn_stacks_is_in_use(sp)))
        return;
    if (!qn_stacks_end(sp))
        learn_stack(sp);
    for (uint32_t i = 0; i < STACKS_MAX; i++)
        if (sp - stacks[i].start < stacks[i].end - stacks[i].start) {
            qn_stack_in_use.start = stacks[i].start;
            qn_stack_in_use.size = stacks[i].end - stacks[i].start;
        }
}

bool qn_stacks_are_in(uint64_t start, uint64_t end)
{
    for (uint32_t i = 0; i < nstacks && i < STACKS_MAX; i++)
        if (stacks[i].start < end && stacks[i].end > start)
            return true;
    return false;
}
