/* Repeated string instructions that are stopped: at a fault, at once or half way, or refused.  The handler says what it finds of the
 * registers.  In front of each runs another one, so that what is known of that is not taken for this. */
#define _GNU_SOURCE
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/mman.h>
#include <ucontext.h>
#include <unistd.h>

static uint64_t source, target;
static char *pages, space[8192];
static long page;

static void handler(int sig, siginfo_t *info, void *context)
{
    greg_t *g = ((ucontext_t *)context)->uc_mcontext.gregs;

    printf("signal %d code %d, left %llx, source %+lld, target %+lld\n", sig, info->si_code, (long long)g[REG_RCX],
           (long long)((uint64_t)g[REG_RSI] - source), (long long)((uint64_t)g[REG_RDI] - target));
    g[REG_RIP] = g[REG_R12];
    g[REG_EFL] &= ~0x400;
}

/* before: how many bytes the instruction in front stores. */
#define STOPS(text, bytes, before, count, from, to)                                                                              \
    do {                                                                                                                         \
        uint64_t c = before, s, d = (uint64_t)space, n = count;                                                                  \
        source = s = (uint64_t)(from);                                                                                           \
        target = (uint64_t)(to);                                                                                                 \
        printf("%s: ", text);                                                                                                    \
        __asm__ volatile("lea 1f(%%rip), %%r12; rep stosb; mov %[n], %%rcx; mov %[t], %%rdi;" bytes "; 1: cld"                   \
                         : "+c"(c), "+S"(s), "+D"(d) : [n] "r"(n), [t] "r"(target), "a"(0), "d"(0x80) : "r12", "memory", "cc");   \
    } while (0)

static void stop_at_port(uint64_t before)
{
    STOPS("outsb", ".byte 0xf2, 0x6e", before, 3, space, space);
    STOPS("outsb, 32 bits", ".byte 0x67, 0xf3, 0x6e", before, 0x500000003, space, space);
    STOPS("outsl", ".byte 0xf3, 0x6f", before, 3, space, space);
    STOPS("insb", ".byte 0xf3, 0x6c", before, 3, space, space);
    STOPS("insl downwards", "std; .byte 0xf3, 0x6d", before, 3, space, space);
    STOPS("lock movsb", ".byte 0xf0, 0xf3, 0xa4", before, 3, space, space);
}

static void stop_at_page(void)
{
    char *end = pages + page;

    STOPS("movsb", "rep movsb", 5, 100, space, end - 6);
    STOPS("movsb from", "rep movsb", 5, 100, end - 6, space);
    STOPS("movsq", "rep movsq", 5, 100, space, end - 16);
    STOPS("movsb downwards", "std; rep movsb", 5, 6000, pages + 2 * page + 10, space + 4000);
    STOPS("cmpsb", "repe cmpsb", 5, 100, end - 6, end - 6);
    STOPS("scasb", "repe scasb", 5, 100, space, end - 6);
    STOPS("at once", "rep movsb", 5, 100, space, end);
    STOPS("endless", "rep movsb", 5, 0x8000000000000000, space, end - 6);
    STOPS("no address", "rep movsb", 5, 100, space, 0x8000000000000000);
}

int main(void)
{
    struct sigaction act = {.sa_sigaction = handler, .sa_flags = SA_SIGINFO};

    setvbuf(stdout, NULL, _IONBF, 0);
    page = sysconf(_SC_PAGESIZE);
    pages = mmap(NULL, 3 * (size_t)page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    munmap(pages + page, (size_t)page);
    sigaction(SIGSEGV, &act, NULL);
    sigaction(SIGILL, &act, NULL);
    stop_at_port(0);
    stop_at_port(3);
    stop_at_port(100);
    stop_at_page();
    return 0;
}
