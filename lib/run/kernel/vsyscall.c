/* lib/run/kernel/vsyscall.c - the vsyscall page: three system calls at fixed addresses, which old static programs call.
 *
 * The page cannot be read: the kernel executes the call when a program jumps there (arch/x86/entry/vsyscall).  So does the engine, on a
 * kernel that has the page.  No instruction is counted, because there is none.
 */
#include "run/kernel/processors.h"

#define PAGE_START 0xffffffffff600000ull
#define ENTRY_DISTANCE 0x400u

static bool kernel_has_it(void)
{
    static const char wanted[] = "[vsyscall]";
    static int known; /* 1: no, 2: yes */
    char part[QN_PAGE];
    size_t matched = 0;
    long fd, n;

    if (known)
        return known == 2;
    known = 1;
    fd = qn_sys3(__NR_open, (long)"/proc/self/maps", 02000000, 0);
    while ((n = qn_sys3(__NR_read, fd, (long)part, sizeof part)) > 0)
        for (long i = 0; i < n && known == 1; i++) {
            matched = part[i] == wanted[matched] ? matched + 1 : part[i] == wanted[0];
            known = wanted[matched] ? 1 : 2;
        }
    qn_sys1(__NR_close, fd);
    return known == 2;
}

bool qn_vsyscall(void)
{
    static const uint16_t calls[] = {__NR_gettimeofday, __NR_time, __NR_getcpu};
    uint64_t at = qn_ctx.rip - PAGE_START, *g = qn_ctx.gpr, back;
    long r;

    if (at % ENTRY_DISTANCE || at / ENTRY_DISTANCE >= QN_ARRAY_LEN(calls) || !kernel_has_it() || !qn_read_guest(g[4], &back, 8))
        return false;
    r = calls[at / ENTRY_DISTANCE] == __NR_getcpu ? qn_sys_processors(__NR_getcpu, (const long[6]){(long)g[7], (long)g[6], (long)g[2]})
                                                  : qn_sys3(calls[at / ENTRY_DISTANCE], (long)g[7], (long)g[6], (long)g[2]);
    if (r == -14 /* EFAULT */)
        return false; /* the kernel raises SIGSEGV */
    g[0] = (uint64_t)r;
    g[4] += 8;
    qn_ctx.rip = back;
    return true;
}
