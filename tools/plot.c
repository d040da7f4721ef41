/* tools/plot.c - `quern plot`: pictures of sweeps, profiles and tables.
 *
 * In:  quern plot size policies.csv -o curve.svg
 * Out: curve.svg, curve.csv, curve.gp; exit 0, 1 (a bad input, a failed write), 2 (usage)
 */
#include <stdio.h>
#include <string.h>

#include "machine.h"
#include "out/columns.h"
#include "plot/plot.h"
#include "text/output.h"
#include "prof_args.h"
#include "text/source.h"
#include "tools.h"

#define PROGRAM "quern plot"
#define BARS_MAX 60
#define SIZE_LEAST 200
#define SIZE_MOST 10000
#define POINTS_LEAST 4
#define POINTS_MOST 72

static char help[6000];

static const char usage[] =
    "usage: quern plot KIND FILE... [-o OUT] [OPTIONS]\n"
    "\n"
    "Draws a picture with gnuplot; leaves its data (CSV) and the script beside it, to be changed.\n"
    "\n";

struct settings {
    struct prof_args args;
    struct qn_plot_request request;
};

/* ---- options ---- */

static const char *take_log(const struct qn_option *o, void *field, char **value)
{
    const char *wanted = qn_option_choice(o, field, value), **log = field;

    if (!wanted && !strcmp(*value, "none"))
        *log = "";
    return wanted;
}

static const char *take_where(const struct qn_option *o, void *field, char **value)
{
    struct qn_plot_request *q = field;

    if (!strchr(*value, '='))
        return o->argument;
    if (q->where_count == QN_PLOT_WHERE_MAX)
        return "fewer of them";
    q->where[q->where_count++] = *value;
    return NULL;
}

static const char *take_most(const struct qn_option *o, void *field, char **value)
{
    uint64_t n;

    if (qn_option_number(o, &n, value) || n < 1 || n > BARS_MAX)
        return "1 to 60";
    *(int *)field = (int)n;
    return NULL;
}

/* What a machine does at most, and its times. */
static const char *take_machine(const struct qn_option *o, void *field, char **value)
{
    static struct qn_exp_machine m; /* its texts stay */
    static struct qn_plot_peak peak;

    (void)o;
    if (!qn_machine_read("plot: --machine", *value, &m))
        return "";
    if (!m.clock || !m.bandwidth || !m.time.width)
        return "a machine whose file has core { width, clock } and memory { latency, bandwidth }";
    peak = (struct qn_plot_peak){ m.title, (double)m.clock * m.time.width, m.bandwidth, m.clock };
    *(const struct qn_plot_peak **)field = &peak;
    return qn_out_choose_timing(m.timing);
}

static const char *take_size(const struct qn_option *o, void *field, char **value)
{
    struct qn_plot_request *q = field;
    int n = 0;

    if (sscanf(*value, "%d,%d%n", &q->width, &q->height, &n) != 2 || (*value)[n] || q->width < SIZE_LEAST || q->width > SIZE_MOST
        || q->height < SIZE_LEAST || q->height > SIZE_MOST)
        return o->argument;
    return NULL;
}

/* A name of letters, digits, blanks and -, so that it is nothing else in the script. */
static const char *take_font(const struct qn_option *o, void *field, char **value)
{
    struct qn_plot_request *q = field;
    size_t name = strspn(*value, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789 -");
    int n = 0;

    if ((*value)[name] != ',' || sscanf(*value + name, ",%d%n", &q->font_points, &n) != 1 || (*value)[name + (size_t)n]
        || q->font_points < POINTS_LEAST || q->font_points > POINTS_MOST)
        return o->argument;
    q->font = *value;
    return NULL;
}

static const char *const levels[] = { "I1", "D1", "LL", "BC", "BI", NULL }, *const axes[] = { "x", "y", "xy", "none", NULL },
                  *const places[] = { "function", "line", NULL };

#define OPTION(names, argument, help, take, field) QN_OPTION(names, argument, help, take, struct settings, request.field)
#define TEXT(name, argument, help, field) OPTION(name, argument, help, qn_option_text, field)
#define WORD(words, name, argument, help, take, field) QN_OPTION_OF(words, name, argument, help, take, struct settings, request.field)
static const struct qn_option options[] = {
    PROF_ARGS_OUT("OUT", "NAME.svg, NAME.png or NAME.pdf [KIND.svg]"),
    WORD(levels, "--level", "LEVEL", "of size, ways, line: I1, D1 or LL [D1]; of heat: D1 or LL [D1]; of budget: BC or BI [BC]", qn_option_choice, level),
    TEXT("--x", "COLUMN", "instead of the usual one", x),
    TEXT("--y", "COLUMN", "the same; of time several: D1m%,LLmr%", y),
    TEXT("--panel", "COLUMN", "a panel for each value [program]; --panel= for one panel", panel),
    TEXT("--curve", "COLUMN,...", "what tells curves apart [whatever differs]", curve),
    QN_OPTION("--where", "COLUMN=VALUE", "only these rows; may be repeated", take_where, struct settings, request),
    WORD(axes, "--log", "x|y|xy|none", "logarithmic axes [as the numbers are]", take_log, log),
    TEXT("--event", "EVENT", "of top and compare: an event, ratio or expression [D1mr+D1mw]; of flame: an event or a sum of some [the first]", event),
    PROF_ARGS_TIMING("of a profile: what cycles, CPI and AMAT are, a rule of thumb [width=1,hit=1,L1=10,L2=30,LL=100,branch=10]"),
    OPTION("--machine", "NAME", "of roofline: the machine whose peaks are the roof (quern machine list); its times are those of --timing", take_machine, peak),
    WORD(places, "--by", "function|line", "of top, compare and threec [function]", qn_option_choice, by),
    OPTION("--most", "N", "bars [15; of compare 10]", take_most, most),
    PROF_ARGS_NAMES,
    QN_OPTION_SOURCE_MAP,
    PROF_ARGS_REGION("of a profile: what was counted in this region only (quern.h)"),
    PROF_ARGS_THREAD,
    QN_OPTION("--size", "WIDTH,HEIGHT", "of the picture, pixels; of pdf hundredths of an inch [1200, and what it needs]", take_size,
              struct settings, request),
    QN_OPTION("--font", "NAME,POINTS", "of the picture [sans,13]", take_font, struct settings, request),
    TEXT("--title", "TEXT", "instead of the usual one", title),
    QN_OPTION("--json", NULL, "no picture: its data as JSON (doc/json.md), on standard output or in OUT", qn_option_set, struct prof_args, json),
    PROF_ARGS_LAST };

/* ---- what is to be drawn ---- */

static bool takes(const struct qn_plot_kind *kind, const char *option, size_t length)
{
    for (const char *at = kind->takes; at; at = strchr(at, ' '), at += at != NULL)
        if (strcspn(at, " ") == length && !strncmp(at, option, length))
            return true;
    return false;
}

/* The first option that was given and that only other kinds take, or NULL. */
static const char *find_foreign(const struct qn_plot_kind *kind)
{
    static char option[40];

    for (int i = 0; i < qn_plot_kind_count; i++)
        for (const char *at = qn_plot_kinds[i].takes; at; at = strchr(at, ' '), at += at != NULL) {
            size_t length = strcspn(at, " ");

            snprintf(option, sizeof option, "%.*s", (int)length, at);
            if (qn_options_met(option) && !takes(kind, at, length))
                return option;
        }
    return NULL;
}

/* A kind and its files; options and a level that fit it. */
static const char *check(const struct prof_args *a)
{
    const struct qn_plot_kind *kind = a->input_count ? qn_plot_find_kind(a->inputs[0]) : NULL;
    const struct qn_plot_request *q = &((const struct settings *)a)->request;
    bool predictor = q->level && q->level[0] == 'B';
    const char *foreign;
    static char message[100];

    if (!kind)
        return snprintf(message, sizeof message, "'%.60s' is no kind of picture", a->inputs[0] ? a->inputs[0] : ""), a->input_count ? message : "name a kind of picture, and a file";
    if (a->input_count - 1 < kind->least || a->input_count - 1 > kind->most) {
        snprintf(message, sizeof message, "files of %s: got %d, wanted %d%s (%s)", kind->name, a->input_count - 1,
                 kind->least, kind->most > 2 ? " to 8" : kind->most > kind->least ? " or 2" : "", kind->input);
        return message;
    }
    if ((foreign = find_foreign(kind))) {
        snprintf(message, sizeof message, "%s: not with %s", foreign, kind->name);
        return message;
    }
    if (q->level && predictor != !strcmp(kind->name, "budget"))
        return predictor ? "--level=BC and BI are for budget" : "--level of budget: wanted BC or BI";
    if (!strcmp(kind->name, "roofline") && !q->peak)
        return "roofline: wanted --machine=NAME";
    if (!strcmp(kind->name, "curve") && (!q->x || !q->y))
        return "curve: wanted --x=COLUMN and --y=COLUMN";
    if (a->json)
        return strcmp(kind->name, "flame") ? NULL : "flame: --json: wanted another kind; this one has no table";
    return a->out && !qn_plot_knows_format(a->out) ? "-o: wanted a name that ends in .svg, .png or .pdf" : NULL;
}

static enum qn_text_status plot(const struct prof_args *a, struct qn_text_error *err)
{
    static char usual_output[40];
    struct qn_plot_request request = ((const struct settings *)a)->request;
    char remark[QN_PLOT_REMARK_MAX];

    snprintf(usual_output, sizeof usual_output, "%s.svg", a->inputs[0]);
    request.kind = a->inputs[0];
    request.data_only = a->json;
    request.mod_file = a->mod_file;
    request.mod_fn = a->mod_fn;
    request.input_count = a->input_count - 1;
    for (int i = 0; i < request.input_count; i++)
        request.inputs[i] = a->inputs[i + 1];
    request.output = a->out ? a->out : usual_output;
    if (!a->out && qn_text_check_output(request.output, err) != QN_TEXT_OK)
        return err->status;
    if (qn_plot_draw(&request, remark, err) == QN_TEXT_OK && *remark)
        qn_text_complain(PROGRAM ": %s", remark);
    return err->status;
}

static void make_help(void)
{
    size_t used = (size_t)snprintf(help, sizeof help, "%s", usage);

    for (int i = 0; i < qn_plot_kind_count; i++)
        used += (size_t)snprintf(help + used, sizeof help - used, "  %-10s %-19s %s\n", qn_plot_kinds[i].name,
                                 qn_plot_kinds[i].input, qn_plot_kinds[i].shows);
    snprintf(help + used, sizeof help - used, "\n");
}

int qn_tool_plot(int argc, char **argv)
{
    static const struct prof_command command = {
        { "plot", PROGRAM, help, NULL, options, NULL, false, NULL }, 0, -1, check, plot };
    struct settings settings = { .args.table = true };

    (void)argc;
    make_help();
    return prof_args_run(&command, &settings.args, argv);
}
