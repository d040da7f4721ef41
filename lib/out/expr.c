/*
 * Expressions over events. See expr.h.
 *
 * In:  "1000*ILmr/Ir"
 * Out: postfix: 1000 ILmr * Ir /
 *
 * Invariants: `depth` is what evaluation needs at most and is within DEPTH_MAX; every program leaves
 * exactly one value.
 */
#include "out/expr.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "prof/counts.h"

enum { STEPS_MAX = 256, DEPTH_MAX = 64 };

enum kind { NUMBER, EVENT, NEGATE, ADD, SUBTRACT, MULTIPLY, DIVIDE };

struct qn_out_expr {
    int count;
    struct expr_step {
        enum kind kind;
        int event;
        double number;
    } steps[STEPS_MAX];
};

struct parser {
    const char *at;
    const char *whole;
    const struct qn_prof_header *events;
    struct qn_out_expr *expr;
    int depth;   /* nesting of the text */
    int pending; /* values on the stack at this point */
    struct qn_text_error *err;
};

static int parse_sum(struct parser *p);

static int bad(struct parser *p, const char *wanted)
{
    qn_text_fail(p->err, QN_TEXT_BAD, "malformed expression, got `%s` at `%s`, wanted %s", p->whole,
                 p->at, wanted);
    return -1;
}

static void skip_blanks(struct parser *p)
{
    while (isspace((unsigned char)*p->at))
        p->at++;
}

static int emit(struct parser *p, enum kind kind, int event, double number)
{
    int values = kind == NUMBER || kind == EVENT ? 1 : kind == NEGATE ? 0 : -1;
    p->pending += values;
    if (p->expr->count == STEPS_MAX || p->pending > DEPTH_MAX)
        return bad(p, "a shorter one");
    p->expr->steps[p->expr->count++] = (struct expr_step){kind, event, number};
    return 0;
}

static int is_name_char(char c)
{
    return isalnum((unsigned char)c) || c == '_' || (unsigned char)c >= 0x80;
}

/* Names of module events have dots and minus signs, as in D1.useful-prefetches: of all events that the text begins
 * with, the longest that no name goes on behind. */
static int parse_name(struct parser *p)
{
    size_t length = 0;
    int event = -1;
    for (const char *end = p->at + 1; ; end++) {
        int found = is_name_char(*end) ? -1 : qn_prof_find_event(p->events, p->at, (size_t)(end - p->at));
        if (found >= 0) {
            event = found;
            length = (size_t)(end - p->at);
        }
        if (!is_name_char(*end) && *end != '.' && *end != '-')
            break;
    }
    p->at += length;
    return event < 0 ? bad(p, "an event of the `events:` line") : emit(p, EVENT, event, 0);
}

static int parse_number(struct parser *p)
{
    char *end;
    double value = strtod(p->at, &end);
    if (end == p->at || !isfinite(value))
        return bad(p, "a number");
    p->at = end;
    return emit(p, NUMBER, 0, value);
}

static int parse_nested(struct parser *p)
{
    p->at++;
    if (parse_sum(p) != 0)
        return -1;
    if (*p->at != ')')
        return bad(p, "a closing )");
    p->at++;
    return 0;
}

static int parse_factor(struct parser *p);

static int parse_negative(struct parser *p)
{
    p->at++;
    return parse_factor(p) != 0 ? -1 : emit(p, NEGATE, 0, 0);
}

static int parse_factor(struct parser *p)
{
    skip_blanks(p);
    if (++p->depth > DEPTH_MAX)
        return bad(p, "less nesting");
    int result;
    if (*p->at == '(')
        result = parse_nested(p);
    else if (*p->at == '-')
        result = parse_negative(p);
    else if (isdigit((unsigned char)*p->at) || *p->at == '.')
        result = parse_number(p);
    else if (is_name_char(*p->at))
        result = parse_name(p);
    else
        result = bad(p, "a number, an event, - or (");
    p->depth--;
    skip_blanks(p);
    return result;
}

static int parse_product(struct parser *p)
{
    if (parse_factor(p) != 0)
        return -1;
    while (*p->at == '*' || *p->at == '/') {
        enum kind kind = *p->at++ == '*' ? MULTIPLY : DIVIDE;
        if (parse_factor(p) != 0 || emit(p, kind, 0, 0) != 0)
            return -1;
    }
    return 0;
}

static int parse_sum(struct parser *p)
{
    if (parse_product(p) != 0)
        return -1;
    while (*p->at == '+' || *p->at == '-') {
        enum kind kind = *p->at++ == '+' ? ADD : SUBTRACT;
        if (parse_product(p) != 0 || emit(p, kind, 0, 0) != 0)
            return -1;
    }
    return 0;
}

struct qn_out_expr *qn_out_parse_expr(const char *text, const struct qn_prof_header *events,
                                      struct qn_text_error *err)
{
    struct qn_out_expr *e = QN_NEEDED(calloc(1, sizeof *e));
    struct parser p = {text, text, events, e, 0, 0, err};
    if (parse_sum(&p) == 0) {
        if (*p.at == '\0')
            return e;
        bad(&p, "the end or an operator");
    }
    free(e);
    return NULL;
}

void qn_out_free_expr(struct qn_out_expr *e)
{
    free(e);
}

static double combine(enum kind kind, double a, double b)
{
    switch (kind) {
    case ADD: return a + b;
    case SUBTRACT: return a - b;
    case MULTIPLY: return a * b;
    default: return b == 0 ? NAN : a / b;
    }
}

int qn_out_eval_expr(const struct qn_out_expr *e, const int64_t *counts, double *value)
{
    double stack[DEPTH_MAX];
    int top = 0;
    for (int i = 0; i < e->count; i++) {
        const struct expr_step *s = &e->steps[i];
        if (s->kind == NUMBER) {
            stack[top++] = s->number;
        } else if (s->kind == EVENT) {
            stack[top++] = (double)qn_prof_count(counts[s->event]);
        } else if (s->kind == NEGATE) {
            stack[top - 1] = -stack[top - 1];
        } else {
            top--;
            stack[top - 1] = combine(s->kind, stack[top - 1], stack[top]);
        }
    }
    *value = stack[0];
    return isfinite(stack[0]);
}
