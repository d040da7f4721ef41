/* tools/trace.c - `quern trace`: records every reference and branch of a program.
 *
 *   quern trace -o ls.trace -- ls -l          then: quern replay --sim=fifo ls.trace
 *
 * The analysis module `record` writes to a file in TMPDIR; what it wrote is ended (sim/record.h), compressed (zstd, where the
 * library is there) and gets its name.  Options before PROGRAM go to `quern run`.
 *
 * Whatever ends the program, or `quern run`, and SIGINT, SIGTERM and SIGHUP to ourselves: what was recorded until then is a whole trace.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "text/output.h"
#include "sim/record.h"
#include "sim_build.h"
#include "tools.h"

#ifdef HAVE_LIBZSTD
#include <zstd.h>
#endif

#define ARGUMENTS_MAX 4096
#define ZSTD_LEVEL 3
#define CHUNK (1u << 20)
#define SIGNALLED 128 /* as shells have it */

static const char help[] = "usage: quern trace [-o FILE] [OPTIONS OF quern run] [--] PROGRAM [ARGUMENTS]\n"
                           "       quern trace --recover FILE\n\n"
                           "Records all fetches, data references and branches of PROGRAM for `quern replay`.\n\n"
                           "  -o FILE      the trace [quern.trace]\n"
                           "  --recover FILE\n"
                           "               give an end to what SIGKILL of quern trace has left in TMPDIR\n"
                           "  -h, --help   show this text\n"
                           "  --version    show the version\n";

static int complain(const char *file, const char *what)
{
    qn_tool_complain("quern: trace: %s: %s", file, what);
    return 1;
}

/* ---- where the records end ---- */

/* Bytes of the record at p; 0: there is none. */
static size_t record_bytes(const uint8_t *p, size_t left)
{
    unsigned kind = left ? p[0] & 7 : RECORD_END, varints = 1u + (kind < RECORD_COND && !(p[0] >> 3)) + (kind >= RECORD_INDIRECT);
    size_t n = 1;

    while (kind != RECORD_END && varints--)
        do
            if (n == left)
                return 0;
        while (p[n++] & 128);
    return kind == RECORD_END ? 0 : n;
}

static struct record_sum add_up(const uint8_t *p, size_t left)
{
    struct record_sum s = { 0, 0, 0 };

    for (size_t n; (n = record_bytes(p, left)) > 0; p += n, left -= n)
        for (size_t i = 0; i < n; i++)
            record_add(&s, p[i]);
    return s;
}

/* The recorder may have been killed at any point: only we know that there is nothing more to come. */
static bool end_records(int raw, size_t size)
{
    uint8_t *bytes = mmap(NULL, size, PROT_READ, MAP_SHARED, raw, 0), trailer[RECORD_TRAILER_BYTES] = { RECORD_END };
    struct record_sum s;
    off_t end;

    if (bytes == MAP_FAILED)
        return false;
    s = add_up(bytes + RECORD_MAGIC_BYTES, size - RECORD_MAGIC_BYTES);
    munmap(bytes, size);
    memcpy(trailer + 1, &s, sizeof s);
    end = (off_t)(RECORD_MAGIC_BYTES + s.bytes);
    return pwrite(raw, trailer, sizeof trailer, end) == sizeof trailer && ftruncate(raw, end + (off_t)sizeof trailer) == 0;
}

/* ---- the file ---- */

static ssize_t read_chunk(int fd, char *buffer)
{
    ssize_t n;

    do
        n = read(fd, buffer, CHUNK);
    while (n < 0 && errno == EINTR);
    return n;
}

#ifdef HAVE_LIBZSTD
static bool compress(int from, FILE *to)
{
    static char in[CHUNK], out[2 * CHUNK];
    ZSTD_CCtx *z = ZSTD_createCCtx();
    bool good = z != NULL;
    ssize_t got;
    size_t n;

    ZSTD_CCtx_setParameter(z, ZSTD_c_compressionLevel, ZSTD_LEVEL);
    ZSTD_CCtx_setParameter(z, ZSTD_c_checksumFlag, 1);
    do {
        ZSTD_inBuffer input;
        size_t left;

        got = read_chunk(from, in);
        n = got > 0 ? (size_t)got : 0;
        good = good && got >= 0;
        input = (ZSTD_inBuffer){ in, n, 0 };
        do {
            ZSTD_outBuffer output = { out, sizeof out, 0 };

            left = ZSTD_compressStream2(z, &output, &input, n ? ZSTD_e_continue : ZSTD_e_end);
            good = good && !ZSTD_isError(left) && fwrite(out, 1, output.pos, to) == output.pos;
        } while (good && (n ? input.pos < input.size : left > 0));
    } while (good && n);
    ZSTD_freeCCtx(z);
    return good;
}
#else
static bool compress(int from, FILE *to)
{
    static char in[CHUNK];
    ssize_t n;

    while ((n = read_chunk(from, in)) > 0)
        if (fwrite(in, 1, (size_t)n, to) != (size_t)n)
            return false;
    return n == 0;
}
#endif

/* What has come to its end in `raw`, a file of that name, becomes the output.  true: it could not, and stays where it is. */
static bool deliver(int raw, const char *name, struct qn_text_output *o)
{
    struct qn_text_error err = { .status = QN_TEXT_OK };
    FILE *f = lseek(raw, 0, SEEK_SET) == 0 ? qn_text_stream_output(o) : NULL;

    errno = 0;
    if (f && compress(raw, f))
        qn_text_close_output(o, &err);
    else {
        qn_text_fail(&err, QN_TEXT_IO, "%s: cannot write: %s", o->path, errno ? strerror(errno) : "no memory");
        qn_text_drop_output(o);
    }
    if (err.status == QN_TEXT_OK)
        return false;
    qn_tool_complain("quern: trace: %s; the trace is kept, not compressed, in %s", err.text, name);
    return true;
}

/* ---- the program ---- */

/* quern run --analysis=record ...  Signals that would end us wait, or are handed on: what was recorded has to be delivered. */
static int run_recorder(struct qn_sim_guard *g, int raw, char **words, int n)
{
    char own[PATH_MAX], option[64];
    ssize_t length = readlink("/proc/self/exe", own, sizeof own - 1);
    char *argv[ARGUMENTS_MAX + 16] = { own, (char *)"run", (char *)"--analysis=record", option, (char *)"--branch-sim=yes",
                                       (char *)"--quiet", (char *)"--out-file=/dev/null" };
    int at = 7, status;
    pid_t child;

    if (length < 0)
        return complain("/proc/self/exe", strerror(errno));
    own[length] = 0;
    snprintf(option, sizeof option, "--sim-opt=record-fd=%d", raw);
    for (int i = 0; i < n && at < ARGUMENTS_MAX; i++)
        argv[at++] = words[i];
    child = fork();
    if (child == 0) {
        qn_sim_in_child(g);
        execv(own, argv);
        _exit(complain(own, strerror(errno)));
    }
    if (child < 0)
        return complain("fork", strerror(errno));
    status = qn_sim_await(g, child);
    return WIFEXITED(status) ? WEXITSTATUS(status) : SIGNALLED + WTERMSIG(status);
}

/* The recorder inherits it.  NULL: a line was printed. */
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

static int record_to(struct qn_sim_guard *g, struct qn_text_output *o, char **words, int n)
{
    int raw, status;
    char *name = open_raw(&raw);
    bool kept = false;
    off_t size;

    if (!name)
        return qn_text_drop_output(o), 1;
    qn_text_watch_scratch(name);
    status = run_recorder(g, raw, words, n);
    size = lseek(raw, 0, SEEK_END);
    if (size <= RECORD_MAGIC_BYTES) { /* it did not begin */
        qn_text_drop_output(o);
    } else if (!end_records(raw, (size_t)size)) {
        qn_text_drop_output(o);
        status = complain(name, strerror(errno));
    } else if ((kept = deliver(raw, name, o))) {
        qn_text_keep_scratch(name);
        status = status ? status : 1;
    }
    close(raw);
    if (!kept)
        qn_text_remove_scratch(name);
    free(name);
    return status;
}

/* The output is opened before the program starts, and a device that is full has said so. */
static int record(const char *output, char **words, int n)
{
    struct qn_text_error err = { .status = QN_TEXT_OK };
    struct qn_text_output o;
    struct qn_sim_guard g;
    int status;

    if (qn_text_check_output(output, &err) != QN_TEXT_OK || qn_text_open_output(&o, output, QN_TEXT_SHARED, &err) != QN_TEXT_OK)
        return qn_tool_complain("quern: trace: %s", err.text), 1;
    qn_sim_guard(&g);
    status = record_to(&g, &o, words, n);
    g.signal = 0; /* it was the program's */
    qn_sim_unguard(&g);
    return status;
}

static int recover(const char *name)
{
    int raw = open(name, O_RDWR | O_CLOEXEC);
    off_t size = raw < 0 ? -1 : lseek(raw, 0, SEEK_END);
    char magic[RECORD_MAGIC_BYTES];
    bool good = size > RECORD_MAGIC_BYTES && pread(raw, magic, sizeof magic, 0) == sizeof magic;

    if (raw < 0)
        return complain(name, strerror(errno));
    if (!good || memcmp(magic, RECORD_MAGIC, sizeof magic))
        return close(raw), complain(name, "is not what quern trace records, or is compressed, and so has its end");
    good = end_records(raw, (size_t)size);
    return close(raw) || !good ? complain(name, strerror(errno)) : 0;
}

int qn_tool_trace(int argc, char **argv)
{
    const char *output = "quern.trace";
    int at = 1;

    if (argc > 1 && (!strcmp(argv[1], "-h") || !strcmp(argv[1], "--help")))
        return printf("%s", help) < 0;
    if (argc > 1 && !strcmp(argv[1], "--version"))
        return puts("quern " QN_VERSION) < 0;
    if (argc > 2 && !strcmp(argv[1], "-o")) {
        output = argv[2];
        at = 3;
    }
    if (argc == 3 && !strcmp(argv[1], "--recover"))
        return recover(argv[2]);
    if (at >= argc)
        return fputs("quern: trace: no program given; `quern trace --help` tells how\n", stderr), QN_EXIT_USAGE;
    return record(output, argv + at, argc - at);
}
