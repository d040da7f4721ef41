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
 * Invariants: bytes, not NUL-terminated; searching that takes more steps than QN_TEXT_STEPS is given up, never a hang.
 */
#ifndef QN_TEXT_REGEX_H
#define QN_TEXT_REGEX_H

#include <stddef.h>

#include "text/error.h"

/* Items of the pattern that are tried on a name of n bytes, however often it is searched; 100 bytes take some hundreds. */
#define QN_TEXT_STEPS(n) (2000000L + 100L * (long)(n))

struct qn_text_regex;

/* Compiles the pattern of n bytes. NULL with `err` filled where it is malformed. */
struct qn_text_regex *qn_text_compile_regex(const char *pattern, size_t n, int ignore_case,
                                            struct qn_text_error *err);
void qn_text_free_regex(struct qn_text_regex *re);

/* Number of groups in the pattern, not counting the whole match. */
int qn_text_regex_groups(const struct qn_text_regex *re);

/* The matches in one text, from left to right. Set the first three, the rest is zero. */
struct qn_text_search {
    const struct qn_text_regex *re;
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
int qn_text_next_match(struct qn_text_search *s, const size_t **spans, struct qn_text_error *err);

#endif
