/* jumps.c - control that does not return the way it came: longjmp out of recursion, from one frame many times, swapcontext,
 * qsort callbacks that leave, tail calls through tables, deep recursion. */
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <ucontext.h>

#define STACK (1 << 16)

static jmp_buf top;
static ucontext_t main_context, other_context;
static char stack[STACK];
static int sequence[64], steps;

static int descend(int n)
{
    volatile char frame[100];

    frame[n % 100] = (char)n;
    if (n == 0)
        longjmp(top, 33);
    return descend(n - 1) + frame[n % 100];
}

static int ackermann(int m, int n)
{
    return m == 0 ? n + 1 : n == 0 ? ackermann(m - 1, 1) : ackermann(m - 1, ackermann(m, n - 1));
}

static void generate(int from, int to)
{
    for (int i = from; i < to; i++) {
        sequence[steps++] = i * i;
        swapcontext(&other_context, &main_context);
    }
}

static int compare(const void *a, const void *b)
{
    int x = *(const int *)a, y = *(const int *)b;

    if (x == 13)
        longjmp(top, 13);
    return x - y;
}

static long add(long x, int n);
static long twist(long x, int n);
static long (*const table[])(long, int) = { add, twist };

static long add(long x, int n) { return n == 0 ? x : table[(x ^ n) & 1](x + n, n - 1); }
static long twist(long x, int n) { return n == 0 ? -x : table[x % 3 == 0](x * 5 % 100003, n - 1); }

int main(void)
{
    int numbers[50];
    volatile int times = 0;

    for (volatile int i = 0; i < 200; i++) {
        int got = setjmp(top);

        if (got == 0)
            descend(i);
        times += got;
    }
    printf("%d\n", times);
    getcontext(&other_context);
    other_context.uc_stack.ss_sp = stack;
    other_context.uc_stack.ss_size = STACK;
    other_context.uc_link = &main_context;
    makecontext(&other_context, (void (*)(void))generate, 2, 3, 40);
    while (steps < 37)
        swapcontext(&main_context, &other_context);
    printf("%d %d\n", steps, sequence[steps - 1]);
    for (int i = 0; i < 50; i++)
        numbers[i] = i * 29 % 50;
    if (setjmp(top) == 0)
        qsort(numbers, 50, sizeof *numbers, compare);
    else
        printf("left qsort\n");
    printf("%d %ld %ld\n", ackermann(2, 300), add(7, 100000), twist(9, 5));
    return 3;
}
