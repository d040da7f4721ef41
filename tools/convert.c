/* tools/convert.c - `quern convert`: makes a profile of a file that Callgrind has written.
 *
 * In:  quern convert [-o OUT] callgrind.out.N
 * Out: a profile on stdout or in OUT; exit 0, 1 (a bad file, a failed write), 2 (usage)
 */
#include "prof/callgrind.h"
#include "prof_args.h"
#include "tools.h"

#define PROGRAM "quern convert"

static const char help[] =
    "usage: quern convert [-o OUT] FILE\n"
    "\n"
    "Makes a profile of a file that Callgrind has written (callgrind.out.N): what its code has cost by\n"
    "file, function and line, and who called whom at what inclusive cost.\n"
    "\n";

static const struct qn_option options[] = {PROF_ARGS_OUT("OUT", "write to OUT, complete or not at all [standard output]"),
                                           PROF_ARGS_LAST};

static const char *check(const struct prof_args *a)
{
    return a->input_count != 1 ? "name exactly one file" : NULL;
}

static enum qn_text_status convert(const struct prof_args *a, struct qn_text_error *err)
{
    struct qn_prof_callgrind *c = qn_prof_read_callgrind(a->inputs[0], err);
    struct qn_prof_writer *w = c ? prof_args_open(a, err) : NULL;

    if (w && qn_prof_write_callgrind(c, w, err) == QN_TEXT_OK)
        qn_prof_close_writer(w, err);
    else
        qn_prof_abandon_writer(w);
    qn_prof_free_callgrind(c);
    return err->status;
}

int qn_tool_convert(int argc, char **argv)
{
    static const struct prof_command command = {{"convert", PROGRAM, help, NULL, options, NULL, false}, 1, -1, check, convert};
    struct prof_args args = {0};
    (void)argc;
    return prof_args_run(&command, &args, argv);
}
