/* tools/watch.c - `quern watch`: a page that plays the D1's work, reference by reference.
 *
 * In:  quern watch --line=mm.c:12 --references=2000 --cache=lru:1024,2,64 --cache=fifo:1024,2,64 -- ./mm
 * Out: one HTML file; exit 0, 1 (a run or a write failed), 2 (usage)
 *
 * `quern run --watch` records the references, once for each cache.  The program has the same input and environment each time, so it makes
 * the same references; if the runs differ, the page is refused.  `quern replay --watch` does the same with a recorded trace, and with
 * predictors.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "text/options.h"
#include "text/source.h"
#include "tools.h"
#include "collect/collect.h"
#include "engines/engines.h"
#include "text/memory.h"
#include "text/csv.h"
#include "page/watch/watch.h"
#include "text/error.h"
#include "text/output.h"

struct settings {
    const char *output, *line, *region, *trace;
    const char *coherence;
    uint64_t from, references, cores, quantum;
    char *caches[QN_PAGE_CACHES_MAX]; /* as given; or predictors */
    int count, predictors;
    bool quiet;
};

struct runner {
    bool from_main;         /* the stretch begins where main does */
    struct settings *s;
    struct qn_text_memory memory;
    struct qn_engines_guard guard;
    char *scratch;
    char *self;
    char **program;
    const char *places, *at; /* of predictors: where branches lie, a file; the addresses of those of --line.  NULL: not known, all */
};

#define PROGRAM "quern watch"
#define USUAL_OUTPUT "quern-watch.html"
#define USUAL_REFERENCES 2000
#define USUAL_QUANTUM 20 /* instructions: threads take turns that are seen */
#define MOST_REFERENCES 100000 /* what a browser plays with ease */

static const char help[] =
    "usage: quern watch [-o FILE] [OPTIONS] [--] PROGRAM [ARGUMENTS]\n"
    "       quern watch [-o FILE] [OPTIONS] --trace=FILE\n"
    "       quern watch [-o FILE] [OPTIONS] --predictor=NAME ... PROGRAM [ARGUMENTS]\n"
    "\n"
    "Writes an HTML file that plays what the D1 did with a stretch of a program's data references: its sets and\n"
    "ways, hit or miss, which line was evicted and why. Several caches are shown side by side. With --predictor it\n"
    "plays what predictors did with a stretch of the branches: counters, histories, weights, predictions, updates.\n"
    "\n";

static const char help_end[] =
    "\nThe program runs once for each cache, or once in all, recorded whole, for the predictors. Its input is empty,\n"
    "and its output is thrown away. A trace knows addresses of instructions, but no source. A cache without a\n"
    "geometry has that of quern replay.\n";

/* ---- options ---- */

static const char *take_cache(const struct qn_option *o, void *field, char **value)
{
    struct settings *s = field;

    (void)o;
    if (s->count == QN_PAGE_CACHES_MAX)
        return "four of them at most";
    s->caches[s->count++] = *value;
    return NULL;
}

static const char *take_predictor(const struct qn_option *o, void *field, char **value)
{
    struct settings *s = field;

    s->predictors++;
    return take_cache(o, field, value);
}

static const struct qn_option options[] = {
    QN_OPTION_PLAIN("--cache", "NAME:SIZE,WAYS,LINE", "the D1: a policy or a C file and its geometry, or one of both; may be repeated [lru]", take_cache),
    QN_OPTION_PLAIN("--predictor", "NAME:KEY=VALUE,...", "a predictor or a C file, with its options if need be, in place of caches; may be repeated", take_predictor),
    QN_OPTION("--cores", "N", "the D1s of 2 to 4 cores side by side with the states of their lines, and the bus [one D1 for all threads]", qn_option_number, struct settings, cores),
    QN_OPTION("--coherence", "PROTOCOL|FILE", "of the cores: msi, mesi, moesi, dragon [mesi]", qn_option_text, struct settings, coherence),
    QN_OPTION("--quantum", "N", "a thread's turn is N instructions, or less [20]", qn_option_number, struct settings, quantum),
    QN_OPTION("--line", "FILE:LINE", "begin when this line of source first refers to data, or branches", qn_option_text, struct settings, line),
    QN_OPTION("--region", "NAME", "begin with the first data reference of this region, which the program names (quern.h)", qn_option_text, struct settings, region),
    QN_OPTION("--from", "N", "begin with the Nth data reference, or branch, of the run [the first in main, with an empty cache or predictor]", qn_option_number, struct settings, from),
    QN_OPTION("--references", "N", "show so many, 100,000 at most [2000]", qn_option_number, struct settings, references),
    QN_OPTION("--trace", "FILE", "of a trace that quern trace has recorded, instead of a program", qn_option_text, struct settings, trace),
    QN_OPTION_SOURCE_MAP,
    QN_OPTION("-o", "FILE", "write to FILE, complete or not at all [" USUAL_OUTPUT "]", qn_option_text, struct settings, output),
    QN_OPTION("-q, --quiet", NULL, "do not say which run is being made", qn_option_set, struct settings, quiet),
    QN_OPTION_HELP, QN_OPTION_VERSION, QN_OPTIONS_END };

#define TOLD "which tells where to begin, too"
static const struct qn_option_rule rules[] = {
    { "--line", true, "--trace", "which names no source; --from=N tells where to begin" },
    { "--region", true, "--trace", "which names no source; --from=N tells where to begin" },
    { "--predictor", true, "--region or --cache", NULL },
    { "--cores", true, "--trace or --predictor", NULL },
    { "--coherence", false, "--cores", NULL },
    { "--quantum", false, "--cores", NULL },
    { "--from", true, "--line or --region", TOLD },
    { "--region", true, "--line", TOLD },
    { NULL, false, NULL, NULL } };

static const struct qn_options command = { "watch", PROGRAM, help, help_end, options, NULL, true, rules };

/* What is watched: a program or a trace.  -1, or the exit status. */
static int check_what(const struct settings *s, char **program)
{
    if (!s->trace)
        return *program ? -1 : qn_options_wrong(&command, "", "name a program");
    if (*program)
        return qn_options_wrong(&command, "--trace", "not with a program");
    if (!strcmp(s->trace, "-"))
        return qn_options_wrong(&command, "--trace", "got standard input, wanted a file, which is read once for each cache");
    return -1;
}

static int parse(struct settings *s, char **argv, char ***program)
{
    int status = qn_options_take(&command, s, argv, program);

    if (status >= 0)
        return status;
    status = check_what(s, *program);
    if (status >= 0)
        return status;
    if (!s->references || s->references > MOST_REFERENCES)
        return qn_options_wrong(&command, "--references", "wanted 1 to 100,000");
    if (s->cores == 1 || s->cores > QN_PAGE_CACHES_MAX || (s->cores && s->count > 1))
        return qn_options_wrong(&command, "--cores", s->count > 1 ? "one cache for all of them" : "wanted 2 to 4");
    if (!s->count)
        s->caches[s->count++] = (char *)(s->cores ? "1024,2,64" : "lru");
    for (; s->cores && s->count < (int)s->cores; s->count++)
        s->caches[s->count] = s->caches[0];
    return -1;
}

/* ---- commands ---- */

#define ADD qn_text_add_word

static struct qn_text_words begin(struct runner *r, const char *command)
{
    struct qn_text_words w = { .memory = &r->memory };

    ADD(&w, "%s", r->self);
    ADD(&w, "%s", command);
    return w;
}

static char **end_with_program(const struct runner *r, struct qn_text_words *w)
{
    ADD(w, "--");
    qn_text_add_words(w, r->program);
    return w->at;
}

/* "lru:1024,2,64", "lru", "1024,2,64" */
static void add_cache(struct qn_text_words *w, const char *cache)
{
    const char *colon = strrchr(cache, ':'), *geometry = colon ? colon + 1 : cache;
    size_t name = colon ? (size_t)(colon - cache) : 0;

    if (!colon && strspn(cache, "0123456789,") != strlen(cache)) {
        geometry = "";
        name = strlen(cache);
    }
    if (name && (name != 3 || strncmp(cache, "lru", name)))
        ADD(w, "--sim=D1=%.*s", (int)name, cache);
    if (*geometry)
        ADD(w, "--D1=%s", geometry);
}

/* The slot that the predictor is for; -1: none, and a line says so. */
static int slot_of(const char *name)
{
    struct qn_engines_choice c = { .tool = "watch", .option = "--predictor" };
    int slot;

    if (!strcmp(name, "default"))
        return QN_ENGINES_BC;
    if (!qn_engines_choose(&c, name))
        return -1;
    slot = c.slot[QN_ENGINES_BC].name ? QN_ENGINES_BC : c.slot[QN_ENGINES_BI].name ? QN_ENGINES_BI : -1;
    qn_engines_free_choice(&c);
    if (slot < 0)
        qn_text_complain("quern: watch: --predictor=%s: no predictor", name);
    return slot;
}

/* "gshare:bits=4": the length of the name. */
static size_t name_length(const char *predictor)
{
    const char *colon = strchr(predictor, ':');

    return colon && strchr(colon, '=') ? (size_t)(colon - predictor) : strlen(predictor);
}

/* "gshare:bits=4,gshare-history=2" -> --sim=BC=gshare --sim-opt=bits=4,gshare-history=2.  Returns the name of its slot; NULL: it has none,
 * which a line says. */
static const char *add_predictor(struct qn_text_words *w, const char *predictor)
{
    size_t length = name_length(predictor);
    const char *name = qn_text_copy_part(w->memory, predictor, length);
    int slot = slot_of(name);

    if (slot < 0)
        return NULL;
    if (strcmp(name, "default"))
        ADD(w, "--sim=%s=%s", slot == QN_ENGINES_BI ? "BI" : "BC", name);
    if (predictor[length])
        ADD(w, "--sim-opt=%s", predictor + length + 1);
    return slot == QN_ENGINES_BI ? "BI" : "BC";
}

static void add_stretch(struct qn_text_words *w, const struct settings *s, const char *file)
{
    ADD(w, "--watch=%" PRIu64, s->references);
    ADD(w, "--watch-file=%s", file);
    if (s->from)
        ADD(w, "--watch-from=%" PRIu64, s->from);
}

static char **make_replay(struct runner *r, int i, const char *file)
{
    const char *cache = r->s->caches[i];
    struct qn_text_words w = begin(r, "replay");

    add_stretch(&w, r->s, file);
    if (r->s->predictors) {
        ADD(&w, "--watch-of=%s", add_predictor(&w, cache));
        if (r->at)
            ADD(&w, "--watch-at=%s", r->at);
    } else {
        add_cache(&w, cache);
    }
    ADD(&w, "%s%s", *r->s->trace == '-' ? "./" : "", r->s->trace);
    return w.at;
}

static char **make_run(struct runner *r, int i, const char *file)
{
    struct qn_text_words w = begin(r, "run");

    ADD(&w, "--quiet");
    ADD(&w, "--out-file=/dev/null");
    add_stretch(&w, r->s, file);
    if (r->s->region)
        ADD(&w, "--watch-region=%s", r->s->region);
    if (r->from_main)
        ADD(&w, "--toggle=main");
    if (r->s->line) {
        ADD(&w, "--explain=%s", r->s->line);
        ADD(&w, "--explain-file=/dev/null");
    }
    if (r->s->cores) { /* each run makes the same references, and shows another core */
        ADD(&w, "--cores=%" PRIu64, r->s->cores);
        ADD(&w, "--quantum=%" PRIu64, r->s->quantum);
        ADD(&w, "--sim-opt=watch-core=%d", i);
        if (r->s->coherence)
            ADD(&w, "--coherence=%s", r->s->coherence);
    }
    add_cache(&w, r->s->caches[i]);
    return end_with_program(r, &w);
}

static char **make_recording(struct runner *r, const char *trace)
{
    struct qn_text_words w = begin(r, "trace");

    ADD(&w, "-o");
    ADD(&w, "%s", trace);
    ADD(&w, "--branches-file=%s", r->places);
    if (r->from_main)
        ADD(&w, "--toggle=main");
    return end_with_program(r, &w);
}

/* ---- runs ---- */

static void redirect(int errors)
{
    int none = open("/dev/null", O_RDWR);

    if (none < 0)
        _exit(1);
    dup2(none, STDIN_FILENO);
    dup2(none, STDOUT_FILENO);
    dup2(errors, STDERR_FILENO);
}

/* What `quern run` or `quern replay` complains about is passed on; what the program says is not. */
static void pass_on(int errors)
{
    FILE *f = lseek(errors, 0, SEEK_SET) ? NULL : fdopen(errors, "r");
    char *line = NULL;
    size_t room = 0;

    while (f && getline(&line, &room, f) > 0)
        if (!strncmp(line, "quern: ", 7))
            fputs(line, stderr);
    free(line);
    if (f)
        fclose(f);
    else if (errors >= 0)
        close(errors);
}

/* 0, or the exit status of a run that made no file, or of a replay that failed; their messages are passed on, unless it began in main. */
static int execute(struct runner *r, char **argv, const char *file, bool replay)
{
    int fd = memfd_create("errors", MFD_CLOEXEC), status = 0; /* it has room on a full disk, too */
    pid_t child = fd < 0 || r->guard.signal ? -1 : fork();

    if (child == 0) {
        qn_engines_in_child(&r->guard);
        redirect(fd);
        execv(argv[0], argv);
        _exit(127);
    }
    if (child > 0)
        status = qn_engines_await(&r->guard, child);
    if (!access(file, F_OK) && (!replay || !status)) { /* the program may well end with another status */
        close(fd);
        return 0;
    }
    if (r->from_main && !replay)
        close(fd); /* a second attempt follows */
    else
        pass_on(fd);
    return WIFEXITED(status) && WEXITSTATUS(status) ? WEXITSTATUS(status) : 1;
}

/* Is there a line behind the names of the columns? */
static bool has_steps(const char *file)
{
    FILE *f = fopen(file, "r");
    int lines = 0;

    for (int c; f && lines < 2 && (c = getc(f)) != EOF;)
        lines += c == '\n';
    if (f)
        fclose(f);
    return lines == 2;
}

/* Where nothing else tells where to begin, main does; a program that has none, or no names, is watched from its beginning. */
static int run_cache(struct runner *r, int i, const char *file)
{
    int status;

    if (!r->s->quiet)
        qn_text_complain(PROGRAM ": %d of %d: %s%s", i + 1, r->s->count, r->s->cores ? "a core of " : "", r->s->caches[i]);
    status = execute(r, (r->s->trace ? make_replay : make_run)(r, i, file), file, r->s->trace);
    if (!r->from_main || r->s->trace || (!status && has_steps(file)))
        return status;
    r->from_main = false;
    return execute(r, make_run(r, i, file), file, false);
}

/* ---- predictors: the program is recorded once, and the trace is replayed for each ----
 *
 * The run that records tells where each branch lies (cost/side_tables/branches.h): for the page, and for --line.
 */

enum { PC, SOURCE_FILE, SOURCE_LINE };

/* A program without main makes no trace of it: all of it is recorded. */
static int record(struct runner *r)
{
    char *trace = qn_text_format(&r->memory, "%s/trace", r->scratch);
    int status;

    if (!r->s->quiet)
        qn_text_complain(PROGRAM ": recording %s", r->program[0]);
    r->places = qn_text_format(&r->memory, "%s/branches.csv", r->scratch);
    status = execute(r, make_recording(r, trace), trace, false);
    if (status && r->from_main) {
        r->from_main = false;
        status = execute(r, make_recording(r, trace), trace, false);
    }
    r->from_main = false;
    r->s->trace = trace;
    return status;
}

/* Does `name` name this file?  It is the whole path, or the part behind one of its slashes. */
static bool is_file(const char *path, const char *name, size_t n)
{
    size_t length = strlen(path);

    return length >= n && !strncmp(path + length - n, name, n) && (length == n || path[length - n - 1] == '/');
}

static int find_line(struct runner *r)
{
    const char *colon = strrchr(r->s->line, ':');
    struct qn_text_error err = { .status = QN_TEXT_OK };
    struct qn_text_table t = { 0 };

    if (!colon || strspn(colon + 1, "0123456789") != strlen(colon + 1) || !colon[1])
        return qn_text_complain("quern: watch: --line: got '%s', wanted FILE:LINE", r->s->line), QN_EXIT_USAGE;
    qn_text_read_table(&t, r->places, &err);
    for (int i = 0; i < t.row_count && t.column_count > SOURCE_LINE; i++)
        if (!strcmp(t.rows[i][SOURCE_LINE], colon + 1) && is_file(t.rows[i][SOURCE_FILE], r->s->line, (size_t)(colon - r->s->line)))
            r->at = qn_text_format(&r->memory, "%s%s%s", r->at ? r->at : "", r->at ? "," : "", t.rows[i][PC]);
    qn_text_free_table(&t);
    if (err.status != QN_TEXT_OK)
        return qn_text_complain("quern: watch: %s", err.text), 1;
    return r->at ? 0 : (qn_text_complain("quern: watch: --line=%s: the program has executed no branch of this line", r->s->line), QN_EXIT_USAGE);
}

/* A trace of one instruction shows whether the predictor takes its options, before anything is recorded. */
static int check_predictor(struct runner *r, const char *predictor)
{
    const char *trace = qn_text_format(&r->memory, "%s/short", r->scratch);
    struct qn_text_words w = begin(r, "replay");
    FILE *f = fopen(trace, "w");
    bool written = f && fputs("I  04,4\n", f) >= 0;

    if (f && fclose(f))
        written = false;
    if (!written)
        return qn_text_complain("quern: watch: %s: %m", trace), 1;
    ADD(&w, "%s", trace);
    return add_predictor(&w, predictor) ? execute(r, w.at, trace, true) : QN_EXIT_USAGE;
}

/* Records the program, unless a trace is given, and finds the branches of --line.  0, or the exit status. */
static int prepare(struct runner *r)
{
    int status = 0;

    for (int i = 0; i < r->s->count && !status; i++)
        status = check_predictor(r, r->s->caches[i]);
    if (!status && !r->s->trace)
        status = record(r);
    if (!status && r->s->line)
        status = find_line(r);
    return status;
}

/* ---- all ---- */

static int run_all(struct runner *r)
{
    struct qn_page_watch w = { .title = r->s->trace ? r->s->trace : r->program[0], .count = r->s->count, .cores = r->s->cores };
    struct qn_text_error err = { .status = QN_TEXT_OK };
    struct qn_text_output o;
    int status;

    r->from_main = !r->s->trace && !r->s->cores && !r->s->from && !r->s->line && !r->s->region;
    status = r->s->predictors ? prepare(r) : 0;
    if (status)
        return status;
    w.places = r->places;
    for (int i = 0; i < w.count; i++) {
        w.files[i] = qn_text_format(&r->memory, "%s/%d.csv", r->scratch, i);
        w.names[i] = r->s->cores ? qn_text_format(&r->memory, "core %d", i) : r->s->caches[i];
        status = run_cache(r, i, w.files[i]);
        if (status)
            return status;
    }
    if (qn_text_open_output(&o, r->s->output, QN_TEXT_SHARED, &err) == QN_TEXT_OK) {
        (r->s->predictors ? qn_page_write_branches : qn_page_write_watch)(&w, qn_text_stream_output(&o), &err);
        qn_text_close_output(&o, &err);
    }
    return err.status == QN_TEXT_OK ? 0 : (fprintf(stderr, PROGRAM ": %s\n", err.text), 1);
}

/* Before anything is said of runs: 0, or the exit status after a message of quern run. */
static int find_program(char **argv)
{
    struct qn_collect run = { .options.argv = argv };
    int status = qn_collect_find_program(&run);

    free(run.program);
    return status;
}

static int watch(struct runner *r)
{
    struct qn_text_error err = { .status = QN_TEXT_OK };
    int status;

    if (qn_text_check_output(r->s->output, &err) != QN_TEXT_OK)
        return fprintf(stderr, PROGRAM ": %s\n", err.text), 1;
    if (!(r->self = qn_engines_own_path("watch")))
        return 1;
    if (!r->s->trace && (status = find_program(r->program)))
        return status;
    qn_engines_guard(&r->guard);
    r->scratch = qn_engines_scratch("watch");
    status = r->scratch ? run_all(r) : 1;
    qn_text_remove_scratch(r->scratch);
    free(r->scratch);
    qn_engines_unguard(&r->guard);
    return status;
}

int qn_tool_watch(int argc, char **argv)
{
    static struct settings s = { .output = USUAL_OUTPUT, .references = USUAL_REFERENCES, .quantum = USUAL_QUANTUM };
    static struct runner r = { .s = &s };
    int status;

    (void)argc;
    status = parse(&s, argv, &r.program);
    if (status >= 0)
        return status;
    status = watch(&r);
    qn_text_free_memory(&r.memory);
    return status;
}
