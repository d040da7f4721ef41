/* exec_stack.c - code on stacks and in memory that no call has named executable.
 *
 *   -DLIBRARY  a library with nested functions whose addresses are taken, which needs an executable stack
 *   -DNESTED   a program of that kind
 *   neither    a program whose stack becomes executable later: by mprotect, by dlopen of the library */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>

#define DEEP 400 /* frames of 4 KiB: more stack than the kernel has mapped at first */

/* GCC writes a piece of code onto the stack for each address of `compare` and `add`. */
int nested(int depth, int factor);
int nested(int depth, int factor)
#if defined LIBRARY || defined NESTED
{
    volatile char room[4096];
    int list[] = {3, 1, 2}, sum = 0;
    int compare(const void *a, const void *b) { return factor * (*(const int *)a - *(const int *)b); }
    void add(int n) { sum += n * factor; }
    void (*volatile adder)(int) = add;

    room[0] = 0;
    qsort(list, 3, sizeof *list, compare);
    adder(100 * list[0] + 10 * list[1] + list[2]);
    return sum + room[0] + (depth ? nested(depth - 1, -factor) : 0);
}
#else
{
    return depth * factor;
}
#endif

#ifndef LIBRARY
#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/personality.h>
#include <unistd.h>

#include "code.h"

#define PAGE 4096ul
#define ROUND(p) ((uint8_t *)((uintptr_t)(p) & ~(PAGE - 1)))
#define ALL (PROT_READ | PROT_WRITE | PROT_EXEC)

static sigjmp_buf back;

static void caught(int sig, siginfo_t *info, void *context)
{
    (void)context;
    printf("signal %d, code %d, at the code: %d; ", sig, info->si_code, info->si_addr == ROUND(info->si_addr) + 64);
    siglongjmp(back, 1);
}

/* Writes a function at byte 64 of a page and calls it. */
static int try(void *page, int value)
{
    put_code((uint8_t *)page + 64, value);
    return sigsetjmp(back, 1) ? -1 : call((uint8_t *)page + 64);
}

/* The same in a frame of the stack that is `depth` pages further down. */
static __attribute__((noinline)) int try_deep(int depth, int value)
{
    volatile uint8_t room[2 * PAGE];

    room[0] = room[PAGE] = 1;
    return depth ? try_deep(depth - 1, value) + 0 * room[0] : try(ROUND(room + PAGE), value) + 0 * room[PAGE];
}

static void *in_thread(void *data)
{
    printf("in a thread: %d\n", try_deep(3, *(int *)data));
    return NULL;
}

static void set_stack(const char *what, int prot)
{
    uint8_t here;
    int r = mprotect(ROUND(&here), PAGE, prot);

    printf("%s: %d, %s; ", what, r, r ? strerror(errno) : "fine");
    printf("here %d, ", try_deep(0, 1));
    printf("deeper %d, ", try_deep(100, 2));
    printf("far %d\n", try_deep(300, 3));
}

static void grown(void)
{
    uint8_t *room = mmap(NULL, 64 * PAGE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0), *p;
    int r;

    munmap(room, 64 * PAGE);
    p = mmap(room + 60 * PAGE, 2 * PAGE, ALL, MAP_PRIVATE | MAP_ANONYMOUS | MAP_GROWSDOWN | MAP_FIXED_NOREPLACE, -1, 0);
    printf("a mapping that grows down: %d", try(p, 5));
    for (int i = 1; i < 6; i++)
        printf(" %d", try(p - PAGE * (unsigned)i, 5 + i));
    r = mprotect(p + PAGE, PAGE, PROT_READ | PROT_WRITE | PROT_GROWSDOWN);
    printf("; %d, then %d %d\n", r, try(p + PAGE, 1), try(p - PAGE, 1));
    munmap(p - 5 * PAGE, 7 * PAGE);
}

static void implied(void)
{
    unsigned before = (unsigned)personality(0xffffffff);
    uint8_t *early = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0), *late, *top;

    printf("before READ_IMPLIES_EXEC: %d\n", try(early, 1));
    personality(before | READ_IMPLIES_EXEC);
    late = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    top = sbrk(3 * PAGE);
    printf("with it: old %d, ", try(early, 2));
    printf("new %d, heap %d, ", try(late, 3), try(ROUND(top + PAGE), 4));
    mprotect(early, PAGE, PROT_READ | PROT_WRITE);
    printf("mprotect %d\n", try(early, 5));
    personality(before);
    mprotect(late, PAGE, PROT_READ | PROT_WRITE);
    printf("without it again: new %d, ", try(late, 6));
    printf("mprotect %d\n", try(early, 7));
}

static void from_library(void)
{
    void *library = dlopen("./nested.so", RTLD_NOW);
    int (*function)(int, int) = library ? (int (*)(int, int))(uintptr_t)dlsym(library, "nested") : NULL;

    if (function)
        printf("from a library: %d\n", function(DEEP, 7));
    else
        puts(dlerror());
}

int main(void)
{
    static char stack[65536];
    pthread_t t;
    int nine = 9;

    setvbuf(stdout, NULL, _IONBF, 0);
    sigaltstack(&(stack_t){.ss_sp = stack, .ss_size = sizeof stack}, NULL);
    sigaction(SIGSEGV, &(struct sigaction){.sa_sigaction = caught, .sa_flags = SA_SIGINFO | SA_ONSTACK}, NULL);
    printf("nested: %d %d\n", nested(0, 2), nested(DEEP, 3));
    printf("at first: %d\n", try_deep(5, 4));
    pthread_create(&t, NULL, in_thread, &nine);
    pthread_join(t, NULL);
    set_stack("both", ALL | PROT_GROWSDOWN | PROT_GROWSUP);
    set_stack("up", ALL | PROT_GROWSUP);
    set_stack("down", ALL | PROT_GROWSDOWN);
    set_stack("not any more", PROT_READ | PROT_WRITE | PROT_GROWSDOWN);
    grown();
    implied();
    from_library();
    return 0;
}
#endif
