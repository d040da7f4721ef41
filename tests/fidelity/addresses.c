/* addresses.c - addresses that a program chooses: outside of quern's own ranges (doc/limits.md) all that is free natively is free. */
#define _GNU_SOURCE
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define LOW 0x54000000ul  /* quern's own */
#define LOW_END 0x7ff00000ul
#define HIGH 0x7e8000000000ul
#define HIGH_END 0x7ef000000000ul
#define MIB (1ul << 20)

/* Natively, images, heap and stack lie above; here a program cannot expect anything to be free. */
#define LAST 0x550000000000ul

static int used(uint64_t at, uint64_t bytes, int flags)
{
    char *p = mmap((void *)at, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | flags, -1, 0);
    int bad = p != (char *)at;

    if (bad)
        return 1;
    p[0] = p[bytes - 1] = 1;
    bad = p[0] + p[bytes - 1] != 2;
    return munmap(p, bytes) || bad;
}

/* Chunks of one size, over all that is free below 4 GiB: over what quern would have put there without asking. */
static void sweep(uint64_t from, uint64_t bytes, int flags)
{
    uint64_t heap = (uint64_t)sbrk(0); /* natively up to 1 GiB above a program that is linked at fixed addresses */
    int bad = 0;

    for (uint64_t at = from; at + bytes <= 1ul << 32; at += bytes)
        if ((at >= LOW_END || at + bytes <= LOW) && (at >= heap + MIB || at + bytes <= heap - MIB))
            bad += used(at, bytes, flags);
    printf("%lu KiB from 0x%lx: %d cannot be had\n", bytes >> 10, from, bad);
}

/* 4 GiB of each TiB. */
static void above(int flags)
{
    int bad = 0;

    for (uint64_t at = 1ul << 32; at < LAST; at += 1ul << 40)
        bad += used(at, 1ul << 32, flags);
    printf("above 4 GiB: %d\n", bad);
}

int main(int argc, char **argv)
{
    uint64_t from = 0x1000000; /* above a program that is linked at 4 MiB */
    char *p, *text = argc ? argv[0] : NULL;

    for (int i = 0; i < 2; i++) {
        int flags = i ? MAP_FIXED : MAP_FIXED_NOREPLACE;

        sweep(from, MIB, flags);
        sweep(from, 16 * MIB, flags);
        sweep(from, 4096 * 257, flags);
        above(flags);
    }
    p = malloc(1000);
    snprintf(p, 1000, "%zu", strlen(text) > 0 ? (size_t)1 : 0);
    puts(p);
    free(p);
    return 0;
}
