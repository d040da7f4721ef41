/* lib/serve/runner.c - compiles a source and runs it under quern, in the sandbox of the labs; the answer is JSON.
 *
 *   {"stage":"compile","command":"cc -g ...","status":1,"trouble":"","messages":"prog.c:3:5: error: ...","ok":false}
 *   {"stage":"run","messages":"prog.c:3:9: warning: ...","command":"quern run ...","status":0,"trouble":"","output":"...",
 *    "output_cut":false,"errors":"...","profile":"desc: I1 cache: ...","profile_cut":false}
 *   {"error":"the sandbox ..."}
 *
 * SCRATCH/run/work/     the sources, prog; the compiler may write here, the program may only read
 * SCRATCH/run/profile   a fifo, because the program has the same rights as the quern that it runs under, and must not write any file
 *
 * The names are the same for each run, so an unchanged program has the same addresses and counts.
 */
#define _GNU_SOURCE

#include <errno.h>
#include <fcntl.h>
#include <jansson.h>
#include <limits.h>
#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/stat.h>
#include <unistd.h>

#include "json/write.h"
#include "lab/sandbox/sandbox.h"
#include "serve/serve.h"
#include "text/output.h"

#define COMPILE_SECONDS 30           /* by the clock */
#define RUN_SECONDS 30
#define RUN_CPU_SECONDS 20
#define OUTPUT_KEPT (64u << 10)      /* bytes of the program's output that the answer has at most */
#define PROFILE_MAX (8u << 20)       /* bytes */
#define WORDS_MAX (QN_SERVE_ARGUMENTS_MAX + 24)
#define PROGRAM "./prog"

struct profile {
    int fifo, end;                   /* end: an eventfd, written once quern has ended */
    char *text;
    size_t size;
    bool cut;
};

struct work {
    const struct qn_serve *s;
    const struct qn_serve_wanted *w;
    char *run, *folder, *fifo;
    json_t *answer;
};

/* ---- the JSON that asks for a run ----
 *
 *   {"name":"mm.c","text":"int main(void)...","optimisation":"-O1","caches":{"D1":"32768,8,64"},"modules":{"D1":"srrip"},
 *    "branches":true,"arguments":["100"],"input":"1 2 3\n","beside":{"name":"mine.c","text":"#include ..."}}
 *
 * All but name and text may be left out.  What becomes part of quern's options and the compiler's is checked: caches are digits and
 * commas, modules are names of small letters and digits or those of C files of the folder (never a path), optimisation is one of five words.
 * beside: a module's file as it is in the editor.
 */

#define MODULE_MAX NAME_MAX
#define SIMULATOR "./sim"
#define CACHE_MAX 40 /* bytes of a geometry */

static const char *const slots[3] = { "I1", "D1", "LL" };
static const char *const levels[] = { "-O0", "-O1", "-O2", "-O3", "-Os" };

/* A string of at most `most` bytes, else NULL.  It holds no zero byte: jansson refuses those. */
static const char *text_of(const json_t *object, const char *key, size_t most)
{
    const json_t *value = json_object_get(object, key);

    return json_is_string(value) && json_string_length(value) <= most ? json_string_value(value) : NULL;
}

static const char *take_source(struct qn_serve_wanted *w, const json_t *all)
{
    w->name = text_of(all, "name", NAME_MAX);
    if (!w->name || !qn_serve_is_name(w->name))
        return "name: wanted the name of a C file, such as prog.c";
    w->text = text_of(all, "text", QN_SERVE_TEXT_MAX);
    if (!w->text)
        return "text: wanted a source of at most 256 KiB";
    w->size = strlen(w->text);
    return NULL;
}

static const char *take_level(struct qn_serve_wanted *w, const json_t *all)
{
    const char *given = json_object_get(all, "optimisation") ? text_of(all, "optimisation", 8) : levels[1];

    for (unsigned i = 0; given && i < QN_ARRAY_LEN(levels); i++)
        if (!strcmp(given, levels[i]))
            w->optimisation = levels[i];
    return w->optimisation ? NULL : "optimisation: wanted -O0, -O1, -O2, -O3 or -Os";
}

/* Reads the strings of the three slots under `key`; NULL for a slot without one.  Returns `wrong`, or NULL. */
static const char *take_words(const json_t *all, const char *key, size_t most, const char *letters, const char *words[3], const char *wrong)
{
    const json_t *object = json_object_get(all, key);

    if (object && !json_is_object(object))
        return wrong;
    for (unsigned i = 0; i < 3; i++) {
        if (!json_object_get(object, slots[i]))
            continue;
        words[i] = text_of(object, slots[i], most);
        if (!words[i] || !*words[i] || words[i][strspn(words[i], letters)])
            return wrong;
    }
    return NULL;
}

static const char *take_arguments(struct qn_serve_wanted *w, const json_t *all)
{
    const json_t *array = json_object_get(all, "arguments"), *one;
    size_t i;

    if (array && (!json_is_array(array) || json_array_size(array) > QN_SERVE_ARGUMENTS_MAX))
        return "arguments: wanted a list of at most 64";
    json_array_foreach(array, i, one) {
        if (!json_is_string(one))
            return "arguments: wanted strings";
        w->arguments[w->n_arguments++] = json_string_value(one);
    }
    return NULL;
}

static const char *take_rest(struct qn_serve_wanted *w, const json_t *all)
{
    const json_t *branches = json_object_get(all, "branches");

    if (branches && !json_is_boolean(branches))
        return "branches: wanted true or false";
    w->branches = json_is_true(branches);
    w->input = json_object_get(all, "input") ? text_of(all, "input", QN_SERVE_INPUT_MAX) : "";
    if (!w->input)
        return "input: wanted a string of at most 1 MiB";
    w->input_size = strlen(w->input);
    return NULL;
}

static const char *take_modules(struct qn_serve_wanted *w, const json_t *all)
{
    static const char wrong[] = "modules: wanted names of modules, or of C files of the folder, for I1, D1 or LL";
    const json_t *beside = json_object_get(all, "beside");

    if (take_words(all, "modules", MODULE_MAX, QN_SERVE_NAME_LETTERS, w->modules, wrong))
        return wrong;
    for (unsigned i = 0; i < 3; i++)
        if (w->modules[i] && !qn_serve_is_name(w->modules[i]) && w->modules[i][strspn(w->modules[i], "abcdefghijklmnopqrstuvwxyz0123456789")])
            return wrong;
    w->beside = text_of(beside, "name", NAME_MAX);
    w->beside_text = text_of(beside, "text", QN_SERVE_TEXT_MAX);
    return !beside || (w->beside && qn_serve_is_name(w->beside) && w->beside_text) ? NULL : "beside: wanted name and text of a C file";
}

const char *qn_serve_want(struct qn_serve_wanted *w, const char *body, size_t size)
{
    json_t *all = json_loadb(body, size, JSON_REJECT_DUPLICATES, NULL);
    const char *wrong;

    *w = (struct qn_serve_wanted){ .json = all };
    if (!json_is_object(all))
        return "the request is not JSON of an object";
    if ((wrong = take_source(w, all)) || (wrong = take_level(w, all)) ||
        (wrong = take_words(all, "caches", CACHE_MAX, "0123456789,", w->caches, "caches: wanted SIZE,WAYS,LINE for I1, D1 or LL")) ||
        (wrong = take_modules(w, all)) || (wrong = take_arguments(w, all)) || (wrong = take_rest(w, all)))
        return wrong;
    return NULL;
}

void qn_serve_forget_wanted(struct qn_serve_wanted *w) { json_decref(w->json); }

/* ---- JSON of bytes ---- */

/* Zero bytes become 0xff, which is not UTF-8 and so is shown as U+FFFD. */
static json_t *bytes(char *text, size_t size, size_t most)
{
    size_t n = size < most ? size : most;

    if (!text)
        return json_string("");
    text[n] = 0;
    for (size_t i = 0; i < n; i++)
        if (!text[i])
            text[i] = '\xff';
    return qn_json_text(text);
}

static void put(struct work *k, const char *key, json_t *value) { json_object_set_new(k->answer, key, value); }

static void put_command(struct work *k, const char *const *argv)
{
    char *text = strdup(""), *longer;

    for (; *argv && text; argv++, text = longer)
        if (asprintf(&longer, "%s%s%s", text, *text ? " " : "", *argv) < 0)
            longer = NULL;
        else
            free(text);
    put(k, "command", qn_json_text(text ? text : ""));
    free(text);
}

static bool fail(struct work *k, const char *what, const char *why)
{
    char *text;

    json_object_clear(k->answer);
    if (asprintf(&text, "%s: %s", what, why) >= 0)
        put(k, "error", qn_json_text(text)), free(text);
    return false;
}

/* ---- folders ---- */

static bool give_away(const char *path)
{
    return qn_lab_user() == geteuid() || !chown(path, qn_lab_user(), qn_lab_user());
}

/* A file in the folder, in place of the copy of one. */
static bool write_source(struct work *k, const char *name, const char *text)
{
    char path[PATH_MAX];
    ssize_t size = (ssize_t)strlen(text);
    bool good;
    int fd;

    snprintf(path, sizeof path, "%s/%s", k->folder, name);
    unlink(path);
    fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644);
    good = fd >= 0 && write(fd, text, (size_t)size) == size && !fchmod(fd, 0644);
    if (!good)
        fail(k, path, strerror(errno));
    if (fd >= 0)
        close(fd);
    return good;
}

static bool make_folders(struct work *k)
{
    const char *wrong;

    qn_text_remove_scratch(k->run);
    if (mkdir(k->run, 0711) || chmod(k->run, 0711) || mkdir(k->folder, 0755) || chmod(k->folder, 0755))
        return fail(k, k->run, strerror(errno));
    wrong = qn_serve_copy_sources(k->s, k->folder);
    if (wrong)
        return fail(k, k->folder, wrong);
    if (!write_source(k, k->w->name, k->w->text) || (k->w->beside && !write_source(k, k->w->beside, k->w->beside_text)))
        return false;
    if (mkfifo(k->fifo, 0600) || !give_away(k->fifo) || !give_away(k->folder))
        return fail(k, k->fifo, strerror(errno));
    return true;
}

/* ---- the compiler ---- */

/* Runs a command that may write the folder, and puts what it said; shown: what the user would type.  false: it failed. */
static bool run_tool(struct work *k, const char *const *argv, const char *const *shown, struct qn_lab_path_list *p)
{
    const char *write[] = { k->folder, NULL };
    struct qn_lab_job job = { .argv = argv, .directory = k->folder, .limits = qn_lab_limits_tool, .seconds = COMPILE_SECONDS };
    bool ran;

    qn_lab_add_system(p, true);
    qn_lab_add_path(p, k->s->compiler);
    qn_lab_add_path(p, k->s->header);
    job.paths.read = p->at;
    job.paths.write = write;
    ran = qn_lab_run(&job);
    put(k, "stage", json_string("compile"));
    put_command(k, shown);
    put(k, "status", json_integer(job.status));
    put(k, "trouble", qn_json_text(job.trouble));
    if (job.errors_size || !json_object_get(k->answer, "messages"))
        put(k, "messages", bytes(job.errors, job.errors_size, OUTPUT_KEPT));
    if (!ran)
        fail(k, "the sandbox", job.trouble);
    ran = ran && !job.status && !*job.trouble;
    qn_lab_free_job(&job);
    qn_lab_free_paths(p);
    return ran;
}

static bool has_own_module(const struct work *k)
{
    for (unsigned i = 0; i < 3; i++)
        if (k->w->modules[i] && qn_serve_is_name(k->w->modules[i]))
            return true;
    return false;
}

/* With a module of the user's: an engine with it, and with the others. */
static bool build_simulator(struct work *k)
{
    char words[3][NAME_MAX + 8];
    const char *argv[16] = { k->s->quern, "sim", "build" }, *shown[16] = { "quern" };
    struct qn_lab_path_list p = { .n = 0 };
    unsigned n = 3;

    for (unsigned i = 0; i < 3; i++)
        if (k->w->modules[i]) {
            snprintf(words[i], sizeof words[i], "--%s=%s", slots[i], k->w->modules[i]);
            argv[n++] = words[i];
        }
    argv[n++] = "-o";
    argv[n++] = SIMULATOR;
    memcpy(shown + 1, argv + 1, n * sizeof *argv);
    qn_lab_add_path(&p, k->folder);
    qn_lab_add_path(&p, k->s->library);
    qn_lab_add_quern(&p, k->s->quern);
    return run_tool(k, argv, shown, &p);
}

static bool compile(struct work *k)
{
    char map[2 * PATH_MAX], include[PATH_MAX];
    const char *argv[] = { k->s->compiler, "-std=gnu11", "-g", k->w->optimisation, "-Wall", "-Wextra", "-fdiagnostics-color=never", map, include,
                           "-pthread", "-o", "prog", k->w->name, "-lm", NULL };
    const char *shown[] = { "cc", "-std=gnu11", "-g", k->w->optimisation, "-Wall", "-Wextra", "-pthread", "-o", "prog", k->w->name, "-lm", NULL };
    struct qn_lab_path_list p = { .n = 0 };

    snprintf(map, sizeof map, "-ffile-prefix-map=%s=.", k->folder);
    snprintf(include, sizeof include, "-I%s", k->s->header);
    return run_tool(k, argv, shown, &p);
}

/* ---- the profile ---- */

static bool take_profile(struct profile *p)
{
    static char bytes[65536];
    ssize_t n = read(p->fifo, bytes, sizeof bytes);
    char *longer;

    if (n <= 0)
        return false;
    p->cut |= p->size + (size_t)n > PROFILE_MAX;
    if (p->cut || !(longer = realloc(p->text, p->size + (size_t)n + 1)))
        return true; /* it was read nevertheless, so that quern does not wait for room in the fifo */
    memcpy(longer + p->size, bytes, (size_t)n);
    p->text = longer;
    p->size += (size_t)n;
    return true;
}

/* Reads the profile until quern has ended and the fifo is empty. */
static void *attend(void *data)
{
    struct profile *p = data;
    struct pollfd fds[2] = { { p->fifo, POLLIN, 0 }, { p->end, POLLIN, 0 } };

    while (poll(fds, 2, -1) > 0 || errno == EINTR)
        if (!take_profile(p) && fds[1].revents)
            break;
    return NULL;
}

/* ---- quern ---- */

static void add_caches(struct work *k, const char *argv[], unsigned *n, char words[6][NAME_MAX + 16])
{
    if (has_own_module(k))
        argv[(*n)++] = "--sim=" SIMULATOR;
    for (unsigned i = 0; i < 3; i++) {
        if (k->w->caches[i]) {
            snprintf(words[i], sizeof words[i], "--%s=%s", slots[i], k->w->caches[i]);
            argv[(*n)++] = words[i];
        }
        if (k->w->modules[i] && !has_own_module(k)) {
            snprintf(words[3 + i], sizeof words[i], "--sim=%s=%s", slots[i], k->w->modules[i]);
            argv[(*n)++] = words[3 + i];
        }
    }
}

static void add_words(struct work *k, const char *argv[WORDS_MAX], unsigned n)
{
    if (k->w->branches)
        argv[n++] = "--branch-sim=yes";
    argv[n++] = "--";
    argv[n++] = PROGRAM;
    for (unsigned i = 0; i < k->w->n_arguments; i++)
        argv[n++] = k->w->arguments[i];
    argv[n] = NULL;
}

/* The answer's "command": what the user would type for the same run. */
static void put_run(struct work *k, const char *const *argv)
{
    const char *shown[WORDS_MAX] = { "quern", "run" };
    unsigned n = 2;

    for (unsigned i = 4; argv[i]; i++)
        shown[n++] = argv[i];
    put_command(k, shown);
}

static void put_result(struct work *k, struct qn_lab_job *job, struct profile *p, bool ran)
{
    put(k, "stage", json_string("run"));
    put(k, "status", json_integer(job->status));
    put(k, "trouble", qn_json_text(job->trouble));
    put(k, "output_cut", json_boolean(job->output_size > OUTPUT_KEPT));
    put(k, "output", bytes(job->output, job->output_size, OUTPUT_KEPT));
    put(k, "errors", bytes(job->errors, job->errors_size, OUTPUT_KEPT));
    put(k, "profile_cut", json_boolean(p->cut));
    put(k, "profile", bytes(p->text, p->cut ? 0 : p->size, PROFILE_MAX));
    if (!ran)
        fail(k, "the sandbox", job->trouble);
}

static void run(struct work *k)
{
    char words[6][NAME_MAX + 16], out[PATH_MAX];
    const char *argv[WORDS_MAX] = { k->s->quern, "run", "--quiet", out };
    const char *write[] = { k->fifo, NULL };
    struct qn_lab_path_list p = { .n = 0 };
    struct qn_lab_job job = { .argv = argv, .directory = k->folder, .limits = qn_lab_limits_quern, .seconds = RUN_SECONDS,
                              .paths = { p.at, write }, .input = k->w->input, .input_size = k->w->input_size };
    struct profile profile = { open(k->fifo, O_RDWR | O_NONBLOCK | O_CLOEXEC), eventfd(0, EFD_CLOEXEC), NULL, 0, false };
    unsigned n = 4;
    pthread_t reader;
    bool ran;

    snprintf(out, sizeof out, "--out-file=%s", k->fifo);
    job.limits.cpu_seconds = RUN_CPU_SECONDS;
    add_caches(k, argv, &n, words);
    add_words(k, argv, n);
    put_run(k, argv);
    if (profile.fifo < 0 || profile.end < 0 || pthread_create(&reader, NULL, attend, &profile)) {
        fail(k, k->fifo, strerror(errno));
        return;
    }
    qn_lab_add_system(&p, false);
    qn_lab_add_path(&p, k->folder);
    qn_lab_add_path(&p, k->s->library);
    qn_lab_add_quern(&p, k->s->quern);
    qn_lab_add_path(&p, "/proc"); /* the engine reads its maps */
    ran = qn_lab_run(&job);
    eventfd_write(profile.end, 1);
    pthread_join(reader, NULL);
    put_result(k, &job, &profile, ran);
    qn_lab_free_job(&job);
    qn_lab_free_paths(&p);
    free(profile.text);
}

/* ---- all ---- */

static bool name_paths(struct work *k)
{
    return asprintf(&k->run, "%s/run", k->s->scratch) >= 0 && asprintf(&k->folder, "%s/work", k->run) >= 0
           && asprintf(&k->fifo, "%s/profile", k->run) >= 0;
}

void qn_serve_work(const struct qn_serve *s, const struct qn_serve_wanted *w, int out)
{
    struct work k = { .s = s, .w = w, .answer = json_object() };
    FILE *f = fdopen(out, "w");

    if (!f || !k.answer || !name_paths(&k))
        return;
    if (make_folders(&k) && (!has_own_module(&k) || build_simulator(&k)) && compile(&k))
        run(&k);
    json_dumpf(k.answer, f, JSON_COMPACT);
    fclose(f);
}
