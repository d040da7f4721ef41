/* stack.h - for drivers: a stack for kernels at a place that nostack.c knows, of which the topmost KiB is not counted; numbers from a seed. */
#define STACK_TOP 0x700000100000u /* as in nostack.c */
#define STACK_SIZE (1u << 20)

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <ucontext.h>

static uint64_t state;

/* splitmix64 (Steele, Lea, Flood 2014), a whole number below this. */
static uint64_t draw(uint64_t below)
{
    uint64_t z = state += 0x9e3779b97f4a7c15;

    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
    z = (z ^ z >> 27) * 0x94d049bb133111eb;
    return (z ^ z >> 31) % below;
}

/* Calls a function on the stack of the kernels. */
static void call_on_stack(void (*function)(void))
{
    static ucontext_t here, there;

    getcontext(&there);
    there.uc_stack.ss_size = STACK_SIZE;
    there.uc_stack.ss_sp = mmap((void *)(STACK_TOP - STACK_SIZE), STACK_SIZE, PROT_READ | PROT_WRITE,
                                MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
    if (there.uc_stack.ss_sp != (void *)(STACK_TOP - STACK_SIZE)) {
        fprintf(stderr, "driver: no stack at %#lx\n", STACK_TOP - STACK_SIZE);
        exit(1);
    }
    there.uc_link = &here;
    makecontext(&there, function, 0);
    swapcontext(&here, &there);
}
