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
#include <stddef.h>
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

/* ---- patterns ---- */

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

/* ---- names ---- */

#define FIELD(field) offsetof(struct qn_collect_options, field)

static const struct {
    const char *what;    /* in messages */
    const char *option;  /* NULL: none says its name */
    size_t field;        /* the option's, a char * with the pattern */
    const char *usual;   /* the pattern without this option */
    const char *suffix;  /* not NULL: behind the profile's name */
    bool is_early;       /* it is opened before the program begins */
} files[QN_COLLECT_FILES] = {
    [QN_COLLECT_LOG] = { "log", "log-file", FIELD(log_file), NULL, NULL, true },
    [QN_COLLECT_TRACE] = { "trace", NULL, FIELD(trace_file), NULL, NULL, true },
    [QN_COLLECT_PROFILE] = { "profile", "cachegrind-out-file", FIELD(out_file), NULL, "", false },
    [QN_COLLECT_INTERVALS] = { "intervals", "interval-file", FIELD(interval_file), "quern.intervals.%p.csv", NULL, false },
    [QN_COLLECT_EXPLANATION] = { "explanation", "explain-file", FIELD(explain_file), "quern.explain.%p.txt", NULL, false },
    [QN_COLLECT_WATCH] = { "watch", "watch-file", FIELD(watch_file), "quern.watch.%p.csv", NULL, false },
    [QN_COLLECT_BRANCHES] = { "table of branches", "branches-file", FIELD(branches_file), NULL, NULL, false },
    [QN_COLLECT_FINDINGS] = { "findings", NULL, 0, NULL, ".findings.csv", false },
    [QN_COLLECT_CULPRITS] = { "culprits", NULL, 0, NULL, ".culprits.csv", false },
    [QN_COLLECT_TAKERS] = { "takers of lines", NULL, 0, NULL, ".takers.csv", false },
    [QN_COLLECT_SHARING] = { "shared lines", NULL, 0, NULL, ".sharing.csv", false },
    [QN_COLLECT_SETS] = { "misses by set", NULL, 0, NULL, ".sets.csv", false },
    [QN_COLLECT_TABLES] = { "table", NULL, 0, NULL, "", false },
};

/* NULL: the option was not given. */
static const char *pattern_of(const struct qn_collect_options *o, enum qn_collect_file file)
{
    return *(char *const *)((const char *)o + files[file].field);
}

static char *name_by(struct qn_collect *r, const char *pattern)
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

    if (r->profile)
        return strdup(r->profile);
    return name_by(r, o->out_file ? o->out_file : o->profile_format != QN_COLLECT_CACHEGRIND ? CALLGRIND_PATTERN : PROFILE_PATTERN);
}

/* Callgrind's names for threads: "callgrind.out.12-01"; for a part, whose pattern has its number, "callgrind.out.12.3-01".  All processes
 * write into one log and one trace. */
char *qn_collect_name_file(struct qn_collect *r, enum qn_collect_file file)
{
    const char *given = pattern_of(&r->options, file);
    char why[256], *profile, *name;
    bool thread = r->options.profile_format == QN_COLLECT_CALLGRIND_THREADS;

    if (file == QN_COLLECT_TRACE)
        return strdup(given);
    if (file == QN_COLLECT_LOG)
        return qn_collect_expand(given, r->root, why, sizeof why);
    if (!files[file].suffix)
        return name_by(r, given ? given : files[file].usual);
    profile = qn_collect_name_pattern(r);
    if (profile && asprintf(&name, "%s%s%s", profile, thread && !qn_collect_is_device(profile) ? FIRST_THREAD : "", files[file].suffix) < 0)
        name = NULL;
    if (!profile)
        name = NULL;
    free(profile);
    return name;
}

char *qn_collect_name_table(struct qn_collect *r, const char *table)
{
    char *profile = qn_collect_name_file(r, QN_COLLECT_TABLES), *name = NULL;
    bool taken = false;

    if (profile && asprintf(&name, "%s.%s.csv", profile, table) < 0)
        name = NULL;
    for (int i = 0; name && !taken && i < QN_COLLECT_FILES; i++) {
        char *other = files[i].option && pattern_of(&r->options, (enum qn_collect_file)i) ? qn_collect_name_file(r, (enum qn_collect_file)i) : NULL;

        taken = other && !strcmp(other, name);
        free(other);
    }
    free(profile);
    if (!taken)
        return name;
    qn_collect_fail(r, "no table: %s: is the name of another file", name);
    free(name);
    return NULL;
}

bool qn_collect_tell_file(struct qn_collect *r, enum qn_collect_file file, char *path, enum qn_text_status status,
                          const struct qn_text_error *err)
{
    if (status != QN_TEXT_OK)
        qn_collect_fail(r, "no %s: %s", files[file].what, err->text);
    else if (r->options.verbose)
        qn_collect_note(r, "%s: %s", files[file].what, path);
    free(path);
    return status == QN_TEXT_OK;
}

/* ---- checks ---- */

bool qn_collect_check_patterns(const struct qn_collect_options *o)
{
    for (int i = 0; i < QN_COLLECT_FILES; i++) {
        const char *pattern = files[i].option ? pattern_of(o, (enum qn_collect_file)i) : NULL;
        char why[256], *name = pattern ? qn_collect_expand(pattern, 0, why, sizeof why) : NULL;

        free(name);
        if (pattern && !name) {
            qn_collect_complain("--%s=%s: %s", files[i].option, pattern, why);
            return false;
        }
    }
    return true;
}

/* "/dev/stdout": a descriptor that only the program has; the collector has closed it (launch.c). */
static bool is_descriptor(const char *name)
{
    static const char *const folders[] = { "/dev/fd/", "/proc/self/fd/", "/dev/std" };

    for (size_t i = 0; i < QN_ARRAY_LEN(folders); i++)
        if (!strncmp(name, folders[i], strlen(folders[i])))
            return true;
    return false;
}

/* Can the file be written, and does it differ from those before it?  Of two with one name the last would overwrite the first. */
static bool check_output(struct qn_collect *r, char *const *names, enum qn_collect_file file)
{
    struct qn_text_error err = { .status = QN_TEXT_OK };
    const char *name = names[file];

    if (!name)
        return false;
    if (!files[file].is_early && is_descriptor(name)) {
        qn_collect_fail(r, "no %s: %s: is a descriptor of the program; wanted a file", files[file].what, name);
        return false;
    }
    for (int i = 0; i < (int)file; i++)
        if (names[i] && !strcmp(names[i], name) && !qn_collect_is_device(name)) {
            qn_collect_fail(r, "no %s: %s: is the file of the %s", files[file].what, name, files[i].what);
            return false;
        }
    if (!files[file].is_early && qn_text_check_output(name, &err) != QN_TEXT_OK)
        qn_collect_fail(r, "no %s: %s", files[file].what, err.text);
    return err.status == QN_TEXT_OK;
}

/* Tests all files that an analysis may write: which it will write is known only after the run. */
bool qn_collect_check_outputs(struct qn_collect *r)
{
    const struct qn_collect_options *o = &r->options;
    char *profile = qn_collect_name_file(r, QN_COLLECT_PROFILE), *names[QN_COLLECT_FILES] = { NULL };
    bool side_tables = o->analysis && profile && !qn_collect_is_device(profile), good = true;
    const bool wanted[QN_COLLECT_FILES] = {
        [QN_COLLECT_LOG] = o->log_file, [QN_COLLECT_TRACE] = o->trace_file, [QN_COLLECT_PROFILE] = true,
        [QN_COLLECT_INTERVALS] = r->config.interval, [QN_COLLECT_EXPLANATION] = o->explain.count, [QN_COLLECT_WATCH] = o->watch,
        [QN_COLLECT_BRANCHES] = o->branches_file, [QN_COLLECT_FINDINGS] = side_tables, [QN_COLLECT_CULPRITS] = side_tables,
        [QN_COLLECT_TAKERS] = side_tables, [QN_COLLECT_SHARING] = side_tables, [QN_COLLECT_SETS] = side_tables && r->config.interval };

    for (int i = 0; i < QN_COLLECT_FILES && good; i++)
        if (wanted[i]) {
            names[i] = qn_collect_name_file(r, (enum qn_collect_file)i);
            good = check_output(r, names, (enum qn_collect_file)i);
        }
    for (int i = 0; i < QN_COLLECT_FILES; i++)
        free(names[i]);
    free(profile);
    if (!good)
        r->refused = QN_EXIT_FAILED;
    return good;
}
