/* lib/run/kernel/outside.c - writes to code that is not writable: by /proc/PID/mem, or by a debugger.
 *
 *   open("/proc/self/mem", O_RDWR)            its own: from now on all its code is treated as writable, so it is compared at block entries
 *   open("/proc/4711/mem", O_RDWR),           another process: if it runs under quern, a flag is set in its arena; its dispatcher reads
 *   ptrace(PTRACE_ATTACH, 4711)               the flag, and is kicked if the process runs translated code
 *   ptrace(PTRACE_TRACEME)                    its own, also when it executes another program
 *
 * All this happens before anything can be written, so the writes themselves need not be observed.
 */
#include "run/kernel/outside.h"

#include "base/format.h"
#include "guest/exec_map.h"
#include "run/kernel/procfs.h"
#include "run/kernel/signal/signal.h"
#include "run/kernel/thread.h"
#include "tcache/tcache.h"

#include <stddef.h>

enum { PTRACE_TRACEME_ = 0, PTRACE_POKETEXT_ = 4, PTRACE_POKEDATA_ = 5, PTRACE_ATTACH_ = 16, PTRACE_SEIZE_ = 0x4206 };
enum { SI_QUEUE_ = -1, O_CLOEXEC_ = 02000000 };
#define LOOKS 100 /* reads of a notified process's variables before its state is read from /proc, which is slower */

void qn_outside_writes(void)
{
    qn_arena->outside = 0;
    if (qn_exec_all_writable())
        qn_tcache_flush();
}

/* ---- another process ---- */

static bool transfer(long nr, int32_t pid, const volatile void *at, void *here, uint64_t size)
{
    struct { uint64_t base, len; } local = {(uint64_t)(uintptr_t)here, size}, remote = {(uint64_t)(uintptr_t)at, size};

    return qn_sys6(nr, pid, (long)&local, 1, (long)&remote, 1, 0) == (long)size;
}

/* The address of an arena's byte, which is the same in every process. */
static void *in_arena(uint64_t offset) { return (void *)(uintptr_t)(QN_ARENA_ALIAS_BASE + offset); }

/* Reads a variable of another engine; all engines have it at the same address. */
static bool look(int32_t pid, const volatile void *at, void *here, uint64_t size)
{
    return transfer(__NR_process_vm_readv, pid, at, here, size);
}

/* Kicks the running thread (QN_KICK_VALUE in cost/arena.h).  Returns its tid; 0: there is none. */
static int32_t call(int32_t pid)
{
    struct qn_siginfo info = {.signo = SIG_TRAP, .code = SI_QUEUE_};
    uint64_t runner = 0;

    info.queue.value = QN_KICK_VALUE;
    if (!look(pid, in_arena(offsetof(struct qn_arena_header, runner)), &runner, sizeof runner) || !runner)
        return 0;
    qn_sys4(__NR_rt_tgsigqueueinfo, (long)(runner >> 32), (long)(uint32_t)runner, SIG_TRAP, (long)&info);
    return (int32_t)runner;
}

/* The letter of a thread's state, proc(5); 0: it is gone. */
static char state_of(int32_t pid, int32_t tid)
{
    char name[64], text[128];
    long fd, n;

    qn_format(name, sizeof name, "/proc/%d/task/%d/stat", pid, tid);
    fd = qn_sys3(__NR_open, (long)name, O_CLOEXEC_, 0);
    if (qn_sys_failed(fd))
        return 0;
    n = qn_sys3(__NR_read, fd, (long)text, sizeof text);
    qn_sys1(__NR_close, fd);
    for (; n > 2; n--) /* "4711 (name) R ..." */
        if (text[n - 3] == ')')
            return text[n - 1];
    return 0;
}

/* Will a thread that was kicked come to its dispatcher by itself?  Not if it is stopped, dead, or waits in a system call. */
static bool comes(int32_t pid, int32_t tid)
{
    char state = state_of(pid, tid);
    uint32_t running = 0;

    return state == 'R' || ((state == 'S' || state == 'D') && look(pid, &qn_ctx.in_cache, &running, sizeof running) && running);
}

/* Notifies a process.  A thread that was kicked gets SIGTRAP and steps to a block boundary.  We wait for that: a debugger that attached
 * meanwhile would take this stop for its own. */
static void notify(int32_t pid)
{
    uint32_t *flag = in_arena(offsetof(struct qn_arena_header, outside)), wanted = 1, running = 0;
    int32_t called = 0;

    if (!qn_proc_program(pid) || !transfer(__NR_process_vm_writev, pid, flag, &wanted, sizeof wanted))
        return;
    for (unsigned i = 1; look(pid, flag, &wanted, sizeof wanted) && wanted; i++) {
        if (!called && look(pid, &qn_ctx.in_cache, &running, sizeof running) && running)
            called = call(pid);
        if (i % LOOKS == 0 && (!called || !comes(pid, called)))
            return;
        qn_sys1(__NR_sched_yield, 0);
    }
}

/* ---- who may write ---- */

/* The last number in "/proc/4711/mem" or "/proc/4711/task/4712/mem", wherever /proc is mounted.  0: it is another path. */
static int32_t owner(const char *path)
{
    uint64_t number = 0;

    for (const char *p = path; *p; p++) {
        const char *end = *p == '/' ? qn_parse_decimal(p + 1, &number) : p;

        if (*p == '/' && end != p + 1 && qn_streq(end, "/mem"))
            return (int32_t)number;
    }
    return 0;
}

void qn_outside_opened(long fd)
{
    char link[32], path[128];
    int32_t pid = 0;
    long n;

    if (!qn_proc_holds(fd))
        return;
    qn_format(link, sizeof link, "/proc/self/fd/%d", (int)fd);
    n = qn_sys3(__NR_readlink, (long)link, (long)path, sizeof path - 1);
    if (n > 0) {
        path[n] = 0;
        pid = owner(path);
    }
    if (pid && qn_proc_is_own(pid))
        qn_outside_writes();
    else if (pid)
        notify(pid);
}

/* Is the program traced by another program that runs under quern?  That debugger would find the engine instead of the program. */
bool qn_outside_is_debugged(void)
{
    static const char key[] = "\nTracerPid:\t";
    static char text[2048 + sizeof key];
    long fd = qn_sys3(__NR_open, (long)"/proc/thread-self/status", O_CLOEXEC_, 0), n;
    uint64_t tracer = 0;

    if (qn_sys_failed(fd))
        return false;
    n = qn_sys3(__NR_read, fd, (long)text, sizeof text - sizeof key);
    qn_sys1(__NR_close, fd);
    text[n > 0 ? n : 0] = 0;
    for (const char *p = text; *p && !tracer; p++)
        if (!__builtin_memcmp(p, key, sizeof key - 1))
            qn_parse_decimal(p + sizeof key - 1, &tracer);
    return tracer && qn_proc_program((int32_t)tracer);
}

/* Requests for registers, and those that stop at the engine's own steps or system calls. */
static bool is_of_engine(long request)
{
    enum { PEEKUSER = 3, POKEUSER = 6, SINGLESTEP = 9, GETREGS = 12, SETREGS = 13, SYSCALL = 24, GETREGSET = 0x4204, SETREGSET = 0x4205 };

    return request == PEEKUSER || request == POKEUSER || request == SINGLESTEP || request == GETREGS || request == SETREGS ||
           request == SYSCALL || request == GETREGSET || request == SETREGSET;
}

void qn_outside_ptrace(const long *a)
{
    static bool told;

    if (!told && is_of_engine(a[0]) && !qn_thread_of((int32_t)a[1]) && qn_proc_program((int32_t)a[1])) {
        told = true;
        qn_unsupported("ptrace of a process under quern: its memory is the program's, its registers and system calls are the engine's");
    }
    if (a[0] == PTRACE_TRACEME_)
        qn_outside_writes();
    else if ((a[0] == PTRACE_ATTACH_ || a[0] == PTRACE_SEIZE_) && !qn_thread_of((int32_t)a[1]))
        notify((int32_t)a[1]);
    else if ((a[0] == PTRACE_POKETEXT_ || a[0] == PTRACE_POKEDATA_) && qn_thread_of((int32_t)a[1])) /* that shares our memory */
        qn_outside_writes();
}
