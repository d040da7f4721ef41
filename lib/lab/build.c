/* lib/lab/build.c - builds programs from files that were handed in, and runs them.
 *
 * The compiler can read the system's headers and libraries, the file, and the lab's own files; no other folder, and not the
 * modules that ship with quern, because some of them are solutions.  So `#include "sim/policy/lru.c"` ends with "Permission
 * denied".  The commands are ours: a student's code runs only in a sandbox.
 */
#define _GNU_SOURCE
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/grow.h"
#include "lab/internal.h"
#include "lab/sandbox/sandbox.h"

#define WORDS_MAX 32
#define TOOL_SECONDS 60     /* by the clock, for the compiler and quern */
#define PROGRAM_SECONDS 60  /* by the clock; a program that only waits is ended earlier */
#define SMALL_CPU_SECONDS 2 /* for small inputs */
#define WORD_MS 1000u       /* of processor time between two messages of a program that converses */
#define LESS_MS 500u        /* after a program did not end in an earlier test: for small inputs ... */
#define LESS_WORD_MS 200u   /* ... and between two messages */
#define LINES_TOLD 12       /* lines of a compiler's or a program's output in a remark */

const char *qn_lab_quern(const struct qn_lab_check *c) { return c->place->quern; }
const char *qn_lab_library(const struct qn_lab_check *c) { return c->place->library; }

const char *qn_lab_starter(const struct qn_lab_check *c)
{
    static char path[PATH_MAX];

    snprintf(path, sizeof path, "%s/%s/starter", c->place->labs, c->request->lab->folder);
    return path;
}

const char *qn_lab_host(const struct qn_lab_check *c)
{
    static char path[PATH_MAX];

    snprintf(path, sizeof path, "%s/host", c->place->labs);
    return path;
}

/* ---- the compiler ---- */

static const char *compiler(struct qn_lab_check *c)
{
    const char *cc = getenv("CC");

    if (!c->compiler)
        c->compiler = qn_lab_find_command(cc && *cc && !strchr(cc, ' ') ? cc : "cc");
    if (!c->compiler) {
        qn_lab_say(c, "no C compiler: there is no '%s'; install gcc, or set CC", cc && *cc ? cc : "cc");
        c->broken = true;
    }
    return c->compiler;
}

/* If the sandbox cannot be made, that is no fault of the student: the check ends. */
static bool run_job(struct qn_lab_check *c, struct qn_lab_job *job)
{
    if (qn_lab_run(job))
        return true;
    c->broken = true;
    return qn_lab_say(c, "%s", job->trouble);
}

bool qn_lab_run_tool(struct qn_lab_check *c, const char *const *argv, const char *what)
{
    char *build, *in;
    const char *write[2] = { NULL };
    struct qn_lab_path_list p = { .n = 0 };
    struct qn_lab_job job = { .argv = argv, .limits = qn_lab_limits_tool, .seconds = TOOL_SECONDS,
                              .paths = { p.at, write } };
    bool good;

    if (!compiler(c))
        return false;
    job.directory = write[0] = build = qn_lab_format("%s/build", c->scratch);
    in = qn_lab_format("%s/in", c->scratch);
    qn_lab_add_system(&p, true);
    qn_lab_add_library(&p, c->place->library);
    qn_lab_add_quern(&p, c->place->quern);
    qn_lab_add_path(&p, c->compiler);
    qn_lab_add_path(&p, c->place->header);
    qn_lab_add_path(&p, qn_lab_starter(c));
    qn_lab_add_path(&p, qn_lab_host(c));
    qn_lab_add_path(&p, in);
    good = run_job(c, &job) && !job.status;
    if (!good && !c->broken) {
        qn_lab_say(c, "%s %s", what, *job.trouble ? job.trouble : "cannot be compiled:");
        qn_lab_say_text(c, job.errors, LINES_TOLD);
    }
    qn_lab_free_job(&job);
    qn_lab_free_paths(&p);
    free(build);
    free(in);
    return good;
}

bool qn_lab_compile(struct qn_lab_check *c, const char *const *words)
{
    const char *argv[WORDS_MAX + 2] = { compiler(c) };

    for (unsigned i = 0; i < WORDS_MAX && words[i]; i++)
        argv[i + 1] = words[i];
    return argv[0] && qn_lab_run_tool(c, argv, "what was handed in");
}

/* ---- what a file is behind the preprocessor ---- */

/* Takes out of the preprocessor's output what comes from `path`; its lines `# 12 "file" ...` say what comes from where. */
static char *keep_own(char *text, const char *path)
{
    bool own = false;
    char *to = text, *next;

    for (char *line = text; *line; line = next) {
        size_t n = strcspn(line, "\n");
        char *name = line[0] == '#' ? strchr(line, '"') : NULL;

        n += line[n] == '\n';
        next = line + n;
        if (name && name < next) {
            own = !strncmp(name + 1, path, strlen(path)) && name[1 + strlen(path)] == '"';
        } else if (own) {
            memmove(to, line, n);
            to += n;
        }
    }
    *to = 0;
    return text;
}

static char *preprocess(struct qn_lab_check *c, const char *source)
{
    char *output = qn_lab_format("%s/build/%s.i", c->scratch, source), *in = QN_NEEDED(strdup(qn_lab_handed_in(c, source))), *text = NULL;
    const char *const words[] = { "-std=gnu11", "-E", "-w", "-I", qn_lab_library(c), "-I", qn_lab_starter(c), "-o", output, in, NULL };
    size_t size = 0;
    FILE *f;

    if (qn_lab_compile(c, words) && (f = fopen(output, "re"))) {
        if (getdelim(&text, &size, 0, f) > 0)
            keep_own(text, in);
        fclose(f);
    }
    free(output);
    free(in);
    return text;
}

static char *read_source(struct qn_lab_check *c, const char *source)
{
    FILE *f = fopen(qn_lab_handed_in(c, source), "re");
    char *text = NULL;
    size_t size = 0;

    if (f && getdelim(&text, &size, 0, f) < 0)
        free(text), text = NULL;
    if (f)
        fclose(f);
    return text;
}

bool qn_lab_read_sources(const struct qn_lab_request *request, const struct qn_lab_place *place, void (*take)(void *data, const char *text), void *data)
{
    struct qn_lab_check c = { .request = request, .place = place, .quiet = true, .outcomes = QN_NEEDED(calloc(1, sizeof *c.outcomes)) };
    bool good = qn_lab_open_work(&c);

    for (const char *const *file = request->lab->files; good && *file; file++) {
        char *text = NULL;

        if (!strstr(*file, ".c") || !qn_lab_handed_in(&c, *file))
            continue;
        text = preprocess(&c, *file);
        good = !c.broken;
        if (!text)
            text = read_source(&c, *file);
        if (text)
            take(data, text);
        free(text);
    }
    qn_lab_close_work(&c);
    free(c.outcomes->remarks);
    free(c.outcomes);
    return good;
}

/* ---- each program once ---- */

static struct qn_lab_built *find_built(struct qn_lab_check *c, const char *key)
{
    for (unsigned i = 0; i < c->n_built; i++)
        if (!strcmp(c->built[i].key, key))
            return &c->built[i];
    return NULL;
}

/* Notes a program that was built or not; the check owns `key` and `path` from now on. */
static const char *remember(struct qn_lab_check *c, char *key, char *path, bool good)
{
    struct qn_lab_built *b = &c->built[c->n_built < QN_LAB_BUILT_MAX ? c->n_built++ : 0];

    *b = (struct qn_lab_built){ .key = key, .path = path };
    if (good)
        return path;
    free(b->path);
    b->path = NULL;
    return NULL;
}

void qn_lab_free_built(struct qn_lab_check *c)
{
    for (unsigned i = 0; i < c->n_built; i++) {
        free(c->built[i].key);
        free(c->built[i].path);
    }
}

/* The program that was built earlier, NULL if it could not be; *known: it was tried before. */
static const char *made_before(struct qn_lab_check *c, const char *key, bool *known)
{
    struct qn_lab_built *b = find_built(c, key);

    *known = b != NULL;
    if (b && !b->path)
        qn_lab_say(c, "%s cannot be compiled, see above", key);
    return b ? b->path : NULL;
}

static bool is_there(struct qn_lab_check *c, const char *source)
{
    return qn_lab_handed_in(c, source) || qn_lab_say(c, "%s was not handed in", source);
}

const char *qn_lab_program(struct qn_lab_check *c, const char *source, const char *const *given)
{
    const char *words[WORDS_MAX] = { "-std=gnu11", "-O2", "-Wall", "-o", NULL, NULL }, *path;
    unsigned n = 5;
    bool known;
    char *output, *include;

    path = made_before(c, source, &known);
    if (known || !is_there(c, source))
        return path;
    output = qn_lab_format("%s/build/%.*s", c->scratch, (int)strcspn(source, "."), source);
    include = qn_lab_format("-I%s", qn_lab_starter(c));
    words[4] = output;
    words[n++] = include;
    words[n++] = qn_lab_handed_in(c, source);
    for (; given && *given && n + 2 < WORDS_MAX; given++)
        words[n++] = *given;
    words[n++] = "-lm";
    path = remember(c, strdup(source), output, qn_lab_compile(c, words));
    free(include);
    return path;
}

const char *qn_lab_made(struct qn_lab_check *c, const char *source, const char *name,
                        bool (*make)(struct qn_lab_check *c, const char *output))
{
    bool known;
    const char *path = made_before(c, name, &known);
    char *output;

    if (known || !is_there(c, source))
        return path;
    output = qn_lab_format("%s/build/%s", c->scratch, name);
    return remember(c, strdup(name), output, make(c, output));
}

/* ---- running ---- */

/* "at 0x401234", as host.c says where a module crashed or was stopped: file and line. */
static void tell_place(struct qn_lab_check *c, const struct qn_lab_job *job, const char *line)
{
    char *tool = qn_lab_find_command("addr2line"), address[32];
    const char *argv[] = { tool, "-e", job->argv[0], address, NULL }, *place;
    struct qn_lab_path_list p = { .n = 0 };
    struct qn_lab_job asked = { .argv = argv, .limits = qn_lab_limits_tool, .seconds = TOOL_SECONDS, .directory = job->directory, .paths = { p.at, NULL } };

    if (!tool)
        return;
    snprintf(address, sizeof address, "%s", line + 3);
    qn_lab_add_system(&p, true);
    qn_lab_add_path(&p, tool);
    qn_lab_add_path(&p, job->argv[0]);
    if (run_job(c, &asked) && !asked.status && *asked.output != '?') {
        place = strrchr(asked.output, '/');
        place = place ? place + 1 : asked.output;
        qn_lab_say(c, "at %.*s", (int)strcspn(place, " \n"), place);
    }
    qn_lab_free_job(&asked);
    qn_lab_free_paths(&p);
    free(tool);
}

/* What a program printed on standard error; the last line may be such a place. */
static void tell_errors(struct qn_lab_check *c, const struct qn_lab_job *job)
{
    char *at = job->errors ? strstr(job->errors, "\nat 0x") : NULL;

    if (at)
        *at++ = 0;
    qn_lab_say_text(c, job->errors, LINES_TOLD);
    if (at) {
        at[strcspn(at, "\n")] = 0;
        tell_place(c, job, at);
    }
}

static bool ended_well(struct qn_lab_check *c, const struct qn_lab_job *job)
{
    if (job->status == (job->ends_by ? 128 + job->ends_by : 0) && (job->ends_by || !*job->trouble))
        return true;
    if (*job->trouble)
        qn_lab_say(c, "the program %s", job->trouble);
    else
        qn_lab_say(c, "the program ended with status %d%s%s", job->status, job->status > 128 ? ": " : "",
                   job->status > 128 ? strsignal(job->status - 128) : "");
    tell_errors(c, job);
    return false;
}

static bool run_prepared(struct qn_lab_check *c, struct qn_lab_job *job, struct qn_lab_path_list *p)
{
    char *cases = qn_lab_format("%s/cases", c->scratch), *build = qn_lab_format("%s/build", c->scratch);
    bool good;

    qn_lab_add_system(p, false);
    qn_lab_add_path(p, cases);
    qn_lab_add_path(p, build);
    job->directory = cases;
    job->paths.read = p->at;
    if (!job->seconds)
        job->seconds = PROGRAM_SECONDS;
    good = run_job(c, job) && ended_well(c, job);
    free(cases);
    free(build);
    return good;
}

bool qn_lab_ran_well(const struct qn_lab_check *c) { return c->ran_well; }
void qn_lab_measure_time(struct qn_lab_check *c) { c->timed = true; }

bool qn_lab_once(struct qn_lab_check *c, bool (*holds)(struct qn_lab_check *c))
{
    struct qn_lab_known *k = c->known, *end = k + c->n_known;
    uint64_t random = c->random;

    while (k < end && k->holds != holds)
        k++;
    if (k < end)
        return k->good || qn_lab_say(c, "see what was wrong above, in a test that passes otherwise");
    c->random = c->request->seed;
    *k = (struct qn_lab_known){ holds, holds(c) };
    c->random = random;
    c->n_known += c->n_known + 1 < QN_LAB_KNOWN_MAX;
    return k->good;
}

/* The name by which a job that did not end is remembered: the program, its first word, and whether the test is about speed. */
static char *name_of_job(const struct qn_lab_check *c, const struct qn_lab_job *job)
{
    const char *word = job->argv[1] && *job->argv[1] != '-' ? job->argv[1] : "";

    return qn_lab_format("%s %s%s", job->argv[0], word, c->timed ? " fast" : "");
}

static bool was_stuck(const struct qn_lab_check *c, const struct qn_lab_job *job)
{
    char *name = name_of_job(c, job);
    bool found = false;

    for (unsigned i = 0; i < c->n_stuck; i++)
        found |= !strncmp(c->stuck[i], name, strlen(c->stuck[i])); /* what has no end with a small input has none with a long one */
    free(name);
    return found;
}

void qn_lab_mark_stuck(struct qn_lab_check *c, const struct qn_lab_job *job)
{
    if (c->n_stuck < QN_LAB_STUCK_MAX)
        c->stuck[c->n_stuck++] = name_of_job(c, job);
}

static void set_limits(const struct qn_lab_check *c, struct qn_lab_job *job)
{
    if (!job->limits.cpu_seconds)
        job->limits = qn_lab_limits_program;
    if (job->talk && !job->limits.may_split) {
        job->limits.cpu_ms = c->n_stuck ? LESS_WORD_MS : WORD_MS;
    } else if (!c->timed) {
        job->limits.cpu_seconds = SMALL_CPU_SECONDS;
        job->limits.cpu_ms = c->n_stuck ? LESS_MS : 0;
    }
}

bool qn_lab_run_program(struct qn_lab_check *c, struct qn_lab_job *job)
{
    struct qn_lab_path_list p = { .n = 0 };

    c->ran_well = false;
    if (was_stuck(c, job))
        return qn_lab_say(c, "not run: it did not end in a test before");
    set_limits(c, job);
    c->ran_well = run_prepared(c, job, &p);
    if (job->stuck)
        qn_lab_mark_stuck(c, job);
    return c->ran_well;
}

bool qn_lab_run_quern(struct qn_lab_check *c, struct qn_lab_job *job)
{
    struct qn_lab_path_list p = { .n = 0 };
    char *protocol = qn_lab_format("%s/sim/coherence/mesi.c", c->place->library);
    bool good;

    qn_lab_add_quern(&p, c->place->quern);
    qn_lab_add_path(&p, "/proc"); /* the engine reads its maps */
    qn_lab_add_path(&p, protocol); /* for --cores: that it is the one that the engine has */
    job->limits = qn_lab_limits_quern;
    job->seconds = TOOL_SECONDS;
    good = run_prepared(c, job, &p);
    qn_lab_free_paths(&p);
    free(protocol);
    return good;
}

unsigned long qn_lab_find_count(const char *summary, const char *name)
{
    const char *at = strstr(summary, name);
    unsigned long n = 0;

    for (at = at ? at + strlen(name) : ""; *at && strchr("0123456789, ", *at); at++)
        n = *at >= '0' && *at <= '9' ? 10 * n + (unsigned)(*at - '0') : n;
    return n;
}
