/* lib/sim/service.c - the services of module.h in the engine: memory, options, lines for the user, events, sim_fail.
 *
 * Lines and event totals lie in the counts arena, so the collector can read them even if the run was killed. */
#include "base/ready.h"
#include "base/format.h"
#include "sim/cells.h"
#include "sim/charge.h"
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

uint64_t *sim_event_counts = nowhere.counts, qn_sim_events_twinned, sim_repetitions;
bool qn_sim_events_hidden, qn_sim_events_of_twin;
volatile uint64_t *sim_at_work = nowhere.at_work;

void qn_sim_service_init(struct qn_sim_output *where, uint64_t *charges, const char *option_text)
{
    qn_sim_charge_init(where, charges);
    output = where;
    options = option_text;
    sim_event_counts = where->counts;
    sim_at_work = where->at_work;
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
    return qn_sim_up_to_guard(p, bytes, bytes < DENSE_MIN ? QN_PAGE : DENSE_UNIT);
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
    qn_format(what, sizeof what, "got %U, wanted %U to %U", value, least, most);
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

/* A name without blanks, because these separate the names in the profile's `events:` line. */
static bool good_name(const char *s)
{
    for (; *s; s++)
        if (!((*s >= 'a' && *s <= 'z') || (*s >= 'A' && *s <= 'Z') || (*s >= '0' && *s <= '9') || *s == '-' || *s == '_'))
            return false;
    return true;
}

/* Programs read the table of findings, so a name may only have the characters that module.h allows. */
static bool good_finding(const struct sim_finding *f)
{
    unsigned n = 0;

    while (n < SIM_FINDING_NAME && f->what[n])
        n++;
    return n && n < SIM_FINDING_NAME && good_name(f->what);
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

void sim_keep_loads(const uint64_t cycles[3])
{
    if (!output)
        return;
    __builtin_memcpy(output->load_cycles, cycles, sizeof output->load_cycles);
    output->loads = 1;
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

static unsigned twin_event(unsigned event)
{
    qn_sim_events_twinned |= 1ull << event;
    return SIM_EVENTS_MAX + event;
}

static bool is_event(unsigned event, const char *slot, const char *name)
{
    const char *rest = sim_option_skip(output->names[event], slot);

    rest = rest && *rest == '.' ? sim_option_skip(rest + 1, name) : NULL;
    return rest && !*rest;
}

unsigned sim_event(const char *slot, const char *name, const char *text)
{
    static unsigned hidden;
    unsigned i = 0;

    if (qn_sim_events_hidden)
        return SIM_EVENTS_MAX + hidden++ % SIM_EVENTS_MAX;
    while (i < output->events && !is_event(i, slot, name))
        i++;
    if (i < output->events && qn_sim_events_of_twin)
        return twin_event(i);
    sim_check_event(i < output->events, good_name(name) && fits(slot, name), i == SIM_EVENTS_MAX);
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
    bool known = qn_sim_at_work(&c);

    if (*slot == '?' && known) {
        slot = c.slot;
        module = c.module;
        reference = c.reference;
    }
    qn_format(line, sizeof line, "module %s in slot %s%s, %s, reference %U: %s", module, slot, known ? c.of : "", function,
              reference, what);
    qn_engine_module_failed(line);
}
