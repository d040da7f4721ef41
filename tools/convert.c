/* tools/convert.c - `quern convert`: makes a profile of a file that Callgrind has written, and files of other tools of a profile.
 *
 * In:  quern convert [-o OUT] callgrind.out.N, quern convert --to=callgrind [-o OUT] PROFILE
 * Out: a profile, or a file for KCachegrind, on stdout or in OUT; exit 0, 1 (a bad file, a failed write), 2 (usage)
 */
#include <string.h>

#include "prof/callgrind/callgrind.h"
#include "prof/kind.h"
#include "prof_args.h"
#include "stacks/stacks.h"
#include "text/source.h"
#include "tools.h"

#define PROGRAM "quern convert"

static const char help[] =
    "usage: quern convert [-o OUT] FILE\n"
    "       quern convert --to=FORMAT [-o OUT] PROFILE\n"
    "\n"
    "Makes a profile of a file that Callgrind has written (callgrind.out.N): what its code has cost by\n"
    "file, function and line, and who called whom at what inclusive cost. Or makes of a profile what\n"
    "other tools read:\n"
    "\n"
    "  callgrind   costs by line, calls: for KCachegrind, QCachegrind, callgrind_annotate\n"
    "  folded      paths of calls, a line each: for flamegraph.pl, inferno\n"
    "  speedscope  paths of calls as JSON: for speedscope.app\n"
    "  pprof       paths of calls, packed: for pprof\n"
    "\n";

enum to { TO_PROFILE, TO_CALLGRIND, TO_FOLDED, TO_SPEEDSCOPE, TO_PPROF };

struct settings {
    struct prof_args args;
    int to; /* enum to */
    const char *event;
};

static const char *const formats[] = {[TO_PROFILE] = "profile", [TO_CALLGRIND] = "callgrind", [TO_FOLDED] = "folded",
                                      [TO_SPEEDSCOPE] = "speedscope", [TO_PPROF] = "pprof", NULL};

static const struct qn_option options[] = {
    QN_OPTION_OF(formats, "--to", "FORMAT", "what is made [profile]", qn_option_word, struct settings, to),
    QN_OPTION("--event", "EVENT", "of folded: what is told of each path [the first event]; of speedscope: only this one [all]", qn_option_text,
              struct settings, event),
    QN_OPTION_SOURCE_MAP,
    PROF_ARGS_OUT("OUT", "write to OUT, complete or not at all [standard output]"), PROF_ARGS_LAST};

static const struct qn_option_rule rules[] = {{"--event", false, "--to=folded or --to=speedscope", NULL}, {NULL, false, NULL, NULL}};

static enum qn_text_status import(const char *path, struct qn_prof_writer *w, struct qn_text_error *err)
{
    struct qn_prof_callgrind *c;
    if (qn_prof_is_converted(path))
        return qn_text_fail(err, QN_TEXT_BAD, "%s: got a profile, wanted a file of Callgrind's: it need not be converted", path);
    c = qn_prof_read_callgrind(path, err);
    if (c)
        qn_prof_write_callgrind(c, w);
    qn_prof_free_callgrind(c);
    return err->status;
}

static enum qn_text_status put(const struct settings *s, struct qn_prof_writer *w, struct qn_text_error *err)
{
    const char *path = s->args.inputs[0];
    switch (s->to) {
    case TO_CALLGRIND: return qn_prof_export_callgrind(path, &(struct qn_prof_callgrind_head){ .creator = "quern " QN_VERSION, .part = 1 }, w, err);
    case TO_FOLDED: return qn_stacks_write_folded(path, s->event, w, err);
    case TO_SPEEDSCOPE: return qn_stacks_write_speedscope(path, s->event, "quern " QN_VERSION, w, err);
    case TO_PPROF: return qn_stacks_write_pprof(path, w, err);
    default: return import(path, w, err);
    }
}

static enum qn_text_status convert(const struct prof_args *a, struct qn_text_error *err)
{
    struct qn_prof_writer *w = prof_args_open(a, err);
    if (!w)
        return err->status;
    put((const struct settings *)a, w, err);
    return qn_prof_close_writer(w, err);
}

int qn_tool_convert(int argc, char **argv)
{
    static const struct prof_command command = {{"convert", PROGRAM, help, NULL, options, NULL, false, rules}, 1, 1, NULL, convert};
    struct settings settings = {.to = TO_PROFILE};
    (void)argc;
    return prof_args_run(&command, &settings.args, argv);
}
