/* Does data_blocks.c find the innermost live block, whatever was allocated and freed before?  Beside a list that is searched from its end. */
#include <stdlib.h>

#include "run/observe/data/data.h"

#include "tap.h"

void *qn_engine_alloc(uint64_t bytes) { return calloc(1, bytes); }

#include "run/observe/data/data_blocks.c"

#define ROUNDS 20000
#define PLACES (1u << 20) /* bytes that blocks lie in */

static struct { uint64_t base, end; uint32_t object; } model[ROUNDS];
static unsigned live;
static uint64_t state = 1;

static unsigned draw(unsigned below)
{
    state = state * 6364136223846793005ull + 1442695040888963407ull;
    return (unsigned)(state >> 33) % below;
}

/* The block is gone, and all that lies in it. */
static void model_end(uint64_t base, uint64_t end)
{
    unsigned kept = 0;

    for (unsigned i = 0; i < live; i++)
        if (model[i].base < base || model[i].end > end)
            model[kept++] = model[i];
    live = kept;
}

/* Does it overlap the range without holding all of it?  The same range again does. */
static bool is_in_the_way(uint64_t base, uint64_t end, uint64_t start, uint64_t stop)
{
    return end > start && base < stop && !(base <= start && end >= stop && (base != start || end != stop));
}

static bool begins_in(uint64_t base, uint64_t end, uint64_t start, uint64_t stop) { return (void)end, base >= start && base < stop; }

static void model_end_all(bool (*which)(uint64_t base, uint64_t end, uint64_t start, uint64_t stop), uint64_t start, uint64_t stop)
{
    for (unsigned i = 0; i < live;)
        if (which(model[i].base, model[i].end, start, stop)) {
            model_end(model[i].base, model[i].end);
            i = 0;
        } else {
            i++;
        }
}

static void model_add(uint64_t base, uint64_t size, uint32_t object)
{
    model_end_all(is_in_the_way, base, base + size);
    model[live].base = base;
    model[live].end = base + size;
    model[live++].object = object;
}

static void model_remove(uint64_t base) { model_end_all(begins_in, base, base + 1); }

/* Ranges nest, so the shortest is the innermost. */
static uint32_t model_find(uint64_t address)
{
    uint64_t shortest = UINT64_MAX;
    uint32_t object = 0;

    for (unsigned i = 0; i < live; i++)
        if (address >= model[i].base && address < model[i].end && model[i].end - model[i].base < shortest) {
            shortest = model[i].end - model[i].base;
            object = model[i].object;
        }
    return object;
}

static unsigned draw_size(void)
{
    switch (draw(5)) {
    case 0: return 1 + draw(200000);
    case 1: return 1 + draw(9000);
    default: return 1 + draw(300);
    }
}

static void step(uint32_t number)
{
    uint64_t at = 0x10000000 + draw(PLACES), size = draw_size();

    switch (draw(10)) {
    case 0:
    case 1:
    case 2:
        if (live)
            at = model[draw(live)].base;
        model_remove(at);
        qn_blocks_remove(at);
        break;
    case 3:
        model_end_all(begins_in, at, at + size / 8);
        qn_blocks_remove_range(at, at + size / 8);
        break;
    default:
        model_add(at, size, number);
        qn_blocks_add(at, size, number);
    }
}

/* A block that was found, and its epoch then. */
static struct {
    const struct qn_live_block *block;
    uint64_t epoch, at;
    uint32_t object;
} seen[64];

/* As long as the epoch is the same, all of the block is still the same object. */
static unsigned count_stale(void)
{
    unsigned stale = 0;

    for (unsigned i = 0; i < 64; i++)
        stale += seen[i].block && seen[i].block->epoch == seen[i].epoch && model_find(seen[i].at) != seen[i].object;
    return stale;
}

static void see(const struct qn_live_block *b)
{
    unsigned i = draw(64);

    if (!b || b->inner)
        return;
    seen[i].block = b;
    seen[i].epoch = b->epoch;
    seen[i].at = b->base + draw((unsigned)(b->end - b->base));
    seen[i].object = b->object;
}

int main(void)
{
    unsigned different = 0, found = 0, recalled = 0, wrong = 0, stale = 0;

    for (uint32_t i = 1; i < ROUNDS; i++) {
        step(i);
        if (i % 8 == 0)
            stale += count_stale();
        for (unsigned k = 0; k < 4; k++) {
            uint64_t at = live && k ? model[draw(live)].base + draw(300) : 0x10000000 + draw(PLACES);
            const struct qn_small_block *small = qn_blocks_recall(at);
            const struct qn_live_block *b = qn_blocks_find(at);
            uint32_t wanted = model_find(at);

            recalled += small != NULL;
            wrong += small && small->object != wanted;
            see(b);

            found += wanted != 0;
            different += (b ? b->object : 0) != wanted;
        }
    }
    is_int(different, 0, "each address is in the block that the list says");
    ok(found > ROUNDS / 2, "most of them in one");
    is_int(wrong, 0, "what is recalled is right");
    ok(recalled > 100, "and some is (%u)", recalled);
    is_int(stale, 0, "a block has another epoch when it goes, and when one comes to lie in it");
    return done_testing();
}
