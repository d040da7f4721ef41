/* lib/lab/module.c - builds modules for labs/host, and calls predictors.  See module.h; for policies see manage.c, for levels leveled.c.
 *
 *   check   window + variables   init   predict pc    update taken, predict next pc   ...   end
 *   host    bytes of variables   0      taken?        taken?                                variables
 */
#define _GNU_SOURCE
#include "lab/module.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lab/host.h"
#include "lab/internal.h"

#define PATH_BYTES 4096

/* ---- conversations ---- */

static bool talk(void *data, const char *said, size_t size, char **reply, size_t *reply_size)
{
    struct qn_lab_dialogue *d = data;

    qn_lab_add_text(&d->heard, said, size);
    while (d->take(d))
        ;
    *reply = d->said.bytes;
    *reply_size = d->said.size;
    d->said = (struct qn_lab_text){ NULL, 0, 0, 0 };
    return d->waits_for != QN_LAB_OVER;
}

bool qn_lab_hold_dialogue(struct qn_lab_check *c, const char *program, struct qn_lab_dialogue *d, bool may_split)
{
    const char *argv[] = { program, NULL };
    struct qn_lab_job job = { .argv = argv, .talk = talk, .talk_data = d, .limits = qn_lab_limits_program };
    bool good;

    job.limits.may_split = may_split;
    good = qn_lab_run_program(c, &job);
    free(d->heard.bytes);
    free(d->said.bytes);
    qn_lab_free_job(&job);
    return good;
}

/* ---- building ---- */

static bool compile(struct qn_lab_check *c, const char *file, const char *module, bool no_memory, const char *object)
{
    char *source = qn_lab_format("%s/%s", qn_lab_host(c), file);
    char *define = qn_lab_format("-DMODULE=\"%s\"", module), *memory = qn_lab_format("-DNO_MEMORY=%d", no_memory);
    const char *const words[] = { "-std=gnu11", "-O1", "-gdwarf-4", "-ffreestanding", "-fno-pic", "-fno-pie", "-fno-stack-protector", "-DQN_SIM_HOSTED",
                                  "-I", qn_lab_library(c), define, memory, "-c", "-o", object, source, NULL };
    bool good = qn_lab_compile(c, words);

    free(source);
    free(define);
    free(memory);
    return good;
}

static bool build(struct qn_lab_check *c, const char *source, bool no_memory, const char *output)
{
    char object[PATH_BYTES], host[PATH_BYTES];
    const char *const link[] = { "-nostdlib", "-static", "-no-pie", "-Wl,-e,host_start", "-Wl,-z,norelro", "-Wl,--build-id=none", "-o",
                                 output, object, host, NULL };

    snprintf(object, sizeof object, "%s.o", output);
    snprintf(host, sizeof host, "%s/build/host-%d.o", c->scratch, no_memory);
    return compile(c, "module.c", qn_lab_handed_in(c, source), no_memory, object) && qn_lab_inspect(c, object, QN_LAB_MODULE)
           && (c->host_built[no_memory] || (c->host_built[no_memory] = compile(c, "host.c", "", no_memory, host)))
           && qn_lab_compile(c, link);
}

/* The source that is being built, because qn_lab_made passes no argument for it. */
static const char *being_built;
static bool build_plain(struct qn_lab_check *c, const char *output) { return build(c, being_built, false, output); }
static bool build_without(struct qn_lab_check *c, const char *output) { return build(c, being_built, true, output); }

const char *qn_lab_module(struct qn_lab_check *c, const char *source, bool no_memory)
{
    char name[64];

    being_built = source;
    snprintf(name, sizeof name, "%.40s%s", source, no_memory ? ", variables only" : "");
    return qn_lab_made(c, source, name, no_memory ? build_without : build_plain);
}

/* What module.c and module.h add is measured with a module that has no variables: that of the starter. */
bool qn_lab_module_storage(struct qn_lab_check *c, const char *source, uint64_t *bytes)
{
    const char *program = qn_lab_module(c, source, true);
    char object[PATH_BYTES], *empty = qn_lab_format("%s/%s", qn_lab_starter(c), source);
    uint64_t own = 0;
    bool good = program != NULL;

    if (good) {
        snprintf(object, sizeof object, "%s.o", program);
        good = qn_lab_storage(c, object, bytes);
        snprintf(object, sizeof object, "%s.empty.o", program);
        good = good && compile(c, "module.c", empty, true, object) && qn_lab_storage(c, object, &own);
    }
    *bytes -= good ? own : 0;
    free(empty);
    return good;
}

/* ---- asking a predictor ---- */

enum { HELLO, INIT, ANSWERS, VARIABLES }; /* what is waited for */

struct asked {
    struct qn_lab_dialogue d;
    const struct qn_lab_predictions *p;
    uint64_t variables;             /* bytes */
    size_t next, answered;          /* branches predicted, and answered */
    bool refused;
};

static void say(struct asked *a, enum host_op op, uint32_t word, uint64_t pc)
{
    struct host_message m = { .op = op, .a = word, .pc = pc };

    qn_lab_add_text(&a->d.said, &m, sizeof m);
}

static void say_init(struct asked *a)
{
    struct host_message m = { .op = HOST_INIT, .a = 1, .b = 1, .c = a->p->bits };

    qn_lab_add_text(&a->d.said, &m, sizeof m);
}

static void begin(struct asked *a)
{
    void *nothing = calloc(1, a->variables + 1);

    say(a, a->p->window ? HOST_WINDOW : HOST_STRICT, 0, 0);
    if (a->p->window)
        qn_lab_add_text(&a->d.said, nothing, a->variables);
    free(nothing);
    say_init(a);
    a->d.waits_for = INIT;
}

static const struct qn_lab_branch *branch(const struct asked *a, size_t i) { return &a->p->branches->at[i]; }

/* Sends all branches with their outcomes, or the first branch of a window. */
static void ask_first(struct asked *a)
{
    a->d.waits_for = ANSWERS;
    for (; !a->p->window && a->next < a->p->branches->n; a->next++)
        qn_lab_add_text(&a->d.said, &(struct host_message){ .op = HOST_BRANCH, .a = branch(a, a->next)->taken, .c = (uint32_t)a->next + 1,
                                                            .pc = branch(a, a->next)->pc }, sizeof(struct host_message));
    if (a->p->window && a->next < a->p->branches->n)
        say(a, HOST_PREDICT, 0, branch(a, a->next)->pc), a->next++;
}

static void take_answer(struct asked *a, uint8_t predicted)
{
    const struct qn_lab_branch *b = branch(a, a->answered);

    a->p->wrong[a->answered++] = (predicted != 0) != b->taken;
    if (a->p->window)
        say(a, HOST_UPDATE, b->taken, b->pc);
    if (a->answered == a->p->branches->n) {
        a->d.waits_for = QN_LAB_OVER;
    } else if (a->p->window && a->answered % a->p->window == 0) {
        say(a, HOST_END, 0, 0);
        a->d.waits_for = VARIABLES;
    } else if (a->p->window) {
        say(a, HOST_PREDICT, 0, branch(a, a->next)->pc), a->next++;
    }
}

/* Takes one answer; false: it is not complete yet. */
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
    case VARIABLES:
        if (a->d.heard.size - a->d.heard.at < a->variables)
            return false;
        say(a, HOST_WINDOW, 0, 0);
        qn_lab_add_text(&a->d.said, a->d.heard.bytes + a->d.heard.at, a->variables);
        a->d.heard.at += a->variables;
        ask_first(a);
        return true;
    case INIT:
        if (!qn_lab_take_text(&a->d.heard, &byte, 1))
            return false;
        ask_first(a);
        a->d.waits_for = a->p->branches->n ? ANSWERS : QN_LAB_OVER;
        return true;
    case ANSWERS:
        if (!qn_lab_take_text(&a->d.heard, &byte, 1))
            return false;
        take_answer(a, byte);
        return true;
    default: return false;
    }
}

bool qn_lab_predict(struct qn_lab_check *c, const struct qn_lab_predictions *p)
{
    struct asked a = { .d = { .take = take, .waits_for = HELLO }, .p = p };
    bool good;

    if (!p->program)
        return false;
    good = qn_lab_hold_dialogue(c, p->program, &a.d, p->window != 0);
    if (good && a.d.waits_for != QN_LAB_OVER)
        good = qn_lab_say(c, "the module ended after %zu of %zu branches", a.answered, p->branches->n);
    return good;
}
