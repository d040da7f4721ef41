/*
 * The command line of annotate, in both styles.
 *
 * In:  annotate --show=Ir --threshold 1 a.out
 * Out: a struct qn_out_request
 *
 * The modern style takes options as the modern cg_annotate does: --x=v and --x v, unambiguous
 * beginnings of long options, --no-x, --x=yes|no; the classic style as the classic one does: --x=v
 * only. Of quern's own options the classic style takes --style and --region.
 *
 * Invariant: strings of the request point into argv, except the invocation and the substitutions.
 */
#ifndef QN_OUT_OPTIONS_H
#define QN_OUT_OPTIONS_H

#include "out/report.h"

enum qn_out_parsed {
    QN_OUT_GO,        /* the request is complete */
    QN_OUT_HELP,      /* -h, --help */
    QN_OUT_VERSION,   /* --version */
    QN_OUT_USAGE,     /* wrong usage: exit 2 */
    QN_OUT_USAGE_BAD, /* exit 1: not two inputs for --diff (as in the original), a source that is not found, no memory */
};

/* Fills `q`; on QN_OUT_USAGE and QN_OUT_USAGE_BAD `err` has the message. Free in every case. */
enum qn_out_parsed qn_out_parse_options(int argc, char **argv, struct qn_out_request *q,
                                        struct qn_text_error *err);
void qn_out_free_request(struct qn_out_request *q);

/* The classic half, for qn_out_parse_options: arguments after the command's name. */
enum qn_out_parsed qn_out_parse_classic(int argc, char **argv, struct qn_out_request *q,
                                        struct qn_text_error *err);

#endif
