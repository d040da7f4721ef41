/* tests/models/prefetch.c - prefetching D1s, slowly; see levels.c. */
#include <stdlib.h>

#include "store.h"

static uint64_t demand_misses, issued, useful;

static struct resident *bring(uint64_t block, bool guessed)
{
    struct resident out, *r = store_put(&levels_d1, block, &out);

    if (out.block != NOTHING && out.guessed)
        levels_count("D1.unused-prefetches");
    r->guessed = guessed;
    return r;
}

void prefetch_guess(uint64_t block)
{
    if (store_find(&levels_d1, block))
        return;
    levels_count("D1.prefetches");
    issued++;
    levels_look_ahead(block * levels_d1.bytes, levels_d1.bytes);
    bring(block, true);
}

/* What the reference itself needs from the last level is fetched first. */
static bool any_missing(uint64_t addr, uint64_t bytes)
{
    for (uint64_t b = first_block(&levels_d1, addr); b <= last_block(&levels_d1, addr, bytes); b++)
        if (!store_find(&levels_d1, b))
            return true;
    return false;
}

/* True if the reference is the first use of the block since it came. */
static bool demand(uint64_t block, bool *miss)
{
    struct resident *r = store_use(&levels_d1, block);
    bool first = !r || r->guessed;

    if (!r) {
        *miss = true;
        demand_misses++;
        bring(block, false);
    } else if (r->guessed) {
        levels_count("D1.useful-prefetches");
        useful++;
        r->guessed = false;
    }
    return first;
}

/* The reference itself.  *first: something was used for the first time since it came. */
unsigned prefetch_demand(uint64_t addr, uint64_t bytes, bool *first)
{
    bool ll_miss = any_missing(addr, bytes) && levels_look(addr, bytes), miss = false;

    *first = false;
    for (uint64_t b = first_block(&levels_d1, addr); b <= last_block(&levels_d1, addr, bytes); b++)
        *first |= demand(b, &miss);
    return miss + 2u * ll_miss;
}

/* The lines behind a reference that missed, or that used something for the first time. */
unsigned prefetch_next_lines(uint64_t addr, uint64_t bytes)
{
    bool ll_miss = any_missing(addr, bytes) && levels_look(addr, bytes), miss = false, first = false;

    for (uint64_t b = first_block(&levels_d1, addr); b <= last_block(&levels_d1, addr, bytes); b++)
        first |= demand(b, &miss);
    if (miss || (first && option("tagged", 0)))
        for (uint64_t k = 1; k <= option("degree", 1); k++)
            prefetch_guess(last_block(&levels_d1, addr, bytes) + k);
    return miss + 2u * ll_miss;
}

/* Two equal distances in a row within a page foretell the next reference.  A table remembers as many pages as there are regions;
 * a page takes the place of the one whose number is the same modulo that. */
unsigned prefetch_strides(uint64_t addr, uint64_t bytes)
{
    static struct { uint64_t page, last, distance; bool known; } region[1024];
    uint64_t page = addr / 4096, slot = page % option("regions", 64), distance = addr - region[slot].last;
    bool same_page = region[slot].known && region[slot].page == page, again = same_page && distance && distance == region[slot].distance;
    bool ll_miss = any_missing(addr, bytes) && levels_look(addr, bytes), any = false;

    region[slot].known = true;
    region[slot].page = page;
    region[slot].last = addr;
    region[slot].distance = same_page ? distance : 0;
    for (uint64_t b = first_block(&levels_d1, addr); b <= last_block(&levels_d1, addr, bytes); b++)
        demand(b, &any);
    for (uint64_t k = 1; again && k <= option("degree", 1); k++)
        if ((addr + k * distance) / levels_d1.bytes != addr / levels_d1.bytes)
            prefetch_guess((addr + k * distance) / levels_d1.bytes);
    return any + 2u * ll_miss;
}

/* What an instruction referred to last, and how far that is from here, foretells what it refers to next.  Of the instructions whose
 * addresses are the same modulo the number of entries the latest is known. */
unsigned prefetch_by_instruction(uint64_t pc, uint64_t addr, uint64_t bytes)
{
    static struct { uint64_t pc, last; bool known; } seen[1024];
    uint64_t slot = pc % option("table", 256), distance = seen[slot].known && seen[slot].pc == pc ? addr - seen[slot].last : 0;
    bool ll_miss = any_missing(addr, bytes) && levels_look(addr, bytes), any = false;

    seen[slot].known = true;
    seen[slot].pc = pc;
    seen[slot].last = addr;
    for (uint64_t b = first_block(&levels_d1, addr); b <= last_block(&levels_d1, addr, bytes); b++)
        demand(b, &any);
    if (distance)
        prefetch_guess((addr + distance) / levels_d1.bytes);
    return any + 2u * ll_miss;
}

/* All misses and first uses so far.  Those of one instruction, among the last of all, up to one of another that shares its place in the
 * table; where its last two distances occurred before, what followed is expected. */
unsigned prefetch_by_history(uint64_t pc, uint64_t addr, uint64_t bytes)
{
    static struct { uint64_t pc, block; } *past;
    static size_t n;
    uint64_t own[5000], block = first_block(&levels_d1, addr), table = option("ghb-table", 256), recent = option("ghb", 256);
    size_t owns = 0, at;
    bool ll_miss = any_missing(addr, bytes) && levels_look(addr, bytes), any = false, first = false;

    for (uint64_t b = block; b <= last_block(&levels_d1, addr, bytes); b++)
        first |= demand(b, &any);
    if (!first)
        return any + 2u * ll_miss;
    past = realloc(past, (n + 1) * sizeof *past);
    past[n].pc = pc;
    past[n++].block = block;
    for (size_t i = n; i > 0 && n - i < recent; i--) {
        if (past[i - 1].pc == pc)
            own[owns++] = past[i - 1].block;
        else if (past[i - 1].pc % table == pc % table)
            break;
    }
    for (at = 1; at + 2 < owns; at++)
        if (own[at] - own[at + 1] == own[0] - own[1] && own[at + 1] - own[at + 2] == own[1] - own[2])
            break;
    for (size_t k = 0, i = at; at + 2 < owns && k < option("ghb-degree", 4); k++) {
        block += own[i - 1] - own[i];
        prefetch_guess(block);
        i = i == 1 ? at : i - 1;
    }
    return any + 2u * ll_miss;
}

/* Of what would have missed, the part that did not; of the guesses, the part that was right. */
void prefetch_print(FILE *out)
{
    uint64_t would_miss = useful + demand_misses;

    fprintf(out, "D1: coverage %d%%, accuracy %d%%\n", would_miss ? (int)(100.0 * (double)useful / (double)would_miss) : 0,
            issued ? (int)(100.0 * (double)useful / (double)issued) : 0);
}
