/* tools/json.c - `quern json`: a profile, a sweep's CSV or another table as JSON.
 *
 * In:  quern json [-o OUT] [--totals] FILE
 * Out: one JSON document on stdout or in OUT; exit 0, 1 (a bad input, a failed write), 2 (usage)
 */
#include "json/json.h"

#include "prof_args.h"
#include "text/output.h"
#include "tools.h"

#define PROGRAM "quern json"

static const char help[] =
    "usage: quern json [-o OUT] [--totals] FILE\n"
    "\n"
    "Writes a profile, the CSV file of a sweep, or another table as JSON for other programs: jq, scripts,\n"
    "databases. doc/json.md has the schema.\n"
    "\n";

struct settings {
    struct prof_args args;
    bool totals;
};

static const struct qn_option options[] = {
    QN_OPTION("--totals", NULL, "of a profile no rows: command, descriptions, events and their totals", qn_option_set, struct settings, totals),
    QN_OPTION_SOURCE_MAP,
    PROF_ARGS_REGION("what was counted in this region only (quern.h); OUTER/INNER: nested so"),
    PROF_ARGS_OUT("OUT", "write to OUT, complete or not at all [standard output]"),
    QN_OPTIONS_END};

static const struct qn_option last[] = {PROF_ARGS_LAST};

static enum qn_text_status write_to(FILE *out, const struct settings *s, struct qn_text_error *err)
{
    const char *input = s->args.inputs[0];

    return qn_json_write_file(out, input, s->totals, err);
}

static enum qn_text_status write_json(const struct prof_args *a, struct qn_text_error *err)
{
    const struct settings *s = (const struct settings *)a;
    struct qn_text_output o;

    if (!a->out)
        return write_to(stdout, s, err);
    if (qn_text_open_output(&o, a->out, QN_TEXT_PRIVATE, err) != QN_TEXT_OK)
        return err->status;
    if (write_to(qn_text_stream_output(&o), s, err) == QN_TEXT_OK)
        return qn_text_close_output(&o, err);
    qn_text_drop_output(&o);
    return err->status;
}

int qn_tool_json(int argc, char **argv)
{
    static const struct prof_command command = {{"json", PROGRAM, help, NULL, options, last, false, NULL}, 1, 1, NULL, write_json};
    struct settings s = {.totals = false};

    (void)argc;
    return prof_args_run(&command, &s.args, argv);
}
