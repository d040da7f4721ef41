/* steps.c - how many instructions do the profiles of a program, its threads and its children have to have, all together?  The
 * processor is asked: every thread runs step by step under ptrace.
 *
 *   steps PROGRAM ARGS...       2061\n on stdout; status 0 unless something went wrong with the counting
 *
 * Counted is what retires.  An instruction that faults does not.  A system call from which nobody comes back (exit, or one in
 * which a signal killed) does: the processor was done with it.  A forked child begins with what its parent had counted, as
 * Cachegrind has it; one that shares its parent's memory counts into that; a program that is executed begins with nothing, and
 * what the process was before has no profile.  The program must be one in which no number depends on who is faster: stepped, it
 * is slow. */
#define _GNU_SOURCE
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/ptrace.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>

#define TIDS (1u << 22) /* the kernel's largest pid_max */
#define PROFILES_MAX 4096

static unsigned long long profile[PROFILES_MAX]; /* from 1 on */
static unsigned profiles;

static struct {
    unsigned short profile;     /* 0: we do not know it yet */
    unsigned char in_call;      /* its next instruction is a system call */
    unsigned char early;        /* it stopped before its parent told of it */
    unsigned char after_exec;   /* what comes is the end of execve, which the program before made */
} thread[TIDS];

static void fail(const char *what)
{
    perror(what);
    exit(1);
}

static int at_call(pid_t tid)
{
    struct user_regs_struct regs;
    long word;

    if (ptrace(PTRACE_GETREGS, tid, NULL, &regs) != 0)
        return 0;
    errno = 0;
    word = ptrace(PTRACE_PEEKTEXT, tid, (void *)regs.rip, NULL);
    return errno == 0 && (word & 0xffff) == 0x050f;
}

static void go(pid_t tid, int signal)
{
    thread[tid].in_call = (unsigned char)at_call(tid);
    ptrace(PTRACE_SINGLESTEP, tid, NULL, (void *)(long)signal);
}

static void step_done(pid_t tid)
{
    if (!thread[tid].after_exec)
        profile[thread[tid].profile]++;
    thread[tid].in_call = thread[tid].after_exec = 0;
}

static unsigned short new_profile(unsigned long long from)
{
    if (++profiles == PROFILES_MAX)
        fail("too many processes");
    profile[profiles] = from;
    return (unsigned short)profiles;
}

/* Instructions of a process until now, with the calls in which its threads are. */
static unsigned long long until_now(unsigned short p)
{
    unsigned long long n = profile[p];

    for (unsigned i = 0; i < TIDS; i++)
        n += thread[i].profile == p && thread[i].in_call;
    return n;
}

static void born(pid_t parent, int what)
{
    unsigned short p = thread[parent].profile;
    unsigned long child;

    if (ptrace(PTRACE_GETEVENTMSG, parent, NULL, &child) != 0)
        return;
    thread[child].profile = what == PTRACE_EVENT_FORK ? new_profile(until_now(p)) : p;
    if (thread[child].early)
        go((pid_t)child, 0);
}

/* It may be another thread than the main one, whose number it takes over; it may be one that shares its parent's memory. */
static void executed(pid_t tid)
{
    unsigned long before = (unsigned long)tid;
    unsigned short p;
    unsigned sharers = 0;

    ptrace(PTRACE_GETEVENTMSG, tid, NULL, &before);
    p = thread[before].profile;
    thread[before].profile = 0;
    for (unsigned i = 0; i < TIDS; i++)
        sharers += thread[i].profile == p;
    if (sharers)
        p = new_profile(0);
    profile[p] = 0;
    thread[tid].profile = p;
    thread[tid].after_exec = 1;
}

/* A stop of PTRACE_EVENT_*: within a system call, or at the end. */
static void event(pid_t tid, int what)
{
    if (what == PTRACE_EVENT_EXIT) {
        profile[thread[tid].profile] += thread[tid].in_call;
        thread[tid].profile = thread[tid].in_call = thread[tid].early = 0;
        ptrace(PTRACE_CONT, tid, NULL, NULL);
        return;
    }
    if (what == PTRACE_EVENT_EXEC)
        executed(tid);
    else
        born(tid, what);
    ptrace(PTRACE_SINGLESTEP, tid, NULL, NULL); /* still within: in_call stays */
}

static void stopped(pid_t tid, int status)
{
    int signal = WSTOPSIG(status);
    siginfo_t info;

    if (status >> 16) {
        event(tid, status >> 16);
    } else if (!thread[tid].profile) {
        thread[tid].early = 1;
    } else if (signal == SIGSTOP) { /* a new one */
        go(tid, 0);
    } else if (signal != SIGTRAP || ptrace(PTRACE_GETSIGINFO, tid, NULL, &info) != 0) {
        go(tid, signal);
    } else {
        if (info.si_code != SIGTRAP) /* that one tells of a handler's beginning */
            step_done(tid);
        go(tid, 0);
    }
}

int main(int argc, char **argv)
{
    long options = PTRACE_O_TRACECLONE | PTRACE_O_TRACEFORK | PTRACE_O_TRACEVFORK | PTRACE_O_TRACEEXEC | PTRACE_O_TRACEEXIT |
                   PTRACE_O_EXITKILL;
    unsigned long long sum = 0;
    pid_t pid, first;
    int status;

    if (argc < 2)
        return 2;
    first = fork();
    if (first == 0) {
        ptrace(PTRACE_TRACEME, 0, NULL, NULL);
        execv(argv[1], argv + 1);
        _exit(127);
    }
    if (waitpid(first, &status, 0) != first || !WIFSTOPPED(status) || ptrace(PTRACE_SETOPTIONS, first, NULL, options) != 0)
        fail("cannot trace");
    thread[first].profile = new_profile(0);
    go(first, 0);
    while ((pid = waitpid(-1, &status, __WALL)) > 0)
        if (WIFSTOPPED(status))
            stopped(pid, status);
    for (unsigned i = 1; i <= profiles; i++)
        sum += profile[i];
    printf("%llu\n", sum);
    return errno == ECHILD ? 0 : 1;
}
