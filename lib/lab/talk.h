/* lib/lab/talk.h - a conversation with a student's program in the sandbox: each answer is handled by itself, and may lead to new messages.
 *
 *   struct asked { struct qn_lab_dialogue d; ... } a = { .d = { .take = take } };     take(&a): uses a.d.heard, adds to a.d.said
 *   qn_lab_hold_dialogue(c, program, &a.d, false)
 */
#ifndef QN_LAB_TALK_H
#define QN_LAB_TALK_H

#include <stdlib.h>
#include <string.h>

#include "base/base.h"
#include "base/grow.h"

struct qn_lab_text {
    char *bytes;
    size_t size, at, room; /* bytes before `at` are used */
};

static inline void qn_lab_add_text(struct qn_lab_text *t, const void *bytes, size_t n)
{
    if (t->at == t->size)
        t->at = t->size = 0;
    if (t->size + n > t->room) {
        t->room = 2 * (t->size + n);
        t->bytes = QN_NEEDED(realloc(t->bytes, t->room));
    }
    if (n)
        memcpy(t->bytes + t->size, bytes, n);
    t->size += n;
}

/* Takes n bytes; false: they are not there yet. */
static inline bool qn_lab_take_text(struct qn_lab_text *t, void *to, size_t n)
{
    if (t->size - t->at < n)
        return false;
    memcpy(to, t->bytes + t->at, n);
    t->at += n;
    return true;
}

struct qn_lab_check;

enum { QN_LAB_OVER = -1 }; /* of waits_for */

struct qn_lab_dialogue {             /* the first member of the struct that `take` gets */
    bool (*take)(void *asked);       /* handles one answer; false: it is not complete yet */
    struct qn_lab_text heard, said;  /* bytes received and not used yet; bytes to be sent */
    int waits_for;                   /* the kind of answer that `take` expects; QN_LAB_OVER: none */
};

/* Runs the program until it has ended.  false: a remark says what went wrong. */
bool qn_lab_hold_dialogue(struct qn_lab_check *c, const char *program, struct qn_lab_dialogue *d, bool may_split);

#endif
