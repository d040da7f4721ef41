/* analysis/3c.c - the three Cs: is a data miss compulsory, capacity or conflict?
 *
 *   compulsory  the line was never referenced before
 *   capacity    a fully associative LRU cache of the same size misses, too
 *   conflict    it would hit
 *
 * Slot AN; data references to the D1 of this run.  Prints totals, and the lines with the most conflict misses, of equals the lower
 * address first.  Misses are enough where the D1 keeps times of last use (recency.h); elsewhere each reference is asked for (stack.h).
 * Source: M. D. Hill, A. J. Smith, Evaluating associativity in CPU caches, IEEE Trans. Computers 38(12), 1989. */
#include "sim/analysis/recency.h"
#include "sim/analysis/sites.h"
#include "sim/analysis/stack.h"

#define ANALYSIS "3c"
#define ANALYSIS_LINES 1
#define WORST_LINES 10

struct fought_for {
    struct site site; /* the number of a line */
    uint64_t conflicts;
};

static struct recency recency;
static struct stack stack;
static struct sites lines;
static uint64_t lines_in_cache;
static unsigned events[3];
static uint64_t distance, line_of_it; /* of the lines of this reference the one that was away longest */

static void analysis_init(const struct sim_config *c)
{
    static const char *const names[3] = {"compulsory", "capacity", "conflict"};
    static const char *const texts[3] = {"D1 misses: first reference to the line", "D1 misses: also in a fully associative cache",
                                         "D1 misses: not in a fully associative cache"};

    lines_in_cache = c->size / c->line;
    if (c->misses)
        recency_init(&recency, c);
    else
        stack_init(&stack);
    sites_init(&lines, sizeof(struct fought_for));
    for (unsigned i = 0; i < 3; i++)
        events[i] = sim_event(c->slot, names[i], texts[i]);
}

/* A reference that covers several lines is one miss at most: it counts by its worst line. */
static void look_at(uint64_t line, uint64_t d, bool first)
{
    if (!first && d < distance)
        return;
    distance = d;
    line_of_it = line;
}

static void count_conflict(uint64_t line)
{
    struct fought_for *f = (struct fought_for *)sites_find(&lines, line >> sim.line_bits, 0);

    sim_count(events[2], 1);
    if (f)
        f->conflicts++;
}

static void count_miss(void)
{
    if (distance == STACK_FIRST)
        sim_count(events[0], 1);
    else if (distance >= lines_in_cache)
        sim_count(events[1], 1);
    else
        count_conflict(line_of_it);
}

static void analysis_line(const struct sim_line *l) { look_at(l->line, recency_line(&recency, l), l->first); }

static void analysis_miss(const struct sim_miss *miss)
{
    (void)miss;
    count_miss();
}

static void analysis_ref(const struct sim_ref *ref)
{
    uint64_t first = ref->addr >> sim.line_bits, last = (ref->addr + ref->size - 1) >> sim.line_bits;

    if (ref->kind > SIM_MODIFY)
        return;
    for (uint64_t line = first; line <= last; line++)
        look_at(line << sim.line_bits, stack_touch(&stack, line), line == first);
    if (ref->outcome & SIM_L1_MISS)
        count_miss();
}

static struct fought_for *worst(void)
{
    struct fought_for *worst = NULL;

    for (uint32_t i = 0; i < lines.count; i++) {
        struct fought_for *f = (struct fought_for *)sites_at(&lines, i);

        if (!worst || f->conflicts > worst->conflicts || (f->conflicts == worst->conflicts && f->site.pc < worst->site.pc))
            worst = f;
    }
    return worst && worst->conflicts ? worst : NULL;
}

static void analysis_finish(void)
{
    struct fought_for *f;

    for (unsigned n = 0; n < WORST_LINES && (f = worst()); n++) {
        sim_print("AN: line %x: %U conflict misses", f->site.pc << sim.line_bits, f->conflicts);
        f->conflicts = 0;
    }
}
