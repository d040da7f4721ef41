/* mrc.c - miss ratio curves in one pass, and classes of misses.  What it has to do is in HANDOUT.md.
 *
 *   ./mrc curve -b 4 -m 4 -t small.trace
 *   ./mrc classes -s 1 -E 1 -b 4 -t small.trace
 *
 * It reads its options and the trace.
 */
#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static unsigned s, E, b, m; /* see HANDOUT.md */

/* A reference to the line with this number.  TODO: find its stack distance and count it. */
static void reference(uint64_t line) { (void)line; }

static void print_curve(void)
{
    puts("lines,misses");
    for (unsigned n = 1; n <= m; n++)
        printf("%u,%lu\n", n, 0ul); /* TODO */
}

/* TODO: a reference in the cache of 2^s sets of E lines, and in a fully associative one of as many lines. */
static void classify(uint64_t line) { (void)line; }

static void print_classes(void) { printf("compulsory:%lu capacity:%lu conflict:%lu\n", 0ul, 0ul, 0ul); }

int main(int argc, char **argv)
{
    int is_curve = argc > 1 && !strcmp(argv[1], "curve");
    const char *trace = NULL;
    uint64_t addr;
    FILE *f;

    optind = 2;
    for (int o; (o = getopt(argc, argv, "s:E:b:m:t:")) != -1;) {
        switch (o) {
        case 's': s = (unsigned)atoi(optarg); break;
        case 'E': E = (unsigned)atoi(optarg); break;
        case 'b': b = (unsigned)atoi(optarg); break;
        case 'm': m = (unsigned)atoi(optarg); break;
        case 't': trace = optarg; break;
        default: return 2;
        }
    }
    f = trace ? fopen(trace, "r") : NULL;
    if (!f)
        return fprintf(stderr, "mrc: no trace\n"), 1;
    while (fscanf(f, " %*c %" SCNx64 ",%*u", &addr) == 1) {
        if (is_curve)
            reference(addr >> b);
        else
            classify(addr >> b);
    }
    fclose(f);
    if (is_curve)
        print_curve();
    else
        print_classes();
    return 0;
}
