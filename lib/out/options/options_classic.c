/*
 * Options of the classic style: --x=v only, as cg_annotate 3.19 takes them. See options.h.
 *
 * In:  --sort=Ir:2,Dr --threshold=1% -I/src cachegrind.out.1 a.c
 * Out: a request whose first input is the profile and whose others are sources to annotate
 */
#define _GNU_SOURCE
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "out/options/options.h"
#include "text/source_map.h"

static enum qn_out_parsed usage(struct qn_text_error *err, const char *argument)
{
    qn_text_fail(err, QN_TEXT_BAD, "%s: not an option, or not a value of it, in the classic style",
                 argument);
    return QN_OUT_USAGE;
}

/* Digits and points, then an optional per cent sign. */
static int is_percent(const char *text)
{
    size_t n = strspn(text, "0123456789.");
    return n > 0 && (text[n] == '\0' || strcmp(text + n, "%") == 0);
}

static int take_threshold(struct qn_out_request *q, const char *value)
{
    if (!is_percent(value))
        return -1;
    q->threshold = strtod(value, NULL);
    q->threshold_text = value;
    return q->threshold <= QN_OUT_THRESHOLD_MAX ? 0 : -1;
}

static int take_context(struct qn_out_request *q, const char *value)
{
    char *end;
    long n = strtol(value, &end, 10);
    if (end == value || *end || strspn(value, "0123456789") != strlen(value))
        return -1;
    q->context = n > INT_MAX ? INT_MAX : n;
    return 0;
}

static int take_switch(int *to, const char *value)
{
    if (strcmp(value, "yes") != 0 && strcmp(value, "no") != 0)
        return -1;
    *to = value[0] == 'y';
    return 0;
}

static const char *value_of(const char *argument, const char *key)
{
    size_t n = strlen(key);
    return strncmp(argument, key, n) == 0 ? argument + n : NULL;
}

static int take_include(struct qn_out_request *q, const char *value)
{
    q->includes[q->include_count++] = value;
    return 0;
}

/* 0 taken, -1 not an option or a bad value. */
static int take_option(struct qn_out_request *q, const char *a)
{
    const char *v;
    if ((v = value_of(a, "--show=")))
        return q->show = v, 0;
    if ((v = value_of(a, "--sort=")))
        return q->sort = v, 0;
    if ((v = value_of(a, "--threshold=")))
        return take_threshold(q, v);
    if ((v = value_of(a, "--show-percs=")))
        return take_switch(&q->show_percs, v);
    if ((v = value_of(a, "--auto=")))
        return take_switch(&q->annotate, v);
    if ((v = value_of(a, "--context=")))
        return take_context(q, v);
    if ((v = value_of(a, "--include=")) || (v = value_of(a, "-I=")))
        return take_include(q, v);
    if ((v = value_of(a, "--source-map=")))
        return qn_text_add_source_map(v) ? -1 : 0;
    if ((v = value_of(a, "--region=")))
        return q->region = v, 0;
    if ((v = value_of(a, "-I")) && *v)
        return take_include(q, v);
    return -1;
}

/* A trailing slash of a directory does not count. */
static int is_readable_in(const char *dir, const char *name)
{
    size_t n = strlen(dir);
    n -= n > 0 && dir[n - 1] == '/';
    char *path = malloc(n + strlen(name) + 2);
    if (!path)
        return 0;
    memcpy(path, dir, n);
    path[n] = '/';
    strcpy(path + n + 1, name);
    int readable = access(path, R_OK) == 0;
    free(path);
    return readable;
}

/* A source that the command line names must be readable. */
static int take_source(struct qn_out_request *q, const char *name)
{
    int readable = access(name, R_OK) == 0;
    for (int i = 0; i < q->include_count && !readable; i++)
        readable = is_readable_in(q->includes[i], name);
    if (readable)
        q->inputs[q->input_count++] = name;
    return readable ? 0 : -1;
}

static enum qn_out_parsed take_input(struct qn_out_request *q, const char *name,
                                     struct qn_text_error *err)
{
    if (q->input_count == 0) {
        q->inputs[q->input_count++] = name;
        return QN_OUT_GO;
    }
    if (take_source(q, name) == 0)
        return QN_OUT_GO;
    qn_text_fail(err, QN_TEXT_BAD, "%s: not found here or in a directory given by -I", name);
    return QN_OUT_USAGE_BAD;
}

enum qn_out_parsed qn_out_parse_classic(int argc, char **argv, struct qn_out_request *q,
                                        struct qn_text_error *err)
{
    q->style = QN_OUT_CLASSIC;
    for (int i = 0; i < argc; i++) {
        const char *a = argv[i];
        enum qn_out_parsed result = QN_OUT_GO;
        if (strcmp(a, "-h") == 0 || strcmp(a, "--help") == 0)
            return QN_OUT_HELP;
        if (strcmp(a, "--version") == 0)
            return QN_OUT_VERSION;
        if (strcmp(a, "--style") == 0)
            i++;
        else if (value_of(a, "--style="))
            continue;
        else if (a[0] != '-')
            result = take_input(q, a, err);
        else if (take_option(q, a) != 0)
            result = usage(err, a);
        if (result != QN_OUT_GO)
            return result;
    }
    if (q->input_count > 0)
        return QN_OUT_GO;
    qn_text_fail(err, QN_TEXT_BAD, "no profile was named");
    return QN_OUT_USAGE;
}
