/* lib/collect/name.c - names of profiles and logs.
 *
 * In:  "out.%p.%q{HOME}.%%", pid 12      Out: "out.12./root.%"
 *
 * Names are relative to the directory in which quern was started.  %n is the number of the file
 * within its process; a process writes one, so it is 1.  A forked guest whose name would be that of
 * the first process (a pattern without %p) gets ".PID" at its end: no profile overwrites another.
 * A device (/dev/null) is the same for all processes.
 */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/base.h"
#include "text/output.h"
#include "collect/collect.h"

#define PROFILE_PATTERN "cachegrind.out.%p"
#define CALLGRIND_PATTERN "callgrind.out.%p"
#define FIRST_THREAD "-01"
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

char *qn_collect_name_pattern(struct qn_collect *r)
{
    const struct qn_collect_options *o = &r->options;

    return name_file(r, o->out_file ? o->out_file : o->profile_format != QN_COLLECT_CACHEGRIND ? CALLGRIND_PATTERN : PROFILE_PATTERN);
}

/* Callgrind's names for threads: "callgrind.out.12-01"; for a part, whose pattern has its number, "callgrind.out.12.3-01". */
char *qn_collect_name_profile(struct qn_collect *r)
{
    char *name = qn_collect_name_pattern(r), *longer;

    if (!name || r->options.profile_format != QN_COLLECT_CALLGRIND_THREADS || qn_collect_is_device(name))
        return name;
    longer = qn_collect_name_beside(name, FIRST_THREAD);
    free(name);
    return longer;
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

char *qn_collect_name_beside(const char *profile, const char *suffix)
{
    char *name;

    return asprintf(&name, "%s%s", profile, suffix) < 0 ? NULL : name;
}

static char *name_beside(struct qn_collect *r, const char *suffix)
{
    char *profile = qn_collect_name_profile(r), *name = profile ? qn_collect_name_beside(profile, suffix) : NULL;

    free(profile);
    return name;
}

static char *name_findings(struct qn_collect *r) { return name_beside(r, QN_COLLECT_FINDINGS_SUFFIX); }
static char *name_culprits(struct qn_collect *r) { return name_beside(r, QN_COLLECT_CULPRITS_SUFFIX); }
static char *name_sets(struct qn_collect *r) { return name_beside(r, QN_COLLECT_SETS_SUFFIX); }
static char *name_sharing(struct qn_collect *r) { return name_beside(r, QN_COLLECT_SHARING_SUFFIX); }

/* The log's name.  A forked process writes into the same log. */
static char *name_log(struct qn_collect *r)
{
    char why[256];

    return qn_collect_expand(r->options.log_file, r->root, why, sizeof why);
}

static char *name_trace(struct qn_collect *r) { return strdup(r->options.trace_file); }

/* "/dev/stdout": a descriptor that only the program has; the collector has closed it (launch.c). */
static bool is_descriptor(const char *name)
{
    static const char *const folders[] = { "/dev/fd/", "/proc/self/fd/", "/dev/std" };

    for (size_t i = 0; i < QN_ARRAY_LEN(folders); i++)
        if (!strncmp(name, folders[i], strlen(folders[i])))
            return true;
    return false;
}

struct output {
    const char *what;
    bool wanted;
    bool is_late; /* it is opened after the program's end */
    char *(*name_it)(struct qn_collect *);
    char *name;
};

/* Can the output be written, and does it differ from those before it?  Of two with one name the last would overwrite the first. */
static bool check_output(struct qn_collect *r, struct output *all, struct output *o)
{
    struct qn_text_error err = { .status = QN_TEXT_OK };

    o->name = o->name_it(r);
    if (!o->name)
        return false;
    if (o->is_late && is_descriptor(o->name)) {
        qn_collect_fail(r, "no %s: %s: is a descriptor of the program; wanted a file", o->what, o->name);
        return false;
    }
    for (struct output *before = all; before < o; before++)
        if (before->name && !strcmp(before->name, o->name) && !qn_collect_is_device(o->name)) {
            qn_collect_fail(r, "no %s: %s: is the file of the %s", o->what, o->name, before->what);
            return false;
        }
    if (o->is_late && qn_text_check_output(o->name, &err) != QN_TEXT_OK)
        qn_collect_fail(r, "no %s: %s", o->what, err.text);
    return err.status == QN_TEXT_OK;
}

/* Tests all files that an analysis may write: which it will write is known only after the run. */
bool qn_collect_check_outputs(struct qn_collect *r)
{
    const struct qn_collect_options *o = &r->options;
    char *profile = qn_collect_name_profile(r);
    bool beside = o->analysis && profile && !qn_collect_is_device(profile), good = true;
    struct output all[] = { { "log", o->log_file != NULL, false, name_log, NULL },
                            { "trace", o->trace_file != NULL, false, name_trace, NULL },
                            { "profile", true, true, qn_collect_name_profile, NULL },
                            { "intervals", r->config.interval != 0, true, qn_collect_name_intervals, NULL },
                            { "explanation", o->explain.count != 0, true, qn_collect_name_explanation, NULL },
                            { "watch", o->watch != 0, true, qn_collect_name_watch, NULL },
                            { "table of branches", o->branches_file != NULL, true, qn_collect_name_branches, NULL },
                            { "findings", beside, true, name_findings, NULL },
                            { "culprits", beside, true, name_culprits, NULL },
                            { "shared lines", beside, true, name_sharing, NULL },
                            { "misses by set", beside && r->config.interval, true, name_sets, NULL } };

    for (size_t i = 0; i < QN_ARRAY_LEN(all) && good; i++)
        good = !all[i].wanted || check_output(r, all, &all[i]);
    for (size_t i = 0; i < QN_ARRAY_LEN(all); i++)
        free(all[i].name);
    free(profile);
    if (!good)
        r->refused = QN_EXIT_FAILED;
    return good;
}
