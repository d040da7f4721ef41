/*
 * Costs and calls in Callgrind's files. See callgrind.h.
 *
 * In:  "12 3 1"; "cfn=f", "calls=2 20", "+2 900 100"
 * Out: a row; an edge of two calls in line 14 with its inclusive cost
 *
 * A position is a number, `+N` or `-N` relative to the last position, or `*`, the last position; that is the one of the line before, be its
 * costs self cost or those of a call.
 *
 * The inclusive cost of a function is its self cost and that of its calls, without its recursive activations, which Callgrind names
 * `f'2`. (A file made with --separate-recs=1 has no such names: then only direct recursion is recognized.)
 */
#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "prof/callgrind/callgrind_parts.h"
#include "prof/counts.h"
#include "text/digits.h"

typedef struct qn_prof_callgrind file;

static int ends(char c) { return c == '\0' || c == ' ' || c == '\t'; }

/* Digits, or 0x and hexadecimal digits. NULL: neither. */
static const char *take_number(const char *p, uint64_t *number)
{
    char *end;
    int hex = p[0] == '0' && (p[1] | 32) == 'x';
    if (!hex)
        return qn_text_parse_digits(p, UINT64_MAX, number);
    errno = 0;
    *number = strtoull(p + 2, &end, 16);
    return errno || !isxdigit((unsigned char)p[2]) ? NULL : end;
}

/* One column of a position. NULL: it is none. */
static const char *take_position(const char *p, uint64_t *last)
{
    int sign = *p == '+' ? 1 : *p == '-' ? -1 : 0;
    uint64_t value;
    if (*p == '*')
        return ends(p[1]) ? p + 1 : NULL;
    if ((p = take_number(p + (sign != 0), &value)) == NULL || !ends(*p))
        return NULL;
    *last = sign > 0 ? *last + value : sign < 0 ? *last - value : value;
    return p;
}

static const char *take_positions(file *c, const char *p)
{
    if (c->has_instr && (p = take_position(p, &c->instr)) != NULL)
        p += c->has_line ? strspn(p, " \t") : 0;
    return p && c->has_line ? take_position(p, &c->line) : p;
}

/* A cost: a number with or without a sign. `*` is 0: callgrind_annotate reads it so, where a position has more columns than `positions:` says. */
static const char *take_cost(const char *p, int64_t *cost)
{
    int negative = *p == '-';
    uint64_t value = 0;
    p = *p == '*' ? p + 1 : take_number(p + (negative || *p == '+'), &value);
    *cost = negative ? -(int64_t)value : (int64_t)value;
    return p && ends(*p) && value <= INT64_MAX ? p : NULL;
}

int qn_prof_callgrind_take_counts(file *c, const char *p, const char *line)
{
    size_t n = 0;
    for (p += strspn(p, " \t"); *p; p += strspn(p, " \t"), n++) {
        if (n == c->nevents || (p = take_cost(p, &c->counts[n])) == NULL)
            return qn_prof_callgrind_bad(c, "malformed or too many costs", line, "at most as many 64-bit numbers as there are events");
    }
    memset(c->counts + n, 0, (c->nevents - n) * sizeof *c->counts);
    return 0;
}

/* Callgrind's ??? and "" are no object. */
static const char *object_of(const char *name) { return name && *name && strcmp(name, QN_PROF_NOT_KNOWN) != 0 ? name : NULL; }

static const char *file_of(const char *name) { return name && *name ? name : QN_PROF_NOT_KNOWN; }

static uint32_t own_fn(file *c)
{
    return qn_prof_call_fn_of(&c->index, object_of(c->object), file_of(c->home), c->function);
}

static int too_large(const file *c, const char *text) { return qn_prof_callgrind_bad(c, "sum out of range", text, "sums within 64 bits"); }

/* The line behind calls=: the call's line, and its inclusive cost. */
static int add_call(file *c, const char *text)
{
    const char *object = c->called_object ? c->called_object : c->object, *from = c->called_file ? c->called_file : c->file;
    uint32_t caller = own_fn(c), callee = qn_prof_call_fn_of(&c->index, object_of(object), file_of(from), c->called);
    uint32_t edge = qn_prof_call_edge_of(&c->index, caller, file_of(c->file), (uint32_t)c->line, callee);
    int events = (int)c->nevents, same;
    same = caller == callee && c->inner == c->called_inner;
    if (qn_prof_add_counts(qn_prof_edge_counts(&c->tables, edge), c->counts, events) != 0
        || __builtin_add_overflow(c->tables.edges[edge].calls, c->calls, &c->tables.edges[edge].calls)
        || __builtin_add_overflow(c->tables.fns[callee].called, c->calls, &c->tables.fns[callee].called)
        || (!c->inner && !same && qn_prof_add_counts(qn_prof_inclusive(&c->tables, caller), c->counts, events) != 0))
        return too_large(c, text);
    return 0;
}

static int finish_call(file *c, const char *p, const char *text)
{
    int failed = 0;
    c->skips = 0;
    if (c->is_call)
        failed = qn_prof_callgrind_take_counts(c, p, text) != 0 || add_call(c, text) != 0;
    free(c->called_object);
    free(c->called_file);
    free(c->called);
    c->called_object = c->called_file = c->called = NULL;
    return failed ? -1 : 0;
}

static int add_cost(file *c, const char *text)
{
    uint32_t fn = own_fn(c);
    if (!c->inner && qn_prof_add_counts(qn_prof_inclusive(&c->tables, fn), c->counts, (int)c->nevents) != 0)
        return too_large(c, text);
    qn_prof_table_enter_object(c->table, c->object);
    fn = qn_prof_table_fn(c->table, c->file, c->function);
    return qn_prof_table_add_line(c->table, fn, (uint32_t)c->line, c->counts, c->err) == QN_TEXT_OK ? 0 : -1;
}

int qn_prof_callgrind_take_costs(file *c, const char *text)
{
    const char *p;
    if (!c->table)
        return qn_prof_callgrind_bad(c, "costs before `events:`", text, "it first");
    if ((p = take_positions(c, text)) == NULL || (c->has_line && c->line > UINT32_MAX))
        return qn_prof_callgrind_bad(c, "malformed position", text, "a position and costs");
    if (c->skips && !c->is_call)
        return finish_call(c, p, text);
    if (!c->function)
        return qn_prof_callgrind_bad(c, "costs outside a function", text, "`fn=` first");
    if (c->skips)
        return finish_call(c, p, text);
    if (qn_prof_callgrind_take_counts(c, p, text) != 0)
        return -1;
    if (qn_prof_add_counts(c->part, c->counts, (int)c->nevents) != 0)
        return too_large(c, text);
    return add_cost(c, text);
}

int qn_prof_callgrind_begin_call(file *c, const char *text)
{
    const char *end;
    uint64_t n;
    int is_call = strncmp(text, "calls=", 6) == 0;
    if (!is_call && strncmp(text, "jump=", 5) != 0 && strncmp(text, "jcnd=", 5) != 0)
        return 0;
    c->skips = 1;
    c->is_call = is_call;
    if (!is_call)
        return 1;
    end = take_number(text + 6 + strspn(text + 6, " \t"), &n);
    if (!end || !ends(*end) || n > INT64_MAX)
        return qn_prof_callgrind_bad(c, "malformed number of calls", text, "`calls=COUNT TARGET`");
    if (!c->called)
        return qn_prof_callgrind_bad(c, "a call of nothing", text, "`cfn=` before it");
    c->calls = (int64_t)n;
    return 1;
}
