/*
 * A regular expression in its making: shared by regex.c, which reads the pattern, and regex_emit.c, which makes the
 * program.
 *
 * All functions: 0, or -1 with the message in p->err.
 */
#ifndef QN_PROF_REGEX_EMIT_H
#define QN_PROF_REGEX_EMIT_H

#include "prof/error.h"
#include "prof/regex_program.h"

/* Bounds of a repeat. */
enum { QN_PROF_FOREVER = -1, QN_PROF_COUNT_MAX = 1000 };

struct qn_prof_compiler {
    const char *at, *end;
    struct qn_prof_regex *re;
    int depth;
    struct qn_prof_error *err;
};

/* Fills p->err; always -1. */
int qn_prof_refuse_regex(struct qn_prof_compiler *p, const char *what);

/* Puts one instruction at the end, or at `where`, in front of what is there. */
int qn_prof_emit(struct qn_prof_compiler *p, enum qn_prof_op op, int arg, int x, int y);
int qn_prof_emit_at(struct qn_prof_compiler *p, int where, enum qn_prof_op op, int arg, int x, int y);

int qn_prof_emit_char(struct qn_prof_compiler *p, int c);
int qn_prof_emit_set(struct qn_prof_compiler *p, const struct qn_prof_set *set, int negated);

/* Replaces the code from `start` on by `least` to `most` of it, as few as do where `lazy`. */
int qn_prof_emit_repeat(struct qn_prof_compiler *p, int start, int least, int most, int lazy);

#endif
