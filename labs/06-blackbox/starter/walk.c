/* walk.c - misses by footprint and stride: reads every STRIDE-th byte of the first FOOTPRINT bytes, twice, and counts
 * the misses of the second time.  CSV on standard error.
 *
 *   cc -O2 -o walk walk.c box.c && quern lab box . ./walk 2>walk.csv
 */
#include <stdio.h>

#include "box.h"

#define FOOTPRINT_MAX (1 << 18)
#define STRIDE_MIN 16

static uint64_t addr[FOOTPRINT_MAX / STRIDE_MIN];
static unsigned char missed[FOOTPRINT_MAX / STRIDE_MIN];

static void walk(int footprint, int stride)
{
    int n = footprint / stride, misses = 0;

    for (int i = 0; i < n; i++)
        addr[i] = (uint64_t)i * stride;
    box_reset();
    box_reads(addr, n, missed);
    box_reads(addr, n, missed);
    for (int i = 0; i < n; i++)
        misses += missed[i];
    fprintf(stderr, "%d,%d,%.2f\n", stride, footprint, 100.0 * misses / n);
}

int main(void)
{
    fprintf(stderr, "stride,footprint,miss_percent\n");
    for (int stride = STRIDE_MIN; stride <= 256; stride *= 2)
        for (int footprint = 256; footprint <= FOOTPRINT_MAX; footprint *= 2)
            walk(footprint, stride);
    return 0;
}
