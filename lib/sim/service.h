/* lib/sim/service.h - the engine's side of service.c, and the functions that lib/run supplies to simulators. */
#ifndef QN_SIM_SERVICE_H
#define QN_SIM_SERVICE_H

#include "base/base.h"
#include "base/context.h"
#include "sim/current_module.h"
#include "sim/contract.h"
#include "sim/module.h"

#define QN_SIM_MEMORY_MAX (4ull << 30) /* bytes for all modules together */

/* charges: QN_ARENA_CHARGES_SIZE bytes for rows. */
void qn_sim_service_init(struct qn_sim_output *where, uint64_t *charges, const char *option_text);
/* The reference at this site is done: what modules have counted since the last one is its own.  0 = no reference. */
QN_NCSR void qn_sim_charge(uint32_t site);
extern uint64_t *sim_counters; /* of the sites, in the arena */
/* Those of the reference for which emitted code calls. */
static inline uint64_t *site_counts(void) { return sim_counters + (qn_ctx.arg_site & QN_SITE_COUNTER_MASK); }
/* The same for a site's counters, if modules have counted anything. */
static inline void charge(const uint64_t *counts)
{
    if (QN_UNLIKELY(sim_events_new))
        qn_sim_charge((uint32_t)(counts - sim_counters));
}
void qn_sim_service_modules(const char *names); /* the modules in the slots, for the profile */
void qn_sim_service_how(unsigned slot, uint8_t how); /* enum qn_sim_how */
const char *qn_sim_event_name(unsigned event);
unsigned qn_sim_events(void); /* the number of those declared */
/* Declares the misses of the L2, before any other event (cost/events.h).  Of the shadow model, too: then they are compared. */
void qn_sim_L2_declare(void);
static inline unsigned qn_sim_L2_event(unsigned kind) { return kind == SIM_FETCH ? 0 : kind == SIM_WRITE ? 2 : 1; } /* of enum sim_kind */
/* Supplied by run.  of_cell: see struct qn_finding.  NULL: the table is full. */
struct sim_finding *qn_engine_finding(const struct sim_finding *finding, bool kept, uint32_t of_cell);
void *qn_engine_values(uint64_t pc, const char *what, unsigned entries); /* the same; see struct qn_value_list */
extern bool qn_sim_events_hidden;      /* events declared now are counted and never shown */
extern bool qn_sim_events_of_shadow;     /* events declared now belong to the shadow model */
extern uint64_t qn_sim_events_shadowed; /* a bit for each event that the shadow model of --check declares, too */
struct sim_shared *qn_engine_shared(const struct sim_shared *row); /* supplied by run; NULL: the table is full */
void *qn_engine_alloc(uint64_t bytes);                       /* supplied by run */
void *qn_engine_alloc_low(uint64_t bytes);                   /* the same below 2 GiB, within reach of emitted code */
void *qn_engine_try_alloc(uint64_t bytes);                   /* NULL: out of memory */
void *qn_engine_try_alloc_dense(uint64_t bytes);             /* the same in huge pages, for memory that is used densely */
void qn_engine_leave_gap(uint64_t bytes);                    /* behind what was allocated last so many bytes fault */

/* Memory of modules lies at the end of its pages, and pages that fault lie behind it, so that a write out of bounds is found at once.
 * It begins at a multiple of a line of the processor's caches. */
#define QN_SIM_ALIGNMENT 64u
#define QN_SIM_GUARD (64u << 10) /* bytes that fault */
static inline void *qn_sim_up_to_guard(void *pages, uint64_t bytes, uint64_t unit)
{
    return (char *)pages + (qn_round_up(bytes, unit) - qn_round_up(bytes, QN_SIM_ALIGNMENT));
}

_Noreturn void qn_engine_die(const char *what, uint64_t a, uint64_t b);
_Noreturn void qn_engine_module_failed(const char *line);    /* supplied by run */

/* Stops the run if an event cannot be declared. */
static inline void sim_check_event(bool there, bool good_name, bool full)
{
    if (sim_current[0] && sim_current[1] != SIM_IN_INIT)
        sim_fail("?", "?", "sim_event", 0, "declares an event after the start");
    if (!good_name)
        sim_fail("?", "?", "sim_event", 0, "a name needs 1 to 28 letters, digits, - and _");
    if (there)
        sim_fail("?", "?", "sim_event", 0, "declares an event twice");
    if (full)
        sim_fail("?", "?", "sim_event", 0, "declares more events than there is room for");
}

/* ---- cells.c: the memory of the tables of modules ---- */

/* A name without blanks, because these separate names: in the profile's `events:` line, in the columns of a table. */
bool qn_sim_good_name(const char *name);

/* tables: QN_ARENA_TABLES_SIZE zeroed bytes; in a replay, QN_TABLE_SETS_OFF bytes.  Call it before modules are set up. */
void qn_sim_rows_init(uint8_t *tables, struct qn_table_head *head);
uint64_t qn_sim_cell_number(const uint64_t *cell);

#endif
