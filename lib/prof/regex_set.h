/*
 * Character sets of regular expressions: \d, [a-z_], [^[:alpha:]].
 *
 * In:  the text after a [ , or the letter of a class escape
 * Out: 256 bits; where the text goes on
 */
#ifndef QN_PROF_REGEX_SET_H
#define QN_PROF_REGEX_SET_H

#include "prof/error.h"
#include "prof/regex_program.h"

/* The class of \d \w \s, or of their capitals, which give the complement in ASCII terms: `negated`
 * says that the set holds what must not match. 0 where `letter` names no class. */
int qn_prof_class_of(char letter, struct qn_prof_set *set, int *negated);

/* The character that an escape stands for outside of classes: \n, \x41, \.; `*at` is on the
 * character after the backslash and is moved past it. -1 where the escape is not known. */
int qn_prof_escaped_char(const char **at, const char *end);

/* Parses a set from after its [ up to and past its ]. NULL with `err` filled on failure. */
const char *qn_prof_parse_set(const char *at, const char *end, int ignore_case,
                              struct qn_prof_set *set, int *negated, struct qn_prof_error *err);

#endif
