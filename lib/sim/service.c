/* lib/sim/service.c - the services of module.h in the engine: memory, options, lines for the user, events and their charges, sim_fail.
 *
 * Lines and event totals lie in the counts arena, so the collector can read them even if the run was killed. */
#include "base/ready.h"
#include "base/format.h"
#include "sim/bank.h"
#include "sim/module.h"
#include "sim/option.h"
#include "sim/service.h"

static struct qn_sim_output *output;
static struct qn_sim_output nowhere; /* used until qn_sim_service_init */
static const char *options = "";
static bool text_full;
#define DENSE_MIN (1u << 20) /* bytes */
#define DENSE_UNIT (2u << 20) /* of qn_engine_try_alloc_dense */
#define LINE_BYTES 512 /* of a line that a module prints */
#define TEXT_END "(modules have more to say than there is room for)"
_Static_assert(SIM_EVENTS_MAX == QN_SIM_EVENTS_MAX, "module.h and arena.h");
_Static_assert(SIM_EVENT_NAME_MAX < sizeof nowhere.names[0], "module.h and arena.h");

uint64_t *sim_event_counts = nowhere.counts, qn_sim_events_shadowed, sim_repetitions;
bool qn_sim_events_hidden, qn_sim_events_of_shadow;
volatile uint64_t *sim_current = nowhere.current_module;

/* ---- events, charged to the instruction whose reference caused them ----
 *
 *   reference at site 4711; its module says sim_count(writebacks, 1)     row of 4711:  [4711 | writebacks 1]
 *
 * There may be 32 events, and most sites never cause one, so only those that do have a row.  The array row_of has the number of its row;
 * only the pages of it that are used take memory.  Without events this costs nothing. */

#define SITES (QN_ARENA_COUNTERS_SIZE / 8)

uint64_t sim_event_new[2 * SIM_EVENTS_MAX], sim_events_new, qn_sim_charge_count;

static uint64_t *rows;
static uint32_t *row_of; /* by site: number of its row, + 1 */
struct qn_sim_charge qn_sim_charges[QN_SIM_CHARGES];

static inline uint64_t *row(uint64_t number) { return rows + number * (output->events + 1); }

static __attribute__((noinline)) QN_NCSR uint64_t *new_row(uint32_t site)
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

static inline void note_charge(uint32_t site, uint32_t event, uint64_t n)
{
    qn_sim_charges[qn_sim_charge_count++ % QN_SIM_CHARGES] = (struct qn_sim_charge){n, qn_sim_execution(site), site, event};
}

QN_NCSR void qn_sim_charge(uint32_t site)
{
    uint64_t left = sim_events_new & ((1ull << output->events) - 1); /* less what the shadow model counted */
    uint64_t *counts = left ? find_row(site) + 1 : NULL;

    sim_events_new = 0;
    for (; left; left &= left - 1) {
        unsigned event = (unsigned)__builtin_ctzll(left);
        uint64_t n = sim_event_new[event];

        counts[event] += n;
        output->counts[event] += n;
        qn_sim_sum_event(QN_COST_EVENTS + event, (int64_t)n);
        sim_event_new[event] = 0;
        note_charge(site, event, n);
    }
}

void qn_sim_charge_to(uint32_t site, unsigned event, uint64_t n)
{
    if (qn_sim_stream.at_once) /* else it belongs to an execution that has ended */
        note_charge(site, event, n);
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
    for (uint64_t i = 1; i <= QN_SIM_CHARGES && i <= qn_sim_charge_count; i++) {
        const struct qn_sim_charge *c = &qn_sim_charges[(qn_sim_charge_count - i) % QN_SIM_CHARGES];

        if (!qn_sim_is_part(part, c->site, c->execution))
            continue;
        row(row_of[c->site] - 1)[1 + c->event] -= c->n;
        output->counts[c->event] -= c->n;
        qn_sim_sum_event(QN_COST_EVENTS + c->event, -(int64_t)c->n);
        sim_event_new[SIM_EVENTS_MAX + c->event] -= c->n; /* of the shadow model, if there is one */
    }
}

/* ---- the start ---- */

void qn_sim_service_init(struct qn_sim_output *where, uint64_t *charges, const char *option_text)
{
    output = where;
    rows = charges;
    options = option_text;
    sim_event_counts = where->counts;
    sim_current = where->current_module;
}

void qn_sim_service_modules(const char *names)
{
    if (output)
        qn_format(output->modules, sizeof output->modules, "%s", names);
}

void qn_sim_service_how(unsigned slot, uint8_t how)
{
    if (output)
        output->how[slot] = how;
}

void *sim_alloc(uint64_t bytes)
{
    static uint64_t total;
    void *p = NULL;

    if (bytes <= QN_SIM_MEMORY_MAX - total)
        p = bytes < DENSE_MIN ? qn_engine_try_alloc(bytes) : qn_engine_try_alloc_dense(bytes);

    if (!p)
        sim_fail("?", "?", "sim_alloc", 0, "asks for more memory than modules may have, or than there is");
    if (bytes < DENSE_MIN)
        qn_ready(p, bytes);
    total += bytes;
    qn_engine_leave_gap(QN_SIM_GUARD);
    p = qn_sim_up_to_guard(p, bytes, bytes < DENSE_MIN ? QN_PAGE : DENSE_UNIT);
    qn_bank_note(p, bytes);
    return p;
}

uint64_t sim_option(const char *slot, const char *key, uint64_t otherwise)
{
    return sim_option_find(options, slot, key, otherwise, output ? &output->options_asked : &nowhere.options_asked);
}

uint64_t sim_option_within(const char *slot, const char *module, const char *key, uint64_t otherwise, uint64_t least,
                           uint64_t most)
{
    uint64_t value = sim_option(slot, key, otherwise);
    char what[120];

    if (value >= least && value <= most)
        return value;
    qn_format(what, sizeof what, "got %lu, wanted %lu to %lu", value, least, most);
    sim_fail(slot, module, key, 0, what);
}

void sim_print(const char *format, ...)
{
    va_list args;
    char line[LINE_BYTES];
    uint32_t length;

    if (!output || text_full)
        return;
    va_start(args, format);
    length = (uint32_t)qn_format_v(line, sizeof line, format, args);
    va_end(args);
    text_full = output->used + length + sizeof TEXT_END > sizeof output->text;
    output->used += (uint32_t)qn_format(output->text + output->used, sizeof output->text - output->used, "%s\n",
                                        text_full ? TEXT_END : line);
}

/* Programs read the table of findings, so a name may only have the characters that module.h allows. */
static bool good_finding(const struct sim_finding *f)
{
    unsigned n = 0;

    while (n < SIM_FINDING_NAME && f->what[n])
        n++;
    return n && n < SIM_FINDING_NAME && qn_sim_good_name(f->what);
}

static struct sim_finding *find(const struct sim_finding *finding, bool keep, uint32_t of_cell)
{
    if (!good_finding(finding))
        sim_fail("?", "?", keep ? "sim_keep" : "sim_find", 0, "a name needs 1 to 7 letters, digits, - and _");
    return output ? qn_engine_finding(finding, keep, of_cell) : NULL;
}

void sim_find(const struct sim_finding *finding) { find(finding, false, 0); }

struct sim_finding *sim_keep(const struct sim_finding *finding) { return find(finding, true, 0); }

struct sim_finding *sim_keep_of(const struct sim_finding *finding, const uint64_t *cell)
{
    return find(finding, true, (uint32_t)qn_sim_cell_number(cell) + 1);
}

void *sim_keep_values(uint64_t pc, const char *what, unsigned entries) { return output ? qn_engine_values(pc, what, entries) : NULL; }

struct sim_shared *sim_keep_shared(const struct sim_shared *row) { return output ? qn_engine_shared(row) : NULL; }

void sim_count_for(uint32_t site, unsigned event, uint64_t n) { qn_sim_charge_to(site, event, n); }

bool sim_keep_loads(const uint64_t cycles[3])
{
    if (!output)
        return false;
    __builtin_memcpy(output->load_cycles, cycles, sizeof output->load_cycles);
    output->loads = 1;
    return true;
}

static bool fits(const char *slot, const char *name)
{
    unsigned length = 1;

    for (; *slot; slot++)
        length++;
    for (; *name; name++)
        length++;
    return length <= SIM_EVENT_NAME_MAX;
}

const char *qn_sim_event_name(unsigned event) { return output->names[event]; }
unsigned qn_sim_events(void) { return output ? output->events : 0; }

static unsigned shadow_event(unsigned event)
{
    qn_sim_events_shadowed |= 1ull << event;
    return SIM_EVENTS_MAX + event;
}

static bool is_event(unsigned event, const char *slot, const char *name)
{
    const char *rest = sim_option_skip(output->names[event], slot);

    rest = rest && *rest == '.' ? sim_option_skip(rest + 1, name) : NULL;
    return rest && !*rest;
}

void qn_sim_L2_declare(void)
{
    static const char *const names[] = QN_L2_EVENT_NAMES;

    if (qn_sim_events_of_shadow)
        qn_sim_events_shadowed |= (1u << QN_L2_EVENTS) - 1;
    for (; output && output->events < QN_L2_EVENTS; output->events++)
        qn_format(output->names[output->events], sizeof output->names[0], "%s", names[output->events]);
}

struct qn_sim_charged qn_sim_charged(void)
{
    row_of = row_of ? row_of : qn_engine_alloc(SITES * sizeof *row_of);
    return (struct qn_sim_charged){(uintptr_t)row_of, (uintptr_t)rows, (uintptr_t)output->counts, (output->events + 1) * (uint32_t)sizeof(uint64_t)};
}

unsigned sim_event(const char *slot, const char *name, const char *text)
{
    static unsigned hidden;
    unsigned i = 0;

    if (qn_sim_events_hidden)
        return SIM_EVENTS_MAX + hidden++ % SIM_EVENTS_MAX;
    while (i < output->events && !is_event(i, slot, name))
        i++;
    if (i < output->events && qn_sim_events_of_shadow)
        return shadow_event(i);
    sim_check_event(i < output->events, qn_sim_good_name(name) && fits(slot, name), i == SIM_EVENTS_MAX);
    qn_format(output->names[i], sizeof output->names[i], "%s.%s", slot, name);
    qn_format(output->texts[i], sizeof output->texts[i], "%s", text);
    output->events = i + 1;
    return i;
}

/* A service does not know its caller: slot "?" stands for the module that is being called. */
_Noreturn void sim_fail(const char *slot, const char *module, const char *function, uint64_t reference, const char *what)
{
    struct qn_sim_culprit c;
    char line[220];
    bool known = qn_sim_current_module(&c);

    if (*slot == '?' && known) {
        slot = c.slot;
        module = c.module;
        reference = c.reference;
    }
    qn_format(line, sizeof line, "module %s in slot %s%s, %s, reference %lu: %s", module, slot, known ? c.of : "", function,
              reference, what);
    qn_engine_module_failed(line);
}
