/*
 * Regular expressions as users of cg_annotate and cg_diff write them: PCRE2's, which are Perl's, and Python's
 * where the two agree.
 *
 * In:  "words([0-9]+)\.c$", the text "dir/words12.c"
 * Out: match at 4..13, group 1 at 9..11
 *
 * A dot takes no newline, $ also stands before a last one, as both have it. Names in UTF-8 are searched by
 * characters, and \w, \d, \s and the i mode know Unicode's, as in Python; a name or a pattern that is not UTF-8 is
 * taken byte by byte, as in Perl.
 *
 * Invariants: bytes, not NUL-terminated; searching that takes more steps than QN_PROF_STEPS is given up, never a hang.
 */
#ifndef QN_PROF_REGEX_H
#define QN_PROF_REGEX_H

#include <stddef.h>

#include "prof/error.h"

/* Items of the pattern that are tried on a name of n bytes, however often it is searched; 100 bytes take some hundreds. */
#define QN_PROF_STEPS(n) (2000000L + 100L * (long)(n))

struct qn_prof_regex;

/* Compiles the pattern of n bytes. NULL with `err` filled where it is malformed. */
struct qn_prof_regex *qn_prof_compile_regex(const char *pattern, size_t n, int ignore_case,
                                            struct qn_prof_error *err);
void qn_prof_free_regex(struct qn_prof_regex *re);

/* Number of groups in the pattern, not counting the whole match. */
int qn_prof_regex_groups(const struct qn_prof_regex *re);

/* The matches in one text, from left to right. Set the first three, the rest is zero. */
struct qn_prof_search {
    const struct qn_prof_regex *re;
    const char *text;
    size_t n;
    int begun;
    const void *code;
    size_t from;
    unsigned options;
    long steps;
};

/* The next match: 1 found, 0 none, -1 too costly or no memory (in `err`). Group g is text[spans[2g]..spans[2g+1]), the
 * whole match group 0; SIZE_MAX twice where it did not match. They hold until the next call with this regex. */
int qn_prof_next_match(struct qn_prof_search *s, const size_t **spans, struct qn_prof_error *err);

#endif
