/* process_signals.c - signals that come about when a process forks, or executes a program: each is seen once, by the one it was for.
 * Signals that come with a fault, or while they are blocked; flags of actions that no kernel knows. */
#define _GNU_SOURCE
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <ucontext.h>
#include <unistd.h>

enum { TIMES = 300, PATIENCE_MS = 10000, PERIOD_US = 1000 };

/* ---- fork: a child does not inherit what waits for its parent ---- */

static pid_t parent;
static volatile sig_atomic_t alarmed; /* a child was */

static void note_alarm(int sig)
{
    (void)sig;
    if (getpid() != parent)
        alarmed = 1;
}

static int alarms_in_child(void)
{
    int status;
    pid_t pid = fork();

    if (pid == 0)
        _exit(alarmed);
    while (waitpid(pid, &status, 0) != pid)
        ;
    return status != 0;
}

static void fork_often(void)
{
    struct sigaction a = {.sa_handler = note_alarm, .sa_flags = SA_RESTART};
    struct itimerval period = {{0, PERIOD_US}, {0, PERIOD_US}}, none = {{0, 0}, {0, 0}};
    int wrong = 0;

    parent = getpid();
    sigaction(SIGALRM, &a, NULL);
    setitimer(ITIMER_REAL, &period, NULL);
    for (int i = 0; i < TIMES; i++)
        wrong += alarms_in_child();
    setitimer(ITIMER_REAL, &none, NULL);
    printf("alarms of the parent in its child: %d\n", wrong);
}

/* ---- exec: the handler has run, or the program dies of it ---- */

static int ends[2];

static void tell(int sig)
{
    (void)sig;
    if (write(ends[1], "h", 1) != 1)
        _exit(1);
}

static void exec_with_handler(void)
{
    signal(SIGUSR1, tell);
    close(ends[0]);
    if (write(ends[1], "b", 1) == 1)
        execl("/bin/sleep", "sleep", "60", (char *)NULL);
    _exit(1);
}

/* Is anything to be seen of a signal that comes so long after the child began? */
static int is_seen(int delay)
{
    struct pollfd p = {.events = POLLIN};
    char text;
    int seen = 0;
    pid_t pid;

    if (pipe(ends) || (pid = fork()) < 0)
        return 0;
    if (pid == 0)
        exec_with_handler();
    close(ends[1]);
    p.fd = ends[0];
    if (read(p.fd, &text, 1) == 1) {
        for (volatile int k = 0; k < delay; k++)
            ;
        kill(pid, SIGUSR1);
        seen = poll(&p, 1, PATIENCE_MS) == 1; /* the handler's letter, or nobody is left to write */
    }
    kill(pid, SIGKILL);
    close(p.fd);
    waitpid(pid, NULL, 0);
    return seen;
}

/* ---- a signal that comes with a fault whose handler blocks it: that handler ends first ---- */

static volatile sig_atomic_t alarms, too_early;

static void take_alarm(int sig, siginfo_t *info, void *context)
{
    (void)info;
    alarms++;
    too_early += sigismember(&((ucontext_t *)context)->uc_sigmask, sig);
}

static void take_fault(int sig, siginfo_t *info, void *context)
{
    enum { LOAD = 2 }; /* bytes of mov (%rax), %eax */

    (void)sig, (void)info;
    ((ucontext_t *)context)->uc_mcontext.gregs[REG_RIP] += LOAD;
}

static void alarm_with_fault(void)
{
    struct sigaction alarm = {.sa_sigaction = take_alarm, .sa_flags = SA_SIGINFO}, fault = {.sa_sigaction = take_fault, .sa_flags = SA_SIGINFO};
    struct itimerval period = {{0, PERIOD_US}, {0, PERIOD_US}}, none = {{0, 0}, {0, 0}};

    sigfillset(&fault.sa_mask);
    sigaction(SIGALRM, &alarm, NULL);
    sigaction(SIGSEGV, &fault, NULL);
    setitimer(ITIMER_REAL, &period, NULL);
    while (alarms < TIMES) /* a long block, at whose end is a fault */
        __asm__ volatile("fldpi\n .rept 50\n fsin\n .endr\n fstp %%st(0)\n .byte 0x8b, 0x00" : : "a"(0l) : "memory");
    setitimer(ITIMER_REAL, &none, NULL);
    signal(SIGSEGV, SIG_DFL);
    printf("alarms that the handler of a fault blocks: %d\n", too_early);
}

/* ---- signals of faults that are sent, and wait because they are blocked ---- */

static volatile sig_atomic_t times;

static void count_one(int sig) { times += sig > 0; }

static int is_waiting(int sig)
{
    sigset_t waiting;

    sigpending(&waiting);
    return sigismember(&waiting, sig);
}

static void blocked(int sig)
{
    siginfo_t info;
    sigset_t set;
    int taken;

    memset(&info, 0, sizeof info);
    sigemptyset(&set);
    sigaddset(&set, sig);
    sigprocmask(SIG_BLOCK, &set, NULL);
    kill(getpid(), sig);
    printf("%d: waits %d", sig, is_waiting(sig));
    taken = sigtimedwait(&set, &info, &(struct timespec){0, 0});
    printf(", taken %d of mine %d, waits %d", taken, info.si_code == SI_USER && info.si_pid == getpid(), is_waiting(sig));
    signal(sig, count_one);
    kill(getpid(), sig);
    signal(sig, SIG_IGN); /* what waits is gone */
    printf(", ignored %d", is_waiting(sig));
    signal(sig, count_one);
    times = 0;
    sigprocmask(SIG_UNBLOCK, &set, NULL);
    printf(", handled %d", times);
    kill(getpid(), sig);
    printf(" %d", times);
    sigprocmask(SIG_BLOCK, &set, NULL);
    sigemptyset(&set);
    kill(getpid(), sig);
    printf(", in sigsuspend %d", sigsuspend(&set));
    printf(" %d", times);
    kill(getpid(), sig);
    printf(", in ppoll %d", ppoll(NULL, 0, NULL, &set));
    printf(" %d", times);
    kill(getpid(), sig);
    printf(", in pselect %d", pselect(0, NULL, NULL, NULL, NULL, &set));
    printf(" %d\n", times);
    sigprocmask(SIG_SETMASK, &set, NULL);
}

/* While a process sends signals, each of which is queued, another one is blocked, sent and let through, over and over: none is lost. */
static void queued(void)
{
    enum { MANY = 20000 };
    struct sigaction act = {.sa_handler = count_one, .sa_flags = SA_RESTART};
    struct sigaction other = {.sa_handler = note_alarm, .sa_flags = SA_RESTART};
    pid_t pid;
    sigset_t set;

    sigaction(SIGRTMIN, &act, NULL);
    sigaction(SIGUSR1, &other, NULL);
    times = 0;
    parent = getpid();
    pid = fork();
    for (int i = 0; pid == 0 && i < MANY; i++) {
        while (sigqueue(parent, SIGRTMIN, (union sigval){.sival_int = i}))
            usleep(PERIOD_US);
        for (volatile int k = 0; k < 3000; k++)
            ;
    }
    if (pid == 0)
        _exit(0);
    sigemptyset(&set);
    sigaddset(&set, SIGUSR1);
    while (waitpid(pid, NULL, WNOHANG) == 0) {
        sigprocmask(SIG_BLOCK, &set, NULL);
        raise(SIGUSR1);
        sigprocmask(SIG_UNBLOCK, &set, NULL);
    }
    printf("of many signals %d are lost\n", MANY - times);
}

static void flags(void)
{
    struct { void (*handler)(int); unsigned long flags; void *restorer; unsigned long mask; } given = {SIG_IGN, 0x40000f20, NULL, 0}, got;

    if (syscall(SYS_rt_sigaction, SIGUSR2, &given, NULL, 8ul) == 0 && syscall(SYS_rt_sigaction, SIGUSR2, NULL, &got, 8ul) == 0)
        printf("flags %lx\n", got.flags);
}

int main(void)
{
    static const int faults[] = {SIGTRAP, SIGILL, SIGFPE, SIGBUS, SIGSEGV};
    int i = 0;

    setvbuf(stdout, NULL, _IONBF, 0);
    for (unsigned k = 0; k < sizeof faults / sizeof *faults; k++)
        blocked(faults[k]);
    queued();
    flags();
    alarm_with_fault();
    fork_often();
    while (i < TIMES && is_seen(i * 7919 % TIMES * 5000))
        i++;
    printf("signals about exec: %s\n", i == TIMES ? "none lost" : "one lost");
    return 0;
}
