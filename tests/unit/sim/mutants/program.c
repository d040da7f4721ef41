/* program.c - a guest program (tests/guest/guest.h) for mutants.sh and defects.sh: in some 300,000 instructions all that a small edit
 * of a cache or of a predictor can change.
 *
 *   data       rows that conflict, walked in turn and by chance; lines used again soon and late; scans; strides, in one page and over
 *              many; references over two lines; reads, writes, read-modify-writes; pushes together
 *   code       functions over more lines than a small I1 has, called in turn and by chance
 *   branches   patterns of several periods, by chance, and one that two others tell; far more than a table of 128 tells apart
 *   targets    in turn, by chance; calls nested deeper than a small return stack; returns that go elsewhere
 *
 * If a file `executions` is there it gets one byte more: so a test knows how often the program was executed.
 */
#include "../../../guest/guest.h"

#define ROW 4096  /* bytes */
#define ROWS 12
#define ROUNDS 60

static uint8_t memory[ROWS][ROW] __attribute__((aligned(4096)));
static uint64_t seed = 42;
static volatile uint64_t sink;

static unsigned chance(unsigned n) { return guest_random(&seed) % n; }

static void count_execution(void)
{
    static const char name[] = "executions";
    long fd, written;

    __asm__ volatile("syscall" : "=a"(fd) : "a"(2), "D"(name), "S"(02001), "d"(0) : "rcx", "r11", "memory"); /* open, to append */
    if (fd >= 0)
        __asm__ volatile("syscall" : "=a"(written) : "a"(1), "D"(fd), "S"(name), "d"(1) : "rcx", "r11", "memory"); /* write */
}

/* ---- data ---- */

/* Some rows are hot; lines of the others pass by. */
static NOINLINE void walk_rows(unsigned round)
{
    for (unsigned n = 0; n < 90; n++) {
        unsigned row = chance(4) ? chance(3) : chance(ROWS), column = (n & 7) * 32 + round % 4 * 64;

        if (chance(3) == 0)
            memory[row][column] = (uint8_t)n;
        else
            sink += memory[row][column];
        if (chance(5) == 0)
            memory[row][column + 8]++;
    }
}

static NOINLINE void walk_together(unsigned count)
{
    for (unsigned column = 0; column < ROW / 4; column += 64)
        for (unsigned row = 0; row < count; row++)
            sink += *(volatile uint32_t *)&memory[row][column];
}

/* In the same order again and again, a line more than there is room for; every fourth is written only. */
static NOINLINE void cycle(unsigned lines)
{
    for (unsigned n = 0; n < 3 * lines; n++) {
        volatile uint64_t *p = (volatile uint64_t *)&memory[n % lines % ROWS][n % lines / ROWS * 64];

        if (n % 4 == 3)
            *p = n;
        else
            sink += *p;
    }
}

static NOINLINE void scan(unsigned stride)
{
    for (unsigned at = 0; at + 8 < 2 * ROW; at += stride)
        sink += *(volatile uint64_t *)&memory[5][at];
}

/* The first of the two lines was used just before; the second may be anywhere. */
static NOINLINE void straddle(unsigned round)
{
    for (unsigned n = 0; n < 24; n++) {
        uint8_t *line = &memory[chance(3)][chance(12) * 64];
        volatile uint64_t *p = (volatile uint64_t *)(line + 57 + (n + round) % 8);

        sink += *line;
        if (n & 1)
            *p = n;
        else if (n & 2)
            *p += n;
        else
            sink += *p;
    }
}

/* Without a branch between them: which was used first, only their order in the block tells. */
static NOINLINE void conflict(unsigned round)
{
    for (unsigned n = 0; n < 8; n++) {
        const volatile uint8_t *a = memory[chance(4)] + n * 64, *b = memory[4 + chance(4)] + n * 64, *c = memory[8 + (n + round) % 4] + n * 64;

        sink += a[0] + b[0] + a[32] + c[0];
        HIDE(a);
        sink += b[8] + a[0] + b[0];
    }
}

/* Three and more references off one register, which one check may stand for: within one line, over two, over three. */
static NOINLINE void together(unsigned round)
{
    for (unsigned n = 0; n < 12; n++) {
        const uint8_t *p = &memory[chance(6)][chance(12) * 64 + (n + round) % 4 * 24], *q = &memory[chance(3)][chance(3) * 64 + 24];
        uint64_t x, y = 0;

        __asm__ volatile("mov 128(%1), %0\n\tadd (%1), %0" : "=&r"(x) : "r"(p) : "memory");
        if (chance(2))
            __asm__ volatile("mov 48(%1), %0\n\tadd 56(%1), %0\n\tadd 24(%1), %0\n\tadd (%1), %0" : "=&r"(y) : "r"(q) : "memory");
        __asm__ volatile("mov 128(%1), %0\n\tadd 64(%1), %0\n\tadd (%1), %0" : "=&r"(x) : "r"(p) : "memory");
        sink += x + y;
    }
}

/* Addresses that are known before: each is compared with one place of the filter. */
static NOINLINE void known(void)
{
    memory[1][128]++;
    sink += memory[2][128];
    memory[3][128] = (uint8_t)sink;
    sink += *(volatile uint64_t *)&memory[4][188];
    sink += memory[1][128] + memory[2][160];
}

/* ---- code ---- */

#define FUNCTION(n)                                                                                          \
    static NOINLINE __attribute__((aligned(64))) uint64_t f##n(uint64_t x)                                 \
    {                                                                                                       \
        HIDE(x);                                                                                            \
        x = x * (2 * n + 3) + (x >> (n % 13 + 1));                                                          \
        HIDE(x);                                                                                            \
        x ^= x << (n % 7 + 1);                                                                              \
        HIDE(x);                                                                                            \
        x += x >> 3;                                                                                        \
        HIDE(x);                                                                                            \
        return x & (1u << n % 5) ? x + n : x - n;                                                           \
    }
#define EACH(X) X(0) X(1) X(2) X(3) X(4) X(5) X(6) X(7) X(8) X(9) X(10) X(11) X(12) X(13) X(14) X(15) X(16) X(17) X(18) X(19)
EACH(FUNCTION)

#define NAME(n) f##n,
static uint64_t (*const functions[])(uint64_t) = {EACH(NAME)};
#define FUNCTIONS (sizeof functions / sizeof functions[0])

static NOINLINE void call_in_turn(unsigned round)
{
    for (unsigned n = 0; n < 2 * FUNCTIONS; n++)
        sink = functions[(n + round / 8) % FUNCTIONS](sink);
}

static NOINLINE void call_by_chance(void)
{
    for (unsigned n = 0; n < 40; n++)
        sink = functions[chance(3) ? chance(4) : chance(FUNCTIONS)](sink);
}

static NOINLINE uint64_t nest(unsigned depth)
{
    uint64_t x = depth ? nest(depth - 1) + 1 : 0;

    HIDE(x);
    return x;
}

/* Jumps to an instruction over two lines (of 64 bytes and less), by turns with one behind it. */
static NOINLINE void fetch_over(unsigned n)
{
    for (; n; n--)
        __asm__ volatile("test $1, %0\n\tjnz 2f\n\tjmp 1f\n\t"
                         ".balign 64\n\t.skip 59\n1:\tmovabs $0x123456789, %%rax\n2:" : : "r"(n) : "rax", "cc");
}

/* push where; ret: a return that no call has made. */
static NOINLINE void return_elsewhere(void)
{
    __asm__ volatile("lea 1f(%%rip), %%rax\n\tpush %%rax\n\tret\n1:" : : : "rax", "memory");
}

/* A branch that no flag tells of. */
static NOINLINE void loop(unsigned times)
{
    uint64_t n = times;

    __asm__ volatile("1:\tloop 1b" : "+c"(n));
}

/* ---- branches ---- */

#define IF(condition)             \
    if (condition) {              \
        unsigned hidden = taken;  \
        HIDE(hidden);             \
        taken = hidden + 1;       \
    }

static NOINLINE unsigned patterns(unsigned round)
{
    unsigned taken = 0;

    for (unsigned n = 0; n < 30; n++) {
        unsigned a = chance(2), b = chance(8), m = n + round;

        IF(m % 2)
        IF(m % 3 == 0)
        IF(m % 5 < 2)
        IF(m % 9 == 4)
        IF(a)
        IF(b == 0)
        IF(a == (b > 3))
        IF(m % 16 == 7)
        IF(m % 4 != 1)
        IF(a && m % 2)
        IF(round % 7 < 3)
        IF(b)
    }
    return taken;
}

static int guest_main(void)
{
    count_execution();
    for (unsigned round = 0; round < ROUNDS; round++) {
        walk_rows(round);
        walk_together(2 + round % 6);
        cycle(round % 2 ? 20 : 36);
        if (round % 8 == 1)
            scan(8 + round / 8 * 16);
        straddle(round);
        conflict(round);
        together(round);
        fetch_over(5);
        known();
        loop(1 + round % 5);
        call_in_turn(round);
        call_by_chance();
        nest(2 + round % 24);
        return_elsewhere();
        sink += patterns(round);
    }
    return EXPECT(sink != 0);
}
