/* lib/collect/name.c - names of profiles and logs.
 *
 * In:  "out.%p.%q{HOME}.%%", pid 12      Out: "out.12./root.%"
 *
 * Names are relative to the directory in which quern was started.  %n is the number of the file
 * within its process; a process writes one, so it is 1.  A forked guest whose name would be that of
 * the first process (a pattern without %p) gets ".PID" at its end: no profile overwrites another.
 * What goes to a device (/dev/null) goes there from all of them.
 */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "text/output.h"
#include "collect/collect.h"

#define PROFILE_PATTERN "cachegrind.out.%p"
#define CALLGRIND_PATTERN "callgrind.out.%p"
#define INTERVALS_PATTERN "quern.intervals.%p.csv"
#define EXPLAIN_PATTERN "quern.explain.%p.txt"
#define WATCH_PATTERN "quern.watch.%p.csv"

/* p points behind "%q".  NULL: malformed or not set. */
static const char *expand_variable(const char *p, FILE *out, char *why, size_t size)
{
    const char *end = *p == '{' ? strchr(p, '}') : NULL, *value;
    char *name;

    if (!end) {
        snprintf(why, size, "%%q: wanted %%q{VARIABLE}");
        return NULL;
    }
    name = strndup(p + 1, (size_t)(end - p - 1));
    value = name ? getenv(name) : NULL;
    if (value)
        fputs(value, out);
    else
        snprintf(why, size, "%%q{%s}: this environment variable is not set", name ? name : "");
    free(name);
    return value ? end + 1 : NULL;
}

/* p points behind '%'. */
static const char *expand_one(const char *p, pid_t pid, FILE *out, char *why, size_t size)
{
    switch (*p) {
    case 'p':
        fprintf(out, "%d", (int)pid);
        return p + 1;
    case 'n':
        fputc('1', out);
        return p + 1;
    case '%':
        fputc('%', out);
        return p + 1;
    case 'q':
        return expand_variable(p + 1, out, why, size);
    }
    snprintf(why, size, "%%%c: wanted %%p, %%q{VARIABLE}, %%n or %%%%", *p ? *p : ' ');
    return NULL;
}

char *qn_collect_expand(const char *pattern, pid_t pid, char *why, size_t size)
{
    char *text = NULL;
    size_t length;
    FILE *out = open_memstream(&text, &length);
    const char *p = pattern;

    snprintf(why, size, "no memory");
    while (out && p && *p) {
        if (*p == '%')
            p = expand_one(p + 1, pid, out, why, size);
        else
            fputc(*p++, out);
    }
    if (out)
        fclose(out);
    if (p)
        return text;
    free(text);
    return NULL;
}

bool qn_collect_is_device(const char *path)
{
    struct stat st;

    return stat(path, &st) == 0 && S_ISCHR(st.st_mode);
}

static char *name_file(struct qn_collect *r, const char *pattern)
{
    char why[256], *name = qn_collect_expand(pattern, r->guest, why, sizeof why);
    char *root = qn_collect_expand(pattern, r->root, why, sizeof why), *longer;

    if (!name || !root) {
        qn_collect_fail(r, "%s: %s", pattern, why);
        free(name);
        name = NULL;
    } else if (r->guest != r->root && !strcmp(name, root) && !qn_collect_is_device(name)
               && asprintf(&longer, "%s.%d", name, (int)r->guest) > 0) {
        free(name);
        name = longer;
    }
    free(root);
    return name;
}

char *qn_collect_name_profile(struct qn_collect *r)
{
    return name_file(r, r->options.out_file ? r->options.out_file
                        : r->options.profile_format == QN_COLLECT_CALLGRIND ? CALLGRIND_PATTERN : PROFILE_PATTERN);
}

char *qn_collect_name_intervals(struct qn_collect *r)
{
    return name_file(r, r->options.interval_file ? r->options.interval_file : INTERVALS_PATTERN);
}

char *qn_collect_name_explanation(struct qn_collect *r)
{
    return name_file(r, r->options.explain_file ? r->options.explain_file : EXPLAIN_PATTERN);
}

char *qn_collect_name_watch(struct qn_collect *r)
{
    return name_file(r, r->options.watch_file ? r->options.watch_file : WATCH_PATTERN);
}

char *qn_collect_name_branches(struct qn_collect *r) { return name_file(r, r->options.branches_file); }

/* Frees the name. */
static bool check_output(struct qn_collect *r, const char *what, char *name)
{
    struct qn_text_error err = { .status = QN_TEXT_OK };

    if (name && qn_text_check_output(name, &err) != QN_TEXT_OK)
        qn_collect_fail(r, "no %s: %s", what, err.text);
    free(name);
    return name && err.status == QN_TEXT_OK;
}

bool qn_collect_check_outputs(struct qn_collect *r)
{
    bool good = check_output(r, "profile", qn_collect_name_profile(r))
                && (!r->config.interval || check_output(r, "intervals", qn_collect_name_intervals(r)))
                && (!r->options.explain.count || check_output(r, "explanation", qn_collect_name_explanation(r)))
                && (!r->options.watch || check_output(r, "watch", qn_collect_name_watch(r)))
                && (!r->options.branches_file || check_output(r, "table of branches", qn_collect_name_branches(r)));

    if (!good)
        r->refused = QN_EXIT_FAILED;
    return good;
}
