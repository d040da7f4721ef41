/* lib/trace/pack.c - compresses files, and pieces in memory.
 *
 * A file: zstd at its default level with a checksum; xz at level 1, whose traces are nearly as small as at level 6, in a fifth of the time.
 * A piece: zstd and xz at level 1.
 */
#include "trace/trace.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <zstd.h>
#include <lzma.h>

#define ZSTD_LEVEL 3
#define ZSTD_PART_LEVEL 1
#define XZ_LEVEL 1
#define CHUNK (1u << 18) /* bytes of compressed text at a time */

struct qn_trace_pack {
    FILE *to;
    enum qn_trace_packing how;
    bool failed;
    ZSTD_CCtx *zstd;
    lzma_stream xz;
    uint8_t out[CHUNK];
};

static bool put(struct qn_trace_pack *p, const void *bytes, size_t n)
{
    p->failed = p->failed || fwrite(bytes, 1, n, p->to) != n;
    return !p->failed;
}

static bool open_zstd(struct qn_trace_pack *p)
{
    p->zstd = ZSTD_createCCtx();
    return p->zstd && !ZSTD_isError(ZSTD_CCtx_setParameter(p->zstd, ZSTD_c_compressionLevel, ZSTD_LEVEL)) &&
           !ZSTD_isError(ZSTD_CCtx_setParameter(p->zstd, ZSTD_c_checksumFlag, 1));
}

static bool pack_zstd(struct qn_trace_pack *p, const void *bytes, size_t n, bool end)
{
    ZSTD_inBuffer in = { bytes, n, 0 };
    size_t left;
    bool more;

    do {
        ZSTD_outBuffer out = { p->out, sizeof p->out, 0 };

        left = ZSTD_compressStream2(p->zstd, &out, &in, end ? ZSTD_e_end : ZSTD_e_continue);
        p->failed = p->failed || ZSTD_isError(left);
        more = put(p, p->out, out.pos) && (end ? left > 0 : in.pos < in.size);
    } while (more);
    return !p->failed;
}

static bool open_xz(struct qn_trace_pack *p)
{
    p->xz = (lzma_stream)LZMA_STREAM_INIT;
    return lzma_easy_encoder(&p->xz, XZ_LEVEL, LZMA_CHECK_CRC64) == LZMA_OK;
}

static bool pack_xz(struct qn_trace_pack *p, const void *bytes, size_t n, bool end)
{
    lzma_ret said;

    p->xz.next_in = bytes;
    p->xz.avail_in = n;
    do {
        p->xz.next_out = p->out;
        p->xz.avail_out = sizeof p->out;
        said = lzma_code(&p->xz, end ? LZMA_FINISH : LZMA_RUN);
        p->failed = p->failed || (said != LZMA_OK && said != LZMA_STREAM_END);
    } while (put(p, p->out, sizeof p->out - p->xz.avail_out) && (end ? said == LZMA_OK : p->xz.avail_in > 0));
    return !p->failed;
}

struct qn_trace_pack *qn_trace_open_pack(FILE *to, enum qn_trace_packing how)
{
    struct qn_trace_pack *p = calloc(1, sizeof *p);

    if (!p)
        return NULL;
    p->to = to;
    p->how = how;
    p->failed = how == QN_TRACE_ZSTD ? !open_zstd(p) : how == QN_TRACE_XZ && !open_xz(p);
    return p;
}

static bool work(struct qn_trace_pack *p, const void *bytes, size_t n, bool end)
{
    if (p->failed)
        return false;
    if (p->how == QN_TRACE_ZSTD)
        return pack_zstd(p, bytes, n, end);
    if (p->how == QN_TRACE_XZ)
        return pack_xz(p, bytes, n, end);
    return put(p, bytes, n);
}

bool qn_trace_pack(struct qn_trace_pack *p, const void *bytes, size_t n) { return !n || work(p, bytes, n, false); }

bool qn_trace_close_pack(struct qn_trace_pack *p)
{
    bool good = work(p, "", 0, true);

    ZSTD_freeCCtx(p->zstd);
    lzma_end(&p->xz);
    free(p);
    return good;
}

/* ---- pieces ---- */

struct qn_trace_packer {
    enum qn_trace_packing how;
    uint8_t *to;
    size_t room;
    ZSTD_CCtx *zstd;
};

struct qn_trace_packer *qn_trace_open_packer(enum qn_trace_packing how)
{
    struct qn_trace_packer *p = calloc(1, sizeof *p);

    if (!p)
        return NULL;
    p->how = how;
    p->zstd = how == QN_TRACE_ZSTD ? ZSTD_createCCtx() : NULL;
    if (how == QN_TRACE_ZSTD && !p->zstd) {
        free(p);
        return NULL;
    }
    return p;
}

void qn_trace_close_packer(struct qn_trace_packer *p)
{
    if (!p)
        return;
    ZSTD_freeCCtx(p->zstd);
    free(p->to);
    free(p);
}

/* The largest size of n bytes after compression. */
static size_t bound(const struct qn_trace_packer *p, size_t n)
{
    if (p->how == QN_TRACE_ZSTD)
        return ZSTD_compressBound(n);
    if (p->how == QN_TRACE_XZ)
        return lzma_stream_buffer_bound(n);
    return n;
}

static bool pack_piece(struct qn_trace_packer *p, const uint8_t *bytes, size_t n, size_t *packed)
{
    if (p->how == QN_TRACE_ZSTD) {
        *packed = ZSTD_compressCCtx(p->zstd, p->to, p->room, bytes, n, ZSTD_PART_LEVEL);
        return !ZSTD_isError(*packed);
    }
    if (p->how == QN_TRACE_XZ)
        return lzma_easy_buffer_encode(XZ_LEVEL, LZMA_CHECK_CRC32, NULL, bytes, n, p->to, packed, p->room) == LZMA_OK;
    memcpy(p->to, bytes, n);
    *packed = n;
    return true;
}

const uint8_t *qn_trace_pack_bytes(struct qn_trace_packer *p, const uint8_t *bytes, size_t n, size_t *packed)
{
    size_t wanted = bound(p, n);

    if (p->room < wanted || !p->to) {
        free(p->to);
        p->to = malloc(wanted + 1);
        p->room = p->to ? wanted : 0;
    }
    *packed = 0;
    return p->to && pack_piece(p, bytes, n, packed) ? p->to : NULL;
}
