/* tools/page.c - `quern page`: a profile as a page that one explores.
 *
 * In:  quern page [-o FILE] [OPTIONS] PROFILE
 *      quern page --diff [-o FILE] [OPTIONS] BEFORE AFTER
 * Out: one HTML file, and beside it NAME.sources.js, if not all sources find room in it; exit 0, 1 (a bad input, a failed write), 2 (usage)
 */
#define _GNU_SOURCE
#include "page/page.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "text/output.h"
#include "prof_args.h"
#include "text/source.h"
#include "tools.h"

#define PROGRAM "quern page"
#define USUAL_OUTPUT "quern-page.html"

static const char help[] =
    "usage: quern page [-o FILE] [OPTIONS] PROFILE\n"
    "       quern page --diff [-o FILE] [OPTIONS] BEFORE AFTER\n"
    "\n"
    "Writes a profile as one HTML file that a browser opens without a network: functions to sort and filter,\n"
    "source with its counts, what a line costs, objects in memory, calls, counts by interval, a cache of each size.\n"
    "Sources that are too large for it go into a second file beside it, PAGE.sources.js.\n"
    "\n";

struct settings {
    struct prof_args args;
    const char *intervals, *runs, *culprits, *sets, *sharing, *mattson, *intervals_before, *mattson_before, *sets_before;
    bool diff;
};

static const struct qn_option options[] = {
    QN_OPTION("--diff", NULL, "what changed from the first profile to the second, in all views", qn_option_set, struct settings, diff),
    QN_OPTION("--intervals", "FILE", "counts by interval, of `quern run --interval=N`: the view Time", qn_option_text, struct settings, intervals),
    QN_OPTION("--runs", "FILE", "runs with caches of several sizes, of `quern sweep`: the view Caches", qn_option_text, struct settings, runs),
    QN_OPTION("--culprits", "FILE", "who evicts what a line misses, of `quern run --analysis=culprits`", qn_option_text, struct settings, culprits),
    QN_OPTION("--sets", "FILE", "misses by set, of `quern run --analysis=sets`, with --interval=N also by time: the view Caches", qn_option_text, struct settings, sets),
    QN_OPTION("--sharing", "FILE", "lines that threads share, of `quern run --analysis=sharing`: the view Threads", qn_option_text, struct settings, sharing),
    QN_OPTION("--mattson", "FILE", "misses by size, of `quern run --analysis=mattson`: the view Caches", qn_option_text, struct settings, mattson),
    QN_OPTION("--intervals-before", "FILE", "with --diff: counts by interval of the first profile", qn_option_text, struct settings, intervals_before),
    QN_OPTION("--mattson-before", "FILE", "with --diff: its misses by size", qn_option_text, struct settings, mattson_before),
    QN_OPTION("--sets-before", "FILE", "with --diff: its misses by set", qn_option_text, struct settings, sets_before),
    PROF_ARGS_INCLUDE,
    QN_OPTION_SOURCE_MAP,
    PROF_ARGS_TIMING("how the estimated cost is worked out, or some of it [1,1,10,100,10]"),
    PROF_ARGS_REGION("what was counted in this region only (quern.h); OUTER/INNER: nested so"),
    PROF_ARGS_THREAD,
    PROF_ARGS_OUT("FILE", "write to FILE, complete or not at all [" USUAL_OUTPUT "]"),
    QN_OPTIONS_END};

static const struct qn_option last[] = {PROF_ARGS_LAST};

static const struct qn_option_rule rules[] = {
    {"--intervals-before", false, "--diff", NULL}, {"--mattson-before", false, "--diff", NULL}, {"--sets-before", false, "--diff", NULL}, {NULL, false, NULL, NULL}};

static const char *check(const struct prof_args *a)
{
    const struct settings *s = (const struct settings *)a;

    if (s->diff)
        return a->input_count == 2 ? NULL : "--diff takes two profiles";
    return a->input_count == 1 ? NULL : "name one profile, or two with --diff";
}

/* "prog.html" -> "prog.sources.js", the file of the sources for which the page has no room. */
static const char *name_more(const char *path)
{
    static char name[PATH_MAX];
    size_t length = strlen(path), end = length > 5 && !strcmp(path + length - 5, ".html") ? length - 5 : length;

    snprintf(name, sizeof name, "%.*s.sources.js", (int)end, path);
    return name;
}

static enum qn_text_status write_page(const struct prof_args *a, struct qn_text_error *err)
{
    const struct settings *s = (const struct settings *)a;
    struct qn_page_request q = {
        .profile = a->inputs[s->diff ? 1 : 0],
        .before = s->diff ? a->inputs[0] : NULL,
        .intervals = s->intervals,
        .runs = s->runs,
        .culprits = s->culprits,
        .sets = s->sets,
        .sharing = s->sharing,
        .mattson = s->mattson,
        .intervals_before = s->intervals_before,
        .mattson_before = s->mattson_before,
        .sets_before = s->sets_before,
        .includes = s->args.includes,
    };
    const char *path = a->out ? a->out : USUAL_OUTPUT;
    struct qn_text_output o, more;
    FILE *out;
    struct stat st;
    bool fits = !stat(path, &st) && !S_ISREG(st.st_mode); /* a second file can lie beside a regular one only */

    if (qn_text_open_output(&o, path, QN_TEXT_SHARED, err) != QN_TEXT_OK)
        return err->status;
    if (!fits && qn_text_open_output(&more, name_more(path), QN_TEXT_SHARED, err) != QN_TEXT_OK)
        return qn_text_drop_output(&o), err->status;
    out = qn_text_stream_output(&o);
    q.more = fits ? NULL : qn_text_stream_output(&more);
    q.more_name = basename(name_more(path));
    qn_page_write(&q, out, err);
    if (!fits && q.more && ftell(q.more) > 0)
        qn_text_close_output(&more, err);
    else if (!fits)
        qn_text_drop_output(&more); /* the page has room for all sources */
    return qn_text_close_output(&o, err);
}

int qn_tool_page(int argc, char **argv)
{
    static const struct prof_command command = {
        {"page", PROGRAM, help, NULL, options, last, false, rules}, 1, 2, check, write_page};
    struct settings settings = {.args = {0}};

    (void)argc;
    return prof_args_run(&command, &settings.args, argv);
}
