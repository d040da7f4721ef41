/* lib/run/core/gone.c - code that cannot be read: its file has become shorter than its mapping.
 *
 *   the translator reads it     SIGBUS; the page is no code any more, and the dispatcher begins anew: blocks end in front of it
 *   control reaches it          SIGBUS for the program, as natively; or it is there again, and is code as before
 */
#include "run/core/gone.h"

#include "guest/exec_map.h"
#include "run/kernel/signal.h"

#define PAGES_MAX 64u /* known at a time; the oldest is forgotten: it is no code then until it is mapped again */
enum { BUS_ADRERR_ = 2 };

static struct { uint64_t at; bool writable; } pages[PAGES_MAX];
static unsigned next;
static volatile bool reading;

void qn_gone_reading(bool on) { reading = on; }

bool qn_gone_take(struct qn_ucontext *uc, uint64_t addr)
{
    const struct qn_exec_range *range = reading ? qn_exec_find(addr) : NULL;
    uint64_t page = qn_round_down(addr, QN_PAGE);

    if (!range)
        return false;
    reading = false;
    pages[next].at = page;
    pages[next].writable = range->writable;
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
        if (!qn_is_mapped(page)) { /* and has been unmapped meanwhile */
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
