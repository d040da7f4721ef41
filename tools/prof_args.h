/* tools/prof_args.h - what `quern merge`, `diff` and `csv` share: their command line and their output. */
#ifndef QN_PROF_ARGS_H
#define QN_PROF_ARGS_H

#include "prof/error.h"
#include "prof/subst.h"
#include "prof/write.h"

/* What --help says of these. */
#define PROF_ARGS_HELP \
    "  --region=NAME          what was counted in this region only (quern.h); OUTER/INNER: nested so\n" \
    "  -o OUT                 write to OUT, complete or not at all [standard output]\n"
#define PROF_ARGS_HELP_NAMES \
    "  --mod-filename REGEX   s/old/new/ on file names; flags g (all matches), i (any case)\n" \
    "  --mod-funcname REGEX   the same on function names\n"
#define PROF_ARGS_HELP_LAST \
    "  -h, --help             this text\n" \
    "  -v, --version          the version\n"

struct prof_args {
    const char **inputs;
    int input_count;
    const char *out; /* NULL: standard output */
    struct qn_prof_subst *mod_file, *mod_fn;
};

/* An option of one command: --name or --name=VALUE. */
struct prof_option {
    const char *name; /* with its dashes; the last entry of a list has NULL */
    int has_value;
    /* Takes the value (NULL without one). NULL, or what was wanted instead. */
    const char *(*take)(const char *value);
};

struct prof_command {
    const char *program; /* begins every message */
    const char *help;
    int least, most; /* inputs; most < 0: any number */
    const struct prof_option *options; /* its own; NULL: none */
    int keeps_names; /* has no --mod-filename and --mod-funcname */
    /* What is wrong with options and inputs together, or NULL; may itself be NULL. */
    const char *(*check)(const struct prof_args *);
    enum qn_prof_status (*run)(const struct prof_args *, struct qn_prof_error *);
};

/* Parses argv, runs the command, prints the message; returns the exit status. */
int prof_args_run(const struct prof_command *c, int argc, char **argv);

/* Opens the output that was asked for. */
struct qn_prof_writer *prof_args_open(const struct prof_args *a, struct qn_prof_error *err);

#endif
