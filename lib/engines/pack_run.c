/* lib/engines/pack_run.c - a module run, recorded and replayed: see pack.h. */
#define _GNU_SOURCE
#include "engines/pack.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define PROGRAM "/bin/true"
#define WORDS_MAX 40
#define NO_PROGRAM 127

/* The program's words; what it prints goes to `out`. */
static int run(char *const words[], const char *out)
{
    pid_t child = fork();
    int status;

    if (child == 0) {
        int fd = open(out, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);

        if (fd < 0 || dup2(fd, 1) < 0 || dup2(fd, 2) < 0)
            _exit(NO_PROGRAM);
        execv(words[0], words);
        _exit(NO_PROGRAM);
    }
    if (child < 0)
        return NO_PROGRAM;
    while (waitpid(child, &status, 0) < 0)
        if (errno != EINTR)
            return NO_PROGRAM;
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

/* quern COMMAND [--sim=SLOT=FILE] OPTIONS EXTRA LAST, NULL at the end of `last`. */
static int quern(const struct qn_engines_trial *t, const char *command, bool sim, const char *extra, const char *const *last, const char *out)
{
    char *words[WORDS_MAX + 1], *choice = NULL, *options = strdup(t->options), *save = NULL;
    int n = 0, status = NO_PROGRAM;

    words[n++] = (char *)t->quern;
    words[n++] = (char *)command;
    if (options && asprintf(&choice, "--sim=%s=%s", t->slot, t->file) >= 0) {
        if (sim)
            words[n++] = choice;
        for (char *word = sim ? strtok_r(options, " ", &save) : NULL; word && n < WORDS_MAX - 8; word = strtok_r(NULL, " ", &save))
            words[n++] = word;
        if (extra)
            words[n++] = (char *)extra;
        while (*last)
            words[n++] = (char *)*last++;
        words[n] = NULL;
        status = run(words, out);
    }
    free(choice);
    free(options);
    return status;
}

int qn_engines_try_replay(const struct qn_engines_trial *t, const char *trace, const char *extra, const char *out)
{
    return quern(t, "replay", true, extra, (const char *const[]){trace, NULL}, out);
}

int qn_engines_try_run(const struct qn_engines_trial *t, const char *out)
{
    return quern(t, "run", true, "-v", (const char *const[]){"--branch-sim=yes", "--out-file=/dev/null", "--", PROGRAM, NULL}, out);
}

int qn_engines_try_trace(const struct qn_engines_trial *t, const char *trace, const char *count)
{
    char *out;
    int status = asprintf(&out, "%s/traced", t->folder) < 0 ? NO_PROGRAM :
                 quern(t, "trace", false, count, (const char *const[]){"-o", trace, "--", PROGRAM, NULL}, out);

    free(out);
    return status;
}

char *qn_engines_pack_read(const char *path, size_t *bytes)
{
    FILE *f = fopen(path, "rb");
    long n = f && fseek(f, 0, SEEK_END) == 0 ? ftell(f) : -1;
    char *text = n >= 0 ? malloc((size_t)n + 1) : NULL;

    if (text) {
        rewind(f);
        n = (long)fread(text, 1, (size_t)n, f);
        text[n] = 0;
    }
    if (bytes)
        *bytes = text ? (size_t)n : 0;
    if (f)
        fclose(f);
    return text;
}

/* "--123-- D1: /home/me/mine.c 50b34235a5a88360, behind a filter" */
void qn_engines_trial_class(const struct qn_engines_trial *t, const char *out, char class[64])
{
    char *text = qn_engines_pack_read(out, NULL), mark[16];
    const char *line, *comma;

    class[0] = 0;
    snprintf(mark, sizeof mark, "-- %s: ", t->slot);
    line = text ? strstr(text, mark) : NULL;
    if (line) {
        size_t n = strcspn(line, "\n");

        comma = memrchr(line, ',', n);
        if (comma)
            snprintf(class, 64, "%.*s", (int)(line + n - comma - 2), comma + 2);
    }
    free(text);
}

/* "I   refs:", "D1  misses:", "D1.evictions": what replay and run both print. */
static bool is_figure(const char *line)
{
    static const char *const begins[] = { "I   refs:", "I1  misses:", "LLi misses:", "D   refs:", "D1  misses:", "LLd misses:", "Branches:", "Mispredicts:", NULL };
    size_t dot = strcspn(line, ".: ");

    for (int i = 0; begins[i]; i++)
        if (!strncmp(line, begins[i], strlen(begins[i])))
            return true;
    return dot <= 2 && line[dot] == '.';
}

char *qn_engines_trial_figures(const char *path)
{
    char *text = qn_engines_pack_read(path, NULL), *to = text, *save = NULL;

    if (!text)
        return NULL;
    for (char *line = strtok_r(text, "\n", &save); line; line = strtok_r(NULL, "\n", &save)) {
        if (!strncmp(line, "==", 2) && strstr(line + 2, "== "))
            line = strstr(line + 2, "== ") + 3;
        if (!is_figure(line))
            continue;
        for (const char *c = line; *c; c++)
            if (*c != ',' && !(c[0] == ' ' && c[1] == ' '))
                *to++ = *c;
        *to++ = '\n';
    }
    *to = 0;
    return text;
}
