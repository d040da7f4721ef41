/* strides.c - one array read and written at strides from 1 byte to beyond a page: spatial locality, its loss, and
 * sets that are hit again and again. */
#include "guest.h"

#define SIZE (1u << 17)

static uint8_t bytes[SIZE] __attribute__((aligned(4096)));

static NOINLINE uint64_t read_at_stride(unsigned stride)
{
    uint64_t sum = 0;

    for (unsigned i = 0; i < SIZE; i += stride)
        sum += bytes[i];
    return sum;
}

static NOINLINE void write_at_stride(unsigned stride, uint8_t value)
{
    for (unsigned i = 0; i < SIZE; i += stride)
        bytes[i] = value;
}

static NOINLINE uint64_t read_backwards(unsigned stride)
{
    uint64_t sum = 0;

    for (unsigned i = SIZE; i >= stride; i -= stride)
        sum += *(uint16_t *)(bytes + i - 2);
    return sum;
}

static int guest_main(void)
{
    uint64_t sum = 0;

    write_at_stride(1, 1);
    for (unsigned stride = 1; stride <= 8192; stride *= 2)
        sum += read_at_stride(stride);
    for (unsigned stride = 3; stride < 500; stride = stride * 3 + 1) {
        write_at_stride(stride, 1);
        sum += read_at_stride(stride) - (SIZE + stride - 1) / stride;
    }
    return EXPECT(sum == 2 * SIZE - SIZE / 8192 && read_backwards(1000) == 131 * 257);
}
