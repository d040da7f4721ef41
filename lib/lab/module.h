/* lib/lab/module.h - calls a module that was handed in, a policy, a predictor or a level, by messages.
 *
 * The module runs in a process of its own (labs/host, host.h), which gets messages; the cache, the outcomes and the
 * counts are in the grader's process.  So a module cannot change its results.
 */
#ifndef QN_LAB_MODULE_H
#define QN_LAB_MODULE_H

#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "lab/check.h"
#include "lab/trace.h"

/* The program of a module, built once.  no_memory: the module has no memory besides its variables.  NULL: a remark says why. */
const char *qn_lab_module(struct qn_lab_check *c, const char *source, bool no_memory);

/* The bytes of the variables of a module built with no_memory; the starter's file of this name has none. */
bool qn_lab_module_storage(struct qn_lab_check *c, const char *source, uint64_t *bytes);

/* ---- predictors ---- */

struct qn_lab_predictions {
    const char *program;            /* of qn_lab_module; NULL: it could not be built, and this fails */
    const struct qn_lab_branches *branches;
    unsigned bits;                  /* option bits; 0: not given */
    /* 0: all branches are sent with their outcomes at once, for predictors that are compared with a model.  Else an outcome is sent after
     * the prediction, and after every `window` branches the module loses all its state except its variables. */
    unsigned window;
    unsigned char *wrong;           /* out: of each branch, was it mispredicted? */
};

/* false: a remark says why. */
bool qn_lab_predict(struct qn_lab_check *c, const struct qn_lab_predictions *p);

/* ---- policies ---- */

enum qn_lab_settled {
    QN_LAB_TELL_ALL,                /* every hit calls the policy */
    QN_LAB_SKIP_SETTLED,            /* hits on lines that it declares settled do not */
    QN_LAB_PROVE_SETTLED,           /* every hit does; those on settled lines must not change the set's state */
};

#define QN_LAB_STATE_MAX 1024       /* bytes of a set's state */

struct qn_lab_managed {
    const char *program;
    const struct qn_lab_trace *trace; /* a reference names its line */
    unsigned sets, ways;
    uint64_t seed;
    enum qn_lab_settled settled;
    bool blind;                     /* sim_next_use tells nothing */
    unsigned window;                /* after so many references the module loses all its state except its variables; 0: never */
    size_t stop;                    /* ends before this reference and returns the contents of its set; SIZE_MAX: runs to the end */
    /* out */
    unsigned char *missed;          /* of each reference before stop */
    unsigned char *victims;         /* the way of each reference that needed one; NULL: not wanted */
    size_t declared;                /* hits on lines that the policy declared settled */
    size_t reached;                 /* the last reference of which the module was told anything */
    size_t unproved;                /* a hit on a settled line that changed the state; SIZE_MAX: there was none */
    uint64_t *lines;                /* of the set, `ways` of them, those that are there first ... */
    unsigned filled;                /* ... so many */
    uint8_t state[QN_LAB_STATE_MAX]; /* of its ways, then of itself */
    unsigned way_bytes, set_bytes;
};

bool qn_lab_manage(struct qn_lab_check *c, struct qn_lab_managed *m);

/* ---- levels: the grader's process simulates the other level, below a D1 or above an LL ---- */

#define QN_LAB_LINE 64u             /* bytes */

struct qn_lab_leveled {
    const char *program;
    const struct qn_lab_trace *trace; /* each reference within a line */
    bool last;                      /* the module is the LL, below a first level of d1_lines lines, fully associative */
    unsigned sets, ways, degree, d1_lines;
    unsigned line;                  /* bytes of a line of the module; 0: QN_LAB_LINE */
    bool records;                   /* keep in `asked` what the module asks the next level for */
    /* out */
    unsigned char *missed;          /* of each reference; bit 0: the first level, bit 1: the last one, too */
    uint64_t prefetches, useful;    /* events of the module */
    struct qn_lab_asked {
        size_t at;                  /* the reference */
        uint64_t addr;
    } *asked;                       /* free() it */
    size_t n_asked, room_asked;
};

bool qn_lab_ask_level(struct qn_lab_check *c, struct qn_lab_leveled *l);

/* ---- a conversation with a program in the sandbox: each answer is handled by itself, and may lead to new messages ----
 *
 *   struct asked { struct qn_lab_dialogue d; ... } a = { .d = { .take = take } };     take(&a): uses a.d.heard, adds to a.d.said
 *   qn_lab_hold_dialogue(c, program, &a.d, false)
 */

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

enum { QN_LAB_OVER = -1 }; /* of waits_for */

struct qn_lab_dialogue {             /* the first member of the struct that `take` gets */
    bool (*take)(void *asked);       /* handles one answer; false: it is not complete yet */
    struct qn_lab_text heard, said;  /* bytes received and not used yet; bytes to be sent */
    int waits_for;                   /* the kind of answer that `take` expects; QN_LAB_OVER: none */
};

/* Runs the program until it has ended.  false: a remark says what went wrong. */
bool qn_lab_hold_dialogue(struct qn_lab_check *c, const char *program, struct qn_lab_dialogue *d, bool may_split);

#endif
