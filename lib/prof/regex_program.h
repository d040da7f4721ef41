/*
 * The compiled form of a regular expression: instructions for a backtracking machine.
 *
 * In:  a(b|c)*
 * Out: CHAR a / SPLIT 1 7 / MARK 0 / SAVE 2 / SPLIT 1 3 / CHAR b / JUMP 2 / CHAR c / SAVE 3 / ...
 *
 * Invariant: jumps are relative to the instruction that holds them, so code can be moved and copied.
 */
#ifndef QN_PROF_REGEX_PROGRAM_H
#define QN_PROF_REGEX_PROGRAM_H

#include <stdint.h>

enum qn_prof_op {
    OP_CHAR,    /* the byte `arg` (lower case in the i mode) */
    OP_ANY,     /* one character */
    OP_SET,     /* one byte of set x */
    OP_NOT_SET, /* one character that does not begin with a byte of set x */
    OP_SPLIT,   /* go on at x; after failure at y */
    OP_JUMP,    /* go on at x */
    OP_SAVE,    /* register x = position (groups: 2k from, 2k+1 to) */
    OP_CHECK,   /* pass over the OP_JUMP behind it where register x is the position: a repeat that
                 * took nothing is the last */
    OP_BEGIN,   /* start of the text */
    OP_END,     /* end of the text; arg: also before a last newline */
    OP_WORD,    /* arg 1: at a word boundary; 0: not at one */
    OP_BACK,    /* the text of group x once more */
    OP_LOOK,    /* what follows up to OP_MATCH must (arg 1) or must not (0) match; go on at x */
    OP_MATCH,
};

struct qn_prof_instruction {
    uint8_t op, arg;
    int32_t x, y;
};

struct qn_prof_set {
    uint8_t bits[32]; /* one per byte value */
};

/* Programs are bounded: a{1000}{1000} is an error, not a million copies. */
enum { QN_PROF_PROGRAM_MAX = 20000, QN_PROF_REGISTERS_MAX = 128, QN_PROF_DEPTH_MAX = 100 };

struct qn_prof_regex {
    struct qn_prof_instruction *code;
    int length, room;
    struct qn_prof_set *sets;
    int set_count;
    int groups;    /* capturing groups */
    int registers; /* 2 * QN_PROF_GROUPS_MAX for groups, then one per repeat */
    int ignore_case;
};

static inline int qn_prof_in_set(const struct qn_prof_set *set, unsigned char c)
{
    return set->bits[c >> 3] >> (c & 7) & 1;
}

#endif
