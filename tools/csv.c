/* tools/csv.c - `quern csv`: profiles as comma-separated values, and back.
 *
 * In:  quern csv [-o OUT] [--by=WHAT] [--show=A,B,C] FILE...
 *      quern csv --to-profile [-o OUT] FILE.csv
 * Out: CSV or a profile, on stdout or in OUT; exit 0, 1 (a bad input, a failed write), 2 (usage)
 */
#include <string.h>

#include "out/csv/csv.h"
#include "prof_args.h"
#include "tools.h"

#define PROGRAM "quern csv"

static const char help[] =
    "usage: quern csv [-o OUT] [OPTIONS] FILE...\n"
    "       quern csv --to-profile [-o OUT] FILE.csv\n"
    "\n"
    "Writes profiles as comma-separated values (RFC 4180): in each row where the profile comes from,\n"
    "the place, all events, and the ratios that can be made of them.\n"
    "\n";

struct settings {
    struct prof_args args;
    const char *show;
    int by; /* enum qn_out_csv_by */
    bool to_profile, metadata, crlf;
};

static const char *const places[] = {[QN_OUT_CSV_PROGRAM] = "program", [QN_OUT_CSV_OBJECT] = "object",
                                     [QN_OUT_CSV_FILE] = "file", [QN_OUT_CSV_FUNCTION] = "function",
                                     [QN_OUT_CSV_LINE] = "line", [QN_OUT_CSV_INSN] = "instruction",
                                     [QN_OUT_CSV_THREAD] = "thread", [QN_OUT_CSV_INCLUSIVE] = "inclusive", [QN_OUT_CSV_CALL] = "call",
                                     [QN_OUT_CSV_DATA] = "data", [QN_OUT_CSV_PAIR] = "pair", [QN_OUT_CSV_USED] = "used", NULL};

static const struct qn_option options[] = {
    QN_OPTION_OF(places, "--by", "WHAT", "a row for each program, object, file, function, line or instruction; of profiles of `quern run --calls=yes` for each function with inclusive costs, or for each call; of `quern run --separate-threads=yes` for each thread; of `quern run --data=yes` for each line and object that it misses on (data), each pair of objects of which one was evicted for the other, each part of an object that --data=use knows [line]", qn_option_word,
                 struct settings, by),
    QN_OPTION("--show", "A,B,C", "events, ratios and expressions instead, as of quern annotate", qn_option_text,
              struct settings, show),
    PROF_ARGS_TIMING("columns cycles, CPI, AMAT: estimated so, a rule of thumb [width=1,hit=1,L1=10,L2=30,LL=100,branch=10]"),
    QN_OPTION("--metadata", "yes|no", "columns that describe the profile [yes]", qn_option_yesno, struct settings, metadata),
    QN_OPTION("--crlf", "yes|no", "lines end with CR LF, as the standard wants it [yes]", qn_option_yesno, struct settings, crlf),
    QN_OPTION("--to-profile", NULL, "the other way: the profile whose rows by line or instruction are in FILE.csv; anything missing is an error",
              qn_option_set, struct settings, to_profile),
    QN_OPTIONS_END};

static const struct qn_option_rule rules[] = {
    {"--timing", true, "--by=data", "by which only misses are counted"},
    {"--timing", true, "--by=pair or --by=used", "whose columns are always the same"},
    {"--show", true, "--by=pair or --by=used", "whose columns are always the same"},
    {"--to-profile", true, "--by or --show or --timing or --metadata or --metadata=no or --crlf or --crlf=no", NULL},
    {NULL, false, NULL, NULL}};

static const char *check(const struct prof_args *a)
{
    return ((const struct settings *)a)->to_profile && a->input_count != 1 ? "--to-profile takes one file" : NULL;
}

static enum qn_text_status csv(const struct prof_args *a, struct qn_text_error *err)
{
    const struct settings *s = (const struct settings *)a;
    struct qn_out_csv_request request = {
        (enum qn_out_csv_by)s->by, s->show, !s->metadata, !s->crlf, a->inputs, a->input_count};
    struct qn_prof_writer *w = prof_args_open(a, err);
    if (!w)
        return err->status;
    if (s->to_profile)
        qn_out_read_csv(a->inputs[0], w, err);
    else
        qn_out_write_csv(&request, w, err);
    return qn_prof_close_writer(w, err);
}

int qn_tool_csv(int argc, char **argv)
{
    /* `quern annotate --json` calls itself so. */
    const struct prof_command command = {
        {"csv", strcmp(argv[0], "csv") ? argv[0] : PROGRAM, help, NULL, options, prof_args_options, false, rules}, 1, -1, check, csv};
    struct settings settings = {.by = QN_OUT_CSV_LINE, .metadata = true, .crlf = true};
    (void)argc;
    return prof_args_run(&command, &settings.args, argv);
}
