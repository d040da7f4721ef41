/* lib/lab/labs/lab06.c - the tests of lab 6: the parameters of the black box.
 *
 * report.txt is about the student's own box, which the seed draws.  probe.c, the program that inferred its parameters, is then
 * run with other boxes, which are drawn for this check, so that it cannot know them.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "lab/models/models.h"
#include "base/grow.h"
#include "lab/internal.h"

#define BOXES_MAX 5
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

/* Is what report.txt says of this right?  *all: false if not; false: it says nothing. */
static bool reported(struct qn_lab_check *c, const char *name, const char *wanted, bool *all)
{
    char word[32];

    if (!find_word(c, name, word))
        return false;
    *all = *all && !strcmp(word, wanted);
    return true;
}

static bool reported_number(struct qn_lab_check *c, const char *name, unsigned wanted, bool *all)
{
    char text[16];

    snprintf(text, sizeof text, "%u", wanted);
    return reported(c, name, text, all);
}

/* ---- reports that were judged before: DIR/.quern-reports, a line for each: the time, and "right" or "wrong" ----
 *
 * The verdict is about all five properties together.  After each wrong report the next one has to wait for twice as long: else the box could be
 * guessed.  The log is for the instructor; marks judges in any case, and counts its lines.
 */

#define FIRST_PAUSE 60 /* seconds */
#define PAUSES_MAX 10  /* doublings */

static char *log_path(const struct qn_lab_check *c) { return qn_lab_format("%s/%s", c->request->directory, QN_LAB_REPORTS); }

/* Seconds until the next report is judged. */
static long pause_left(const struct qn_lab_check *c)
{
    char *path = log_path(c), verdict[8];
    FILE *f = fopen(path, "re");
    unsigned wrong = 0;
    long when, last = 0, next;

    while (f && fscanf(f, "%ld %7s", &when, verdict) == 2) {
        wrong += !strcmp(verdict, "wrong");
        last = when > last ? when : last;
    }
    if (f)
        fclose(f);
    free(path);
    next = wrong ? last + ((long)FIRST_PAUSE << (wrong - 1 < PAUSES_MAX ? wrong - 1 : PAUSES_MAX)) : 0;
    return next > time(NULL) ? next - time(NULL) : 0;
}

static void note_verdict(const struct qn_lab_check *c, bool right)
{
    char *path = log_path(c);
    int fd = open(path, O_WRONLY | O_APPEND | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0666);

    if (fd >= 0) {
        dprintf(fd, "%ld %s\n", (long)time(NULL), right ? "right" : "wrong");
        close(fd);
    }
    free(path);
}

static bool report(struct qn_lab_check *c)
{
    struct qn_lab_box_shape s = qn_lab_draw_box(qn_lab_student(c));
    bool all = true, asks = !getenv(QN_LAB_MARKS);
    long seconds;

    if (!qn_lab_knows_student(c))
        return qn_lab_say(c, "whose box is it? There is no seed: quern lab check --seed=N");
    if (!reported_number(c, "line", s.line, &all) || !reported_number(c, "ways", s.ways, &all) || !reported_number(c, "size", s.size, &all)
        || !reported(c, "policy", s.policy, &all) || !reported_number(c, "history", s.history, &all))
        return false;
    seconds = asks ? pause_left(c) : 0;
    if (seconds)
        return qn_lab_say(c, "not judged: a report was wrong; the next one is judged in %ld s. Let your probe work on other boxes", seconds);
    if (asks)
        note_verdict(c, all);
    return all || qn_lab_say(c, "not all of it is right");
}

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

static unsigned value_of(const struct qn_lab_box_shape *s, const char *name)
{
    return !strcmp(name, "line") ? s->line : !strcmp(name, "ways") ? s->ways : !strcmp(name, "size") ? s->size : s->history;
}

static bool judge(struct qn_lab_check *c, const char *name, uint64_t seed)
{
    struct qn_lab_box_shape shape = qn_lab_draw_box(seed), answer;
    char *said;
    bool good = ask(c, &shape, &answer, &said) && same(c, name, &shape, &answer);

    if (!good)
        tell_box(c, seed, &shape, said);
    free(said);
    return good;
}

/* n boxes that differ in this, so that one answer for all is wrong. */
static bool probed(struct qn_lab_check *c, const char *name, unsigned n)
{
    unsigned values[BOXES_MAX];

    for (unsigned i = 0; i < n; i++) {
        struct qn_lab_box_shape shape;
        uint64_t seed;
        unsigned k;

        do {
            shape = qn_lab_draw_box(seed = qn_lab_draw(c));
            values[i] = value_of(&shape, name);
            for (k = 0; values[k] != values[i]; k++)
                ;
        } while (k < i);
        if (!judge(c, name, seed))
            return false;
    }
    return true;
}

static bool probe_line(struct qn_lab_check *c) { return probed(c, "line", 4); }
static bool probe_ways(struct qn_lab_check *c) { return probed(c, "ways", 3); }
static bool probe_size(struct qn_lab_check *c) { return probed(c, "size", BOXES_MAX); }
static bool probe_history(struct qn_lab_check *c) { return probed(c, "history", BOXES_MAX); }

static bool probe_policy(struct qn_lab_check *c)
{
    static const char *const policies[] = { "lru", "fifo", "plru", "nru" };
    uint64_t seed;

    for (unsigned i = 0; i < QN_ARRAY_LEN(policies); i++) {
        while (strcmp(qn_lab_draw_box(seed = qn_lab_draw(c)).policy, policies[i]))
            ;
        if (!judge(c, "policy", seed))
            return false;
    }
    return true;
}

static const struct qn_lab_test tests[] = {
    { "report: your own box, all of it", 10, report },
    { "probe: line, of boxes that it does not know", 15, probe_line },
    { "probe: ways", 20, probe_ways },
    { "probe: size", 20, probe_size },
    { "probe: policy", 20, probe_policy },
    { "probe: history", 15, probe_history },
};

static const char *const files[] = { "probe.c", "report.txt", NULL };

const struct qn_lab qn_lab_06 = {
    6, "06-blackbox", "The black box", files, tests, QN_ARRAY_LEN(tests), NULL
};
