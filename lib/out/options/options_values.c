/*
 * Values of the options of the modern style. See options_parser.h.
 *
 * In:  --threshold's "1e1"
 * Out: 10 in the request, or the message that Python's argparse would give
 */
#include "out/options/options_parser.h"
#include "out/timing.h"
#include "text/source_map.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

int qn_out_wrong_usage(struct qn_out_parser *p, const char *option, const char *what, const char *value)
{
    p->result = QN_OUT_USAGE;
    if (value)
        qn_text_fail(p->err, QN_TEXT_BAD, "argument %s: %s: '%s'", option, what, value);
    else
        qn_text_fail(p->err, QN_TEXT_BAD, "argument %s: %s", option, what);
    return -1;
}

/* A number from 0 to 20, not hexadecimal. */
static int take_threshold(struct qn_out_parser *p, const char *value)
{
    char *end;
    double x = strtod(value, &end);
    if (end == value || *end || strpbrk(value, "xX") || !(x >= 0 && x <= QN_OUT_THRESHOLD_MAX))
        return qn_out_wrong_usage(p, "--threshold", "invalid threshold value", value);
    p->q->threshold = x + 0.0; /* -0 becomes 0 */
    return 0;
}

static int take_context(struct qn_out_parser *p, const char *value)
{
    char *end;
    errno = 0;
    long n = strtol(value, &end, 10);
    if (end == value || *end || errno || n > INT_MAX || n < INT_MIN)
        return qn_out_wrong_usage(p, "--context", "invalid int value", value);
    p->q->context = n < 0 ? 0 : n;
    return 0;
}

static int take_subst(struct qn_out_parser *p, const char *option, const char *value,
                      struct qn_text_subst **to)
{
    struct qn_text_error why = {0};
    qn_text_free_subst(*to);
    *to = qn_text_parse_subst(value, &why);
    if (*to)
        return 0;
    p->result = QN_OUT_USAGE;
    qn_text_fail(p->err, QN_TEXT_BAD, "argument %s: invalid search_and_replace value: '%s': %s",
                 option, value, why.text);
    return -1;
}

/* The index of `value` in words; -1 and a message if it is none of them. */
static int take_word(struct qn_out_parser *p, const char *option, const char *value,
                     const char *const *words)
{
    for (int i = 0; words[i]; i++)
        if (strcmp(words[i], value) == 0)
            return i;
    return qn_out_wrong_usage(p, option, "invalid choice", value);
}

static int take_by(struct qn_out_parser *p, const char *value)
{
    static const char *const words[] = {"file", "function", "line", "object", "inline", "data", "type", "calls", NULL};
    int i = take_word(p, "--by", value, words);
    if (i >= 0)
        p->q->by = QN_OUT_BY_FILE + (unsigned)i;
    return i < 0 ? -1 : 0;
}

static int take_color(struct qn_out_parser *p, const char *value)
{
    static const char *const words[] = {"auto", "always", "never", "yes", "no", NULL};
    static const enum qn_out_color colors[] = {QN_OUT_COLOR_AUTO, QN_OUT_COLOR_ALWAYS,
                                               QN_OUT_COLOR_NEVER, QN_OUT_COLOR_ALWAYS,
                                               QN_OUT_COLOR_NEVER};
    int i = take_word(p, "--color", value, words);
    if (i >= 0)
        p->q->color = colors[i];
    return i < 0 ? -1 : 0;
}

static int take_style(struct qn_out_parser *p, const char *value)
{
    static const char *const words[] = {"modern", "classic", NULL};
    int i = take_word(p, "--style", value, words);
    if (i >= 0)
        p->q->style = (enum qn_out_style)i;
    return i < 0 ? -1 : 0;
}

static int take_files(struct qn_out_parser *p, const char *value)
{
    static const char *const words[] = {"name", "cost", NULL};
    int i = take_word(p, "--files", value, words);
    p->q->by_cost = i == 1;
    return i < 0 ? -1 : 0;
}

static int take_source_map(struct qn_out_parser *p, const char *value)
{
    const char *wanted = qn_text_add_source_map(value);
    if (!wanted)
        return 0;
    p->result = QN_OUT_USAGE;
    qn_text_fail(p->err, QN_TEXT_BAD, "argument --source-map: got '%s', wanted %s", value, wanted);
    return -1;
}

static int take_timing(struct qn_out_parser *p, const char *value)
{
    const char *wanted = qn_out_choose_timing(value);
    if (!wanted)
        return 0;
    p->result = QN_OUT_USAGE;
    qn_text_fail(p->err, QN_TEXT_BAD, "argument --timing: got '%s', wanted %s", value, wanted);
    return -1;
}

int qn_out_take_value(struct qn_out_parser *p, enum qn_out_option id, const char *value)
{
    struct qn_out_request *q = p->q;
    switch (id) {
    case OPT_MOD_FILENAME: return take_subst(p, "--mod-filename", value, &q->mod_file);
    case OPT_MOD_FUNCNAME: return take_subst(p, "--mod-funcname", value, &q->mod_fn);
    case OPT_SHOW: q->show = value; return 0;
    case OPT_SORT: q->sort = value; return 0;
    case OPT_THRESHOLD: return take_threshold(p, value);
    case OPT_CONTEXT: return take_context(p, value);
    case OPT_INCLUDE: q->includes[q->include_count++] = value; return 0;
    case OPT_SOURCE_MAP: return take_source_map(p, value);
    case OPT_STYLE: return take_style(p, value);
    case OPT_BY: return take_by(p, value);
    case OPT_REGION: q->region = value; return 0;
    case OPT_FILES: return take_files(p, value);
    case OPT_TIMING: return take_timing(p, value);
    default: return take_color(p, value);
    }
}
