/*
 * The lines of a profile before its first counts: desc:, cmd:, events:.
 *
 * In:  lines of a file from its first
 * Out: a filled struct qn_prof_header; the next line is the one after events:
 *
 * Invariant: after a failure qn_prof_free_header frees what there is.
 */
#ifndef QN_PROF_HEADER_H
#define QN_PROF_HEADER_H

#include "text/input.h"
#include "prof/read.h"

enum qn_text_status qn_prof_read_header(struct qn_prof_header *h, struct qn_text_lines *l,
                                        struct qn_text_error *err);
void qn_prof_free_header(struct qn_prof_header *h);

/* Length of `text` to quote in a message, so that a message stays one short line. */
enum { QN_PROF_QUOTE_MAX = 60 };

#endif
