/*
 * Compiles regular expressions. See regex.h and regex_program.h.
 *
 * In:  "x(a|b)+"
 * Out: the program, by recursive descent; each parse_ function appends the code of what it takes
 */
#include "prof/regex.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "prof/regex_emit.h"
#include "prof/regex_set.h"

static int parse_choice(struct qn_prof_compiler *p);

static int parse_bracket(struct qn_prof_compiler *p)
{
    struct qn_prof_set set;
    int negated;
    p->at = qn_prof_parse_set(p->at, p->end, p->re->ignore_case, &set, &negated, p->err);
    return p->at ? qn_prof_emit_set(p, &set, negated) : -1;
}

static int parse_back_reference(struct qn_prof_compiler *p, int group)
{
    p->at++;
    if (group > p->re->groups)
        return qn_prof_refuse_regex(p, "a back reference to a group that does not exist");
    return qn_prof_emit(p, OP_BACK, 0, group, 0);
}

static int parse_escape(struct qn_prof_compiler *p)
{
    struct qn_prof_set set;
    int negated;
    if (p->at == p->end)
        return qn_prof_refuse_regex(p, "a backslash ends the pattern");
    char c = *p->at;
    if (c >= '1' && c <= '9')
        return parse_back_reference(p, c - '0');
    if (qn_prof_class_of(c, &set, &negated)) {
        p->at++;
        return qn_prof_emit_set(p, &set, negated);
    }
    if (c == 'b' || c == 'B')
        return p->at++, qn_prof_emit(p, OP_WORD, c == 'b', 0, 0);
    if (c == 'A')
        return p->at++, qn_prof_emit(p, OP_BEGIN, 0, 0, 0);
    if (c == 'Z' || c == 'z')
        return p->at++, qn_prof_emit(p, OP_END, 0, 0, 0);
    int value = qn_prof_escaped_char(&p->at, p->end);
    return value < 0 ? qn_prof_refuse_regex(p, "an escape that is not known") : qn_prof_emit_char(p, value);
}

static int close_group(struct qn_prof_compiler *p)
{
    if (p->at == p->end || *p->at != ')')
        return qn_prof_refuse_regex(p, "a ( has no closing )");
    p->at++;
    return 0;
}

static int parse_capture(struct qn_prof_compiler *p)
{
    int group = ++p->re->groups;
    if (group >= QN_PROF_GROUPS_MAX)
        return qn_prof_refuse_regex(p, "more than 9 groups");
    if (qn_prof_emit(p, OP_SAVE, 0, 2 * group, 0) != 0 || parse_choice(p) != 0 || close_group(p) != 0)
        return -1;
    return qn_prof_emit(p, OP_SAVE, 0, 2 * group + 1, 0);
}

static int parse_look(struct qn_prof_compiler *p, int wanted)
{
    int start = p->re->length;
    if (qn_prof_emit(p, OP_LOOK, wanted, 0, 0) != 0 || parse_choice(p) != 0 || close_group(p) != 0 ||
        qn_prof_emit(p, OP_MATCH, 0, 0, 0) != 0)
        return -1;
    p->re->code[start].x = p->re->length - start;
    return 0;
}

static int has_prefix(const struct qn_prof_compiler *p, const char *prefix)
{
    size_t n = strlen(prefix);
    return (size_t)(p->end - p->at) >= n && memcmp(p->at, prefix, n) == 0;
}

static int parse_special_group(struct qn_prof_compiler *p)
{
    if (has_prefix(p, "?P<")) {
        const char *close = memchr(p->at, '>', (size_t)(p->end - p->at));
        if (!close)
            return qn_prof_refuse_regex(p, "a group's name has no closing >");
        p->at = close + 1;
        return parse_capture(p);
    }
    if (has_prefix(p, "?="))
        return p->at += 2, parse_look(p, 1);
    if (has_prefix(p, "?!"))
        return p->at += 2, parse_look(p, 0);
    if (!has_prefix(p, "?:"))
        return qn_prof_refuse_regex(p, "a kind of group that is not known: only (?: ) (?= ) (?! ) (?P<name> )");
    p->at += 2;
    return parse_choice(p) != 0 ? -1 : close_group(p);
}

static int parse_group(struct qn_prof_compiler *p)
{
    if (++p->depth > QN_PROF_DEPTH_MAX)
        return qn_prof_refuse_regex(p, "groups nested too deeply");
    int result = p->at < p->end && *p->at == '?' ? parse_special_group(p) : parse_capture(p);
    p->depth--;
    return result;
}

static int parse_atom(struct qn_prof_compiler *p)
{
    char c = *p->at++;
    switch (c) {
    case '(': return parse_group(p);
    case '[': return parse_bracket(p);
    case '\\': return parse_escape(p);
    case '.': return qn_prof_emit(p, OP_ANY, 0, 0, 0);
    case '^': return qn_prof_emit(p, OP_BEGIN, 0, 0, 0);
    case '$': return qn_prof_emit(p, OP_END, 1, 0, 0);
    case '*':
    case '+':
    case '?': return qn_prof_refuse_regex(p, "a repeat of nothing");
    default: return qn_prof_emit_char(p, (unsigned char)c);
    }
}

/* Reads digits up to QN_PROF_COUNT_MAX + 1; -1 where there are none. */
static int parse_number(const char **at, const char *end)
{
    int value = -1;
    for (; *at < end && isdigit((unsigned char)**at); (*at)++) {
        value = (value < 0 ? 0 : value) * 10 + (**at - '0');
        if (value > QN_PROF_COUNT_MAX)
            value = QN_PROF_COUNT_MAX + 1;
    }
    return value;
}

/* {m}, {m,}, {m,n}, {,n} at p->at: 1 and the bounds; 0 where the brace is a plain character. */
static int take_braces(struct qn_prof_compiler *p, int *least, int *most)
{
    const char *at = p->at + 1;
    int low = parse_number(&at, p->end), high = low;
    if (at < p->end && *at == ',') {
        at++;
        high = parse_number(&at, p->end);
        if (low < 0 && high < 0)
            return 0;
        low = low < 0 ? 0 : low;
        high = high < 0 ? QN_PROF_FOREVER : high;
    }
    if (low < 0 || at == p->end || *at != '}')
        return 0;
    p->at = at + 1;
    *least = low;
    *most = high;
    return 1;
}

/* A repeat operator at p->at: 1 and its bounds, else 0. */
static int take_repeat(struct qn_prof_compiler *p, int *least, int *most)
{
    if (p->at == p->end)
        return 0;
    char c = *p->at;
    if (c == '{')
        return take_braces(p, least, most);
    if (c != '*' && c != '+' && c != '?')
        return 0;
    p->at++;
    *least = c == '+';
    *most = c == '?' ? 1 : QN_PROF_FOREVER;
    return 1;
}

static int parse_repeated(struct qn_prof_compiler *p)
{
    int start = p->re->length, least, most;
    if (parse_atom(p) != 0)
        return -1;
    if (!take_repeat(p, &least, &most))
        return 0;
    int lazy = p->at < p->end && *p->at == '?';
    p->at += lazy;
    if (qn_prof_emit_repeat(p, start, least, most, lazy) != 0)
        return -1;
    const char *next = p->at;
    if (take_repeat(p, &least, &most))
        return p->at = next, qn_prof_refuse_regex(p, "a repeat of a repeat");
    return 0;
}

static int parse_sequence(struct qn_prof_compiler *p)
{
    while (p->at < p->end && *p->at != '|' && *p->at != ')')
        if (parse_repeated(p) != 0)
            return -1;
    return 0;
}

/* a|b|c: SPLIT 1 k / a / JUMP end / SPLIT 1 m / b / JUMP end / c. Jumps to the end are chained. */
static int parse_choice(struct qn_prof_compiler *p)
{
    int chain = -1;
    for (;;) {
        int start = p->re->length;
        if (parse_sequence(p) != 0)
            return -1;
        if (p->at == p->end || *p->at != '|')
            break;
        p->at++;
        if (qn_prof_emit_at(p, start, OP_SPLIT, 0, 1, p->re->length - start + 2) != 0 ||
            qn_prof_emit(p, OP_JUMP, 0, chain, 0) != 0)
            return -1;
        chain = p->re->length - 1;
    }
    while (chain >= 0) {
        int before = p->re->code[chain].x;
        p->re->code[chain].x = p->re->length - chain;
        chain = before;
    }
    return 0;
}

static int parse_all(struct qn_prof_compiler *p)
{
    if (qn_prof_emit(p, OP_SAVE, 0, 0, 0) != 0 || parse_choice(p) != 0)
        return -1;
    if (p->at != p->end)
        return qn_prof_refuse_regex(p, "a ) without its (");
    if (qn_prof_emit(p, OP_SAVE, 0, 1, 0) != 0)
        return -1;
    return qn_prof_emit(p, OP_MATCH, 0, 0, 0);
}

struct qn_prof_regex *qn_prof_compile_regex(const char *pattern, size_t n, int ignore_case,
                                            struct qn_prof_error *err)
{
    struct qn_prof_regex *re = calloc(1, sizeof *re);
    if (!re) {
        qn_prof_fail_memory(err);
        return NULL;
    }
    re->ignore_case = ignore_case;
    re->registers = 2 * QN_PROF_GROUPS_MAX;
    struct qn_prof_compiler p = {pattern, pattern + n, re, 0, err};
    if (parse_all(&p) == 0)
        return re;
    qn_prof_free_regex(re);
    return NULL;
}

void qn_prof_free_regex(struct qn_prof_regex *re)
{
    if (!re)
        return;
    free(re->code);
    free(re->sets);
    free(re);
}

int qn_prof_regex_groups(const struct qn_prof_regex *re)
{
    return re->groups;
}
