/* lib/sim/slots.c - finds the unit of each slot.
 *
 *   chosen for this run   "D1=srrip:50b34235a5a88360"     a unit of units.c, by the hash of its file
 *   given to the build    unit.c                          qn_unit_D1_given, which is linked only then
 *   neither               cachesim_D1.c
 *
 * The engine's file contains texts, which tools search for, with the modules of the build:
 *
 *   "quern-sim-build: I1=lru D1=mine:50b34235a5a88360 LL=lru BC=cachegrind BI=cachegrind"
 *   "quern-sim-sources: \nD1=/home/me/mine.c"
 */
#include "sim/slots.h"

#include "base/format.h"
#include "sim/option.h"
#include "sim/service.h"

/* ---- the slot configuration of this build, as text: see unit.c ---- */

#ifdef QN_SIM_I1_UNIT
#define SOURCE_I1 "\nI1=" QN_SIM_I1_FILE
#else
#define QN_SIM_I1_NAME "lru"
#define SOURCE_I1 ""
#endif
#ifdef QN_SIM_D1_UNIT
#define SOURCE_D1 "\nD1=" QN_SIM_D1_FILE
#else
#define QN_SIM_D1_NAME "lru"
#define SOURCE_D1 ""
#endif
#ifdef QN_SIM_LL_UNIT
#define SOURCE_LL "\nLL=" QN_SIM_LL_FILE
#else
#define QN_SIM_LL_NAME "lru"
#define SOURCE_LL ""
#endif
#ifdef QN_SIM_BC_UNIT
#define SOURCE_BC "\nBC=" QN_SIM_BC_FILE
#else
#define QN_SIM_BC_NAME "cachegrind"
#define SOURCE_BC ""
#endif
#ifdef QN_SIM_BI_UNIT
#define SOURCE_BI "\nBI=" QN_SIM_BI_FILE
#else
#define QN_SIM_BI_NAME "cachegrind"
#define SOURCE_BI ""
#endif
#ifdef QN_SIM_AN_UNIT
#define ANALYSIS_NAME " AN=" QN_SIM_AN_NAME
#define SOURCE_AN "\nAN=" QN_SIM_AN_FILE
#else
#define ANALYSIS_NAME ""
#define SOURCE_AN ""
#endif
#define DESCRIPTION "I1=" QN_SIM_I1_NAME " D1=" QN_SIM_D1_NAME " LL=" QN_SIM_LL_NAME " BC=" QN_SIM_BC_NAME " BI=" QN_SIM_BI_NAME ANALYSIS_NAME

/* ---- the units ---- */

#define WEAK __attribute__((weak))

extern const struct qn_unit qn_unit_I1_given WEAK, qn_unit_D1_given WEAK, qn_unit_LL_given WEAK, qn_unit_BC_given WEAK,
    qn_unit_BI_given WEAK, qn_unit_AN_given WEAK;
extern const struct qn_unit qn_shadow_I1_given WEAK, qn_shadow_D1_given WEAK, qn_shadow_LL_given WEAK, qn_shadow_BC_given WEAK,
    qn_shadow_BI_given WEAK;

static const struct qn_unit *const given[2][SLOTS] = {
    {&qn_unit_I1_given, &qn_unit_D1_given, &qn_unit_LL_given, &qn_unit_BC_given, &qn_unit_BI_given, &qn_unit_AN_given},
    {&qn_shadow_I1_given, &qn_shadow_D1_given, &qn_shadow_LL_given, &qn_shadow_BC_given, &qn_shadow_BI_given, NULL},
};

struct qn_filter_entry qn_sim_filter_entries[2][QN_FILTER_ENTRIES] __attribute__((aligned(4096)));

static const char *const slot_names[] = SIM_SLOT_NAMES;
static const char *const default_files[] = {"cachesim_I1:", "cachesim_D1:", "cachesim_LL:", "branchsim_BC:", "branchsim_BI:", "-"};
static const char *const default_names[] = {"lru", "lru", "lru", "cachegrind", "cachegrind", ""};
static const char *chosen[2] = {"", ""};

#ifdef QN_SIM_HOSTED
/* A replay has only the units of its build.  QN_SIM_PROVEN_SLOTS: a bit for each slot that uses the fast version. */
#ifndef QN_SIM_PROVEN_SLOTS
#define QN_SIM_PROVEN_SLOTS 0
#endif
const struct qn_unit *const qn_sim_units[] = {NULL}, *const qn_sim_shadow_units[] = {NULL};
const unsigned qn_sim_proven = QN_SIM_PROVEN_SLOTS;
#ifdef QN_SIM_LOOKS_AHEAD
const bool qn_sim_looks_ahead = true;
#else
const bool qn_sim_looks_ahead = false;
#endif
unsigned qn_sim_shown_slots;
static const char description[] __attribute__((used)) = "quern-sim-replay: " DESCRIPTION;
#else
static const char description[] __attribute__((used)) = "quern-sim-build: " DESCRIPTION;
#endif
static const char sources[] __attribute__((used)) = "quern-sim-sources: " SOURCE_I1 SOURCE_D1 SOURCE_LL SOURCE_BC SOURCE_BI SOURCE_AN "\n";

void qn_sim_choose(const char *units, const char *second)
{
    chosen[0] = units;
    chosen[1] = second;
}

/* The n-th choice for the slot of this name, from 0; it ends at a blank or the end of the text.  NULL: there is none. */
static const char *nth_named(const char *slot, bool second, unsigned n)
{
    for (const char *at = chosen[second]; at && *at;) {
        const char *value = sim_option_skip(at, slot);

        if (value && *value == '=' && !n--)
            return value + 1;
        while (*at && *at != ' ')
            at++;
        at += *at == ' ';
    }
    return NULL;
}

#ifdef QN_SIM_HOSTED
bool qn_sim_hosted_at_L2;
bool qn_sim_at_L2(bool second) { return (void)second, qn_sim_hosted_at_L2; }
#else
bool qn_sim_at_L2(bool second) { return nth_named("L2", second, 0) != NULL; }
#endif

static const char *nth_choice(enum sim_slot slot, bool second, unsigned n)
{
    return nth_named(slot == SLOT_LL && qn_sim_at_L2(second) ? "L2" : slot_names[slot], second, n);
}

static const char *choice(enum sim_slot slot, bool second) { return nth_choice(slot, second, 0); }

/* ":50b3..." of "srrip:50b3..." */
static const char *hash_in(const char *name)
{
    while (*name && *name != ' ' && *name != ':')
        name++;
    return name;
}

static bool same_hash(const char *a, const char *b)
{
    for (a = hash_in(a), b = hash_in(b); *a && *a != ' ' && *a == *b; a++)
        b++;
    return (!*a || *a == ' ') && !*b;
}

static const struct qn_unit *shipped(enum sim_slot slot, bool second, const char *name, bool by_hash)
{
    const struct qn_unit *const *u = second ? qn_sim_shadow_units : qn_sim_units;

    for (; *u; u++) {
        const char *rest = sim_option_skip((*u)->name, name);

        if (sim_option_skip((*u)->slot, slot_names[slot]) && (by_hash ? same_hash(name, (*u)->name) : rest != NULL))
            return *u;
    }
    return NULL;
}

/* The word itself, not a module of that name: "default:50b3...". */
static bool is_default(const char *choice)
{
    const char *rest = sim_option_skip(choice, "default");

    return rest && (!*rest || *rest == ' ');
}

/* The one that is named. */
static const struct qn_unit *named(enum sim_slot slot, bool second, const char *name)
{
    const struct qn_unit *unit = shipped(slot, second, name, true);

    if (!unit && given[second][slot] && same_hash(name, given[second][slot]->name))
        unit = given[second][slot];
    if (!unit)
        qn_engine_die("the engine has no such module", slot, 0);
    return unit;
}

const struct qn_unit *qn_sim_analysis(unsigned n)
{
    const char *name = nth_choice(SLOT_AN, false, n);

    if (!name && !n)
        return given[0][SLOT_AN];
    return name && !is_default(name) ? named(SLOT_AN, false, name) : NULL;
}

const struct qn_unit *qn_sim_unit(enum sim_slot slot, bool second)
{
    const char *name = choice(slot, second);
    const struct qn_unit *unit = name && !is_default(name) ? named(slot, second, name) : NULL;

    if (second && !name && given[0][slot] && !given[1][slot])
        sim_fail(slot_names[slot], "many", "--check", 0, "many simulators at once cannot be checked against themselves");
    if (!unit && !name)
        unit = given[second][slot];
    return unit ? unit : shipped(slot, second, default_files[slot], false);
}

/* With no choice at all the second is a shadow model of the first. */
static bool holds_default(enum sim_slot slot, bool second)
{
    const char *name = choice(slot, second);

    return name ? is_default(name) : !given[second][slot];
}

bool qn_sim_is_proven_in(enum sim_slot slot, bool second)
{
#ifdef QN_SIM_HOSTED
    return !second && (qn_sim_proven & ~qn_sim_shown_slots) >> slot & 1 && !(slot == SLOT_LL && qn_sim_hosted_at_L2);
#else
    return holds_default(slot, second) && (qn_sim_proven >> slot & 1);
#endif
}

bool qn_sim_is_proven(enum sim_slot slot) { return qn_sim_is_proven_in(slot, false); }

struct text {
    char *to;
    size_t size, used;
};

/* " D1=srrip:50b3...", up to a blank or the end of the name. */
static void describe(struct text *t, const char *slot, const char *name)
{
    if (!*name || t->used >= t->size)
        return;
    t->used += qn_format(t->to + t->used, t->size - t->used, "%s%s=", t->used ? " " : "", slot);
    for (; *name && *name != ' ' && t->used + 1 < t->size; name++)
        t->to[t->used++] = *name;
    if (t->used < t->size)
        t->to[t->used] = 0;
}

void qn_sim_describe(char *to, size_t size, bool second)
{
    struct text t = {to, size, 0};
    const char *name;

    for (unsigned slot = 0; slot < SLOTS; slot++) {
        name = choice(slot, second);
        if (holds_default(slot, second))
            name = default_names[slot];
        describe(&t, slot == SLOT_LL && qn_sim_at_L2(second) ? "L2" : slot_names[slot], name ? name : given[second][slot]->name);
        if (slot == SLOT_LL && qn_sim_at_L2(second))
            describe(&t, slot_names[slot], default_names[slot]);
    }
    for (unsigned n = 1; (name = nth_choice(SLOT_AN, second, n)); n++)
        describe(&t, slot_names[SLOT_AN], name);
}
