/* sim/hosted/parts_file.c - see parts_file.h. */
#define _GNU_SOURCE
#include "sim/hosted/parts_file.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include <zstd.h>
#include <lzma.h>

static __attribute__((format(printf, 3, 4))) bool fail(struct parts_file *f, uint64_t offset, const char *format, ...)
{
    int n = snprintf(f->error, sizeof f->error, "%s: byte %" PRIu64 ": ", f->from->path, offset);
    va_list ap;

    va_start(ap, format);
    if (n > 0 && (size_t)n < sizeof f->error)
        vsnprintf(f->error + n, sizeof f->error - (size_t)n, format, ap);
    va_end(ap);
    return false;
}

/* As many as there are, n at most: first what is in the buffer. */
static size_t read_bytes(struct parts_file *f, void *to, size_t n)
{
    struct bytes *b = f->from;
    size_t have = b->have - b->at, got = have < n ? have : n;

    memcpy(to, b->out + b->at, got);
    b->at += got;
    if (got < n)
        got += fread((uint8_t *)to + got, 1, n - got, b->file);
    f->offset += got;
    return got;
}

bool parts_file_head(struct parts_file *f)
{
    struct part_head *h = &f->head;
    size_t got;

    f->head_offset = f->offset;
    got = read_bytes(f, h, sizeof *h);
    if (!got)
        return fail(f, f->offset, "cut off: got the end of the file, wanted the next part or the index; `quern trace --recover FILE` ends it here");
    if (got < sizeof *h)
        return fail(f, f->head_offset, "cut off: got %zu bytes, wanted the %zu of a part's head", got, sizeof *h);
    if (h->mark != PART_MARK || h->crc != part_crc(0, (uint8_t *)h, offsetof(struct part_head, crc)))
        return fail(f, f->head_offset, "damaged: got no head of a part, wanted one, with its checksum");
    if (h->kind < PART_DEFINITIONS || h->kind > PART_INDEX || h->packing > PART_XZ || h->bytes > PART_BYTES_MAX || h->packed > 2 * PART_BYTES_MAX)
        return fail(f, f->head_offset, "got a part of kind %u, packing %u, %" PRIu32 " bytes, wanted one of kinds 1 to 3; it is of another version of quern", h->kind,
                    h->packing, h->bytes);
    return true;
}

static bool unpack(struct parts_file *f, const uint8_t *packed)
{
    const struct part_head *h = &f->head;

    switch (h->packing) {
    case PART_PLAIN:
        memcpy(f->payload, packed, h->bytes);
        return h->bytes == h->packed;
    case PART_ZSTD: return ZSTD_decompress(f->payload, h->bytes, packed, h->packed) == h->bytes;
    case PART_XZ: {
        uint64_t limit = UINT64_MAX;
        size_t in = 0, out = 0;

        return lzma_stream_buffer_decode(&limit, 0, NULL, packed, &in, h->packed, f->payload, &out, h->bytes) == LZMA_OK && out == h->bytes;
    }
    default: return false;
    }
}

static bool can_unpack(const struct part_head *h)
{
    bool can[] = {[PART_PLAIN] = true, [PART_ZSTD] = false, [PART_XZ] = false};

    can[PART_ZSTD] = true;
    can[PART_XZ] = true;
    return can[h->packing];
}

bool parts_file_payload(struct parts_file *f)
{
    const struct part_head *h = &f->head;
    uint64_t at = f->offset;
    uint8_t *packed = malloc(h->packed + 1u);
    size_t got;
    bool good;

    free(f->payload);
    f->payload = malloc(h->bytes + 1u);
    if (!packed || !f->payload)
        return free(packed), fail(f, at, "no memory for a part of %" PRIu32 " bytes", h->bytes);
    got = read_bytes(f, packed, h->packed);
    if (got < h->packed)
        fail(f, f->offset, "cut off: got %zu bytes of a part, wanted %" PRIu32, got, h->packed);
    else if (part_crc(0, packed, got) != h->payload_crc)
        fail(f, at, "damaged: got a part of %" PRIu32 " bytes with another checksum, wanted %08" PRIx32, h->packed, h->payload_crc);
    else if (!can_unpack(h))
        fail(f, at, "is compressed by %s, and this build has no library that unpacks it", h->packing == PART_XZ ? "xz" : "zstd");
    else if (!unpack(f, packed))
        fail(f, at, "damaged: got what does not unpack, wanted %" PRIu32 " bytes", h->bytes);
    good = !*f->error;
    free(packed);
    return good;
}

bool parts_file_end(struct parts_file *f)
{
    uint8_t trailer[PARTS_TRAILER_BYTES + 1];
    size_t got = read_bytes(f, trailer, sizeof trailer);
    uint64_t index;

    memcpy(&index, trailer, sizeof index);
    if (got < PARTS_TRAILER_BYTES)
        return fail(f, f->offset, "cut off: got %zu bytes behind the index, wanted %d", got, PARTS_TRAILER_BYTES);
    if (got > PARTS_TRAILER_BYTES)
        return fail(f, f->offset - 1, "damaged: got more behind the end, wanted the end of the file");
    if (index != f->head_offset || memcmp(trailer + sizeof index, PARTS_END, PARTS_MAGIC_BYTES))
        return fail(f, f->offset - got, "damaged: got no mark of the end, wanted one");
    return true;
}

bool parts_file_go(struct parts_file *f, uint64_t offset)
{
    f->from->at = f->from->have = 0;
    f->offset = offset;
    return fseeko(f->from->file, (off_t)offset, SEEK_SET) == 0;
}

/* The index stands where the last bytes say. */
static struct part_entry *read_index(struct parts_file *f, off_t size, uint64_t *n)
{
    uint8_t trailer[PARTS_TRAILER_BYTES];
    struct part_entry *places;
    uint64_t at;

    if (size < PARTS_TRAILER_BYTES || !parts_file_go(f, (uint64_t)size - PARTS_TRAILER_BYTES) || read_bytes(f, trailer, sizeof trailer) < sizeof trailer ||
        memcmp(trailer + sizeof at, PARTS_END, PARTS_MAGIC_BYTES))
        return NULL;
    memcpy(&at, trailer, sizeof at);
    if (at > (uint64_t)size || !parts_file_go(f, at) || !parts_file_head(f) || f->head.kind != PART_INDEX || !parts_file_payload(f))
        return NULL;
    *n = f->head.bytes / sizeof *places;
    places = malloc(f->head.bytes + 1u);
    if (places)
        memcpy(places, f->payload, f->head.bytes);
    return places;
}

struct part_entry *parts_file_index(struct parts_file *f, uint64_t *n)
{
    uint64_t here = f->offset;
    struct part_entry *places;
    struct stat st;

    if (fstat(fileno(f->from->file), &st) || !S_ISREG(st.st_mode))
        return NULL;
    places = read_index(f, st.st_size, n);
    *f->error = 0; /* who reads on will find it */
    if (!places)
        parts_file_go(f, here);
    return places;
}
