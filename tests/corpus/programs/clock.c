/* clock.c - a process that forbids itself the time stamp counter, gets SIGSEGV for reading it, and allows it again. */
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <sys/prctl.h>

static sigjmp_buf back;

static void on_fault(int number)
{
    (void)number;
    siglongjmp(back, 1);
}

static const char *read_clock(void)
{
    unsigned low, high;

    if (sigsetjmp(back, 1))
        return "forbidden";
    __asm__ volatile("rdtsc" : "=a"(low), "=d"(high));
    return "allowed";
}

int main(void)
{
    signal(SIGSEGV, on_fault);
    puts(read_clock());
    if (prctl(PR_SET_TSC, PR_TSC_SIGSEGV) != 0)
        return 77;
    puts(read_clock()); /* code that has not run before is translated meanwhile */
    printf("%.3f %s\n", 1.5, read_clock());
    prctl(PR_SET_TSC, PR_TSC_ENABLE);
    puts(read_clock());
    return 0;
}
