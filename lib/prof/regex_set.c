/*
 * Sets of bytes for regular expressions. See regex_set.h.
 *
 * In:  "a-c\d]x"
 * Out: bits of a b c 0..9, text goes on at "x"
 */
#include "prof/regex_set.h"

#include <ctype.h>
#include <string.h>

static void put(struct qn_prof_set *set, unsigned char c)
{
    set->bits[c >> 3] |= (uint8_t)(1u << (c & 7));
}

static void put_all(struct qn_prof_set *set, const struct qn_prof_set *more, int negated)
{
    for (int i = 0; i < 32; i++)
        set->bits[i] |= negated ? (uint8_t)~more->bits[i] : more->bits[i];
}

static int is_word(int c)
{
    return isalnum(c) || c == '_';
}

int qn_prof_class_of(char letter, struct qn_prof_set *set, int *negated)
{
    int lower = letter | 0x20;
    memset(set, 0, sizeof *set);
    *negated = lower != letter;
    if (!isalpha((unsigned char)letter) || (lower != 'd' && lower != 'w' && lower != 's'))
        return 0;
    for (int c = 0; c < 128; c++)
        if (lower == 'd' ? isdigit(c) : lower == 'w' ? is_word(c) : isspace(c))
            put(set, (unsigned char)c);
    return 1;
}

static int hex_value(char c)
{
    return c >= '0' && c <= '9' ? c - '0' : isxdigit((unsigned char)c) ? (c | 0x20) - 'a' + 10 : -1;
}

int qn_prof_escaped_char(const char **at, const char *end)
{
    static const char letters[] = "tnrfvae", bytes[] = "\t\n\r\f\v\a\x1b";
    if (*at == end)
        return -1;
    char c = *(*at)++;
    const char *known = c ? strchr(letters, c) : NULL;
    if (known)
        return (unsigned char)bytes[known - letters];
    if (c == 'x' && end - *at >= 2 && hex_value((*at)[0]) >= 0 && hex_value((*at)[1]) >= 0) {
        int value = hex_value((*at)[0]) * 16 + hex_value((*at)[1]);
        *at += 2;
        return value;
    }
    return isalnum((unsigned char)c) ? -1 : (unsigned char)c;
}

static const struct named_class {
    const char *name;
    int (*has)(int);
} named_classes[] = {
    {"[:alpha:]", isalpha}, {"[:digit:]", isdigit}, {"[:alnum:]", isalnum}, {"[:upper:]", isupper},
    {"[:lower:]", islower}, {"[:space:]", isspace}, {"[:punct:]", ispunct}, {"[:xdigit:]", isxdigit},
    {"[:word:]", is_word},
};

/* Adds [:name:] where the text has one; the text after it, or NULL. */
static const char *take_named(const char *at, const char *end, struct qn_prof_set *set)
{
    for (size_t i = 0; i < sizeof named_classes / sizeof *named_classes; i++) {
        size_t n = strlen(named_classes[i].name);
        if ((size_t)(end - at) < n || memcmp(at, named_classes[i].name, n) != 0)
            continue;
        for (int c = 0; c < 128; c++)
            if (named_classes[i].has(c))
                put(set, (unsigned char)c);
        return at + n;
    }
    return NULL;
}

/* One member: its byte value; -2 where a whole class was added; -1 on failure. */
static int take_member(const char **at, const char *end, struct qn_prof_set *set)
{
    const char *after = take_named(*at, end, set);
    if (after) {
        *at = after;
        return -2;
    }
    char c = *(*at)++;
    if (c != '\\')
        return (unsigned char)c < 0x80 ? c : -1;
    struct qn_prof_set class;
    int negated;
    if (*at < end && qn_prof_class_of(**at, &class, &negated)) {
        (*at)++;
        put_all(set, &class, negated);
        return -2;
    }
    if (*at < end && **at == 'b') {
        (*at)++;
        return '\b';
    }
    return qn_prof_escaped_char(at, end);
}

static int put_range(struct qn_prof_set *set, int low, int high)
{
    if (low > high)
        return -1;
    for (int c = low; c <= high; c++)
        put(set, (unsigned char)c);
    return 0;
}

/* A member, or a range of two: 0, or -1 on failure. */
static int take_item(const char **at, const char *end, struct qn_prof_set *set)
{
    int low = take_member(at, end, set);
    if (low < 0)
        return low == -2 ? 0 : -1;
    if (end - *at < 2 || **at != '-' || (*at)[1] == ']')
        return put_range(set, low, low);
    (*at)++;
    int high = take_member(at, end, set);
    return high < 0 ? -1 : put_range(set, low, high);
}

static void add_other_case(struct qn_prof_set *set)
{
    for (int c = 'a'; c <= 'z'; c++) {
        int upper = c - 'a' + 'A';
        if (qn_prof_in_set(set, (unsigned char)c) || qn_prof_in_set(set, (unsigned char)upper)) {
            put(set, (unsigned char)c);
            put(set, (unsigned char)upper);
        }
    }
}

const char *qn_prof_parse_set(const char *at, const char *end, int ignore_case,
                              struct qn_prof_set *set, int *negated, struct qn_prof_error *err)
{
    memset(set, 0, sizeof *set);
    *negated = at < end && *at == '^';
    at += *negated;
    const char *first = at;
    while (at < end && (*at != ']' || at == first))
        if (take_item(&at, end, set) != 0) {
            qn_prof_fail(err, QN_PROF_BAD, "a set in [ ] has a bad range, escape or character");
            return NULL;
        }
    if (at == end) {
        qn_prof_fail(err, QN_PROF_BAD, "a set has no closing ]");
        return NULL;
    }
    if (ignore_case)
        add_other_case(set);
    return at + 1;
}
