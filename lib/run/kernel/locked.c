/* lib/run/kernel/locked.c - mlockall: locks the program's mappings in memory, but not the gigabytes that the engine has reserved.
 *
 *   MCL_CURRENT     each of the program's mappings is locked by itself
 *   MCL_FUTURE      remembered; each new mapping is locked (MAP_LOCKED, or with MCL_ONFAULT by mlock2 afterwards)
 *
 * As in the kernel, nothing is locked if all together is more than the program may lock; a page that cannot be allocated is no error.
 * Not done: a segment that is attached later (shmat) is not locked.
 */
#include "run/kernel/locked.h"

#include "base/format.h"

enum { E_INVAL = 22, E_NOMEM = 12, CURRENT = 1, FUTURE = 2, ONFAULT = 4 /* MCL_ */, MLOCK_ONFAULT_ = 1, MAP_LOCKED_ = 0x2000 };

#define USER_END (1ull << 47)

static long future;  /* MCL_FUTURE and MCL_ONFAULT, or 0 */
static long its_pid; /* the process that `future` is for: children do not inherit it */

static long lock_at_fault(uint64_t start, uint64_t size) { return qn_sys3(__NR_mlock2, (long)start, (long)size, MLOCK_ONFAULT_); }
static long lock_now(uint64_t start, uint64_t size) { return qn_sys2(__NR_mlock, (long)start, (long)size); }
static long unlock(uint64_t start, uint64_t size) { return qn_sys2(__NR_munlock, (long)start, (long)size); }

/* "7f00-7f01 rw-p ...": makes the call for the mapping, if it is the program's, and returns its result; else 0. */
static long take_line(const char *line, long (*call)(uint64_t start, uint64_t size))
{
    uint64_t start, end;

    line = qn_parse_hex(line, &start);
    qn_parse_hex(line + 1, &end);
    return start >= USER_END || qn_is_engine_range(start, end - start) ? 0 : call(start, end - start);
}

/* Makes the call for each mapping of the program.  With `strict`, stops at the first that fails, and returns its result. */
static long each_mapping(long (*call)(uint64_t start, uint64_t size), bool strict)
{
    static char part[QN_PAGE], line[64];
    long fd = qn_sys3(__NR_open, (long)"/proc/self/maps", 02000000, 0), n, r = 0;
    size_t length = 0;

    if (qn_sys_failed(fd))
        return -E_NOMEM;
    while (!r && (n = qn_sys3(__NR_read, fd, (long)part, sizeof part)) > 0)
        for (long i = 0; i < n && !r; i++) {
            if (part[i] != '\n') {
                if (length < sizeof line - 1)
                    line[length++] = part[i];
                continue;
            }
            line[length] = 0;
            length = 0;
            r = take_line(line, call);
            if (!strict)
                r = 0;
        }
    qn_sys1(__NR_close, fd);
    return r;
}

long qn_sys_mlockall(long flags)
{
    long r = !flags || flags & ~(long)(CURRENT | FUTURE | ONFAULT) || flags == ONFAULT ? -E_INVAL : lock_at_fault(0, 0);

    if (r) /* also if the program may lock nothing at all */
        return r;
    if (flags & CURRENT) {
        r = each_mapping(lock_at_fault, true);
        if (r) {
            each_mapping(unlock, false);
            return r;
        }
        if (!(flags & ONFAULT))
            each_mapping(lock_now, false);
    }
    future = flags & FUTURE ? flags & (FUTURE | ONFAULT) : 0;
    its_pid = qn_sys1(__NR_getpid, 0);
    return 0;
}

long qn_sys_munlockall(void)
{
    future = 0;
    return qn_sys1(__NR_munlockall, 0);
}

static long wanted(void) { return future && its_pid == qn_sys1(__NR_getpid, 0) ? future : 0; }

int qn_locked_flag(void) { return wanted() == FUTURE ? MAP_LOCKED_ : 0; }

void qn_locked_note(uint64_t start, uint64_t size)
{
    if (wanted() == (FUTURE | ONFAULT))
        lock_at_fault(start, size);
}
