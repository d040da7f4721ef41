/* profile.c - three profilers of a stream of instructions.  What they have to do is in HANDOUT.md.
 *
 *   ./profile values -k 4 -t small.values
 *   ./profile mix -t small.loads
 *   ./profile conflicts -w 128 -t small.accesses
 *
 * It reads its options and the streams.
 */
#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static unsigned k = 8, w = 128; /* see HANDOUT.md */

/* xorshift64*: use it wherever you need chance, so that a run can be repeated. */
static uint64_t state = 1;

static inline uint64_t below(uint64_t n) /* 0 to n - 1 */
{
    state ^= state >> 12;
    state ^= state << 25;
    state ^= state >> 27;
    return (state * 0x2545f4914f6cdd1dull >> 32) * n >> 32;
}

/* TODO: the next value of the stream. */
static void value(uint64_t v) { (void)v; }

/* TODO: the values of the list, the most frequent first; before them the tau that was reached. */
static void print_values(void) { puts("tau,0"); }

/* TODO: a load of the instruction at pc, served by 'D', 'L' or 'M'. */
static void load(uint64_t pc, char level) { (void)pc, (void)level; }

static void print_mix(void) { puts("pc,loads,D,L,M,cycles"); }

/* TODO: the next instruction: 'L' loads from addr, 'S' stores there, '-' does neither. */
static void access_memory(uint64_t pc, char op, uint64_t addr, unsigned size) { (void)pc, (void)op, (void)addr, (void)size; }

static void print_conflicts(void) { puts("load,store,kind,count"); }

static void read_stream(const char *what, FILE *f)
{
    uint64_t pc, addr;
    unsigned size;
    char op;

    if (!strcmp(what, "values"))
        while (fscanf(f, "%" SCNu64, &addr) == 1)
            value(addr);
    else if (!strcmp(what, "mix"))
        while (fscanf(f, "%" SCNx64 " %c", &pc, &op) == 2)
            load(pc, op);
    else
        while (fscanf(f, "%" SCNx64 " %c %" SCNx64 ",%u", &pc, &op, &addr, &size) == 4)
            access_memory(pc, op, addr, size);
}

int main(int argc, char **argv)
{
    const char *what = argc > 1 ? argv[1] : "", *stream = NULL;
    FILE *f;

    optind = 2;
    for (int o; (o = getopt(argc, argv, "k:w:s:t:")) != -1;) {
        switch (o) {
        case 'k': k = (unsigned)atoi(optarg); break;
        case 'w': w = (unsigned)atoi(optarg); break;
        case 's': state = strtoull(optarg, NULL, 10) * 2 + 1; break;
        case 't': stream = optarg; break;
        default: return 2;
        }
    }
    f = stream ? fopen(stream, "r") : NULL;
    if (!f)
        return fprintf(stderr, "profile: no stream\n"), 1;
    read_stream(what, f);
    fclose(f);
    if (!strcmp(what, "values"))
        print_values();
    else if (!strcmp(what, "mix"))
        print_mix();
    else
        print_conflicts();
    return 0;
}
