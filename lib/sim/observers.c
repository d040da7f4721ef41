/* lib/sim/observers.c - slot AN: the observers of a run, which are its analyses and the hooks of the engine.
 *
 *   engine.c   a miss, a fill, a reference, an instruction -> each observer that asked for it
 *
 * If an analysis asks for lines or counts and this run cannot provide them, its analysis_ref is called instead.  Analyses are called
 * in the order in which the user named them, and do not affect each other.
 */
#include "sim/observers.h"

#include "sim/service.h"
#include "sim/slots.h"

bool qn_sim_observes, qn_sim_analyses, qn_sim_wants_pc, qn_sim_tells_misses, qn_sim_tells_lines;
struct qn_filter_entry qn_sim_victim;
uint64_t **qn_sim_miss_to;
struct qn_sim_miss_buffer qn_sim_miss_buffer;
struct qn_sim_far_uses qn_sim_far_uses;

struct qn_observers qn_observers;

static uint64_t *sites; /* by number, if a module wants sim_pc: see qn_site_of */

#define OBSERVERS_MAX 16

/* The analyses that asked for one kind of callback. */
struct observed {
    const struct qn_unit *unit[OBSERVERS_MAX];
    uint8_t number[OBSERVERS_MAX];
    uint8_t n;
};

static struct observed references, data, misses, lines, far, instructions;
static const struct qn_unit *all[OBSERVERS_MAX];
static struct qn_unit_facts facts[OBSERVERS_MAX];
static uint8_t count, current;
static bool reads_list[OBSERVERS_MAX]; /* of `far` */
static uint8_t n_lists;
static uint32_t near_told; /* the number of near lines of the others */

static void add(struct observed *t, unsigned number)
{
    t->unit[t->n] = all[number];
    t->number[t->n++] = (uint8_t)number;
}

/* Can this analysis work with misses, and does the run offer what it then needs? */
static bool reads_misses(const struct qn_unit *u, struct qn_observers_offer offer)
{
    return (u->miss || u->line) && (!u->line || offer.lines) && (!u->loads || offer.counts);
}

/* Can this analysis work with analysis_far, and does it want to? */
static bool reads_far(const struct qn_unit *u, struct qn_observers_offer offer, const struct sim_config *config)
{
    return u->far && offer.near && u->wants_far(config);
}

static struct sim_config config_for(const struct qn_config *c, const struct qn_unit *u, struct qn_observers_offer offer)
{
    const struct qn_geometry *g = &c->D1;

    return (struct sim_config){.slot = "AN", .size = g->size, .ways = g->assoc, .line = g->line, .seed = c->seed,
                               .sets = g->size / (g->assoc * g->line), .line_bits = qn_log2(g->line),
                               .misses = reads_misses(u, offer), .near = offer.near,
                               .LL_sets = c->LL.size / (c->LL.assoc * c->LL.line), .LL_line_bits = qn_log2(c->LL.line)};
}

/* The number of near lines.  It is at most the ways of the D1 if one of the analyses needs that. */
static uint32_t choose_near(const struct qn_config *c, struct qn_observers_offer offer)
{
    struct qn_observers_offer fewer = offer;
    const struct qn_unit *u;

    if (fewer.near > c->D1.assoc)
        fewer.near = c->D1.assoc;
    for (unsigned i = 0; offer.near && (u = qn_sim_analysis(i)); i++) {
        struct sim_config many = config_for(c, u, offer), few = config_for(c, u, fewer);

        if (u->far && !u->wants_far(&many) && u->wants_far(&few))
            return fewer.near;
    }
    return offer.near;
}

static void start(const struct qn_config *c, unsigned number, struct qn_observers_offer offer)
{
    const struct qn_unit *u = all[number];
    struct sim_config config = config_for(c, u, offer);

    current = (uint8_t)number;
    config.misses |= reads_far(u, offer, &config);
    IN_MODULE_DO(SLOT_AN, SIM_IN_INIT, 0, u->init(&config, &facts[number]));
    if (!c->cache_sim && (u->miss || u->line || u->far || u->only_data))
        sim_fail("AN", facts[number].name, "init", 0, "is told of references to data, and --cache-sim=no simulates none");
    if (u->log && u->log())
        return;
    if (u->insns)
        add(&instructions, number);
    else if (!config.misses)
        add(u->only_data ? &data : &references, number);
    else if (u->far || u->miss)
        add(u->far ? &far : &misses, number);
    if (config.misses && u->line)
        add(&lines, number);
}

/* All analyses of this run can wait for misses.  One that asks for loads is faster alone: it calls sim_miss_to. */
static bool can_wait(void)
{
    unsigned n = 0;

    for (unsigned i = 0; i < count; i++)
        n += all[i]->later != NULL;
    return n && n == count && !(n == 1 && all[0]->loads);
}

/* Which analyses of far lines read the list themselves? */
static void choose_list(const struct qn_config *c, struct qn_observers_offer offer)
{
    for (unsigned told = 0; told < far.n; told++) {
        struct sim_config config = config_for(c, far.unit[told], offer);

        reads_list[told] = far.unit[told]->touches && far.unit[told]->reads(&config);
        n_lists += reads_list[told];
    }
}

struct qn_observers qn_observers_init(const struct qn_config *config, struct qn_observers_offer offer)
{
    struct qn_observers asked = {.any = false};
    const struct qn_unit *u;

    asked.near = offer.near = choose_near(config, offer);
    while ((u = qn_sim_analysis(count))) {
        if (count == OBSERVERS_MAX)
            qn_engine_die("more analyses than there is room for", OBSERVERS_MAX, 0);
        all[count] = u;
        start(config, count, offer);
        if (u->log && u->log())
            asked.log = u->log();
        asked.pc |= facts[count++].wants_pc;
    }
    if (asked.log && count > 1)
        sim_fail("AN", facts[0].name, "init", 0, "who records is the only analysis of a run");
    asked.any = count != 0;
    asked.references = references.n != 0;
    asked.data = data.n != 0;
    asked.misses = misses.n != 0;
    asked.one_of_misses = misses.n == 1;
    asked.lines = lines.n != 0;
    asked.far = far.n != 0;
    asked.later = can_wait();
    asked.alone = count == 1;
    choose_list(config, offer);
    asked.list = far.n && n_lists == far.n;
    near_told = offer.near;
    asked.instructions = instructions.n != 0;
    asked.pc |= asked.references || asked.data;
    return asked;
}

#define TELL(kind, function, what)                     \
    for (unsigned told = 0; told < (kind).n; told++) { \
        current = (kind).number[told];                 \
        (kind).unit[told]->function(what);             \
    }

QN_SIM_NCSR void qn_observers_reference(const struct sim_ref *ref)
{
    TELL(references, seen, ref)
    if (ref->kind <= SIM_MODIFY)
        TELL(data, seen, ref)
}

static QN_SIM_NCSR void call_miss(const struct sim_miss *miss) { TELL(misses, miss, miss) }

static qn_line_hook *on_line;

bool qn_sim_tell_lines(qn_line_hook *hook)
{
    on_line = lines.n ? hook : NULL;
    return on_line != NULL;
}

QN_SIM_NCSR void qn_observers_line(const struct sim_line *line)
{
    TELL(lines, line, line)
    if (on_line && !line->used)
        on_line(line->line, line->victim, line->victim_used != 0);
}

static void call_later(struct qn_unit_misses l, uint32_t from, uint32_t n)
{
    l.last &= from + n == l.n;
    l.miss += from;
    l.n = n;
    for (unsigned i = 0; i < count; i++) {
        current = (uint8_t)i;
        all[i]->later(&l);
    }
}

/* The last ones may be taken back: of these each analysis is called for one before any is for the next. */
static void call_all_later(const struct qn_unit_misses *l, uint32_t last)
{
    uint32_t at = l->n > last ? l->n - last : 0, step = count == 1 ? last : 1;

    sim_undo_off = true;
    call_later(*l, 0, at);
    sim_undo_off = false;
    for (; at < l->n; at += step)
        call_later(*l, at, step < l->n - at ? step : l->n - at);
}

/* ---- far lines ----
 *
 * An analysis that does not read the list is told of each line that becomes near, and of the one that then is no longer near.  The list says
 * that of several near lines at once, so they wait until others come; if one of them is used before, it was near all the time.  So there are
 * always near_told near lines, those used last. */

static uint64_t waiting[QN_NEAR_MAX]; /* no longer near in the list; the one used last is the last */
static uint32_t n_waiting;

static uint64_t take_waiting(uint32_t i)
{
    uint64_t line = waiting[i];

    for (n_waiting--; i < n_waiting; i++)
        waiting[i] = waiting[i + 1];
    return line;
}

static bool was_waiting(uint64_t line)
{
    for (uint32_t i = 0; i < n_waiting; i++)
        if (waiting[i] == line)
            return take_waiting(i) == line;
    return false;
}

static void tell_far(const struct sim_far *f, uint32_t site)
{
    for (unsigned told = 0; told < far.n; told++) {
        current = far.number[told];
        if (reads_list[told])
            continue;
        far.unit[told]->far(f);
        if (QN_UNLIKELY(sim_events_new))
            qn_up_charge(site);
    }
}

static void tell_far_uses(const struct qn_unit_far_uses *t)
{
    static bool told; /* the reference has told of another line */

    for (const struct qn_far_use *touch = t->touch; touch < t->touch + t->n; touch++) {
        uint32_t site = touch->site & QN_SITE_COUNTER_MASK;

        if (touch->how & QN_FAR_USE_LEFT) {
            waiting[n_waiting++] = touch->line;
            continue;
        }
        told &= (touch->how & QN_FAR_USE_MORE) != 0;
        if (was_waiting(touch->line))
            continue;
        sim_reference.site = site;
        sim_reference.execution = touch->execution;
        *t->pc = t->site ? qn_site_pc(t->site[site]) : 0;
        tell_far(&(struct sim_far){.line = touch->line, .left = n_waiting ? take_waiting(0) : SIM_NO_LINE, .more = told, .kind = (uint8_t)qn_far_use_kind(touch, t->site)}, site);
        told = true;
    }
}

static void call_far_uses(const struct qn_unit_far_uses *t)
{
    for (unsigned told = 0; told < far.n; told++) {
        current = far.number[told];
        if (reads_list[told])
            far.unit[told]->touches(t);
    }
    if (n_lists < far.n)
        tell_far_uses(t);
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

void qn_sim_tell_misses(qn_miss_hook *hook, qn_slow_call *looked_up)
{
    on_miss = hook;
    qn_sim_missed = qn_observers.any ? NULL : looked_up;
    qn_sim_miss_to = NULL;
    qn_sim_miss_buffer.count = NULL;
    qn_sim_tells_misses = true;
}

/* ---- misses that are collected, for analyses that are called later ---- */

static volatile uint64_t *looked_at; /* struct qn_waiting.told */

/* Buffers misses only with the default caches (`possible`), and not when --calls sums the events of modules. */
void qn_observers_init_misses(bool possible, bool calls)
{
#ifdef QN_SIM_HOSTED
    (void)possible, (void)calls;
#else
    if (!qn_observers.later || qn_sim_miss_to || !possible || (sim_waits.left && calls)) {
        sim_waits.left = NULL;
        return;
    }
    qn_sim_miss_buffer.misses = qn_engine_alloc_low(QN_MISS_BUFFER * sizeof *qn_sim_miss_buffer.misses);
    if (sim_waits.left) {
        struct qn_waiting *w = qn_sim_waiting(sim_waits.event);

        qn_sim_miss_buffer.count = &w->misses;
        qn_sim_miss_buffer.site = w->site;
        looked_at = &w->told;
        if (qn_observers.alone)
            return;
    } else {
        qn_sim_miss_buffer.count = sim_cells(1);
    }
    sim_row(&(struct sim_term){.cells = qn_sim_miss_buffer.count, .n = 1, .times = 1, .needed = true}, 1,
            "AN: the program was killed before %%U of its misses were looked at");
#endif
}

/* The number of the last ones in the list that belong to executions of blocks that have not ended. */
static uint32_t count_new(void)
{
    const struct qn_buffered_miss *next = qn_sim_miss_buffer.misses + *qn_sim_miss_buffer.count;
    uint32_t found = 0;

    if (qn_sim_is_old)
        return 0;
    for (uint64_t n = 1; n <= QN_SIM_MISSES && n <= qn_sim_miss_count && found < *qn_sim_miss_buffer.count; n++) {
        const struct qn_sim_miss *m = &qn_sim_misses[(qn_sim_miss_count - n) % QN_SIM_MISSES];

        if (m->execution != qn_sim_execution(m->counter))
            break;
        found += (next[-1 - (int64_t)found].site & QN_SITE_COUNTER_MASK) == m->counter; /* no: it is a fetch */
    }
    return found;
}

QN_SIM_NCSR void qn_observers_tell_misses(bool last)
{
    struct qn_unit_misses l = {qn_sim_miss_buffer.misses, sites, &sim_pc, looked_at, (uint32_t)*qn_sim_miss_buffer.count, qn_sim_d1_filter.line, last};
    uint64_t pc = sim_pc; /* of the reference that is being simulated */
    uint32_t new = count_new();

    call_all_later(&l, new);
    *(volatile uint64_t *)qn_sim_miss_buffer.count = 0;
    if (looked_at)
        *looked_at = 0;
    sim_pc = pc;
}

QN_SIM_NCSR void qn_sim_misses_tell(void) { qn_observers_tell_misses(true); }

void qn_observers_init_far_uses(void)
{
#ifndef QN_SIM_HOSTED
    if (!qn_observers.far)
        return;
    qn_sim_far_uses.list = qn_engine_alloc_low(QN_FAR_USES * sizeof *qn_sim_far_uses.list);
    qn_sim_far_uses.count = sim_cells(2);
    sim_row((struct sim_term[]){{.cells = qn_sim_far_uses.count, .n = 1, .times = 1, .plus = true},
                                {.cells = qn_sim_far_uses.count + 1, .n = 1, .times = -1, .needed = true}}, 2,
            "AN: the program was killed before %%U references to lines that were not near were looked at");
#endif
}

/* The number of touches before those of executions of blocks that have not ended. */
static uint32_t count_old(void)
{
    const struct qn_far_use *list = qn_sim_far_uses.list;
    uint32_t n = (uint32_t)*qn_sim_far_uses.count;

    while (n && (list[n - 1].how & QN_FAR_USE_LEFT || list[n - 1].execution == qn_sim_execution(list[n - 1].site & QN_SITE_COUNTER_MASK)))
        n--;
    return n;
}

void qn_observers_read_far_uses(void)
{
    struct qn_unit_far_uses t = {.touch = qn_sim_far_uses.list, .site = sites, .pc = &sim_pc};
    struct sim_undo reference = sim_reference; /* the one being simulated */
    uint64_t pc = sim_pc;
    uint32_t old = count_old();

    t.n = old;
    sim_undo_off = true;
    call_far_uses(&t);
    sim_undo_off = false;
    t.touch += old;
    t.n = (uint32_t)*qn_sim_far_uses.count - old;
    call_far_uses(&t);
    qn_sim_far_uses.count[0] = qn_sim_far_uses.count[1] = 0;
    sim_reference = reference;
    sim_pc = pc;
}

static uint32_t telling; /* the site of the miss for which analyses are being called */

void sim_miss_to(uint64_t *address)
{
    if (qn_sim_miss_to && telling)
        qn_sim_miss_to[telling] = address;
}

/* The kind of the reference.  Without qn_sim_kinds, emitted code does not pass it, so it comes from `sites`. */
static inline unsigned site_kind(unsigned kind, uint32_t site)
{
    return kind == SIM_READ && sites ? qn_site_kind(sites[site]) : kind;
}

QN_SIM_NCSR void qn_observers_tell_miss(uint64_t addr, uint32_t size, unsigned kind, unsigned outcome, uint32_t site)
{
    if (qn_observers.misses) {
        telling = sites ? site : 0;
        kind = site_kind(kind, site);
        call_miss(&(struct sim_miss){.addr = addr, .pc = sim_pc, .size = size, .kind = (uint8_t)kind, .outcome = (uint8_t)outcome});
    }
    if (on_miss) /* after the analyses, because it reads the miss's class */
        on_miss(addr, site, outcome >> 1 & 1);
}

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
