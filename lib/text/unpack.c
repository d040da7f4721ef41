/*
 * Compressed files. See unpack.h.
 *
 * In:  bytes of a file, a piece at a time
 * Out: what a library makes of them, a piece at a time
 *
 * Invariant: memory is that of two pieces and of the library; what is written has at most UNPACKED_MAX bytes.
 */
#define _GNU_SOURCE
#include "text/unpack.h"

#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <bzlib.h>
#include <lzma.h>
#include <zlib.h>
#include <zstd.h>

#include "base/grow.h"

#define PIECE ((size_t)256 << 10)
#define UNPACKED_MAX ((uint64_t)1 << 30) /* bytes; the copy is in memory, and a damaged or hostile file may unpack to anything */
#define XZ_MEMORY ((uint64_t)128 << 20)  /* bytes, enough for xz -9 */

/* One piece in, one piece out. */
struct piece {
    uint8_t *in, *out;
    size_t at, have, made; /* in[at..have) is left; out[0..made) is made */
    bool ends;             /* there is no more input */
};

enum step { MORE, END, DAMAGED };

struct qn_text_packing {
    const char *magic; /* the first bytes */
    size_t length;
    const char *name;
    void *(*open)(void);
    enum step (*step)(void *state, struct piece *p); /* takes input, makes output */
    void (*close)(void *state);
};

/* ---- the libraries: a file may have several members, one behind the other ---- */

#define GZIP_WINDOW (16 + MAX_WBITS) /* with gzip's head and checksum */

static void *open_gzip(void)
{
    z_stream *z = QN_NEEDED(calloc(1, sizeof *z));
    if (inflateInit2(z, GZIP_WINDOW) == Z_OK)
        return z;
    free(z);
    return NULL;
}

static enum step step_gzip(void *state, struct piece *p)
{
    z_stream *z = state;
    int said;
    z->next_in = p->in + p->at;
    z->avail_in = (uInt)(p->have - p->at);
    z->next_out = p->out;
    z->avail_out = (uInt)PIECE;
    said = inflate(z, Z_NO_FLUSH);
    p->at = p->have - z->avail_in;
    p->made = PIECE - z->avail_out;
    if (said == Z_STREAM_END)
        return inflateReset(z) == Z_OK ? END : DAMAGED;
    return said == Z_OK || said == Z_BUF_ERROR ? MORE : DAMAGED;
}

static void close_gzip(void *state)
{
    inflateEnd(state);
    free(state);
}

static void *open_xz(void)
{
    lzma_stream *x = QN_NEEDED(calloc(1, sizeof *x));
    if (lzma_stream_decoder(x, XZ_MEMORY, 0) == LZMA_OK)
        return x;
    free(x);
    return NULL;
}

static enum step step_xz(void *state, struct piece *p)
{
    lzma_stream *x = state;
    lzma_ret said;
    x->next_in = p->in + p->at;
    x->avail_in = p->have - p->at;
    x->next_out = p->out;
    x->avail_out = PIECE;
    said = lzma_code(x, LZMA_RUN);
    p->at = p->have - x->avail_in;
    p->made = PIECE - x->avail_out;
    if (said == LZMA_STREAM_END)
        return lzma_stream_decoder(x, XZ_MEMORY, 0) == LZMA_OK ? END : DAMAGED;
    return said == LZMA_OK || said == LZMA_BUF_ERROR ? MORE : DAMAGED;
}

static void close_xz(void *state)
{
    lzma_end(state);
    free(state);
}

static void *open_zstd(void) { return ZSTD_createDStream(); }

static enum step step_zstd(void *state, struct piece *p)
{
    ZSTD_inBuffer in = {p->in, p->have, p->at};
    ZSTD_outBuffer out = {p->out, PIECE, 0};
    size_t said = ZSTD_decompressStream(state, &out, &in);
    p->at = in.pos;
    p->made = out.pos;
    return ZSTD_isError(said) ? DAMAGED : said == 0 ? END : MORE;
}

static void close_zstd(void *state) { ZSTD_freeDStream(state); }

static void *open_bzip2(void)
{
    bz_stream *b = QN_NEEDED(calloc(1, sizeof *b));
    if (BZ2_bzDecompressInit(b, 0, 0) == BZ_OK)
        return b;
    free(b);
    return NULL;
}

static enum step step_bzip2(void *state, struct piece *p)
{
    bz_stream *b = state;
    int said;
    b->next_in = (char *)p->in + p->at;
    b->avail_in = (unsigned)(p->have - p->at);
    b->next_out = (char *)p->out;
    b->avail_out = (unsigned)PIECE;
    said = BZ2_bzDecompress(b);
    p->at = p->have - b->avail_in;
    p->made = PIECE - b->avail_out;
    if (said == BZ_STREAM_END) {
        BZ2_bzDecompressEnd(b);
        memset(b, 0, sizeof *b);
        return BZ2_bzDecompressInit(b, 0, 0) == BZ_OK ? END : DAMAGED;
    }
    return said == BZ_OK ? MORE : DAMAGED;
}

static void close_bzip2(void *state)
{
    BZ2_bzDecompressEnd(state);
    free(state);
}

static const struct qn_text_packing packings[] = {
    {"\x1f\x8b\x08", 3, "gzip", open_gzip, step_gzip, close_gzip},
    {"\xfd" "7zXZ\0", 6, "xz", open_xz, step_xz, close_xz},
    {"\x28\xb5\x2f\xfd", 4, "zstd", open_zstd, step_zstd, close_zstd},
    {"BZh", 3, "bzip2", open_bzip2, step_bzip2, close_bzip2},
};

/* ---- a file ---- */

const struct qn_text_packing *qn_text_find_packing(int fd)
{
    char start[8];
    ssize_t n = pread(fd, start, sizeof start, 0);
    for (size_t i = 0; i < QN_ARRAY_LEN(packings); i++)
        if (n >= (ssize_t)packings[i].length && !memcmp(start, packings[i].magic, packings[i].length))
            return &packings[i];
    return NULL;
}

static int fail_system(const char *path, const char *what, struct qn_text_error *err)
{
    qn_text_fail(err, QN_TEXT_IO, "%s: cannot %s: %s", path, what, strerror(errno));
    return -1;
}

/* Reads the next piece if nothing is left. */
static int refill(const char *path, int from, struct piece *p, struct qn_text_error *err)
{
    ssize_t n;
    if (p->at < p->have || p->ends)
        return 0;
    while ((n = read(from, p->in, PIECE)) < 0 && errno == EINTR)
        continue;
    if (n < 0)
        return fail_system(path, "read", err);
    p->at = 0;
    p->have = (size_t)n;
    p->ends = n == 0;
    return 0;
}

static int put(const char *path, int to, const struct piece *p, uint64_t *sum, struct qn_text_error *err)
{
    ssize_t written;
    *sum += p->made;
    if (*sum > UNPACKED_MAX) {
        qn_text_fail(err, QN_TEXT_BAD, "%s: got more than %u MiB of text when unpacked, wanted less; unpack it to a file first", path,
                     (unsigned)(UNPACKED_MAX >> 20));
        return -1;
    }
    for (size_t done = 0; done < p->made; done += (size_t)written)
        if ((written = write(to, p->out + done, p->made - done)) < 0)
            return fail_system(path, "keep", err);
    return 0;
}

static int unpack(const struct qn_text_packing *k, void *state, const char *path, int from, int to, struct piece *p, struct qn_text_error *err)
{
    enum step step = MORE;
    uint64_t sum = 0;
    for (;;) {
        if (refill(path, from, p, err) != 0)
            return -1;
        if (p->ends && step == END)
            return 0;
        step = k->step(state, p);
        if (step == DAMAGED || (step == MORE && p->ends && p->made == 0)) {
            qn_text_fail(err, QN_TEXT_BAD, "%s: got data of %s that are %s, wanted a whole file", path, k->name, step == MORE ? "cut short" : "damaged");
            return -1;
        }
        if (put(path, to, p, &sum, err) != 0)
            return -1;
    }
}

int qn_text_unpack(const struct qn_text_packing *k, const char *path, int from, int to, struct qn_text_error *err)
{
    struct piece p = {0};
    void *state = QN_NEEDED(k->open());
    int failed;

    p.in = QN_NEEDED(malloc(PIECE));
    p.out = QN_NEEDED(malloc(PIECE));
    failed = unpack(k, state, path, from, to, &p, err);
    free(p.in);
    free(p.out);
    k->close(state);
    return failed;
}
