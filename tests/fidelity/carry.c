/* carry.c - handlers of a timer in a loop where the carry is written long before the other flags: do they see it as it is, and
 * are they called all over the loop?  (An engine that lets a signal wait, say for a fixed number of blocks, calls them at one place.) */
#define _GNU_SOURCE
#include <signal.h>
#include <stdio.h>
#include <sys/time.h>
#include <ucontext.h>

#define CF 1
#define CALLS 300

extern char behind[];
static volatile unsigned calls, there, wrong;

/* At `behind` the carry is what clc has left, whatever has been compared for counting since. */
static void look(int sig, siginfo_t *info, void *context)
{
    const greg_t *reg = ((ucontext_t *)context)->uc_mcontext.gregs;

    (void)sig, (void)info;
    calls++;
    if (reg[REG_RIP] == (greg_t)behind) {
        there++;
        wrong += reg[REG_EFL] & CF;
    }
}

int main(void)
{
    struct sigaction act = {.sa_sigaction = look, .sa_flags = SA_SIGINFO | SA_RESTART};
    struct itimerval often = {{0, 500}, {0, 500}};
    long word = 0;

    sigaction(SIGALRM, &act, NULL);
    setitimer(ITIMER_REAL, &often, NULL);
    while (calls < CALLS)
        __asm__ volatile(".globl behind\n"
                         "mov $20000, %%ecx\n"
                         "again: clc\n mov (%0), %%rdx\n jmp 1f\n"
                         "1: inc %%rax\n jmp behind\n" /* all flags but the carry */
                         "behind: add $1, %%rax\n"
                         "dec %%ecx\n jnz again\n" ::"r"(&word) : "rax", "rcx", "rdx", "cc", "memory");
    printf("carry %s\n", wrong ? "wrong" : "right");
#ifndef QN_TINY /* nearly all of the time blocks are translated anew, and a signal waits for the end of that */
    printf("most are called %s\n", there > CALLS / 2 ? "at one place" : "elsewhere");
#endif
    return 0;
}
