/*
 * Search and replace on names: s/old/new/ with the flags g and i, as users of cg_annotate and cg_diff write it.
 *
 * In:  qn_text_parse_subst("s/words([0-9]*)/w$1/"), then the name "dir/words2.c"
 * Out: "dir/w2.c"
 *
 * `old` is a regular expression: PCRE2's, which are Perl's, and Python's where the two agree. A dot matches no newline, and $ also matches
 * before a final newline, as in both. Names in UTF-8 are searched by characters, and \w, \d, \s and flag i use Unicode, as in Python; if the
 * name, `old` or `new` is not UTF-8, the search is by bytes, as in Perl. In `new`, \1, $1, ${1} and \g<1> stand for group 1, $& and
 * \0 for the whole match; \/ is a slash, a backslash before other punctuation is that character, and \t, \n,
 * \x41 and the like are bytes. g: every match, not only the first. i: letters match either case. Other
 * punctuation than \ and _ may stand for the slashes, as in s|a/b|c|; brackets come in pairs, as in s{a}{b}.
 *
 * Invariant: applying fails only for a match that takes too many steps, or too much memory.
 */
#ifndef QN_TEXT_SUBST_H
#define QN_TEXT_SUBST_H

#include <stddef.h>

#include "text/error.h"

struct qn_text_subst;

/* NULL with `err` filled where the expression is malformed. */
struct qn_text_subst *qn_text_parse_subst(const char *expression, struct qn_text_error *err);
void qn_text_free_subst(struct qn_text_subst *s);

/* A growing text for results. Zero-initialise; free(text) when done. */
struct qn_text_buffer {
    char *text; /* NUL-terminated once something was put */
    size_t length, room;
};

/* Replaces in `name` (n bytes); the result is in out->text. -1 with `err` filled on failure. */
int qn_text_apply_subst(const struct qn_text_subst *s, const char *name, size_t n,
                        struct qn_text_buffer *out, struct qn_text_error *err);

/* Appends n bytes. */
void qn_text_append(struct qn_text_buffer *out, const char *bytes, size_t n);

#endif
