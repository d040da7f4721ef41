/* tools/plot.c - `quern plot`: pictures of sweeps, profiles, intervals and logs.
 *
 * In:  quern plot size policies.csv -o curve.svg
 * Out: curve.svg, curve.csv, curve.gp; exit 0, 1 (a bad input, a failed write), 2 (usage)
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "plot/plot.h"
#include "prof_args.h"
#include "tools.h"

#define PROGRAM "quern plot"
#define BARS_MAX 60

static char help[6000];

static const char usage[] =
    "usage: quern plot KIND FILE... [-o OUT] [options]\n"
    "\n"
    "Draws a picture with gnuplot; leaves its data (CSV) and the script beside it, to be changed.\n"
    "\n";

static const char options_text[] =
    "\n"
    "  -o OUT               NAME.svg, NAME.png or NAME.pdf [KIND.svg]\n"
    "  --level=LEVEL        of size, ways, line: I1, D1 or LL [D1]; of budget: BC or BI [BC]\n"
    "  --x=COLUMN           instead of the usual one\n"
    "  --y=COLUMN           the same; of time several: D1m%,LLmr%\n"
    "  --panel=COLUMN       a panel for each value [program]; --panel= for one panel\n"
    "  --curve=COLUMN,...   what tells curves apart [whatever differs]\n"
    "  --where=COLUMN=VALUE only these rows; may be repeated\n"
    "  --log=x|y|xy|none    logarithmic axes [as the numbers are]\n"
    "  --event=EVENT        of top and compare: an event, ratio or expression [D1mr+D1mw]\n"
    "  --by=function|line   of top, compare and threec [function]\n"
    "  --most=N             bars [15; of compare 10]\n"
    "  --region=NAME        of a profile: what was counted in this region only (quern.h)\n"
    "  --title=TEXT         instead of the usual one\n"
    "  -h, --help           this text\n"
    "  -v, --version        the version\n";

static struct qn_plot_request request;

/* ---- options ---- */

#define TAKE_TEXT(name)                                                                                                \
    static const char *take_##name(const char *value)                                                                  \
    {                                                                                                                  \
        request.name = value;                                                                                          \
        return NULL;                                                                                                   \
    }
TAKE_TEXT(x)
TAKE_TEXT(y)
TAKE_TEXT(panel)
TAKE_TEXT(curve)
TAKE_TEXT(event)
TAKE_TEXT(title)

static const char *take_level(const char *value)
{
    static const char *const levels[] = { "I1", "D1", "LL", "BC", "BI" };

    for (size_t i = 0; i < sizeof levels / sizeof *levels; i++)
        if (!strcmp(value, levels[i])) {
            request.level = levels[i];
            return NULL;
        }
    return "wanted I1, D1 or LL, of budget BC or BI";
}

static const char *take_by(const char *value)
{
    request.by = value;
    return !strcmp(value, "function") || !strcmp(value, "line") ? NULL : "wanted function or line";
}

static const char *take_log(const char *value)
{
    static const char *const words[][2] = { { "x", "x" }, { "y", "y" }, { "xy", "xy" }, { "none", "" } };

    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (!strcmp(value, words[i][0])) {
            request.log = words[i][1];
            return NULL;
        }
    return "wanted x, y, xy or none";
}

static const char *take_where(const char *value)
{
    if (!strchr(value, '='))
        return "wanted COLUMN=VALUE";
    if (request.where_count == QN_PLOT_WHERE_MAX)
        return "too many";
    request.where[request.where_count++] = value;
    return NULL;
}

static const char *take_most(const char *value)
{
    char *end;
    long n = strtol(value, &end, 10);

    if (!*value || *end || n < 1 || n > BARS_MAX)
        return "wanted 1 to 60";
    request.most = (int)n;
    return NULL;
}

static const struct prof_option options[] = {
    { "--level", 1, take_level }, { "--x", 1, take_x },         { "--y", 1, take_y },
    { "--panel", 1, take_panel }, { "--curve", 1, take_curve }, { "--where", 1, take_where },
    { "--log", 1, take_log },     { "--event", 1, take_event }, { "--by", 1, take_by },
    { "--most", 1, take_most },   { "--title", 1, take_title }, { NULL, 0, NULL },
};

/* ---- what is to be drawn ---- */

/* A kind and its files; a level that fits it. */
static const char *check(const struct prof_args *a)
{
    const struct qn_plot_kind *kind = a->input_count ? qn_plot_find_kind(a->inputs[0]) : NULL;
    bool predictor = request.level && request.level[0] == 'B';
    static char message[100];

    if (!kind)
        return a->input_count ? "the first word is no kind of picture" : "name a kind of picture, and a file";
    if (a->input_count - 1 < kind->least || a->input_count - 1 > kind->most) {
        snprintf(message, sizeof message, "files of %s: got %d, wanted %d%s (%s)", kind->name, a->input_count - 1,
                 kind->least, kind->most > kind->least ? " or 2" : "", kind->input);
        return message;
    }
    if (request.level && predictor != !strcmp(kind->name, "budget"))
        return predictor ? "--level=BC and BI are for budget" : "--level of budget: wanted BC or BI";
    if (!strcmp(kind->name, "curve") && (!request.x || !request.y))
        return "curve: wanted --x=COLUMN and --y=COLUMN";
    return a->out && !qn_plot_knows_format(a->out) ? "-o: wanted a name that ends in .svg, .png or .pdf" : NULL;
}

static enum qn_prof_status plot(const struct prof_args *a, struct qn_prof_error *err)
{
    static char usual_output[40];
    char remark[QN_PLOT_REMARK_MAX];

#ifndef HAVE_LIBCSV
    return qn_prof_fail(err, QN_PROF_BAD, "this quern was built without libcsv");
#endif
    snprintf(usual_output, sizeof usual_output, "%s.svg", a->inputs[0]);
    request.kind = a->inputs[0];
    request.input_count = a->input_count - 1;
    for (int i = 0; i < request.input_count; i++)
        request.inputs[i] = a->inputs[i + 1];
    request.output = a->out ? a->out : usual_output;
    if (qn_plot_draw(&request, remark, err) == QN_PROF_OK && *remark)
        qn_tool_complain(PROGRAM ": %s", remark);
    return err->status;
}

static void make_help(void)
{
    size_t used = (size_t)snprintf(help, sizeof help, "%s", usage);

    for (int i = 0; i < qn_plot_kind_count; i++)
        used += (size_t)snprintf(help + used, sizeof help - used, "  %-10s %-19s %s\n", qn_plot_kinds[i].name,
                                 qn_plot_kinds[i].input, qn_plot_kinds[i].shows);
    snprintf(help + used, sizeof help - used, "%s", options_text);
}

int qn_tool_plot(int argc, char **argv)
{
    static const struct prof_command command = { PROGRAM, help, 0, -1, options, 1, check, plot };

    make_help();
    return prof_args_run(&command, argc, argv);
}
