/* lib/debug/kept.c - a cache on disk of line tables that took time to read.
 *
 * In:  .debug_line as distributions ship it: it has to be unpacked, and read from end to end to find its sequences
 * Out: DIRECTORY/BUILD-ID.lines, which is mapped instead the next time:
 *
 *        header      who wrote it, which debug file it is from (size and time), how much of each follows, a checksum
 *        sequences   struct kept_sequence, sorted by start
 *        line        .debug_line, unpacked
 *        line_str    .debug_line_str, unpacked
 *
 * For the C library this saves 7 of the 10 ms for reading its debug information, which is as long as /bin/true runs under quern.
 *
 * Invariants: a file with impossible contents is ignored (kept_file.c has the rest).
 */
#define _GNU_SOURCE
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "debug/kept.h"

#define KEPT_MAGIC QN_KEPT_MARK "lines 1\n\0" /* 16 bytes; raise the number with each change of the format or of struct qn_sequence */
#define KEPT_LEAST (64u << 10)     /* bytes of .debug_line; smaller tables are read quickly enough */

struct kept_header {
    char magic[16];
    uint64_t checksum; /* of all that follows */
    struct qn_kept_origin origin;
    uint64_t sequences, line, line_str; /* number of sequences; bytes of the sections */
};

struct kept_sequence {
    uint64_t start, end;
    uint32_t program; /* offset in .debug_line */
    uint32_t unit, count, zero;
};

static size_t file_size(const struct kept_header *h)
{
    return sizeof *h + h->sequences * sizeof(struct kept_sequence) + qn_kept_padded(h->line) + qn_kept_padded(h->line_str);
}

static uint64_t checksum_header(const struct kept_header *h)
{
    size_t from = offsetof(struct kept_header, origin);

    return qn_hash_words(QN_HASH_NONE, (const char *)h + from, sizeof *h - from);
}

/* ---- reading ---- */

static bool is_right(const struct kept_header *h, size_t bytes, const struct qn_kept_origin *origin)
{
    return !memcmp(h->magic, KEPT_MAGIC, sizeof h->magic) && !memcmp(&h->origin, origin, sizeof *origin) &&
           h->sequences <= bytes && h->line <= bytes && h->line_str <= bytes && file_size(h) == bytes &&
           h->checksum == qn_hash_words(checksum_header(h), h + 1, bytes - sizeof *h);
}

/* false: the file is damaged, or no memory. */
static bool take_sequences(struct qn_lines *l, const struct kept_sequence *from, size_t count)
{
    l->sequences = reallocarray(NULL, count + 1, sizeof *l->sequences);
    if (!l->sequences)
        return false;
    l->sequence_room = count + 1;
    for (; l->nsequences < count; l->nsequences++) {
        const struct kept_sequence *s = &from[l->nsequences];
        const struct qn_unit *u = s->unit < l->nunits ? &l->units[s->unit] : NULL;
        const uint8_t *program = l->line.bytes + s->program;

        if (!u || s->program > l->line.size || program < u->program || program >= u->end || s->count > u->end - program ||
            s->start >= s->end)
            return false;
        l->sequences[l->nsequences] = (struct qn_sequence){ s->start, s->end, program, s->unit, s->count, 0, NULL };
    }
    return true;
}

bool qn_debug_take_kept_lines(struct qn_debug *d)
{
    struct qn_lines *l = &d->lines;
    const struct kept_header *h;
    const bool damaged = d->damaged;
    const char *at;
    char path[PATH_MAX];
    struct qn_kept_origin origin;
    size_t bytes;

    if (!qn_kept_name(d, QN_KEPT_LINES, path) || !qn_kept_origin(d, &origin) || !(h = qn_kept_map(path, sizeof *h, &bytes)))
        return false;
    l->mapped = (void *)(uintptr_t)h;
    l->mapped_bytes = bytes;
    if (is_right(h, bytes, &origin)) {
        at = (const char *)(h + 1) + h->sequences * sizeof(struct kept_sequence);
        l->line = (struct qn_section){ (const uint8_t *)at, h->line, NULL };
        l->line_str = (struct qn_section){ (const uint8_t *)at + qn_kept_padded(h->line), h->line_str, NULL };
        qn_debug_list_units(d, NULL);
        if (take_sequences(l, (const struct kept_sequence *)(h + 1), h->sequences))
            return true;
    }
    qn_debug_free_lines(l);
    d->damaged = damaged;
    return false;
}

/* ---- writing ---- */

static struct kept_sequence *list_sequences(const struct qn_lines *l)
{
    struct kept_sequence *list = calloc(l->nsequences + 1, sizeof *list);

    for (size_t i = 0; list && i < l->nsequences; i++) {
        const struct qn_sequence *s = &l->sequences[i];

        list[i] = (struct kept_sequence){ s->start, s->end, (uint32_t)(s->program - l->line.bytes), s->unit, s->scanned, 0 };
    }
    return list;
}

static void write_parts(const char *path, const struct kept_header *h, const struct kept_sequence *sequences, const struct qn_lines *l)
{
    static char zeros[8];
    struct iovec parts[] = {
        { (void *)(uintptr_t)h, sizeof *h },
        { (void *)(uintptr_t)sequences, h->sequences * sizeof *sequences },
        { (void *)(uintptr_t)l->line.bytes, l->line.size },
        { zeros, qn_kept_padded(l->line.size) - l->line.size },
        { (void *)(uintptr_t)l->line_str.bytes, l->line_str.size },
        { zeros, qn_kept_padded(l->line_str.size) - l->line_str.size },
    };

    qn_kept_write(path, parts, sizeof parts / sizeof parts[0]);
}

void qn_debug_keep_lines(struct qn_debug *d)
{
    const struct qn_lines *l = &d->lines;
    struct kept_header h = { .magic = KEPT_MAGIC };
    struct kept_sequence *sequences;
    char path[PATH_MAX];

    if (!l->line.owned || l->mapped || d->damaged || !l->nsequences || l->line.size < KEPT_LEAST || l->line.size > UINT32_MAX ||
        !qn_kept_name(d, QN_KEPT_LINES, path) || !qn_kept_origin(d, &h.origin) || !(sequences = list_sequences(l)))
        return;
    h.sequences = l->nsequences;
    h.line = l->line.size;
    h.line_str = l->line_str.size;
    h.checksum = qn_hash_words(checksum_header(&h), sequences, l->nsequences * sizeof *sequences);
    h.checksum = qn_hash_words(h.checksum, l->line.bytes, l->line.size);
    h.checksum = qn_hash_words(h.checksum, l->line_str.bytes, l->line_str.size);
    write_parts(path, &h, sequences, l);
    free(sequences);
}
