/* allocs.c - allocates and frees about 100,000 times a second natively, and works on what it has between: ./allocs SECONDS_OF_WORK */
#include <stdio.h>
#include <stdlib.h>

enum { KEPT = 4096, STEPS = 3000 };

int main(int argc, char **argv)
{
    static long *kept[KEPT], table[1 << 12];
    long rounds = 100000L * (argc > 1 ? atol(argv[1]) : 1), sum = 0;
    unsigned seed = 1;

    for (long r = 0; r < rounds; r++) {
        unsigned k;

        seed = seed * 1103515245u + 12345u;
        k = (seed >> 16) % KEPT;
        free(kept[k]);
        kept[k] = calloc(2 + seed % 60, sizeof *kept[0]);
        kept[k][1] = r;
        for (unsigned i = 0; i < STEPS; i++) {
            seed = seed * 1103515245u + 12345u;
            sum += table[seed >> 20] += i;
        }
    }
    printf("%ld\n", sum);
    return 0;
}
