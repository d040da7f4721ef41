/* prefetch/streambuf.c - stream buffers: a miss starts a queue of the lines behind it beside the cache, and a miss that finds its line at the head
 * of a queue takes it from there.
 *
 * The lines that are prefetched are not put into the cache, so a wrong guess evicts nothing. Only the head of each buffer is compared. A miss
 * that finds its line there moves it into the cache; the others move up, and the next line is fetched. A miss that finds it in none empties the
 * buffer that was used longest ago and fills it with the lines behind it. Two buffers of three lines; cache | buffers:
 *
 *   A        misses            A       | BCD  ...
 *   B        no miss           B A     | CDE  ...      E is fetched
 *   P        misses            P B A   | CDE  QRS
 *   D        misses            D P B A | EFG  QRS      C is at the head, so D is not found
 *
 * The rules, with the sections of the paper: heads only, a queue (4.1); several buffers, the least recently used is emptied (4.2). As in the
 * paper a line is fetched into a buffer even if it is in the cache.
 * What it cannot show: a line that has been asked for but has not come yet; here every prefetch is there at once.
 *
 * Options: `stream-buffers` (4; 1 to 64), `stream-depth` (4; 1 to 64).
 * Events: `prefetches`, `useful-prefetches`, references served by a buffer; `unused-prefetches`, lines of a buffer that was emptied.
 * Storage: stream-buffers times (one tag, stream-depth lines, an order).
 * Source: N. P. Jouppi, Improving direct-mapped cache performance by the addition of a small fully-associative cache and prefetch buffers,
 * ISCA 1990. */
#include "sim/lines.h"

#define LEVEL "streambuf"
#define LEVEL_SLOTS (LEVEL_IN_I1 | LEVEL_IN_D1)
#define LEVEL_LINES lines
#define LEVEL_SETTLED 1
#define LEVEL_WRITES_SETTLED 1
#define LEVEL_DROP 1
#define LEVEL_FINISH 1

enum { BUFFERS_MAX = 64 };

/* Lines come in order and at once, so the head tells which lines a buffer has: head, and depth - 1 behind it. */
static struct buffer {
    uint64_t head, used; /* used: number of the miss; 0: the buffer is empty */
} buffers[BUFFERS_MAX];

static struct lines lines;
static uint64_t count, depth, now;
static uint64_t misses SIM_SHARED;
static unsigned prefetches, useful, unused;

static void cachesim_X_initcache(const struct sim_config *c)
{
    lines_init(&lines, c->sets, c->ways, c->line_bits);
    count = sim_option_within(c->slot, LEVEL, "stream-buffers", 4, 1, BUFFERS_MAX);
    depth = sim_option_within(c->slot, LEVEL, "stream-depth", 4, 1, 64);
    prefetches = sim_event(c->slot, "prefetches", "lines brought into a stream buffer");
    useful = sim_event(c->slot, "useful-prefetches", "references that found their line in a stream buffer");
    unused = sim_event(c->slot, "unused-prefetches", "lines of stream buffers that were emptied");
}

static bool cachesim_X_settled(uint64_t line) { return lines_newest(&lines, line); }
static void cachesim_X_drop(uint64_t line) { lines_remove(&lines, line); }

static void prefetch(uint64_t line)
{
    sim_next(line, sim.line, SIM_PREFETCH);
    sim_count(prefetches, 1);
}

/* The buffer with this line at its head; NULL: there is none. */
static struct buffer *find(uint64_t line)
{
    for (uint64_t i = 0; i < count; i++)
        if (buffers[i].used && buffers[i].head == line)
            return &buffers[i];
    return NULL;
}

/* Empties the buffer that was used longest ago, and fills it with the lines behind this one. */
static void start(uint64_t line)
{
    struct buffer *oldest = &buffers[0];

    for (uint64_t i = 1; i < count; i++)
        if (buffers[i].used < oldest->used)
            oldest = &buffers[i];
    if (oldest->used)
        sim_count(unused, depth);
    *oldest = (struct buffer){line + sim.line, now};
    for (uint64_t i = 1; i <= depth; i++)
        prefetch(line + i * sim.line);
}

static void cachesim_X_doref(uint64_t addr, uint32_t size, enum sim_kind kind, struct sim_result *result)
{
    LINES_OF(line, addr, size) {
        struct buffer *b;

        if (lines_find(&lines, line))
            continue;
        lines_add(&lines, line, 0);
        b = find(line);
        now++;
        if (b) {
            *b = (struct buffer){line + sim.line, now};
            sim_count(useful, 1);
            prefetch(line + depth * sim.line);
            continue;
        }
        misses++;
        result->miss = result->next_done = true;
        result->next_miss |= sim_next(line, sim.line, kind);
        start(line);
    }
}

static void cachesim_X_finish(void)
{
    uint64_t served = sim_counted(useful), all = sim_counted(prefetches);

    sim_print("%s: coverage %lu%%, accuracy %lu%%", sim.slot, 100 * served / (served + misses ? served + misses : 1), 100 * served / (all ? all : 1));
}
