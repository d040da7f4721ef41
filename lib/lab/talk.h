/* lib/lab/talk.h - bytes that have come and not been used, and bytes that are to be said, in a conversation (sandbox.h). */
#ifndef QN_LAB_TALK_H
#define QN_LAB_TALK_H

#include <stdlib.h>
#include <string.h>

#include "base/base.h"

struct qn_lab_text {
    char *bytes;
    size_t size, at, room; /* those before `at` have been used */
};

static inline void qn_lab_add_text(struct qn_lab_text *t, const void *bytes, size_t n)
{
    if (t->at == t->size)
        t->at = t->size = 0;
    if (t->size + n > t->room) {
        t->room = 2 * (t->size + n);
        t->bytes = realloc(t->bytes, t->room);
        if (!t->bytes)
            abort();
    }
    if (n)
        memcpy(t->bytes + t->size, bytes, n);
    t->size += n;
}

/* false: so many are not there yet. */
static inline bool qn_lab_take_text(struct qn_lab_text *t, void *to, size_t n)
{
    if (t->size - t->at < n)
        return false;
    memcpy(to, t->bytes + t->at, n);
    t->at += n;
    return true;
}

/* What is to be said becomes the reply of a qn_lab_talk. */
static inline void qn_lab_hand_over(struct qn_lab_text *t, char **reply, size_t *size)
{
    *reply = t->bytes;
    *size = t->size;
    *t = (struct qn_lab_text){ NULL, 0, 0, 0 };
}

static inline void qn_lab_free_text(struct qn_lab_text *t)
{
    free(t->bytes);
    *t = (struct qn_lab_text){ NULL, 0, 0, 0 };
}

#endif
