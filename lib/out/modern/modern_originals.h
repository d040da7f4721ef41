/*
 * The sources behind one section of the modern report: the files that --mod-filename has made one.
 *
 * In:  the file "w.c"; --mod-filename=s/words[12]/w/
 * Out: "words1.c" and "words2.c", where each was found, open to be read
 *
 * Invariant: names are in ascending order; without --mod-filename there is one, the file's own.
 */
#ifndef QN_OUT_MODERN_ORIGINALS_H
#define QN_OUT_MODERN_ORIGINALS_H

#include "out/report.h"
#include "out/source.h"
#include "text/source.h"
#include "prof/table/ledger.h"

struct qn_out_originals {
    const char **names; /* the ledger's */
    char **paths;       /* where each was found */
    struct qn_text_source *sources;
    int count;
};

void qn_out_find_originals(struct qn_out_originals *o, const struct qn_prof_ledger *g, uint32_t file);
void qn_out_free_originals(struct qn_out_originals *o);

/* Reads them under their own names, or else below the directories of -I. -1: not all could be read. */
int qn_out_read_originals(struct qn_out_originals *o, const struct qn_out_request *q);
int qn_out_are_identical(const struct qn_out_originals *o);

/* A line with `mark` for each name. */
void qn_out_list_originals(struct qn_out_sink *s, const struct qn_out_originals *o, const char *mark);

#endif
