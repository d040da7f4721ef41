/* Explanations of arenas full of noise, and instructions by the sites of their counters. */
#include "cost/notes/explain.h"

#include <unistd.h>

#include "cost/places/places.h"
#include "tap.h"

static struct qn_cost_store store;

static uint64_t random_next(uint64_t *state)
{
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    return *state;
}

static void add_block(uint64_t pc, const qn_insn_desc *insns, uint16_t n, uint32_t misses)
{
    struct qn_arena_header *h = qn_cost_header(&store);

    memcpy((qn_insn_desc *)(store.base + QN_ARENA_INSNS_OFF) + h->n_insns, insns, n * sizeof *insns);
    ((struct qn_block_rec *)(store.base + QN_ARENA_BLOCKS_OFF))[h->n_blocks++] =
        (struct qn_block_rec){ .pc = pc, .map = (uint32_t)(pc >> 12), .first_insn = (uint32_t)h->n_insns, .ninsns = n, .misses = misses };
    h->n_insns += n;
}

static const char *find(const struct qn_cost_sites *s, uint32_t site)
{
    static char text[60];
    uint32_t map;
    uint64_t pc;

    if (!qn_cost_find_site(s, site, &map, &pc))
        return "none";
    sprintf(text, "%x %" PRIx64, map, pc);
    return text;
}

static void test_sites(void)
{
    static const qn_insn_desc plain[] = { 3, 2 }, reads[] = { 4, 5 | 1u << QN_INSN_NREAD_SHIFT, 3 | QN_INSN_IMISS | QN_INSN_BC };
    struct qn_cost_sites s;

    add_block(0x2000, reads, 3, 100); /* 100, 101: the read; 102, 103: the fetch; 104: the branch */
    add_block(0x3000, plain, 2, 105);
    add_block(0x4000, reads, 3, 105);
    add_block(0x1000, reads, 3, 40);
    qn_cost_index_sites(&s, &store);
    is_str(find(&s, 100), "2 2004", "a reference's counters");
    is_str(find(&s, 101), "2 2004", "either of them");
    is_str(find(&s, 102), "2 2009", "a fetch's");
    is_str(find(&s, 104), "2 2009", "a branch's");
    is_str(find(&s, 105), "4 4004", "a block without counters has none");
    is_str(find(&s, 44), "1 1009", "in any order");
    is_str(find(&s, 45), "none", "behind the last of a block");
    is_str(find(&s, 39), "none", "before the first");
    is_str(find(&s, 0xffffffff), "none", "beyond all");
    qn_cost_free_sites(&s);
}

static void test_noise(uint64_t seed)
{
    static const struct qn_config config = { .D1 = { 1024, 2, 32 }, .explain = 1, .explain_first = 3, .explain_every = 2 };
    static const struct qn_cost_named named[] = { { QN_PROBE_EXPLAIN, 0, "a.c", 1, 1 }, { QN_PROBE_EXPLAIN, 3, "b.c", 1, 9 } };
    struct qn_cost_library *library = qn_cost_new_library();
    struct qn_cost_modules *modules;
    struct qn_text_error err = { .status = QN_TEXT_OK };
    uint64_t state = seed * 2 + 1, masks[] = { ~0ull, 0xff, 0x3, 0xffff };
    char path[300];

    snprintf(path, sizeof path, "%s/explained", getenv("SCRATCH") ? getenv("SCRATCH") : "/tmp");
    for (uint64_t *p = (uint64_t *)(store.base + QN_ARENA_EXPLAIN_OFF), *end = p + 20000; p < end; p++)
        *p = random_next(&state) & masks[random_next(&state) % 4];
    for (uint64_t *p = (uint64_t *)(store.base + QN_ARENA_PROBES_OFF), *end = p + 300; p < end; p++)
        *p = random_next(&state) & masks[random_next(&state) % 4];
    ((struct qn_probe *)(store.base + QN_ARENA_PROBES_OFF))[0] = (struct qn_probe){ 0x2000, 0x2010, 7, QN_PROBE_EXPLAIN, 0 };
    ((struct qn_probe *)(store.base + QN_ARENA_PROBES_OFF))[1] = (struct qn_probe){ 0, ~0ull, 7, QN_PROBE_EXPLAIN, 3 };
    qn_cost_header(&store)->n_probes = 50;
    qn_cost_explain(&store)->notes = seed % 2 ? 100 : ~0ull;
    modules = qn_cost_new_modules(&store, library, NULL, NULL, NULL);
    ok(qn_cost_write_explanation(path, &(struct qn_cost_explanation){ &store, &config, modules, named, 2 }, &err) == QN_TEXT_OK,
       "noise %d is told as it stands", (int)seed);
    unlink(path);
    qn_cost_free_modules(modules);
    qn_cost_free_library(library);
}

int main(void)
{
    if (qn_cost_create(&store))
        bail("no arena");
    test_sites();
    for (uint64_t seed = 0; seed < 8; seed++)
        test_noise(seed);
    qn_cost_close(&store);
    return done_testing();
}
