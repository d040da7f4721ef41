/*
 * Appends to the program of a regular expression. See regex_emit.h and regex_program.h.
 *
 * In:  the code of an atom, {2,3}
 * Out: its repeats: the atom's code copied, which relative jumps allow
 */
#include "prof/regex_emit.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

int qn_prof_refuse_regex(struct qn_prof_compiler *p, const char *what)
{
    qn_prof_fail(p->err, QN_PROF_BAD, "%s", what);
    return -1;
}

/* Makes room for n more instructions at `where`. */
static int open_gap(struct qn_prof_compiler *p, int where, int n)
{
    struct qn_prof_regex *re = p->re;
    if (re->length + n > QN_PROF_PROGRAM_MAX)
        return qn_prof_refuse_regex(p, "the pattern is too large");
    if (re->length + n > re->room) {
        int room = (re->length + n) * 2 + 16;
        struct qn_prof_instruction *code = realloc(re->code, (size_t)room * sizeof *code);
        if (!code)
            return qn_prof_fail_memory(p->err), -1;
        re->code = code;
        re->room = room;
    }
    memmove(re->code + where + n, re->code + where,
            (size_t)(re->length - where) * sizeof *re->code);
    re->length += n;
    return 0;
}

int qn_prof_emit_at(struct qn_prof_compiler *p, int where, enum qn_prof_op op, int arg, int x, int y)
{
    if (open_gap(p, where, 1) != 0)
        return -1;
    p->re->code[where] = (struct qn_prof_instruction){(uint8_t)op, (uint8_t)arg, x, y};
    return 0;
}

int qn_prof_emit(struct qn_prof_compiler *p, enum qn_prof_op op, int arg, int x, int y)
{
    return qn_prof_emit_at(p, p->re->length, op, arg, x, y);
}

/* Appends a copy of the instructions [from, from + n). */
static int emit_copy(struct qn_prof_compiler *p, const struct qn_prof_instruction *from, int n)
{
    int at = p->re->length;
    if (open_gap(p, at, n) != 0)
        return -1;
    memcpy(p->re->code + at, from, (size_t)n * sizeof *from);
    return 0;
}

int qn_prof_emit_set(struct qn_prof_compiler *p, const struct qn_prof_set *set, int negated)
{
    struct qn_prof_regex *re = p->re;
    struct qn_prof_set *sets = realloc(re->sets, ((size_t)re->set_count + 1) * sizeof *sets);
    if (!sets)
        return qn_prof_fail_memory(p->err), -1;
    re->sets = sets;
    sets[re->set_count] = *set;
    return qn_prof_emit(p, negated ? OP_NOT_SET : OP_SET, 0, re->set_count++, 0);
}

int qn_prof_emit_char(struct qn_prof_compiler *p, int c)
{
    return qn_prof_emit(p, OP_CHAR, p->re->ignore_case ? tolower(c) : c, 0, 0);
}

static int emit_split(struct qn_prof_compiler *p, int where, int body, int past, int lazy)
{
    return lazy ? qn_prof_emit_at(p, where, OP_SPLIT, 0, past, body)
                : qn_prof_emit_at(p, where, OP_SPLIT, 0, body, past);
}

/* SPLIT body, past / SAVE r / body / CHECK r / JUMP SPLIT */
static int emit_loop(struct qn_prof_compiler *p, const struct qn_prof_instruction *body, int n, int lazy)
{
    int start = p->re->length;
    if (p->re->registers == QN_PROF_REGISTERS_MAX)
        return qn_prof_refuse_regex(p, "too many repeats");
    int reg = p->re->registers++;
    if (emit_split(p, start, 1, n + 4, lazy) != 0 || qn_prof_emit(p, OP_SAVE, 0, reg, 0) != 0 ||
        emit_copy(p, body, n) != 0 || qn_prof_emit(p, OP_CHECK, 0, reg, 0) != 0)
        return -1;
    return qn_prof_emit(p, OP_JUMP, 0, start - p->re->length, 0);
}

/* (body (body (body)?)?)? : each SPLIT leaves past all that follow. */
static int emit_options(struct qn_prof_compiler *p, const struct qn_prof_instruction *body, int n, int times,
                        int lazy)
{
    for (int i = 0; i < times; i++)
        if (emit_split(p, p->re->length, 1, (times - i) * (n + 1), lazy) != 0 ||
            emit_copy(p, body, n) != 0)
            return -1;
    return 0;
}

static int emit_repeats(struct qn_prof_compiler *p, const struct qn_prof_instruction *body, int n, int least,
                        int most, int lazy)
{
    for (int i = 0; i < least; i++)
        if (emit_copy(p, body, n) != 0)
            return -1;
    return most == QN_PROF_FOREVER ? emit_loop(p, body, n, lazy)
                                   : emit_options(p, body, n, most - least, lazy);
}

int qn_prof_emit_repeat(struct qn_prof_compiler *p, int start, int least, int most, int lazy)
{
    int n = p->re->length - start;
    if (least > QN_PROF_COUNT_MAX || most > QN_PROF_COUNT_MAX || (most != QN_PROF_FOREVER && most < least))
        return qn_prof_refuse_regex(p, "a repeat count out of order or above 1000");
    struct qn_prof_instruction *body = malloc(((size_t)n + 1) * sizeof *body);
    if (!body)
        return qn_prof_fail_memory(p->err), -1;
    memcpy(body, p->re->code + start, (size_t)n * sizeof *body);
    p->re->length = start;
    int result = emit_repeats(p, body, n, least, most, lazy);
    free(body);
    return result;
}
