/* lib/sim/readers.c - slot AN: the analyses of a run.
 *
 *   engine.c   a miss, a fill, a reference, an instruction -> each analysis that asked for it
 *
 * If an analysis asks for lines or counts and this run cannot provide them, its analysis_ref is called instead.  Analyses are called
 * in the order in which the user named them, and do not affect each other.
 */
#include "sim/readers.h"

#include "sim/service.h"
#include "sim/slots.h"

#define READERS_MAX 16

/* The analyses that asked for one kind of callback. */
struct told {
    const struct qn_unit *unit[READERS_MAX];
    uint8_t number[READERS_MAX];
    uint8_t n;
};

static struct told references, data, misses, lines, far, instructions;
static const struct qn_unit *all[READERS_MAX];
static struct qn_unit_facts facts[READERS_MAX];
static uint8_t count, current;
static bool reads_list[READERS_MAX]; /* of `far` */
static uint8_t n_lists;
static uint32_t near_told; /* the number of near lines of the others */

static void add(struct told *t, unsigned number)
{
    t->unit[t->n] = all[number];
    t->number[t->n++] = (uint8_t)number;
}

/* Can this analysis work with misses, and does the run offer what it then needs? */
static bool reads_misses(const struct qn_unit *u, struct qn_readers_offer offer)
{
    return (u->miss || u->line) && (!u->line || offer.lines) && (!u->loads || offer.counts);
}

/* Can this analysis work with analysis_far, and does it want to? */
static bool reads_far(const struct qn_unit *u, struct qn_readers_offer offer, const struct sim_config *config)
{
    return u->far && offer.near && u->wants_far(config);
}

static struct sim_config config_for(const struct qn_config *c, const struct qn_unit *u, struct qn_readers_offer offer)
{
    const struct qn_geometry *g = &c->D1;

    return (struct sim_config){.slot = "AN", .size = g->size, .ways = g->assoc, .line = g->line, .seed = c->seed,
                               .sets = g->size / (g->assoc * g->line), .line_bits = qn_log2(g->line),
                               .misses = reads_misses(u, offer), .near = offer.near,
                               .LL_sets = c->LL.size / (c->LL.assoc * c->LL.line), .LL_line_bits = qn_log2(c->LL.line)};
}

/* The number of near lines.  It is at most the ways of the D1 if one of the analyses needs that. */
static uint32_t choose_near(const struct qn_config *c, struct qn_readers_offer offer)
{
    struct qn_readers_offer fewer = offer;
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

static void start(const struct qn_config *c, unsigned number, struct qn_readers_offer offer)
{
    const struct qn_unit *u = all[number];
    struct sim_config config = config_for(c, u, offer);

    current = (uint8_t)number;
    config.misses |= reads_far(u, offer, &config);
    AT_WORK_DO(SLOT_AN, SIM_IN_INIT, 0, u->init(&config, &facts[number]));
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
static void choose_list(const struct qn_config *c, struct qn_readers_offer offer)
{
    for (unsigned told = 0; told < far.n; told++) {
        struct sim_config config = config_for(c, far.unit[told], offer);

        reads_list[told] = far.unit[told]->touches && far.unit[told]->reads(&config);
        n_lists += reads_list[told];
    }
}

struct qn_readers qn_readers_init(const struct qn_config *config, struct qn_readers_offer offer)
{
    struct qn_readers asked = {.any = false};
    const struct qn_unit *u;

    asked.near = offer.near = choose_near(config, offer);
    while ((u = qn_sim_analysis(count))) {
        if (count == READERS_MAX)
            qn_engine_die("more analyses than there is room for", READERS_MAX, 0);
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

QN_SIM_NCSR void qn_readers_reference(const struct sim_ref *ref)
{
    TELL(references, seen, ref)
    if (ref->kind <= SIM_MODIFY)
        TELL(data, seen, ref)
}

QN_SIM_NCSR void qn_readers_miss(const struct sim_miss *miss) { TELL(misses, miss, miss) }

static qn_line_hook *on_line;

bool qn_sim_tell_lines(qn_line_hook *hook)
{
    on_line = lines.n ? hook : NULL;
    return on_line != NULL;
}

QN_SIM_NCSR void qn_readers_line(const struct sim_line *line)
{
    TELL(lines, line, line)
    if (on_line && !line->used)
        on_line(line->line, line->victim, line->victim_used != 0);
}

static void call_later(struct qn_unit_later l, uint32_t from, uint32_t n)
{
    l.last &= from + n == l.n;
    l.miss += from;
    l.n = n;
    for (unsigned i = 0; i < count; i++) {
        current = (uint8_t)i;
        all[i]->later(&l);
    }
}

void qn_readers_later(const struct qn_unit_later *l, uint32_t last)
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

static bool was_waiting(uint64_t line)
{
    uint32_t i = 0;

    while (i < n_waiting && waiting[i] != line)
        i++;
    if (i == n_waiting)
        return false;
    for (n_waiting--; i < n_waiting; i++)
        waiting[i] = waiting[i + 1];
    return true;
}

static uint64_t next_waiting(void)
{
    uint64_t line = waiting[0];

    if (!n_waiting)
        return SIM_NO_LINE;
    n_waiting--;
    for (uint32_t i = 0; i < n_waiting; i++)
        waiting[i] = waiting[i + 1];
    return line;
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

static void tell_touches(const struct qn_unit_touches *t)
{
    static bool told; /* the reference has told of another line */

    for (const struct qn_touch *touch = t->touch; touch < t->touch + t->n; touch++) {
        uint32_t site = touch->site & QN_SITE_COUNTER_MASK;

        if (touch->how & QN_TOUCH_LEFT) {
            waiting[n_waiting++] = touch->line;
            continue;
        }
        told &= (touch->how & QN_TOUCH_MORE) != 0;
        if (was_waiting(touch->line))
            continue;
        sim_reference.site = site;
        sim_reference.execution = touch->execution;
        *t->pc = t->site ? qn_site_pc(t->site[site]) : 0;
        tell_far(&(struct sim_far){.line = touch->line, .left = next_waiting(), .more = told, .kind = (uint8_t)qn_touch_kind(touch, t->site)}, site);
        told = true;
    }
}

void qn_readers_touches(const struct qn_unit_touches *t)
{
    for (unsigned told = 0; told < far.n; told++) {
        current = far.number[told];
        if (reads_list[told])
            far.unit[told]->touches(t);
    }
    if (n_lists < far.n)
        tell_touches(t);
}

/* Only the first analysis can use the instructions' memo. */
void qn_readers_instructions(struct sim_insn *insn, unsigned n)
{
    for (unsigned told = 0; told < instructions.n; told++) {
        current = instructions.number[told];
        for (unsigned i = 0; told == 1 && i < n; i++)
            insn[i].memo = NULL;
        instructions.unit[told]->insns(insn, n);
    }
}

void qn_readers_finish(void)
{
    for (unsigned i = 0; i < count; i++) {
        current = (uint8_t)i;
        all[i]->finish();
    }
}

const char *qn_readers_module(void) { return count ? facts[current].name : NULL; }
