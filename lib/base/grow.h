/* lib/base/grow.h - arrays that grow by doubling.  For hosted code alone: the memory is libc's.
 *
 *   if (!QN_GROW(list->at, list->n, list->room, FIRST_ROOM))   room for at least one more than n
 *       ... no memory, or `room` cannot hold as many; the array is as it was
 *   list->at[list->n++] = ...
 *
 *   QN_MORE(list->at, list->n, list->room, FIRST_ROOM);        the same, and what follows
 *   name = QN_NEEDED(strdup(text));
 *       without memory the process ends, with one line and status 1
 *
 * The second form is the usual one: no caller could do anything better than end, and files that are written get their names when they are
 * complete.  The first is for callers that survive allocation failure: the server, the collector of a run, input whose sizes need not be
 * true.
 */
#ifndef QN_GROW_H
#define QN_GROW_H

#include <stdio.h>
#include <stdlib.h>

#include "base/ready.h"

__attribute__((noreturn, cold)) static inline void qn_no_memory(void)
{
    fputs("quern: no memory\n", stderr);
    exit(1);
}

/* `list`, of which `count` elements are in use, with room for `room`; NULL: no memory. */
static inline void *qn_grown(void *list, size_t count, size_t room, size_t element)
{
    size_t bytes;
    void *bigger = __builtin_mul_overflow(room, element, &bytes) ? NULL : realloc(list, bytes);

    if (bigger && bytes >= QN_READY_STEP)
        qn_ready((char *)bigger + count * element, bytes - count * element);
    return bigger;
}

/* A pointer to what there has to be: without memory the process ends. */
static inline void *qn_needed(void *pointer)
{
    if (!pointer)
        qn_no_memory();
    return pointer;
}
#define QN_NEEDED(pointer) qn_needed(pointer)

/* list, room: what is changed; room of any integer type; first: elements that it begins with. */
#define QN_GROW(list, count, room, first)                                                                     \
    ({                                                                                                        \
        size_t used_ = (size_t)(count), room_ = (size_t)(room), more_ = room_ ? 2 * room_ : (first);          \
        bool fits_ = used_ < room_;                                                                           \
                                                                                                              \
        if (!fits_ && (size_t)(__typeof__(room))more_ == more_) {                                             \
            void *bigger_ = qn_grown(list, used_, more_, sizeof *(list));                                     \
                                                                                                              \
            fits_ = bigger_ != NULL;                                                                          \
            if (fits_) {                                                                                      \
                (list) = bigger_;                                                                             \
                (room) = (__typeof__(room))more_;                                                             \
            }                                                                                                 \
        }                                                                                                     \
        fits_;                                                                                                \
    })

#define QN_MORE(list, count, room, first)                                                                      \
    do {                                                                                                      \
        if (!QN_GROW(list, count, room, first))                                                               \
            qn_no_memory();                                                                                   \
    } while (0)

#endif
