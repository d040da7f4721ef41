/* analysis/3c.c - the three Cs: is a data miss compulsory, capacity or conflict?
 *
 * The three Cs: why did a data reference miss the D1? *Compulsory*: the line was never used before. *Capacity*: a fully associative
 * LRU cache of the same size would miss, too. *Conflict*: it would not. Four sets of one line; A and E want the same place:
 *
 *   A B C D    miss     compulsory
 *   E          misses   compulsory
 *   A          misses   capacity       B C D E were used since: four lines have no room for a fifth
 *   E          misses   conflict       only A was used since
 *
 * A reference to several lines counts by the line that was away longest. At the end it lists the ten lines with the most conflicts.
 *
 * Of several lines with as many conflicts the one at the lower address comes first.
 *
 * Events: `compulsory`, `capacity`, `conflict`.
 * Storage: of the tool: with the default D1, 512 bytes for each 64 neighbouring lines of which one has ever left the D1 (an eighth of
 * the memory that the program uses, if lines have 64 bytes), whichever of them it was, and 24 bytes for each line with conflicts, of
 * which 1.5 million are listed. With another D1 a record per line, and a tree. At 4 GiB the run stops with a line that says so.
 * Source: M. D. Hill, A. J. Smith, Evaluating associativity in CPU caches, IEEE Transactions on Computers 38(12), 1989. */
#include "sim/analysis/recency.h"
#include "sim/analysis/sites.h"
#include "sim/analysis/stack.h"

#define ANALYSIS "3c"
#define ANALYSIS_LINES 1
#define ANALYSIS_LATER 1
#define ANALYSIS_WAITS 1
#define ANALYSIS_AHEAD 1
#define WORST_LINES 10

struct fought_for {
    struct site site; /* the number of a line */
    uint64_t conflicts;
    uint64_t place;   /* in `worst`, of its count; 0: it is not there */
};

static struct recency recency;
static struct stack stack;
static struct sites lines;
static uint64_t lines_in_cache;
static unsigned events[3];
static uint64_t distance, line_of_it; /* of the line of this reference with the largest distance */

/* The list that is printed: at any time it has the lines with the most conflict misses, since a line gets one more at a time. */
static volatile uint64_t *worst;               /* address, conflicts; address, conflicts ... */
static uint64_t listed[WORST_LINES];           /* whose they are: a struct fought_for */
static uint64_t least, least_line;             /* the last of the list, as it was when it was looked for */

static void analysis_init(const struct sim_config *c)
{
    static const char *const names[3] = {"compulsory", "capacity", "conflict"};
    static const char *const texts[3] = {"D1 misses: first reference to the line", "D1 misses: also in a fully associative cache",
                                         "D1 misses: not in a fully associative cache"};

    lines_in_cache = c->size / c->line;
    sites_init(&lines, sizeof(struct fought_for));
    for (unsigned i = 0; i < 3; i++)
        events[i] = sim_event(c->slot, names[i], texts[i]);
    if (c->misses) {
        recency_init(&recency, c);
        recency_wait(&recency, events[1]);
    } else {
        stack_init(&stack);
    }
    worst = sim_cells(2 * WORST_LINES);
    sim_list((const uint64_t *)worst, WORST_LINES, "AN: line %%x: %%U conflict misses");
}

/* A reference to several lines counts as one miss at most, in the class of the line with the largest distance. */
static void look_at(uint64_t line, uint64_t d, bool first)
{
    if (!first && d < distance)
        return;
    distance = d;
    line_of_it = line;
}

/* Until the reference turns out not to happen; in the order of the program. */
static inline void set(volatile uint64_t *word, uint64_t value)
{
    sim_undoable((uint64_t *)word);
    *word = value;
}

static bool is_worse(uint64_t conflicts, uint64_t line, uint64_t than, uint64_t than_line)
{
    return conflicts > than || (conflicts == than && line < than_line);
}

static unsigned find_least(void)
{
    unsigned at = 0;

    for (unsigned i = 1; i < WORST_LINES; i++)
        if (is_worse(worst[2 * at + 1], worst[2 * at], worst[2 * i + 1], worst[2 * i]))
            at = i;
    set(&least, worst[2 * at + 1]);
    set(&least_line, worst[2 * at]);
    return at;
}

/* It may be one of the worst now; the last of the list then leaves it. */
static __attribute__((noinline)) void list(struct fought_for *f, uint64_t line)
{
    unsigned at = find_least();

    if (!is_worse(f->conflicts, line, least, least_line))
        return;
    if (listed[at])
        set(&((struct fought_for *)(uintptr_t)listed[at])->place, 0);
    set(&worst[2 * at + 1], 0);
    set(&worst[2 * at], line);
    set(&worst[2 * at + 1], f->conflicts);
    set(&listed[at], (uintptr_t)f);
    set(&f->place, 2 * at + 1);
}

static void count_conflict(uint64_t line)
{
    struct fought_for *f = (struct fought_for *)sites_find(&lines, line >> sim.line_bits, 0);

    sim_count(events[2], 1);
    if (!f)
        return;
    set(&f->conflicts, f->conflicts + 1);
    if (f->place)
        set(&worst[f->place], f->conflicts);
    else if (is_worse(f->conflicts, line, least, least_line))
        list(f, line);
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

static uint64_t *ahead[QN_MISS_BUFFER]; /* the words of victims, which are fetched before they are needed */

static inline void analysis_ahead(const struct sim_line *l, uint32_t i)
{
    if (!l->victim_used)
        return;
    ahead[i] = recency_of(&recency, l->victim);
    __builtin_prefetch(ahead[i], 1);
}

/* A capacity miss. */
static inline __attribute__((always_inline)) void analysis_waited(const struct sim_line *l, uint32_t i)
{
    recency_waited(&recency, ahead[i], l->victim_used);
    if (sim_undo_off)
        sim_count_for((uint32_t)sim_reference.site, events[1], 1);
    else
        sim_count(events[1], 1);
}

static void analysis_told(void) { recency_told(&recency); }

static void analysis_ref(const struct sim_ref *ref)
{
    uint64_t line = ref->addr >> sim.line_bits, first = line, last = (ref->addr + ref->size - 1) >> sim.line_bits;

    if (ref->kind > SIM_MODIFY)
        return;
    SIM_EACH_LINE(line, last)
        look_at(line << sim.line_bits, stack_touch(&stack, line), line == first);
    if (ref->outcome & SIM_L1_MISS)
        count_miss();
}

static void analysis_finish(void) {}
