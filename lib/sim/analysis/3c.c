/* analysis/3c.c - the three Cs: is a data miss compulsory, capacity or conflict?
 *
 *   compulsory  the line was never referenced before
 *   capacity    a fully associative LRU cache of the same size misses, too
 *   conflict    it would hit
 *
 * Slot AN; sees the references to the D1 of this run.  Prints totals, and the lines with the most conflict misses.
 * Source: M. D. Hill, A. J. Smith, Evaluating associativity in CPU caches, IEEE Trans. Computers 38(12), 1989. */
#include "sim/analysis/stack.h"

#define ANALYSIS "3c"
#define WORST_LINES 10

static struct stack stack;
static uint64_t lines_in_cache;
static unsigned events[3];
static uint64_t *conflicts; /* per line record */

static void analysis_init(const struct sim_config *c)
{
    static const char *const names[3] = {"compulsory", "capacity", "conflict"};
    static const char *const texts[3] = {"D1 misses: first reference to the line", "D1 misses: also in a fully associative cache",
                                         "D1 misses: not in a fully associative cache"};

    lines_in_cache = c->size / c->line;
    stack_init(&stack);
    conflicts = sim_alloc(STACK_LINES * sizeof *conflicts);
    for (unsigned i = 0; i < 3; i++)
        events[i] = sim_event(c->slot, names[i], texts[i]);
}

/* A reference that covers several lines is one miss at most: it counts by its worst line. */
static void analysis_ref(const struct sim_ref *ref)
{
    uint64_t line = ref->addr >> sim.line_bits, last = (ref->addr + ref->size - 1) >> sim.line_bits, distance = 0, record = 0;

    if (ref->kind > SIM_MODIFY)
        return;
    for (; line <= last; line++) {
        uint64_t d = stack_touch(&stack, line);

        if (d >= distance) {
            distance = d;
            record = stack.record;
        }
    }
    if (!(ref->outcome & SIM_L1_MISS))
        return;
    if (distance == STACK_FIRST)
        sim_count(events[0], 1);
    else if (distance >= lines_in_cache)
        sim_count(events[1], 1);
    else {
        sim_count(events[2], 1);
        conflicts[record]++;
    }
}

static void analysis_finish(void)
{
    for (unsigned n = 0; n < WORST_LINES; n++) {
        uint64_t worst = 0;

        for (uint64_t i = 0; i < stack.lines; i++)
            if (conflicts[i] > conflicts[worst])
                worst = i;
        if (!stack.lines || !conflicts[worst])
            return;
        sim_print("AN: line %x: %U conflict misses", stack.line[worst] << sim.line_bits, conflicts[worst]);
        conflicts[worst] = 0;
    }
}
