/* frames.c - variables on the stack, used by their own function and by those that it calls; see notes.h.  Keys: "local:FUNCTION.VARIABLE",
 * "stack:FUNCTION" for what is no variable's.  -DTHREADS: some of it on another thread. */
#define _GNU_SOURCE
#include "notes.h"

#include <alloca.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <ucontext.h>

#define FUNCTION __attribute__((noinline, noclone)) static
#define HERE(variable, key) ADD(variable, sizeof(variable), "local:" key)

/* What must not be a tail call is followed by this. */
#define STAY __asm__ volatile("" : : : "memory")

FUNCTION void use(void *p, size_t n) { touch(p, n); touch(p, n); STAY; }

/* ---- used by callees, at any depth ---- */

FUNCTION void below(int depth, char *theirs, size_t n)
{
    char mine[150];

    HERE(mine, "below.mine");
    if (depth)
        below(depth - 1, theirs, n);
    use(theirs, n);
    use(mine, sizeof mine);
    GONE(mine);
}

FUNCTION void plain(void)
{
    char array[3000];

    HERE(array, "plain.array");
    use(array, sizeof array);
    below(12, array, sizeof array);
    GONE(array);
}

/* ---- no variable's ---- */

FUNCTION void sized(unsigned n)
{
    char *block = alloca(n);

    ADD(block, n, "stack:sized");
    use(block, n);
    below(2, block, n);
    GONE(block);
}

/* ---- places that are shared, passed, aligned ---- */

FUNCTION void blocks(void)
{
    for (int i = 0; i < 5; i++) {
        {
            char one[900];

            HERE(one, "blocks.one");
            use(one, sizeof one);
            GONE(one);
        }
        {
            char two[700];

            HERE(two, "blocks.two");
            use(two, sizeof two);
            GONE(two);
        }
    }
}

struct large { char bytes[600]; };

FUNCTION void passed(struct large by_value)
{
    HERE(by_value.bytes, "passed.by_value");
    use(by_value.bytes, sizeof by_value.bytes);
    below(3, by_value.bytes, sizeof by_value.bytes);
    GONE(by_value.bytes);
}

FUNCTION void passes(void)
{
    static struct large origin;

    for (int i = 0; i < 4; i++)
        passed(origin);
}

/* ---- ways out and in ---- */

static jmp_buf back;

FUNCTION void leaves(int depth)
{
    char lost[400];

    HERE(lost, "leaves.lost");
    use(lost, sizeof lost);
    if (!depth) {
        GONE(lost);
        longjmp(back, 1);
    }
    GONE(lost);
    leaves(depth - 1);
    STAY;
}

FUNCTION void jumps(void)
{
    char kept[1000];

    HERE(kept, "jumps.kept");
    for (int i = 0; i < 3; i++) {
        if (!setjmp(back))
            leaves(5);
        use(kept, sizeof kept);
    }
    GONE(kept);
}

static char *interrupted_array;

static void handler(int number)
{
    char own[500];

    (void)number;
    HERE(own, "handler.own");
    use(own, sizeof own);
    use(interrupted_array, 800);
    GONE(own);
}

FUNCTION void interrupted(void)
{
    char array[800];

    interrupted_array = array;
    signal(SIGUSR1, handler);
    HERE(array, "interrupted.array");
    for (int i = 0; i < 3; i++) {
        use(array, sizeof array);
        raise(SIGUSR1);
    }
    GONE(array);
}

/* A library without debug information in between. */
static char *sorted_with;

static int compare(const void *a, const void *b)
{
    char sorted_by[300];

    HERE(sorted_by, "compare.sorted_by");
    use(sorted_by, sizeof sorted_by);
    use(sorted_with, 1200);
    GONE(sorted_by);
    return *(const int *)a - *(const int *)b;
}

FUNCTION void sorts(void)
{
    char with[1200];
    int list[8] = { 3, 1, 4, 1, 5, 9, 2, 6 };

    sorted_with = with;
    HERE(with, "sorts.with");
    qsort(list, 8, sizeof *list, compare);
    STAY;
    GONE(with);
}

/* ---- another stack ---- */

static ucontext_t outside, inside;
static char other_stack[1 << 16];

static void coroutine(void)
{
    char there[2000];

    HERE(there, "coroutine.there");
    for (int i = 0; i < 4; i++) {
        use(there, sizeof there);
        below(2, there, sizeof there);
        swapcontext(&inside, &outside);
    }
    GONE(there);
}

FUNCTION void switches(void)
{
    char here[2000];

    getcontext(&inside);
    inside.uc_stack.ss_sp = other_stack;
    inside.uc_stack.ss_size = sizeof other_stack;
    inside.uc_link = &outside;
    makecontext(&inside, coroutine, 0);
    HERE(here, "switches.here");
    for (int i = 0; i < 5; i++) {
        swapcontext(&outside, &inside);
        use(here, sizeof here);
    }
    GONE(here);
}

FUNCTION void *work(void *nothing)
{
    plain();
    sized(1500);
    sized(400);
    blocks();
    passes();
    jumps();
    interrupted();
    sorts();
    return nothing;
}

int main(void)
{
    work(NULL);
#ifdef THREADS
    pthread_t other;

    pthread_create(&other, NULL, work, NULL);
    pthread_join(other, NULL);
#endif
    switches();
    write_notes();
    return 0;
}
