/* Address space without end: reservations of many terabytes, in pieces and at once, given back, moved. */
#define _GNU_SOURCE
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

#define GIB (1ull << 30)
#define PIECES 1500

static char *pieces[PIECES];

static char *reserve(size_t size)
{
    char *p = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

    return p == MAP_FAILED ? NULL : p;
}

int main(void)
{
    unsigned n = 0, apart = 0;
    char *big, *moved;

    for (; n < PIECES && (pieces[n] = reserve(16 * GIB)); n++)
        pieces[n][16 * GIB - 1] = (char)n;
    for (unsigned i = 0; i < n; i++)
        apart += pieces[i][16 * GIB - 1] == (char)i;
    printf("%u of 16 GiB, %u of them their own\n", n, apart);
    for (unsigned i = 0; i < n; i += 2)
        munmap(pieces[i], 16 * GIB);
    printf("one of 8 TiB: %d\n", (big = reserve(8192 * GIB)) != NULL);
    memset(big, 1, 4096);
    moved = mremap(pieces[1], 16 * GIB, 32 * GIB, MREMAP_MAYMOVE);
    printf("one that grows: %d\n", moved != MAP_FAILED && moved[16 * GIB - 1] == 1);
    printf("one of 120 TiB: %d\n", reserve(120 * 1024 * GIB) != NULL);
    return 0;
}
