/* dispatch.c - system calls that come back as SIGSYS (PR_SET_SYSCALL_USER_DISPATCH), and instructions that are too long. */
#define _GNU_SOURCE
#include <setjmp.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <ucontext.h>
#include <unistd.h>

#ifndef PR_SET_SYSCALL_USER_DISPATCH
#define PR_SET_SYSCALL_USER_DISPATCH 59
#endif

static volatile char selector;
static volatile long number, code, signals, trap, error;
static volatile uintptr_t address;
static sigjmp_buf back;

static void on_sigsys(int signal, siginfo_t *info, void *context)
{
    ucontext_t *u = context;

    (void)signal;
    selector = 0; /* allow */
    signals++;
    number = info->si_syscall;
    code = info->si_code;
    address = (uintptr_t)info->si_call_addr - (uintptr_t)u->uc_mcontext.gregs[REG_RIP];
    u->uc_mcontext.gregs[REG_RAX] = 1000 + u->uc_mcontext.gregs[REG_RAX];
}

static void on_fault(int signal, siginfo_t *info, void *context)
{
    ucontext_t *u = context;

    (void)signal;
    code = info->si_code;
    address = (uintptr_t)info->si_addr;
    trap = u->uc_mcontext.gregs[REG_TRAPNO];
    error = u->uc_mcontext.gregs[REG_ERR];
    siglongjmp(back, 1);
}

/* Always at the same place, where something else stood before. */
static void run(const char *bytes, size_t size)
{
    char *page = mmap(NULL, 4096, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

    memset(page, 0xc3, 4096);
    memcpy(page, bytes, size);
    code = 0;
    if (!sigsetjmp(back, 1))
        ((void (*)(void))(uintptr_t)page)();
    printf("code %ld address %lx trap %ld error %lx\n", code, (long)address, trap, error);
    munmap(page, 4096);
}

/* Alignment is checked, and the code lies at an odd place: pushf ; orl $0x40000, (%rsp) ; popf ; jmp over two bytes ; pushf ; andl ; popf */
static void run_checked(void)
{
    run("\x90\x9c\x81\x0c\x24\x00\x00\x04\x00\x9d\xeb\x01\xcc\x0f\x1f\x44\x00\x00\x9c\x81\x24\x24\xff\xff\xfb\xff\x9d\xc3", 28);
}

int main(void)
{
    struct sigaction sys = {.sa_sigaction = on_sigsys, .sa_flags = SA_SIGINFO}, fault = {.sa_sigaction = on_fault, .sa_flags = SA_SIGINFO};
    long r;
    int status;

    sigaction(SIGSYS, &sys, NULL);
    sigaction(SIGSEGV, &fault, NULL);
    run("\xf2\xf2\xf2\xf2\xf2\xf2\xf2\xf2\xf2\xf2\xf2\xf2\xf2\xf2\xf2\x90", 16);
    run("\x66\x66\x66\x66\x66\x66\x66\x66\x66\x66\x66\x66\x66\x66\x90", 15);
    run_checked();
    printf("%d\n", prctl(PR_SET_SYSCALL_USER_DISPATCH, 1, 8L, -8L, 0L) == -1);
    if (prctl(PR_SET_SYSCALL_USER_DISPATCH, 1, 0L, 0L, &selector) != 0)
        return 77;
    selector = 1; /* block */
    r = syscall(SYS_getpid);
    printf("%ld of %ld: %ld, code %ld, behind by %lx\n", r - 1000, number, signals, code, (long)address);
    selector = 1;
    r = syscall(123456, 1, 2, 3);
    printf("%ld of %ld: %ld\n", r - 1000, number, signals);
    if (fork() == 0) { /* is not inherited */
        selector = 1;
        _exit(signals == 2 && syscall(SYS_getppid) > 0 ? 5 : 6);
    }
    wait(&status);
    printf("%d\n", WEXITSTATUS(status));
    printf("%d\n", prctl(PR_SET_SYSCALL_USER_DISPATCH, 0L, 0L, 0L, 0L));
    selector = 1;
    printf("%d %ld\n", getppid() > 0, signals);
    return 0;
}
