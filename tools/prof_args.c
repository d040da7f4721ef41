/* tools/prof_args.c - the command line of `quern merge`, `quern diff` and `quern csv`.
 *
 * In:  -o out --mod-filename=s/a/b/ x.out y.out
 * Out: struct prof_args; exit status 0, 1 or 2 (wrong usage, one line on stderr)
 */
#define _GNU_SOURCE
#include "prof_args.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "prof/region.h"
#include "tools.h"

enum next { GO_ON, HELP, VERSION, WRONG };

struct parser {
    const struct prof_command *command;
    struct prof_args *args;
    char **at, **end;
};

static enum next wrong(const struct parser *p, const char *what, const char *got)
{
    struct qn_prof_error err = {0};
    qn_prof_fail(&err, QN_PROF_BAD, "%s%s%s", got, *got ? ": " : "", what); /* makes control bytes visible */
    fprintf(stderr, "%s: %s; `%s --help` describes it\n", p->command->program, err.text, p->command->program);
    return WRONG;
}

/* The value of option `name` at p->at, as --name=VALUE or --name VALUE; NULL: it is not this option. */
static const char *value_of(struct parser *p, const char *name, int *missing)
{
    size_t n = strlen(name);
    const char *a = *p->at;
    if (strncmp(a, name, n) != 0 || (a[n] != '\0' && a[n] != '='))
        return NULL;
    if (a[n] == '=')
        return a + n + 1;
    *missing = p->at + 1 == p->end;
    return *missing ? a : *++p->at;
}

static enum next take_subst(struct parser *p, struct qn_prof_subst **to, const char *text)
{
    struct qn_prof_error err = {0};
    qn_prof_free_subst(*to);
    *to = qn_prof_parse_subst(text, &err);
    return *to ? GO_ON : wrong(p, err.text, text);
}

/* An option of this command only: GO_ON, WRONG, or -1 where it is none. */
static int take_own(struct parser *p)
{
    for (const struct prof_option *o = p->command->options; o && o->name; o++) {
        const char *a = *p->at, *value = NULL, *wanted;
        int missing = 0;
        if (!o->has_value && strcmp(a, o->name) != 0)
            continue;
        if (o->has_value && !(value = value_of(p, o->name, &missing)))
            continue;
        if (missing)
            return (int)wrong(p, "a value is missing", a);
        wanted = o->take(value);
        return (int)(wanted ? wrong(p, wanted, a) : GO_ON);
    }
    return -1;
}

static enum next take_option(struct parser *p)
{
    const char *a = *p->at, *value;
    int missing = 0, own = take_own(p);
    if (own >= 0)
        return (enum next)own;
    if (strcmp(a, "-h") == 0 || strcmp(a, "--help") == 0)
        return HELP;
    if (strcmp(a, "-v") == 0 || strcmp(a, "--version") == 0)
        return VERSION;
    if ((value = value_of(p, "-o", &missing)) && !missing)
        return p->args->out = value, GO_ON;
    if (!value && (value = value_of(p, "--region", &missing)) && !missing)
        return qn_prof_choose_region(value), GO_ON;
    int has_subst = !p->command->keeps_names;
    if (has_subst && !value && (value = value_of(p, "--mod-filename", &missing)) && !missing)
        return take_subst(p, &p->args->mod_file, value);
    if (has_subst && !value && (value = value_of(p, "--mod-funcname", &missing)) && !missing)
        return take_subst(p, &p->args->mod_fn, value);
    return wrong(p, missing ? "a value is missing" : "no such option", a);
}

static enum next parse(struct parser *p)
{
    enum next next = GO_ON;
    int only_inputs = 0;
    for (; p->at < p->end && next == GO_ON; p->at++) {
        const char *a = *p->at;
        if (only_inputs || a[0] != '-' || a[1] == '\0')
            p->args->inputs[p->args->input_count++] = a;
        else if (strcmp(a, "--") == 0)
            only_inputs = 1;
        else
            next = take_option(p);
    }
    if (next != GO_ON)
        return next;
    const struct prof_command *c = p->command;
    if (p->args->input_count < c->least || (c->most >= 0 && p->args->input_count > c->most))
        return wrong(p, c->most < 0 ? "name at least one profile" : "name exactly two profiles", "");
    const char *what = c->check ? c->check(p->args) : NULL;
    return what ? wrong(p, what, "") : GO_ON;
}

struct qn_prof_writer *prof_args_open(const struct prof_args *a, struct qn_prof_error *err)
{
    if (a->out && strcmp(a->out, "-") != 0)
        return qn_prof_open_writer(a->out, err);
    return qn_prof_open_writer_fd(STDOUT_FILENO, "standard output", err);
}

static int run(const struct prof_command *c, const struct prof_args *a)
{
    struct qn_prof_error err = {0};
    if (c->run(a, &err) == QN_PROF_OK)
        return 0;
    fprintf(stderr, "%s: %s\n", c->program, err.text);
    return 1;
}

static int print(const char *text)
{
    fputs(text, stdout);
    return fflush(stdout) != 0;
}

int prof_args_run(const struct prof_command *c, int argc, char **argv)
{
    struct prof_args a = {0};
    struct parser p = {c, &a, argv + 1, argv + argc};
    int status = 1;
    signal(SIGPIPE, SIG_DFL); /* `quern merge ... | head` ends quietly, whoever started it */
    a.inputs = calloc((size_t)argc + 1, sizeof *a.inputs);
    if (a.inputs)
        switch (parse(&p)) {
        case GO_ON: status = run(c, &a); break;
        case HELP: status = print(c->help); break;
        case VERSION: printf("%s ", c->program), status = print(QN_VERSION "\n"); break;
        case WRONG: status = QN_EXIT_USAGE; break;
        }
    free(a.inputs);
    qn_prof_free_subst(a.mod_file);
    qn_prof_free_subst(a.mod_fn);
    return status;
}
