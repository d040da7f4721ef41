/* sim/hosted/blame.c - a message for a module that crashes, fails or hangs, with slot, module, function and reference.
 *
 * A hang is detected by processor time, which does not depend on the load of the machine or a debugger.  With sanitizers, crashes are left
 * to them, because they report more.  `quern replay`, which can read debug information, gives a file (hosted.h): then the message is
 * written there, with the places on the stack, and it prints the message with the line of the source.
 */
#define _GNU_SOURCE
#include <link.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <sys/uio.h>
#include <ucontext.h>
#include <unistd.h>

#include "sim/at_work.h"
#include "sim/hosted/hosted.h"
#include "sim/hosted/places.h"

#define STACK_NEAR 65536 /* a fault so close to the stack pointer is the stack's end */
#define TICKS 4          /* in a second of processor time */
#define STACK_WORDS 512  /* that are searched for return addresses */

extern const char __executable_start[], etext[];

static uint64_t stuck_seconds, ticks;
static uint64_t call; /* sim_at_work[2] at the last tick */
static uintptr_t loaded_at;
static int places_fd = -1;

static void find_places(struct hosted_places *p, uintptr_t pc, uintptr_t sp)
{
    uintptr_t words[STACK_WORDS];
    struct iovec to = {words, sizeof words}, from = {(void *)sp, sizeof words};
    ssize_t got = process_vm_readv(getpid(), &to, 1, &from, 1, 0); /* up to the stack's end, without a fault */

    p->place[p->n++] = pc - loaded_at;
    for (ssize_t i = 0; i < got / (ssize_t)sizeof *words && p->n < HOSTED_PLACES; i++)
        if (words[i] - (uintptr_t)__executable_start < (uintptr_t)etext - (uintptr_t)__executable_start)
            p->place[p->n++] = words[i] - loaded_at;
}

void hosted_say(const char *line, uintptr_t pc, uintptr_t sp)
{
    struct hosted_places p = {.n = 0};

    find_places(&p, pc, sp);
    snprintf(p.line, sizeof p.line, "%s", line);
    if (places_fd >= 0 && pwrite(places_fd, &p, sizeof p, 0) == sizeof p)
        return;
    dprintf(STDERR_FILENO, "quern: replay: %s\n", p.line);
}

static void say_of_module(const char *what, const ucontext_t *context)
{
    struct qn_sim_culprit c;
    char line[HOSTED_LINE];

    if (!qn_sim_at_work(&c))
        snprintf(line, sizeof line, "a bug, please report it: record %llu: %s", (unsigned long long)hosted_references, what);
    else
        snprintf(line, sizeof line, "module %s in slot %s, %s, reference %llu: %s (record %llu of the trace)", c.module, c.slot, c.function,
                 (unsigned long long)c.reference, what, (unsigned long long)hosted_references);
    hosted_say(line, (uintptr_t)context->uc_mcontext.gregs[REG_RIP], (uintptr_t)context->uc_mcontext.gregs[REG_RSP]);
}

static _Noreturn void blame(const char *what, const ucontext_t *context)
{
    say_of_module(what, context);
    _exit(HOSTED_EXIT_MODULE);
}

static void crashed(int sig, siginfo_t *info, void *context)
{
    uintptr_t sp = (uintptr_t)((ucontext_t *)context)->uc_mcontext.gregs[REG_RSP], addr = (uintptr_t)info->si_addr;

    if (sig == SIGSEGV && addr - (sp - STACK_NEAR) < 2 * STACK_NEAR)
        blame("its stack is full: a recursion without end?", context);
    blame(sig == SIGFPE    ? SIM_CRASHED "a division by zero"
          : sig == SIGILL ? SIM_CRASHED "a trap"
                          : SIM_CRASHED "an access out of bounds",
          context);
}

/* Does the call last in which a module was at the last tick?  In it the outermost module may call others again and again. */
static bool stays(void) { return sim_at_work[0] && ticks && sim_at_work[2] == call; }

static void name_outermost(void)
{
    if (sim_at_work[0] != call)
        sim_leave((struct sim_before){call, SIM_IN_DOREF});
}

static void tick(int sig, siginfo_t *info, void *context)
{
    (void)sig, (void)info;
    ticks = stays() ? ticks + 1 : 1;
    call = sim_at_work[0] ? sim_at_work[2] : 0;
    if (ticks <= stuck_seconds * TICKS)
        return;
    name_outermost();
    blame("does not come back: an endless loop?", context);
}

/* Ctrl-C, kill: where the module stands, if it stands. */
static void ended(int sig, siginfo_t *info, void *context)
{
    (void)info;
    if (stays()) {
        name_outermost();
        say_of_module("had not come back when the run was ended", context);
    }
    signal(sig, SIG_DFL);
    raise(sig); /* takes effect when this returns */
}

static int take_load_address(struct dl_phdr_info *info, size_t size, void *data)
{
    (void)size, (void)data;
    loaded_at = info->dlpi_addr; /* the program comes first */
    return 1;
}

void hosted_watch(void)
{
    static char stack[65536];
    static const int ends[] = {SIGINT, SIGTERM, SIGHUP};
    const struct itimerval often = {{0, 1000000 / TICKS}, {0, 1000000 / TICKS}};
    struct sigaction crash = {.sa_sigaction = crashed, .sa_flags = SA_SIGINFO | SA_ONSTACK}, before;
    struct sigaction ticking = {.sa_sigaction = tick, .sa_flags = SA_SIGINFO | SA_RESTART | SA_ONSTACK};
    struct sigaction ending = {.sa_sigaction = ended, .sa_flags = SA_SIGINFO | SA_ONSTACK};
    const char *fd = getenv(HOSTED_PLACES_VARIABLE);

    places_fd = fd ? atoi(fd) : -1;
    dl_iterate_phdr(take_load_address, NULL);
    stuck_seconds = sim_stuck_seconds(getenv(SIM_STUCK_VARIABLE));
    sigaltstack(&(stack_t){.ss_sp = stack, .ss_size = sizeof stack}, NULL);
#if !defined(__SANITIZE_ADDRESS__)
    sigaction(SIGSEGV, &crash, NULL);
    sigaction(SIGBUS, &crash, NULL);
#endif
    sigaction(SIGFPE, &crash, NULL);
    sigaction(SIGILL, &crash, NULL);
    sigaction(SIGPROF, &ticking, NULL);
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++)
        if (!sigaction(ends[i], NULL, &before) && before.sa_handler == SIG_DFL)
            sigaction(ends[i], &ending, NULL);
    setitimer(ITIMER_PROF, &often, NULL);
}
