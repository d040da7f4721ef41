/* tools/annotate.c - `quern annotate`: shows profiles by file, function and source line.
 *
 * In:  quern annotate [OPTIONS] FILE...
 * Out: the report on stdout; messages on stderr; exit 0, 1 (a bad profile, a failed write), 2 (usage)
 */
#define _GNU_SOURCE
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/grow.h"
#include "out/pager.h"
#include "out/report.h"
#include "report/errors.h"
#include "prof_args.h"
#include "text/source.h"
#include "tools.h"

#define PROGRAM "quern annotate"

static const char begin[] =
    "usage: quern annotate [OPTIONS] FILE...\n"
    "       quern annotate --diff [OPTIONS] FILE1 FILE2\n"
    "       quern annotate --style=classic [OPTIONS] FILE [SOURCE...]\n"
    "\n"
    "Shows profiles by file, function and source line. Several are summed; --diff shows the second minus the first.\n"
    "\n";

static const char end[] =
    "\n"
    "The classic style has --show, --threshold, --show-percs, --auto, --context, --include, --source-map, --region,\n"
    "--thread, --by=thread, and --sort=A:X,B:Y, where X and Y are thresholds of these events.\n";

static const char *take_threshold(const struct qn_option *o, void *field, char **value)
{
    struct qn_out_request *q = field;
    char *rest;
    double x = strtod(*value, &rest);
    (void)o;
    if (rest == *value || (*rest && strcmp(rest, "%") != 0) || strpbrk(*value, "xX") || !(x >= 0 && x <= QN_OUT_THRESHOLD_MAX))
        return "0 to 20";
    q->threshold = x + 0.0; /* -0 becomes 0 */
    q->threshold_text = *value;
    return NULL;
}

/* As in cg_annotate, a negative number is 0. */
static const char *take_context(const struct qn_option *o, void *field, char **value)
{
    char *rest;
    long n = strtol(*value, &rest, 10);
    (void)o;
    *(int *)field = n < 0 ? 0 : n > INT_MAX ? INT_MAX : (int)n;
    return rest > *value && !*rest ? NULL : "a number of lines";
}

static const char *take_include(const struct qn_option *o, void *field, char **value)
{
    struct qn_out_request *q = field;
    (void)o;
    q->includes[q->include_count++] = *value;
    return NULL;
}

/* write_json finds it before all other options. */
static const char *take_json(const struct qn_option *o, void *field, char **value)
{
    (void)o, (void)field, (void)value;
    return NULL;
}

static const char *const styles[] = {[QN_OUT_MODERN] = "modern", [QN_OUT_CLASSIC] = "classic", [QN_OUT_TERMINAL] = "terminal", NULL};
static const char *const formats[] = {"report", "errors", NULL};
static const char *const orders[] = {"name", "cost", NULL};
static const char *const tables[] = {[QN_OUT_BY_FILE] = "file", [QN_OUT_BY_FUNCTION] = "function", [QN_OUT_BY_LINE] = "line",
                                     [QN_OUT_BY_OBJECT] = "object", [QN_OUT_BY_INLINE] = "inline", [QN_OUT_BY_DATA] = "data",
                                     [QN_OUT_BY_TYPE] = "type", [QN_OUT_BY_CALLS] = "calls", [QN_OUT_BY_THREAD] = "thread", NULL};
static const char *const colors[] = {[QN_OUT_COLOR_AUTO] = "auto", [QN_OUT_COLOR_ALWAYS] = "always", [QN_OUT_COLOR_NEVER] = "never",
                                     [QN_OUT_COLOR_YES] = "yes", [QN_OUT_COLOR_NO] = "no", NULL};

#define OPTION(names, argument, help, take, field) QN_OPTION(names, argument, help, take, struct qn_out_request, field)
#define OPTION_OF(words, names, argument, help, field) \
    QN_OPTION_OF(words, names, argument, help, qn_option_word, struct qn_out_request, field)
static const struct qn_option options[] = {
    OPTION("--diff", "yes|no", "difference of two profiles [no]", qn_option_yesno, diff),
    OPTION("--mod-filename", "REGEX", "s/old/new/ on file names; flags g (all matches), i (any case)", prof_args_take_subst, mod_file),
    OPTION("--mod-funcname", "REGEX", "the same on function names", prof_args_take_subst, mod_fn),
    OPTION("--show", "A,B,C", "columns: events; ratios (D1mr% LLmr% Bcm% Bim% MPKI ...); expressions, as in 'cpi=(Ir+10*DLmr)/Ir'; estimated "
           "time: cycles, CPI (CPI.issue CPI.I1 CPI.D1 CPI.L2 CPI.LL CPI.branch), AMAT [all events]", qn_option_text, show),
    PROF_ARGS_TIMING("shows estimated time behind the events: cycles, CPI and AMAT, out of these numbers of cycles, or some of them; a rule "
                     "of thumb [width=1,hit=1,L1=10,L2=30,LL=100,branch=10]"),
    OPTION("--sort", "A,B,C", "events to sort by, or estimated cycles and their parts (cycles, cycles.issue, .I1, .D1, .L2, .LL, .branch); the "
           "first is the primary, of which --threshold is a part [column order]", qn_option_text, sort),
    QN_OPTION_PLAIN("--threshold", "N", "leave out functions below N% of the primary event, 0 to 20 [0.1]", take_threshold),
    OPTION("--show-percs", "yes|no", "percentages [yes]", qn_option_yesno, show_percs),
    OPTION("--annotate, --auto", "yes|no", "source files [yes]", qn_option_yesno, annotate),
    OPTION("--asm", "yes|no", "instructions below each source line, and functions without source; of profiles made with `quern run "
           "--dump-instr=yes` [no]", qn_option_yesno, disassemble),
    OPTION("--values", "yes|no", "behind each instruction what an analysis has found of it (`quern run --analysis=values`): "
           "PROFILE.findings.csv; with --asm [no]", qn_option_yesno, values),
    OPTION("--context", "N", "source lines around each annotated line [8]", take_context, context),
    QN_OPTION_PLAIN("-I, --include", "D", "also look for sources in directory D", take_include),
    QN_OPTION_SOURCE_MAP,
    PROF_ARGS_REGION("what was counted in this region only (quern.h); OUTER/INNER: nested so"),
    PROF_ARGS_THREAD,
    OPTION_OF(orders, "--files", "name|cost", "order of annotated files: by cost, the costliest first and those of the system (/usr, /lib, paths "
              "without a root) last [name; cost in the style terminal]", by_cost),
    OPTION_OF(tables, "--by", "WHAT", "one flat table: file, function, line, object or inline; of profiles made with `quern run --data=yes`: "
              "data (variables, allocations; and lines with the objects that they miss on) or type (with members); of profiles made with "
              "`quern run --calls=yes`: calls (functions by inclusive cost, their callers and callees); of `quern run --separate-threads=yes`: thread", by),
    OPTION_OF(colors, "--color", "auto|always|never", "heat: on a terminal, unless NO_COLOR is set [auto]", color),
    OPTION_OF(styles, "--style", "modern|classic|terminal", "classic: the report of cg_annotate 3.20 and before; terminal: in the terminal's width, short "
              "numbers, columns, files and lines that cost most first [terminal on a terminal, else modern]", style),
    OPTION_OF(formats, "--format", "report|errors", "errors: what to look at first, as FILE:LINE:COLUMN: MESSAGE for editors [report]", errors),
    OPTION("--pager", "yes|no", "on a terminal, through $PAGER, else less [yes]", qn_option_yesno, pager),
    QN_OPTION_PLAIN("--json", NULL, "the rows of a table as JSON: with --by=WHAT, --show, --timing, --region and -o of quern csv", take_json),
    QN_OPTION_HELP, QN_OPTION_VERSION, QN_OPTIONS_END};

static const struct qn_option_rule rules[] = {
    {"--timing", true, "--by=data or --by=type", "by which only misses are counted"},
    {"--style=classic", true,
     "--diff or --mod-filename or --mod-funcname or --asm or --values or --by=file or --by=function or --by=line or --by=object or --by=inline or --by=data or --by=type or --by=calls or --color or --files or --timing or --format", NULL},
    {NULL, false, NULL, NULL}};

static const struct qn_options command = {"annotate", PROGRAM, begin, end, options, NULL, false, rules};

/* One message. In the modern style a few messages keep the original's shorter wording. */
static void complain(const struct qn_out_request *q, const struct qn_text_error *err)
{
    int n = q->style != QN_OUT_CLASSIC && err->brief ? (int)err->brief : (int)strlen(err->text);
    fprintf(stderr, PROGRAM ": %s%.*s\n", q->style != QN_OUT_CLASSIC ? "error: " : "", n, err->text);
}

static int report(void *request)
{
    struct qn_out_request *q = request;
    struct qn_out_sink sink;
    char warning[QN_TEXT_MAX] = "";
    struct qn_text_error err = {0};
    q->warning = warning;
    qn_out_open_sink(&sink, STDOUT_FILENO);
    enum qn_text_status status = q->errors ? qn_report_put_errors(&sink, q, &err)
                                 : q->style == QN_OUT_CLASSIC ? qn_out_classic(&sink, q, &err) : qn_out_modern(&sink, q, &err);
    int failed = qn_out_flush(&sink);
    if (warning[0])
        qn_text_complain(PROGRAM ": warning: %s", warning);
    if (status != QN_TEXT_OK) {
        complain(q, &err);
        return 1;
    }
    if (failed)
        qn_text_fail(&err, QN_TEXT_IO, "cannot write the report: %s", strerror(failed));
    if (failed)
        complain(q, &err);
    return failed != 0;
}

/* --json: writes the rows that `quern csv` makes, by function unless --by says otherwise.  -1: --json is not given. */
static int write_json(int argc, char **argv)
{
    static char own[] = PROGRAM " --json", metadata[] = "--metadata=no", by[] = "--by=function";
    char **words = calloc((size_t)argc + 4, sizeof *words);
    int n = 0, json = 0, status;
    if (!words)
        return -1;
    words[n++] = own;
    words[n++] = metadata;
    words[n++] = by;
    for (int i = 1; i < argc; i++) {
        json |= !strcmp(argv[i], "--json");
        words[n++] = argv[i];
    }
    status = json ? qn_tool_csv(n, words) : -1;
    free(words);
    return status;
}

/* What the report shows as its command line. */
static char *join_words(char **argv)
{
    char *text = QN_NEEDED(strdup("quern")), *longer;
    for (; *argv; argv++) {
        if (asprintf(&longer, "%s %s", text, *argv) < 0)
            qn_no_memory();
        free(text);
        text = longer;
    }
    return text;
}

int qn_annotate_parse(struct qn_out_request *q, int argc, char **argv)
{
    char **words;
    int status;
    *q = (struct qn_out_request){.threshold = QN_OUT_THRESHOLD, .show_percs = true, .annotate = true, .context = QN_OUT_CONTEXT,
                                 .by = QN_OUT_BY_NONE, .by_cost = -1, .style = QN_OUT_STYLE_AUTO, .pager = true};
    q->includes = QN_NEEDED(calloc((size_t)argc + 1, sizeof *q->includes));
    q->invocation = join_words(argv);
    status = qn_options_take(&command, q, argv, &words);
    if (status >= 0)
        return status;
    q->inputs = (const char *const *)words;
    while (words[q->input_count])
        q->input_count++;
    if (q->style == QN_OUT_STYLE_AUTO)
        q->style = qn_out_is_terminal(STDOUT_FILENO) ? QN_OUT_TERMINAL : QN_OUT_MODERN;
    q->width = q->style == QN_OUT_TERMINAL ? qn_out_width(STDOUT_FILENO) : 0;
    q->annotate = q->annotate && (q->by == QN_OUT_BY_NONE || q->style == QN_OUT_CLASSIC);
    q->disassemble = q->disassemble && q->annotate;
    if (q->input_count == 0)
        return qn_options_wrong(&command, "", "name at least one profile");
    if (q->errors && q->input_count != 1)
        return qn_options_wrong(&command, "--format=errors", "name exactly one profile");
    if (q->diff && q->input_count != 2)
        return qn_options_wrong(&command, "--diff", "name exactly two profiles");
    return -1;
}

void qn_annotate_free(struct qn_out_request *q)
{
    free(q->includes);
    free(q->invocation);
    qn_text_free_subst(q->mod_file);
    qn_text_free_subst(q->mod_fn);
}

int qn_tool_annotate(int argc, char **argv)
{
    struct qn_out_request q;
    int status = write_json(argc, argv);
    if (status >= 0)
        return status;
    status = qn_annotate_parse(&q, argc, argv);
    if (status < 0 && q.color == QN_OUT_COLOR_AUTO) /* as seen before a pager's pipe */
        q.color = qn_out_use_heat(q.color, STDOUT_FILENO) ? QN_OUT_COLOR_ALWAYS : QN_OUT_COLOR_NEVER;
    status = status < 0 ? qn_out_page(q.pager && !q.errors, report, &q) : status;
    qn_annotate_free(&q);
    return status;
}
