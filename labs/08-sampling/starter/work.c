/* work.c - three values whose frequencies follow Zipf's law and a long tail of others: a stream for your list.  ./work N >work.values */
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
    unsigned long n = argc > 1 ? strtoul(argv[1], NULL, 10) : 100000, state = 1;

    while (n-- > 0) {
        unsigned long r;

        state = state * 6364136223846793005ul + 1442695040888963407ul;
        r = state >> 33;
        printf("%lu\n", r % 100 < 40 ? 1 : r % 100 < 60 ? 2 : r % 100 < 73 ? 3 : 100 + (state >> 20) % 5000);
    }
    return 0;
}
