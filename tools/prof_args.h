/* tools/prof_args.h - what the tools that read profiles share (merge, diff, csv, json, convert, page, plot): command line and output. */
#ifndef QN_PROF_ARGS_H
#define QN_PROF_ARGS_H

#include "text/options.h"
#include "text/error.h"
#include "text/subst.h"
#include "prof/write.h"

#define PROF_ARGS_INCLUDES_MAX 32

struct prof_args {
    const char *const *inputs;
    int input_count;
    const char *out; /* NULL: standard output */
    int style;       /* enum qn_prof_style */
    struct qn_text_subst *mod_file, *mod_fn;
    bool json;
    bool totals;     /* with json: of a profile no rows */
    bool table;      /* with json: the command's output is a table, even if it looks like a profile */
    const char *includes[PROF_ARGS_INCLUDES_MAX + 1];
    int include_count;
};

#define PROF_ARGS_OUT(argument, help) QN_OPTION("-o", argument, help, qn_option_text, struct prof_args, out)
#define PROF_ARGS_INCLUDE QN_OPTION_PLAIN("-I, --include", "DIR", "also look for sources in directory DIR", prof_args_take_include)
const char *prof_args_take_include(const struct qn_option *o, void *field, char **value);
#define PROF_ARGS_REGION(help) QN_OPTION_PLAIN("--region", "NAME", help, prof_args_take_region)
#define PROF_ARGS_THREAD QN_OPTION_PLAIN("--thread", "N", "what this thread counted, of profiles made with --separate-threads=yes; threads are numbered from 0", prof_args_take_thread)
const char *prof_args_take_thread(const struct qn_option *o, void *field, char **value);
#define PROF_ARGS_NAMES                                                                                            \
    QN_OPTION("--mod-filename", "REGEX", "s/old/new/ on file names; flags g (all matches), i (any case)",          \
              prof_args_take_subst, struct prof_args, mod_file),                                                   \
    QN_OPTION("--mod-funcname", "REGEX", "the same on function names", prof_args_take_subst, struct prof_args, mod_fn)
const char *prof_args_take_subst(const struct qn_option *o, void *field, char **value);
#define PROF_ARGS_TIMING(help) QN_OPTION_PLAIN("--timing", "width=N,hit=N,L1=N,L2=N,LL=N,branch=N|MACHINE", help, prof_args_take_timing)
#define PROF_ARGS_LAST                                                                                             \
    QN_OPTION_HELP, QN_OPTION_PLAIN("-v, --version", NULL, "show the version", qn_option_version), QN_OPTIONS_END
const char *prof_args_take_timing(const struct qn_option *o, void *field, char **value);
const char *prof_args_take_region(const struct qn_option *o, void *field, char **value);

/* Shared options; the second list has those that change names, too. A command's settings begin with struct prof_args. */
extern const struct qn_option prof_args_options[], prof_args_with_names[];

struct prof_command {
    struct qn_options options;
    int least, most; /* inputs; most < 0: any number */
    /* What is wrong with options and inputs together, or NULL; may itself be NULL. */
    const char *(*check)(const struct prof_args *);
    enum qn_text_status (*run)(const struct prof_args *, struct qn_text_error *);
};

/* Parses argv into `args`, runs the command, prints the message; returns the exit status. */
int prof_args_run(const struct prof_command *c, struct prof_args *args, char **argv);

/* Writes the file as JSON to `out`; NULL or "-": standard output. */
enum qn_text_status prof_args_write_json(const struct prof_args *a, const char *path, const char *out, struct qn_text_error *err);

/* Finishes the tables of a sum or difference; a warning that they give is printed. */
struct qn_prof_tables;
void prof_args_finish_tables(struct qn_prof_tables *tables, const char *program);

/* Opens the output that was asked for. */
struct qn_prof_writer *prof_args_open(const struct prof_args *a, struct qn_text_error *err);

/* The command line of `quern annotate`, which its fuzzer reads, too. -1: go on; otherwise the exit status. Free in every case. */
struct qn_out_request;
int qn_annotate_parse(struct qn_out_request *q, int argc, char **argv);
void qn_annotate_free(struct qn_out_request *q);

#endif
