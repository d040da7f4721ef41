/*
 * Choice of columns. See columns.h.
 *
 * In:  --show and --sort as given
 * Out: shown columns and sort order
 */
#define _GNU_SOURCE
#include "out/columns.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/base.h"
#include "base/grow.h"
#include "prof/counts.h"

static const struct ratio {
    const char *name, *text;
} ratios[] = {
    {"I1mr%", "100*I1mr/Ir"},
    {"ILmr%", "100*ILmr/Ir"},
    {"D1mr%", "100*D1mr/Dr"},
    {"DLmr%", "100*DLmr/Dr"},
    {"D1mw%", "100*D1mw/Dw"},
    {"DLmw%", "100*DLmw/Dw"},
    {"D1m%", "100*(D1mr+D1mw)/(Dr+Dw)"},
    {"LLmr%", "100*(ILmr+DLmr+DLmw)/(Ir+Dr+Dw)"},
    {"LLlocal%", "100*(ILmr+DLmr+DLmw)/(I1mr+D1mr+D1mw)"},
    {"L2mr%", "100*(I2mr+D2mr+D2mw)/(Ir+Dr+Dw)"},
    {"L2local%", "100*(I2mr+D2mr+D2mw)/(I1mr+D1mr+D1mw)"},
    {"LL/L2%", "100*(ILmr+DLmr+DLmw)/(I2mr+D2mr+D2mw)"},
    {"D1use%", "100*D1.used/D1.filled"},
    {"Ir/line", "Ir/(LL.fills+LL.writebacks)"},
    {"Bcm%", "100*Bcm/Bc"},
    {"Bim%", "100*Bim/Bi"},
    {"Bm%", "100*(Bcm+Bim)/(Bc+Bi)"},
    {"MPKI", "1000*(ILmr+DLmr+DLmw)/Ir"},
    {"L1MPKI", "1000*(I1mr+D1mr+D1mw)/Ir"},
    {"L2MPKI", "1000*(I2mr+D2mr+D2mw)/Ir"},
    {"BMPKI", "1000*(Bcm+Bim)/Ir"},
};

static const char *find_ratio(const char *name)
{
    for (size_t i = 0; i < sizeof ratios / sizeof *ratios; i++)
        if (strcmp(ratios[i].name, name) == 0)
            return ratios[i].text;
    return NULL;
}

/* "NAME=EXPRESSION" gives NAME; an expression alone is its own name. */
static enum qn_text_status take_expr(struct qn_out_column *col, const char *item,
                                     const char *text, const struct qn_prof_header *events,
                                     struct qn_text_error *err)
{
    const char *equals = strchr(item, '=');
    size_t n = equals ? (size_t)(equals - item) : strlen(item);
    col->name = QN_NEEDED(strndup(item, n));
    col->event = -1;
    col->is_percent = n > 0 && item[n - 1] == '%';
    col->expr = qn_out_parse_expr(text, events, err);
    return col->expr ? QN_TEXT_OK : err->status;
}

static enum qn_text_status unknown(const char *option, const char *item, struct qn_text_error *err)
{
    return qn_text_fail(err, QN_TEXT_BAD, "%s event `%s` did not appear in `events:` line", option,
                        item);
}

static enum qn_text_status take_ratio(struct qn_out_column *col, const char *item,
                                      const char *text, const struct qn_prof_header *events,
                                      struct qn_text_error *err)
{
    struct qn_text_error why = {0};
    if (take_expr(col, item, text, events, &why) == QN_TEXT_OK)
        return QN_TEXT_OK;
    return qn_text_fail(err, why.status, "--show `%s` is %s, but not all of these events appeared in "
                        "`events:` line", item, text);
}

/* Takes cycles, CPI, AMAT and so on. */
static enum qn_text_status take_timing(struct qn_out_column *col, const char *item,
                                       const struct qn_prof_header *events,
                                       struct qn_text_error *err)
{
    char *text = qn_out_write_timing(item, events);
    if (!text && (!strncmp(item, "cycles", 6) || !strncmp(item, "CPI", 3) || !strcmp(item, "AMAT")))
        return qn_text_fail(err, QN_TEXT_BAD, "--show `%s` is of the misses of each level, but not all of these events appeared in `events:` line", item);
    if (!text)
        return unknown("--show", item, err);
    col->is_cycles = strcmp(item, "cycles") == 0;
    take_expr(col, item, text, events, err);
    free(text);
    return err->status;
}

static enum qn_text_status take_shown(struct qn_out_column *col, const char *item,
                                      const struct qn_prof_header *events,
                                      struct qn_text_error *err)
{
    col->event = qn_prof_find_event(events, item, strlen(item));
    if (col->event >= 0) {
        col->name = QN_NEEDED(strdup(item));
        return QN_TEXT_OK;
    }
    const char *equals = strchr(item, '='), *ratio = find_ratio(item);
    if (ratio)
        return take_ratio(col, item, ratio, events, err);
    if (equals && equals > item)
        return take_expr(col, item, equals + 1, events, err);
    return strpbrk(item, "+-*/(") ? take_expr(col, item, item, events, err)
                                  : take_timing(col, item, events, err);
}

static enum qn_text_status take_key(struct qn_out_column *k, const char *item, const struct qn_prof_header *events,
                                    struct qn_text_error *err)
{
    k->event = qn_prof_find_event(events, item, strlen(item));
    k->name = QN_NEEDED(strdup(item));
    if (k->event >= 0)
        return QN_TEXT_OK;
    char *text = qn_out_timing_is_sum(item) ? qn_out_write_timing(item, events) : NULL;
    if (!text)
        return unknown("--sort", item, err);
    k->expr = qn_out_parse_expr(text, events, err);
    free(text);
    return err->status;
}

typedef enum qn_text_status take_item(struct qn_out_column *to, const char *item, const struct qn_prof_header *events,
                                      struct qn_text_error *err);

static enum qn_text_status take_list(struct qn_out_column **to, int *count, const char *list, take_item *take,
                                     const struct qn_prof_header *events, struct qn_text_error *err)
{
    char *copy = QN_NEEDED(strdup(list)), *rest = copy, *item;
    size_t items = 1;
    enum qn_text_status status = QN_TEXT_OK;
    for (const char *at = list; *at; at++)
        items += *at == ',';
    *to = QN_NEEDED(calloc(items, sizeof **to));
    while (status == QN_TEXT_OK && (item = strsep(&rest, ",")))
        status = take(&(*to)[(*count)++], item, events, err);
    free(copy);
    return status;
}

/* The profile's events, with room for `more` columns behind them. */
static struct qn_out_column *take_all(const struct qn_prof_header *events, int more)
{
    struct qn_out_column *all = QN_NEEDED(calloc((size_t)(events->event_count + more), sizeof *all));
    for (int i = 0; i < events->event_count; i++) {
        all[i].event = i;
        all[i].name = QN_NEEDED(strdup(events->events[i]));
    }
    return all;
}

static const char *const timings[] = {"cycles", "CPI", "AMAT"};
enum { TIMINGS = sizeof timings / sizeof *timings };

/* Adds estimated times behind the events: those whose events are there, unless an event has that name. */
static enum qn_text_status add_timings(struct qn_out_columns *c, const struct qn_prof_header *events,
                                       struct qn_text_error *err)
{
    for (int i = 0; i < TIMINGS && err->status == QN_TEXT_OK; i++) {
        char *text = qn_out_write_timing(timings[i], events);
        if (text && qn_prof_find_event(events, timings[i], strlen(timings[i])) < 0)
            take_timing(&c->shown[c->shown_count++], timings[i], events, err);
        free(text);
    }
    return err->status;
}

enum qn_text_status qn_out_choose_columns(struct qn_out_columns *c,
                                          const struct qn_prof_header *events, const char *show,
                                          const char *sort, struct qn_text_error *err)
{
    enum qn_text_status status = QN_TEXT_OK;
    *c = (struct qn_out_columns){.shown = NULL};
    if (show && *show)
        status = take_list(&c->shown, &c->shown_count, show, take_shown, events, err);
    else {
        c->shown = take_all(events, TIMINGS);
        c->shown_count = events->event_count;
        status = qn_out_timing_chosen() ? add_timings(c, events, err) : QN_TEXT_OK;
    }
    if (status != QN_TEXT_OK)
        return status;
    if (sort && *sort)
        return take_list(&c->sort, &c->sort_count, sort, take_key, events, err);
    c->sort = take_all(events, 0);
    c->sort_count = events->event_count;
    return QN_TEXT_OK;
}

/* Appends a name to the list if it has room; *room: what is left. */
static bool append_name(char *list, const char *name, int *room, int each)
{
    size_t used = strlen(list), length = strlen(name);
    int wide = (int)length > each ? (int)length : each;

    if (used && (*room < wide + 1 || used + length + 2 > QN_TEXT_MAX))
        return false;
    snprintf(list + used, QN_TEXT_MAX - used, "%s%s", used ? "," : "", name);
    *room -= wide + 1;
    return true;
}

enum qn_text_status qn_out_choose_available_columns(struct qn_out_columns *c, const struct qn_prof_header *events, int hidden, int room, int each,
                                                    const char *show, const char *sort, struct qn_text_error *err)
{
    char usual[QN_TEXT_MAX] = "";
    for (int i = 0; i < events->event_count; i++)
        if (*events->events[i] && i != hidden && !append_name(usual, events->events[i], &room, each))
            break;
    return qn_out_choose_columns(c, events, show && *show ? show : usual, sort, err);
}

static bool is_of_L2(const char *text) { return strstr(text, "I2mr") != NULL; }

/* Appends the ratio unless one of its events is missing or has its name. */
static void add_ratio(struct qn_out_columns *c, const struct ratio *r, const struct qn_prof_header *events)
{
    struct qn_text_error why = {0};
    struct qn_out_column *col = &c->shown[c->shown_count];
    if (qn_prof_find_event(events, r->name, strlen(r->name)) >= 0 || (is_of_L2(r->text) && !qn_prof_has_L2(events)))
        return;
    if (take_expr(col, r->name, r->text, events, &why) == QN_TEXT_OK)
        c->shown_count++;
    else
        free(col->name);
}

enum qn_text_status qn_out_choose_all_columns(struct qn_out_columns *c,
                                              const struct qn_prof_header *events,
                                              struct qn_text_error *err)
{
    const size_t known = sizeof ratios / sizeof *ratios;
    if (qn_out_choose_columns(c, events, NULL, NULL, err) != QN_TEXT_OK)
        return err->status;
    c->shown = QN_NEEDED(realloc(c->shown, ((size_t)c->shown_count + known) * sizeof *c->shown));
    memset(c->shown + c->shown_count, 0, known * sizeof *c->shown);
    for (size_t i = 0; i < known; i++)
        add_ratio(c, &ratios[i], events);
    return QN_TEXT_OK;
}

double qn_out_key_value(const struct qn_out_column *k, const int64_t *counts)
{
    double value = 0;
    if (k->expr)
        qn_out_eval_expr(k->expr, counts, &value);
    else
        value = (double)qn_prof_count(counts[k->event]);
    return value;
}

double qn_out_key_weight(const struct qn_out_column *k, const int64_t *counts)
{
    return fabs(qn_out_key_value(k, counts));
}

/* Compares counts exactly, also beyond 2^53. */
static int compare_by(const struct qn_out_column *k, const int64_t *a, const int64_t *b)
{
    if (k->expr) {
        double x = qn_out_key_weight(k, a), y = qn_out_key_weight(k, b);
        return QN_COMPARE(y, x);
    }
    int64_t x = qn_prof_magnitude(a[k->event]), y = qn_prof_magnitude(b[k->event]);
    return QN_COMPARE(y, x);
}

int qn_out_compare_counts(const struct qn_out_columns *c, const int64_t *a, const int64_t *b)
{
    for (int i = 0; i < c->sort_count; i++) {
        int d = compare_by(&c->sort[i], a, b);
        if (d)
            return d;
    }
    return 0;
}

static void free_list(struct qn_out_column *list, int count)
{
    for (int i = 0; i < count; i++) {
        free(list[i].name);
        qn_out_free_expr(list[i].expr);
    }
    free(list);
}

void qn_out_free_columns(struct qn_out_columns *c)
{
    free_list(c->shown, c->shown_count);
    free_list(c->sort, c->sort_count);
    memset(c, 0, sizeof *c);
}

/* ---- Expressions over events ----
 *
 * In:  "1000*ILmr/Ir"
 * Out: postfix: 1000 ILmr * Ir /
 *
 * Invariants: `depth` is what evaluation needs at most and is within DEPTH_MAX; every program leaves
 * exactly one value.
 */

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

/* ---- Estimated time ----
 *
 * In:  "width=2,LL=200"; "CPI.LL" and the events of a profile
 * Out: "(0+200*(ILmr+DLmr+DLmw))/Ir"
 */

#define USUAL { .width = 1, .hit = 1, .L1 = QN_OUT_TIMING_L1, .L2 = QN_OUT_TIMING_L2, .LL = QN_OUT_TIMING_LL, .branch = QN_OUT_TIMING_BRANCH }
#define LATENCY_MOST 1e6 /* cycles */

static const struct qn_out_timing usual = USUAL;
static struct qn_out_timing current = USUAL;
static bool chosen;

const struct qn_out_timing *qn_out_timing(void) { return &current; }
bool qn_out_timing_chosen(void) { return chosen; }

/* ---- choosing ---- */

static double *find_field(struct qn_out_timing *t, const char *name, size_t n)
{
    const struct {
        const char *name;
        double *field;
    } fields[] = { { "width", &t->width }, { "hit", &t->hit }, { "L1", &t->L1 }, { "L2", &t->L2 }, { "LL", &t->LL }, { "branch", &t->branch } };

    for (size_t i = 0; i < sizeof fields / sizeof *fields; i++)
        if (strlen(fields[i].name) == n && !memcmp(fields[i].name, name, n))
            return fields[i].field;
    return NULL;
}

const char *qn_out_choose_timing(const char *text)
{
    struct qn_out_timing t = usual;

    for (const char *at = text; *at;) {
        size_t n = strcspn(at, "=,");
        double *field = find_field(&t, at, n), value;
        char *end;

        if (!field || at[n] != '=')
            return "width=N,hit=N,L1=N,L2=N,LL=N,branch=N, or some of them";
        value = strtod(at + n + 1, &end);
        if (end == at + n + 1 || (*end && *end != ',') || !(value >= 0 && value <= LATENCY_MOST)
            || (field == &t.width && value == 0))
            return "numbers of cycles from 0 to 1000000, and a width above 0";
        *field = value;
        at = *end ? end + 1 : end;
    }
    current = t;
    chosen = true;
    return NULL;
}

void qn_out_describe_timing(char *text, size_t room, const struct qn_prof_header *h)
{
    char L2[64] = "", width[32] = "";

    if (current.width != 1)
        snprintf(width, sizeof width, "/%.10g", current.width);
    if (qn_prof_has_L2(h))
        snprintf(L2, sizeof L2, " + %.10g x L2 misses", current.L2);
    snprintf(text, room, "instructions%s + %.10g x L1 misses%s + %.10g x LL misses + %.10g x mispredicts (a rule of thumb)", width,
             current.L1, L2, current.LL, current.branch);
}

/* ---- expressions ---- */

/* Writes `before` and "f*(A+B)" of those events that the profile has; nothing if it has none. */
static void put_term(FILE *out, const struct qn_prof_header *h, const char *before, double factor, const char *events)
{
    bool any = false;

    for (size_t n; *events; events += n + (events[n] == '+')) {
        n = strcspn(events, "+");
        if (qn_prof_find_event(h, events, n) < 0)
            continue;
        fprintf(out, any ? "+" : "%s%.10g*(", before, factor);
        fwrite(events, 1, n, out);
        any = true;
    }
    if (any)
        putc(')', out);
}

#define L2_MISSES "I2mr+D2mr+D2mw"

static const struct part {
    const char *name, *L1, *L2, *LL, *branch;
    bool issue;
} parts[] = {
    { "", "I1mr+D1mr+D1mw", L2_MISSES, "ILmr+DLmr+DLmw", "Bcm+Bim", true },
    { ".issue", "", "", "", "", true },
    { ".I1", "I1mr", "", "", "", false },
    { ".D1", "D1mr+D1mw", "", "", "", false },
    { ".L2", "", L2_MISSES, "", "", false },
    { ".LL", "", "", "ILmr+DLmr+DLmw", "", false },
    { ".branch", "", "", "", "Bcm+Bim", false },
};

#define CYCLES "cycles"
#define CPI "CPI"

static bool begins(const char *name, const char *with) { return !strncmp(name, with, strlen(with)); }

static const struct part *find_part(const char *name)
{
    const char *of = begins(name, CYCLES) ? name + strlen(CYCLES) : begins(name, CPI) ? name + strlen(CPI) : NULL;

    for (size_t i = 0; of && i < sizeof parts / sizeof *parts; i++)
        if (!strcmp(parts[i].name, of))
            return &parts[i];
    return NULL;
}

bool qn_out_timing_is_sum(const char *name) { return begins(name, CYCLES) && find_part(name); }

static bool has_all(const struct qn_prof_header *h, const char *events)
{
    for (size_t n; *events; events += n + (events[n] == '+')) {
        n = strcspn(events, "+");
        if (qn_prof_find_event(h, events, n) < 0)
            return false;
    }
    return true;
}

/* Misses of one level are there, of the other not: their sum would look like the time. */
static bool lacks_level(const struct qn_prof_header *h)
{
    static const char *const both[][2] = {{"I1mr", "ILmr"}, {"D1mr", "DLmr"}, {"D1mw", "DLmw"}};

    for (size_t i = 0; i < QN_ARRAY_LEN(both); i++)
        if (has_all(h, both[i][0]) != has_all(h, both[i][1]))
            return true;
    return false;
}

static void put_cycles(FILE *out, const struct qn_prof_header *h, const struct part *p)
{
    if (p->issue)
        fprintf(out, "Ir/%.10g", current.width);
    else
        fputs("0", out);
    put_term(out, h, "+", current.L1, p->L1);
    if (qn_prof_has_L2(h))
        put_term(out, h, "+", current.L2, p->L2);
    put_term(out, h, "+", current.LL, p->LL);
    put_term(out, h, "+", current.branch, p->branch);
}

char *qn_out_write_timing(const char *name, const struct qn_prof_header *h)
{
    const struct part *p = find_part(name);
    bool amat = !strcmp(name, "AMAT");
    char *text = NULL;
    size_t size;
    FILE *out;

    if ((!p && !amat) || (p && *p->L1 && *p->LL && lacks_level(h)) || (p && !strcmp(p->name, ".L2") && !qn_prof_has_L2(h)) || !has_all(h, amat ? "Dr+Dw+D1mr+D1mw+DLmr+DLmw" : "Ir"))
        return NULL;
    out = open_memstream(&text, &size);
    if (!out)
        return NULL;
    if (amat) {
        fprintf(out, "(%.10g*(Dr+Dw)", current.hit);
        put_term(out, h, "+", current.L1, "D1mr+D1mw");
        if (qn_prof_has_L2(h))
            put_term(out, h, "+", current.L2, "D2mr+D2mw");
        put_term(out, h, "+", current.LL, "DLmr+DLmw");
        fputs(")/(Dr+Dw)", out);
    } else {
        if (begins(name, CPI))
            putc('(', out);
        put_cycles(out, h, p);
        if (begins(name, CPI))
            fputs(")/Ir", out);
    }
    fclose(out);
    return text;
}

/* ---- What an event costs ---- */

bool qn_out_weigh(const struct qn_prof_header *h, double *weights)
{
    const struct {
        const char *event;
        double cost;
    } of[] = {{"Ir", 1 / current.width}, {"I1mr", current.L1}, {"D1mr", current.L1}, {"D1mw", current.L1}, {"I2mr", current.L2},
              {"D2mr", current.L2}, {"D2mw", current.L2}, {"ILmr", current.LL}, /* behind the L2, since it may have its name */
              {"DLmr", current.LL}, {"DLmw", current.LL}, {"Bcm", current.branch}, {"Bim", current.branch}};
    bool any = false;

    memset(weights, 0, (size_t)h->event_count * sizeof *weights);
    for (size_t i = 0; i < QN_ARRAY_LEN(of); i++) {
        int event = qn_prof_find_event(h, of[i].event, strlen(of[i].event));

        if (event >= 0)
            weights[event] = of[i].cost;
        any = any || event >= 0;
    }
    return any;
}

enum qn_text_status qn_out_choose_costly_columns(struct qn_out_columns *c, const struct qn_prof_header *h, const int64_t *total, int room, int each,
                                                 const char *sort, struct qn_text_error *err)
{
    char show[QN_TEXT_MAX] = "", *cycles = qn_out_write_timing(CYCLES, h);
    double *weights = QN_NEEDED(calloc((size_t)h->event_count, sizeof *weights)), all = 0;
    bool estimated = cycles && h->event_count > 1;

    free(cycles);
    qn_out_weigh(h, weights);
    for (int i = 0; i < h->event_count; i++)
        all += weights[i] *= (double)qn_prof_magnitude(total[i]);
    if (estimated) {
        append_name(show, CYCLES, &room, each);
        for (int i = 1; i < TIMINGS && qn_out_timing_chosen(); i++) {
            char *text = qn_out_write_timing(timings[i], h);
            if (text)
                append_name(show, timings[i], &room, each);
            free(text);
        }
        append_name(show, "Ir", &room, each);
        weights[qn_prof_find_event(h, "Ir", 2)] = 0;
        for (;;) {
            int most = 0;
            for (int i = 1; i < h->event_count; i++)
                most = weights[i] > weights[most] ? i : most;
            if (weights[most] < QN_OUT_COSTLY * all || weights[most] == 0 || !append_name(show, h->events[most], &room, each))
                break;
            weights[most] = 0;
        }
    } else {
        for (int i = 0; i < h->event_count && append_name(show, h->events[i], &room, each); i++)
            ;
    }
    free(weights);
    return qn_out_choose_columns(c, h, show, sort && *sort ? sort : estimated ? CYCLES : NULL, err);
}
