/* tests/models/levels.c - whole levels, slowly: what is where is a list of lines with the time of their last use, and every
 * question walks the whole list.
 *
 *   d1=lru nowa writeback victim nextline stride fpj ghb tlb      ll=lru exclusive inclusive l2 victim nextline stride fpj ghb bop
 *   d1=srrip+stride+tlb        a policy (lru fifo srrip nru), a prefetcher, and a translation buffer beside them
 *   ll=stride opt=at-L2=1                                         the prefetcher stands at the L2
 *   streambuf bop sms spp: guesses.c
 *   skewed zcache sectored (also ll=) waypred writebuf, ll=ceaser: arrays.c
 *
 * Written from the definitions: a reference touches its lines in address order; if level 1 misses any of them, the last level is
 * looked up with the whole reference, but an exclusive one line by line.  All replacement is least recently used. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "store.h"

struct store levels_d1;
static struct store middle; /* a level between level 1 and the LL; no sets: there is none */
static struct store i1, ll, l2, buffer, ll_buffer, tlb[2];
static const char *d1_kind, *ll_kind;

static struct { const char *name; uint64_t n; } events[16];

void levels_count(const char *name)
{
    unsigned i = 0;

    while (events[i].name && strcmp(events[i].name, name))
        i++;
    events[i].name = name;
    events[i].n++;
}

/* ---- write-backs, below d1=writeback and above ll=lru: a line keeps its dirty bit until it leaves ---- */

static void come_down(const struct store *s, uint64_t addr, uint64_t bytes);

/* A dirty block leaves the level, or passes through it. */
static void go_down(const struct store *s, uint64_t addr, uint64_t bytes)
{
    levels_count(s == &ll ? "LL.writebacks" : "L2.writebacks");
    if (s == &middle)
        come_down(&ll, addr, bytes);
}

static void come_down(const struct store *s, uint64_t addr, uint64_t bytes)
{
    uint64_t end = addr + bytes;

    for (uint64_t b = first_block(s, addr); b <= last_block(s, addr, bytes); b++) {
        struct resident *r = store_find(s, b);
        uint64_t from = b * s->bytes > addr ? b * s->bytes : addr, to = (b + 1) * s->bytes < end ? (b + 1) * s->bytes : end;

        if (r)
            r->dirty = true;
        else
            go_down(s, from, to - from);
    }
}

static bool write_backs(void) { return !strcmp(d1_kind, "writeback") && !strcmp(ll_kind, "lru"); }

static bool touch_below(struct store *s, uint64_t addr, uint64_t bytes)
{
    struct resident out;
    bool miss = false;

    if (!write_backs())
        return store_touch(s, addr, bytes);
    for (uint64_t b = first_block(s, addr); b <= last_block(s, addr, bytes); b++) {
        if (store_use(s, b))
            continue;
        miss = true;
        levels_count(s == &ll ? "LL.fills" : "L2.fills");
        store_put(s, b, &out);
        if (out.block != NOTHING && out.dirty)
            go_down(s, out.block * s->bytes, s->bytes);
    }
    return miss;
}

/* ---- the last level ---- */

static void drop_range(struct store *s, uint64_t addr, uint64_t bytes)
{
    struct resident gone;

    for (uint64_t b = first_block(s, addr); b <= last_block(s, addr, bytes); b++) {
        if (!store_take(s, b, &gone))
            continue;
        if (gone.dirty)
            levels_count("D1.writebacks");
        if (gone.guessed)
            levels_count("D1.unused-prefetches");
    }
}

static bool look_inclusive(uint64_t addr, uint64_t bytes)
{
    struct resident out;
    bool miss = false;

    for (uint64_t b = first_block(&ll, addr); b <= last_block(&ll, addr, bytes); b++) {
        if (store_use(&ll, b))
            continue;
        miss = true;
        store_put(&ll, b, &out);
        if (out.block == NOTHING)
            continue;
        levels_count("LL.back-invalidations");
        if (middle.sets)
            drop_range(&middle, out.block * ll.bytes, ll.bytes);
        drop_range(&i1, out.block * ll.bytes, ll.bytes);
        drop_range(&levels_d1, out.block * ll.bytes, ll.bytes);
        drop_range(&buffer, out.block * ll.bytes, ll.bytes);
        arrays_drop(d1_kind, out.block * ll.bytes, ll.bytes);
    }
    return miss;
}

static bool look_exclusive(uint64_t addr, uint64_t bytes)
{
    struct resident gone;
    bool miss = false;

    for (uint64_t b = first_block(&ll, addr); b <= last_block(&ll, addr, bytes); b++)
        miss |= !store_take(&ll, b, &gone);
    return miss;
}

static bool look_l2(uint64_t addr, uint64_t bytes)
{
    levels_count("LL.l2-refs");
    if (!store_touch(&l2, addr, bytes))
        return false;
    levels_count("LL.l2-misses");
    return store_touch(&ll, addr, bytes);
}

static bool touch_victim(struct store *s, struct store *beside, uint64_t addr, uint64_t bytes, const char *event)
{
    struct resident gone, out, lost;
    bool miss = false;

    for (uint64_t b = first_block(s, addr); b <= last_block(s, addr, bytes); b++) {
        if (store_use(s, b))
            continue;
        if (store_take(beside, b, &gone))
            levels_count(event);
        else
            miss = true;
        store_put(s, b, &out);
        if (out.block != NOTHING)
            store_put(beside, out.block, &lost);
    }
    return miss;
}

static bool is_exclusive(void) { return !strcmp(ll_kind, "exclusive"); }

static bool is_array(const char *kind) { return strstr("skewed zcache sectored waypred ceaser", kind); }

static struct shipped *shipped_ll; /* ll=shipplus, mockingjay */
static uint64_t pc;
static bool looks_ahead;

static bool look_shipped(uint64_t addr, uint64_t bytes)
{
    bool miss = false;

    for (uint64_t b = first_block(&ll, addr); b <= last_block(&ll, addr, bytes); b++)
        miss |= shipped_touch(shipped_ll, b, pc, looks_ahead);
    return miss;
}

static bool middle_missed;

bool levels_middle_missed(void)
{
    bool missed = middle_missed;

    middle_missed = false;
    return missed;
}

static bool is_prefetcher(const char *kind)
{
    return strstr("nextline stride fpj ghb bop sms spp", kind) != NULL;
}

static uint64_t pc; /* of the instruction that makes the reference */
static bool looks_ahead;

bool levels_look_beyond(uint64_t addr, uint64_t bytes) { return !option("at-L2", 0) || store_touch(&ll, addr, bytes); }

bool levels_look(uint64_t addr, uint64_t bytes)
{
    unsigned outcome;

    if (is_prefetcher(ll_kind) && option("at-L2", 0)) {
        outcome = prefetch_below(ll_kind, looks_ahead, pc, addr, bytes);
        middle_missed |= outcome & 1;
        return outcome & 1 && outcome & 2;
    }
    if (middle.sets) {
        if (!touch_below(&middle, addr, bytes))
            return false;
        middle_missed = true;
    }
    if (!strcmp(ll_kind, "inclusive"))
        return look_inclusive(addr, bytes);
    if (is_exclusive())
        return look_exclusive(addr, bytes);
    if (!strcmp(ll_kind, "l2"))
        return look_l2(addr, bytes);
    if (!strcmp(ll_kind, "victim"))
        return touch_victim(&ll, &ll_buffer, addr, bytes, "LL.victim-hits");
    if (shipped_ll)
        return look_shipped(addr, bytes);
    if (is_array(ll_kind))
        return arrays_look(ll_kind, true, addr, bytes);
    if (is_prefetcher(ll_kind))
        return prefetch_below(ll_kind, looks_ahead, pc, addr, bytes) & 1;
    return touch_below(&ll, addr, bytes);
}

/* The same for a prefetch, which is no miss of anybody. */
void levels_look_ahead(uint64_t addr, uint64_t bytes)
{
    bool missed = middle_missed;

    looks_ahead = true;
    levels_look(addr, bytes);
    looks_ahead = false;
    middle_missed = missed;
}

/* An exclusive last level gets what level 1 gives up. */
static void give_up(const struct store *s, uint64_t block)
{
    struct resident out;

    for (uint64_t b = first_block(&ll, block * s->bytes); is_exclusive() && b <= last_block(&ll, block * s->bytes, s->bytes); b++)
        if (!store_use(&ll, b))
            store_put(&ll, b, &out);
}

/* ---- level 1: lru and writeback ---- */

static void leave(const struct store *s, const struct resident *out)
{
    if (out->block == NOTHING)
        return;
    if (out->dirty) {
        levels_count("D1.writebacks");
        if (write_backs())
            come_down(middle.sets ? &middle : &ll, out->block * s->bytes, s->bytes);
    }
    give_up(s, out->block);
}

static unsigned plain(struct store *s, uint64_t addr, uint64_t bytes, bool dirty)
{
    bool miss = false, ll_miss = false;
    struct resident out;

    for (uint64_t b = first_block(s, addr); b <= last_block(s, addr, bytes); b++) {
        struct resident *r = store_use(s, b);

        if (!r) {
            miss = true;
            if (is_exclusive())
                ll_miss |= levels_look(b * s->bytes, s->bytes);
            r = store_put(s, b, &out);
            if (!strcmp(d1_kind, "writeback") && s == &levels_d1)
                levels_count("D1.fills");
            leave(s, &out);
        }
        r->dirty |= dirty;
    }
    if (miss && !is_exclusive())
        ll_miss = levels_look(addr, bytes);
    return miss + 2u * ll_miss;
}

/* ---- no write-allocate ---- */

static unsigned no_write_allocate(uint64_t addr, uint64_t bytes, bool fills)
{
    struct resident out;
    bool miss = false;

    for (uint64_t b = first_block(&levels_d1, addr); b <= last_block(&levels_d1, addr, bytes); b++)
        if (!store_use(&levels_d1, b)) {
            miss = true;
            if (fills)
                store_put(&levels_d1, b, &out);
        }
    return miss ? 1 + 2u * levels_look(addr, bytes) : 0;
}

/* ---- translation ---- */

static void translate(uint64_t addr, uint64_t bytes)
{
    for (uint64_t page = addr / tlb[0].bytes; page <= (addr + bytes - 1) / tlb[0].bytes; page++) {
        if (!store_touch(&tlb[0], page * tlb[0].bytes, 1))
            continue;
        levels_count("D1.dtlb-misses");
        if (store_touch(&tlb[1], page * tlb[1].bytes, 1))
            levels_count("D1.stlb-misses");
    }
}

/* ---- all of it ---- */

static bool translated;

/* "srrip+stride+tlb": what stands beside the prefetcher, or whatever else it is. */
static const char *take_apart(const char *names)
{
    static char parts[100];
    const char *rest = "lru";

    snprintf(parts, sizeof parts, "%s", names);
    for (char *part = strtok(parts, "+"); part; part = strtok(NULL, "+"))
        if (!strcmp(part, "tlb"))
            translated = true;
        else if (!strcmp(part, "fifo") || !strcmp(part, "srrip") || !strcmp(part, "nru"))
            levels_d1.policy = part;
        else
            rest = part;
    return rest;
}

static void shape(struct store *s, const char *setting)
{
    unsigned size, ways, bytes;

    if (sscanf(setting, "%u,%u,%u", &size, &ways, &bytes) != 3)
        abort();
    *s = (struct store){.sets = size / ways / bytes, .ways = ways, .bytes = bytes};
}

void levels_make(const char *I1, const char *D1, const char *L2, const char *LL, const char *d1_is, const char *ll_is)
{
    ll_kind = ll_is;
    shape(&i1, I1);
    shape(&levels_d1, D1);
    d1_kind = take_apart(d1_is);
    shape(&ll, LL);
    if (*L2)
        shape(&middle, L2);
    arrays_make(&levels_d1, &ll);
    shipped_ll = shipped_make(ll_is, (unsigned)ll.sets, (unsigned)ll.ways);
    if (is_prefetcher(d1_kind))
        prefetch_in(0, &levels_d1, "D1");
    if (is_prefetcher(ll_kind))
        prefetch_in(1, option("at-L2", 0) ? &middle : &ll, option("at-L2", 0) ? "L2" : "LL");
    buffer = (struct store){1, option("victim-lines", 8), levels_d1.bytes, NULL, NULL};
    ll_buffer = (struct store){1, option("victim-lines", 8), ll.bytes, NULL, NULL};
    l2 = (struct store){option("l2-size", 262144) / option("l2-ways", 8) / ll.bytes, option("l2-ways", 8), ll.bytes, NULL, NULL};
    for (unsigned i = 0; i < 2; i++) {
        uint64_t entries = i ? option("stlb-entries", 1536) : option("tlb-entries", 64);
        uint64_t ways = i ? option("stlb-ways", 12) : option("tlb-ways", 4);

        tlb[i] = (struct store){entries / ways, ways, 1ull << option("page-bits", 12), NULL, NULL};
    }
}

unsigned levels_touch(const struct op_record *o)
{
    bool writes = o->op == OP_WRITE || o->op == OP_MODIFY;

    pc = o->op == OP_FETCH ? o->addr : pc;
    if (o->op == OP_FETCH)
        return plain(&i1, o->addr, o->size, false);
    if (translated)
        translate(o->addr, o->size);
    if (!strcmp(d1_kind, "nowa"))
        return no_write_allocate(o->addr, o->size, o->op != OP_WRITE);
    if (!strcmp(d1_kind, "victim"))
        return touch_victim(&levels_d1, &buffer, o->addr, o->size, "D1.victim-hits") ? 1 + 2u * levels_look(o->addr, o->size) : 0;
    if (!strcmp(d1_kind, "writebuf"))
        return arrays_buffered(o->addr, o->size, o->op != OP_WRITE, writes);
    if (is_array(d1_kind))
        return arrays_look(d1_kind, false, o->addr, o->size) ? 1 + 2u * levels_look(o->addr, o->size) : 0;
    if (!strcmp(d1_kind, "streambuf"))
        return prefetch_streams(o->addr, o->size);
    if (!strcmp(d1_kind, "bop"))
        return prefetch_best_offset(o->addr, o->size);
    if (!strcmp(d1_kind, "sms"))
        return prefetch_spatially(pc, o->addr, o->size);
    if (!strcmp(d1_kind, "spp"))
        return prefetch_paths(o->addr, o->size);
    if (!strcmp(d1_kind, "nextline"))
        return prefetch_next_lines(o->addr, o->size);
    if (!strcmp(d1_kind, "stride"))
        return prefetch_strides(o->addr, o->size);
    if (!strcmp(d1_kind, "ghb"))
        return prefetch_by_history(pc, o->addr, o->size);
    if (!strcmp(d1_kind, "fpj"))
        return prefetch_by_instruction(pc, o->addr, o->size);
    return plain(&levels_d1, o->addr, o->size, writes && !strcmp(d1_kind, "writeback"));
}

void levels_print(FILE *out)
{
    uint64_t dirty = 0;

    for (unsigned i = 0; events[i].name; i++) {
        if (!strcmp(events[i].name, "LL.fills"))
            fprintf(out, "LL.bytes-read %llu\n", (unsigned long long)(events[i].n * ll.bytes));
        if (!strcmp(events[i].name, "LL.writebacks"))
            fprintf(out, "LL.bytes-written %llu\n", (unsigned long long)(events[i].n * ll.bytes));
        fprintf(out, "%s %llu\n", events[i].name, (unsigned long long)events[i].n);
    }
    for (struct resident *r = levels_d1.all; r; r = r->next)
        dirty += r->dirty;
    if (!strcmp(d1_kind, "writeback"))
        fprintf(out, "D1: %llu dirty lines at the end\n", (unsigned long long)dirty);
    if (is_prefetcher(d1_kind) || is_prefetcher(ll_kind))
        prefetch_print(out);
    if (!strcmp(d1_kind, "streambuf"))
        prefetch_print_streams(out);
}
