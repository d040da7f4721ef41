/* lib/sim/slot_calls.h - calls of the units in the slots.  engine.c and shadow.c both include it; each has units of its own.
 *
 *   units_init(config, slots)                  sets up the units of these slots; `facts` has what they say about themselves
 *   unit_ref(slot, addr, size, kind)           QN_UNIT_* bits; bit 0 = miss
 *   unit_drop(slot, line)
 *   code_line_find(line)                       the record of a code line, or makes one
 */
#include "base/format.h"
#include "sim/service.h"
#include "sim/slots.h"

/* ---- records of code lines, found by address ---- */

#define CODE_LINES_MAX (1u << 20)
#define CODE_LINE_BUCKETS (1u << 18)

static struct qn_code_line code_lines[CODE_LINES_MAX];
static uint32_t code_line_next[CODE_LINES_MAX], code_line_head[CODE_LINE_BUCKETS]; /* index + 1 */
static uint32_t code_line_count;

#define RECENT_LINES 4096u /* records found recently, by a hash: saves most look-ups in the table */
static struct qn_code_line *code_line_recent[RECENT_LINES];

static struct qn_code_line *code_line_look_up(uint64_t line);

static inline struct qn_code_line *code_line_find(uint64_t line)
{
    struct qn_code_line **recent = &code_line_recent[(line * 0x9e3779b97f4a7c15ull) >> 52];

    if (*recent && (*recent)->line == line)
        return *recent;
    return *recent = code_line_look_up(line);
}

static struct qn_code_line *code_line_look_up(uint64_t line)
{
    uint32_t bucket = (uint32_t)(line >> 6) % CODE_LINE_BUCKETS; /* adjacent lines use adjacent buckets, so few pages are touched */

    for (uint32_t i = code_line_head[bucket]; i; i = code_line_next[i - 1])
        if (code_lines[i - 1].line == line)
            return &code_lines[i - 1];
    if (code_line_count == CODE_LINES_MAX)
        qn_engine_die("more code lines than records", CODE_LINES_MAX, line);
    code_lines[code_line_count].line = line;
    code_line_next[code_line_count] = code_line_head[bucket];
    code_line_head[bucket] = ++code_line_count;
    return &code_lines[code_line_count - 1];
}

/* ---- units ---- */

#ifdef QN_SIM_SHADOW
#define OF_SHADOW true
#else
#define OF_SHADOW false
#endif

static const struct qn_unit *unit[SLOTS];
static struct qn_unit_facts facts[SLOTS];
static uint64_t calls[SLOTS]; /* for messages: the number of the reference */

struct qn_code_line *QN_UP(code_line)(uint64_t line) { return code_line_find(line); }

#if defined(QN_SIM_HOSTED) && !defined(QN_SIM_SHADOW)
const struct qn_unit_facts *qn_sim_unit_facts(enum sim_slot slot) { return &facts[slot]; }
#endif

static inline unsigned unit_ref(enum sim_slot slot, uint64_t addr, uint32_t size, enum sim_kind kind)
{
    return IN_MODULE(slot, SIM_IN_DOREF, ++calls[slot], unit[slot]->ref(addr, size, kind));
}

/* The L2s of the cores, if they have any, are the D1's. */
static inline bool unit_L2(uint64_t addr, uint32_t size, enum sim_kind kind)
{
    return IN_MODULE(SLOT_D1, SIM_IN_DOREF, calls[SLOT_D1], unit[SLOT_D1]->L2(addr, size, kind));
}

static inline void unit_drop(enum sim_slot slot, uint64_t line)
{
    IN_MODULE_DO(slot, SIM_IN_DROP, calls[slot], unit[slot]->drop(line));
}

/* What follows is this core's. */
static inline void units_turn(uint32_t core)
{
    for (unsigned slot = 0; slot < SLOTS; slot++)
        if (unit[slot] && unit[slot]->turn)
            unit[slot]->turn(core);
}

static uint32_t unit_cores; /* at least 1 */

/* Each core has one of its own. */
static inline void unit_drop_in_all(enum sim_slot slot, uint64_t line)
{
    for (uint32_t core = 0; core < unit_cores; core++) {
        unit[slot]->turn(core);
        unit_drop(slot, line);
    }
    unit[slot]->turn(qn_sim_core);
}

/* The name of a slot, in messages and events. */
static const char *unit_slot_name(enum sim_slot slot)
{
    static const char *const names[] = SIM_SLOT_NAMES;

    return slot == SLOT_LL && qn_sim_at_L2(OF_SHADOW) ? "L2" : names[slot];
}

/* Does each core have an L2? */
static inline bool has_private_L2(const struct qn_config *c) { return c->cores && c->cache_sim && c->L2.line; }

static void unit_init(enum sim_slot slot, const struct qn_geometry *g, const struct qn_config *c)
{
    const char *name = unit_slot_name(slot);
    struct sim_config config = {.slot = name, .seed = c->seed};

    if (g)
        config = (struct sim_config){.slot = name, .size = g->size, .ways = g->assoc, .line = g->line, .seed = c->seed,
                                     .sets = g->size / (g->assoc * g->line), .line_bits = qn_log2(g->line)};
    config.cores = c->cores;
    config.L2_ways = has_private_L2(c) ? c->L2.assoc : 0;
    config.L2_sets = config.L2_ways ? c->L2.size / (c->L2.assoc * c->L2.line) : 0;
    unit[slot] = qn_sim_unit(slot, OF_SHADOW);
    if (c->cores > 1 && slot == SLOT_D1 && !unit[slot]->turn)
        sim_fail(name, unit[slot]->name, "init", 0, "is no coherence protocol, which --cores needs in slot D1");
    IN_MODULE_DO(slot, SIM_IN_INIT, 0, unit[slot]->init(&config, &facts[slot]));
    if (c->cores > 1 && slot == SLOT_I1)
        facts[slot].hit = QN_HIT_CALL; /* what the records of code lines say would be of all cores */
}

bool QN_UP(wants_evictions), QN_UP(wants_writebacks);

/* Stops the run if the level in `slot`, above the LL, cannot do what the LL needs. */
static void check_upper(enum sim_slot slot, const char *name)
{
    const struct qn_unit_facts *upper = &facts[slot], *last = &facts[SLOT_LL];
    const char *what = last->wants_evictions && !upper->tells_evictions ? "tell which lines it gives up"
                       : last->back_invalidates && !upper->can_drop    ? "let lines be taken away"
                                                                        : NULL;
    char line[160];

    if (!what)
        return;
    qn_format(line, sizeof line, "cannot stand below %s=%s, which does not %s; any policy by name does, as %s=lru", name,
              unit[slot] ? upper->name : "default", what, name);
    sim_fail("LL", last->name, "init", 0, line);
}

/* A bit for each slot of a cache or predictor that this run simulates. */
static unsigned simulated_slots(const struct qn_config *c)
{
    return (c->cache_sim ? 1u << SLOT_I1 | 1u << SLOT_D1 | 1u << SLOT_LL : 0) | (c->branch_sim ? 1u << SLOT_BC | 1u << SLOT_BI : 0);
}

/* Sets up the units of the slots for which `slots` has a bit. */
static void units_init(const struct qn_config *c, unsigned slots)
{
    bool at_L2 = qn_sim_at_L2(OF_SHADOW);
    const struct qn_geometry *const geometry[SLOTS] = {&c->I1, &c->D1, at_L2 ? &c->L2 : &c->LL, NULL, NULL, NULL};

    unit_cores = c->cores ? c->cores : 1;
    if (at_L2 && c->cache_sim && !c->L2.line)
        sim_fail("L2", qn_sim_unit(SLOT_LL, OF_SHADOW)->name, "init", 0, "there is no L2; --L2 and --LL together make one");
    for (unsigned slot = 0; slot < SLOTS; slot++)
        if (slots >> slot & 1)
            unit_init((enum sim_slot)slot, geometry[slot], c);
    QN_UP(wants_evictions) = facts[SLOT_LL].wants_evictions;
    if (c->cores > 1 && facts[SLOT_LL].wants_evictions)
        sim_fail("LL", facts[SLOT_LL].name, "init", 0, "holds what the levels above give up, which it cannot with --cores");
    if (at_L2 && (facts[SLOT_LL].back_invalidates || facts[SLOT_LL].wants_evictions))
        sim_fail("L2", facts[SLOT_LL].name, "init", 0, "is not for this slot, only for LL");
    check_upper(SLOT_I1, "I1");
    check_upper(SLOT_D1, "D1");
    if (c->L2.line && facts[SLOT_LL].wants_evictions)
        sim_fail("LL", facts[SLOT_LL].name, "init", 0, "cannot stand below an L2, which does not tell which lines it gives up; leave out --L2");
    if (facts[SLOT_LL].back_invalidates)
        facts[SLOT_I1].repeat_is_noop = false;
}
