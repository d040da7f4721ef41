/* lib/engines/trial.c - `quern sim test`: checks that a module keeps the contract of doc/modules.md, by runs and replays of it.
 *
 *   ok - compiles for an engine, which has no libc, and without a warning
 *   ok - settled is true: with a filter and without it says the same of each reference
 *   ok - no hidden state: run twice it does the same
 *   ok - the same in a run and in the replay of its trace
 *   ok - references come: behind a filter
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "engines/engines.h"
#include "text/error.h"
#include "text/output.h"

#define PROGRAM "/bin/true"
#define WORDS_MAX 40
#define NO_PROGRAM 127
#define PATH_ROOM 4096
#define STRICT "-Wall -Wextra -Werror"
#define GEOMETRY "--I1=4096,2,64 --D1=4096,4,64 --LL=65536,8,64" /* small, so that a short program fills it */

struct trial {
    const char *quern, *slot, *file, *folder; /* folder: for what is written */
    char trace[PATH_ROOM], out[PATH_ROOM], other[PATH_ROOM];
    bool failed;
};

/* ---- a run, a recording, a replay of it: each is the exit status; `out` gets what it prints ---- */

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
static int quern(const struct trial *t, const char *command, bool sim, const char *extra, const char *const *last, const char *out)
{
    char *words[WORDS_MAX + 1], *choice = NULL, *options = strdup(GEOMETRY), *save = NULL;
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

static int try_replay(const struct trial *t, const char *trace, const char *extra, const char *out)
{
    return quern(t, "replay", true, extra, (const char *const[]){trace, NULL}, out);
}

static int try_run(const struct trial *t, const char *out)
{
    return quern(t, "run", true, "-v", (const char *const[]){"--branch-sim=yes", "--out-file=/dev/null", "--", PROGRAM, NULL}, out);
}

static int try_trace(const struct trial *t, const char *trace, const char *count)
{
    char *out;
    int status = asprintf(&out, "%s/traced", t->folder) < 0 ? NO_PROGRAM :
                 quern(t, "trace", false, count, (const char *const[]){"-o", trace, "--", PROGRAM, NULL}, out);

    free(out);
    return status;
}

/* free() it; NULL: errno. */
static char *read_file(const char *path, size_t *bytes)
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
static void find_class(const struct trial *t, const char *out, char class[64])
{
    char *text = read_file(out, NULL), mark[16];
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

/* Lines of counts, sorted out of what either printed; free() it. */
static char *read_figures(const char *path)
{
    char *text = read_file(path, NULL), *to = text, *save = NULL;

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

/* ---- the checks ---- */

static void tell(struct trial *t, bool good, const char *what, const char *more)
{
    printf("%s - %s%s\n", good ? "ok" : "not ok", what, more);
    fflush(stdout);
    t->failed |= !good;
}

/* Why a program failed: the first line that it printed with an error of the compiler or a message of quern's; free() it. */
static char *find_reason(const char *out)
{
    char *text = read_file(out, NULL), *line = NULL;
    const char *at = text ? strstr(text, "error: ") : NULL;

    at = at || !text ? at : strstr(text, "quern: ");
    while (at && at > text && at[-1] != '\n')
        at--;
    if (at && asprintf(&line, ": %.*s", (int)strcspn(at, "\n"), at) < 0)
        line = NULL;
    free(text);
    return line;
}

/* status: of the program that wrote `out`. */
static void tell_status(struct trial *t, int status, bool good, const char *what, const char *out)
{
    char *said = status ? find_reason(out) : NULL;

    tell(t, !status && good, what, said ? said : "");
    free(said);
}

static bool same_bytes(const char *a, const char *b)
{
    size_t n, m;
    char *x = read_file(a, &n), *y = read_file(b, &m);
    bool same = x && y && n == m && !memcmp(x, y, n);

    free(x);
    free(y);
    return same;
}

static bool same_figures(const char *a, const char *b)
{
    char *x = read_figures(a), *y = read_figures(b);
    bool same = x && y && *x && !strcmp(x, y);

    free(x);
    free(y);
    return same;
}

static int compile(struct trial *t)
{
    char program[PATH_ROOM];
    struct qn_engines_build b = { .tool = "sim test", .output = program, .cflags = STRICT };
    int slot = qn_engines_find_slot(t->slot, (unsigned)strlen(t->slot));

    snprintf(program, sizeof program, "%s/engine", t->folder);
    b.module[slot] = t->file;
    return qn_engines_build(&b);
}

/* Checks `settled` and state outside the module: all references must have the same outcomes with the filter, without it, and in a
 * second run. */
static void replays(struct trial *t)
{
    char outcomes[PATH_ROOM + 16], first[PATH_ROOM], second[PATH_ROOM];
    int status = try_replay(t, t->trace, "--check=yes", t->out);
    bool predictor = t->slot[0] == 'B' || t->slot[0] == 'A';

    tell_status(t, status, true, predictor ? "two of it, side by side, do the same" : "settled is true: with a filter and without it says the same of each reference", t->out);
    snprintf(first, sizeof first, "%s/first", t->folder);
    snprintf(second, sizeof second, "%s/second", t->folder);
    snprintf(outcomes, sizeof outcomes, "--outcomes=%s", first);
    status = try_replay(t, t->trace, outcomes, t->out);
    snprintf(outcomes, sizeof outcomes, "--outcomes=%s", second);
    status |= try_replay(t, t->trace, outcomes, t->other);
    tell_status(t, status, same_bytes(first, second) && same_bytes(t->out, t->other), "no hidden state: run twice it does the same", t->out);
}

static void in_a_run(struct trial *t)
{
    char trace[PATH_ROOM], class[64] = "";
    int status;

    snprintf(trace, sizeof trace, "%s/whole", t->folder);
    status = try_run(t, t->out);
    if (status) {
        tell_status(t, status, true, "the same in a run and in the replay of its trace", t->out);
        return;
    }
    find_class(t, t->out, class);
    status = try_trace(t, trace, NULL) || try_replay(t, trace, NULL, t->other);
    tell_status(t, status, same_figures(t->out, t->other), "the same in a run and in the replay of its trace", t->other);
    tell(t, *class, "references come: ", class);
}

static int test_all(struct trial *t)
{
    tell(t, !compile(t), "compiles for an engine, which has no libc, and without a warning", "");
    if (t->failed)
        return 1;
    replays(t);
    in_a_run(t);
    return t->failed;
}

static int test_in(struct trial *t, const char *path)
{
    struct qn_engines_choice c = { .tool = "sim test", .option = "FILE" };
    int slot;

    snprintf(t->trace, sizeof t->trace, "%s/trace", t->folder);
    snprintf(t->out, sizeof t->out, "%s/out", t->folder);
    snprintf(t->other, sizeof t->other, "%s/other", t->folder);
    if (!qn_engines_choose_module(&c, -1, path))
        return 1;
    for (slot = 0; slot < QN_ENGINES_SLOTS - 1 && !c.slot[slot].file; slot++)
        ;
    t->slot = qn_engines_slot_names[slot];
    t->file = c.slot[slot].file;
    if (!t->file || try_trace(t, t->trace, NULL))
        return qn_text_complain("quern: sim test: %s: nothing could be recorded to test it with", path), 1;
    return test_all(t);
}

int qn_engines_test_module(const char *path, const char *quern)
{
    struct trial t = { .quern = quern };
    char *folder = qn_engines_scratch("sim test");
    int status;

    t.folder = folder;
    status = folder ? test_in(&t, path) : 1;
    qn_text_remove_scratch(folder);
    free(folder);
    return status;
}
