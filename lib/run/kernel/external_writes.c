/* lib/run/kernel/external_writes.c - writes to code that is not writable: by /proc/PID/mem, or by a debugger.
 *
 *   open("/proc/self/mem", O_RDWR)            its own: from now on all its code is treated as writable, so it is compared at block entries
 *   open("/proc/4711/mem", O_RDWR),           another process: if it runs under quern, a flag is set in its arena; its dispatcher reads
 *   ptrace(PTRACE_ATTACH, 4711)               the flag, and is kicked if the process runs translated code
 *   ptrace(PTRACE_TRACEME)                    its own, also when it executes another program
 *
 * All this happens before anything can be written, so the writes themselves need not be observed.
 */
#include <stddef.h>

#include "base/format.h"
#include "guest/exec_map.h"
#include "run/kernel/kernel.h"
#include "run/kernel/signal.h"
#include "tcache/tcache.h"

enum { SI_QUEUE_ = -1 };
#define LOOKS 100 /* reads of a notified process's variables before its state is read from /proc, which is slower */

void qn_external_writes(void)
{
    qn_arena->code_written = 0;
    if (qn_exec_all_writable())
        qn_tcache_flush();
}

/* ---- another process ---- */

/* The address of an arena's byte, which is the same in every process. */
static void *in_arena(uint64_t offset) { return (void *)(uintptr_t)(QN_ARENA_ALIAS_BASE + offset); }

/* Reads a variable of another engine; all engines have it at the same address. */
static bool look(int32_t pid, const volatile void *at, void *here, uint64_t size)
{
    return qn_proc_transfer(__NR_process_vm_readv, pid, (uint64_t)(uintptr_t)at, here, size) == (long)size;
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

/* Will a thread that was kicked come to its dispatcher by itself?  Not if it is stopped, dead, or waits in a system call. */
static bool comes(int32_t pid, int32_t tid)
{
    char state = qn_proc_state((uint32_t)tid);
    uint32_t running = 0;

    return state == 'R' || ((state == 'S' || state == 'D') && look(pid, &qn_ctx.in_cache, &running, sizeof running) && running);
}

/* Notifies a process.  A thread that was kicked gets SIGTRAP and steps to a block boundary.  We wait for that: a debugger that attached
 * meanwhile would take this stop for its own. */
static void notify(int32_t pid)
{
    uint32_t *flag = in_arena(offsetof(struct qn_arena_header, code_written)), wanted = 1, running = 0;
    int32_t called = 0;

    if (!qn_proc_program(pid) ||
        qn_proc_transfer(__NR_process_vm_writev, pid, (uint64_t)(uintptr_t)flag, &wanted, sizeof wanted) != sizeof wanted)
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

void qn_external_writes_opened(long fd)
{
    char path[128];
    int32_t pid;

    if (!qn_proc_holds(fd))
        return;
    pid = qn_proc_fd_path((int)fd, path, sizeof path) > 0 ? owner(path) : 0;
    if (pid && qn_proc_is_own(pid))
        qn_external_writes();
    else if (pid)
        notify(pid);
}

/* Is the program traced by another program that runs under quern?  That debugger would find the engine instead of the program. */
bool qn_external_writes_is_debugged(void)
{
    static const char key[] = "\nTracerPid:\t";
    static char text[2048 + sizeof key];
    uint64_t tracer = 0;

    qn_proc_read("/proc/thread-self/status", text, sizeof text - sizeof key);
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

void qn_external_writes_ptrace(const long *a)
{
    static bool noted;

    if (!noted && is_of_engine(a[0]) && !qn_thread_of((int32_t)a[1]) && qn_proc_program((int32_t)a[1])) {
        noted = true;
        qn_unsupported("ptrace of a process under quern: its memory is the program's, its registers and system calls are the engine's");
    }
    if (a[0] == PTRACE_TRACEME)
        qn_external_writes();
    else if ((a[0] == PTRACE_ATTACH || a[0] == PTRACE_SEIZE) && !qn_thread_of((int32_t)a[1]))
        notify((int32_t)a[1]);
    else if ((a[0] == PTRACE_POKETEXT || a[0] == PTRACE_POKEDATA) && qn_thread_of((int32_t)a[1])) /* that shares our memory */
        qn_external_writes();
}
