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
 * A reference to several lines counts by the worst of them, in this order; of several conflicts the last. At the end it lists the ten lines with
 * the most conflicts.
 *
 * Of several lines with as many conflicts the one at the lower address comes first.
 *
 * Events: `compulsory`, `capacity`, `conflict`.
 * Storage: of the tool: 256 bytes for each 64 neighbouring lines of which one was used, 16 bytes for each line of the D1, and 24 bytes for
 * each line with conflicts, of which 1.5 million are listed. At 4 GiB the run stops with a line that says so.
 * Source: M. D. Hill, A. J. Smith, Evaluating associativity in CPU caches, IEEE Transactions on Computers 38(12), 1989. */
#include "sim/analysis/by_line.h"
#include "sim/analysis/sites.h"

#define ANALYSIS "3c"
#define ANALYSIS_RECORDS (SIM_MISSES | SIM_USES)
#define WORST_LINES 10

/* The fully associative cache: all recent lines, and a list of others, the one used last first.  Elements have numbers from 2 on. */
enum { NEVER, NOT_HELD, FIRST_ELEMENT }; /* of a line: never used; or in the cache no longer */

static struct element {
    uint64_t line;
    uint32_t newer, older; /* 0: none */
} *element;
static uint32_t newest, oldest, free_element, held, capacity;
static struct by_line state;  /* of a line: an element, or one of the above; of a recent line NOT_HELD */

static struct sites conflicts; /* by number of the line */
struct fought_for {
    struct site site;
    uint64_t n, *place; /* place: of n in `worst`; NULL: it is not there */
};
static uint64_t *worst;                         /* pairs: line, conflicts */
static struct fought_for *listed[WORST_LINES]; /* whose they are */
static unsigned events[3];
enum { CONFLICT, CAPACITY, COMPULSORY }; /* the worst last */

static void analysis_init(const struct sim_config *c)
{
    static const char *const names[] = {[COMPULSORY] = "compulsory", [CAPACITY] = "capacity", [CONFLICT] = "conflict"};
    static const char *const texts[] = {[COMPULSORY] = "D1 misses: first reference to the line",
                                        [CAPACITY] = "D1 misses: also in a fully associative cache",
                                        [CONFLICT] = "D1 misses: not in a fully associative cache"};

    capacity = c->size / c->line;
    by_line_init(&state, c->line_bits);
    sites_init(&conflicts, sizeof(struct fought_for));
    element = (struct element *)sim_alloc(capacity * sizeof *element) - FIRST_ELEMENT;
    for (uint32_t i = 0; i < capacity; i++)
        element[FIRST_ELEMENT + i].older = i + 1 < capacity ? FIRST_ELEMENT + i + 1 : 0;
    free_element = FIRST_ELEMENT;
    for (unsigned i = COMPULSORY + 1; i-- > CONFLICT;)
        events[i] = sim_event(c->slot, names[i], texts[i]);
    worst = sim_cells(2 * WORST_LINES);
    sim_table(sim.slot, ANALYSIS, "line misses");
    sim_list(worst, WORST_LINES, "AN: line {0x%%x}: {%%U} conflict misses");
}

static uint32_t analysis_recent(const struct sim_config *c) { return c->size / c->line / 2; }

static void take_out(uint32_t at)
{
    struct element *e = &element[at];

    *(e->newer ? &element[e->newer].older : &newest) = e->older;
    *(e->older ? &element[e->older].newer : &oldest) = e->newer;
    e->older = free_element;
    free_element = at;
}

static void leave(uint64_t line)
{
    uint32_t at = free_element;

    free_element = element[at].older;
    element[at] = (struct element){.line = line, .older = newest};
    *(newest ? &element[newest].newer : &oldest) = at;
    newest = at;
    *by_line(&state, line) = at;
}

/* A line becomes recent, if it is not.  Returns the class of its miss. */
static unsigned use(const struct sim_record *r)
{
    uint32_t *at, was;

    if (r->what & SIM_RECENT)
        return CONFLICT;
    at = by_line(&state, r->line);
    was = *at;
    *at = NOT_HELD;
    if (was >= FIRST_ELEMENT) {
        take_out(was);
        return CONFLICT;
    }
    if (held == capacity) {
        *by_line(&state, element[oldest].line) = NOT_HELD;
        take_out(oldest);
    } else {
        held++;
    }
    return was == NEVER ? COMPULSORY : CAPACITY;
}

static bool is_worse(const uint64_t *a, const uint64_t *b) { return a[1] > b[1] || (a[1] == b[1] && a[0] < b[0]); }

/* The line takes the place of the least of the list, unless that has more conflicts. */
static void list(uint64_t line, struct fought_for *f)
{
    unsigned least = 0;

    for (unsigned i = 1; i < WORST_LINES; i++)
        least = is_worse(&worst[2 * least], &worst[2 * i]) ? i : least;
    if (!is_worse((uint64_t[]){line, f->n}, &worst[2 * least]))
        return;
    if (listed[least])
        listed[least]->place = NULL;
    worst[2 * least + 1] = 0;
    worst[2 * least] = line;
    listed[least] = f;
    f->place = &worst[2 * least + 1];
}

static void count_conflict(uint64_t line)
{
    struct fought_for *f = (struct fought_for *)sites_find(&conflicts, line / sim.line, 0);

    if (!f)
        return;
    f->n++;
    if (!f->place)
        list(line, f);
    if (f->place)
        *f->place = f->n;
}

static void analysis_observe(const struct sim_record *r, uint32_t n)
{
    static unsigned class; /* of the reference, and its line */
    static uint64_t line;
    static bool more;

    for (const struct sim_record *end = r + n; r < end; r++) {
        unsigned of_line;

        if (r->what & SIM_LEFT) {
            leave(r->line);
            continue;
        }
        of_line = use(r);
        if (!more || of_line >= class) {
            class = of_line;
            line = r->line;
        }
        more = r->what & SIM_MORE;
        if (!(r->what & SIM_L1_MISS))
            continue;
        sim_count_for(r->site, events[class], 1);
        if (class == CONFLICT)
            count_conflict(line);
    }
}

static void analysis_finish(void) {}
