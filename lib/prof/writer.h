/*
 * The state of a profile writer; only writer.c (the output) and write.c (the text) include this.
 *
 * In:  bytes
 * Out: a complete file under its final name, or none
 */
#ifndef QN_PROF_WRITER_H
#define QN_PROF_WRITER_H

#include "text/output.h"
#include "prof/sizes.h"
#include "prof/write.h"

struct qn_prof_writer {
    int owned; /* the output is ours to close; else it is a descriptor alone */
    struct qn_text_output output;
    char *path; /* for messages */
    int events;
    int remarks, in_line; /* every line is a comment; one has been begun */
    enum qn_prof_form form;
    char *file; /* of the merged form: repeated before each function */
    struct qn_text_error error;
    size_t used;
    char buffer[QN_PROF_WRITE_BYTES];
};

#endif
