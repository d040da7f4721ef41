/* tools/json.c - `quern json`: a profile, a sweep's CSV or another table as JSON.
 *
 * In:  quern json [-o OUT] [--totals] FILE
 * Out: one JSON document on stdout or in OUT; exit 0, 1 (a bad input, a failed write), 2 (usage)
 */
#include "prof_args.h"
#include "text/source.h"
#include "tools.h"

#define PROGRAM "quern json"

static const char help[] =
    "usage: quern json [-o OUT] [--totals] FILE\n"
    "\n"
    "Writes a profile, the CSV file of a sweep, or another table as JSON for other programs: jq, scripts,\n"
    "databases. doc/json.md has the schema.\n"
    "\n";

static const struct qn_option options[] = {
    QN_OPTION("--totals", NULL, "of a profile no rows: command, descriptions, events and their totals", qn_option_set, struct prof_args, totals),
    QN_OPTION_SOURCE_MAP,
    PROF_ARGS_REGION("what was counted in this region only (quern.h); OUTER/INNER: nested so"),
    PROF_ARGS_THREAD,
    PROF_ARGS_OUT("OUT", "write to OUT, complete or not at all [standard output]"),
    QN_OPTIONS_END};

static const struct qn_option last[] = {PROF_ARGS_LAST};

static enum qn_text_status write_json(const struct prof_args *a, struct qn_text_error *err)
{
    return prof_args_write_json(a, a->inputs[0], a->out, err);
}

int qn_tool_json(int argc, char **argv)
{
    static const struct prof_command command = {{"json", PROGRAM, help, NULL, options, last, false, NULL}, 1, 1, NULL, write_json};
    struct prof_args args = {.out = NULL};

    (void)argc;
    return prof_args_run(&command, &args, argv);
}
