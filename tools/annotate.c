/* tools/annotate.c - `quern annotate`: shows profiles by file, function and source line.
 *
 * In:  quern annotate [options] FILE...
 * Out: the report on stdout; messages on stderr; exit 0, 1 (a bad profile, a failed write), 2 (usage)
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "out/options/options.h"
#include "out/report.h"
#include "prof/region.h"
#include "tools.h"

#define PROGRAM "quern annotate"

/* The usage of the modern cg_annotate, which its wrong-usage errors begin with. */
static const char modern_usage[] =
    "usage: " PROGRAM " [-h] [--version] [--diff] [--mod-filename REGEX]\n"
    "                   [--mod-funcname REGEX] [--show A,B,C] [--sort A,B,C]\n"
    "                   [--threshold N:[0,20]] [--show-percs | --no-show-percs]\n"
    "                   [--show-percs=yes] [--show-percs=no]\n"
    "                   [--annotate | --no-annotate] [--auto=yes] [--auto=no]\n"
    "                   [--context N]\n"
    "                   cachegrind-out-file [cachegrind-out-file ...]\n";

static const char help[] =
    "usage: quern annotate [options] FILE...\n"
    "       quern annotate --diff [options] FILE1 FILE2\n"
    "       quern annotate --style=classic [options] FILE [SOURCE...]\n"
    "\n"
    "Shows profiles by file, function and source line. Several are summed; --diff shows the\n"
    "second minus the first.\n"
    "\n"
    "  --diff                 difference of two profiles\n"
    "  --mod-filename REGEX   s/old/new/ on file names; flags g (all matches), i (any case)\n"
    "  --mod-funcname REGEX   the same on function names\n"
    "  --show A,B,C           columns: events; ratios (D1mr% LLmr% Bcm% Bim% MPKI ...);\n"
    "                         expressions, as in 'cpi=(Ir+10*DLmr)/Ir'   [all events]\n"
    "                         estimated time: cycles, CPI (CPI.issue CPI.I1 CPI.D1 CPI.LL CPI.branch), AMAT\n"
    "  --timing WHAT          how it is estimated, a rule of thumb: width=1,hit=1,L1=10,LL=100,branch=10, or some\n"
    "                         of them; shows cycles, CPI and AMAT behind the events\n"
    "  --sort A,B,C           events to sort by, or estimated cycles and their parts (cycles, cycles.issue,\n"
    "                         .I1, .D1, .LL, .branch); the first is the primary, of which --threshold is a\n"
    "                         part [column order]\n"
    "  --threshold N          leave out functions below N% of the primary event, 0 to 20 [0.1]\n"
    "  --no-show-percs        no percentages (also --show-percs=no)\n"
    "  --no-annotate          no source files (also --auto=no)\n"
    "  --asm                  instructions below each source line, and functions without source; of\n"
    "                         profiles made with `quern run --dump-instr=yes`\n"
    "  --values               behind each instruction what an analysis has found of it (`quern run\n"
    "                         --analysis=values`): PROFILE.findings.csv; with --asm\n"
    "  --context N            source lines around each annotated line [8]\n"
    "  -I D, --include D      also look for sources in directory D\n"
    "  --source-map FROM=TO   sources in folder FROM are in TO now; may be repeated\n"
    "  --region NAME          what was counted in this region only (quern.h); OUTER/INNER: nested so\n"
    "  --files ORDER          annotated files by name, or by cost: the costliest first, those of the system\n"
    "                         (/usr, /lib, paths without a root) last [name]\n"
    "  --by WHAT              one flat table: file, function, line, object or inline; of profiles made with\n"
    "                         `quern run --data=yes`: data (variables, allocations) or type; with `--calls=yes`:\n"
    "                         calls (inclusive costs of functions, callers and callees)\n"
    "  --color WHEN           heat bar: auto (on a terminal, unless NO_COLOR is set), always, never\n"
    "  --style STYLE          modern, or classic: the report of cg_annotate 3.20 and before\n"
    "  --json                 the rows of a table as JSON: with --by=WHAT, --show, --timing, --region, and -o\n"
    "                         of quern csv\n"
    "  -h, --help             this text\n"
    "  --version              the version\n"
    "\n"
    "In the classic style: --show=A,B --sort=A:X,B:Y --threshold=N --show-percs=yes|no\n"
    "--auto=yes|no --context=N -I<d> --include=<d>, and names of sources after the profile.\n";

/* One message. In the modern style a few messages keep the original's shorter wording. */
static void complain(const struct qn_out_request *q, const struct qn_text_error *err)
{
    int n = q->style == QN_OUT_MODERN && err->brief ? (int)err->brief : (int)strlen(err->text);
    fprintf(stderr, PROGRAM ": %s%.*s\n", q->style == QN_OUT_MODERN ? "error: " : "", n, err->text);
}

static int report(struct qn_out_request *q)
{
    struct qn_out_sink sink;
    char warning[QN_TEXT_MAX] = "";
    struct qn_text_error err = {0};
    q->warning = warning;
    qn_prof_choose_region(q->region);
    qn_out_open_sink(&sink, STDOUT_FILENO);
    enum qn_text_status status = q->style == QN_OUT_MODERN ? qn_out_modern(&sink, q, &err) : qn_out_classic(&sink, q, &err);
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

static int wrong_usage(const struct qn_out_request *q, const struct qn_text_error *err, int status)
{
    if (q->style == QN_OUT_MODERN)
        fputs(modern_usage, stderr);
    complain(q, err);
    return status;
}

static int print(const char *text)
{
    fputs(text, stdout);
    return 0;
}

/* --json: writes the rows that `quern csv` makes, by function unless --by says otherwise.  -1: --json is not given. */
static int write_json(int argc, char **argv)
{
    static char csv[] = "csv", metadata[] = "--metadata=no", by[] = "--by=function";
    char **words = calloc((size_t)argc + 4, sizeof *words);
    int n = 0, json = 0, status;
    if (!words)
        return -1;
    words[n++] = csv;
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

int qn_tool_annotate(int argc, char **argv)
{
    int as_json = write_json(argc, argv);
    struct qn_out_request q;
    struct qn_text_error err = {0};
    int status = 1;
    if (as_json >= 0)
        return as_json;
    switch (qn_out_parse_options(argc, argv, &q, &err)) {
    case QN_OUT_GO: status = report(&q); break;
    case QN_OUT_HELP: status = print(help); break;
    case QN_OUT_VERSION: status = print(PROGRAM " " QN_VERSION "\n"); break;
    case QN_OUT_USAGE: status = wrong_usage(&q, &err, QN_EXIT_USAGE); break;
    case QN_OUT_USAGE_BAD: status = wrong_usage(&q, &err, 1); break;
    }
    qn_out_free_request(&q);
    return status;
}
