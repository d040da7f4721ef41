/* The first process of a namespace, which signals do not end, but faults do. */
#define _GNU_SOURCE
#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

static volatile int zero;

static void handler(int sig) { _exit(sig); }

static void no_stack(void)
{
    signal(SIGUSR1, handler);
    __asm__ volatile("mov $8, %%rsp; syscall; hlt" :: "a"(SYS_kill), "D"(getpid()), "S"(SIGUSR1) : "rcx", "r11", "memory");
}

static void blocked(void)
{
    sigset_t set;

    sigfillset(&set);
    sigprocmask(SIG_BLOCK, &set, NULL);
    *(volatile int *)8 = 1;
}

static void signals(void)
{
    raise(SIGTERM);
    raise(SIGKILL);
    raise(SIGSEGV);
    raise(SIGSYS);
    _exit(5);
}

static void segv(void) { *(volatile int *)8 = 1; }
static void ill(void) { __asm__ volatile("ud2"); }
static void fpe(void) { zero = 1 / zero; }
static void trap(void) { __asm__ volatile("int3"); _exit(6); }
static void bus(void) { __asm__ volatile("mov $0x8000000000000000, %%rbp; mov (%%rbp), %%eax" ::: "rax"); }
static void ignored(void) { signal(SIGSEGV, SIG_IGN); segv(); }
static void caught(void) { signal(SIGSEGV, handler); segv(); }

static const struct { const char *name; void (*does)(void); } ways[] = {
    {"SIGSEGV", segv}, {"SIGILL", ill}, {"SIGFPE", fpe}, {"SIGTRAP", trap}, {"SIGBUS", bus}, {"abort", abort}, {"no stack", no_stack},
    {"all blocked", blocked}, {"ignored", ignored}, {"caught", caught}, {"signals", signals},
};

static void in_namespace(const char *name, void (*does)(void))
{
    pid_t pid;
    int status;

    if (unshare(CLONE_NEWPID)) {
        printf("no namespace: %s\n", strerror(errno));
        exit(77);
    }
    fflush(stdout);
    pid = fork();
    if (!pid) {
        does();
        _exit(99);
    }
    waitpid(pid, &status, 0);
    printf("%s: %x\n", name, status & ~0x80); /* whatever becomes of cores */
    exit(0);
}

int main(void)
{
    int status;

    for (unsigned i = 0; i < sizeof ways / sizeof ways[0]; i++) {
        fflush(stdout);
        if (!fork())
            in_namespace(ways[i].name, ways[i].does);
        wait(&status);
        if (WIFEXITED(status) && WEXITSTATUS(status) == 77)
            return 77;
    }
    return 0;
}
