/*
 * The backtracking machine that searches with a compiled regular expression. See regex.h.
 *
 * In:  a program, a text, where to start
 * Out: the leftmost match, alternatives in the order written, with its groups
 *
 * Invariants: no recursion except one level per nested look-ahead; every step is counted, and what
 * is kept for backtracking grows by at most one entry a step.
 */
#include "prof/regex.h"

#include <ctype.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "prof/regex_program.h"

#define UNSET SIZE_MAX
/* Entries kept on the machine's own stack before memory is taken. */
enum { NEAR_ENTRIES = 256 };

/* What to do on failure: go on at (pc, position), or where pc < 0 put a register back. */
struct entry {
    int pc;
    size_t position;
};

struct machine {
    const struct qn_prof_regex *re;
    const char *text;
    size_t n;
    size_t registers[QN_PROF_REGISTERS_MAX];
    struct entry *stack;
    size_t used, room;
    long steps;
    struct qn_prof_error *err;
    struct entry near[NEAR_ENTRIES];
};

static int push(struct machine *m, int pc, size_t position)
{
    if (m->used == m->room) {
        size_t room = m->room * 2;
        struct entry *far = m->stack == m->near ? NULL : m->stack;
        struct entry *more = realloc(far, room * sizeof *more);
        if (!more)
            return qn_prof_fail_memory(m->err), -1;
        if (!far)
            memcpy(more, m->near, sizeof m->near);
        m->stack = more;
        m->room = room;
    }
    m->stack[m->used++] = (struct entry){pc, position};
    return 0;
}

static int set_register(struct machine *m, int reg, size_t position)
{
    if (push(m, -1 - reg, m->registers[reg]) != 0)
        return -1;
    m->registers[reg] = position;
    return 0;
}

/* Goes back to the last choice above `floor`; 0 where there is none. */
static int backtrack(struct machine *m, size_t floor, int *pc, size_t *position)
{
    while (m->used > floor) {
        struct entry e = m->stack[--m->used];
        if (e.pc >= 0) {
            *pc = e.pc;
            *position = e.position;
            return 1;
        }
        m->registers[-1 - e.pc] = e.position;
    }
    return 0;
}

static int is_word_at(const struct machine *m, size_t position)
{
    unsigned char c = position < m->n ? (unsigned char)m->text[position] : 0;
    return isalnum(c) || c == '_';
}

static int at_boundary(const struct machine *m, size_t position)
{
    int before = position > 0 && is_word_at(m, position - 1);
    return before != is_word_at(m, position);
}

/* End of the character that begins at `position`: a UTF-8 lead byte takes its continuation bytes. */
static size_t end_of_char(const struct machine *m, size_t position)
{
    unsigned char lead = (unsigned char)m->text[position++];
    if (lead < 0xc0)
        return position;
    size_t most = lead < 0xe0 ? 1 : lead < 0xf0 ? 2 : 3;
    for (; most > 0 && position < m->n && ((unsigned char)m->text[position] & 0xc0) == 0x80; most--)
        position++;
    return position;
}

static int same_char(const struct machine *m, unsigned char a, unsigned char b)
{
    return a == b || (m->re->ignore_case && tolower(a) == tolower(b));
}

/* Length of the text of group `group` where it stands at `position` again, or -1. */
static long match_back(const struct machine *m, int group, size_t position)
{
    size_t from = m->registers[2 * group], to = m->registers[2 * group + 1];
    if (from == UNSET || to == UNSET || to - from > m->n - position)
        return -1;
    for (size_t i = 0; i < to - from; i++)
        if (!same_char(m, (unsigned char)m->text[from + i], (unsigned char)m->text[position + i]))
            return -1;
    return (long)(to - from);
}

/* Instructions that take text: the new position, or UNSET where they fail. */
static size_t consume(const struct machine *m, const struct qn_prof_instruction *in, size_t position)
{
    if (in->op == OP_BACK) {
        long taken = match_back(m, in->x, position);
        return taken < 0 ? UNSET : position + (size_t)taken;
    }
    if (position == m->n)
        return UNSET;
    unsigned char c = (unsigned char)m->text[position];
    switch (in->op) {
    case OP_CHAR: return (m->re->ignore_case ? tolower(c) : c) == in->arg ? position + 1 : UNSET;
    case OP_ANY: return end_of_char(m, position);
    case OP_SET: return qn_prof_in_set(&m->re->sets[in->x], c) ? position + 1 : UNSET;
    default: return qn_prof_in_set(&m->re->sets[in->x], c) ? UNSET : end_of_char(m, position);
    }
}

/* Instructions that look at the position only. */
static int holds(const struct machine *m, const struct qn_prof_instruction *in, size_t position)
{
    switch (in->op) {
    case OP_BEGIN: return position == 0;
    case OP_END:
        return position == m->n || (in->arg && position + 1 == m->n && m->text[position] == '\n');
    default: return at_boundary(m, position) == in->arg; /* OP_WORD */
    }
}

static int run(struct machine *m, int pc, size_t position);

/* A look-ahead: its groups stay where it matched and was wanted. 1 holds, 0 not, -1 failed. */
static int look(struct machine *m, const struct qn_prof_instruction *in, int pc, size_t position)
{
    size_t floor = m->used, before[QN_PROF_REGISTERS_MAX];
    memcpy(before, m->registers, sizeof before);
    int found = run(m, pc + 1, position);
    m->used = floor;
    if (found < 0 || !(found && in->arg)) {
        memcpy(m->registers, before, sizeof before);
        return found < 0 ? -1 : found == in->arg;
    }
    for (int i = 0; i < m->re->registers; i++)
        if (before[i] != m->registers[i] && push(m, -1 - i, before[i]) != 0)
            return -1;
    return 1;
}

static int too_costly(struct machine *m)
{
    qn_prof_fail(m->err, QN_PROF_BAD, "a regular expression needs more than %ld steps on one name",
                 QN_PROF_STEPS(m->n));
    return -1;
}

/* One instruction other than OP_MATCH: 1 go on, 0 this way fails, -1 an error. */
static int step(struct machine *m, int *pc, size_t *position)
{
    const struct qn_prof_instruction *in = &m->re->code[*pc];
    int result = 1;
    switch (in->op) {
    case OP_SPLIT:
        result = push(m, *pc + in->y, *position) == 0 ? 1 : -1;
        *pc += in->x;
        return result;
    case OP_JUMP:
        *pc += in->x;
        return 1;
    case OP_SAVE:
        result = set_register(m, in->x, *position) == 0 ? 1 : -1;
        break;
    case OP_LOOK:
        result = look(m, in, *pc, *position);
        *pc += in->x;
        return result;
    case OP_CHECK:
        *pc += m->registers[in->x] == *position ? 2 : 1;
        return 1;
    case OP_BEGIN:
    case OP_END:
    case OP_WORD:
        result = holds(m, in, *position);
        break;
    default:
        *position = consume(m, in, *position);
        result = *position != UNSET;
    }
    (*pc)++;
    return result;
}

/* Runs from (pc, position) to OP_MATCH: 1 matched, 0 not, -1 an error. */
static int run(struct machine *m, int pc, size_t position)
{
    size_t floor = m->used;
    for (;;) {
        if (m->re->code[pc].op == OP_MATCH)
            return 1;
        if (--m->steps < 0)
            return too_costly(m);
        int result = step(m, &pc, &position);
        if (result < 0)
            return -1;
        if (result == 0 && !backtrack(m, floor, &pc, &position))
            return 0;
    }
}

static int search_from(struct machine *m, size_t start)
{
    for (size_t at = start; at <= m->n; at++) {
        for (int i = 0; i < m->re->registers; i++)
            m->registers[i] = UNSET;
        m->used = 0;
        int found = run(m, 0, at);
        if (found != 0)
            return found;
    }
    return 0;
}

int qn_prof_search(const struct qn_prof_regex *re, const char *text, size_t n, size_t start, long *steps,
                   struct qn_prof_match *match, struct qn_prof_error *err)
{
    struct machine m;
    m.re = re;
    m.text = text;
    m.n = n;
    m.stack = m.near;
    m.used = 0;
    m.room = NEAR_ENTRIES;
    m.steps = *steps;
    m.err = err;
    int found = search_from(&m, start);
    *steps = m.steps;
    for (int i = 0; i < QN_PROF_GROUPS_MAX && found == 1; i++) {
        match->from[i] = m.registers[2 * i];
        match->to[i] = m.registers[2 * i + 1];
    }
    if (m.stack != m.near)
        free(m.stack);
    return found;
}
