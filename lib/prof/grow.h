/*
 * Arrays that grow by doubling.
 *
 * In:  an array of `room` elements, `count` of them in use
 * Out: one with room for at least one more
 */
#ifndef QN_PROF_GROW_H
#define QN_PROF_GROW_H

#include <stdint.h>
#include <stdlib.h>

#include "base/ready.h"
#include "prof/sizes.h"

/* `list`, or where it was full what it has become; NULL: no memory, and `list` is as it was. */
static inline void *qn_prof_grow(void *list, uint32_t count, uint32_t *room, size_t element)
{
    if (count < *room)
        return list;
    size_t more = *room ? (size_t)*room * 2 : QN_PROF_ROOM;
    void *bigger = more > UINT32_MAX ? NULL : realloc(list, more * element);
    if (bigger && more * element >= QN_READY_STEP)
        qn_ready((char *)bigger + count * element, (more - count) * element);
    if (bigger)
        *room = (uint32_t)more;
    return bigger;
}

#endif
