/* lib/run/core/settle.c - ensures that status flags have the guest's values when a signal handler may read them.
 *
 * Instrumentation destroys status flags that the program writes before it reads them again (block/block.c).  A handler that gets the
 * context could see that.  Therefore:
 *
 *   an asynchronous signal     waits at the block boundary where it arrived, for a block or two.  These run in a variant that keeps all
 *                              flags.  It waits until the program has written all flags that had other values, or until a block ends in
 *                              something else than a direct branch: then all flags have the guest's values
 *   a fault                    cannot wait.  As soon as a handler with SA_SIGINFO is installed for a signal that faults raise, all
 *                              translations keep all flags
 *
 * Code that is not instrumented always keeps them, except code with countdowns to samples (emit/sample.c).  Code that is observed
 * instruction by instruction keeps them, too.
 */
#include "block/block.h"
#include "run/observe/sample.h"
#include "run/kernel/signal/signal.h"
#include "run/core/space.h"
#include "tcache/tcache.h"

#define BLOCKS_MAX 64u /* the limit of waiting; liveness looks 16 instructions ahead, so a few blocks are usually enough */

static bool all_exact;

bool qn_settle_exact(void) { return all_exact; }

void qn_settle_all_exact(void)
{
    if (!all_exact)
        qn_tcache_flush();
    all_exact = true;
}

/* Flags that the block at pc does not read, so that the code before it may have destroyed them. */
static uint8_t unknown_at(uint64_t pc)
{
    uint32_t index;

    if (qn_sample_has_anchors()) /* a countdown may have destroyed any of them */
        return QN_FLAGS_STATUS;
    if (qn_region_scope() != qn_space)
        qn_space_choose(qn_region_scope());
    index = qn_tcache_find(pc, qn_space);
    if (index == QN_NO_BLOCK)
        index = qn_translate(pc, qn_space);
    if (index == QN_NO_BLOCK)
        return 0;
    return QN_FLAGS_STATUS & ~qn_tcache_block(index)->flags_in;
}

/* Do all flags have the guest's values?  At the end of a block, all flags are live, and so have these values, unless it ends in a direct
 * branch.  This also holds before code that may change, whose comparison keeps the flags (QN_EXIT_STALE), and in code that does not count
 * (QN_EXIT_ENTER). */
static bool all_known(void)
{
    switch (qn_ctx.exit_kind) {
    case QN_EXIT_LINK:
    case QN_EXIT_SAMPLE:
    case QN_EXIT_INTERVAL:
    case QN_EXIT_SIGNAL: return false;
    default: return true;
    }
}

static uint8_t unknown_now(const struct qn_settling *s)
{
    if (all_known())
        return 0;
    if (qn_ctx.exit_kind == QN_EXIT_SIGNAL && s->unknown != QN_FLAGS_BY_BLOCK)
        return s->unknown;
    return unknown_at(qn_ctx.rip);
}

/* Flags that the exact variant of the block at pc has written. */
static uint8_t written_by(uint64_t pc)
{
    uint32_t index = qn_tcache_find(pc, QN_SPACE(qn_space, QN_VARIANT_EXACT));
    uint8_t written = 0;
    struct qn_insn in;

    for (unsigned i = 0; index != QN_NO_BLOCK && i < qn_tcache_block(index)->ninsns; i++) {
        qn_block_decode((const uint8_t *)(uintptr_t)pc, QN_INSN_MAX_LEN, &in);
        written |= in.flags_written;
        pc += in.len;
    }
    return written;
}

static bool looks_at_flags(const struct qn_sigaction *act)
{
    return act->handler > HANDLER_IGN && (act->flags & SA_SIGINFO_);
}

unsigned qn_settle_flags(unsigned at_most)
{
    struct qn_thread *t = qn_self;
    struct qn_settling *s = &t->settling;
    bool came_here = qn_ctx.exit_kind == QN_EXIT_SIGNAL && qn_ctx.rip == s->from; /* the block was stopped before it began */

    if (all_exact || (qn_sample_steps && !qn_sample_has_anchors()) || t->pending != 1 || !looks_at_flags(&t->actions[t->info.signo]))
        return 0;
    if (!s->blocks)
        s->unsettled = unknown_now(s);
    else if (!came_here)
        s->unsettled &= all_known() ? 0 : (uint8_t)~written_by(s->from);
    if (!s->unsettled || s->blocks == BLOCKS_MAX)
        return 0;
    s->blocks = at_most ? 0 : s->blocks + 1; /* at_most: an interval ends first */
    s->from = qn_ctx.rip;
    return at_most ? at_most : QN_VARIANT_EXACT;
}
