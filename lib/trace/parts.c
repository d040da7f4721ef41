/* lib/trace/parts.c - see parts.h. */
#define _GNU_SOURCE
#include "trace/parts.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/grow.h"
#include "sim/record.h"

struct walk {
    const uint8_t *bytes;
    uint64_t size, at;
    struct part_entry *entry; /* of the whole parts, without the index */
    uint32_t entries, room;
};

/* What is wrong at byte `at`, in the words of quern replay (sim/hosted/parts.c); cut: only the file's end is missing. */
static __attribute__((format(printf, 4, 5))) bool fail(struct qn_trace_facts *facts, uint64_t at, bool cut, const char *format, ...)
{
    int n = snprintf(facts->wrong, sizeof facts->wrong, "byte %" PRIu64 ": %s: got ", at, cut ? "cut off" : "damaged");
    va_list args;

    facts->cut = cut;
    va_start(args, format);
    vsnprintf(facts->wrong + n, sizeof facts->wrong - (size_t)n, format, args);
    va_end(args);
    return false;
}

/* Reads the head of the part at w->at.  false: there is no whole part. */
static bool get_part(const struct walk *w, struct part_head *h, struct qn_trace_facts *facts)
{
    uint64_t left = w->size - w->at;

    if (!left)
        return fail(facts, w->at, true, "the end of the file, wanted the next part or the index");
    if (left < sizeof *h)
        return fail(facts, w->at, true, "%" PRIu64 " bytes, wanted the %zu of a part's head", left, sizeof *h);
    memcpy(h, w->bytes + w->at, sizeof *h);
    if (h->mark != PART_MARK || h->crc != part_crc(0, (const uint8_t *)h, offsetof(struct part_head, crc)))
        return fail(facts, w->at, false, "no head of a part, wanted one, with its checksum");
    if (h->packed > left - sizeof *h)
        return fail(facts, w->size, true, "%" PRIu64 " bytes of a part, wanted %" PRIu32, left - sizeof *h, h->packed);
    if (h->payload_crc != part_crc(0, w->bytes + w->at + sizeof *h, h->packed))
        return fail(facts, w->at + sizeof *h, false, "a part of %" PRIu32 " bytes with another checksum, wanted %08" PRIx32, h->packed, h->payload_crc);
    return true;
}

static bool is_end(const struct walk *w, uint64_t index, uint64_t at, struct qn_trace_facts *facts)
{
    uint64_t says, left = w->size - at;

    if (left < PARTS_TRAILER_BYTES)
        return fail(facts, w->size, true, "%" PRIu64 " bytes behind the index, wanted %d", left, PARTS_TRAILER_BYTES);
    memcpy(&says, w->bytes + at, sizeof says);
    if (says != index || memcmp(w->bytes + at + sizeof says, PARTS_END, PARTS_MAGIC_BYTES) != 0)
        return fail(facts, at, false, "no mark of the end, wanted one");
    return left == PARTS_TRAILER_BYTES || fail(facts, at + PARTS_TRAILER_BYTES, false, "more behind the end, wanted the end of the file");
}

/* false: no memory. */
static bool walk(struct walk *w, struct qn_trace_facts *facts)
{
    struct part_head h;

    for (w->at = PARTS_MAGIC_BYTES; get_part(w, &h, facts); w->at += sizeof h + h.packed) {
        if (h.kind == PART_INDEX) {
            facts->ended = is_end(w, w->at, w->at + sizeof h + h.packed, facts);
            break;
        }
        if (!QN_GROW(w->entry, w->entries, w->room, 64))
            return false;
        w->entry[w->entries++] = (struct part_entry){.offset = w->at, .first = h.first, .kind = h.kind};
        facts->parts++;
        facts->instructions += h.instructions;
        facts->references += h.references;
        facts->packing = h.packing;
    }
    facts->whole = w->at;
    return true;
}

/* Maps the file and walks through its parts.  Release w afterwards, whatever it returns. */
static bool look(int fd, struct walk *w, struct qn_trace_facts *facts)
{
    off_t size = lseek(fd, 0, SEEK_END);

    *facts = (struct qn_trace_facts){.bytes = size > 0 ? (uint64_t)size : 0};
    errno = 0;
    if (size < PARTS_MAGIC_BYTES)
        return false;
    w->size = (uint64_t)size;
    w->bytes = mmap(NULL, w->size, PROT_READ, MAP_SHARED, fd, 0);
    if (w->bytes == MAP_FAILED)
        return w->bytes = NULL, false;
    return !memcmp(w->bytes, PARTS_MAGIC, PARTS_MAGIC_BYTES) && walk(w, facts);
}

static void release(struct walk *w)
{
    int error = errno;

    if (w->bytes)
        munmap((void *)w->bytes, w->size);
    free(w->entry);
    errno = error;
}

bool qn_trace_measure_parts(int fd, struct qn_trace_facts *facts)
{
    struct walk w = {NULL, 0, 0, NULL, 0, 0};
    bool good = look(fd, &w, facts);

    release(&w);
    return good;
}

static bool write_end(int fd, const struct walk *w, const struct qn_trace_facts *facts)
{
    uint32_t bytes = (uint32_t)(w->entries * sizeof *w->entry);
    struct part_head h = {.mark = PART_MARK, .kind = PART_INDEX, .packing = PART_PLAIN, .bytes = bytes, .packed = bytes, .first = facts->instructions};
    off_t at = (off_t)facts->whole;
    uint64_t index = facts->whole;

    h.payload_crc = part_crc(0, (const uint8_t *)w->entry, bytes);
    h.crc = part_crc(0, (const uint8_t *)&h, offsetof(struct part_head, crc));
    return ftruncate(fd, at) == 0 && pwrite(fd, &h, sizeof h, at) == sizeof h && pwrite(fd, w->entry, bytes, at + (off_t)sizeof h) == bytes &&
           pwrite(fd, &index, sizeof index, at + (off_t)(sizeof h + bytes)) == sizeof index &&
           pwrite(fd, PARTS_END, PARTS_MAGIC_BYTES, at + (off_t)(sizeof h + bytes + sizeof index)) == PARTS_MAGIC_BYTES;
}

bool qn_trace_end_parts(int fd, struct qn_trace_facts *facts)
{
    struct walk w = {NULL, 0, 0, NULL, 0, 0};
    bool good = look(fd, &w, facts) && (facts->ended || (facts->cut && write_end(fd, &w, facts)));

    release(&w);
    return good;
}
