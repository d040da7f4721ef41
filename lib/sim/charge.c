/* lib/sim/charge.c - charges events of modules to the instruction whose reference caused them.
 *
 *   reference at site 4711; its module says sim_count(writebacks, 1)     row of 4711:  [4711 | writebacks 1]
 *
 * A site is the index of the reference's miss counters.  There may be 32 events, and most sites never cause one, so counters of
 * all events for each site would nearly all be 0.  Instead, a site gets a row of counts, one for each event, when it first causes
 * an event.  The array row_of has the number of its row; only the pages of it that are used take memory.  Without events this
 * costs nothing.
 *
 * A log of the last charges allows a fault to take back the events of instructions that were not completed.
 */
#include "sim/charge.h"

#include "sim/service.h"

#define SITES (QN_ARENA_COUNTERS_SIZE / 8)
#define LOG 512u /* more than the references of one execution of a block can cause */

struct charge {
    uint32_t site, event;
    uint64_t n, execution;
};

uint64_t sim_event_new[2 * SIM_EVENTS_MAX], sim_events_new, qn_sim_charge_count;

static struct qn_sim_output *output;
static uint64_t *rows;
static uint32_t *row_of; /* by site: number of its row, + 1 */
static struct charge log[LOG];

void qn_sim_charge_init(struct qn_sim_output *where, uint64_t *where_rows)
{
    output = where;
    rows = where_rows;
}

static inline uint64_t *row(uint64_t number) { return rows + number * (output->events + 1); }

static __attribute__((noinline)) QN_SIM_NCSR uint64_t *new_row(uint32_t site)
{
    uint64_t n = output->charges, bytes = (output->events + 1) * sizeof(uint64_t);

    if (!row_of)
        row_of = qn_engine_alloc(SITES * sizeof *row_of);
    if ((n + 1) * bytes > QN_ARENA_CHARGES_SIZE)
        sim_fail("?", "?", "sim_count", 0, "more instructions cause events than there is room for");
    row(n)[0] = site;
    output->charges = n + 1;
    row_of[site] = (uint32_t)n + 1;
    return row(n);
}

static inline uint64_t *find_row(uint32_t site)
{
    return QN_LIKELY(row_of && row_of[site]) ? row(row_of[site] - 1) : new_row(site);
}

QN_SIM_NCSR void qn_sim_charge(uint32_t site)
{
    uint64_t left = sim_events_new & ((1ull << output->events) - 1); /* less what the twin counted */
    uint64_t *counts = left ? find_row(site) + 1 : NULL;

    sim_events_new = 0;
    for (; left; left &= left - 1) {
        unsigned event = (unsigned)__builtin_ctzll(left);
        uint64_t n = sim_event_new[event];

        counts[event] += n;
        output->counts[event] += n;
        qn_sim_sum_event(QN_COST_EVENTS + event, (int64_t)n);
        sim_event_new[event] = 0;
        log[qn_sim_charge_count++ % LOG] = (struct charge){site, event, n, qn_sim_execution(site)};
    }
}

void qn_sim_charge_to(uint32_t site, unsigned event, uint64_t n)
{
    find_row(site)[1 + event] += n;
    output->counts[event] += n;
    qn_sim_sum_event(QN_COST_EVENTS + event, (int64_t)n);
}

/* The same for words of analyses, each of which gets its old value back. */
static void undo_words(const struct qn_sim_part *part)
{
    for (uint64_t i = 1; i <= SIM_UNDO_MAX && i <= sim_undo_count; i++) {
        const struct sim_undo *u = &sim_undo[(sim_undo_count - i) % SIM_UNDO_MAX];

        if (!qn_sim_is_part(part, u->site, u->execution))
            continue;
        *u->word = u->old;
    }
}

/* As with misses (run/core/arena.c): those of this execution are the newest. */
void qn_sim_uncharge(const struct qn_sim_part *part)
{
    undo_words(part);
    for (uint64_t i = 1; i <= LOG && i <= qn_sim_charge_count; i++) {
        const struct charge *c = &log[(qn_sim_charge_count - i) % LOG];

        if (!qn_sim_is_part(part, c->site, c->execution))
            continue;
        row(row_of[c->site] - 1)[1 + c->event] -= c->n;
        output->counts[c->event] -= c->n;
        qn_sim_sum_event(QN_COST_EVENTS + c->event, -(int64_t)c->n);
        sim_event_new[SIM_EVENTS_MAX + c->event] -= c->n; /* of the twin, if there is one */
    }
}
