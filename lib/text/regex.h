/*
 * Regular expressions as users of cg_annotate and cg_diff write them: PCRE2's, which are Perl's, and Python's
 * where the two agree.
 *
 * In:  "words([0-9]+)\.c$", the text "dir/words12.c"
 * Out: match at 4..13, group 1 at 9..11
 *
 * A dot matches no newline, and $ also matches before a final newline, as in both. Names in UTF-8 are searched by
 * characters, and \w, \d, \s and flag i use Unicode, as in Python; if the name or the pattern is not UTF-8, the search
 * is by bytes, as in Perl.
 *
 * Invariants: texts need no NUL; a search ends with an error after QN_TEXT_STEPS steps.
 */
#ifndef QN_TEXT_REGEX_H
#define QN_TEXT_REGEX_H

#include <stddef.h>

#include "text/error.h"

/* The limit: how many items of the pattern are tried on a name of n bytes, in all searches of it together. A name of
 * 100 bytes usually takes some hundreds. */
#define QN_TEXT_STEPS(n) (2000000L + 100L * (long)(n))

struct qn_text_regex;

/* Compiles the pattern of n bytes. NULL with `err` filled where it is malformed. */
struct qn_text_regex *qn_text_compile_regex(const char *pattern, size_t n, int ignore_case,
                                            struct qn_text_error *err);
void qn_text_free_regex(struct qn_text_regex *re);

/* Number of groups in the pattern, not counting the whole match. */
int qn_text_regex_groups(const struct qn_text_regex *re);

/* The matches in one text, from left to right. The caller sets the first three fields, the others to zero. */
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

/* Finds the next match. Returns 1; 0: there is none; -1: a limit, \K or no memory (in `err`). Group g is
 * text[spans[2g]..spans[2g+1]), group 0 the whole match; both are SIZE_MAX if the group took no part. `spans` is valid
 * until the next call with this regex. */
int qn_text_next_match(struct qn_text_search *s, const size_t **spans, struct qn_text_error *err);

#endif
