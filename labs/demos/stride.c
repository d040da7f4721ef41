/* stride.c - the same 64 KiB, read with steps of 4, 16, 64 and 256 bytes; as many reads of each. */
#define READS 65536
#define INTS 16384

volatile int data[INTS];

int main(void)
{
    for (unsigned i = 0; i < READS; i++)
        data[1 * i % INTS];
    for (unsigned i = 0; i < READS; i++)
        data[4 * i % INTS];
    for (unsigned i = 0; i < READS; i++)
        data[16 * i % INTS];
    for (unsigned i = 0; i < READS; i++)
        data[64 * i % INTS];
    return 0;
}
