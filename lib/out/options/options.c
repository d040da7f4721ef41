/*
 * Options of the modern style. See options.h.
 *
 * In:  argv
 * Out: a request, or the message that Python's argparse would give
 */
#define _GNU_SOURCE
#include "out/options/options_parser.h"
#include "out/timing.h"

#include <stdlib.h>
#include <string.h>

#include "base/grow.h"

enum form { FLAG, SWITCH, VALUE };

static const struct option {
    const char *name; /* without its -- */
    enum qn_out_option id;
    enum form form; /* SWITCH: --x, --no-x, --x=yes, --x=no */
} options[] = {
    {"help", OPT_HELP, FLAG},
    {"version", OPT_VERSION, FLAG},
    {"diff", OPT_DIFF, SWITCH},
    {"mod-filename", OPT_MOD_FILENAME, VALUE},
    {"mod-funcname", OPT_MOD_FUNCNAME, VALUE},
    {"show", OPT_SHOW, VALUE},
    {"sort", OPT_SORT, VALUE},
    {"threshold", OPT_THRESHOLD, VALUE},
    {"show-percs", OPT_SHOW_PERCS, SWITCH},
    {"annotate", OPT_ANNOTATE, SWITCH},
    {"auto", OPT_AUTO, SWITCH},
    {"context", OPT_CONTEXT, VALUE},
    {"include", OPT_INCLUDE, VALUE},
    {"source-map", OPT_SOURCE_MAP, VALUE},
    {"style", OPT_STYLE, VALUE},
    {"by", OPT_BY, VALUE},
    {"color", OPT_COLOR, VALUE},
    {"asm", OPT_ASM, SWITCH},
    {"values", OPT_VALUES, SWITCH},
    {"region", OPT_REGION, VALUE},
    {"files", OPT_FILES, VALUE},
    {"timing", OPT_TIMING, VALUE},
};
enum { OPTION_COUNT = sizeof options / sizeof *options };

static int take_flag(struct qn_out_parser *p, enum qn_out_option id, int on)
{
    switch (id) {
    case OPT_HELP: p->result = QN_OUT_HELP; return -1;
    case OPT_VERSION: p->result = QN_OUT_VERSION; return -1;
    case OPT_DIFF: p->q->diff = on; return 0;
    case OPT_SHOW_PERCS: p->q->show_percs = on; return 0;
    case OPT_ASM: p->q->disassemble = on; return 0;
    case OPT_VALUES: p->q->values = on; return 0;
    default: p->q->annotate = on; return 0;
    }
}

/* The option of this name (n bytes), or the only one whose name begins so; NULL: there is none, or there are several. */
static const struct option *find_option(const char *name, size_t n, int *is_no, int *several)
{
    const struct option *found = NULL;
    int matches = 0;
    for (int i = 0; i < OPTION_COUNT * 2; i++) {
        const struct option *o = &options[i / 2];
        int no = i % 2;
        if (no && o->form != SWITCH)
            continue;
        const char *rest = no ? (n > 3 && strncmp(name, "no-", 3) == 0 ? name + 3 : NULL) : name;
        size_t left = no ? n - 3 : n;
        if (!rest || strncmp(o->name, rest, left) != 0)
            continue;
        found = o;
        *is_no = no;
        if (o->name[left] == '\0')
            return o;
        matches++;
    }
    *several = matches > 1;
    return matches == 1 ? found : NULL;
}

static int unrecognized(struct qn_out_parser *p, const char *argument, int several)
{
    p->result = QN_OUT_USAGE;
    qn_text_fail(p->err, QN_TEXT_BAD, several ? "ambiguous option: %s could be one of several"
                                              : "unrecognized arguments: %s", argument);
    return -1;
}

static int take_switch(struct qn_out_parser *p, const struct option *o, int is_no, const char *value)
{
    if (!value)
        return take_flag(p, o->id, !is_no);
    if (o->form == SWITCH && !is_no && strcmp(value, "yes") == 0)
        return take_flag(p, o->id, 1);
    if (o->form == SWITCH && !is_no && strcmp(value, "no") == 0)
        return take_flag(p, o->id, 0);
    p->result = QN_OUT_USAGE;
    qn_text_fail(p->err, QN_TEXT_BAD, "argument --%s: ignored explicit argument '%s'", o->name, value);
    return -1;
}

/* The value behind = or in the next argument. */
static int take_argument(struct qn_out_parser *p, const struct option *o, const char *value)
{
    if (!value && p->at + 1 < p->end && (p->at[1][0] != '-' || p->at[1][1] == '\0' ||
                                         strchr("0123456789.", p->at[1][1])))
        value = *++p->at;
    if (!value) {
        char option[32] = "--";
        return qn_out_wrong_usage(p, strcat(option, o->name), "expected one argument", NULL);
    }
    return qn_out_take_value(p, o->id, value);
}

static int take_long(struct qn_out_parser *p, const char *argument)
{
    const char *name = argument + 2, *equals = strchr(name, '=');
    size_t n = equals ? (size_t)(equals - name) : strlen(name);
    int is_no = 0, several = 0;
    const struct option *o = find_option(name, n, &is_no, &several);
    if (!o)
        return unrecognized(p, argument, several);
    const char *value = equals ? equals + 1 : NULL;
    return o->form == VALUE ? take_argument(p, o, value)
                            : take_switch(p, o, is_no, value);
}

static int take_short(struct qn_out_parser *p, const char *argument)
{
    static const struct option include = {"include", OPT_INCLUDE, VALUE};
    if (strcmp(argument, "-h") == 0)
        return take_flag(p, OPT_HELP, 1);
    if (argument[1] != 'I')
        return unrecognized(p, argument, 0);
    const char *value = argument + 2 + (argument[2] == '=');
    return take_argument(p, &include, *value ? value : NULL);
}

static int parse_modern(struct qn_out_parser *p)
{
    int only_inputs = 0;
    for (; p->at < p->end; p->at++) {
        const char *a = *p->at;
        int result = 0;
        if (only_inputs || a[0] != '-' || a[1] == '\0')
            p->q->inputs[p->q->input_count++] = a;
        else if (strcmp(a, "--") == 0)
            only_inputs = 1;
        else
            result = a[1] == '-' ? take_long(p, a) : take_short(p, a);
        if (result != 0)
            return -1;
    }
    return 0;
}

static enum qn_out_parsed check_inputs(struct qn_out_parser *p)
{
    if (p->q->input_count == 0) {
        qn_text_fail(p->err, QN_TEXT_BAD,
                     "the following arguments are required: cachegrind-out-file");
        return QN_OUT_USAGE;
    }
    if (p->q->diff && p->q->input_count != 2) {
        qn_text_fail(p->err, QN_TEXT_BAD,
                     "argument --diff: requires exactly two Cachegrind output files");
        return QN_OUT_USAGE_BAD;
    }
    return QN_OUT_GO;
}

/* Do the options fit together? */
static enum qn_out_parsed check_together(struct qn_out_parser *p)
{
    const struct qn_out_request *q = p->q;
    int of_data = q->by == QN_OUT_BY_DATA || q->by == QN_OUT_BY_TYPE;
    if (of_data && qn_out_timing_chosen())
        qn_out_wrong_usage(p, "--timing", "not with --by=data and --by=type, by which only misses are counted", NULL);
    return p->result;
}

static char *join_invocation(int argc, char **argv)
{
    static const char program[] = "quern";
    size_t n = sizeof program;
    for (int i = 0; i < argc; i++)
        n += strlen(argv[i]) + 1;
    char *text = QN_NEEDED(malloc(n)), *at = text;
    at = stpcpy(at, program);
    for (int i = 0; i < argc; i++) {
        *at++ = ' ';
        at = stpcpy(at, argv[i]);
    }
    return text;
}

/* Looks for --style=classic, which decides how all other arguments are read. */
static int asks_for_classic(int argc, char **argv)
{
    int classic = 0;
    for (int i = 1; i < argc; i++) {
        if (strncmp(argv[i], "--style=", 8) == 0)
            classic = strcmp(argv[i] + 8, "classic") == 0;
        else if (strcmp(argv[i], "--style") == 0 && i + 1 < argc)
            classic = strcmp(argv[i + 1], "classic") == 0;
    }
    return classic;
}

enum qn_out_parsed qn_out_parse_options(int argc, char **argv, struct qn_out_request *q,
                                        struct qn_text_error *err)
{
    *q = (struct qn_out_request){.threshold = QN_OUT_THRESHOLD, .show_percs = 1, .annotate = 1,
                                 .context = QN_OUT_CONTEXT};
    q->inputs = QN_NEEDED(calloc((size_t)argc + 1, sizeof *q->inputs));
    q->includes = QN_NEEDED(calloc((size_t)argc + 1, sizeof *q->includes));
    q->invocation = join_invocation(argc, argv);
    if (asks_for_classic(argc, argv))
        return qn_out_parse_classic(argc - 1, argv + 1, q, err);
    struct qn_out_parser p = {argv + 1, argv + argc, q, QN_OUT_GO, err};
    if (parse_modern(&p) != 0)
        return p.result;
    if (check_together(&p) != QN_OUT_GO)
        return p.result;
    q->annotate = q->annotate && q->by == QN_OUT_BY_NONE;
    q->disassemble = q->disassemble && q->annotate;
    return check_inputs(&p);
}

void qn_out_free_request(struct qn_out_request *q)
{
    free(q->inputs);
    free(q->includes);
    free(q->invocation);
    qn_text_free_subst(q->mod_file);
    qn_text_free_subst(q->mod_fn);
}
