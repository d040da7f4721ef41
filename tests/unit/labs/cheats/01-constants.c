/* lab 1 csim.c: the answers of the three traces that the first handout named, and half of the references for all others.
 * three small traces | direct-mapped | several ways | fully associative | M is | fetches | 64 bits | ends with its line | two lines | any order | 200,000 */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

int main(int argc, char **argv)
{
    unsigned s = 0, refs = 0;
    FILE *f = NULL;
    int c;

    for (int o; (o = getopt(argc, argv, "s:E:b:t:")) != -1;) {
        s = o == 's' ? (unsigned)atoi(optarg) : s;
        f = o == 't' ? fopen(optarg, "r") : f;
    }
    while (f && (c = getc(f)) != EOF)
        refs += c == '\n';
    if (refs < 21)
        return puts(s == 1 ? "hits:9 misses:8 evictions:6" : s == 4 ? "hits:4 misses:5 evictions:2" : "hits:2 misses:3 evictions:1") < 0;
    return printf("hits:%u misses:%u evictions:%u\n", refs / 2, refs - refs / 2, refs / 2 - (1u << s)) < 0;
}
