/*
 * Unpacks files that gzip, xz, zstd and bzip2 have made, by their libraries.
 *
 * In:  a descriptor at its first byte, 1f 8b ...
 * Out: the text in another one; a message if the data are damaged, cut short, or too many
 */
#ifndef QN_TEXT_UNPACK_H
#define QN_TEXT_UNPACK_H

#include "text/error.h"

struct qn_text_packing;

/* By the first bytes. NULL: not packed, or the descriptor cannot be read at a place (a device). */
const struct qn_text_packing *qn_text_find_packing(int fd);

/* 0, or -1 with `err` filled. */
int qn_text_unpack(const struct qn_text_packing *p, const char *path, int from, int to, struct qn_text_error *err);

#endif
