/*
 * Compiles regular expressions. See regex.h and regex_program.h.
 *
 * In:  "x(a|b)+"
 * Out: the program, by recursive descent; each parse_ function appends the code of what it takes
 *
 * Invariant: a repeat is made by copying the code of its atom, which relative jumps allow.
 */
#include "prof/regex.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "prof/regex_program.h"
#include "prof/regex_set.h"

enum { FOREVER = -1, COUNT_MAX = 1000 };

struct parser {
    const char *at, *end;
    struct qn_prof_regex *re;
    int depth;
    struct qn_prof_error *err;
};

static int parse_choice(struct parser *p);

static int bad(struct parser *p, const char *what)
{
    qn_prof_fail(p->err, QN_PROF_BAD, "%s", what);
    return -1;
}

/* Makes room for n more instructions at `where`. */
static int open_gap(struct parser *p, int where, int n)
{
    struct qn_prof_regex *re = p->re;
    if (re->length + n > QN_PROF_PROGRAM_MAX)
        return bad(p, "the pattern is too large");
    if (re->length + n > re->room) {
        int room = (re->length + n) * 2 + 16;
        struct qn_prof_instruction *code = realloc(re->code, (size_t)room * sizeof *code);
        if (!code)
            return qn_prof_fail_memory(p->err), -1;
        re->code = code;
        re->room = room;
    }
    memmove(re->code + where + n, re->code + where,
            (size_t)(re->length - where) * sizeof *re->code);
    re->length += n;
    return 0;
}

static int insert(struct parser *p, int where, enum qn_prof_op op, int arg, int x, int y)
{
    if (open_gap(p, where, 1) != 0)
        return -1;
    p->re->code[where] = (struct qn_prof_instruction){(uint8_t)op, (uint8_t)arg, x, y};
    return 0;
}

static int emit(struct parser *p, enum qn_prof_op op, int arg, int x, int y)
{
    return insert(p, p->re->length, op, arg, x, y);
}

/* Appends a copy of the instructions [from, from + n). */
static int emit_copy(struct parser *p, const struct qn_prof_instruction *from, int n)
{
    int at = p->re->length;
    if (open_gap(p, at, n) != 0)
        return -1;
    memcpy(p->re->code + at, from, (size_t)n * sizeof *from);
    return 0;
}

static int emit_set(struct parser *p, const struct qn_prof_set *set, int negated)
{
    struct qn_prof_regex *re = p->re;
    struct qn_prof_set *sets = realloc(re->sets, ((size_t)re->set_count + 1) * sizeof *sets);
    if (!sets)
        return qn_prof_fail_memory(p->err), -1;
    re->sets = sets;
    sets[re->set_count] = *set;
    return emit(p, negated ? OP_NOT_SET : OP_SET, 0, re->set_count++, 0);
}

static int emit_char(struct parser *p, int c)
{
    return emit(p, OP_CHAR, p->re->ignore_case ? tolower(c) : c, 0, 0);
}

static int parse_bracket(struct parser *p)
{
    struct qn_prof_set set;
    int negated;
    p->at = qn_prof_parse_set(p->at, p->end, p->re->ignore_case, &set, &negated, p->err);
    return p->at ? emit_set(p, &set, negated) : -1;
}

static int parse_back_reference(struct parser *p, int group)
{
    p->at++;
    if (group > p->re->groups)
        return bad(p, "a back reference to a group that does not exist");
    return emit(p, OP_BACK, 0, group, 0);
}

static int parse_escape(struct parser *p)
{
    struct qn_prof_set set;
    int negated;
    if (p->at == p->end)
        return bad(p, "a backslash ends the pattern");
    char c = *p->at;
    if (c >= '1' && c <= '9')
        return parse_back_reference(p, c - '0');
    if (qn_prof_class_of(c, &set, &negated)) {
        p->at++;
        return emit_set(p, &set, negated);
    }
    if (c == 'b' || c == 'B')
        return p->at++, emit(p, OP_WORD, c == 'b', 0, 0);
    if (c == 'A')
        return p->at++, emit(p, OP_BEGIN, 0, 0, 0);
    if (c == 'Z' || c == 'z')
        return p->at++, emit(p, OP_END, 0, 0, 0);
    int value = qn_prof_escaped_char(&p->at, p->end);
    return value < 0 ? bad(p, "an escape that is not known") : emit_char(p, value);
}

static int close_group(struct parser *p)
{
    if (p->at == p->end || *p->at != ')')
        return bad(p, "a ( has no closing )");
    p->at++;
    return 0;
}

static int parse_capture(struct parser *p)
{
    int group = ++p->re->groups;
    if (group >= QN_PROF_GROUPS_MAX)
        return bad(p, "more than 9 groups");
    if (emit(p, OP_SAVE, 0, 2 * group, 0) != 0 || parse_choice(p) != 0 || close_group(p) != 0)
        return -1;
    return emit(p, OP_SAVE, 0, 2 * group + 1, 0);
}

static int parse_look(struct parser *p, int wanted)
{
    int start = p->re->length;
    if (emit(p, OP_LOOK, wanted, 0, 0) != 0 || parse_choice(p) != 0 || close_group(p) != 0 ||
        emit(p, OP_MATCH, 0, 0, 0) != 0)
        return -1;
    p->re->code[start].x = p->re->length - start;
    return 0;
}

static int has_prefix(const struct parser *p, const char *prefix)
{
    size_t n = strlen(prefix);
    return (size_t)(p->end - p->at) >= n && memcmp(p->at, prefix, n) == 0;
}

static int parse_special_group(struct parser *p)
{
    if (has_prefix(p, "?P<")) {
        const char *close = memchr(p->at, '>', (size_t)(p->end - p->at));
        if (!close)
            return bad(p, "a group's name has no closing >");
        p->at = close + 1;
        return parse_capture(p);
    }
    if (has_prefix(p, "?="))
        return p->at += 2, parse_look(p, 1);
    if (has_prefix(p, "?!"))
        return p->at += 2, parse_look(p, 0);
    if (!has_prefix(p, "?:"))
        return bad(p, "a kind of group that is not known: only (?: ) (?= ) (?! ) (?P<name> )");
    p->at += 2;
    return parse_choice(p) != 0 ? -1 : close_group(p);
}

static int parse_group(struct parser *p)
{
    if (++p->depth > QN_PROF_DEPTH_MAX)
        return bad(p, "groups nested too deeply");
    int result = p->at < p->end && *p->at == '?' ? parse_special_group(p) : parse_capture(p);
    p->depth--;
    return result;
}

static int parse_atom(struct parser *p)
{
    char c = *p->at++;
    switch (c) {
    case '(': return parse_group(p);
    case '[': return parse_bracket(p);
    case '\\': return parse_escape(p);
    case '.': return emit(p, OP_ANY, 0, 0, 0);
    case '^': return emit(p, OP_BEGIN, 0, 0, 0);
    case '$': return emit(p, OP_END, 1, 0, 0);
    case '*':
    case '+':
    case '?': return bad(p, "a repeat of nothing");
    default: return emit_char(p, (unsigned char)c);
    }
}

/* Reads digits up to COUNT_MAX + 1; -1 where there are none. */
static int parse_number(const char **at, const char *end)
{
    int value = -1;
    for (; *at < end && isdigit((unsigned char)**at); (*at)++) {
        value = (value < 0 ? 0 : value) * 10 + (**at - '0');
        if (value > COUNT_MAX)
            value = COUNT_MAX + 1;
    }
    return value;
}

/* {m}, {m,}, {m,n}, {,n} at p->at: 1 and the bounds; 0 where the brace is a plain character. */
static int take_braces(struct parser *p, int *least, int *most)
{
    const char *at = p->at + 1;
    int low = parse_number(&at, p->end), high = low;
    if (at < p->end && *at == ',') {
        at++;
        high = parse_number(&at, p->end);
        if (low < 0 && high < 0)
            return 0;
        low = low < 0 ? 0 : low;
        high = high < 0 ? FOREVER : high;
    }
    if (low < 0 || at == p->end || *at != '}')
        return 0;
    p->at = at + 1;
    *least = low;
    *most = high;
    return 1;
}

/* A repeat operator at p->at: 1 and its bounds, else 0. */
static int take_repeat(struct parser *p, int *least, int *most)
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
    *most = c == '?' ? 1 : FOREVER;
    return 1;
}

static int emit_split(struct parser *p, int where, int body, int past, int lazy)
{
    return lazy ? insert(p, where, OP_SPLIT, 0, past, body)
                : insert(p, where, OP_SPLIT, 0, body, past);
}

/* SPLIT body, past / SAVE r / body / CHECK r / JUMP SPLIT */
static int emit_loop(struct parser *p, const struct qn_prof_instruction *body, int n, int lazy)
{
    int start = p->re->length;
    if (p->re->registers == QN_PROF_REGISTERS_MAX)
        return bad(p, "too many repeats");
    int reg = p->re->registers++;
    if (emit_split(p, start, 1, n + 4, lazy) != 0 || emit(p, OP_SAVE, 0, reg, 0) != 0 ||
        emit_copy(p, body, n) != 0 || emit(p, OP_CHECK, 0, reg, 0) != 0)
        return -1;
    return emit(p, OP_JUMP, 0, start - p->re->length, 0);
}

/* (body (body (body)?)?)? : each SPLIT leaves past all that follow. */
static int emit_options(struct parser *p, const struct qn_prof_instruction *body, int n, int times,
                        int lazy)
{
    for (int i = 0; i < times; i++)
        if (emit_split(p, p->re->length, 1, (times - i) * (n + 1), lazy) != 0 ||
            emit_copy(p, body, n) != 0)
            return -1;
    return 0;
}

static int emit_repeats(struct parser *p, const struct qn_prof_instruction *body, int n, int least,
                        int most, int lazy)
{
    for (int i = 0; i < least; i++)
        if (emit_copy(p, body, n) != 0)
            return -1;
    return most == FOREVER ? emit_loop(p, body, n, lazy)
                           : emit_options(p, body, n, most - least, lazy);
}

/* Replaces the code from `start` on by its repeats. */
static int repeat(struct parser *p, int start, int least, int most, int lazy)
{
    int n = p->re->length - start;
    if (least > COUNT_MAX || most > COUNT_MAX || (most != FOREVER && most < least))
        return bad(p, "a repeat count out of order or above 1000");
    struct qn_prof_instruction *body = malloc(((size_t)n + 1) * sizeof *body);
    if (!body)
        return qn_prof_fail_memory(p->err), -1;
    memcpy(body, p->re->code + start, (size_t)n * sizeof *body);
    p->re->length = start;
    int result = emit_repeats(p, body, n, least, most, lazy);
    free(body);
    return result;
}

static int parse_repeated(struct parser *p)
{
    int start = p->re->length, least, most;
    if (parse_atom(p) != 0)
        return -1;
    if (!take_repeat(p, &least, &most))
        return 0;
    int lazy = p->at < p->end && *p->at == '?';
    p->at += lazy;
    if (repeat(p, start, least, most, lazy) != 0)
        return -1;
    const char *next = p->at;
    if (take_repeat(p, &least, &most))
        return p->at = next, bad(p, "a repeat of a repeat");
    return 0;
}

static int parse_sequence(struct parser *p)
{
    while (p->at < p->end && *p->at != '|' && *p->at != ')')
        if (parse_repeated(p) != 0)
            return -1;
    return 0;
}

/* a|b|c: SPLIT 1 k / a / JUMP end / SPLIT 1 m / b / JUMP end / c. Jumps to the end are chained. */
static int parse_choice(struct parser *p)
{
    int chain = -1;
    for (;;) {
        int start = p->re->length;
        if (parse_sequence(p) != 0)
            return -1;
        if (p->at == p->end || *p->at != '|')
            break;
        p->at++;
        if (insert(p, start, OP_SPLIT, 0, 1, p->re->length - start + 2) != 0 ||
            emit(p, OP_JUMP, 0, chain, 0) != 0)
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

static int parse_all(struct parser *p)
{
    if (emit(p, OP_SAVE, 0, 0, 0) != 0 || parse_choice(p) != 0)
        return -1;
    if (p->at != p->end)
        return bad(p, "a ) without its (");
    if (emit(p, OP_SAVE, 0, 1, 0) != 0)
        return -1;
    return emit(p, OP_MATCH, 0, 0, 0);
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
    struct parser p = {pattern, pattern + n, re, 0, err};
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
