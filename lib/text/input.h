/*
 * Opens what a user names: a file, a pipe, "-" for standard input, each also compressed.
 *
 * In:  "x.out.gz"
 * Out: a descriptor from which the text of x.out is read, from its first byte, as often as it is opened
 *
 * Pipes and compressed files are copied to memory when they are opened first; later openings of the same name read that copy. gzip, xz, zstd
 * and bzip2 are recognised by their first bytes, whatever the name. A library that quern was built without is named.
 */
#ifndef QN_TEXT_INPUT_H
#define QN_TEXT_INPUT_H

#include <stdio.h>

#include "text/error.h"

/* -1 with `err` filled on failure. Close it. */
int qn_text_open_input(const char *path, struct qn_text_error *err);

/* The same as a stream. NULL on failure, with `errno` set. */
FILE *qn_text_open_kept(const char *path);

/* From now on `path` is read from this descriptor, which can be read again (a file in memory), and which stays open. */
void qn_text_replace_input(const char *path, int fd);

#endif
