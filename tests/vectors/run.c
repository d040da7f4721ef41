/* tests/vectors/run.c - run vectors and write what came of each; see vector.h.
 *
 *   run VECTORS RESULTS              all of them
 *   run VECTORS RESULTS NUMBER       one, and its end state in words on stdout
 *   run VECTORS RESULTS -1 STATE     all, with these components of XCR0 alone
 *
 * Runs natively or as quern's guest, and must not know which.  All is in the results, also flags that an instruction leaves
 * undefined, and what a signal's handler sees. */
#define _GNU_SOURCE
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "state.h"

static bool talk;

static uint64_t mix(uint64_t hash, const void *from, size_t n)
{
    const uint8_t *bytes = from;
    uint64_t word;

    for (size_t i = 0; i + 8 <= n; i += 8) {
        memcpy(&word, bytes + i, 8);
        hash = (hash ^ word) * 0x9e3779b97f4a7c15u;
        hash ^= hash >> 29;
    }
    return hash;
}

static void show(const char *name, const uint8_t *from, size_t n)
{
    if (!talk)
        return;
    printf("%s", name);
    for (size_t i = 0; i < n; i++)
        printf("%s%02x", i % 16 ? "" : "\n  ", from[i]);
    putchar('\n');
}

static uint64_t hash_state(void)
{
    static const char *const names[COMPONENTS] = {
        [AVX] = "avx", [OPMASK] = "opmask", [ZMM_HIGH] = "zmm high", [ZMM_16_31] = "zmm 16 to 31"};
    uint64_t hash = 1;

    show("x87, sse", after.area, 416);
    hash = mix(hash, after.area, 32);
    hash = mix(hash, after.area + 32, 384);
    for (unsigned i = AVX; i < COMPONENTS; i++)
        if (component_size[i] && names[i]) {
            show(names[i], after.area + component_offset[i], component_size[i]);
            hash = mix(hash, after.area + component_offset[i], component_size[i]);
        }
    return hash;
}

static uint64_t hash_arena(void)
{
    const uint8_t *arena = (const uint8_t *)ARENA;

    show("arena", arena, ARENA_SIZE);
    return mix(1, arena, ARENA_SIZE);
}

static void show_result(const struct result *r)
{
    if (!talk)
        return;
    printf("signal %d end %d rip %llx address %llx flags %llx\n", r->signal, r->end, (unsigned long long)r->rip,
           (unsigned long long)r->address, (unsigned long long)r->flags);
    for (unsigned i = 0; i < 16; i++)
        printf("%sr%-2u %016llx", i % 4 ? "  " : "\n", i, (unsigned long long)r->gpr[i]);
    putchar('\n');
}

static struct result run_one(const struct vector *v, uint64_t slot)
{
    struct result r = {0};
    struct ending e;

    fill_state(v);
    e = run_state(slot);
    r.signal = e.signal, r.end = e.end, r.rip = e.rip, r.address = e.address;
    memcpy(r.gpr, after.gpr, sizeof r.gpr);
    r.flags = after.flags;
    r.fp = hash_state();
    r.arena = hash_arena();
    show_result(&r);
    return r;
}

static int fail(const char *what)
{
    perror(what);
    return 1;
}

/* lsl tells one processor from another: Linux keeps its number in the limit of a segment. */
static void stay_on_one_processor(void)
{
    cpu_set_t all, first;
    int cpu = 0;

    if (sched_getaffinity(0, sizeof all, &all))
        return;
    while (!CPU_ISSET(cpu, &all))
        cpu++;
    CPU_ZERO(&first);
    CPU_SET(cpu, &first);
    sched_setaffinity(0, sizeof first, &first);
}

int main(int argc, char **argv)
{
    static struct vector batch[BATCH];
    FILE *in, *out;
    long only = argc > 3 ? strtol(argv[3], NULL, 0) : -1, number = 0;
    size_t n;

    if (argc < 3)
        return fail("usage: run VECTORS RESULTS [NUMBER [STATE]]");
    if (argc > 4)
        state_limit = strtoull(argv[4], NULL, 0);
    stay_on_one_processor();
    in = fopen(argv[1], "rb");
    out = fopen(argv[2], "wb");
    if (!in || !out || !prepare_states())
        return fail("run");
    while ((n = fread(batch, sizeof *batch, BATCH, in)) > 0) {
        if (!place_batch(batch, n))
            return fail("mprotect");
        for (size_t i = 0; i < n; i++, number++) {
            struct result r;
            talk = number == only;
            if (only >= 0 && !talk)
                continue;
            r = run_one(&batch[i], SLOTS + i * SLOT_SIZE);
            fwrite(&r, sizeof r, 1, out);
        }
    }
    return fclose(out) ? fail(argv[2]) : 0;
}
