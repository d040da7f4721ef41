/* sim/hosted/bytes.c - see bytes.h. */
#include "sim/hosted/bytes.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include <zstd.h>
#include <lzma.h>

#define ZSTD_MAGIC "\x28\xb5\x2f\xfd"
#define XZ_MAGIC "\xfd" "7zXZ"
#define GZIP_MAGIC "\x1f\x8b"
#define MAGIC_IS(b, magic) ((b)->have >= sizeof(magic) - 1 && !memcmp((b)->out, magic, sizeof(magic) - 1))

static bool is_damaged(struct bytes *b, const char *what)
{
    snprintf(b->error, sizeof b->error, "%s: damaged before byte %" PRIu64 ": %s", b->path, b->read - (b->in_have - b->in_at), what);
    return false;
}

/* More compressed bytes, if there are none. */
static bool read_packed(struct bytes *b, const char *packer)
{
    if (b->in_at < b->in_have)
        return true;
    b->in_at = 0;
    b->in_have = fread(b->in, 1, sizeof b->in, b->file);
    b->read += b->in_have;
    if (!b->in_have && b->in_frame)
        snprintf(b->error, sizeof b->error, "%s: cut off: got %" PRIu64 " bytes, wanted the rest of what %s compressed", b->path, b->read, packer);
    return b->in_have > 0;
}

static bool refill_zstd(struct bytes *b)
{
    while (!b->have) {
        ZSTD_outBuffer out = {b->out, sizeof b->out, 0};
        ZSTD_inBuffer in;
        size_t r;

        if (!read_packed(b, "zstd"))
            return false;
        in = (ZSTD_inBuffer){b->in, b->in_have, b->in_at};
        r = ZSTD_decompressStream(b->zstd, &out, &in);
        b->in_at = in.pos;
        if (ZSTD_isError(r))
            return is_damaged(b, ZSTD_getErrorName(r));
        b->in_frame = r != 0;
        b->have = out.pos;
    }
    return true;
}

static void *open_xz(void)
{
    lzma_stream *xz = malloc(sizeof *xz);

    if (!xz)
        return NULL;
    *xz = (lzma_stream)LZMA_STREAM_INIT;
    if (lzma_stream_decoder(xz, UINT64_MAX, LZMA_CONCATENATED) == LZMA_OK)
        return xz;
    free(xz);
    return NULL;
}

static bool refill_xz(struct bytes *b)
{
    lzma_stream *xz = b->xz;

    while (!b->have && b->in_frame) {
        bool more = read_packed(b, "xz");
        lzma_ret r;

        xz->next_in = b->in + b->in_at;
        xz->avail_in = b->in_have - b->in_at;
        xz->next_out = b->out;
        xz->avail_out = sizeof b->out;
        r = lzma_code(xz, more ? LZMA_RUN : LZMA_FINISH);
        b->in_at = b->in_have - xz->avail_in;
        b->have = sizeof b->out - xz->avail_out;
        b->in_frame = r != LZMA_STREAM_END;
        if (!b->in_frame)
            *b->error = 0; /* only the decoder knows that this was the end */
        else if (r != LZMA_OK)
            return more ? is_damaged(b, "not what xz writes, or its checksum is another") : false;
    }
    return b->have > 0;
}

bool bytes_refill(struct bytes *b)
{
    b->at = b->have = 0;
    if (b->zstd)
        return refill_zstd(b);
    if (b->xz)
        return refill_xz(b);
    b->have = fread(b->out, 1, sizeof b->out, b->file);
    return b->have > 0;
}

/* What was read to see what it is comes to the unpacker. */
static const char *unpack(struct bytes *b, void *unpacker)
{
    if (!unpacker)
        return "is compressed, and there is no memory to unpack it, or this build has no library (libzstd, liblzma) that can";
    memcpy(b->in, b->out, b->have);
    b->in_have = b->read = b->have;
    b->in_frame = true;
    bytes_refill(b);
    return b->error[0] ? b->error : NULL;
}

const char *bytes_begin(struct bytes *b)
{
    b->have = fread(b->out, 1, sizeof b->out, b->file);
    if (MAGIC_IS(b, ZSTD_MAGIC)) {
        b->zstd = ZSTD_createDStream();
        return unpack(b, b->zstd);
    }
    if (MAGIC_IS(b, XZ_MAGIC)) {
        b->xz = open_xz();
        return unpack(b, b->xz);
    }
    return MAGIC_IS(b, GZIP_MAGIC) ? "is compressed by gzip: unpack it first, as in gzip -dc FILE | quern replay -" : NULL;
}

void bytes_end(struct bytes *b)
{
    ZSTD_freeDStream(b->zstd);
    if (b->xz)
        lzma_end(b->xz);
    free(b->xz);
    if (b->file && b->file != stdin)
        fclose(b->file);
}
