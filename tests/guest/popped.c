/* popped.c - flags that a program may set and that the processor obeys everywhere: the direction flag, and the one that makes it check
 * alignment.  With each of them set, references that miss, over two lines too, string instructions, calls, branches. */
#include "guest.h"

#define DF 0x400u
#define AC 0x40000u
#define BYTES (1u << 19)

static uint8_t bytes[BYTES + 64] __attribute__((aligned(64)));

/* In one place of a table by the low 16 bits of their addresses. */
static NOINLINE uint64_t __attribute__((aligned(65536))) callee(uint64_t a) { return a * 3 + 1; }
static NOINLINE uint64_t __attribute__((aligned(65536))) other(uint64_t a) { return a * 5 + 1; }

static uint64_t set_flags(uint64_t flags)
{
    uint64_t old;

    __asm__ volatile("pushfq\n\t"
                     "mov (%%rsp), %0\n\t"
                     "or %1, (%%rsp)\n\t"
                     "popfq"
                     : "=&r"(old)
                     : "r"(flags)
                     : "memory", "cc");
    return old;
}

static uint64_t reset_flags(uint64_t flags)
{
    uint64_t now;

    __asm__ volatile("pushfq\n\t"
                     "mov (%%rsp), %0\n\t"
                     "and %1, (%%rsp)\n\t"
                     "popfq"
                     : "=&r"(now)
                     : "r"(~flags)
                     : "memory", "cc");
    return now;
}

/* Every reference is aligned.  Nothing that the compiler could turn into a string instruction. */
static NOINLINE uint64_t work(uint64_t flags)
{
    uint64_t (*const volatile f[2])(uint64_t) = {callee, other};
    uint64_t state = 1, sum = 0;

    for (unsigned i = 0; i < 20000; i++) {
        uint32_t at = guest_random(&state) % BYTES & ~7u;
        uint64_t *p = (uint64_t *)(void *)(bytes + at);

        HIDE(p);
        *p += i;
        sum += f[at >> 3 & 1](*p);
        if (at & 64)
            sum ^= at;
        if (!(flags & AC))
            sum += *(uint32_t *)(void *)(bytes + (at | 62));
    }
    for (unsigned i = 0; i < 100; i++) {
        void *from = bytes + 4096 * (i & 63) + 2048, *to = bytes + 4096 * (i & 31) + 256 * 1024;
        uint64_t n = 32;

        __asm__ volatile("rep movsq" : "+S"(from), "+D"(to), "+c"(n) : : "memory");
        sum += (flags & DF) ? (uint8_t *)to < bytes + 4096 * (i & 31) + 256 * 1024 : (uint8_t *)to > bytes + 4096 * (i & 31) + 256 * 1024;
    }
    return sum;
}

static int guest_main(void)
{
    uint64_t flags[] = {DF, AC, DF | AC};
    int line = 0;

    for (unsigned i = 0; i < 3 && !line; i++) {
        uint64_t sum = 0, again = 0;

        HIDE(i);
        for (unsigned n = 0; n < BYTES; n += 8)
            *(volatile uint64_t *)(void *)(bytes + n) = n;
        set_flags(flags[i]);
        sum = work(flags[i]);
        line = EXPECT((reset_flags(DF | AC) & (DF | AC)) == flags[i]);
        HIDE(sum);
        again = sum;
        line = line ? line : EXPECT(again != 0);
    }
    return line;
}
