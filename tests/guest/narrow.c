/* narrow.c - operands of 8 and 16 bits: loads, stores, arithmetic in place, sign extension, packed structures whose
 * members straddle lines. */
#include "guest.h"

#define COUNT 4000

static uint8_t bytes[COUNT];
static int16_t words[COUNT + 1];

struct packed {
    uint8_t tag;
    uint16_t length;
    uint32_t sum;
} __attribute__((packed)); /* 7 bytes */

static struct packed records[600];

static NOINLINE unsigned add_bytes(void)
{
    uint8_t sum = 0;

    for (unsigned i = 0; i < COUNT; i++) {
        bytes[i] = (uint8_t)(i * 7);
        bytes[i] += 3;
        sum = (uint8_t)(sum + bytes[i]);
    }
    return sum;
}

static NOINLINE int add_words(void)
{
    int sum = 0;

    for (unsigned i = 0; i < COUNT; i++) {
        words[i] = (int16_t)(i * 31);
        words[i] = (int16_t)(words[i] - 1000);
        sum += words[i];
    }
    return sum;
}

static NOINLINE unsigned fill_records(void)
{
    unsigned total = 0;

    for (unsigned i = 0; i < 600; i++) {
        records[i].tag = (uint8_t)i;
        records[i].length = (uint16_t)(i * 2);
        records[i].sum = records[i].tag + records[i].length;
    }
    for (unsigned i = 0; i < 600; i++)
        total += records[i].sum;
    return total;
}

/* The high halves of registers. */
static NOINLINE unsigned swap_halves(unsigned x)
{
    __asm__("xchg %%al, %%ah\n\t"
            "add %%ah, %%al\n\t"
            "mov %%al, %1\n\t"
            "mov %%ah, %2\n\t"
            "add %1, %%ah"
            : "+a"(x), "+m"(bytes[5]), "+m"(bytes[63]) : : "cc");
    return x & 0xffff;
}

static int guest_main(void)
{
    unsigned bytes_sum = add_bytes();
    int words_sum = add_words();
    unsigned total = fill_records();

    return EXPECT(bytes_sum == 48 && words_sum == 1061584 && total == 428508 &&
                  swap_halves(0x1234) == 0x7a46);
}
