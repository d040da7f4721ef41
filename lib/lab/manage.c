/* lib/lab/manage.c - simulates a cache whose policy is a module that was handed in.  See module.h.
 *
 *   check   strict  init   fill 0 0   hit 0 0   victim 0    fill 0 2   victim 0 ...
 *   host            0                           2                      1
 *
 * Only this process knows which lines are in the cache; the module gets messages for hits and fills, and is asked for victims.
 */
#define _GNU_SOURCE
#include <stdlib.h>
#include <string.h>

#include "lab/host.h"
#include "base/grow.h"
#include "lab/module.h"

enum { HELLO, INIT, VICTIM, SETTLED, BEFORE, AFTER, LAST, VARIABLES }; /* what is waited for */

struct asked {
    struct qn_lab_dialogue d;
    struct qn_lab_managed *m;
    uint64_t *tags;                 /* set by set; set[way] */
    unsigned *filled;               /* of each set: ways 0 to filled - 1 hold something */
    size_t at;                      /* the reference being made */
    unsigned way;                   /* of it */
    uint64_t variables;             /* bytes */
    size_t window_from;             /* the reference with which the window began */
    uint8_t before[QN_LAB_STATE_MAX];
    const char *wrong;
};

static const struct qn_lab_ref *reference(const struct asked *a) { return &a->m->trace->at[a->at]; }
static unsigned set_of(const struct asked *a) { return (unsigned)(reference(a)->addr & (a->m->sets - 1)); }
static uint64_t *tag(struct asked *a, unsigned way) { return &a->tags[(size_t)set_of(a) * a->m->ways + way]; }

/* The number of the next reference to this line: what opt asks for. */
static uint64_t next_use(const struct asked *a)
{
    for (size_t i = a->at + 1; !a->m->blind && i < a->m->trace->n; i++)
        if (a->m->trace->at[i].addr == reference(a)->addr)
            return i;
    return UINT64_MAX;
}

static void say(struct asked *a, enum host_op op)
{
    struct host_message m = { .op = op, .a = set_of(a), .b = a->way, .c = (uint32_t)a->at + 1, .pc = reference(a)->addr, .next = next_use(a) };

    qn_lab_add_text(&a->d.said, &m, sizeof m);
}

static void begin(struct asked *a)
{
    struct host_message m[2] = { { .op = a->m->window ? HOST_WINDOW : HOST_STRICT },
                                 { .op = HOST_INIT, .a = a->m->sets, .b = a->m->ways, .next = a->m->seed } };
    void *nothing = QN_NEEDED(calloc(1, a->variables + 1));

    qn_lab_add_text(&a->d.said, m, sizeof *m);
    qn_lab_add_text(&a->d.said, nothing, a->m->window ? a->variables : 0);
    qn_lab_add_text(&a->d.said, m + 1, sizeof *m);
    free(nothing);
    a->d.waits_for = INIT;
}

static void fill(struct asked *a)
{
    *tag(a, a->way) = reference(a)->addr;
    say(a, HOST_FILL);
    a->at++;
}

/* Makes the reference; false: it needs an answer first. */
static bool make_reference(struct asked *a)
{
    unsigned filled = a->filled[set_of(a)];

    for (a->way = 0; a->way < filled && *tag(a, a->way) != reference(a)->addr; a->way++)
        ;
    a->m->missed[a->at] = a->way == filled;
    if (a->way < filled && a->m->settled != QN_LAB_TELL_ALL) {
        say(a, HOST_SETTLED);
        a->d.waits_for = SETTLED;
        return false;
    }
    if (a->way < filled) {
        say(a, HOST_HIT);
        a->at++;
        return true;
    }
    if (filled < a->m->ways) {
        a->filled[set_of(a)]++;
        fill(a);
        return true;
    }
    say(a, HOST_VICTIM);
    a->d.waits_for = VICTIM;
    return false;
}

static void go_on(struct asked *a)
{
    size_t end = a->m->stop < a->m->trace->n ? a->m->stop : a->m->trace->n;

    while (a->at < end) {
        if (a->m->window && a->at - a->window_from >= a->m->window) {
            a->window_from = a->at;
            say(a, HOST_END);
            a->d.waits_for = VARIABLES;
            return;
        }
        if (!make_reference(a))
            return;
    }
    a->d.waits_for = QN_LAB_OVER;
    if (a->m->stop < a->m->trace->n) {
        say(a, HOST_DUMP);
        a->d.waits_for = LAST;
    }
}

/* ---- answers ---- */

static bool take_victim(struct asked *a)
{
    uint8_t way;

    if (!qn_lab_take_text(&a->d.heard, &way, 1))
        return false;
    if (way >= a->m->ways) {
        a->wrong = "policy_victim returned a way that is not there";
        a->d.waits_for = QN_LAB_OVER;
        return true;
    }
    a->way = way;
    if (a->m->victims)
        a->m->victims[a->at] = way;
    fill(a);
    go_on(a);
    return true;
}

static bool take_settled(struct asked *a)
{
    uint8_t settled;

    if (!qn_lab_take_text(&a->d.heard, &settled, 1))
        return false;
    a->m->declared += settled != 0;
    if (settled && a->m->settled == QN_LAB_PROVE_SETTLED) {
        say(a, HOST_DUMP);
        say(a, HOST_HIT);
        say(a, HOST_DUMP);
        a->d.waits_for = BEFORE;
        return true;
    }
    if (!settled)
        say(a, HOST_HIT);
    a->at++;
    go_on(a);
    return true;
}

/* The state of a set, into m->state; false: it is not all there yet. */
static bool take_state(struct asked *a)
{
    const uint8_t *sizes = (const uint8_t *)a->d.heard.bytes + a->d.heard.at;
    size_t there = a->d.heard.size - a->d.heard.at, n;

    if (there < 2)
        return false;
    n = (size_t)sizes[0] * a->m->ways + sizes[1];
    if (n > QN_LAB_STATE_MAX) {
        a->wrong = "the policy has too much state for a set";
        a->d.waits_for = QN_LAB_OVER;
        return true;
    }
    if (there < 2 + n)
        return false;
    a->m->way_bytes = sizes[0];
    a->m->set_bytes = sizes[1];
    memset(a->m->state, 0, sizeof a->m->state);
    memcpy(a->m->state, sizes + 2, n);
    a->d.heard.at += 2 + n;
    return true;
}

static bool take_proof(struct asked *a)
{
    if (!take_state(a))
        return false;
    if (a->d.waits_for == BEFORE) {
        memcpy(a->before, a->m->state, sizeof a->before);
        a->d.waits_for = AFTER;
        return true;
    }
    if (a->d.waits_for == AFTER && memcmp(a->before, a->m->state, sizeof a->before) && a->m->unproved == SIZE_MAX)
        a->m->unproved = a->at;
    if (a->d.waits_for == AFTER) {
        a->at++;
        go_on(a);
    }
    return true;
}

static bool take_last(struct asked *a)
{
    if (!take_state(a))
        return false;
    a->m->filled = a->filled[set_of(a)];
    for (unsigned way = 0; way < a->m->filled; way++)
        a->m->lines[way] = *tag(a, way);
    a->d.waits_for = QN_LAB_OVER;
    return true;
}

/* A new process goes on with the variables of the last one. */
static bool take_variables(struct asked *a)
{
    if (a->d.heard.size - a->d.heard.at < a->variables)
        return false;
    say(a, HOST_WINDOW);
    qn_lab_add_text(&a->d.said, a->d.heard.bytes + a->d.heard.at, a->variables);
    a->d.heard.at += a->variables;
    go_on(a);
    return true;
}

static bool take(void *asked)
{
    struct asked *a = asked;
    uint8_t byte;

    switch (a->d.waits_for) {
    case HELLO:
        if (!qn_lab_take_text(&a->d.heard, &a->variables, sizeof a->variables))
            return false;
        a->variables &= 0xffffff; /* the host says so before the module runs */
        begin(a);
        return true;
    case INIT:
        if (!qn_lab_take_text(&a->d.heard, &byte, 1))
            return false;
        a->wrong = byte ? "policy_init refuses these ways" : NULL;
        a->d.waits_for = QN_LAB_OVER;
        if (!byte)
            go_on(a);
        return true;
    case VICTIM: return take_victim(a);
    case SETTLED: return take_settled(a);
    case LAST: return take_last(a);
    case VARIABLES: return take_variables(a);
    case QN_LAB_OVER: return false;
    default: return take_proof(a);
    }
}

bool qn_lab_manage(struct qn_lab_check *c, struct qn_lab_managed *m)
{
    struct asked a = { .d = { .take = take, .waits_for = HELLO }, .m = m };
    bool good;

    if (!m->program)
        return false;
    m->unproved = SIZE_MAX;
    a.tags = QN_NEEDED(calloc((size_t)m->sets * m->ways, sizeof *a.tags));
    a.filled = QN_NEEDED(calloc(m->sets, sizeof *a.filled));
    good = qn_lab_hold_dialogue(c, m->program, &a.d, m->window != 0);
    if (good && (a.d.waits_for != QN_LAB_OVER || a.wrong))
        good = qn_lab_say(c, "reference %zu: %s", a.at + 1, a.wrong ? a.wrong : "the module ended");
    m->reached = a.at < m->trace->n ? a.at : m->trace->n - 1;
    free(a.tags);
    free(a.filled);
    return good;
}
