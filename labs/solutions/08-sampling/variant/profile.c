/* profile.c - three profilers of a stream of instructions: a solution for variants (DROP, BLOCK, CYCLES_L, CYCLES_M
 * and PAGE are defined before it).
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

/* ---- values: counting samples ---- */

#define PLACES_MAX 1024

static struct {
    uint64_t value, count; /* count 0: free */
} list[PLACES_MAX];
static uint64_t tau = 1, n_values;

static void raise_tau(void)
{
    uint64_t old = tau;

    tau += tau / 8 + 1;
    for (unsigned i = 0; i < k; i++) {
        if (!list[i].count || below(tau) < old)
            continue;
        while (--list[i].count && below(tau) != 0)
            continue;
    }
}

static int free_place(void)
{
    for (unsigned i = 0; i < k; i++)
        if (!list[i].count)
            return (int)i;
    return -1;
}

static void value(uint64_t v)
{
    int place;

    n_values++;
    v = v >> DROP << DROP;
    for (unsigned i = 0; i < k; i++)
        if (list[i].count && list[i].value == v) {
            list[i].count++;
            return;
        }
    if (below(tau) != 0)
        return;
    while ((place = free_place()) < 0) {
        uint64_t old = tau;

        raise_tau();
        if (below(tau) >= old)
            return;
    }
    list[place].value = v;
    list[place].count = 1;
}

static int compare(const void *left, const void *right)
{
    const uint64_t *a = left, *b = right;

    return a[1] < b[1] ? 1 : a[1] > b[1] ? -1 : a[0] > b[0] ? 1 : -(a[0] < b[0]);
}

static void print_values(void)
{
    uint64_t missing = tau * 418 / 1000;

    missing -= missing > 0;
    printf("tau,%" PRIu64 ",%" PRIu64 "\n", tau, n_values);
    qsort(list, k, sizeof list[0], compare);
    for (unsigned i = 0; i < k; i++)
        if (list[i].count && list[i].count + missing >= tau)
            printf("%" PRIu64 ",%" PRIu64 "\n", list[i].value, list[i].count + missing);
}

/* ---- the mix of levels ---- */

#define SITES_MAX 65536

static struct site {
    uint64_t pc, level[3];
} sites[SITES_MAX];
static unsigned n_sites;

static struct site *find_site(uint64_t pc)
{
    for (unsigned i = 0; i < n_sites; i++)
        if (sites[i].pc == pc)
            return &sites[i];
    sites[n_sites].pc = pc;
    return &sites[n_sites++];
}

static void load(uint64_t pc, char level) { find_site(pc / BLOCK * BLOCK)->level[level == 'D' ? 0 : level == 'L' ? 1 : 2]++; }

static int compare_sites(const void *left, const void *right)
{
    const struct site *a = left, *b = right;

    return a->pc > b->pc ? 1 : -(a->pc < b->pc);
}

static void print_mix(void)
{
    puts("pc,loads,D,L,M,cycles");
    qsort(sites, n_sites, sizeof sites[0], compare_sites);
    for (unsigned i = 0; i < n_sites; i++) {
        const uint64_t *n = sites[i].level;

        printf("%" PRIx64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 "\n", sites[i].pc, n[0] + n[1] + n[2], n[0], n[1],
               n[2], 4 * n[0] + CYCLES_L * n[1] + CYCLES_M * n[2]);
    }
}

/* ---- conflicts ---- */

#define PAIRS_MAX 65536

static struct store {
    uint64_t pc, addr, when;
    unsigned size;
} *stores;
static uint64_t n_stores, now;

static struct pair {
    uint64_t load, store, count;
    int alias;
} pairs[PAIRS_MAX];
static unsigned n_pairs;

static void count_pair(uint64_t load_pc, uint64_t store_pc, int alias)
{
    for (unsigned i = 0; i < n_pairs; i++)
        if (pairs[i].load == load_pc && pairs[i].store == store_pc && pairs[i].alias == alias) {
            pairs[i].count++;
            return;
        }
    pairs[n_pairs++] = (struct pair){ load_pc, store_pc, 1, alias };
}

static int overlap(uint64_t a, unsigned a_size, uint64_t b, unsigned b_size) { return a < b + b_size && b < a + a_size; }

static int alias(uint64_t a, unsigned a_size, uint64_t b, unsigned b_size)
{
    return (a - b) % PAGE < b_size || (b - a) % PAGE < a_size;
}

static void look_back(uint64_t pc, uint64_t addr, unsigned size)
{
    const struct store *same = NULL, *far = NULL; /* the oldest */

    for (uint64_t i = n_stores; i > 0 && now - stores[i - 1].when < w; i--) {
        const struct store *s = &stores[i - 1];

        if (overlap(addr, size, s->addr, s->size))
            same = s;
        if (alias(addr, size, s->addr, s->size))
            far = s;
    }
    if (same || far)
        count_pair(pc, same ? same->pc : far->pc, !same);
}

static void access_memory(uint64_t pc, char op, uint64_t addr, unsigned size)
{
    if (op == 'L')
        look_back(pc, addr, size);
    if (op == 'S') {
        if ((n_stores & (n_stores + 1)) == 0)
            stores = realloc(stores, (2 * n_stores + 2) * sizeof *stores);
        stores[n_stores++] = (struct store){ pc, addr, now, size };
    }
    now++;
}

static int compare_pairs(const void *left, const void *right)
{
    const struct pair *a = left, *b = right;

    if (a->load != b->load)
        return a->load > b->load ? 1 : -1;
    if (a->store != b->store)
        return a->store > b->store ? 1 : -1;
    return a->alias - b->alias;
}

static void print_conflicts(void)
{
    puts("load,store,kind,count");
    qsort(pairs, n_pairs, sizeof pairs[0], compare_pairs);
    for (unsigned i = 0; i < n_pairs; i++)
        printf("%" PRIx64 ",%" PRIx64 ",%s,%" PRIu64 "\n", pairs[i].load, pairs[i].store, pairs[i].alias ? "4k" : "bytes",
               pairs[i].count);
}

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
