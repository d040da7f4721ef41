/* tools/trace.c - `quern trace`: records every reference and branch of a program.
 *
 *   quern trace -o ls.trace -- ls -l          then: quern replay --sim=fifo ls.trace
 *
 * The analysis module `record` writes to a file without a name; what it wrote is compressed (zstd, where the library is there)
 * and moved to its place.  Options before PROGRAM go to `quern run`.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "sim_build.h"
#include "tools.h"

#ifdef HAVE_LIBZSTD
#include <zstd.h>
#endif

#define ARGUMENTS_MAX 4096
#define ZSTD_LEVEL 3
#define CHUNK (1u << 20)

static const char help[] = "usage: quern trace [-o FILE] [OPTIONS OF quern run] [--] PROGRAM [ARGUMENTS]\n\n"
                           "Records all fetches, data references and branches of PROGRAM for `quern replay`.\n\n"
                           "  -o FILE      the trace [quern.trace]\n"
                           "  -h, --help   show this text\n"
                           "  --version    show the version\n";

static int complain(const char *file, const char *what)
{
    qn_tool_complain("quern: trace: %s: %s", file, what);
    return 1;
}

/* The records end with a zero byte; the file is longer. */
static size_t read_chunk(int fd, char *buffer)
{
    ssize_t n = read(fd, buffer, CHUNK);

    return n < 0 ? 0 : (size_t)n;
}

#ifdef HAVE_LIBZSTD
static bool compress(int from, FILE *to)
{
    static char in[CHUNK], out[2 * CHUNK];
    ZSTD_CCtx *z = ZSTD_createCCtx();
    bool good = z != NULL;
    size_t n;

    ZSTD_CCtx_setParameter(z, ZSTD_c_compressionLevel, ZSTD_LEVEL);
    do {
        ZSTD_inBuffer input;
        size_t left;

        n = read_chunk(from, in);
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
    size_t n;

    while ((n = read_chunk(from, in)) > 0)
        if (fwrite(in, 1, n, to) != n)
            return false;
    return true;
}
#endif

static int deliver(int raw, const char *output)
{
    char *temporary;
    FILE *f;
    bool good;

    if (lseek(raw, 0, SEEK_SET) < 0 || asprintf(&temporary, "%s.new", output) < 0)
        return complain(output, strerror(errno));
    f = fopen(temporary, "wb");
    if (!f)
        return complain(temporary, strerror(errno));
    good = compress(raw, f);
    good = fclose(f) == 0 && good && rename(temporary, output) == 0;
    if (!good)
        unlink(temporary);
    free(temporary);
    return good ? 0 : complain(output, "cannot be written");
}

/* quern run --analysis=record ...  A signal that ends it leaves what was recorded. */
static int run_recorder(int raw, char **words, int n)
{
    char own[PATH_MAX], option[64];
    ssize_t length = readlink("/proc/self/exe", own, sizeof own - 1);
    char *argv[ARGUMENTS_MAX + 16] = { own, (char *)"run", (char *)"--analysis=record", option, (char *)"--branch-sim=yes",
                                       (char *)"--quiet", (char *)"--out-file=/dev/null" };
    int at = 7;

    if (length < 0)
        return complain("/proc/self/exe", strerror(errno));
    own[length] = 0;
    snprintf(option, sizeof option, "--sim-opt=record-fd=%d", raw);
    for (int i = 0; i < n && at < ARGUMENTS_MAX; i++)
        argv[at++] = words[i];
    return qn_sim_run(argv);
}

/* A file without a name, so that nothing stays behind; the recorder inherits it. */
static int open_raw(void)
{
    const char *tmp = getenv("TMPDIR");
    char *path;
    int raw;

    if (asprintf(&path, "%s/quern-trace.XXXXXX", tmp && *tmp ? tmp : "/tmp") < 0)
        return -1;
    raw = mkstemp(path);
    if (raw < 0)
        complain(path, strerror(errno));
    else
        unlink(path);
    free(path);
    return raw;
}

static int record(const char *output, char **words, int n)
{
    int raw = open_raw(), status;

    if (raw < 0)
        return 1;
    status = run_recorder(raw, words, n);
    if (lseek(raw, 0, SEEK_END) > 0 && deliver(raw, output) && !status) /* nothing: it did not begin */
        status = 1;
    close(raw);
    return status;
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
    if (at >= argc)
        return fputs("quern: trace: no program given; `quern trace --help` tells how\n", stderr), QN_EXIT_USAGE;
    return record(output, argv + at, argc - at);
}
