/*
 * What options.c, which finds an option by its name, and options_values.c, which takes its value, share.
 */
#ifndef QN_OUT_OPTIONS_PARSER_H
#define QN_OUT_OPTIONS_PARSER_H

#include "out/options/options.h"

enum qn_out_option {
    OPT_HELP, OPT_VERSION, OPT_DIFF, OPT_MOD_FILENAME, OPT_MOD_FUNCNAME, OPT_SHOW, OPT_SORT, OPT_THRESHOLD,
    OPT_SHOW_PERCS, OPT_ANNOTATE, OPT_AUTO, OPT_CONTEXT, OPT_INCLUDE, OPT_SOURCE_MAP, OPT_STYLE, OPT_BY, OPT_COLOR, OPT_ASM, OPT_VALUES, OPT_REGION,
    OPT_FILES, OPT_TIMING
};

struct qn_out_parser {
    char **at, **end;
    struct qn_out_request *q;
    enum qn_out_parsed result;
    struct qn_text_error *err;
};

/* "argument OPTION: WHAT: 'VALUE'" (VALUE may be NULL); returns -1. */
int qn_out_wrong_usage(struct qn_out_parser *p, const char *option, const char *what, const char *value);

/* Puts the value of an option into the request: 0, or -1 and a message. */
int qn_out_take_value(struct qn_out_parser *p, enum qn_out_option id, const char *value);

#endif
