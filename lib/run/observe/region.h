/* lib/run/observe/region.h - see region.c. */
#ifndef QN_RUN_REGION_H
#define QN_RUN_REGION_H

#include "base/base.h"

struct qn_thread;

#define QN_REGION_DEPTH 256 /* regions open at a time in one thread */
#define QN_ENTERED_MAX 128  /* different functions of --dump-before, --dump-after and --zero-before at a time */

/* What a thread counts for. */
struct qn_region_state {
    uint16_t region;   /* index into the arena's regions; 0 = none */
    uint16_t depth;    /* regions that this thread has begun and not ended */
    uint32_t lost;     /* begun beyond QN_REGION_DEPTH */
    struct {
        uint8_t outer, name; /* region before; number of the name */
    } open[QN_REGION_DEPTH];
    bool turned;       /* --toggle-collect: counting is what it would not be */
    unsigned entered;  /* functions of --toggle, --dump-before, ... that have not returned, each once: the last one is the innermost */
    struct qn_entered {
        uint64_t sp, pc; /* rsp at its entry; the entry */
        unsigned kinds;  /* 1 << enum qn_point_what */
    } function[QN_ENTERED_MAX];
};

void qn_region_begin(const char *name);
void qn_region_end(const char *name);
void qn_region_inherit(struct qn_region_state *to, const struct qn_region_state *from); /* a new thread */

/* `quern ctl` has asked. */
void qn_region_obey(void);
/* START and STOP of the whole process. */
void qn_region_collect(bool on);
bool qn_region_collects(void);

/* The scope (run/core/core.h) that the running thread's code belongs to now. */
unsigned qn_region_scope(void);

/* --toggle, --dump-before, ...: control is at the entry of a function, rsp at its return address; it may have left the function. */
void qn_toggle_enter(void);
void qn_toggle_leave(void);

#endif
