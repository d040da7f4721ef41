/* sums.c - programs whose number of instructions does not depend on who is faster: threads, processes, signals, faults, deaths.
 *
 *   sums CASE       status 0, or what the case says
 *
 * Freestanding, no libc.  Waiting is done in the kernel, never in a loop: a thread is waited for by one futex call, a child
 * by one wait4. */
#include <stdint.h>

enum { SYS_mmap = 9, SYS_munmap = 11, SYS_sigaction = 13, SYS_sigprocmask = 14, SYS_sched_yield = 24, SYS_pause = 34,
       SYS_getpid = 39, SYS_clone = 56, SYS_fork = 57, SYS_vfork = 58, SYS_execve = 59, SYS_exit = 60, SYS_wait4 = 61, SYS_kill = 62,
       SYS_gettid = 186, SYS_futex = 202, SYS_set_tid_address = 218, SYS_exit_group = 231, SYS_tgkill = 234, SYS_sigsuspend = 130, SYS_setitimer = 38 };
enum { SIGTRAP = 5, SIGKILL = 9, SIGUSR1 = 10, SIGSEGV = 11, SIGTERM = 15, SIGCHLD = 17, SIGALRM = 14 };
#define SA_FLAGS 0x04000004ul /* SA_RESTORER | SA_SIGINFO */
#define SA_RESTART 0x10000000ul
#define THREAD 0x350f00ul     /* VM FS FILES SIGHAND THREAD SYSVSEM PARENT_SETTID CHILD_CLEARTID */
#define VFORK 0x4000ul        /* who makes it waits until it ends */
#define STACK 16384

typedef long (*body)(long);

static long call6(long n, long a, long b, long c, long d, long e, long f)
{
    register long r10 __asm__("r10") = d, r8 __asm__("r8") = e, r9 __asm__("r9") = f;
    long r;

    __asm__ volatile("syscall" : "=a"(r) : "a"(n), "D"(a), "S"(b), "d"(c), "r"(r10), "r"(r8), "r"(r9) : "rcx", "r11", "memory");
    return r;
}
#define call(n, a, b, c) call6(n, (long)(a), (long)(b), (long)(c), 0, 0, 0)

__asm__(".globl _start\n_start:\n"
        "mov %rsp, %rdi\n"
        "and $-16, %rsp\n"
        "call begin\n"
        "restore:\n"
        "mov $15, %eax\n"
        "syscall\n"
        /* start(rdi stack top, rsi body, rdx argument, rcx its number, r8 flags): a thread; returns its number */
        "start:\n"
        "sub $32, %rdi\n"
        "mov %rsi, (%rdi)\n"
        "mov %rdx, 8(%rdi)\n"
        "mov %rdi, %rsi\n"
        "mov %r8, %rdi\n"
        "mov %rcx, %rdx\n"
        "mov %rcx, %r10\n"
        "mov $56, %eax\n"
        "syscall\n"
        "test %eax, %eax\n"
        "jnz 1f\n"
        "pop %rax\n"
        "pop %rdi\n"
        "call *%rax\n"
        "mov %eax, %edi\n"
        "mov $60, %eax\n"
        "syscall\n"
        "1: ret\n"
        /* vfork_exit(edi): a child that shares our stack must not touch it */
        "vfork_exit:\n"
        "pop %rsi\n"
        "mov $58, %eax\n"
        "syscall\n"
        "push %rsi\n"
        "test %eax, %eax\n"
        "jnz 1f\n"
        "mov $60, %eax\n"
        "syscall\n"
        "1: ret\n");
void restore(void);
long start(char *top, body run, long argument, int *tid, long flags);
long vfork_exit(int status);

struct action { void (*handler)(int, void *, void *); unsigned long flags; void (*restorer)(void); unsigned long mask; };

static char stacks[8][STACK] __attribute__((aligned(16)));
static int tids[8];
static volatile long signals, fixed;
static char *volatile page;
static char **arguments;

static void on(int number, void (*handler)(int, void *, void *), unsigned long flags)
{
    struct action a = {handler, SA_FLAGS | flags, restore, 0};

    call6(SYS_sigaction, number, (long)&a, 0, 8, 0, 0);
}

static long work(long n)
{
    volatile long sum = 0;

    for (long i = 0; i < n; i++)
        sum += i ^ n;
    return 0;
}

static void thread(int i, body run, long argument) { start(stacks[i] + STACK, run, argument, &tids[i], THREAD); }

/* One call, whatever it says: the thread is gone, or was already. */
static void join(int i)
{
    int tid = *(volatile int *)&tids[i];

    call6(SYS_futex, (long)&tids[i], 0, tid - (tid == 0), 0, 0, 0);
}

static int child(body run, long argument)
{
    int status = 0;
    long pid = call(SYS_fork, 0, 0, 0);

    if (pid == 0)
        call(SYS_exit_group, run(argument), 0, 0);
    call6(SYS_wait4, pid, (long)&status, 0, 0, 0, 0);
    return status;
}

static void count(int number, void *info, void *context)
{
    (void)number, (void)info, (void)context;
    signals++;
}

/* Makes the page that was touched usable. */
static void repair(int number, void *info, void *context)
{
    (void)number, (void)info, (void)context;
    fixed++;
    call6(SYS_mmap, (long)page, 4096, 3, 0x32, -1, 0);
}

static long raise_to_self(long n)
{
    long pid = call(SYS_getpid, 0, 0, 0), tid = call(SYS_gettid, 0, 0, 0);

    for (long i = 0; i < n; i++)
        call(SYS_tgkill, pid, tid, SIGUSR1);
    return 0;
}

static long die(long number)
{
    raise_to_self(0);
    call(SYS_kill, call(SYS_getpid, 0, 0, 0), number, 0);
    return 99;
}

static long crash(long n)
{
    work(n);
    *(volatile char *)8 = 1;
    return 99;
}

static long trap(long n)
{
    work(n);
    __asm__ volatile("ud2");
    return 99;
}

/* -- the cases -- */

static long case_threads(long n)
{
    for (int i = 0; i < 8; i++)
        thread(i, work, n + i);
    for (int i = 0; i < 8; i++)
        join(i);
    return 0;
}

static long case_fork(long n)
{
    for (int i = 0; i < 6; i++)
        child(work, n + i);
    return work(n);
}

static long nest(long n) { return n ? child(nest, n - 1) : work(100); }
static long case_nested(long n) { (void)n; return nest(6); }

/* Each waits until the one before is gone, so that what a child inherits is certain; the first one waits for the main thread. */
static long fork_in_chain(long i)
{
    join((int)i);
    child(work, 100 + i);
    if (i == 4)
        call(SYS_exit_group, 0, 0, 0);
    thread((int)i + 2, fork_in_chain, i + 1);
    return 0;
}
static long case_fork_from_threads(long n)
{
    (void)n;
    tids[0] = (int)call(SYS_set_tid_address, &tids[0], 0, 0);
    thread(1, fork_in_chain, 0);
    call(SYS_exit, 0, 0, 0);
    return 99;
}

static long case_vfork(long n)
{
    for (int i = 0; i < 10; i++) {
        int status;

        call6(SYS_wait4, vfork_exit(i), (long)&status, 0, 0, 0, 0);
        work(n);
    }
    return 0;
}

static long case_exec(long n)
{
    char *text = arguments[2];

    work(n);
    if (text && *text == '3')
        return 0;
    {
        static char number[2] = "1";
        char *argv[4] = {arguments[0], arguments[1], number, 0}, *envp[1] = {0};

        if (text)
            number[0] = (char)(*text + 1);
        call(SYS_execve, arguments[0], argv, envp);
    }
    return 99;
}

static long case_signals(long n)
{
    on(SIGUSR1, count, 0);
    raise_to_self(n);
    return signals != n;
}

static long case_signals_in_threads(long n)
{
    on(SIGUSR1, count, 0);
    for (int i = 0; i < 4; i++) {
        thread(i, raise_to_self, n);
        join(i);
    }
    return signals != 4 * n;
}

static long case_faults(long n)
{
    on(SIGSEGV, repair, 0x40000000ul);
    page = (char *)0x10000000;
    for (long i = 0; i < n; i++) {
        page[i * 7 % 4096] = (char)i;
        call(SYS_munmap, page, 4096, 0);
    }
    return fixed != n;
}

static long case_deaths(long n)
{
    for (int i = 0; i < 3; i++) {
        child(die, SIGKILL);
        child(die, SIGTERM);
        child(crash, n);
        child(trap, n);
    }
    return 0;
}

/* exit_group while other threads are in a call: each of them makes the next one and waits for its end, which never comes. */
static long last_of_chain(long i)
{
    work(100 + i);
    if (i == 5)
        call(SYS_exit_group, 0, 0, 0);
    return start(stacks[i] + STACK, last_of_chain, i + 1, &tids[i], THREAD | VFORK);
}
static long case_exit_group(long n) { return last_of_chain(n); }

static long case_children_tell(long n)
{
    unsigned long chld = 1ul << (SIGCHLD - 1), none = 0;

    on(SIGCHLD, count, SA_RESTART);
    call6(SYS_sigprocmask, 0, (long)&chld, 0, 8, 0, 0);
    for (int i = 0; i < 5; i++) {
        long pid = call(SYS_fork, 0, 0, 0);
        int status;

        if (pid == 0)
            call(SYS_exit_group, work(n), 0, 0);
        call6(SYS_sigsuspend, (long)&none, 8, 0, 0, 0, 0);
        call6(SYS_wait4, pid, (long)&status, 0, 0, 0, 0);
    }
    return signals != 5;
}

/* Code that is written, run, and written anew. */
static long case_new_code(long n)
{
    unsigned char *code = (unsigned char *)call6(SYS_mmap, 0, 4096, 7, 0x22, -1, 0);
    long sum = 0;

    for (long i = 0; i < n; i++) {
        unsigned char *p = code + i % 16 * 8;

        p[0] = 0xb8; /* mov $i, %eax ; ret */
        *(int *)(p + 1) = (int)i;
        p[5] = 0xc3;
        sum += ((int (*)(void))(uintptr_t)p)();
    }
    return sum != n * (n - 1) / 2;
}

static long thread_then_exec(long n) { return case_exec(n); }
static long case_exec_from_thread(long n)
{
    if (arguments[2])
        return case_exec(n);
    thread(0, thread_then_exec, n);
    call(SYS_pause, 0, 0, 0);
    return 99;
}

static const struct { const char *name; body run; long n; } cases[] = {
    {"threads", case_threads, 300}, {"fork", case_fork, 300}, {"nested", case_nested, 0},
    {"fork_from_threads", case_fork_from_threads, 200}, {"vfork", case_vfork, 50}, {"exec", case_exec, 200},
    {"signals", case_signals, 40}, {"signals_in_threads", case_signals_in_threads, 20}, {"faults", case_faults, 50},
    {"deaths", case_deaths, 100}, {"exit_group", case_exit_group, 0}, {"children_tell", case_children_tell, 100},
    {"new_code", case_new_code, 300}, {"exec_from_thread", case_exec_from_thread, 100},
};

static int same(const char *a, const char *b)
{
    while (*a && *a == *b)
        a++, b++;
    return *a == *b;
}

__attribute__((used)) void begin(char **sp)
{
    arguments = sp + 1;
    for (unsigned i = 0; i < sizeof cases / sizeof cases[0]; i++)
        if (arguments[1] && same(arguments[1], cases[i].name))
            call(SYS_exit_group, cases[i].run(cases[i].n), 0, 0);
    call(SYS_exit_group, 2, 0, 0);
}
