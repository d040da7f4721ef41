/* tools/csv.c - `quern csv`: profiles as comma-separated values, and back.
 *
 * In:  quern csv [-o OUT] [--by=WHAT] [--show=A,B,C] FILE...
 *      quern csv --to-profile [-o OUT] FILE.csv
 * Out: CSV or a profile, on stdout or in OUT; exit 0, 1 (a bad input, a failed write), 2 (usage)
 */
#include <string.h>

#include "out/csv.h"
#include "prof_args.h"
#include "tools.h"

#define PROGRAM "quern csv"

static const char help[] =
    "usage: quern csv [-o OUT] [options] FILE...\n"
    "       quern csv --to-profile [-o OUT] FILE.csv\n"
    "\n"
    "Writes profiles as comma-separated values (RFC 4180): in each row where the profile comes from,\n"
    "the place, all events, and the ratios that can be made of them.\n"
    "\n"
    "  --by=WHAT              a row for each program, object, file, function, line or instruction\n"
    "                         [line]\n"
    "  --show=A,B,C           events, ratios and expressions instead, as of quern annotate\n"
    "  --metadata=yes|no      columns that describe the profile [yes]\n"
    "  --crlf=yes|no          lines end with CR LF, as the standard wants it [yes]\n"
    "  --to-profile           the other way: the profile whose rows by line or instruction are in\n"
    "                         FILE.csv; anything missing is an error\n"
    PROF_ARGS_HELP PROF_ARGS_HELP_LAST;

static struct qn_out_csv_request request = {.by = QN_OUT_CSV_LINE};
static int to_profile;

static const char *take_by(const char *value)
{
    static const char *const words[] = {"program", "object", "file", "function", "line", "instruction"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (strcmp(value, words[i]) == 0) {
            request.by = (enum qn_out_csv_by)i;
            return NULL;
        }
    return "wanted program, object, file, function, line or instruction";
}

static const char *take_yes(const char *value, int *to)
{
    *to = strcmp(value, "yes") == 0;
    return *to || strcmp(value, "no") == 0 ? NULL : "wanted yes or no";
}

static const char *take_metadata(const char *value)
{
    int yes = 0;
    const char *wanted = take_yes(value, &yes);
    request.no_metadata = !yes;
    return wanted;
}

static const char *take_crlf(const char *value)
{
    int yes = 0;
    const char *wanted = take_yes(value, &yes);
    request.lf = !yes;
    return wanted;
}

static const char *take_show(const char *value)
{
    request.show = value;
    return NULL;
}

static const char *take_to_profile(const char *value)
{
    (void)value;
    to_profile = 1;
    return NULL;
}

static const char *check(const struct prof_args *a)
{
    return to_profile && a->input_count != 1 ? "--to-profile takes one file" : NULL;
}

static enum qn_prof_status convert(const struct prof_args *a, struct qn_prof_writer *w,
                                   struct qn_prof_error *err)
{
    if (to_profile)
        return qn_out_read_csv(a->inputs[0], w, err);
    request.inputs = a->inputs;
    request.input_count = a->input_count;
    return qn_out_write_csv(&request, w, err);
}

static enum qn_prof_status csv(const struct prof_args *a, struct qn_prof_error *err)
{
#ifdef HAVE_LIBCSV
    struct qn_prof_writer *w = prof_args_open(a, err);
#else
    struct qn_prof_writer *w = NULL;
    qn_prof_fail(err, QN_PROF_BAD, "this quern was built without libcsv");
#endif
    if (!w)
        return err->status;
    if (convert(a, w, err) == QN_PROF_OK)
        return qn_prof_close_writer(w, err);
    qn_prof_abandon_writer(w);
    return err->status;
}

int qn_tool_csv(int argc, char **argv)
{
    static const struct prof_option options[] = {
        {"--by", 1, take_by},       {"--show", 1, take_show},
        {"--crlf", 1, take_crlf},   {"--metadata", 1, take_metadata},
        {"--to-profile", 0, take_to_profile}, {NULL, 0, NULL},
    };
    static const struct prof_command command = {PROGRAM, help, 1, -1, options, 1, check, csv};
    return prof_args_run(&command, argc, argv);
}
