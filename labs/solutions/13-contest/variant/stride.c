/* stride.c - lab 13, a solution for variants (REGION and SURE are defined before it): the next line of a walk comes before it is wanted. */
#include "sim/lines.h"

#define LEVEL "stride"
#define LEVEL_LINES lines /* quern watch draws them */
#define STREAMS_MAX 64

static struct lines lines;
static uint64_t streams; /* --sim-opt=entries=N */

static void cachesim_X_initcache(const struct sim_config *c)
{
    lines_init(&lines, c->sets, c->ways, c->line_bits);
    streams = sim_option_within(c->slot, LEVEL, "entries", 16, 1, STREAMS_MAX);
}

static bool bring_in(uint64_t line, enum sim_kind kind)
{
    bool far = sim_next(line, sim.line, kind);

    lines_add(&lines, line, 0);
    return far;
}

static struct stream {
    uint64_t region, last, used; /* used 0: free */
    int64_t step;
    unsigned sure;
} stream[STREAMS_MAX];
static uint64_t now;

static struct stream *find(uint64_t region)
{
    struct stream *oldest = stream;

    for (struct stream *s = stream; s < stream + streams; s++) {
        if (s->used && s->region == region)
            return s;
        if (s->used < oldest->used)
            oldest = s;
    }
    *oldest = (struct stream){ .region = region };
    return oldest;
}

/* Learns from a line (its number), and prefetches the next one. */
static void learn(uint64_t line)
{
    struct stream *s = find(line / REGION);
    int64_t step = (int64_t)line - (int64_t)s->last;
    bool is_new = !s->used;
    uint64_t next;

    s->used = ++now;
    if (is_new)
        s->last = line;
    if (is_new || step == 0)
        return;
    if (step == s->step)
        s->sure += s->sure < 3;
    else if (s->sure)
        s->sure--;
    else
        s->step = step;
    s->last = line;
    next = line + (uint64_t)s->step;
    if (s->sure >= SURE && next / REGION == s->region && !lines_has(&lines, next * sim.line))
        bring_in(next * sim.line, SIM_PREFETCH);
}

static void cachesim_X_doref(uint64_t addr, uint32_t size, enum sim_kind kind, struct sim_result *result)
{
    LINES_OF(line, addr, size) {
        if (!lines_find(&lines, line)) {
            result->miss = result->next_done = true;
            result->next_miss |= bring_in(line, kind);
        }
        learn(line / sim.line);
    }
}
