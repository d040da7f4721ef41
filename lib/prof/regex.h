/*
 * Regular expressions as users of cg_annotate and cg_diff write them (the common part of Python's and
 * Perl's), matched leftmost, first alternative first. POSIX regcomp takes the longest instead, has no
 * \d and no lazy repeats, and can be made to eat all memory; so this is our own.
 *
 * In:  "words([0-9]+)\.c$", the text "dir/words12.c"
 * Out: match at 4..13, group 1 at 9..11
 *
 * Known: literals, . [set] [^set] with ranges, \d \w \s and their capitals and [:alpha:] in and out
 * of sets, ^ $ \A \Z \z \b \B, ( ) (?: ) (?P<name> ) (?= ) (?! ), |, * + ? {m} {m,} {m,n} and their
 * lazy forms with ?, \1 to \9, \t \n \r \f \v \xHH. Letters in the i mode match either case (ASCII).
 * A dot and a negated set take a whole UTF-8 character. Not known, and said so: look-behind, inline
 * flags, \p, \Q, possessive repeats, non-ASCII characters inside [ ].
 *
 * Invariants: bytes, not NUL-terminated; a newline is matched by . (names hold none); searching that
 * takes more steps than it was given is given up, never a hang.
 */
#ifndef QN_PROF_REGEX_H
#define QN_PROF_REGEX_H

#include <stddef.h>

#include "prof/error.h"

enum { QN_PROF_GROUPS_MAX = 10 }; /* the whole match and \1 to \9 */

/* Steps for a name of n bytes, however often it is searched; 100 bytes take some hundreds. */
#define QN_PROF_STEPS(n) (2000000L + 100L * (long)(n))

struct qn_prof_regex;

struct qn_prof_match {
    size_t from[QN_PROF_GROUPS_MAX], to[QN_PROF_GROUPS_MAX]; /* SIZE_MAX: the group did not match */
};

/* Compiles the pattern of n bytes. NULL with `err` filled where it is malformed or not known. */
struct qn_prof_regex *qn_prof_compile_regex(const char *pattern, size_t n, int ignore_case,
                                            struct qn_prof_error *err);
void qn_prof_free_regex(struct qn_prof_regex *re);

/* Number of groups in the pattern, not counting the whole match. */
int qn_prof_regex_groups(const struct qn_prof_regex *re);

/* Searches text[start..n): 1 found, 0 not, -1 too costly or no memory (in `err`). Takes what it costs from `steps`. */
int qn_prof_search(const struct qn_prof_regex *re, const char *text, size_t n, size_t start, long *steps,
                   struct qn_prof_match *match, struct qn_prof_error *err);

#endif
