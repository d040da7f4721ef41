/* lib/sim/observers.c - slot AN: the observers of a run, which are its analyses and the hooks of the engine.
 *
 *   engine.c   a reference, an instruction -> each analysis that asked for it
 *   stream.c   many records                -> each analysis that asked for some of them
 *   engine.c   a miss, a fill              -> the hook
 *
 * Analyses are called in the order in which the user named them, and do not affect each other.
 */
#include "sim/observers.h"

#include "sim/service.h"
#include "sim/slots.h"
#include "sim/stream.h"

bool qn_sim_observes, qn_sim_analyses, qn_sim_wants_pc, qn_sim_tells_misses;
struct qn_filter_entry qn_sim_victim;

struct qn_observers qn_observers;

static uint64_t *sites; /* by number, if a module wants sim_pc: see qn_site_of */

#define OBSERVERS_MAX 16

/* The analyses that asked for one kind of callback. */
struct observed {
    const struct qn_unit *unit[OBSERVERS_MAX];
    uint8_t number[OBSERVERS_MAX];
    uint8_t n;
};

static struct observed references, data, records, counting, instructions; /* counting: records, and it has events */
static const struct qn_unit *all[OBSERVERS_MAX];
static struct qn_unit_facts facts[OBSERVERS_MAX];
static uint8_t count, current;

static void add(struct observed *t, unsigned number)
{
    t->unit[t->n] = all[number];
    t->number[t->n++] = (uint8_t)number;
}

static struct sim_config config_for(const struct qn_config *c, bool tells_lines)
{
    const struct qn_geometry *g = &c->D1;

    return (struct sim_config){.slot = "AN", .size = g->size, .ways = g->assoc, .line = g->line, .seed = c->seed,
                               .sets = g->size / (g->assoc * g->line), .line_bits = qn_log2(g->line), .victims = tells_lines,
                               .LL_sets = c->LL.size / (c->LL.assoc * c->LL.line), .LL_line_bits = qn_log2(c->LL.line)};
}

static void start(const struct qn_config *c, unsigned number, const struct sim_config *config)
{
    const struct qn_unit *u = all[number];
    unsigned events = qn_sim_events();

    current = (uint8_t)number;
    IN_MODULE_DO(SLOT_AN, SIM_IN_INIT, 0, u->init(config, &facts[number]));
    if (!c->cache_sim && (u->records || u->only_data))
        sim_fail("AN", facts[number].name, "init", 0, "is told of references to data, and --cache-sim=no simulates none");
    if (u->log)
        return;
    add(u->insns ? &instructions : u->records ? (qn_sim_events() == events ? &records : &counting) : u->only_data ? &data : &references, number);
}

/* At most so many lines may be recent, for all analyses. */
static uint32_t choose_recent(const struct sim_config *config)
{
    uint32_t most = QN_RECENT_MAX;

    for (unsigned i = 0; i < count; i++) {
        uint32_t n = all[i]->recent ? all[i]->recent(config) : most;

        most = n < most ? n : most;
    }
    return most ? most : 1;
}

struct qn_observers qn_observers_init(const struct qn_config *c, bool tells_lines)
{
    const struct sim_config config = config_for(c, tells_lines);
    struct qn_observers asked = {.any = false};
    const struct qn_unit *u;

    while ((u = qn_sim_analysis(count))) {
        if (count == OBSERVERS_MAX)
            qn_engine_die("more analyses than there is room for", OBSERVERS_MAX, 0);
        all[count] = u;
        start(c, count, &config);
        if (u->log)
            asked.log = u->log;
        asked.records |= u->records;
        asked.pc |= facts[count++].wants_pc;
    }
    if (asked.log && count > 1)
        sim_fail("AN", facts[0].name, "init", 0, "who records is the only analysis of a run");
    asked.any = count != 0;
    asked.references = references.n != 0;
    asked.data = data.n != 0;
    asked.recent = choose_recent(&config);
    asked.instructions = instructions.n != 0;
    asked.pc |= asked.references || asked.data;
    return asked;
}

#define TELL(kind, function, ...)                      \
    for (unsigned told = 0; told < (kind).n; told++) { \
        current = (kind).number[told];                 \
        (kind).unit[told]->function(__VA_ARGS__);      \
    }

QN_SIM_NCSR void qn_observers_reference(const struct sim_ref *ref)
{
    TELL(references, seen, ref)
    if (ref->kind <= SIM_MODIFY)
        TELL(data, seen, ref)
}

/* Emitted code writes a site with the size; instruction and kind follow from it. */
uint64_t qn_observers_complete(struct sim_record *r, uint32_t n)
{
    uint64_t misses = 0;

    for (const struct sim_record *end = r + n; r < end; r++) {
        uint32_t site = r->site & QN_SITE_COUNTER_MASK;

        if (r->what & SIM_LEFT)
            continue;
        misses += r->what & SIM_L1_MISS;
        r->size = r->size ? r->size : (uint16_t)(r->site >> QN_SITE_SIZE_SHIFT);
        r->site = site;
        if (!sites || !sites[site]) /* a reference from C that is complete */
            continue;
        r->pc = qn_site_pc(sites[site]);
        r->kind = (uint8_t)qn_site_kind(sites[site]);
    }
    return misses;
}

void qn_observers_read(struct sim_record *first, uint32_t n) { TELL(records, observe, first, n) }

void qn_observers_count(struct sim_record *first, uint32_t n) { TELL(counting, observe, first, n) }

static qn_line_hook *on_line;

bool qn_sim_tell_lines(qn_line_hook *hook)
{
    if (!qn_sim_stream.first || qn_sim_stream.by_reference || !(qn_observers.records & (SIM_VICTIMS | SIM_USES)))
        return false;
    qn_sim_stream.victims = true;
    on_line = hook;
    return true;
}

void qn_observers_line(const struct qn_line_use *l)
{
    if (on_line && !l->used)
        on_line(l->line, l->victim, l->victim_used != 0);
}

/* ---- the instruction of a site ---- */

void qn_sim_note_site(uint32_t site, uint64_t pc, enum qn_log_kind kind)
{
    if (!sites)
        sites = qn_engine_alloc(QN_ARENA_COUNTERS_SIZE);
    sites[site] = qn_site_of(pc, kind);
}

void qn_sim_set_pc(uint32_t site)
{
    if (qn_sim_wants_pc)
        sim_pc = sites ? qn_site_pc(sites[site]) : 0;
}

void qn_up_refer(uint32_t site)
{
    sim_reference.site = site;
    sim_reference.execution = qn_sim_execution(site);
}

static qn_miss_hook *on_miss;
qn_slow_call *qn_sim_missed;

/* It reads what analyses have counted for this miss. */
void qn_sim_tell_misses(qn_miss_hook *hook, qn_slow_call *looked_up)
{
    on_miss = hook;
    qn_sim_missed = qn_observers.any || qn_sim_stream.first ? NULL : looked_up;
    qn_sim_tells_misses = true;
    qn_stream_be_at_once();
}

QN_SIM_NCSR void qn_observers_miss(uint64_t addr, uint32_t site, unsigned ll) { on_miss(addr, site, ll); }

/* ---- instructions ---- */

/* Only the first analysis can use the instructions' memo. */
void qn_sim_observe(struct sim_insn *insn, unsigned n)
{
    for (unsigned told = 0; told < instructions.n; told++) {
        current = instructions.number[told];
        for (unsigned i = 0; told == 1 && i < n; i++)
            insn[i].memo = NULL;
        instructions.unit[told]->insns(insn, n);
    }
}

void qn_observers_finish(void)
{
    for (unsigned i = 0; i < count; i++) {
        current = (uint8_t)i;
        all[i]->finish();
    }
}

const char *qn_observers_module(void) { return count ? facts[current].name : NULL; }
