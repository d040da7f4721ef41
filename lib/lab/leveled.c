/* lib/lab/leveled.c - calls a level that was handed in, reference by reference.  See module.h.
 *
 *   check   strict init   ref 1000                     answers 1 (a miss)                       ref 1040 ...   events 2
 *   host           0      asks the next level: 1000    asks it: 1040, prefetch   it was a miss                 hash, count ...
 *
 * A D1 gets all references of the trace; its references to the last level are answered here, by a level that keeps every line.  An LL gets
 * the misses of a first level that is simulated here, and that level's victims.
 */
#define _GNU_SOURCE

#include "lab/host.h"
#include "lab/models/models.h"
#include "lab/module.h"

#define EVENTS 2
#define GUESSES_MAX 4096u   /* prefetches of one reference; more are refused */
#define LINES_MAX (1u << 16) /* lines that the traces of a test and their prefetches can reach */

enum { HELLO, INIT, WORDS, EVICTED, TOTALS }; /* what is waited for */

struct asked {
    struct qn_lab_dialogue d;
    struct qn_lab_leveled *l;
    struct qn_lab_level *first, *all; /* above an LL; below a D1 */
    size_t at;                        /* the reference being made */
    unsigned guesses;                 /* of it */
    uint64_t out;                     /* the first level's victim for it, which the LL has not got yet */
    bool far, asked_next;             /* of it: the last level was asked for its line, and missed */
    const char *wrong;
};

static const struct qn_lab_ref *reference(const struct asked *a) { return &a->l->trace->at[a->at]; }
static uint64_t line_of(const struct asked *a) { return reference(a)->addr / QN_LAB_LINE; }

static void say(struct asked *a, struct host_message m) { qn_lab_add_text(&a->d.said, &m, sizeof m); }

static void say_reference(struct asked *a, uint64_t addr, unsigned size, unsigned kind)
{
    say(a, (struct host_message){ .op = HOST_REF, .a = size, .b = kind, .c = (uint32_t)a->at + 1, .pc = addr });
}

static void begin(struct asked *a)
{
    say(a, (struct host_message){ .op = HOST_STRICT });
    say(a, (struct host_message){ .op = HOST_INIT, .a = a->l->sets, .b = a->l->ways, .c = a->l->degree,
                                  .pc = (a->l->line ? a->l->line : QN_LAB_LINE) | (a->l->last ? HOST_LAST_LEVEL : 0) });
    a->d.waits_for = INIT;
}

/* Makes references until one needs an answer. */
static void go_on(struct asked *a)
{
    for (; a->at < a->l->trace->n; a->at++) {
        a->guesses = 0;
        a->far = a->asked_next = false;
        if (a->l->last && qn_lab_use_line(a->first, line_of(a), &a->out)) {
            a->l->missed[a->at] = 0;
            continue;
        }
        say_reference(a, a->l->last ? line_of(a) * QN_LAB_LINE : reference(a)->addr, a->l->last ? QN_LAB_LINE : reference(a)->size, HOST_READ);
        a->d.waits_for = WORDS;
        return;
    }
    say(a, (struct host_message){ .op = HOST_EVENTS, .a = EVENTS });
    a->d.waits_for = TOTALS;
}

static void fail(struct asked *a, const char *wrong)
{
    a->wrong = wrong;
    a->d.waits_for = QN_LAB_OVER;
}

/* The module asks the level below. */
static void answer_next(struct asked *a, const struct host_word *w)
{
    uint64_t line = w->addr / QN_LAB_LINE, out;
    uint8_t missed = a->l->last || !qn_lab_use_line(a->all, line, &out);

    if (a->l->records) {
        QN_MORE(a->l->asked, a->l->n_asked, a->l->room_asked, 1024);
        a->l->asked[a->l->n_asked++] = (struct qn_lab_asked){ a->at, w->addr };
    }
    if (a->l->records || (!a->l->last && w->kind == HOST_PREFETCH)) {
        a->guesses++;
    } else if (line == line_of(a)) {
        a->far = missed;
        a->asked_next = true;
    }
    if (a->guesses > GUESSES_MAX)
        fail(a, a->l->records ? "more than 4,096 reads of the next level" : "more guesses than 4,096");
    else
        qn_lab_add_text(&a->d.said, &missed, 1);
}

static void finish_reference(struct asked *a, unsigned flags)
{
    bool miss = flags & HOST_MISS, far = a->asked_next ? a->far : flags & HOST_NEXT_MISS;
    uint64_t out;

    if (a->l->last) {
        miss = true;
        far = flags & HOST_MISS;
    } else if (miss && !(flags & HOST_NEXT_DONE)) { /* the engine would ask for it then */
        far = !qn_lab_use_line(a->all, line_of(a), &out);
    }
    a->l->missed[a->at] = (unsigned char)(miss | (miss && far) << 1);
    if (a->l->last && a->out != QN_LAB_NO_LINE) {
        say_reference(a, a->out * QN_LAB_LINE, QN_LAB_LINE, HOST_EVICT);
        a->d.waits_for = EVICTED;
        return;
    }
    a->at++;
    go_on(a);
}

static bool take_word(struct asked *a)
{
    struct host_word w;

    if (!qn_lab_take_text(&a->d.heard, &w, sizeof w))
        return false;
    if (!w.done) {
        answer_next(a, &w);
    } else if (a->d.waits_for == EVICTED) {
        a->at++;
        go_on(a);
    } else {
        finish_reference(a, w.kind);
    }
    return true;
}

static bool take_events(struct asked *a)
{
    uint64_t words[EVENTS][2];

    if (!qn_lab_take_text(&a->d.heard, words, sizeof words))
        return false;
    for (unsigned i = 0; i < EVENTS; i++) {
        a->l->prefetches += words[i][0] == host_name("prefetches") ? words[i][1] : 0;
        a->l->useful += words[i][0] == host_name("useful") ? words[i][1] : 0;
    }
    a->d.waits_for = QN_LAB_OVER;
    return true;
}

static bool take(void *asked)
{
    struct asked *a = asked;
    uint64_t variables;
    uint8_t byte;

    switch (a->d.waits_for) {
    case HELLO:
        if (!qn_lab_take_text(&a->d.heard, &variables, sizeof variables))
            return false;
        begin(a);
        return true;
    case INIT:
        if (!qn_lab_take_text(&a->d.heard, &byte, 1))
            return false;
        go_on(a);
        return true;
    case WORDS:
    case EVICTED: return take_word(a);
    case TOTALS: return take_events(a);
    default: return false;
    }
}

bool qn_lab_ask_level(struct qn_lab_check *c, struct qn_lab_leveled *l)
{
    struct asked a = { .d = { .take = take, .waits_for = HELLO }, .l = l };
    bool good;

    if (!l->program)
        return false;
    l->prefetches = l->useful = 0;
    a.first = l->last ? qn_lab_new_level(1, l->d1_lines) : NULL;
    a.all = l->last ? NULL : qn_lab_new_level(LINES_MAX, 4);
    good = qn_lab_hold_dialogue(c, l->program, &a.d, false);
    if (good && (a.d.waits_for != QN_LAB_OVER || a.wrong))
        good = qn_lab_say(c, "reference %zu: %s", a.at + 1, a.wrong ? a.wrong : "the module ended");
    if (a.first)
        qn_lab_free_level(a.first);
    if (a.all)
        qn_lab_free_level(a.all);
    return good;
}
