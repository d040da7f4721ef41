/* vsyscall.c - the three entries of the vsyscall page, and what lies between; where the kernel has none, SIGSEGV. */
#define _GNU_SOURCE
#include <setjmp.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <time.h>

static sigjmp_buf back;
static volatile uint64_t where;

static void on_fault(int sig, siginfo_t *info, void *context)
{
    (void)context;
    where = (uint64_t)(uintptr_t)info->si_addr;
    siglongjmp(back, sig);
}

static long call(uint64_t at, void *a, void *b)
{
    if (sigsetjmp(back, 1))
        return -1;
    return ((long (*)(void *, void *, void *))(uintptr_t)at)(a, b, NULL);
}

/* A direct call reaches it from low addresses, as old static programs had them. */
static long call_directly(void)
{
    uint8_t *code = mmap(NULL, 4096, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS | MAP_32BIT, -1, 0);
    int32_t distance = (int32_t)(0xffffffffff600400 - ((uintptr_t)code + 7));

    memcpy(code, "\x31\xff\xe8\0\0\0\0\xc3", 8); /* xor %edi,%edi ; call time ; ret */
    memcpy(code + 3, &distance, sizeof distance);
    return call((uintptr_t)code, NULL, NULL);
}

int main(void)
{
    struct sigaction a = {.sa_sigaction = on_fault, .sa_flags = SA_SIGINFO};
    struct timeval t = {0, 0};
    unsigned cpu = 1000;
    time_t now = time(NULL), then;

    sigaction(SIGSEGV, &a, NULL);
    printf("gettimeofday: %ld", call(0xffffffffff600000, &t, NULL));
    printf(" %d\n", t.tv_sec == 0 ? 0 : t.tv_sec - now < 5);
    then = call(0xffffffffff600400, NULL, NULL);
    printf("time: %d\n", then == -1 ? -1 : then - now < 5);
    then = call_directly();
    printf("time, called directly: %d\n", then == -1 ? -1 : then - now < 5);
    printf("getcpu: %ld", call(0xffffffffff600800, &cpu, NULL));
    printf(" %d\n", cpu < 1000);
    where = 0;
    printf("between: %ld %lx\n", call(0xffffffffff600010, NULL, NULL), (unsigned long)where);
    printf("a bad pointer: %ld\n", call(0xffffffffff600000, (void *)8, NULL));
    return 0;
}
