/* lib/lab/labs/lab06.c - the tests of lab 6: the parameters of the black box.
 *
 * report.txt is about the student's own box, which the seed draws.  probe.c, the program that inferred its parameters, is then
 * run with other boxes, which are drawn for this check, so that it cannot know them.
 */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lab/models/models.h"
#include "base/grow.h"
#include "lab/check.h"

#define BOXES 3
#define CONVERSATION_MAX 20000 /* questions that are kept */

/* ---- the report ---- */

/* The word behind `name` in report.txt. */
static bool find_word(struct qn_lab_check *c, const char *name, char word[32])
{
    const char *path = qn_lab_handed_in(c, "report.txt");
    FILE *f = path ? fopen(path, "r") : NULL;
    char line[128], key[32];
    bool found = false;

    while (f && !found && fgets(line, sizeof line, f))
        found = sscanf(line, "%31s %31s", key, word) == 2 && !strcmp(key, name);
    if (f)
        fclose(f);
    return found
           || qn_lab_say(c, path ? "report.txt says nothing of '%s'" : "report.txt was not handed in ('%s')", name);
}

static bool reported_text(struct qn_lab_check *c, const char *name, const char *wanted)
{
    char word[32];

    return find_word(c, name, word) && (!strcmp(word, wanted) || qn_lab_say(c, "%s: '%s' is not right", name, word));
}

static bool reported(struct qn_lab_check *c, const char *name)
{
    struct qn_lab_box_shape s = qn_lab_draw_box(qn_lab_student(c));
    char text[32];

    if (!qn_lab_knows_student(c))
        return qn_lab_say(c, "whose box is it? There is no seed: quern lab check --seed=N");
    if (!strcmp(name, "policy"))
        return reported_text(c, name, s.policy);
    snprintf(text, sizeof text, "%u", !strcmp(name, "size") ? s.size : !strcmp(name, "ways") ? s.ways
                                      : !strcmp(name, "line") ? s.line : s.history);
    return reported_text(c, name, text);
}

static bool report_line(struct qn_lab_check *c) { return reported(c, "line"); }
static bool report_ways(struct qn_lab_check *c) { return reported(c, "ways"); }
static bool report_size(struct qn_lab_check *c) { return reported(c, "size"); }
static bool report_policy(struct qn_lab_check *c) { return reported(c, "policy"); }
static bool report_history(struct qn_lab_check *c) { return reported(c, "history"); }

/* ---- the probe ---- */

/* For --keep: the questions once more, each with its answer. */
static void keep_conversation(struct qn_lab_check *c, const struct qn_lab_box_shape *shape, const char *said)
{
    struct qn_lab_box *box = qn_lab_new_box(shape);
    char *text, *reply;
    size_t size, n;
    FILE *f = QN_NEEDED(open_memstream(&text, &size));

    for (unsigned lines = 0; *said && lines < CONVERSATION_MAX; lines++) {
        size_t line = strcspn(said, "\n") + (strchr(said, '\n') != NULL);

        qn_lab_box_talk(box, said, line, &reply, &n);
        fprintf(f, "%.*s    %.*s\n", (int)strcspn(said, "\n"), said, (int)(n ? n - 1 : 0), reply);
        free(reply);
        said += line;
    }
    fclose(f);
    qn_lab_keep(c, "conversation.txt", text, size);
    free(text);
    qn_lab_free_box(box);
}

/* Explains the box, and how to repeat the conversation. */
static void tell_box(struct qn_lab_check *c, uint64_t seed, const struct qn_lab_box_shape *s, const char *said)
{
    if (qn_lab_keeps(c) && said)
        keep_conversation(c, s, said);
    qn_lab_why(c, "The box had %u bytes, %u ways, lines of %u, %s, history %u. conversation.txt has the questions, each with its answer.\n"
                  "The same box again:\n    quern lab box --seed=%llu . ./probe", s->size, s->ways, s->line, s->policy, s->history,
               (unsigned long long)seed);
}

/* Runs the probe with a box.  *said: its whole output; free it. */
static bool ask(struct qn_lab_check *c, const struct qn_lab_box_shape *shape, struct qn_lab_box_shape *answer, char **said)
{
    char helper[4096];
    const char *const given[] = { helper, NULL };
    const char *argv[] = { NULL, NULL };
    struct qn_lab_box *box = qn_lab_new_box(shape);
    struct qn_lab_job job = { .argv = argv, .talk = qn_lab_box_talk, .talk_data = box };
    bool good;

    snprintf(helper, sizeof helper, "%s/box.c", qn_lab_starter(c));
    argv[0] = qn_lab_program(c, "probe.c", given);
    good = argv[0] && qn_lab_run_program(c, &job);
    if (qn_lab_box_questions(box) >= QN_LAB_BOX_QUESTIONS_MAX) {
        good = qn_lab_say(c, "the probe asked %u questions, which is too many", QN_LAB_BOX_QUESTIONS_MAX);
        qn_lab_mark_stuck(c, &job);
    }
    if (qn_lab_box_nonsense(box))
        good = qn_lab_say(c, "the box did not understand '%s'", qn_lab_box_nonsense(box));
    if (good && !qn_lab_box_answer(box, answer))
        good = qn_lab_say(c, "the probe gave no answer (after %lu questions)", qn_lab_box_questions(box));
    *said = strdup(job.output ? job.output : "");
    qn_lab_free_job(&job);
    qn_lab_free_box(box);
    return good;
}

static bool same_number(struct qn_lab_check *c, const struct qn_lab_box_shape *s, const char *name, unsigned got,
                        unsigned wanted)
{
    return got == wanted
           || qn_lab_say(c, "a box of %u bytes, %u ways, lines of %u, %s, history %u: got %s=%u", s->size, s->ways,
                         s->line, s->policy, s->history, name, got);
}

static bool same(struct qn_lab_check *c, const char *name, const struct qn_lab_box_shape *s,
                 const struct qn_lab_box_shape *a)
{
    if (!strcmp(name, "line"))
        return same_number(c, s, name, a->line, s->line);
    if (!strcmp(name, "ways"))
        return same_number(c, s, name, a->ways, s->ways);
    if (!strcmp(name, "size"))
        return same_number(c, s, name, a->size, s->size);
    if (!strcmp(name, "history"))
        return same_number(c, s, name, a->history, s->history);
    return !strcmp(a->policy, s->policy)
           || qn_lab_say(c, "a box of %u bytes, %u ways, lines of %u, %s, history %u: got policy=%s", s->size,
                         s->ways, s->line, s->policy, s->history, a->policy);
}

/* Boxes are drawn until the policy is `policy`, if it matters. */
static bool probed(struct qn_lab_check *c, const char *name, const char *policy)
{
    struct qn_lab_box_shape shape, answer;
    uint64_t seed;
    char *said;
    bool good;

    do
        shape = qn_lab_draw_box(seed = qn_lab_draw(c));
    while (policy && strcmp(shape.policy, policy));
    good = ask(c, &shape, &answer, &said) && same(c, name, &shape, &answer);
    if (!good)
        tell_box(c, seed, &shape, said);
    free(said);
    return good;
}

static bool probed_often(struct qn_lab_check *c, const char *name)
{
    for (unsigned i = 0; i < BOXES; i++)
        if (!probed(c, name, NULL))
            return false;
    return true;
}

static bool probe_line(struct qn_lab_check *c) { return probed_often(c, "line"); }
static bool probe_ways(struct qn_lab_check *c) { return probed_often(c, "ways"); }
static bool probe_size(struct qn_lab_check *c) { return probed_often(c, "size"); }
static bool probe_history(struct qn_lab_check *c) { return probed_often(c, "history"); }

static bool probe_policy(struct qn_lab_check *c)
{
    return probed(c, "policy", "lru") && probed(c, "policy", "fifo") && probed(c, "policy", "plru")
           && probed(c, "policy", "nru");
}

static const struct qn_lab_test tests[] = {
    { "report: line", 6, report_line },
    { "report: ways", 6, report_ways },
    { "report: size", 6, report_size },
    { "report: policy", 6, report_policy },
    { "report: history", 6, report_history },
    { "probe: line, of boxes that it does not know", 10, probe_line },
    { "probe: ways", 15, probe_ways },
    { "probe: size", 15, probe_size },
    { "probe: policy", 15, probe_policy },
    { "probe: history", 15, probe_history },
};

static const char *const files[] = { "probe.c", "report.txt", NULL };

const struct qn_lab qn_lab_06 = {
    6, "06-blackbox", "The black box", files, tests, QN_ARRAY_LEN(tests), false
};
