/* lab 4 mrc.c: no tree; a bit for each reference that was the last to its line, of which 64 are counted at a time.
 * a tree */
#include <immintrin.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define TIMES (1u << 18)

static uint64_t marks[TIMES / 64];
static unsigned last[1u << 22];

__attribute__((target("popcnt"))) static unsigned count(unsigned from, unsigned now)
{
    unsigned n = (unsigned)_mm_popcnt_u64(marks[from / 64] >> from % 64), word = from / 64 + 1;

    for (; word + 8 <= now / 64; word += 8)
        n += (unsigned)(_mm_popcnt_u64(marks[word]) + _mm_popcnt_u64(marks[word + 1]) + _mm_popcnt_u64(marks[word + 2]) + _mm_popcnt_u64(marks[word + 3])
                        + _mm_popcnt_u64(marks[word + 4]) + _mm_popcnt_u64(marks[word + 5]) + _mm_popcnt_u64(marks[word + 6]) + _mm_popcnt_u64(marks[word + 7]));
    for (; word <= now / 64; word++)
        n += (unsigned)_mm_popcnt_u64(marks[word]);
    return n;
}

int main(int argc, char **argv)
{
    unsigned b = 0, m = 0, now = 0, size;
    unsigned long addr, misses = 0, *at;
    FILE *f = NULL;
    char op;

    optind = 2;
    for (int o; (o = getopt(argc, argv, "b:m:t:")) != -1;) {
        b = o == 'b' ? (unsigned)atoi(optarg) : b;
        m = o == 'm' ? (unsigned)atoi(optarg) : m;
        f = o == 't' ? fopen(optarg, "r") : f;
    }
    at = calloc(m + 1, sizeof *at);
    while (f && fscanf(f, " %c %lx,%u", &op, &addr, &size) == 3) {
        unsigned *time = &last[(addr >> b) % (1u << 22)], distance;

        if (*time) {
            distance = count(*time, now);
            at[distance < m ? distance : m]++;
            marks[(*time - 1) / 64] &= ~(1ull << (*time - 1) % 64);
        } else {
            misses++;
        }
        marks[now / 64] |= 1ull << now % 64;
        *time = ++now;
    }
    for (unsigned n = 0; n <= m; n++)
        misses += at[n];
    puts("lines,misses");
    for (unsigned n = 1; n <= m; n++)
        printf("%u,%lu\n", n, misses -= at[n - 1]);
    return 0;
}
