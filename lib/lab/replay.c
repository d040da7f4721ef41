/* lib/lab/replay.c - see replay.h.
 *
 *   D1        a data reference that missed       (--outcomes of a hosted simulator)
 *   B0        a branch that was predicted
 */
#define _GNU_SOURCE
#include "lab/replay.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ARGUMENTS 16
#define OUTCOMES "outcomes"

/* The outcomes of one kind; false: they are not as many as there were references. */
static bool parse(struct qn_lab_replay *r, const char *text)
{
    size_t n = 0;

    r->outcomes = calloc(r->references + 1, 1);
    if (!r->outcomes)
        abort();
    for (const char *line = text; *line; line += strcspn(line, "\n"), line += *line != 0) {
        if (line[0] != r->kind)
            continue;
        if (n < r->references)
            r->outcomes[n] = (unsigned char)(line[1] - '0');
        n++;
    }
    return n == r->references;
}

bool qn_lab_replay(struct qn_lab_check *c, struct qn_lab_replay *r)
{
    const char *out = qn_lab_out(c, OUTCOMES), *argv[ARGUMENTS] = { r->program }, *const writable[] = { out, NULL };
    char option[4096];
    struct qn_lab_job job = { .argv = argv, .paths = { NULL, writable } };
    unsigned n = 1;
    size_t size;
    char *text;
    bool good;

    if (!r->program)
        return false;
    snprintf(option, sizeof option, "--outcomes=%s", out);
    argv[n++] = option;
    for (unsigned i = 0; r->options[i] && n + 2 < ARGUMENTS; i++)
        argv[n++] = r->options[i];
    argv[n] = r->trace;
    good = qn_lab_run_program(c, &job);
    text = good ? qn_lab_read_out(c, OUTCOMES, &size) : NULL;
    if (good && (!text || !parse(r, text)))
        good = qn_lab_say(c, "the simulator ended before all references were made");
    free(text);
    r->summary = job.output ? strdup(job.output) : NULL;
    qn_lab_free_job(&job);
    return good;
}

void qn_lab_free_replay(struct qn_lab_replay *r)
{
    free(r->outcomes);
    free(r->summary);
    r->outcomes = NULL;
    r->summary = NULL;
}

long qn_lab_summary_number(const struct qn_lab_replay *r, const char *name)
{
    for (const char *line = r->summary; line && *line; line += strcspn(line, "\n"), line += *line != 0)
        if (!strncmp(line, name, strlen(name)))
            return strtol(line + strlen(name) + strspn(line + strlen(name), ": "), NULL, 10);
    return -1;
}
