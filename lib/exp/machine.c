/* lib/exp/machine.c - see machine.h. */
#include "exp/machine.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/base.h"
#include "exp/config_file.h"

/* ---- the file: each value with the place where it stands ---- */

struct value {
    const char *section, *title, *name; /* "cache", "D1", "size"; "tlb", "", "entries" */
    struct qn_exp_text text;
};

static struct {
    struct qn_exp_machine *m;
    struct qn_text_error *err;
    struct value *values;
    size_t count;
} loading;

static int take(cfg_t *cfg, cfg_opt_t *opt, const char *text, void *result)
{
    struct qn_text_memory *memory = &loading.m->memory;

    if (qn_exp_begin_value(cfg, opt, text, result))
        return -1;
    loading.values = qn_text_grow(memory, loading.values, loading.count, sizeof *loading.values);
    loading.values[loading.count++] = (struct value){ qn_text_copy(memory, cfg->name), qn_text_copy(memory, cfg->title ? cfg->title : ""),
                                                      qn_text_copy(memory, opt->name), { qn_text_copy(memory, text), qn_exp_origin(cfg) } };
    return 0;
}

static bool read_values(const char *path)
{
    static const struct qn_exp_section_end ends[] = { { NULL, NULL } };
    cfg_opt_t cache[] = { QN_EXP_VALUE("size", take), QN_EXP_VALUE("ways", take), QN_EXP_VALUE("line", take), QN_EXP_VALUE("latency", take),
                          QN_EXP_VALUE("policy", take), QN_EXP_VALUE("prefetcher", take), QN_EXP_VALUE("inclusion", take),
                          QN_EXP_LIST("options", take), CFG_END() };
    cfg_opt_t tlb[] = { QN_EXP_VALUE("entries", take), QN_EXP_VALUE("ways", take), QN_EXP_VALUE("second-entries", take),
                        QN_EXP_VALUE("second-ways", take), QN_EXP_VALUE("page", take), CFG_END() };
    cfg_opt_t predictor[] = { QN_EXP_VALUE("module", take), QN_EXP_LIST("options", take), CFG_END() };
    cfg_opt_t core[] = { QN_EXP_VALUE("width", take), QN_EXP_VALUE("mispredict", take), QN_EXP_VALUE("clock", take), CFG_END() };
    cfg_opt_t memory[] = { QN_EXP_VALUE("latency", take), QN_EXP_VALUE("bandwidth", take), CFG_END() };
    cfg_opt_t all[] = { QN_EXP_VALUE("title", take), QN_EXP_VALUE("cores", take), CFG_SEC("cache", cache, QN_EXP_SECTION_FLAGS), CFG_SEC("tlb", tlb, CFGF_NONE),
                        CFG_SEC("predictor", predictor, QN_EXP_SECTION_FLAGS), CFG_SEC("core", core, CFGF_NONE),
                        CFG_SEC("memory", memory, CFGF_NONE), CFG_END() };

    return qn_exp_read_config(path, all, ends, "caches, predictors, tlb, core, cores and memory", &loading.m->memory, loading.err);
}

/* NULL: it is not there. */
static const struct qn_exp_text *find(const char *section, const char *title, const char *name)
{
    for (size_t i = 0; i < loading.count; i++) {
        const struct value *v = &loading.values[i];

        if (!strcmp(v->section, section) && !strcmp(v->title, title) && !strcmp(v->name, name))
            return &v->text;
    }
    return NULL;
}

/* Any value of the section; NULL: there is no such section, or an empty one. */
static const struct qn_exp_text *find_section(const char *section, const char *title)
{
    for (size_t i = 0; i < loading.count; i++)
        if (!strcmp(loading.values[i].section, section) && !strcmp(loading.values[i].title, title))
            return &loading.values[i].text;
    return NULL;
}

static bool refuse(const char *origin, const char *what, const char *got, const char *wanted)
{
    qn_text_fail(loading.err, QN_TEXT_BAD, "%s: %s: got '%s', wanted %s", origin, what, got, wanted);
    return false;
}

static bool lacks(const char *what) { return qn_text_fail(loading.err, QN_TEXT_BAD, "%s: wanted %s", loading.m->path, what), false; }

static const char *join(const char *a, const char *b) { return qn_text_format(&loading.m->memory, "%s %s", a, b); }

/* ---- numbers ---- */

/* A number of SECTION TITLE { NAME = ... }; what is not there leaves *number. */
static bool take_number(const char *section, const char *title, const char *name, uint32_t *number)
{
    const struct qn_exp_text *text = find(section, title, name);
    uint64_t value = 0;

    if (!text)
        return true;
    if (!qn_exp_parse_size(text->text, &value) || value > UINT32_MAX)
        return refuse(text->origin, join(*title ? title : section, name), text->text, "a number below 2^32");
    *number = (uint32_t)value;
    return true;
}

/* ---- modules ---- */

/* Beside what is in the slot. */
static void place(enum qn_exp_slot slot, const char *module, const char *origin)
{
    struct qn_exp_text *m = &loading.m->module[slot];

    *m = (struct qn_exp_text){ m->text ? qn_text_format(&loading.m->memory, "%s+%s", m->text, module) : module, origin };
}

static void add_option(enum qn_exp_slot slot, const char *text)
{
    struct qn_exp_machine *m = loading.m;

    m->options[slot] = qn_text_format(&m->memory, "%s%s%s", m->options[slot], *m->options[slot] ? "," : "", text);
}

static void add_number(enum qn_exp_slot slot, const char *name, uint32_t number)
{
    add_option(slot, qn_text_format(&loading.m->memory, "%s=%u", name, number));
}

/* Those of a module. */
static bool add_options(const char *section, enum qn_exp_slot slot)
{
    for (size_t i = 0; i < loading.count; i++) {
        const struct value *v = &loading.values[i];

        if (strcmp(v->section, section) || strcmp(v->title, qn_exp_slot_names[slot]) || strcmp(v->name, "options"))
            continue;
        if (!loading.m->module[slot].text)
            return refuse(v->text.origin, join(v->title, "options"), v->text.text, "a module beside them, which takes them");
        add_option(slot, v->text.text);
    }
    return true;
}

/* ---- caches ---- */

static bool take_geometry(enum qn_exp_level level)
{
    const char *title = qn_exp_level_names[level], *wanted;
    struct qn_geometry *g = &loading.m->geometry[level];
    const struct qn_exp_text *place = find("cache", title, "size");

    if (!find_section("cache", title))
        return level == QN_EXP_L2 || lacks(qn_text_format(&loading.m->memory, "cache %s { size, ways and line }", title));
    for (const char *const *name = (const char *const[]){ "size", "ways", "line", NULL }; *name; name++)
        if (!find("cache", title, *name))
            return refuse(find_section("cache", title)->origin, join("cache", title), "", qn_text_format(&loading.m->memory, "its %s", *name));
    if (!take_number("cache", title, "size", &g->size) || !take_number("cache", title, "ways", &g->assoc) || !take_number("cache", title, "line", &g->line))
        return false;
    wanted = qn_exp_wanted_of(level, g);
    return !wanted || refuse(place->origin, title, qn_text_format(&loading.m->memory, "%u,%u,%u", g->size, g->assoc, g->line), wanted);
}

/* An LL is its policy, or what the inclusion makes of it. */
static bool take_inclusion(bool L2)
{
    const struct qn_exp_text *inclusion = find("cache", "LL", "inclusion"), *policy = find("cache", "LL", "policy");

    if (!inclusion || !strcmp(inclusion->text, "nine"))
        return true;
    if (strcmp(inclusion->text, "inclusive") && strcmp(inclusion->text, "exclusive"))
        return refuse(inclusion->origin, "LL inclusion", inclusion->text, "nine, inclusive or exclusive");
    if (policy && strcmp(policy->text, "lru"))
        return refuse(policy->origin, "LL policy", policy->text, join("lru, which is that of an LL that is", inclusion->text));
    if (L2 && !strcmp(inclusion->text, "exclusive"))
        return refuse(inclusion->origin, "LL inclusion", inclusion->text, "nine or inclusive: an L2 does not tell the LL which lines it gives up");
    place(QN_EXP_SLOT_LL, inclusion->text, inclusion->origin);
    for (int slot = QN_EXP_SLOT_I1; slot <= QN_EXP_SLOT_D1 && !strcmp(inclusion->text, "exclusive"); slot++)
        if (!loading.m->module[slot].text) /* by its name, it tells what it gives up */
            place((enum qn_exp_slot)slot, "lru", inclusion->origin);
    return true;
}

/* A policy, a prefetcher, or both, joined as --sim joins them. */
static bool take_modules(enum qn_exp_level level)
{
    const char *title = qn_exp_level_names[level];
    const struct qn_exp_text *policy = find("cache", title, "policy"), *prefetcher = find("cache", title, "prefetcher"),
                             *options = find("cache", title, "options"), *inclusion = find("cache", title, "inclusion");
    bool lru = !policy || !strcmp(policy->text, "lru");

    if (prefetcher && level >= QN_EXP_LL)
        return refuse(prefetcher->origin, join(title, "prefetcher"), prefetcher->text, "none: prefetchers are modules of I1 and D1");
    if (inclusion && level != QN_EXP_LL)
        return refuse(inclusion->origin, join(title, "inclusion"), inclusion->text, "none: only the LL has it");
    if (level == QN_EXP_L2) {
        if (options)
            return refuse(options->origin, "L2 options", options->text, "none: it has no module");
        return lru || refuse(policy->origin, "L2 policy", policy->text, "lru: it has no module");
    }
    if (!lru)
        place((enum qn_exp_slot)level, policy->text, policy->origin);
    if (prefetcher)
        place((enum qn_exp_slot)level, prefetcher->text, prefetcher->origin);
    return add_options("cache", (enum qn_exp_slot)level);
}

_Static_assert((int)QN_EXP_I1 == (int)QN_EXP_SLOT_I1 && (int)QN_EXP_D1 == (int)QN_EXP_SLOT_D1 && (int)QN_EXP_LL == (int)QN_EXP_SLOT_LL,
               "a level and its slot");

static bool take_caches(void)
{
    for (size_t i = 0; i < loading.count; i++) {
        const struct value *v = &loading.values[i];

        if (!strcmp(v->section, "cache") && strcmp(v->title, "I1") && strcmp(v->title, "D1") && strcmp(v->title, "L2") && strcmp(v->title, "LL"))
            return refuse(v->text.origin, "cache", v->title, "I1, D1, L2 or LL: quern has no others");
    }
    for (int i = 0; i < QN_EXP_LEVELS; i++)
        if (!take_geometry((enum qn_exp_level)i) || !take_modules((enum qn_exp_level)i))
            return false;
    return take_inclusion(find_section("cache", "L2") != NULL);
}

/* ---- the translation buffer: module tlb in slot D1 ---- */

static bool take_tlb(void)
{
    const struct qn_exp_text *any = find_section("tlb", ""), *second = find("tlb", "", "second-entries"), *page = find("tlb", "", "page");
    uint32_t entries = 0, ways = 0, second_entries = 1, second_ways = 1, bytes = 4096; /* one entry holds what the first buffer holds: none */

    if (!any)
        return true;
    if (!find("tlb", "", "entries") || !find("tlb", "", "ways") || !second != !find("tlb", "", "second-ways"))
        return refuse(any->origin, "tlb", "", "entries and ways, and second-entries and second-ways, or neither");
    if (!take_number("tlb", "", "entries", &entries) || !take_number("tlb", "", "ways", &ways)
        || !take_number("tlb", "", "second-entries", &second_entries) || !take_number("tlb", "", "second-ways", &second_ways)
        || !take_number("tlb", "", "page", &bytes))
        return false;
    if (!qn_is_pow2(bytes))
        return refuse(page->origin, "tlb page", page->text, "a power of two");
    if (!ways || entries % ways || !qn_is_pow2(entries / ways))
        return refuse(any->origin, "tlb entries", find("tlb", "", "entries")->text, "ways times a power of two");
    if (!second_ways || second_entries % second_ways || !qn_is_pow2(second_entries / second_ways))
        return refuse(any->origin, "tlb second-entries", second->text, "second-ways times a power of two");
    place(QN_EXP_SLOT_D1, "tlb", any->origin);
    add_number(QN_EXP_SLOT_D1, "tlb-entries", entries);
    add_number(QN_EXP_SLOT_D1, "tlb-ways", ways);
    add_number(QN_EXP_SLOT_D1, "stlb-entries", second_entries);
    add_number(QN_EXP_SLOT_D1, "stlb-ways", second_ways);
    add_number(QN_EXP_SLOT_D1, "page-bits", (uint32_t)qn_log2(bytes));
    return true;
}

/* ---- predictors ---- */

static bool take_predictors(void)
{
    for (size_t i = 0; i < loading.count; i++) {
        const struct value *v = &loading.values[i];
        enum qn_exp_slot slot = !strcmp(v->title, "BC") ? QN_EXP_SLOT_BC : QN_EXP_SLOT_BI;

        if (strcmp(v->section, "predictor"))
            continue;
        if (slot == QN_EXP_SLOT_BI && strcmp(v->title, "BI"))
            return refuse(v->text.origin, "predictor", v->title, "BC, of conditional branches, or BI, of indirect ones");
        if (!strcmp(v->name, "module"))
            place(slot, v->text.text, v->text.origin);
    }
    return add_options("predictor", QN_EXP_SLOT_BC) && add_options("predictor", QN_EXP_SLOT_BI);
}

/* ---- time ---- */

/* Latencies count from the processor; time counts what each level costs more than the one above. */
static bool take_latency(const char *section, const char *title, uint32_t *above, uint32_t *adds)
{
    const struct qn_exp_text *text = find(section, title, "latency");
    uint32_t cycles = *above;

    if (!take_number(section, title, "latency", &cycles))
        return false;
    if (cycles < *above)
        return refuse(text->origin, join(*title ? title : section, "latency"), text->text, "no less than that of the level above");
    *adds = cycles - *above;
    *above = cycles;
    return true;
}

static bool take_times(void)
{
    struct qn_exp_machine *m = loading.m;
    struct qn_exp_time *t = &m->time;
    const struct qn_exp_text *width = find("core", "", "width");
    bool L2 = m->geometry[QN_EXP_L2].line;
    uint32_t above = 0;

    if (!take_number("core", "", "clock", &m->clock) || !take_number("memory", "", "bandwidth", &m->bandwidth))
        return false;
    if (!find("memory", "", "latency"))
        return !find_section("core", "") || lacks("memory { latency } beside core");
    t->width = 1;
    if (!take_number("core", "", "width", &t->width) || !take_number("core", "", "mispredict", &t->branch))
        return false;
    if (!t->width)
        return refuse(width->origin, "core width", width->text, "at least 1");
    if (!take_latency("cache", "D1", &above, &t->hit) || (L2 && !take_latency("cache", "L2", &above, &t->L1))
        || !take_latency("cache", "LL", &above, L2 ? &t->L2 : &t->L1) || !take_latency("memory", "", &above, &t->LL))
        return false;
    m->timing = qn_text_format(&m->memory, "width=%u,hit=%u,L1=%u,", t->width, t->hit, t->L1);
    if (L2)
        m->timing = qn_text_format(&m->memory, "%sL2=%u,", m->timing, t->L2);
    m->timing = qn_text_format(&m->memory, "%sLL=%u,branch=%u", m->timing, t->LL, t->branch);
    return true;
}

static bool take_cores(void)
{
    const struct qn_exp_text *text = find("root", "", "cores");
    uint32_t *cores = &loading.m->cores;

    if (!take_number("root", "", "cores", cores))
        return false;
    return !text || (*cores >= 1 && *cores <= QN_CORES_MAX) || refuse(text->origin, "cores", text->text, "1 to 64");
}

/* ---- all ---- */

const char *qn_exp_machines(struct qn_text_memory *memory, const char *library)
{
    const char *slash = strrchr(library, '/');

    return qn_text_format(memory, "%.*s/machines", (int)(slash ? slash - library : 0), library);
}

const char *qn_exp_find_machine(struct qn_text_memory *memory, const char *name, const char *library)
{
    size_t n = strlen(name), end = strlen(QN_EXP_MACHINE_END);

    if (strchr(name, '/') || (n > end && !strcmp(name + n - end, QN_EXP_MACHINE_END)))
        return qn_text_copy(memory, name);
    return qn_text_format(memory, "%s/%s" QN_EXP_MACHINE_END, qn_exp_machines(memory, library), name);
}

bool qn_exp_read_machine(struct qn_exp_machine *m, const char *name, const char *library, struct qn_text_error *err)
{
    const struct qn_exp_text *title;

    *m = (struct qn_exp_machine){ .timing = "", .title = "" };
    for (int i = 0; i < QN_EXP_SLOTS; i++)
        m->options[i] = "";
    m->name = qn_text_copy(&m->memory, name);
    m->path = qn_exp_find_machine(&m->memory, name, library);
    if (strcmp(m->path, name) && access(m->path, F_OK)) {
        qn_text_fail(err, QN_TEXT_IO, "%s: no machine of this name; `quern machine list` has all", name);
        return false;
    }
    memset(&loading, 0, sizeof loading);
    loading.m = m;
    loading.err = err;
    if (!read_values(m->path) || !take_caches() || !take_tlb() || !take_predictors() || !take_times() || !take_cores())
        return false;
    title = find("root", "", "title");
    m->title = title ? title->text : "";
    return true;
}

void qn_exp_free_machine(struct qn_exp_machine *m) { qn_text_free_memory(&m->memory); }
