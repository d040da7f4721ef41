/* sim/hosted/future.c - the next use of each line, for policies that look ahead (opt).
 *
 * There are two sequences: the lines of fetches, and the lines of data references, each in the order in which a level sees them.
 * next[i] = index of the next use of the same line, UINT64_MAX = never.  The trace is read once in advance to compute them. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "sim/hosted/hosted.h"
#include "sim/hosted/trace.h"

struct sequence {
    uint64_t *value;      /* lines first, then the index of the next touch */
    uint64_t n, room, at;
    uint32_t line;
};

static struct sequence sequences[2]; /* I, D */

static void append(struct sequence *s, uint64_t line)
{
    if (!QN_GROW(s->value, s->n, s->room, 65536))
        sim_fail("?", "opt", "future", 0, "not enough memory for the whole trace");
    s->value[s->n++] = line;
}

static void append_range(struct sequence *s, uint64_t addr, uint32_t size)
{
    uint64_t mask = ~(uint64_t)(s->line - 1);

    for (uint64_t line = addr & mask;; line += s->line) {
        append(s, line);
        if (line == ((addr + size - 1) & mask))
            return;
    }
}

/* Open addressing from lines to the index of their latest touch, from the end of the sequence to its beginning. */
static void find_next_uses(struct sequence *s)
{
    uint64_t slots = 1024, *keys, *touch;

    while (slots < 2 * s->n + 2)
        slots *= 2;
    keys = malloc(slots * sizeof *keys);
    touch = malloc(slots * sizeof *touch);
    if (!keys || !touch)
        sim_fail("?", "opt", "future", 0, "not enough memory for the whole trace");
    memset(touch, 0xff, slots * sizeof *touch);
    for (uint64_t i = s->n; i-- > 0;) {
        uint64_t line = s->value[i], h = line * 0x9e3779b97f4a7c15ull >> 20 & (slots - 1);

        while (touch[h] != UINT64_MAX && keys[h] != line)
            h = (h + 1) & (slots - 1);
        s->value[i] = touch[h];
        keys[h] = line;
        touch[h] = i;
    }
    free(keys);
    free(touch);
}

bool hosted_look_ahead(const struct hosted_options *o)
{
    char why[512];
    struct trace *t = strcmp(o->trace, "-") ? trace_open(o->trace, why, sizeof why) : NULL;
    struct sim_ref ref;

    sequences[0].line = o->config.I1.line;
    sequences[1].line = o->config.D1.line;
    if (!t)
        return false;
    while (trace_next(t, &ref) == 1) {
        if (ref.kind >= SIM_REF_COND)
            continue;
        append_range(&sequences[ref.kind != SIM_REF_FETCH], ref.addr, ref.size);
        if (o->split_modify && ref.kind == SIM_MODIFY)
            append_range(&sequences[1], ref.addr, ref.size);
    }
    trace_close(t);
    find_next_uses(&sequences[0]);
    find_next_uses(&sequences[1]);
    return true;
}

uint64_t sim_next_use_in(const char *slot)
{
    struct sequence *s = &sequences[slot[0] != 'I'];

    if (slot[0] == 'L')
        sim_fail(slot, "opt", "sim_next_use", 0, "the future is known in I1 and D1 only; make the D1 as large as the LL");
    if (s->at >= s->n)
        sim_fail(slot, "opt", "sim_next_use", s->at, "asked more often than lines are touched");
    return s->value[s->at++];
}
