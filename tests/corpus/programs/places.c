/* places.c - memory at addresses that the program asks for: wherever it is, all of it can be used and given back.  quern's own memory lies
 * in the ranges that are asked for; natively there is nothing. */
#include <stdio.h>
#include <sys/mman.h>

#define SIZE (1ul << 20)

/* Returns how many could not be used or given back. */
static unsigned wish(unsigned long from, unsigned long to, unsigned long step)
{
    unsigned bad = 0;

    for (unsigned long at = from; at < to; at += step) {
        char *p = mmap((void *)at, SIZE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

        if (p == MAP_FAILED) {
            bad++;
            continue;
        }
        p[0] = p[SIZE - 1] = 1;
        bad += munmap(p, SIZE) != 0;
    }
    return bad;
}

int main(void)
{
    printf("%u\n", wish(0x50000000ul, 0x80000000ul, SIZE));
    printf("%u\n", wish(0x7d0000000000ul, 0x7f0000000000ul, 1ul << 33));
    return 0;
}
