/* lib/engines/pack_test.c - checks that a module, from a pack or a C file, keeps the contract of doc/modules.md.
 *
 *   ok - source and trace are whole: hash 50b34235a5a88360          of a pack
 *   ok - compiles for an engine, which has no libc, and without a warning
 *   ok - settled is true: with a filter and without it says the same of each reference
 *   ok - no hidden state: run twice it does the same
 *   ok - the same in a run and in the replay of its trace
 *   ok - the replay of the trace in it says what it said when it was packed
 *   ok - references come: behind a filter
 */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "engines/engines.h"
#include "engines/pack.h"
#include "text/error.h"
#include "text/complain.h"
#include "text/output.h"

#define PATH_ROOM 4096
#define STRICT "-Wall -Wextra -Werror"

struct testing {
    struct qn_engines_trial trial;
    const struct qn_engines_pack *pack; /* NULL: a C file */
    char trace[PATH_ROOM], out[PATH_ROOM], other[PATH_ROOM];
    bool failed;
};

static void tell(struct testing *t, bool good, const char *what, const char *more)
{
    printf("%s - %s%s\n", good ? "ok" : "not ok", what, more);
    fflush(stdout);
    t->failed |= !good;
}

/* The first line that a failed program printed; free() it. */
static char *first_line(const char *out)
{
    char *text = qn_engines_pack_read(out, NULL), *line = NULL;

    if (text && asprintf(&line, ": %.*s", (int)strcspn(text, "\n"), text) < 0)
        line = NULL;
    free(text);
    return line ? line : strdup("");
}

static void tell_status(struct testing *t, int status, const char *what, const char *out)
{
    char *said = status ? first_line(out) : strdup("");

    tell(t, !status, what, said ? said : "");
    free(said);
}

static bool same_bytes(const char *a, const char *b)
{
    size_t n, m;
    char *x = qn_engines_pack_read(a, &n), *y = qn_engines_pack_read(b, &m);
    bool same = x && y && n == m && !memcmp(x, y, n);

    free(x);
    free(y);
    return same;
}

static bool same_figures(const char *a, const char *b)
{
    char *x = qn_engines_trial_figures(a), *y = qn_engines_trial_figures(b);
    bool same = x && y && *x && !strcmp(x, y);

    free(x);
    free(y);
    return same;
}

static int compile(struct testing *t)
{
    char program[PATH_ROOM];
    struct qn_engines_build b = { .tool = "sim test", .output = program, .cflags = STRICT };
    int slot = qn_engines_find_slot(t->trial.slot, (unsigned)strlen(t->trial.slot));

    snprintf(program, sizeof program, "%s/engine", t->trial.folder);
    b.module[slot] = t->trial.file;
    return qn_engines_build(&b);
}

/* Checks `settled` and state outside the module: all references must have the same outcomes with the filter, without it, and in a
 * second run. */
static void replays(struct testing *t)
{
    char outcomes[PATH_ROOM + 16], first[PATH_ROOM], second[PATH_ROOM];
    int status = qn_engines_try_replay(&t->trial, t->trace, "--check=yes", t->out);
    bool predictor = t->trial.slot[0] == 'B' || t->trial.slot[0] == 'A';

    tell_status(t, status, predictor ? "two of it, side by side, do the same" : "settled is true: with a filter and without it says the same of each reference", t->out);
    snprintf(first, sizeof first, "%s/first", t->trial.folder);
    snprintf(second, sizeof second, "%s/second", t->trial.folder);
    snprintf(outcomes, sizeof outcomes, "--outcomes=%s", first);
    status = qn_engines_try_replay(&t->trial, t->trace, outcomes, t->out);
    snprintf(outcomes, sizeof outcomes, "--outcomes=%s", second);
    status |= qn_engines_try_replay(&t->trial, t->trace, outcomes, t->other);
    tell(t, !status && same_bytes(first, second) && same_bytes(t->out, t->other), "no hidden state: run twice it does the same", "");
}

static void in_a_run(struct testing *t)
{
    char trace[PATH_ROOM], class[64] = "";
    int status;

    snprintf(trace, sizeof trace, "%s/whole", t->trial.folder);
    status = qn_engines_try_run(&t->trial, t->out);
    if (status) {
        tell_status(t, status, "the same in a run and in the replay of its trace", t->out);
        return;
    }
    qn_engines_trial_class(&t->trial, t->out, class);
    status = qn_engines_try_trace(&t->trial, trace, NULL) || qn_engines_try_replay(&t->trial, trace, NULL, t->other);
    tell(t, !status && same_figures(t->out, t->other), "the same in a run and in the replay of its trace", "");
    tell(t, *class && (!t->pack || !strcmp(class, t->pack->class)), "references come: ", class);
}

static void as_packed(struct testing *t)
{
    char packed[PATH_ROOM];
    FILE *f;
    bool good;

    if (!t->pack)
        return;
    snprintf(packed, sizeof packed, "%s/packed", t->trial.folder);
    f = fopen(packed, "w");
    good = f && fwrite(t->pack->section[QN_PACK_SUMMARY], 1, t->pack->bytes[QN_PACK_SUMMARY], f) == t->pack->bytes[QN_PACK_SUMMARY];
    good = f && fclose(f) == 0 && good && !qn_engines_try_replay(&t->trial, t->trace, NULL, t->out) && same_figures(t->out, packed);
    tell(t, good, "the replay of the trace in it says what it said when it was packed", "");
}

static int test_all(struct testing *t)
{
    if (t->pack)
        tell(t, true, "source and trace are whole: hash ", t->pack->hash);
    if (compile(t)) {
        tell(t, false, "compiles for an engine, which has no libc, and without a warning", "");
        return 1;
    }
    tell(t, true, "compiles for an engine, which has no libc, and without a warning", "");
    replays(t);
    in_a_run(t);
    as_packed(t);
    return t->failed;
}

static bool put_file(const char *path, const char *bytes, size_t n)
{
    FILE *f = fopen(path, "w");
    bool good = f && fwrite(bytes, 1, n, f) == n;

    return f && fclose(f) == 0 && good;
}

static int test_in(struct testing *t, const char *path, struct qn_engines_pack *p)
{
    static const char geometry[] = "--I1=4096,2,64 --D1=4096,4,64 --LL=65536,8,64";
    struct qn_engines_choice c = { .tool = "sim test", .option = "FILE" };
    char source[PATH_ROOM + 80];
    int slot;

    snprintf(t->trace, sizeof t->trace, "%s/trace", t->trial.folder);
    snprintf(t->out, sizeof t->out, "%s/out", t->trial.folder);
    snprintf(t->other, sizeof t->other, "%s/other", t->trial.folder);
    t->trial.options = geometry;
    if (p) {
        snprintf(source, sizeof source, "%s/%s.c", t->trial.folder, p->name);
        t->trial.file = source;
        t->trial.slot = p->slot;
        t->trial.options = p->options;
        if (!put_file(source, p->section[QN_PACK_SOURCE], p->bytes[QN_PACK_SOURCE]) || !put_file(t->trace, p->section[QN_PACK_TRACE], p->bytes[QN_PACK_TRACE]))
            return qn_text_complain("quern: sim test: %s: cannot be written", t->trial.folder), 1;
        return test_all(t);
    }
    if (!qn_engines_choose_module(&c, -1, path))
        return 1;
    for (slot = 0; slot < QN_ENGINES_SLOTS - 1 && !c.slot[slot].file; slot++)
        ;
    t->trial.slot = qn_engines_slot_names[slot];
    t->trial.file = c.slot[slot].file;
    if (!t->trial.file || qn_engines_try_trace(&t->trial, t->trace, NULL))
        return qn_text_complain("quern: sim test: %s: nothing could be recorded to test it with", path), 1;
    return test_all(t);
}

int qn_engines_test_module(const char *path, const char *quern)
{
    struct testing t = { .trial = { .quern = quern } };
    struct qn_engines_pack p;
    size_t n = strlen(path);
    bool is_pack = (n < 2 || strcmp(path + n - 2, ".c")) && (strchr(path, '/') || access(path, F_OK) == 0); /* else the name of a module */
    char *folder;
    int status;

    if (is_pack && qn_engines_read_pack(path, &p))
        return 1;
    folder = qn_engines_scratch("sim test");
    t.trial.folder = folder;
    t.pack = is_pack ? &p : NULL;
    status = folder ? test_in(&t, path, is_pack ? &p : NULL) : 1;
    if (is_pack)
        qn_engines_free_pack(&p);
    qn_text_remove_scratch(folder);
    free(folder);
    return status;
}
