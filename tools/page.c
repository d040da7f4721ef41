/* tools/page.c - `quern page`: a profile as a page that one explores.
 *
 * In:  quern page [-o FILE] [options] PROFILE
 *      quern page --diff [-o FILE] [options] BEFORE AFTER
 * Out: one HTML file; exit 0, 1 (a bad input, a failed write), 2 (usage)
 */
#include "page/page.h"

#include "text/output.h"
#include "prof_args.h"
#include "tools.h"

#define PROGRAM "quern page"
#define USUAL_OUTPUT "quern-page.html"
#define INCLUDES_MOST 32

static const char help[] =
    "usage: quern page [-o FILE] [options] PROFILE\n"
    "       quern page --diff [-o FILE] [options] BEFORE AFTER\n"
    "\n"
    "Writes a profile as one HTML file that a browser opens without a network: functions to sort and filter,\n"
    "source with its counts, what a line costs, counts by interval, a cache of each size.\n"
    "\n";

struct settings {
    struct prof_args args;
    const char *intervals, *runs, *culprits, *log;
    const char *includes[INCLUDES_MOST + 1];
    int include_count;
    bool diff;
};

static const char *take_folder(const struct qn_option *o, void *field, char **value)
{
    struct settings *s = field;

    (void)o;
    if (s->include_count == INCLUDES_MOST)
        return "fewer of them";
    s->includes[s->include_count++] = *value;
    return NULL;
}

static const struct qn_option options[] = {
    QN_OPTION("--diff", NULL, "what changed from the first profile to the second, in all views", qn_option_set, struct settings, diff),
    QN_OPTION("--intervals", "FILE", "counts by interval, of `quern run --interval=N`: the view Time", qn_option_text, struct settings, intervals),
    QN_OPTION("--runs", "FILE", "runs with caches of several sizes, of `quern sweep`: the view Caches", qn_option_text, struct settings, runs),
    QN_OPTION("--culprits", "FILE", "who evicts what a line misses, of `quern run --analysis=culprits`", qn_option_text, struct settings, culprits),
    QN_OPTION("--log", "FILE", "log of a run with the analyses mattson or sets: the view Caches", qn_option_text, struct settings, log),
    QN_OPTION_PLAIN("-I, --include", "DIR", "also look for sources in directory DIR", take_folder),
    PROF_ARGS_REGION("what was counted in this region only (quern.h); OUTER/INNER: nested so"),
    PROF_ARGS_OUT("FILE", "write to FILE, complete or not at all [" USUAL_OUTPUT "]"),
    QN_OPTIONS_END};

static const struct qn_option last[] = {PROF_ARGS_LAST};

static const char *check(const struct prof_args *a)
{
    const struct settings *s = (const struct settings *)a;

    if (s->diff)
        return a->input_count == 2 ? NULL : "--diff takes two profiles";
    return a->input_count == 1 ? NULL : "name one profile, or two with --diff";
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
        .log = s->log,
        .includes = s->includes,
    };
    struct qn_text_output o;
    FILE *out;

    if (qn_text_open_output(&o, a->out ? a->out : USUAL_OUTPUT, QN_TEXT_SHARED, err) != QN_TEXT_OK)
        return err->status;
    out = qn_text_stream_output(&o);
    if (out && qn_page_write(&q, out, err) == QN_TEXT_OK)
        return qn_text_close_output(&o, err);
    qn_text_drop_output(&o);
    return out ? err->status : qn_text_fail_memory(err);
}

int qn_tool_page(int argc, char **argv)
{
    static const struct prof_command command = {
        {"page", PROGRAM, help, NULL, options, last, false}, 1, 2, check, write_page};
    struct settings settings = {.args = {0}};

    (void)argc;
    return prof_args_run(&command, &settings.args, argv);
}
