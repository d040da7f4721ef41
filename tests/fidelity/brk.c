/* brk.c - the heap grows by brk far beyond eight megabytes, shrinks, and grows again zeroed. */
#define _DEFAULT_SOURCE
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int main(void)
{
    uint8_t *start;
    uint64_t sum = 0;

    setvbuf(stdout, NULL, _IONBF, 0); /* nobody else is to use the heap */
    start = sbrk(0);
    for (int i = 0; i < 200; i++) {
        uint8_t *p = sbrk(1 << 20);

        if (p == (void *)-1 || p != start + ((size_t)i << 20))
            return printf("stopped at %d MB\n", i), 1;
        memset(p, i, 1 << 20);
    }
    for (size_t i = 0; i < 200u << 20; i += 4096)
        sum += start[i];
    printf("200 MB: %llu\n", (unsigned long long)sum);
    sbrk(-(100 << 20));
    sbrk(100 << 20);
    sum = 0;
    for (size_t i = 0; i < 200u << 20; i += 4096)
        sum += start[i];
    printf("half of it given back: %llu\n", (unsigned long long)sum);
    printf("%d\n", sbrk(1ll << 46) == (void *)-1);
    printf("%d\n", malloc(10 << 20) != NULL);
    return 0;
}
