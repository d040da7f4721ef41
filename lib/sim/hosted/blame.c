/* sim/hosted/blame.c - a message for a module that crashes or hangs, with slot, module, function and reference.
 *
 * A hang is detected by processor time, which does not depend on the load of the machine or a debugger.  With sanitizers, crashes are left
 * to them, because they report more. */
#define _GNU_SOURCE
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/time.h>
#include <ucontext.h>
#include <unistd.h>

#include "sim/at_work.h"
#include "sim/hosted/hosted.h"

#define STACK_NEAR 65536 /* a fault so close to the stack pointer is the stack's end */

static uint64_t stuck_seconds;

static _Noreturn void blame(const char *what)
{
    struct qn_sim_culprit c;
    char line[512];
    int n;

    if (!qn_sim_at_work(&c))
        n = snprintf(line, sizeof line, "quern: replay: a bug, please report it: record %llu: %s\n",
                     (unsigned long long)hosted_references, what);
    else
        n = snprintf(line, sizeof line, "quern: replay: module %s in slot %s, %s, reference %llu: %s (record %llu of the trace)\n",
                     c.module, c.slot, c.function, (unsigned long long)c.reference, what, (unsigned long long)hosted_references);
    if (write(STDERR_FILENO, line, (size_t)n) < 0)
        _exit(HOSTED_EXIT_MODULE);
    _exit(HOSTED_EXIT_MODULE);
}

static void crashed(int sig, siginfo_t *info, void *context)
{
    uintptr_t sp = (uintptr_t)((ucontext_t *)context)->uc_mcontext.gregs[REG_RSP], addr = (uintptr_t)info->si_addr;

    if (sig == SIGSEGV && addr - (sp - STACK_NEAR) < 2 * STACK_NEAR)
        blame("its stack is full: a recursion without end?");
    blame(sig == SIGFPE    ? "crashed: a division by zero"
          : sig == SIGILL ? "crashed: a trap"
                          : "crashed: an access out of bounds");
}

/* Each second of processor time. */
static void tick(int sig)
{
    static uint64_t call, seconds;

    (void)sig;
    if (!sim_at_work[0] || sim_at_work[2] != call)
        seconds = 0;
    call = sim_at_work[2];
    if (seconds++ < stuck_seconds)
        return;
    if (sim_at_work[0] != call) /* the hang is in the outermost call, which calls other modules again and again */
        sim_leave((struct sim_before){call, SIM_IN_DOREF});
    blame("does not come back: an endless loop?");
}

void hosted_watch(void)
{
    static char stack[65536];
    const struct itimerval second = {{1, 0}, {1, 0}};
    struct sigaction crash = {.sa_sigaction = crashed, .sa_flags = SA_SIGINFO | SA_ONSTACK};
    struct sigaction ticking = {.sa_handler = tick, .sa_flags = SA_RESTART | SA_ONSTACK};

    stuck_seconds = sim_stuck_seconds(getenv(SIM_STUCK_VARIABLE));
    sigaltstack(&(stack_t){.ss_sp = stack, .ss_size = sizeof stack}, NULL);
#if !defined(__SANITIZE_ADDRESS__)
    sigaction(SIGSEGV, &crash, NULL);
    sigaction(SIGBUS, &crash, NULL);
#endif
    sigaction(SIGFPE, &crash, NULL);
    sigaction(SIGILL, &crash, NULL);
    sigaction(SIGPROF, &ticking, NULL);
    setitimer(ITIMER_PROF, &second, NULL);
}
