/* signal64.c - every signal number can be caught, the last real-time one among them; the library's own two, too. */
#define _GNU_SOURCE
#include <errno.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

struct action { void *handler; unsigned long flags; void *restorer; uint64_t mask; };
static volatile int seen[65], value[65];

static void take(int number, siginfo_t *info, void *context)
{
    (void)context;
    seen[number]++;
    value[number] = info->si_value.sival_int;
}

void restorer(void);
__asm__("restorer: mov $15, %eax\nsyscall\n");

int main(void)
{
    for (int sig = 0; sig <= 65; sig++) {
        struct action a = {(void *)(uintptr_t)take, SA_SIGINFO | 0x04000000, (void *)(uintptr_t)restorer, 0}, old;
        long r = syscall(SYS_rt_sigaction, sig, &a, &old, 8);

        if (r)
            printf("%d: cannot be caught, errno %d\n", sig, errno);
    }
    for (int turn = 0; turn < 3; turn++)
        for (int sig = 1; sig <= 64; sig++) {
            siginfo_t info;

            memset(&info, 0, sizeof info);
            info.si_signo = sig;
            info.si_code = SI_QUEUE;
            info.si_pid = getpid();
            info.si_uid = getuid();
            info.si_value.sival_int = 1000 * turn + sig;
            if (sig != SIGKILL && sig != SIGSTOP)
                syscall(SYS_rt_sigqueueinfo, getpid(), sig, &info);
        }
    for (int sig = 1; sig <= 64; sig++)
        printf("%d: %d times, the last value %d\n", sig, seen[sig], value[sig]);
    return 0;
}
