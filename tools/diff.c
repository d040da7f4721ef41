/* tools/diff.c - `quern diff`: subtracts one profile from another.
 *
 * In:  quern diff [-o OUT] [--lines] [--style=modern|classic] [--mod-filename=s/a/b/] [--mod-funcname=s/a/b/] A B
 * Out: a profile of B - A by function (or line), on stdout or in OUT; exit 0, 1, 2 as quern merge
 */
#include "prof/diff.h"
#include "prof/merge.h"
#include "prof/tables/tables.h"
#include "prof_args.h"
#include "tools.h"

#define PROGRAM "quern diff"

static const char help[] =
    "usage: quern diff [-o OUT] [OPTIONS] A B\n"
    "\n"
    "Writes the profile B - A, by function.\n"
    "\n";

struct settings {
    struct prof_args args;
    bool by_line;
};

static const struct qn_option options[] = {
    QN_OPTION("--lines", NULL, "by line, except in files that --mod-filename made from sources that are not readable and identical",
              qn_option_set, struct settings, by_line),
    QN_OPTIONS_END};

static enum qn_text_status write_difference(const struct prof_args *a,
                                            const struct qn_prof_ledger *g, struct qn_prof_tables *tables, struct qn_text_error *err)
{
    struct qn_prof_writer *w = prof_args_open(a, err);
    if (!w)
        return err->status;
    if (qn_prof_write_diff(g, (enum qn_prof_style)a->style, w, err) == QN_TEXT_OK)
        qn_prof_put_tables(w, tables);
    return qn_prof_close_writer(w, err);
}

static enum qn_text_status diff(const struct prof_args *a, struct qn_text_error *err)
{
    struct qn_prof_ledger_options options = {
        .keep_lines = ((const struct settings *)a)->by_line ? QN_PROF_LINES_OF_FNS : QN_PROF_NO_LINES, .mod_file = a->mod_file,
        .mod_fn = a->mod_fn};
    struct qn_prof_ledger g;
    struct qn_prof_tables tables = {.mod_file = a->mod_file, .mod_fn = a->mod_fn};
    char warning[QN_TEXT_MAX];
    qn_prof_init_ledger(&g, &options);
    if (qn_prof_read_diff(&g, a->inputs[0], a->inputs[1], warning, sizeof warning, err) == QN_TEXT_OK) {
        if (warning[0])
            qn_text_complain(PROGRAM ": warning: %s and %s differ in %s", a->inputs[0], a->inputs[1], warning);
        if (qn_prof_sum_tables(&tables, QN_PROF_ALL_TABLES, a->inputs[0], 1, err) == QN_TEXT_OK && qn_prof_sum_tables(&tables, QN_PROF_ALL_TABLES, a->inputs[1], 0, err) == QN_TEXT_OK) {
            prof_args_finish_tables(&tables, PROGRAM);
            write_difference(a, &g, &tables, err);
        }
    }
    qn_prof_free_tables(&tables);
    qn_prof_free_ledger(&g);
    return err->status;
}

int qn_tool_diff(int argc, char **argv)
{
    static const struct prof_command command = {
        {"diff", PROGRAM, help, NULL, options, prof_args_with_names, false, NULL}, 2, 2, NULL, diff};
    struct settings settings = {0};
    (void)argc;
    return prof_args_run(&command, &settings.args, argv);
}
