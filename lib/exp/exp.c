/* lib/exp/exp.c - collects the settings, axes, programs and simulators of an experiment.  See exp.h. */
#include "exp/exp.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/base.h"

#define VALUES_MAX 10000 /* of one axis */

const char *const qn_exp_slot_names[QN_EXP_SLOTS] = { "I1", "D1", "LL", "BC", "BI", "AN" };

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

bool qn_exp_set(struct qn_exp *e, const char *name, const char *value, const char *origin, struct qn_text_error *err)
{
    const struct {
        const char *name;
        enum setting_kind kind;
        struct qn_exp_text *text;
        struct qn_exp_texts *texts;
    } settings[] = {
        { "I1", ANY, &e->geometry[QN_EXP_I1], NULL },      { "D1", ANY, &e->geometry[QN_EXP_D1], NULL },
        { "LL", ANY, &e->geometry[QN_EXP_LL], NULL },      { "seed", NUMBER, &e->seed, NULL },
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
    bool is_geometry = equals == text + 2 && (!strncmp(text, "I1", 2) || !strncmp(text, "D1", 2) || !strncmp(text, "LL", 2));
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
