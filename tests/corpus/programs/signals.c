/* signals.c - handlers: alarm and pause, SIGSEGV left by siglongjmp, an alternate stack, SIGCHLD, siginfo, masks, a fault
 * that the handler repairs, signals in the middle of computation, and death by a signal at the end. */
#define _GNU_SOURCE
#include <errno.h>
#include <setjmp.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <ucontext.h>
#include <unistd.h>

#define CHECK(e) do { if (!(e)) { printf("line %d: %s\n", __LINE__, #e); exit(1); } } while (0)

static sigjmp_buf back;
static volatile sig_atomic_t count, code, value, depth;
static volatile uintptr_t address, handler_stack;
static char alternate[1 << 16];
static char *page;

static void on(int number, void (*handler)(int, siginfo_t *, void *), int flags)
{
    struct sigaction a = { .sa_sigaction = handler, .sa_flags = SA_SIGINFO | flags };

    CHECK(sigaction(number, &a, NULL) == 0);
}

static void take(int number, siginfo_t *info, void *context)
{
    (void)number, (void)context;
    count++;
    code = info->si_code;
    value = info->si_value.sival_int;
}

static void leave(int number, siginfo_t *info, void *context)
{
    char here;

    (void)context;
    address = (uintptr_t)info->si_addr;
    handler_stack = (uintptr_t)&here;
    code = info->si_code;
    siglongjmp(back, number);
}

static void repair(int number, siginfo_t *info, void *context)
{
    (void)number, (void)context;
    count++;
    CHECK(mprotect((void *)((uintptr_t)info->si_addr & ~4095ul), 4096, PROT_READ | PROT_WRITE) == 0);
}

static void skip_two(int number, siginfo_t *info, void *context)
{
    ucontext_t *u = context;

    (void)number, (void)info;
    count++;
    u->uc_mcontext.gregs[REG_RIP] += 2;
    u->uc_mcontext.gregs[REG_RBX] = 4711;
}

static void nested(int number, siginfo_t *info, void *context)
{
    (void)info, (void)context;
    if (++depth < 5)
        raise(number);
}

static void wait_for_alarm(void)
{
    count = 0;
    on(SIGALRM, take, 0);
    alarm(1);
    CHECK(pause() == -1 && errno == EINTR);
    printf("alarm %d\n", (int)count);
}

static void count_ticks(void)
{
    struct itimerval tick = { { 0, 1000 }, { 0, 1000 } }, none = { { 0, 0 }, { 0, 0 } };
    volatile double sum = 0;
    double wanted = 0;
    unsigned long turns = 0;

    count = 0;
    on(SIGALRM, take, SA_RESTART);
    CHECK(setitimer(ITIMER_REAL, &tick, NULL) == 0);
    while (count < 100) {
        sum = sum + 0.5;
        wanted += 0.5;
        turns++;
    }
    CHECK(setitimer(ITIMER_REAL, &none, NULL) == 0);
    printf("ticks %s\n", sum == wanted && turns > 0 ? "did no harm" : "spoilt a sum");
}

static void fault(void)
{
    volatile char *nowhere = (char *)0x1234;
    volatile int none = 0;

    on(SIGSEGV, leave, 0);
    for (int i = 0; i < 1000; i++)
        if (sigsetjmp(back, 1) == 0)
            *nowhere = 1;
    printf("segv %d at %lx\n", (int)code, (unsigned long)address);
    on(SIGBUS, leave, 0);
    if (sigsetjmp(back, 1) == 0)
        ((void (*)(void))0x5678)();
    printf("call %d at %lx\n", (int)code, (unsigned long)address);
    on(SIGFPE, leave, 0);
    if (sigsetjmp(back, 1) == 0)
        printf("%d\n", 1 / none);
    printf("fpe %d\n", (int)code);
}

static void fault_on_other_stack(void)
{
    stack_t s = { .ss_sp = alternate, .ss_size = sizeof alternate }, now;

    CHECK(sigaltstack(&s, NULL) == 0 && sigaltstack(NULL, &now) == 0 && now.ss_sp == alternate);
    on(SIGSEGV, leave, SA_ONSTACK);
    if (sigsetjmp(back, 1) == 0)
        *(volatile char *)8 = 1;
    printf("alternate stack: %s\n",
           handler_stack - (uintptr_t)alternate < sizeof alternate ? "used" : "not used");
}

static void repair_fault(void)
{
    page = mmap(NULL, 16 * 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    CHECK(page != MAP_FAILED);
    count = 0;
    on(SIGSEGV, repair, 0);
    for (int i = 0; i < 16 * 4096; i += 512)
        page[i] = (char)i;
    printf("repaired %d\n", (int)count);
}

static void change_context(void)
{
    unsigned long result = 1;

    count = 0;
    on(SIGILL, skip_two, 0);
    __asm__ volatile("ud2" : "+b"(result) : : "memory");
    printf("ud2 skipped %d, rbx %lu\n", (int)count, result);
}

static void block_and_queue(void)
{
    sigset_t set, old, pending;

    on(SIGUSR1, take, 0);
    on(SIGRTMIN, take, 0);
    sigemptyset(&set);
    sigaddset(&set, SIGUSR1);
    sigaddset(&set, SIGRTMIN);
    sigprocmask(SIG_BLOCK, &set, &old);
    count = 0;
    raise(SIGUSR1);
    raise(SIGUSR1);
    for (int i = 0; i < 3; i++)
        sigqueue(getpid(), SIGRTMIN, (union sigval){ .sival_int = 10 + i });
    sigpending(&pending);
    printf("pending %d %d, taken %d\n", sigismember(&pending, SIGUSR1), sigismember(&pending, SIGRTMIN), (int)count);
    sigprocmask(SIG_SETMASK, &old, NULL);
    printf("taken %d, last value %d\n", (int)count, (int)value);
    sigprocmask(SIG_BLOCK, &set, NULL);
    raise(SIGUSR1);
    count = 0;
    sigemptyset(&set);
    CHECK(sigsuspend(&set) == -1 && errno == EINTR);
    printf("suspended, taken %d\n", (int)count);
    sigprocmask(SIG_SETMASK, &old, NULL);
}

static void children(void)
{
    siginfo_t info;
    sigset_t set;
    int status;

    sigemptyset(&set);
    sigaddset(&set, SIGCHLD);
    sigprocmask(SIG_BLOCK, &set, NULL);
    for (int i = 0; i < 5; i++) {
        pid_t pid = fork();

        if (pid == 0)
            _exit(20 + i);
        CHECK(sigwaitinfo(&set, &info) == SIGCHLD && info.si_pid == pid);
        CHECK(waitpid(pid, &status, 0) == pid);
        printf("child: code %d, status %d\n", info.si_code, WEXITSTATUS(status));
    }
    sigprocmask(SIG_UNBLOCK, &set, NULL);
}

int main(void)
{
    struct rlimit none = { 0, 0 };

    setvbuf(stdout, NULL, _IOLBF, 0);
    setrlimit(RLIMIT_CORE, &none);
    wait_for_alarm();
    count_ticks();
    fault();
    fault_on_other_stack();
    repair_fault();
    change_context();
    on(SIGUSR2, nested, SA_NODEFER);
    raise(SIGUSR2);
    printf("nested %d\n", (int)depth);
    block_and_queue();
    children();
    signal(SIGPIPE, SIG_IGN);
    CHECK(raise(SIGPIPE) == 0);
    signal(SIGTERM, SIG_DFL);
    raise(SIGTERM);
    return 0;
}
