/* little.c - a short program that gives the engine all to do that depends on the processor: references that miss and hit, over one line
 * and two, at most of which the address is masked; calls, strings, faults with a handler that changes the registers, and a return from it.
 * No library: each of its instructions belongs to x86-64. */
#include <asm/unistd.h>
#include <stdint.h>

#define SIGSEGV 11
#define SA_SIGINFO 4
#define SA_RESTORER 0x04000000

struct action {
    void (*handler)(int, void *, void *);
    uint64_t flags;
    void (*restorer)(void);
    uint64_t mask;
};

static volatile unsigned char room[1 << 15];
static volatile int faults;

static long call(long nr, long a, long b, long c, long d)
{
    register long r10 __asm__("r10") = d;
    long result;

    __asm__ volatile("syscall" : "=a"(result) : "a"(nr), "D"(a), "S"(b), "d"(c), "r"(r10) : "rcx", "r11", "memory");
    return result;
}

__attribute__((naked)) static void restore(void) { __asm__("mov $15, %eax; syscall"); }

static void handle(int number, void *info, void *context)
{
    (void)number, (void)info;
    faults++;
    __asm__ volatile("pxor %%xmm0, %%xmm0; pxor %%xmm7, %%xmm7; pxor %%xmm15, %%xmm15" : : : "memory");
    ((uint64_t *)context)[5 + 16] += 3; /* behind the instruction that faulted */
}

/* Its xmm registers stay over two faults.  0: they did. */
static int fault(void)
{
    uint64_t a, b;

    __asm__ volatile("movq %2, %%xmm0; movq %2, %%xmm15; xor %%eax, %%eax; mov (%%rax), %%rcx; mov %%rcx, (%%rax);"
                     "movq %%xmm0, %0; movq %%xmm15, %1" : "=r"(a), "=r"(b) : "r"(0x123456789abcdefull) : "rax", "rcx", "memory");
    return a != 0x123456789abcdefull || b != a;
}

static unsigned walk(unsigned n, unsigned step)
{
    unsigned sum = 0;

    for (unsigned at = 0; n--; at = (at + step) & (sizeof room - 8)) {
        sum += room[at];
        *(volatile uint32_t *)&room[at | 2] += sum;
    }
    return sum;
}

static int run(void)
{
    struct action action = {handle, SA_SIGINFO | SA_RESTORER, restore, 0};
    unsigned char *to = (unsigned char *)room, *from = (unsigned char *)room + 4000;
    unsigned long n = 300;
    int wrong;

    call(__NR_rt_sigaction, SIGSEGV, (long)&action, 0, 8);
    walk(300, 64 * 7 + 4);
    walk(100, 1);
    __asm__ volatile("rep movsb" : "+D"(to), "+S"(from), "+c"(n) : : "memory");
    wrong = fault();
    walk(50, 4096);
    return wrong || faults != 2;
}

__attribute__((naked, used)) void _start(void)
{
    __asm__("and $-16, %rsp; call begin; hlt");
}

__attribute__((used)) void begin(void)
{
    call(__NR_exit_group, run(), 0, 0, 0);
}
