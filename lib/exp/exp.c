/* lib/exp/exp.c - collects the settings, axes, programs and simulators of an experiment.  See exp.h. */
#include "exp/exp.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "base/base.h"
#include "exp/config_file.h"

#define VALUES_MAX 10000 /* of one axis */

const char *const qn_exp_slot_names[QN_EXP_SLOTS] = { "I1", "D1", "LL", "BC", "BI", "AN" };
const char *const qn_exp_level_names[QN_EXP_LEVELS] = { "I1", "D1", "LL", "L2" };

void qn_exp_init(struct qn_exp *e)
{
    memset(e, 0, sizeof *e);
}

void qn_exp_free(struct qn_exp *e) { qn_text_free_memory(&e->memory); }

static bool wrong(struct qn_text_error *err, const char *origin, const char *what, const char *got, const char *wanted)
{
    qn_text_fail(err, QN_TEXT_BAD, "%s: %s: got '%s', wanted %s", origin, what, got, wanted);
    return false;
}

bool qn_exp_parse_size(const char *text, uint64_t *size)
{
    static const char suffixes[] = "kmg";
    const char *suffix;
    char *end;
    unsigned shift;

    if (!isdigit((unsigned char)*text))
        return false;
    errno = 0;
    *size = strtoull(text, &end, 10);
    if (errno || !*end)
        return !errno;
    suffix = strchr(suffixes, tolower((unsigned char)*end));
    if (!suffix || end[1])
        return false;
    shift = 10 * (unsigned)(suffix - suffixes + 1);
    if (*size >> (64 - shift))
        return false;
    *size <<= shift;
    return true;
}

#define LINE_MIN 16u /* bytes, as `quern run` */

const char *qn_exp_wanted_of(enum qn_exp_level level, const struct qn_geometry *g)
{
    uint64_t way = (uint64_t)g->assoc * g->line;

    if (g->line < LINE_MIN || !qn_is_pow2(g->line))
        return "a line that is a power of two, at least 16";
    if (!g->assoc)
        return "at least one way";
    if (!g->size || g->size % way)
        return "a size that is sets * ways * line";
    return level >= QN_EXP_LL || qn_is_pow2(g->size / way) ? NULL : "a number of sets that is a power of two";
}

void qn_exp_add_text(struct qn_exp *e, struct qn_exp_texts *list, const char *text, const char *origin)
{
    list->at = qn_text_grow(&e->memory, list->at, (size_t)list->count, sizeof *list->at);
    list->at[list->count++] = (struct qn_exp_text){ qn_text_copy(&e->memory, text), qn_text_copy(&e->memory, origin) };
}

/* ---- fixed settings ---- */

enum setting_kind { ANY, NUMBER, YESNO, COUNTING };

static bool check_setting(enum setting_kind kind, const char *name, const char *value, const char *origin,
                          struct qn_text_error *err)
{
    uint64_t number;

    switch (kind) {
    case ANY:
        return true;
    case NUMBER:
        return qn_exp_parse_size(value, &number) || wrong(err, origin, name, value, "a number");
    case YESNO:
        return !strcmp(value, "yes") || !strcmp(value, "no") || wrong(err, origin, name, value, "yes or no");
    case COUNTING:
        return !strcmp(value, "exact") || !strcmp(value, "cachegrind")
               || wrong(err, origin, name, value, "exact or cachegrind");
    }
    return false;
}

bool qn_exp_has_L2(const struct qn_exp *e)
{
    for (int i = 0; i < e->axis_count; i++)
        if (!strncmp(e->axes[i].name.text, "L2", 2) && (!e->axes[i].name.text[2] || e->axes[i].name.text[2] == '.'))
            return true;
    return e->machine_has_L2 || e->geometry[QN_EXP_L2].text;
}

bool qn_exp_set(struct qn_exp *e, const char *name, const char *value, const char *origin, struct qn_text_error *err)
{
    const struct {
        const char *name;
        enum setting_kind kind;
        struct qn_exp_text *text;
        struct qn_exp_texts *texts;
    } settings[] = {
        { "I1", ANY, &e->geometry[QN_EXP_I1], NULL },      { "D1", ANY, &e->geometry[QN_EXP_D1], NULL },
        { "LL", ANY, &e->geometry[QN_EXP_LL], NULL },      { "L2", ANY, &e->geometry[QN_EXP_L2], NULL },      { "seed", NUMBER, &e->seed, NULL },
        { "counting", COUNTING, &e->counting, NULL },      { "cache-sim", YESNO, &e->cache_sim, NULL },
        { "branch-sim", YESNO, &e->branch_sim, NULL },     { "timeout", NUMBER, &e->timeout, NULL },
        { "options", ANY, NULL, &e->options },             { "environment", ANY, NULL, &e->environment },
    };

    for (size_t i = 0; i < QN_ARRAY_LEN(settings); i++) {
        if (strcmp(settings[i].name, name))
            continue;
        if (!check_setting(settings[i].kind, name, value, origin, err))
            return false;
        if (settings[i].texts)
            qn_exp_add_text(e, settings[i].texts, value, origin);
        else
            *settings[i].text = (struct qn_exp_text){ qn_text_copy(&e->memory, value), qn_text_copy(&e->memory, origin) };
        return true;
    }
    return wrong(err, origin, "setting", name, "one that there is");
}

/* ---- axes ---- */

static bool is_name(const char *text)
{
    size_t n = strspn(text, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.-");

    return n && !text[n] && !isdigit((unsigned char)text[0]);
}

struct qn_exp_axis *qn_exp_add_axis(struct qn_exp *e, const char *name, const char *origin, struct qn_text_error *err)
{
    struct qn_exp_axis *axis;

    if (!is_name(name)) {
        wrong(err, origin, "name of what varies", name, "letters, digits, '_', '-' and '.'");
        return NULL;
    }
    for (int i = 0; i < e->axis_count; i++)
        if (!strcmp(e->axes[i].name.text, name)) {
            qn_text_fail(err, QN_TEXT_BAD, "%s: %s varies already, at %s", origin, name, e->axes[i].name.origin);
            return NULL;
        }
    e->axes = qn_text_grow(&e->memory, e->axes, (size_t)e->axis_count, sizeof *e->axes);
    axis = &e->axes[e->axis_count++];
    *axis = (struct qn_exp_axis){ .name = { qn_text_copy(&e->memory, name), qn_text_copy(&e->memory, origin) } };
    return axis;
}

/* "3..7" */
static bool parse_range(const char *text, long *from, long *to)
{
    char *end;

    if (!isdigit((unsigned char)*text))
        return false;
    *from = strtol(text, &end, 10);
    if (strncmp(end, "..", 2) || !isdigit((unsigned char)end[2]))
        return false;
    *to = strtol(end + 2, &end, 10);
    return !*end;
}

static bool has_room(const struct qn_exp_axis *axis, const char *value, const char *origin, struct qn_text_error *err)
{
    return axis->values.count < VALUES_MAX || wrong(err, origin, axis->name.text, value, "fewer values than 10000");
}

bool qn_exp_add_value(struct qn_exp *e, struct qn_exp_axis *axis, const char *value, const char *origin,
                      struct qn_text_error *err)
{
    long from, to;

    if (!*value)
        return wrong(err, origin, axis->name.text, value, "a value");
    if (!parse_range(value, &from, &to)) {
        for (int i = 0; i < axis->values.count; i++)
            if (!strcmp(axis->values.at[i].text, value))
                return wrong(err, origin, axis->name.text, value, "each value once");
        qn_exp_add_text(e, &axis->values, value, origin);
        return has_room(axis, value, origin, err);
    }
    if (from > to)
        return wrong(err, origin, axis->name.text, value, "a range that rises");
    for (; from <= to; from++) {
        if (!has_room(axis, value, origin, err))
            return false;
        qn_exp_add_text(e, &axis->values, qn_text_format(&e->memory, "%ld", from), origin);
    }
    return true;
}

bool qn_exp_add_powers(struct qn_exp *e, struct qn_exp_axis *axis, const char *from, const char *to, const char *origin,
                       struct qn_text_error *err)
{
    uint64_t first, last;

    if (!qn_exp_parse_size(from, &first) || !first || first >> 62)
        return wrong(err, origin, axis->name.text, from, "a size");
    if (!qn_exp_parse_size(to, &last) || last >> 62)
        return wrong(err, origin, axis->name.text, to, "a size");
    if (first > last)
        return wrong(err, origin, axis->name.text, to, "a last value that is not below the first");
    for (; first <= last; first *= 2)
        qn_exp_add_text(e, &axis->values, qn_text_format(&e->memory, "%llu", (unsigned long long)first), origin);
    return true;
}

bool qn_exp_add_list(struct qn_exp *e, const char *text, const char *origin, struct qn_text_error *err)
{
    const char *equals = strchr(text, '='), *at;
    bool is_geometry = equals == text + 2 && (!strncmp(text, "I1", 2) || !strncmp(text, "D1", 2) || !strncmp(text, "LL", 2) || !strncmp(text, "L2", 2));
    char separator[2] = { is_geometry || strchr(text, ';') ? ';' : ',', 0 };
    struct qn_exp_axis *axis;

    if (!equals)
        return wrong(err, origin, "what varies", text, "NAME=VALUE,VALUE");
    axis = qn_exp_add_axis(e, qn_text_copy_part(&e->memory, text, (size_t)(equals - text)), origin, err);
    if (!axis)
        return false;
    for (at = equals + 1;; at++) {
        size_t n = strcspn(at, separator);

        if (!qn_exp_add_value(e, axis, qn_text_copy_part(&e->memory, at, n), origin, err))
            return false;
        at += n;
        if (!*at)
            return true;
    }
}

/* ---- programs and simulators ---- */

struct qn_exp_program *qn_exp_add_program(struct qn_exp *e, const char *name, const char *origin)
{
    struct qn_exp_program *p;

    e->programs = qn_text_grow(&e->memory, e->programs, (size_t)e->program_count, sizeof *e->programs);
    p = &e->programs[e->program_count++];
    *p = (struct qn_exp_program){ .name = { qn_text_copy(&e->memory, name), qn_text_copy(&e->memory, origin) } };
    return p;
}

struct qn_exp_simulator *qn_exp_add_simulator(struct qn_exp *e, const char *name, const char *origin)
{
    struct qn_exp_simulator *s;

    e->simulators = qn_text_grow(&e->memory, e->simulators, (size_t)e->simulator_count, sizeof *e->simulators);
    s = &e->simulators[e->simulator_count++];
    *s = (struct qn_exp_simulator){ .name = { qn_text_copy(&e->memory, name), qn_text_copy(&e->memory, origin) } };
    return s;
}

/* ---- the file of an experiment ----
 *
 * Values go through the same functions as those of the command line, so both accept the same.
 */

static struct {
    struct qn_exp *e;
    struct qn_text_error *err;
} loading;

static int take_setting(cfg_t *cfg, cfg_opt_t *opt, const char *value, void *result)
{
    if (qn_exp_begin_value(cfg, opt, value, result))
        return -1;
    return qn_exp_set(loading.e, opt->name, value, qn_exp_origin(cfg), loading.err) ? 0 : -1;
}

/* ---- axis NAME { values = {...} } or { from = A to = B } ---- */

/* The section's axis, made by its first value. */
static struct qn_exp_axis *axis_of(cfg_t *section)
{
    struct qn_exp *e = loading.e;
    struct qn_exp_axis *last = e->axis_count ? &e->axes[e->axis_count - 1] : NULL;

    if (last && !strcmp(last->name.text, section->title))
        return last;
    return qn_exp_add_axis(e, section->title, qn_exp_origin(section), loading.err);
}

static int take_axis_value(cfg_t *cfg, cfg_opt_t *opt, const char *value, void *result)
{
    struct qn_exp_axis *axis;

    if (qn_exp_begin_value(cfg, opt, value, result) || !(axis = axis_of(cfg)))
        return -1;
    return qn_exp_add_value(loading.e, axis, value, qn_exp_origin(cfg), loading.err) ? 0 : -1;
}

static int take_bound(cfg_t *cfg, cfg_opt_t *opt, const char *value, void *result)
{
    uint64_t size;

    if (qn_exp_begin_value(cfg, opt, value, result))
        return -1;
    if (qn_exp_parse_size(value, &size))
        return 0;
    cfg_error(cfg, "%s: got '%s', wanted a size", opt->name, value);
    return -1;
}

static cfg_t *last_section(cfg_opt_t *opt) { return cfg_opt_getnsec(opt, cfg_opt_size(opt) - 1); }

static int end_axis(cfg_t *cfg, cfg_opt_t *opt)
{
    cfg_t *section = last_section(opt);
    const char *from = cfg_getstr(section, "from"), *to = cfg_getstr(section, "to");
    struct qn_exp_axis *axis = axis_of(section);

    (void)cfg;
    if (!axis)
        return -1;
    if (!from != !to || !from == !axis->values.count) {
        cfg_error(section, "axis %s: wanted values, or from and to", section->title);
        return -1;
    }
    return !from || qn_exp_add_powers(loading.e, axis, from, to, qn_exp_origin(section), loading.err) ? 0 : -1;
}

/* ---- program NAME { command = {...} input = FILE } ---- */

static struct qn_exp_program *program_of(cfg_t *section)
{
    struct qn_exp *e = loading.e;
    struct qn_exp_program *last = e->program_count ? &e->programs[e->program_count - 1] : NULL;

    return last && !strcmp(last->name.text, section->title) ? last
                                                           : qn_exp_add_program(e, section->title, qn_exp_origin(section));
}

static int take_program_value(cfg_t *cfg, cfg_opt_t *opt, const char *value, void *result)
{
    struct qn_exp_program *program = program_of(cfg);
    const char *origin = qn_exp_origin(cfg);

    if (qn_exp_begin_value(cfg, opt, value, result))
        return -1;
    if (opt->flags & CFGF_LIST)
        qn_exp_add_text(loading.e, &program->argv, value, origin);
    else
        program->input = (struct qn_exp_text){ qn_text_copy(&loading.e->memory, value), origin };
    return 0;
}

static int end_program(cfg_t *cfg, cfg_opt_t *opt)
{
    cfg_t *section = last_section(opt);

    (void)cfg;
    if (program_of(section)->argv.count)
        return 0;
    cfg_error(section, "program %s: wanted command = {PROGRAM, ARGUMENT, ...}", section->title);
    return -1;
}

/* ---- simulator NAME { D1 = MODULE ... } ---- */

static int take_simulator_value(cfg_t *cfg, cfg_opt_t *opt, const char *value, void *result)
{
    struct qn_exp *e = loading.e;
    struct qn_exp_simulator *s = e->simulator_count ? &e->simulators[e->simulator_count - 1] : NULL;
    struct qn_exp_text text = { qn_text_copy(&e->memory, value), qn_exp_origin(cfg) };

    if (qn_exp_begin_value(cfg, opt, value, result))
        return -1;
    if (!s || strcmp(s->name.text, cfg->title))
        s = qn_exp_add_simulator(e, cfg->title, text.origin);
    if (opt->flags & CFGF_LIST)
        qn_exp_add_text(e, &s->options, value, text.origin);
    else if (!strcmp(opt->name, "path"))
        s->path = text;
    for (int i = 0; i < QN_EXP_SLOTS; i++)
        if (!strcmp(opt->name, qn_exp_slot_names[i]))
            s->module[i] = text;
    return 0;
}

/* ---- the file ---- */

#define SETTING(name) QN_EXP_VALUE(name, take_setting)
#define SIMULATOR(name) QN_EXP_VALUE(name, take_simulator_value)

bool qn_exp_read_file(struct qn_exp *e, const char *path, struct qn_text_error *err)
{
    static const struct qn_exp_section_end ends[] = { { "axis", end_axis }, { "program", end_program }, { NULL, NULL } };
    cfg_opt_t axis[] = { QN_EXP_LIST("values", take_axis_value), QN_EXP_VALUE("from", take_bound), QN_EXP_VALUE("to", take_bound), CFG_END() };
    cfg_opt_t program[] = { QN_EXP_LIST("command", take_program_value), QN_EXP_VALUE("input", take_program_value), CFG_END() };
    cfg_opt_t simulator[] = { SIMULATOR("I1"), SIMULATOR("D1"), SIMULATOR("LL"), SIMULATOR("BC"), SIMULATOR("BI"),
                              SIMULATOR("AN"), SIMULATOR("path"), QN_EXP_LIST("options", take_simulator_value), CFG_END() };
    cfg_opt_t all[] = { SETTING("I1"), SETTING("D1"), SETTING("LL"), SETTING("L2"), SETTING("seed"), SETTING("counting"),
                        SETTING("cache-sim"), SETTING("branch-sim"), SETTING("timeout"), QN_EXP_LIST("options", take_setting),
                        QN_EXP_LIST("environment", take_setting), CFG_SEC("axis", axis, QN_EXP_SECTION_FLAGS),
                        CFG_SEC("program", program, QN_EXP_SECTION_FLAGS), CFG_SEC("simulator", simulator, QN_EXP_SECTION_FLAGS),
                        CFG_END() };

    loading.e = e;
    loading.err = err;
    return qn_exp_read_config(path, all, ends, "settings, axes, programs and simulators", &e->memory, err);
}
