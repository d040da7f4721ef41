/*
 * The compact line record. See log.h for the encoding.
 *
 * In:  (file 0, line 12, {3, 0, 1}), (file 0, line 13, {1, 0, 0})
 * Out: bytes 18 05 06 02 | 02 01 02   (zigzag: 12 -> 0x18, mask 101, 3 -> 06, 1 -> 02; +1 -> 02 ...)
 */
#include "prof/table/log.h"

#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "prof/counts.h"
#include "text/names.h"
#include "prof/sizes.h"

enum { VARINT_MAX = 10, GROUP = 8 };

struct qn_prof_log_piece {
    struct qn_prof_log_piece *older;
    uint8_t bytes[];
};

static inline uint64_t zigzag(int64_t v)
{
    return (uint64_t)v << 1 ^ (uint64_t)(v >> 63);
}

static inline int64_t unzigzag(uint64_t v)
{
    return (int64_t)(v >> 1 ^ (0 - (v & 1)));
}

static inline uint8_t *put_varint(uint8_t *p, uint64_t v)
{
    for (; v >= 0x80; v >>= 7)
        *p++ = (uint8_t)(v | 0x80);
    *p++ = (uint8_t)v;
    return p;
}

static inline const uint8_t *get_varint(const uint8_t *p, uint64_t *out)
{
    uint64_t v = *p & 0x7f;
    for (int shift = 7; *p++ & 0x80; shift += 7)
        v |= (uint64_t)(*p & 0x7f) << shift;
    *out = v;
    return p;
}

static uint8_t *put_counts(uint8_t *p, const int64_t *counts, int events)
{
    for (int base = 0; base < events; base += GROUP) {
        uint8_t *mask = p++;
        *mask = 0;
        for (int i = 0; i < GROUP && base + i < events; i++)
            if (counts[base + i] != 0) {
                *mask |= (uint8_t)(1u << i);
                p = put_varint(p, zigzag(counts[base + i]));
            }
    }
    return p;
}

/* Decodes into `counts`, or only passes over them where it is NULL. */
static const uint8_t *get_counts(const uint8_t *p, int64_t *counts, int events)
{
    for (int base = 0; base < events; base += GROUP) {
        unsigned mask = *p++;
        for (int i = 0; i < GROUP && base + i < events; i++) {
            uint64_t v = 0;
            if (mask >> i & 1)
                p = get_varint(p, &v);
            if (counts)
                counts[base + i] = unzigzag(v);
        }
    }
    return p;
}

static size_t record_max(const struct qn_prof_log *log)
{
    size_t events = (size_t)log->events;
    return VARINT_MAX * (events + 1) + events / GROUP + 1;
}

static void add_piece(struct qn_prof_log *log)
{
    struct qn_prof_log_piece *piece = QN_NEEDED(malloc(sizeof *piece + QN_PROF_LOG_BYTES));
    piece->older = log->pieces;
    log->pieces = piece;
    log->at = piece->bytes;
    log->limit = piece->bytes + QN_PROF_LOG_BYTES;
}

static void know_file(struct qn_prof_log *log, uint32_t file)
{
    for (uint32_t known = log->file_room; file >= log->file_room;) {
        QN_MORE(log->files, log->file_room, log->file_room, QN_TEXT_ROOM);
        for (; known < log->file_room; known++)
            log->files[known] = (struct qn_prof_log_file){QN_TEXT_NO_ID, QN_TEXT_NO_ID, 0};
    }
}

static void open_segment(struct qn_prof_log *log, uint32_t file)
{
    know_file(log, file);
    QN_MORE(log->segments, log->segment_count, log->segment_room, QN_TEXT_ROOM);
    uint32_t id = log->segment_count++;
    struct qn_prof_log_file *f = &log->files[file];
    if (f->last == QN_TEXT_NO_ID)
        f->first = id;
    else
        log->segments[f->last].next = id;
    f->last = id;
    log->segments[id] = (struct qn_prof_segment){log->at, 0, file, QN_TEXT_NO_ID};
    log->last_line = 0;
}

void qn_prof_log_add(struct qn_prof_log *log, uint32_t file, uint32_t line, const int64_t *counts)
{
    int full = (size_t)(log->limit - log->at) < record_max(log);
    if (full)
        add_piece(log);
    int fits = !full && log->segment_count > 0 && log->segments[log->segment_count - 1].file == file;
    if (!fits)
        open_segment(log, file);
    uint8_t *p = put_varint(log->at, zigzag((int64_t)line - (int64_t)log->last_line));
    log->at = put_counts(p, counts, log->events);
    log->last_line = line;
    log->segments[log->segment_count - 1].records++;
    log->files[file].records++;
}

static size_t gather_segment(const struct qn_prof_log *log, const struct qn_prof_segment *s,
                             struct qn_text_key *keys)
{
    const uint8_t *p = s->start;
    int64_t line = 0;
    for (uint32_t i = 0; i < s->records; i++) {
        uint64_t step;
        p = get_varint(p, &step);
        line += unzigzag(step);
        keys[i] = (struct qn_text_key){(uint64_t)line, (uint64_t)(uintptr_t)p};
        p = get_counts(p, NULL, log->events);
    }
    return s->records;
}

void qn_prof_log_gather(const struct qn_prof_log *log, uint32_t file,
                        struct qn_prof_log_lines *lines)
{
    memset(lines, 0, sizeof *lines);
    lines->log = log;
    if (file >= log->file_room)
        return;
    const struct qn_prof_log_file *f = &log->files[file];
    lines->keys = QN_NEEDED(malloc((f->records + (size_t)1) * sizeof *lines->keys));
    for (uint32_t s = f->first; s != QN_TEXT_NO_ID; s = log->segments[s].next)
        lines->count += gather_segment(log, &log->segments[s], lines->keys + lines->count);
    qn_text_sort_keys(lines->keys, lines->count);
}

int qn_prof_log_next(struct qn_prof_log_lines *lines, uint32_t *line, int64_t *counts)
{
    int events = lines->log->events;
    if (lines->at == lines->count)
        return 0;
    const struct qn_text_key *k = &lines->keys[lines->at++];
    *line = (uint32_t)k->key;
    get_counts((const uint8_t *)(uintptr_t)k->id, counts, events);
    for (; lines->at < lines->count && lines->keys[lines->at].key == k->key; lines->at++) {
        int64_t more[events];
        get_counts((const uint8_t *)(uintptr_t)lines->keys[lines->at].id, more, events);
        if (qn_prof_add_counts(counts, more, events) != 0)
            return -1;
    }
    return 1;
}

void qn_prof_log_free_lines(struct qn_prof_log_lines *lines)
{
    free(lines->keys);
    memset(lines, 0, sizeof *lines);
}

void qn_prof_free_log(struct qn_prof_log *log)
{
    while (log->pieces) {
        struct qn_prof_log_piece *older = log->pieces->older;
        free(log->pieces);
        log->pieces = older;
    }
    free(log->segments);
    free(log->files);
    memset(log, 0, sizeof *log);
}
