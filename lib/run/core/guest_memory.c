/* lib/run/core/guest_memory.c - reads and writes of guest memory that may fail: done by system calls, so they do not fault here, or guarded;
 * and code that can no longer be read. */
#include <linux/errno.h>

#include "guest/exec_map.h"
#include "run/core/core.h"
#include "run/kernel/signal.h"
#include "run/run.h"

struct iovec_ { uint64_t base, len; };

/* process_vm_readv or process_vm_writev with our own process; copies where there is no such call, as in qemu-user, or it is filtered. */
static bool transfer(long nr, void *here, uint64_t there, uint64_t size)
{
    static bool missing;
    struct iovec_ l = {(uint64_t)(uintptr_t)here, size}, r = {there, size};
    long n = missing ? -ENOSYS : qn_sys6(nr, qn_sys1(__NR_getpid, 0), (long)&l, 1, (long)&r, 1, 0);

    if (n != -ENOSYS && n != -EPERM)
        return n == (long)size;
    missing = true;
    return nr == __NR_process_vm_readv ? qn_guarded_copy(l.base, there, size) : qn_guarded_copy(there, l.base, size);
}

bool qn_read_guest(uint64_t from, void *to, uint64_t size) { return transfer(__NR_process_vm_readv, to, from, size); }

bool qn_write_guest(uint64_t to, const void *from, uint64_t size) { return transfer(__NR_process_vm_writev, (void *)(uintptr_t)from, to, size); }

bool qn_copy_string(uint64_t guest, char *to, size_t size)
{
    size_t done = 0;

    while (done < size) {
        size_t part = QN_PAGE - (guest + done) % QN_PAGE;

        if (part > size - done)
            part = size - done;
        if (!qn_read_guest(guest + done, to + done, part)) {
            to[done] = 0;
            return false;
        }
        for (size_t end = done + part; done < end; done++)
            if (!to[done])
                return true;
    }
    return false;
}

/* ---- code that cannot be read, because its file has become shorter, or madvise has made a guard of its page ----
 *
 *   the translator reads it     SIGBUS or SIGSEGV; the page no longer counts as code, and the dispatcher starts again: blocks end before it
 *   control reaches it          the same signal for the guest, as natively; or, if the page can be read again, it is code as before
 */

#define PAGES_MAX 64u /* pages recorded at a time; if the oldest is replaced, it does not count as code until it is mapped again */

static struct { uint64_t at; bool writable; } pages[PAGES_MAX];
static unsigned next;
static volatile bool reading;

void qn_truncated_reading(bool on) { reading = on; }

bool qn_truncated_take(struct qn_ucontext *uc, uint64_t addr)
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

bool qn_truncated_fetch(uint64_t pc)
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
        } else if (!qn_guarded_code(pc)) {
            qn_guarded_raise(); /* the processor's own fault */
        }
        return true;
    }
    return false;
}
