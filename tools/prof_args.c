/* tools/prof_args.c - the command line of the tools that read profiles: merge, diff, csv, json, convert, page and plot.
 *
 * In:  -o out --mod-filename=s/a/b/ x.out y.out
 * Out: struct prof_args; exit status 0, 1 or 2 (wrong usage, one line on stderr)
 */
#define _GNU_SOURCE
#include "prof_args.h"

#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "json/json.h"
#include "machine.h"
#include "out/columns.h"
#include "prof/tables/tables.h"
#include "prof/read.h"
#include "text/digits.h"
#include "text/output.h"
#include "text/source.h"
#include "tools.h"

const char *prof_args_take_subst(const struct qn_option *o, void *field, char **value)
{
    static char wanted[QN_TEXT_MAX + sizeof "s/old/new/: "];
    struct qn_text_error err = {0};
    struct qn_text_subst **to = field;

    (void)o;
    qn_text_free_subst(*to);
    *to = qn_text_parse_subst(*value, &err);
    snprintf(wanted, sizeof wanted, "s/old/new/: %s", err.text);
    return *to ? NULL : wanted;
}

const char *prof_args_take_include(const struct qn_option *o, void *field, char **value)
{
    struct prof_args *a = field;

    (void)o;
    if (a->include_count == PROF_ARGS_INCLUDES_MAX)
        return "fewer of them";
    a->includes[a->include_count++] = *value;
    return NULL;
}

const char *prof_args_take_region(const struct qn_option *o, void *field, char **value)
{
    (void)o, (void)field;
    qn_prof_choose_region(*value);
    return NULL;
}

const char *prof_args_take_thread(const struct qn_option *o, void *field, char **value)
{
    uint64_t number;
    const char *end = qn_text_parse_digits(*value, UINT32_MAX, &number);

    (void)o, (void)field;
    if (!end || *end)
        return "a number of a thread";
    qn_prof_choose_thread((uint32_t)number);
    return NULL;
}

const char *prof_args_take_timing(const struct qn_option *o, void *field, char **value)
{
    const char *timing = strchr(*value, '=') ? *value : qn_machine_timing(*value);

    (void)o, (void)field;
    return timing ? qn_out_choose_timing(timing) : "";
}

#define SHARED                                                                                                     \
    PROF_ARGS_REGION("what was counted in this region only (quern.h); OUTER/INNER: nested so"), PROF_ARGS_THREAD,  \
    QN_OPTION_SOURCE_MAP,                                                                                          \
    QN_OPTION("--json", NULL, "write JSON (doc/json.md)", qn_option_set, struct prof_args, json),                  \
    PROF_ARGS_OUT("OUT", "write to OUT, complete or not at all [standard output]")

static const char *const styles[] = {[QN_PROF_MODERN] = "modern", [QN_PROF_CLASSIC] = "classic", NULL};

const struct qn_option prof_args_options[] = {SHARED, PROF_ARGS_LAST};
const struct qn_option prof_args_with_names[] = {
    SHARED,
    PROF_ARGS_NAMES,
    QN_OPTION_OF(styles, "--style", "STYLE", "modern, or classic: the layout of cg_merge and cg_diff before Valgrind 3.21", qn_option_word,
                 struct prof_args, style),
    PROF_ARGS_LAST};

/* What is wrong with the inputs, or NULL. */
static const char *check(const struct prof_command *c, const struct prof_args *a)
{
    if (a->input_count < c->least || (c->most >= 0 && a->input_count > c->most))
        return c->most < 0 ? "name at least one profile" : c->least == 1 && c->most > 1 ? "name one profile, or two with --diff"
               : c->least == 1 ? "name exactly one file" : "name exactly two profiles";
    return c->check ? c->check(a) : NULL;
}

void prof_args_finish_tables(struct qn_prof_tables *tables, const char *program)
{
    char warning[QN_TEXT_MAX];
    qn_prof_finish_tables(tables, warning, sizeof warning);
    if (warning[0])
        qn_text_complain("%s: warning: %s", program, warning);
}

struct qn_prof_writer *prof_args_open(const struct prof_args *a, struct qn_text_error *err)
{
    if (a->out && strcmp(a->out, "-") != 0)
        return qn_prof_open_writer(a->out, err);
    return qn_prof_open_writer_fd(STDOUT_FILENO, "standard output");
}

static enum qn_text_status put_json(const struct prof_args *a, FILE *f, const char *path, struct qn_text_error *err)
{
    return a->table ? qn_json_write_table(f, path, err) : qn_json_write_file(f, path, a->totals, err);
}

enum qn_text_status prof_args_write_json(const struct prof_args *a, const char *path, const char *out, struct qn_text_error *err)
{
    struct qn_text_output o;

    if (!out || !strcmp(out, "-"))
        return put_json(a, stdout, path, err);
    if (qn_text_open_output(&o, out, QN_TEXT_PRIVATE, err) != QN_TEXT_OK)
        return err->status;
    put_json(a, qn_text_stream_output(&o), path, err);
    return qn_text_close_output(&o, err);
}

/* --json: what the command writes into a file of its own, as JSON. */
static enum qn_text_status run_json(const struct prof_command *c, struct prof_args *a, struct qn_text_error *err)
{
    const char *tmp = getenv("TMPDIR"), *out = a->out;
    char folder[PATH_MAX], path[PATH_MAX + 16];

    snprintf(folder, sizeof folder, "%s/quern-json.XXXXXX", tmp && *tmp ? tmp : "/tmp");
    if (!qn_text_make_scratch(folder))
        return qn_text_fail(err, QN_TEXT_IO, "%s: %s", folder, strerror(errno));
    snprintf(path, sizeof path, "%s/table", folder);
    a->out = path;
    if (c->run(a, err) == QN_TEXT_OK)
        prof_args_write_json(a, path, out, err);
    a->out = out;
    qn_text_remove_scratch(folder);
    return err->status;
}

static int run(const struct prof_command *c, struct prof_args *a)
{
    struct qn_text_error err = {0};
    int to_file = a->out && strcmp(a->out, "-") != 0;
    if ((!to_file || qn_text_check_output(a->out, &err) == QN_TEXT_OK) && (a->json ? run_json(c, a, &err) : c->run(a, &err)) == QN_TEXT_OK)
        return 0;
    fprintf(stderr, "%s: %s\n", c->options.prefix, err.text);
    return 1;
}

int prof_args_run(const struct prof_command *c, struct prof_args *args, char **argv)
{
    char **words;
    const char *what;
    signal(SIGPIPE, SIG_DFL); /* `quern merge ... | head` ends quietly, whoever started it */
    int status = qn_options_take(&c->options, args, argv, &words);
    if (status < 0) {
        args->inputs = (const char *const *)words;
        while (words[args->input_count])
            args->input_count++;
        what = check(c, args);
        status = what ? qn_options_wrong(&c->options, "", what) : run(c, args);
    }
    qn_text_free_subst(args->mod_file);
    qn_text_free_subst(args->mod_fn);
    return status;
}
