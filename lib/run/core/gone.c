/* lib/run/core/gone.c - code that cannot be read because its file has become shorter than its mapping.
 *
 *   the translator reads it     SIGBUS; the page no longer counts as code, and the dispatcher starts again: blocks end before the page
 *   control reaches it          SIGBUS for the guest, as natively; or, if the page can be read again, it is code as before
 */
#include "run/core/gone.h"

#include "guest/exec_map.h"
#include "run/kernel/signal/signal.h"

#define PAGES_MAX 64u /* pages recorded at a time; if the oldest is replaced, it does not count as code until it is mapped again */
enum { BUS_ADRERR_ = 2 };

static struct { uint64_t at; bool writable; } pages[PAGES_MAX];
static unsigned next;
static volatile bool reading;

void qn_gone_reading(bool on) { reading = on; }

bool qn_gone_take(struct qn_ucontext *uc, uint64_t addr)
{
    const struct qn_tree_node *range = reading ? qn_exec_find(addr) : NULL;
    uint64_t page = qn_round_down(addr, QN_PAGE);

    if (!range)
        return false;
    reading = false;
    pages[next].at = page;
    pages[next].writable = range->flag;
    next = (next + 1) % PAGES_MAX;
    qn_exec_remove(page, page + QN_PAGE);
    uc->mc.ip = (uint64_t)(uintptr_t)qn_dispatch;
    uc->mc.sp = qn_self->dispatcher_sp;
    uc->mc.flags &= ~(uint64_t)(FLAG_TF | FLAG_DF);
    return true;
}

bool qn_gone_fetch(uint64_t pc)
{
    uint64_t page = qn_round_down(pc, QN_PAGE);
    uint8_t byte;

    for (unsigned i = 0; i < PAGES_MAX; i++) {
        if (!pages[i].at || pages[i].at != page)
            continue;
        if (!qn_is_mapped(page)) { /* it has been unmapped */
            pages[i].at = 0;
            return false;
        }
        if (qn_read_guest(page, &byte, sizeof byte)) {
            pages[i].at = 0;
            qn_exec_add(page, page + QN_PAGE, pages[i].writable);
        } else {
            qn_signal_raise(SIG_BUS, BUS_ADRERR_, pc);
        }
        return true;
    }
    return false;
}
