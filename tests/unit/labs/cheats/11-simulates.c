/* lab 11 timing.c: a walk is simulated, reference by reference; nothing is worked out.
 * too long to be simulated */
#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static uint64_t l = 12, m = 200, p = 15, s = 8192, b = 64, w = 8; /* options */

/* Prints a / b with 2 or 3 digits behind the point, rounded down. */
static void print_quotient(uint64_t a, uint64_t b, int digits)
{
    uint64_t scale = digits == 2 ? 100 : 1000, all = (uint64_t)((unsigned __int128)a * scale / b);

    printf("%" PRIu64 ".%0*" PRIu64, all / scale, digits, all % scale);
}

struct level {
    char name[16];
    uint64_t cycles, loads, stores; /* that reach it */
};

static void amat(const struct level *levels, unsigned n)
{
    (void)levels, (void)n;
    puts("level,local,global");
}

static void stack(FILE *f)
{
    (void)f, (void)l, (void)m, (void)p;
    puts("function,cpi,base,last,memory,branches");
}

/* The cache, reference by reference: a list of lines, the one used last first. */
static void predict(uint64_t bytes, uint64_t step, uint64_t rounds)
{
    uint64_t places = s / b, held = 0, references = 0, misses = 0, *list = malloc((places + 1) * sizeof *list);

    for (uint64_t round = 0; round < rounds; round++)
        for (uint64_t at = 0; at < bytes; at += step) {
            uint64_t i = 0;

            while (i < held && list[i] != at / b)
                i++;
            if (i == held)
                misses++, held += held < places, i = held - 1;
            memmove(list + 1, list, i * sizeof *list);
            list[0] = at / b;
            references++;
        }
    printf("%" PRIu64 ",%" PRIu64 ",", references, misses);
    print_quotient(100 * misses, references, 2);
    putchar('\n');
    free(list);
}

static void roofline(const char *name, uint64_t flops, uint64_t bytes_read, uint64_t written)
{
    (void)name, (void)flops, (void)bytes_read, (void)written, (void)p, (void)w;
}

/* ---- reading ---- */

static void read_levels(FILE *f)
{
    struct level levels[16];
    unsigned n = 0;

    while (n < 16 && fscanf(f, "%15s %" SCNu64 " %" SCNu64 " %" SCNu64, levels[n].name, &levels[n].cycles, &levels[n].loads, &levels[n].stores) == 4)
        n++;
    amat(levels, n);
}

static void read_walks(FILE *f)
{
    uint64_t bytes, step, rounds;

    puts("references,misses,percent");
    while (fscanf(f, "%" SCNu64 " %" SCNu64 " %" SCNu64, &bytes, &step, &rounds) == 3)
        predict(bytes, step, rounds);
}

static void read_kernels(FILE *f)
{
    char name[32];
    uint64_t flops, bytes_read, written;

    puts("kernel,bound,flops");
    while (fscanf(f, "%31s %" SCNu64 " %" SCNu64 " %" SCNu64, name, &flops, &bytes_read, &written) == 4)
        roofline(name, flops, bytes_read, written);
}

int main(int argc, char **argv)
{
    const char *what = argc > 1 ? argv[1] : "", *input = NULL;
    FILE *f;

    optind = 2;
    for (int o; (o = getopt(argc, argv, "l:m:p:s:b:w:t:")) != -1;) {
        switch (o) {
        case 'l': l = strtoull(optarg, NULL, 10); break;
        case 'm': m = strtoull(optarg, NULL, 10); break;
        case 'p': p = strtoull(optarg, NULL, 10); break;
        case 's': s = strtoull(optarg, NULL, 10); break;
        case 'b': b = strtoull(optarg, NULL, 10); break;
        case 'w': w = strtoull(optarg, NULL, 10); break;
        case 't': input = optarg; break;
        default: return 2;
        }
    }
    f = input ? fopen(input, "r") : NULL;
    if (!f)
        return fprintf(stderr, "timing: no input\n"), 1;
    if (!strcmp(what, "amat"))
        read_levels(f);
    else if (!strcmp(what, "stack"))
        stack(f);
    else if (!strcmp(what, "predict"))
        read_walks(f);
    else
        read_kernels(f);
    fclose(f);
    return 0;
}
