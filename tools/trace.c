/* tools/trace.c - `quern trace`: records every reference and branch of a program.
 *
 *   quern trace -o ls.trace -- ls -l          then: quern replay --sim=fifo ls.trace
 *
 * quern's own format: emitted code logs blocks and addresses (analysis/record.c); a thread of this process writes parts of them to the
 * output (lib/trace), which gets its name at the end.  Other formats are made of such a trace in TMPDIR, with the bytes of the code for
 * ChampSim's.  Options before PROGRAM go to `quern run`.
 *
 * If the program or `quern run` is killed, or this process gets SIGINT, SIGTERM or SIGHUP, the output is a complete trace up to then.
 */
#define _GNU_SOURCE

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "text/options.h"
#include "tools.h"
#include "engines/engines.h"
#include "json/json.h"
#include "text/error.h"
#include "text/memory.h"
#include "text/output.h"
#include "trace/trace.h"

#define ARGUMENTS_MAX 4096
#define CHUNK (1u << 20)
enum { OWN, CHAMPSIM, CHAMPSIM72, TEXTS }; /* of formats; lines from TEXTS on */
#define SIGNALLED 128 /* as shells have it */

struct settings {
    const char *output, *recover, *info;
    int format, compression;     /* numbers of words */
    enum qn_trace_packing packing;
    uint64_t from, count;        /* instructions */
    bool quiet, json;
    char **words;                /* options of quern run, the program */
};

static const char *const formats[] = { "quern", "champsim", "champsim72", "text", "lackey", "din", NULL },
                  *const compressions[] = { "auto", "none", "zstd", "xz", NULL };

#define OPTION(names, argument, help, take, field) QN_OPTION(names, argument, help, take, struct settings, field)
static const struct qn_option options[] = {
    OPTION("-o", "FILE", "the trace [quern.trace]", qn_option_text, output),
    QN_OPTION_OF(formats, "--format", "quern|champsim|champsim72|text|lackey|din",
                 "quern replay's own, a record of 64 or 72 bytes per instruction for ChampSim, or a line per reference: what quern replay --format writes, with its caches or those of --I1= --D1= --LL= --sim= [quern]", qn_option_word, struct settings, format),
    QN_OPTION_OF(compressions, "--compress", "auto|none|zstd|xz",
                 "auto: xz or zstd if FILE ends in .xz or .zst; of quern's own traces zstd, of others nothing otherwise [auto]",
                 qn_option_word, struct settings, compression),
    OPTION("--from", "N", "leave out the first N instructions [0]", qn_option_number, from),
    OPTION("--count", "N", "record N instructions [all]", qn_option_number, count),
    OPTION("-q, --quiet", NULL, "no counts behind the program's output (of ChampSim's formats)", qn_option_set, quiet),
    OPTION("--info", "FILE", "say what is in a trace of quern's own, and whether it is whole", qn_option_text, info),
    OPTION("--json", NULL, "with --info: as JSON (doc/json.md)", qn_option_set, json),
    OPTION("--recover", "FILE", "make a whole trace of what a killed quern trace has left beside the output (.FILE.*), or in TMPDIR", qn_option_text, recover),
    QN_OPTION_HELP, QN_OPTION_VERSION, QN_OPTIONS_END };

static const struct qn_options command = {
    .tool = "trace", .prefix = "quern: trace", .own = options, .first = QN_OPTIONS_OTHERS,
    .begin = "usage: quern trace [OPTIONS] [OPTIONS OF quern run] [--] PROGRAM [ARGUMENTS]\n"
             "       quern trace --info FILE\n       quern trace --recover FILE\n\n"
             "Records all fetches, data references and branches of PROGRAM for `quern replay` or ChampSim.\n\n" };

static int complain(const char *file, const char *what)
{
    qn_text_complain("quern: trace: %s: %s", file, what);
    return 1;
}

/* ---- the program ---- */

/* quern ARGV ..., without its standard output if `silent`.  The exit status.  Signals that would end us wait, or are handed on: what was
 * recorded has to be delivered. */
static int run_quern(struct qn_engines_guard *g, char **argv, bool silent)
{
    int status;
    pid_t child;

    argv[0] = qn_engines_own_path("trace");
    if (!argv[0])
        return 1;
    child = fork();
    if (child == 0) {
        int null = silent ? open("/dev/null", O_WRONLY) : -1;

        qn_engines_in_child(g);
        if (silent)
            dup2(null, STDOUT_FILENO);
        execv(argv[0], argv);
        _exit(complain(argv[0], strerror(errno)));
    }
    if (child < 0)
        return complain("fork", strerror(errno));
    status = qn_engines_await(g, child);
    return WIFEXITED(status) ? WEXITSTATUS(status) : SIGNALLED + WTERMSIG(status);
}

/* quern run --analysis=record OPTION ... */
static int run_recorder(struct qn_engines_guard *g, const struct settings *s, char *option)
{
    struct qn_text_memory memory = { 0 };
    struct qn_text_words argv = { .memory = &memory };
    int status;

    qn_text_add_words(&argv, (char *[]){ (char *)"quern", (char *)"run", (char *)"--analysis=record", option, (char *)"--branch-sim=yes", (char *)"--quiet",
                                         (char *)"--out-file=/dev/null", NULL });
    qn_text_add_words(&argv, s->words);
    status = run_quern(g, argv.at, false);
    qn_text_free_memory(&memory);
    return status;
}

/* ---- quern's own format: written block by block while the program runs ---- */

/* Keeps what could be written: a complete trace, or parts from which --recover makes one. */
static void deliver_short(const struct qn_trace_counts *c, const char *why, struct qn_text_output *o)
{
    struct qn_text_error err = { .status = QN_TEXT_OK };
    char *name = strdup(o->path), *left = NULL;

    if (c->whole)
        qn_text_close_output(o, &err);
    else if (c->instructions)
        left = qn_text_leave_output(o);
    else
        qn_text_drop_output(o);
    if (err.status != QN_TEXT_OK)
        qn_text_complain("quern: trace: %s", err.text);
    else if (c->whole)
        qn_text_complain("quern: trace: %s: cannot write: %s; it is whole up to instruction %" PRIu64, name ? name : "", why, c->instructions);
    else if (left)
        qn_text_complain("quern: trace: %s: cannot write: %s; what there is up to instruction %" PRIu64 " is left in %s, which --recover makes whole",
                         name ? name : "", why, c->instructions, left);
    else
        qn_text_complain("quern: trace: %s: cannot write: %s; nothing of it is kept", name ? name : "", why);
    free(left);
    free(name);
}

/* Makes the output from what the writer has: the whole trace or the part that could be written.  begun: the program was recorded at all.
 * status: of the program; returned, or 1 if that is 0 and not all could be written: then a line was printed. */
static int deliver_blocks(struct qn_trace_writer *w, bool begun, struct qn_text_output *o, int status)
{
    struct qn_text_error err = { .status = QN_TEXT_OK };
    struct qn_trace_counts counts;
    bool good = qn_trace_close_writer(w, &counts);
    const char *why = strerror(errno);

    if (good && begun) {
        if (qn_text_close_output(o, &err) == QN_TEXT_OK)
            return status;
        qn_text_complain("quern: trace: %s: not written", err.text);
    } else if (begun && !counts.bug) {
        deliver_short(&counts, why, o);
    } else {
        if (begun)
            qn_text_complain("quern: trace: a bug, please report it: %s", counts.bug);
        qn_text_drop_output(o);
        return begun ? 1 : status;
    }
    return status ? status : 1;
}

static int record_blocks(struct qn_engines_guard *g, const struct settings *s, enum qn_trace_packing packing, struct qn_text_output *o)
{
    FILE *f = qn_text_stream_output(o);
    struct qn_trace_writer *w = f ? qn_trace_open_writer(f, packing, s->from, s->count) : NULL;
    struct qn_trace_recorder *r = w ? qn_trace_open_recorder(w) : NULL;
    char option[120];
    bool begun = false;
    int status;

    if (!r) {
        status = complain(o->path, strerror(errno));
        if (w)
            qn_trace_close_writer(w, &(struct qn_trace_counts){ .bug = NULL });
        qn_text_drop_output(o);
        return status;
    }
    snprintf(option, sizeof option, "--sim-opt=record-ring=%d,record-socket=%d,record-code=%d", qn_trace_recorder_fds(r)[0], qn_trace_recorder_fds(r)[1],
             s->format == CHAMPSIM || s->format == CHAMPSIM72);
    status = run_recorder(g, s, option);
    qn_trace_close_recorder(r, &begun);
    return deliver_blocks(w, begun, o, status);
}

/* ---- other formats: made of a trace of quern's own ---- */

static bool copy(const char *name, struct qn_trace_pack *to)
{
    static char in[CHUNK];
    FILE *from = fopen(name, "rb");
    bool good = from;

    for (size_t n; good && (n = fread(in, 1, sizeof in, from)) > 0;)
        good = qn_trace_pack(to, in, n);
    good = good && !ferror(from);
    if (from)
        fclose(from);
    return good;
}

static void print_champsim(const struct qn_champsim_counts *c)
{
    const uint64_t *b = c->branches;

    fprintf(stderr, "instructions %" PRIu64 ", reads %" PRIu64 ", writes %" PRIu64 "\n", c->instructions, c->reads, c->writes);
    fprintf(stderr, "branches: %" PRIu64 " conditional (%" PRIu64 " taken), %" PRIu64 " jumps, %" PRIu64 " indirect jumps, %" PRIu64
            " calls, %" PRIu64 " indirect calls, %" PRIu64 " returns\n", b[QN_CHAMPSIM_CONDITIONAL], c->taken, b[QN_CHAMPSIM_JUMP],
            b[QN_CHAMPSIM_INDIRECT], b[QN_CHAMPSIM_CALL], b[QN_CHAMPSIM_INDIRECT_CALL], b[QN_CHAMPSIM_RETURN]);
}

static bool write_champsim(const struct settings *s, const char *trace, struct qn_trace_pack *to)
{
    struct qn_champsim_counts counts;
    char why[PATH_MAX + 600];
    struct qn_trace_reader *from = qn_trace_open(trace, why, sizeof why);
    bool good = from && qn_trace_write_champsim(to, from, s->format == CHAMPSIM ? QN_CHAMPSIM_SHORT : QN_CHAMPSIM_LONG, &counts);

    qn_trace_close(from);
    if (good && !s->quiet)
        print_champsim(&counts);
    if (good && counts.left_out) /* with -q, too */
        fprintf(stderr, "%" PRIu64 " references were left out: a record has four reads and two writes\n", counts.left_out);
    return good;
}

/* The options of the run that are those of a replay, too. */
static int add_caches(char **argv, int n, char **words)
{
    static const char *const caches[] = { "--I1=", "--D1=", "--L2=", "--LL=", "--sim=", "--sim-opt=", "--seed=" };

    for (; *words && words[0][0] == '-' && words[0][1] && n < ARGUMENTS_MAX; words++)
        for (size_t i = 0; i < sizeof caches / sizeof *caches; i++)
            if (!strncmp(*words, caches[i], strlen(caches[i])))
                argv[n++] = *words;
    return n;
}

/* quern replay --outcomes=TEXT ... TRACE.  false: a line was printed. */
static bool make_text(struct qn_engines_guard *g, const struct settings *s, char *trace, const char *text)
{
    char outcomes[PATH_MAX + 16], format[40], *argv[ARGUMENTS_MAX + 16] = { NULL, (char *)"replay", outcomes, format };

    snprintf(outcomes, sizeof outcomes, "--outcomes=%s", text);
    snprintf(format, sizeof format, "--format=%s", formats[s->format]);
    argv[add_caches(argv, 4, s->words)] = trace;
    return run_quern(g, argv, true) == 0;
}

/* The output: the records of this trace, or the text.  false: a line was printed. */
static bool deliver(const struct settings *s, const char *trace, const char *text, struct qn_text_output *o)
{
    struct qn_text_error err = { .status = QN_TEXT_OK };
    FILE *f = qn_text_stream_output(o);
    struct qn_trace_pack *to = f ? qn_trace_open_pack(f, s->packing) : NULL;
    bool good;
    int error;

    errno = 0;
    good = to && (s->format < TEXTS ? write_champsim(s, trace, to) : copy(text, to));
    error = errno;
    if (to && !qn_trace_close_pack(to) && good)
        good = false, error = errno;
    if (good && qn_text_close_output(o, &err) == QN_TEXT_OK)
        return true;
    if (!good) {
        qn_text_fail(&err, QN_TEXT_IO, "%s: cannot write: %s", o->path, error ? strerror(error) : "no memory");
        qn_text_drop_output(o);
    }
    qn_text_complain("quern: trace: %s; the trace is kept, in quern's own form, in %s", err.text, trace);
    return false;
}

/* Records into a file of this folder, and makes the output of that.  *kept: that failed, and the trace stays. */
static int record_in(struct qn_engines_guard *g, const struct settings *s, const char *folder, struct qn_text_output *o, bool *kept)
{
    struct qn_text_error err = { .status = QN_TEXT_OK };
    struct qn_text_output own;
    char trace[PATH_MAX], text[PATH_MAX];
    int status;

    snprintf(trace, sizeof trace, "%s/trace", folder);
    snprintf(text, sizeof text, "%s/text", folder);
    if (qn_text_open_output(&own, trace, QN_TEXT_PRIVATE, &err) != QN_TEXT_OK)
        return qn_text_drop_output(o), qn_text_complain("quern: trace: %s", err.text), 1;
    status = record_blocks(g, s, QN_TRACE_ZSTD, &own);
    if (access(trace, R_OK) || (s->format >= TEXTS && !make_text(g, s, trace, text))) { /* it did not begin, or could not be written */
        *kept = access(trace, R_OK) && rmdir(folder) && errno == ENOTEMPTY;
        return qn_text_drop_output(o), status ? status : 1;
    }
    *kept = !deliver(s, trace, text, o);
    return status ? status : *kept;
}

static int record_other(struct qn_engines_guard *g, const struct settings *s, struct qn_text_output *o)
{
    const char *tmp = getenv("TMPDIR");
    char folder[PATH_MAX - 32];
    bool kept = false;
    int status;

    snprintf(folder, sizeof folder, "%s/quern-trace.XXXXXX", tmp && *tmp ? tmp : "/tmp");
    if (!qn_text_make_scratch(folder))
        return qn_text_drop_output(o), complain(folder, strerror(errno));
    status = record_in(g, s, folder, o, &kept);
    if (kept)
        qn_text_keep_scratch(folder);
    else
        qn_text_remove_scratch(folder);
    return status;
}

/* The output is opened before the program starts, and a device that is full has said so. */
static int record(const struct settings *s)
{
    struct qn_text_error err = { .status = QN_TEXT_OK };
    struct qn_text_output o;
    struct qn_engines_guard g;
    int status;

    if (qn_text_check_output(s->output, &err) != QN_TEXT_OK || qn_text_open_output(&o, s->output, QN_TEXT_SHARED, &err) != QN_TEXT_OK)
        return qn_text_complain("quern: trace: %s", err.text), 1;
    qn_engines_guard(&g);
    status = s->format == OWN ? record_blocks(&g, s, s->packing, &o) : record_other(&g, s, &o);
    g.signal = 0; /* it was the program's */
    qn_engines_unguard(&g);
    return status;
}

static int recover(const char *name)
{
    int fd = open(name, O_RDWR | O_CLOEXEC | O_NONBLOCK);
    struct qn_trace_facts f;
    const char *what = "is not what quern trace records, or is compressed, and so has its end";
    bool good;

    if (fd < 0)
        return complain(name, strerror(errno));
    good = qn_trace_end_parts(fd, &f);
    if (!good)
        complain(name, errno ? strerror(errno) : *f.wrong ? f.wrong : what);
    return close(fd) ? complain(name, strerror(errno)) : !good;
}

/* Prints what a trace in quern's own format contains. */
static int tell(const char *name, bool json)
{
    static const char *const packings[] = { "none", "zstd", "xz" };
    int fd = open(name, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    struct qn_trace_facts f;
    bool good = fd >= 0 && qn_trace_measure_parts(fd, &f);

    if (!good)
        return complain(name, errno ? strerror(errno) : "got no \"QNTRACE3\", wanted what quern trace records");
    close(fd);
    if (json) {
        const struct qn_json_trace t = { f.parts, f.instructions, f.references, f.bytes, f.packing < 3 ? packings[f.packing] : "?", f.ended };

        if (!f.ended)
            complain(name, f.wrong);
        return qn_json_write_trace(stdout, name, &t) ? !f.ended : complain(name, "cannot write JSON, or built without jansson");
    }
    printf("parts %" PRIu64 ", instructions %" PRIu64 ", references %" PRIu64 "\nbytes %" PRIu64 ", bits per reference %.3f, compressed by %s\n%s",
           f.parts, f.instructions, f.references, f.bytes, f.references ? 8.0 * (double)f.bytes / (double)f.references : 0,
           f.packing < 3 ? packings[f.packing] : "?", f.ended ? "whole\n" : "");
    fflush(stdout);
    if (f.cut)
        qn_text_complain("quern: trace: %s: %s; --recover gives it an end", name, f.wrong);
    return f.ended ? 0 : f.cut ? 1 : complain(name, f.wrong);
}

static bool ends_in(const char *name, const char *suffix)
{
    size_t n = strlen(name), m = strlen(suffix);

    return n >= m && !strcmp(name + n - m, suffix);
}

static void choose_packing(struct settings *s)
{
    static const enum qn_trace_packing chosen[] = { QN_TRACE_PLAIN, QN_TRACE_PLAIN, QN_TRACE_ZSTD, QN_TRACE_XZ };

    s->packing = chosen[s->compression];
    if (s->compression == 0 && ends_in(s->output, ".xz"))
        s->packing = QN_TRACE_XZ;
    else if (s->compression == 0 && (ends_in(s->output, ".zst") || s->format == OWN))
        s->packing = QN_TRACE_ZSTD;
}

int qn_tool_trace(int argc, char **argv)
{
    struct settings s = { .output = "quern.trace", .count = UINT64_MAX };
    int status = qn_options_take(&command, &s, argv, &s.words);

    (void)argc;
    if (status >= 0)
        return status;
    if (s.recover)
        return recover(s.recover);
    if (s.info)
        return tell(s.info, s.json);
    if (!*s.words)
        return fputs("quern: trace: no program given; `quern trace --help` tells how\n", stderr), QN_EXIT_USAGE;
    if (s.count > UINT64_MAX - s.from)
        s.count = UINT64_MAX - s.from;
    choose_packing(&s);
    return record(&s);
}
