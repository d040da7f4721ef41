/* tests/models/guesses.c - more prefetching D1s, slowly: stream buffers are lists of blocks, and what was referenced is a log; see prefetch.c. */
#include <stdlib.h>
#include <string.h>

#include "store.h"

/* ---- stream buffers: all blocks in all of them ---- */

struct waiting {
    uint64_t block;
};

static uint64_t served, missed, fetched;

static void fetch(struct waiting *w, uint64_t n, uint64_t block)
{
    w[n].block = block;
    levels_look_ahead(block * levels_d1.bytes, levels_d1.bytes);
    levels_count("D1.prefetches");
    fetched++;
}

unsigned prefetch_streams(uint64_t addr, uint64_t bytes)
{
    static struct waiting queues[64][64];
    static uint64_t now, latest[64];
    uint64_t buffers = option("stream-buffers", 4), depth = option("stream-depth", 4);
    bool miss = false, ll_miss = false;

    for (uint64_t b = first_block(&levels_d1, addr); b <= last_block(&levels_d1, addr, bytes); b++) {
        struct resident out;
        uint64_t which = 0;

        if (store_use(&levels_d1, b))
            continue;
        store_put(&levels_d1, b, &out);
        now++;
        while (which < buffers && !(latest[which] && queues[which][0].block == b))
            which++;
        if (which < buffers) {
            levels_count("D1.useful-prefetches");
            served++;
            memmove(queues[which], queues[which] + 1, (depth - 1) * sizeof queues[which][0]);
            fetch(queues[which], depth - 1, b + depth);
        } else {
            miss = true;
            missed++;
            ll_miss |= levels_look(b * levels_d1.bytes, levels_d1.bytes);
            which = 0;
            for (uint64_t i = 0; i < buffers; i++)
                which = latest[i] < latest[which] ? i : which;
            for (uint64_t i = 0; i < depth; i++) {
                if (latest[which])
                    levels_count("D1.unused-prefetches");
                fetch(queues[which], i, b + 1 + i);
            }
        }
        latest[which] = now;
    }
    return miss + 2u * ll_miss;
}

void prefetch_print_streams(FILE *out)
{
    uint64_t all = served + missed;

    fprintf(out, "D1: coverage %d%%, accuracy %d%%\n", all ? (int)(100.0 * (double)served / (double)all) : 0,
            fetched ? (int)(100.0 * (double)served / (double)fetched) : 0);
}

/* ---- best offset: for each place of the table of recent blocks, which was entered last ---- */

static uint64_t power_of_two(uint64_t bits) { return bits ? 2 * power_of_two(bits - 1) : 1; }

static bool smooth(uint64_t n)
{
    static const uint64_t primes[] = {2, 3, 5};

    for (int i = 0; i < 3; i++)
        while (n % primes[i] == 0)
            n /= primes[i];
    return n == 1;
}

unsigned prefetch_best_offset(uint64_t addr, uint64_t bytes)
{
    static struct { uint64_t block; bool filled; } known[256];
    static uint64_t list[52], score[52], n, turn, best = 1;
    uint64_t block = addr / prefetch_line(), page = power_of_two(option("bop-page-bits", 12)), base, place, winner = 0;
    bool first;
    unsigned outcome = prefetch_demand(addr, bytes, &first);

    for (uint64_t i = 1; n < 52; i++)
        if (smooth(i))
            list[n++] = i;
    if (!first)
        return outcome;
    base = block - list[turn % 52];
    place = base % 256 ^ base / 256 % 256;
    if (known[place].filled && known[place].block / 256 % 4096 == base / 256 % 4096)
        score[turn % 52]++;
    turn++;
    for (uint64_t i = 0; i < 52; i++)
        winner = score[i] > score[winner] ? i : winner;
    if (turn % 52 == 0 && (score[winner] == 31 || turn == 5200)) {
        best = score[winner] >= 2 ? list[winner] : 0;
        memset(score, 0, sizeof score);
        turn = 0;
    }
    place = block % 256 ^ block / 256 % 256;
    known[place].block = block;
    known[place].filled = true;
    if (best && (block + best) * prefetch_line() / page == addr / page)
        prefetch_guess(block + best);
    return outcome;
}

/* ---- spatial memory streaming: all generations that there were, the newest last ---- */

struct generation {
    uint64_t region, pc, line, used;
    bool lines[32], open;
};

static struct generation *ages;
static size_t nages;

static unsigned lines_used(const struct generation *g)
{
    unsigned n = 0;

    for (unsigned i = 0; i < 32; i++)
        n += g->lines[i];
    return n;
}

static uint64_t pattern_place(const struct generation *g) { return (g->pc * 32 ^ g->line ^ g->pc / 512) % option("sms-patterns", 16384); }

unsigned prefetch_spatially(uint64_t pc, uint64_t addr, uint64_t bytes)
{
    static uint64_t now, ended;
    static uint64_t end[1000000]; /* by generation: when it ended */
    uint64_t block = first_block(&levels_d1, addr), open = 0;
    struct generation *mine = NULL, *oldest = NULL, *model = NULL;
    uint64_t model_end = 0;
    bool first;
    unsigned outcome = prefetch_demand(addr, bytes, &first);

    now++;
    for (size_t i = 0; i < nages; i++) {
        struct generation *g = &ages[i];

        if (!g->open)
            continue;
        open++;
        mine = g->region == block / 32 ? g : mine;
        oldest = !oldest || g->used < oldest->used ? g : oldest;
    }
    if (!mine) {
        if (open == option("sms-regions", 64)) {
            oldest->open = false;
            end[oldest - ages] = ++ended;
        }
        ages = realloc(ages, (nages + 1) * sizeof *ages);
        mine = &ages[nages++];
        *mine = (struct generation){.region = block / 32, .pc = pc, .line = block % 32, .open = true};
        for (struct generation *g = ages; g < mine; g++)
            if (!g->open && lines_used(g) > 1 && pattern_place(g) == pattern_place(mine) && end[g - ages] > model_end) {
                model = g;
                model_end = end[g - ages];
            }
        for (unsigned i = 0; model && model->pc == pc && model->line == mine->line && i < 32; i++)
            if (model->lines[i] && i != mine->line)
                prefetch_guess(block / 32 * 32 + i);
    }
    mine->lines[block % 32] = true;
    mine->used = now;
    return outcome;
}

/* ---- signature path ---- */

struct habit {
    int distance;
    unsigned seen;
};

static struct {
    unsigned all;
    struct habit habit[4];
} habits[512];
static struct { unsigned signature, line, confidence; } left[8];
static unsigned nleft, tries, good;

static unsigned after(unsigned signature, int distance)
{
    unsigned bits = (unsigned)abs(distance) % 64 + (distance < 0 ? 64 : 0);

    return (signature * 8 ^ bits) % 4096;
}

static void observe(unsigned signature, int distance)
{
    struct habit *h = habits[signature % 512].habit, *mine = NULL, *rare = h;

    for (int i = 0; i < 4; i++) {
        mine = !mine && h[i].seen && h[i].distance == distance ? &h[i] : mine;
        rare = h[i].seen < rare->seen ? &h[i] : rare;
    }
    if (!mine) {
        mine = rare;
        mine->distance = distance;
        mine->seen = 0;
    }
    if (mine->seen == 15 || habits[signature % 512].all == 15) {
        for (int i = 0; i < 4; i++)
            h[i].seen /= 2;
        habits[signature % 512].all /= 2;
    }
    mine->seen++;
    habits[signature % 512].all++;
}

/* The path from this line on, with the confidence so far. */
static void go_on(uint64_t page, int line, unsigned signature, unsigned confidence, int steps)
{
    const int lines = (int)(4096 / levels_d1.bytes);
    struct habit *h = habits[signature % 512].habit, *most = h;
    unsigned all = habits[signature % 512].all;

    if (!all || !steps)
        return;
    for (int i = 0; i < 4; i++) {
        unsigned share = confidence * h[i].seen / all;
        int to = line + h[i].distance;

        most = h[i].seen > most->seen ? &h[i] : most;
        if (share < 25)
            continue;
        if (to < 0 || to >= lines) {
            left[nleft % 8].signature = after(signature, h[i].distance);
            left[nleft % 8].line = (unsigned)(to < 0 ? to + lines : to - lines);
            left[nleft++ % 8].confidence = share;
            continue;
        }
        prefetch_guess(page * 4096 / levels_d1.bytes + (unsigned)to);
        if (tries == 1023) {
            tries = 511;
            good /= 2;
        }
        tries++;
    }
    confidence = confidence * most->seen / all;
    line += most->distance;
    if (confidence >= 25 && line >= 0 && line < lines)
        go_on(page, line, after(signature, most->distance), tries ? confidence * good / tries : confidence, steps - 1);
}

unsigned prefetch_paths(uint64_t addr, uint64_t bytes)
{
    static struct { uint64_t page; unsigned signature; int line; bool there; } known[256];
    uint64_t page = addr / 4096;
    int line = (int)(addr % 4096 / levels_d1.bytes), was;
    bool first;
    unsigned outcome = prefetch_demand(addr, bytes, &first), signature = 0, best = 0;

    if (!first)
        return outcome;
    if (!(outcome & 1) && good < tries)
        good++;
    was = known[page % 256].line;
    if (!known[page % 256].there || known[page % 256].page / 256 % 65536 != page / 256 % 65536) {
        for (int i = 0; i < 8; i++)
            if (left[i].confidence > best && left[i].line == (unsigned)line) {
                best = left[i].confidence;
                signature = left[i].signature;
            }
        if (signature)
            go_on(page, line, signature, 100, 64);
    } else {
        signature = known[page % 256].signature;
        if (line == was)
            return outcome;
        observe(signature, line - was);
        signature = after(signature, line - was);
        go_on(page, line, signature, 100, 64);
    }
    known[page % 256].page = page;
    known[page % 256].there = true;
    known[page % 256].signature = signature;
    known[page % 256].line = line;
    return outcome;
}
