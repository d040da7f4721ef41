/* tools/trace.c - `quern trace`: records every reference and branch of a program.
 *
 *   quern trace -o ls.trace -- ls -l          then: quern replay --sim=fifo ls.trace
 *
 * quern's own format: emitted code logs blocks and addresses (analysis/record.c); a thread of this process writes parts of them to the
 * output (lib/trace), which gets its name at the end.  For ChampSim's format, the module writes every reference to a file in TMPDIR,
 * from which the records are made.  Options before PROGRAM go to `quern run`.
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
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "options.h"
#include "tools.h"
#include "engines/engines.h"
#include "json/json.h"
#include "sim/record.h"
#include "text/error.h"
#include "text/output.h"
#include "trace/trace.h"

#define ARGUMENTS_MAX 4096
#define CHUNK (1u << 20)
#define RECORDS 3 /* of formats; those behind it are texts */
#define SIGNALLED 128 /* as shells have it */

struct settings {
    const char *output, *recover, *info;
    int format, compression;     /* numbers of words */
    unsigned champsim;           /* bytes of a record, 0: quern's own format */
    enum qn_trace_packing packing;
    uint64_t from, count;        /* instructions */
    bool quiet, json;
    char **words;                /* options of quern run, the program */
};

static const char *const formats[] = { "quern", "champsim", "champsim72", "records", "text", "lackey", "din", NULL },
                  *const compressions[] = { "auto", "none", "zstd", "xz", NULL };

#define OPTION(names, argument, help, take, field) QN_OPTION(names, argument, help, take, struct settings, field)
static const struct qn_option options[] = {
    OPTION("-o", "FILE", "the trace [quern.trace]", qn_option_text, output),
    QN_OPTION_OF(formats, "--format", "quern|champsim|champsim72|records|text|lackey|din",
                 "quern replay's own, a record of 64 or 72 bytes per instruction for ChampSim, the form before: a record per reference (lib/sim/record.h), or a line per reference: what quern replay --format writes, with its caches or those of --I1= --D1= --LL= --sim= [quern]", qn_option_word, struct settings, format),
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

/* ---- the file ---- */

static bool copy(int from, struct qn_trace_pack *to)
{
    static char in[CHUNK];
    ssize_t n;

    do {
        n = read(from, in, sizeof in);
        if (n < 0 && errno == EINTR)
            continue;
        if (n > 0 && !qn_trace_pack(to, in, (size_t)n))
            return false;
    } while (n > 0 || (n < 0 && errno == EINTR));
    return n == 0;
}

static void print_champsim(const struct qn_champsim_counts *c)
{
    const uint64_t *b = c->branches;

    fprintf(stderr, "instructions %" PRIu64 ", reads %" PRIu64 ", writes %" PRIu64 "\n", c->instructions, c->reads, c->writes);
    fprintf(stderr, "branches: %" PRIu64 " conditional (%" PRIu64 " taken), %" PRIu64 " jumps, %" PRIu64 " indirect jumps, %" PRIu64
            " calls, %" PRIu64 " indirect calls, %" PRIu64 " returns\n", b[QN_CHAMPSIM_CONDITIONAL], c->taken, b[QN_CHAMPSIM_JUMP],
            b[QN_CHAMPSIM_INDIRECT], b[QN_CHAMPSIM_CALL], b[QN_CHAMPSIM_INDIRECT_CALL], b[QN_CHAMPSIM_RETURN]);
}

/* A record per instruction out of the recorded references. */
static bool convert(int raw, unsigned bytes, bool quiet, struct qn_trace_pack *to)
{
    off_t size = lseek(raw, 0, SEEK_END);
    uint8_t *all = mmap(NULL, (size_t)size, PROT_READ, MAP_SHARED, raw, 0);
    struct qn_trace_records from = { all + RECORD_MAGIC_BYTES, all + size, { 0 } };
    struct qn_champsim_counts counts;
    bool good;

    if (all == MAP_FAILED)
        return false;
    good = qn_trace_write_champsim(to, &from, bytes, &counts);
    munmap(all, (size_t)size);
    if (good && !quiet)
        print_champsim(&counts);
    if (good && counts.left_out) /* with -q, too */
        fprintf(stderr, "%" PRIu64 " references were left out: a record has four reads and two writes\n", counts.left_out);
    return good;
}

static bool write_trace(const struct settings *s, int raw, FILE *f)
{
    struct qn_trace_pack *to = qn_trace_open_pack(f, s->packing);
    bool good = to && (s->champsim ? convert(raw, s->champsim, s->quiet, to) : copy(raw, to));

    return to && qn_trace_close_pack(to) && good;
}

/* Makes the output from `raw`, a complete file of that name.  true: that failed, and the file stays where it is. */
static bool deliver(const struct settings *s, int raw, const char *name, struct qn_text_output *o)
{
    struct qn_text_error err = { .status = QN_TEXT_OK };
    FILE *f = lseek(raw, 0, SEEK_SET) == 0 ? qn_text_stream_output(o) : NULL;

    errno = 0;
    if (f && write_trace(s, raw, f))
        qn_text_close_output(o, &err);
    else {
        qn_text_fail(&err, QN_TEXT_IO, "%s: cannot write: %s", o->path, errno ? strerror(errno) : "no memory");
        qn_text_drop_output(o);
    }
    if (err.status == QN_TEXT_OK)
        return false;
    qn_text_complain("quern: trace: %s; the trace is kept, not compressed, in %s", err.text, name);
    return true;
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
    char *argv[ARGUMENTS_MAX + 16] = { NULL, (char *)"run", (char *)"--analysis=record", option, (char *)"--branch-sim=yes", (char *)"--quiet",
                                       (char *)"--out-file=/dev/null" };
    int at = 7;

    for (char **word = s->words; *word && at < ARGUMENTS_MAX; word++)
        argv[at++] = *word;
    return run_quern(g, argv, false);
}

/* Opens a temporary file, which the recorder inherits.  NULL: a message was printed. */
static char *open_raw(int *raw)
{
    const char *tmp = getenv("TMPDIR");
    char *path;

    if (asprintf(&path, "%s/quern-trace.XXXXXX", tmp && *tmp ? tmp : "/tmp") < 0)
        return NULL;
    *raw = mkstemp(path);
    if (*raw >= 0)
        return path;
    complain(path, strerror(errno));
    free(path);
    return NULL;
}

/* Other formats: all references are recorded in a file, from which the output is made. */
static int record_raw(struct qn_engines_guard *g, const struct settings *s, struct qn_text_output *o)
{
    char option[160];
    int raw, status;
    char *name = open_raw(&raw);
    bool kept = false;
    off_t size;

    if (!name)
        return qn_text_drop_output(o), 1;
    qn_text_watch_scratch(name);
    snprintf(option, sizeof option, "--sim-opt=record-fd=%d,record-code=%d,record-from=%" PRIu64 ",record-count=%" PRIu64, raw, s->champsim != 0, s->from, s->count);
    status = run_recorder(g, s, option);
    size = lseek(raw, 0, SEEK_END);
    if (size <= RECORD_MAGIC_BYTES) { /* it did not begin */
        qn_text_drop_output(o);
    } else if (!qn_trace_end_records(raw, (size_t)size)) {
        qn_text_drop_output(o);
        status = complain(name, strerror(errno));
    } else if ((kept = deliver(s, raw, name, o))) {
        qn_text_keep_scratch(name);
        status = status ? status : 1;
    }
    close(raw);
    if (!kept)
        qn_text_remove_scratch(name);
    free(name);
    return status;
}

/* The options of the run that are those of a replay, too. */
static int add_caches(char **argv, int n, char **words)
{
    static const char *const caches[] = { "--I1=", "--D1=", "--LL=", "--sim=", "--sim-opt=", "--seed=" };

    for (; *words && words[0][0] == '-' && words[0][1] && n < ARGUMENTS_MAX; words++)
        for (size_t i = 0; i < sizeof caches / sizeof *caches; i++)
            if (!strncmp(*words, caches[i], strlen(caches[i])))
                argv[n++] = *words;
    return n;
}

/* quern trace -o TRACE ... */
static int run_trace(struct qn_engines_guard *g, const struct settings *s, char *trace)
{
    char from[40], count[40], *argv[ARGUMENTS_MAX + 16] = { NULL, (char *)"trace", (char *)"-o", trace, from, count };
    int n = 6;

    snprintf(from, sizeof from, "--from=%" PRIu64, s->from);
    snprintf(count, sizeof count, "--count=%" PRIu64, s->count);
    for (char **word = s->words; *word && n < ARGUMENTS_MAX; word++)
        argv[n++] = *word;
    return run_quern(g, argv, false);
}

/* quern replay --outcomes=TEXT ... TRACE */
static int run_replay(struct qn_engines_guard *g, const struct settings *s, char *trace, const char *text)
{
    char outcomes[PATH_MAX + 16], format[40], *argv[ARGUMENTS_MAX + 16] = { NULL, (char *)"replay", outcomes, format };

    snprintf(outcomes, sizeof outcomes, "--outcomes=%s", text);
    snprintf(format, sizeof format, "--format=%s", formats[s->format]);
    argv[add_caches(argv, 4, s->words)] = trace;
    return run_quern(g, argv, true);
}

/* Texts: a trace of quern's own in `folder`, and what a replay of it writes. */
static int record_in(struct qn_engines_guard *g, const struct settings *s, const char *folder, struct qn_text_output *o)
{
    char trace[PATH_MAX], text[PATH_MAX];
    int status, raw = -1;

    snprintf(trace, sizeof trace, "%s/trace", folder);
    snprintf(text, sizeof text, "%s/text", folder);
    status = run_trace(g, s, trace);
    if (access(trace, R_OK) == 0 && run_replay(g, s, trace, text) == 0) /* else it did not begin */
        raw = open(text, O_RDONLY | O_CLOEXEC);
    if (raw < 0)
        return qn_text_drop_output(o), status ? status : 1;
    if (deliver(s, raw, text, o))
        status = status ? status : 1;
    close(raw);
    return status;
}

static int record_text(struct qn_engines_guard *g, const struct settings *s, struct qn_text_output *o)
{
    const char *tmp = getenv("TMPDIR");
    char folder[PATH_MAX - 16];
    int status;

    snprintf(folder, sizeof folder, "%s/quern-trace.XXXXXX", tmp && *tmp ? tmp : "/tmp");
    if (!qn_text_make_scratch(folder))
        return qn_text_drop_output(o), complain(folder, strerror(errno));
    status = record_in(g, s, folder, o);
    qn_text_remove_scratch(folder);
    return status;
}

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

/* quern's own format: block by block, written while the program runs. */
static int record_blocks(struct qn_engines_guard *g, const struct settings *s, struct qn_text_output *o)
{
    FILE *f = qn_text_stream_output(o);
    struct qn_trace_writer *w = f ? qn_trace_open_writer(f, s->packing, s->from, s->count) : NULL;
    struct qn_trace_recorder *r = w ? qn_trace_open_recorder(w) : NULL;
    char option[96];
    bool begun = false;
    int status;

    if (!r) {
        status = complain(o->path, strerror(errno));
        if (w)
            qn_trace_close_writer(w, &(struct qn_trace_counts){ .bug = NULL });
        qn_text_drop_output(o);
        return status;
    }
    snprintf(option, sizeof option, "--sim-opt=record-ring=%d,record-socket=%d", qn_trace_recorder_fds(r)[0], qn_trace_recorder_fds(r)[1]);
    status = run_recorder(g, s, option);
    qn_trace_close_recorder(r, &begun);
    return deliver_blocks(w, begun, o, status);
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
    status = s->format > RECORDS ? record_text(&g, s, &o) : s->champsim || s->format == RECORDS ? record_raw(&g, s, &o) : record_blocks(&g, s, &o);
    g.signal = 0; /* it was the program's */
    qn_engines_unguard(&g);
    return status;
}

static int recover(const char *name)
{
    int raw = open(name, O_RDWR | O_CLOEXEC | O_NONBLOCK);
    off_t size = raw < 0 ? -1 : lseek(raw, 0, SEEK_END);
    char magic[RECORD_MAGIC_BYTES];
    struct qn_trace_facts f;
    bool good = size >= RECORD_MAGIC_BYTES && pread(raw, magic, sizeof magic, 0) == sizeof magic;
    bool parts = good && !memcmp(magic, PARTS_MAGIC, sizeof magic);

    if (raw < 0)
        return complain(name, strerror(errno));
    if (!good || (!parts && (memcmp(magic, RECORD_MAGIC, sizeof magic) || size == RECORD_MAGIC_BYTES)))
        return close(raw), complain(name, "is not what quern trace records, or is compressed, and so has its end");
    good = parts ? qn_trace_end_parts(raw, &f) : qn_trace_end_records(raw, (size_t)size);
    if (!good)
        complain(name, !errno && parts && !f.ended ? f.wrong : strerror(errno));
    return close(raw) ? complain(name, strerror(errno)) : !good;
}

/* Prints what a trace in quern's own format contains. */
static int tell(const char *name, bool json)
{
    static const char *const packings[] = { "none", "zstd", "xz" };
    int fd = open(name, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    struct qn_trace_facts f;
    bool good = fd >= 0 && qn_trace_measure_parts(fd, &f);

    if (!good)
        return complain(name, errno ? strerror(errno) : "got no \"" PARTS_MAGIC "\", wanted what quern trace records");
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
    else if (s->compression == 0 && (ends_in(s->output, ".zst") || (!s->champsim && s->format <= RECORDS)))
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
    s.champsim = s.format == 1 ? QN_CHAMPSIM_SHORT : s.format == 2 ? QN_CHAMPSIM_LONG : 0;
    if (s.count > UINT64_MAX - s.from)
        s.count = UINT64_MAX - s.from;
    choose_packing(&s);
    return record(&s);
}
