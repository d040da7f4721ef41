/* tools/merge.c - `quern merge`: adds profiles.
 *
 * In:  quern merge [-o OUT] [--style=modern|classic] [--mod-filename=s/a/b/] [--mod-funcname=s/a/b/] FILE...
 * Out: one profile on stdout or in OUT; exit 0, 1 (a bad profile, a failed write), 2 (usage)
 */
#include <string.h>

#include "prof/merge.h"
#include "prof/tables/tables.h"
#include "prof_args.h"
#include "tools.h"

#define PROGRAM "quern merge"

static const char help[] =
    "usage: quern merge [-o OUT] [OPTIONS] FILE...\n"
    "\n"
    "Adds profiles that have the same events; descriptions and command are those of the first.\n"
    "\n";

static enum qn_text_status add_all(struct qn_prof_merge *m, struct qn_prof_tables *tables, const struct prof_args *a, struct qn_text_error *err)
{
    char warning[QN_TEXT_MAX];
    for (int i = 0; i < a->input_count; i++) {
        if (qn_prof_merge_file(m, a->inputs[i], warning, sizeof warning, err) != QN_TEXT_OK)
            return err->status;
        if (warning[0])
            qn_text_complain(PROGRAM ": warning: %s and %s differ in %s", a->inputs[0], a->inputs[i], warning);
        if (qn_prof_sum_tables(tables, QN_PROF_ALL_TABLES, a->inputs[i], 0, err) != QN_TEXT_OK)
            return err->status;
    }
    prof_args_finish_tables(tables, PROGRAM);
    return QN_TEXT_OK;
}

static enum qn_text_status merge(const struct prof_args *a, struct qn_text_error *err)
{
    struct qn_prof_merge *m = qn_prof_new_merge(a->mod_file, a->mod_fn);
    struct qn_prof_writer *w = NULL;
    struct qn_prof_tables tables = {.mod_file = a->mod_file, .mod_fn = a->mod_fn};
    if (add_all(m, &tables, a, err) == QN_TEXT_OK && (w = prof_args_open(a, err)) != NULL) {
        qn_prof_write_merge(m, (enum qn_prof_style)a->style, w);
        qn_prof_put_tables(w, &tables);
        qn_prof_close_writer(w, err);
    }
    qn_prof_free_tables(&tables);
    qn_prof_free_merge(m);
    return err->status;
}

int qn_tool_merge(int argc, char **argv)
{
    static const struct prof_command command = {
        {"merge", PROGRAM, help, NULL, NULL, prof_args_with_names, false, NULL}, 1, -1, NULL, merge};
    struct prof_args args = {0};
    (void)argc;
    return prof_args_run(&command, &args, argv);
}
