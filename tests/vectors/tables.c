/* tests/vectors/tables.c - what sgdt and sidt store, without what changes.
 *
 * Where a descriptor table lies differs from one processor to the next, and under some hypervisors with every processor
 * of the host that runs the guest, so it is no vector.  Its size and which bytes are written do not change, and it lies
 * in the upper half. */
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#define STORED 10 /* two bytes of size, eight of address */
#define UNTOUCHED 0xa5

static uint8_t memory[64];

/* Line: name, size, half of the address space, and whatever else was written. */
static void show(const char *name, const uint8_t *stored)
{
    uint16_t size;

    memcpy(&size, stored, 2);
    printf("%s %#x %s", name, size, stored[STORED - 1] & 0x80 ? "upper" : "lower");
    for (const uint8_t *at = memory; at < memory + sizeof memory; at++)
        if ((at < stored || at >= stored + STORED) && *at != UNTOUCHED)
            printf(" byte %td is %#x", at - stored, *at);
    putchar('\n');
    memset(memory, UNTOUCHED, sizeof memory);
}

int main(void)
{
    register uint8_t *r9 __asm__("r9"); /* one that quern keeps for itself */
    uint64_t index = 3;

    memset(memory, UNTOUCHED, sizeof memory);
    __asm__ volatile("sgdt memory+7(%%rip)" ::: "memory");
    show("sgdt relative", memory + 7);
    __asm__ volatile("sidt memory+1(%%rip)" ::: "memory");
    show("sidt relative", memory + 1);
    __asm__ volatile("sgdt 8(%0,%1,4)" ::"r"(memory), "r"(index) : "memory");
    show("sgdt indexed", memory + 20);
    r9 = memory;
    __asm__ volatile("sidt 5(%0)" ::"r"(r9) : "memory");
    show("sidt r9", memory + 5);
    return 0;
}
