/* timing.c - lab 11, a solution.
 *
 *   ./timing amat -t small.levels
 *   ./timing stack -l 12 -m 200 -p 15 -t work.csv
 *   ./timing predict -s 8192 -b 64 -t small.walks
 *   ./timing roofline -p 16 -w 8 -t small.kernels
 */
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

static uint64_t all_of(const struct level *l) { return l->loads + l->stores; }

static void amat(const struct level *levels, unsigned n)
{
    uint64_t cycles = 0;

    puts("level,local,global");
    for (unsigned i = 0; i + 1 < n; i++) {
        printf("%s,", levels[i].name);
        print_quotient(100 * all_of(&levels[i + 1]), all_of(&levels[i]), 2);
        putchar(',');
        print_quotient(100 * all_of(&levels[i + 1]), all_of(&levels[0]), 2);
        putchar('\n');
    }
    for (unsigned i = 0; i < n; i++)
        cycles += levels[i].cycles * all_of(&levels[i]);
    printf("cycles:%" PRIu64 " amat:", cycles);
    print_quotient(cycles, all_of(&levels[0]), 3);
    putchar('\n');
}

/* ---- the stack ---- */

enum { IR, I1MR, ILMR, D1MR, DLMR, D1MW, DLMW, BCM, BIM, EVENTS };
static const char *const names[EVENTS] = { "Ir", "I1mr", "ILmr", "D1mr", "DLmr", "D1mw", "DLmw", "Bcm", "Bim" };

static void print_stack(const char *function, const uint64_t *n)
{
    uint64_t last = (n[I1MR] + n[D1MR] + n[D1MW]) * l, memory = (n[ILMR] + n[DLMR] + n[DLMW]) * m;
    uint64_t branches = (n[BCM] + n[BIM]) * p, parts[] = { n[IR] + last + memory + branches, n[IR], last, memory, branches };

    printf("%s", function);
    for (unsigned i = 0; i < 5; i++) {
        putchar(',');
        print_quotient(parts[i], n[IR], 3);
    }
    putchar('\n');
}

static void stack(FILE *f)
{
    char line[4096], function[256] = "";
    int column_of[64], columns = 0; /* the event of a column, EVENTS: the function, -1: none */
    uint64_t sum[EVENTS] = { 0 };

    puts("function,cpi,base,last,memory,branches");
    if (fgets(line, sizeof line, f))
        for (char *word = strtok(line, ",\r\n"); word && columns < 64; word = strtok(NULL, ",\r\n")) {
            column_of[columns] = strcmp(word, "function") ? -1 : EVENTS;
            for (int i = 0; i < EVENTS; i++)
                if (!strcmp(word, names[i]))
                    column_of[columns] = i;
            columns++;
        }
    while (fgets(line, sizeof line, f)) {
        uint64_t n[EVENTS] = { 0 };
        int at = 0;

        for (char *word = strtok(line, ",\r\n"); word && at < columns; word = strtok(NULL, ",\r\n"), at++) {
            if (column_of[at] == EVENTS)
                snprintf(function, sizeof function, "%s", word);
            else if (column_of[at] >= 0)
                n[column_of[at]] = strtoull(word, NULL, 10);
        }
        if (!n[IR])
            continue;
        print_stack(function, n);
        for (int i = 0; i < EVENTS; i++)
            sum[i] += n[i];
    }
    if (sum[IR])
        print_stack("total", sum);
}

/* ---- walks and kernels ---- */

static void predict(uint64_t bytes, uint64_t step, uint64_t rounds)
{
    uint64_t elements = (bytes + step - 1) / step, lines = step < b ? (elements - 1) * step / b + 1 : elements;
    uint64_t references = elements * rounds, places = s / b, misses = lines <= places ? lines : lines * rounds;

    printf("%" PRIu64 ",%" PRIu64 ",", references, misses);
    print_quotient(100 * misses, references, 2);
    putchar('\n');
}

static void roofline(const char *name, uint64_t flops, uint64_t bytes_read, uint64_t written)
{
    uint64_t bytes = bytes_read + written, peak = p;

    if (flops * w < peak * bytes) {
        printf("%s,memory,", name);
        print_quotient(flops * w, bytes, 3);
    } else {
        printf("%s,compute,", name);
        print_quotient(peak, 1, 3);
    }
    putchar('\n');
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
