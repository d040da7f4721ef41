/* tests/models/prefetch.c - levels that prefetch, slowly; see levels.c. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "store.h"

/* A level that prefetches: the D1, or one below it. */
static struct level {
    struct store *lines, without; /* without: of a cache that sees the same and prefetches nothing */
    const char *slot;
    uint64_t demand_misses, issued, useful;
    bool ahead; /* what is looked up is no reference, but a prefetch of the level above */
} levels[2], *at = levels;

void prefetch_in(unsigned level, struct store *lines, const char *slot)
{
    levels[level] = (struct level){.lines = lines, .without = {.sets = lines->sets, .ways = lines->ways, .bytes = lines->bytes}, .slot = slot};
}

static void count(const char *event)
{
    static char names[32][40];
    static unsigned n;
    char name[40];
    unsigned i = 0;

    snprintf(name, sizeof name, "%s.%s", at->slot, event);
    while (i < n && strcmp(names[i], name))
        i++;
    if (i == n)
        strcpy(names[n++], name);
    levels_count(names[i]);
}

static struct resident *bring(uint64_t block, bool guessed)
{
    struct resident out, *r = store_put(at->lines, block, &out);

    if (out.block != NOTHING && out.guessed)
        count("unused-prefetches");
    r->guessed = guessed;
    return r;
}

uint64_t prefetch_line(void) { return at->lines->bytes; }

/* Asks the level below this one. */
static bool look(uint64_t addr, uint64_t bytes, bool ahead)
{
    struct level *here = at;
    bool missed;

    if (here == &levels[1])
        return levels_look_beyond(addr, bytes);
    missed = ahead ? (levels_look_ahead(addr, bytes), false) : levels_look(addr, bytes);
    at = here;
    return missed;
}

void prefetch_guess(uint64_t block)
{
    if (at->ahead || store_find(at->lines, block))
        return;
    count("prefetches");
    at->issued++;
    look(block * at->lines->bytes, at->lines->bytes, true);
    bring(block, true);
}

/* What the reference itself needs from the level below is fetched first. */
static bool any_missing(uint64_t addr, uint64_t bytes)
{
    for (uint64_t b = first_block(at->lines, addr); b <= last_block(at->lines, addr, bytes); b++)
        if (!store_find(at->lines, b))
            return true;
    return false;
}

/* True if the reference is the first use of the block since it came. */
static bool demand(uint64_t block, bool *miss)
{
    struct resident *r = store_use(at->lines, block);
    bool first = !r || r->guessed;

    if (option("pollution", 0)) {
        bool without = store_touch(&at->without, block * at->lines->bytes, 1);

        if (!r && !without)
            count("polluting");
        if (r && without)
            count("saved");
    }
    if (!r) {
        *miss = true;
        at->demand_misses += !at->ahead;
        bring(block, false);
    } else if (r->guessed && !at->ahead) {
        count("useful-prefetches");
        at->useful++;
        r->guessed = false;
    }
    return first;
}

/* The reference itself.  *first: something was used for the first time since it came. */
unsigned prefetch_demand(uint64_t addr, uint64_t bytes, bool *first)
{
    bool ll_miss = any_missing(addr, bytes) && look(addr, bytes, false), miss = false;

    *first = false;
    for (uint64_t b = first_block(at->lines, addr); b <= last_block(at->lines, addr, bytes); b++)
        *first |= demand(b, &miss);
    return miss + 2u * ll_miss;
}

/* In the level below the D1, by the prefetcher of this name. */
static unsigned below(const char *name, uint64_t pc, uint64_t addr, uint64_t bytes)
{
    bool any = false, ll_miss;

    if (at->ahead) {
        ll_miss = any_missing(addr, bytes) && look(addr, bytes, false);
        for (uint64_t b = first_block(at->lines, addr); b <= last_block(at->lines, addr, bytes); b++)
            demand(b, &any);
        return any + 2u * ll_miss;
    }
    if (!strcmp(name, "nextline"))
        return prefetch_next_lines(addr, bytes);
    if (!strcmp(name, "stride"))
        return prefetch_strides(addr, bytes);
    if (!strcmp(name, "bop"))
        return prefetch_best_offset(addr, bytes);
    return !strcmp(name, "fpj") ? prefetch_by_instruction(pc, addr, bytes) : prefetch_by_history(pc, addr, bytes);
}

unsigned prefetch_below(const char *name, bool ahead, uint64_t pc, uint64_t addr, uint64_t bytes)
{
    struct level *above = at;
    unsigned outcome;

    at = &levels[1];
    at->ahead = ahead;
    outcome = below(name, pc, addr, bytes);
    at = above;
    return outcome;
}

/* The lines behind a reference that missed, or that used something for the first time. */
unsigned prefetch_next_lines(uint64_t addr, uint64_t bytes)
{
    bool ll_miss = any_missing(addr, bytes) && look(addr, bytes, false), miss = false, first = false;

    for (uint64_t b = first_block(at->lines, addr); b <= last_block(at->lines, addr, bytes); b++)
        first |= demand(b, &miss);
    if (miss || (first && option("tagged", 0)))
        for (uint64_t k = 1; k <= option("degree", 1); k++)
            prefetch_guess(last_block(at->lines, addr, bytes) + k);
    return miss + 2u * ll_miss;
}

/* Two equal distances in a row within a page foretell the next reference.  A table remembers as many pages as there are regions;
 * a page takes the place of the one whose number is the same modulo that. */
unsigned prefetch_strides(uint64_t addr, uint64_t bytes)
{
    static struct { uint64_t page, last, distance; bool known; } region[1024];
    uint64_t page = addr / 4096, slot = page % option("regions", 64), distance = addr - region[slot].last;
    bool same_page = region[slot].known && region[slot].page == page, again = same_page && distance && distance == region[slot].distance;
    bool ll_miss = any_missing(addr, bytes) && look(addr, bytes, false), any = false;

    region[slot].known = true;
    region[slot].page = page;
    region[slot].last = addr;
    region[slot].distance = same_page ? distance : 0;
    for (uint64_t b = first_block(at->lines, addr); b <= last_block(at->lines, addr, bytes); b++)
        demand(b, &any);
    for (uint64_t k = 1; again && k <= option("degree", 1); k++)
        if ((addr + k * distance) / at->lines->bytes != addr / at->lines->bytes)
            prefetch_guess((addr + k * distance) / at->lines->bytes);
    return any + 2u * ll_miss;
}

/* What an instruction referred to last, and how far that is from here, foretells what it refers to next.  Of the instructions whose
 * addresses are the same modulo the number of entries the latest is known. */
unsigned prefetch_by_instruction(uint64_t pc, uint64_t addr, uint64_t bytes)
{
    static struct { uint64_t pc, last; bool known; } seen[1024];
    uint64_t slot = pc % option("table", 256), distance = seen[slot].known && seen[slot].pc == pc ? addr - seen[slot].last : 0;
    bool ll_miss = any_missing(addr, bytes) && look(addr, bytes, false), any = false;

    seen[slot].known = true;
    seen[slot].pc = pc;
    seen[slot].last = addr;
    for (uint64_t b = first_block(at->lines, addr); b <= last_block(at->lines, addr, bytes); b++)
        demand(b, &any);
    if (distance)
        prefetch_guess((addr + distance) / at->lines->bytes);
    return any + 2u * ll_miss;
}

/* All misses and first uses so far.  Those of one instruction, among the last of all, up to one of another that shares its place in the
 * table; where its last two distances occurred before, what followed is expected. */
unsigned prefetch_by_history(uint64_t pc, uint64_t addr, uint64_t bytes)
{
    static struct { uint64_t pc, block; } *past;
    static size_t n;
    uint64_t own[5000], block = first_block(at->lines, addr), table = option("ghb-table", 256), recent = option("ghb", 256);
    size_t owns = 0, from;
    bool ll_miss = any_missing(addr, bytes) && look(addr, bytes, false), any = false, first = false;

    for (uint64_t b = block; b <= last_block(at->lines, addr, bytes); b++)
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
    for (from = 1; from + 2 < owns; from++)
        if (own[from] - own[from + 1] == own[0] - own[1] && own[from + 1] - own[from + 2] == own[1] - own[2])
            break;
    for (size_t k = 0, i = from; from + 2 < owns && k < option("ghb-degree", 4); k++) {
        block += own[i - 1] - own[i];
        prefetch_guess(block);
        i = i == 1 ? from : i - 1;
    }
    return any + 2u * ll_miss;
}

/* Of what would have missed, the part that did not; of the guesses, the part that was right. */
void prefetch_print(FILE *out)
{
    for (const struct level *l = levels; l < levels + 2; l++) {
        uint64_t would_miss = l->useful + l->demand_misses;

        if (l->slot)
            fprintf(out, "%s: coverage %d%%, accuracy %d%%\n", l->slot, would_miss ? (int)(100.0 * (double)l->useful / (double)would_miss) : 0,
                    l->issued ? (int)(100.0 * (double)l->useful / (double)l->issued) : 0);
    }
}
