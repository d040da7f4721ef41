/* lib/sim/option.h - options of modules: "key=value,D1.key=value" (--sim-opt). */
#ifndef QN_SIM_OPTION_H
#define QN_SIM_OPTION_H

#include "base/base.h"

/* The text after `word`, if `text` begins with it; else NULL. */
static inline const char *sim_option_skip(const char *text, const char *word)
{
    while (*word)
        if (*text++ != *word++)
            return NULL;
    return text;
}

static inline uint64_t sim_option_number(const char *s)
{
    uint64_t value = 0;

    while (*s >= '0' && *s <= '9')
        value = value * 10 + (uint64_t)(*s++ - '0');
    return value;
}

/* The value of an option, or `otherwise`.  If it is given several times, the last one counts; SLOT.key comes before key.  Sets bit I
 * of *asked if option I of the text (the first 64) is one of these. */
static inline uint64_t sim_option_find(const char *text, const char *slot, const char *key, uint64_t otherwise, uint64_t *asked)
{
    uint64_t value = otherwise;
    bool own = false;

    for (uint64_t bit = 1; *text; bit <<= 1) {
        const char *rest = sim_option_skip(text, slot), *named = rest && *rest == '.' ? rest + 1 : NULL;

        rest = sim_option_skip(named ? named : text, key);
        if (rest && *rest == '=')
            *asked |= bit;
        if (rest && *rest == '=' && (named || !own)) {
            value = sim_option_number(rest + 1);
            own |= named != NULL;
        }
        while (*text && *text != ',')
            text++;
        text += *text == ',';
    }
    return value;
}

/* The first option that no module has asked for, up to a comma or the end of the text; NULL: none. */
static inline const char *sim_option_unasked(const char *text, uint64_t asked)
{
    for (uint64_t bit = 1; *text && bit; bit <<= 1) {
        if (!(asked & bit))
            return text;
        while (*text && *text != ',')
            text++;
        text += *text == ',';
    }
    return NULL;
}

#endif
