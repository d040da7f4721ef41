/* System calls with pointers to nothing, to half of something; frames of signals where there is no stack. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define NOWHERE ((void *)0xdeadbeef)
#define FAR ((void *)0x8000000000000000)

static char *end; /* of readable memory */
static char *self;

static void tell(const char *what, long r) { printf("%s: %ld %s\n", what, r, r < 0 ? strerrorname_np(errno) : ""); fflush(stdout); }

/* In a child, for it may succeed. */
static void exec(const char *what, const char *path, void *argv, void *envp, int at)
{
    int status;
    pid_t child = fork();

    if (!child) {
        tell(what, at ? syscall(SYS_execveat, AT_FDCWD, path, argv, envp, 0) : syscall(SYS_execve, path, argv, envp));
        _exit(0);
    }
    waitpid(child, &status, 0);
    printf("%d\n", status);
}

static void execs(int at)
{
    char *args[] = {self, "one", NULL}, *bad[] = {self, NOWHERE, NULL};
    char **last = (char **)end - 1, **odd = (char **)(end - 12);

    exec("argv nowhere", self, NOWHERE, environ, at);
    exec("argv in the kernel", self, FAR, environ, at);
    exec("argument nowhere", self, bad, environ, at);
    exec("envp nowhere", self, args, NOWHERE, at);
    exec("path nowhere", NOWHERE, args, environ, at);
    exec("no such path, argv nowhere", "/nowhere", NOWHERE, environ, at);
    *last = self;
    exec("argv runs off the end", self, last, environ, at);
    memset(end - 16, 0, 16);
    exec("argv across the end", self, odd, environ, at);
    exec("argv that ends with the page", self, last, environ, at);
    exec("no argv", self, NULL, environ, at);
    exec("no argv, no envp", self, NULL, NULL, at);
}

static void clones(void)
{
    uint64_t args[16] = {[4] = SIGCHLD}, *half = (uint64_t *)end - 11;

    memcpy(half, args, 11 * sizeof *half);
    tell("clone3 that is too short", syscall(SYS_clone3, args, 56));
    tell("clone3 that is too long", syscall(SYS_clone3, args, 5000));
    tell("clone3 half readable", syscall(SYS_clone3, half, 128));
    tell("clone3 nowhere", syscall(SYS_clone3, NOWHERE, 88));
    args[12] = 1;
    tell("clone3 of the future", syscall(SYS_clone3, args, 128));
}

static void others(void)
{
    tell("sigaction", syscall(SYS_rt_sigaction, SIGUSR1, NOWHERE, NULL, 8));
    tell("sigaction, old", syscall(SYS_rt_sigaction, SIGUSR1, NULL, NOWHERE, 8));
    tell("sigprocmask", syscall(SYS_rt_sigprocmask, SIG_BLOCK, NOWHERE, NULL, 8));
    tell("sigprocmask, old", syscall(SYS_rt_sigprocmask, SIG_BLOCK, NULL, NOWHERE, 8));
    tell("sigaltstack", syscall(SYS_sigaltstack, NOWHERE, NULL));
    tell("ppoll", syscall(SYS_ppoll, NULL, 0, NOWHERE, NOWHERE, 8));
    tell("sigsuspend", syscall(SYS_rt_sigsuspend, NOWHERE, 8));
    tell("open", syscall(SYS_open, NOWHERE, 0));
    tell("openat2", syscall(SYS_openat2, AT_FDCWD, "/proc/self/maps", NOWHERE, 24));
    tell("readlink", syscall(SYS_readlink, "/proc/self/exe", NOWHERE, 100));
    tell("prlimit", syscall(SYS_prlimit64, 0, 7, NULL, NOWHERE));
    tell("arch_prctl", syscall(SYS_arch_prctl, 0x1003, FAR));
    tell("seccomp", syscall(SYS_seccomp, 1, 0, NOWHERE));
    tell("death signal", prctl(PR_GET_PDEATHSIG, NOWHERE));
}

/* ---- signals ---- */

static void handler(int sig)
{
    static const char text[] = "handler of SIGSEGV\n";

    if (write(1, text, sig == SIGSEGV ? sizeof text - 1 : 0) > 0)
        _exit(3);
}

/* What becomes of a child that does `act(sp, sig)` and has a handler of SIGSEGV with these flags, and another stack. */
static void in_child(const char *what, void (*act)(uint64_t sp, int sig), uint64_t sp, int sig, int flags, bool blocked)
{
    static char stack[65536];
    struct sigaction action = {.sa_handler = handler};
    sigset_t set;
    int status;
    pid_t child;

    fflush(stdout);
    child = fork();
    if (!child) {
        sigaltstack(&(stack_t){.ss_sp = stack, .ss_size = sizeof stack}, NULL);
        sigaction(SIGUSR1, &action, NULL);
        action.sa_flags = flags;
        sigaction(SIGSEGV, &action, NULL);
        sigemptyset(&set);
        sigaddset(&set, SIGSEGV);
        if (blocked)
            sigprocmask(SIG_BLOCK, &set, NULL);
        act(sp, sig);
        _exit(4);
    }
    waitpid(child, &status, 0);
    printf("%s: %x\n", what, status & ~0x80); /* whatever becomes of cores */
}

/* `sig` comes while the stack pointer points there. */
static void take_signal(uint64_t sp, int sig)
{
    __asm__ volatile("mov %%rsp, %%rbx; mov %[sp], %%rsp; syscall; mov %%rbx, %%rsp"
                     :: "a"(SYS_kill), "D"(getpid()), "S"(sig), [sp] "r"(sp) : "rbx", "rcx", "r11", "memory");
}

static void return_from_there(uint64_t sp, int sig)
{
    (void)sig;
    __asm__ volatile("mov %[sp], %%rsp; syscall; hlt" :: "a"(SYS_rt_sigreturn), [sp] "r"(sp) : "rcx", "r11", "memory");
}

static void signals(void)
{
    uint64_t readable = (uint64_t)mmap(NULL, 69632, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) + 65536;
    const uint64_t bad[] = {0, 4096, readable, (uint64_t)FAR, 0x700000000000, (uint64_t)end + 200};

    mprotect((void *)readable, 4096, PROT_NONE);
    for (unsigned i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        printf("stack %u\n", i);
        in_child("handler of SIGSEGV with a stack", take_signal, bad[i], SIGUSR1, SA_ONSTACK, false);
        in_child("the same with SA_SIGINFO", take_signal, bad[i], SIGUSR1, SA_ONSTACK | SA_SIGINFO, false);
        in_child("without one", take_signal, bad[i], SIGUSR1, 0, false);
        in_child("SIGSEGV is blocked", take_signal, bad[i], SIGUSR1, SA_ONSTACK, true);
        in_child("SIGSEGV itself", take_signal, bad[i], SIGSEGV, 0, false);
        in_child("sigreturn", return_from_there, bad[i], 0, SA_ONSTACK, false);
        in_child("sigreturn without a stack", return_from_there, bad[i], 0, 0, false);
    }
}

/* Where quern has its counters, its code, itself. */
static void seals(void)
{
    static const uint64_t at[] = {0x54001000, 0x60001000, 0x70001000, 0x7e8800000000};

    for (unsigned i = 0; i < sizeof at / sizeof at[0]; i++)
        tell("mseal of nothing", syscall(462, at[i], 4096, 0));
}

int main(int argc, char **argv)
{
    if (argc != 1 || !argv[0] || !argv[0][0]) {
        printf("%d arguments, '%s' %d\n", argc, argv[0] ? argv[0] + (argv[0][0] == '.' ? 2 : 0) : "none", environ && environ[0]);
        return 7;
    }
    self = argv[0];
    end = (char *)mmap(NULL, 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) + 4096;
    munmap(end, 4096);
    execs(0);
    execs(1);
    clones();
    others();
    signals();
    seals();
    return 0;
}
