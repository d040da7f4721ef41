/* lib/trace/records.c - see records.h. */
#define _GNU_SOURCE
#include "trace/records.h"

#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static bool is_code(uint8_t head) { return head == (RECORD_STACK | RECORD_CODE << 3); }

static size_t measure_code(const uint8_t *p, size_t left)
{
    size_t n = left > 1 ? 2u + p[1] : 0;

    return n > 2 && n <= left && n <= 2 + RECORD_CODE_MAX ? n : 0;
}

/* Bytes of the record at p; 0: there is no whole one. */
static size_t measure_record(const uint8_t *p, size_t left)
{
    unsigned kind = left ? p[0] & 7 : RECORD_END, varints = 1u + (kind < RECORD_COND && !(p[0] >> 3)) + (kind >= RECORD_INDIRECT);
    size_t n = 1;

    if (kind != RECORD_END && is_code(p[0]))
        return measure_code(p, left);
    while (kind != RECORD_END && varints--)
        do
            if (n == left)
                return 0;
        while (p[n++] & 128);
    return kind == RECORD_END ? 0 : n;
}

static uint64_t get_varint(const uint8_t **p)
{
    uint64_t value = 0;

    for (unsigned shift = 0; shift < 64; shift += 7) {
        uint8_t c = *(*p)++;

        value |= (uint64_t)(c & 127) << shift;
        if (c < 128)
            break;
    }
    return value;
}

bool qn_trace_next_record(struct qn_trace_records *r, struct qn_trace_record *ref)
{
    const uint8_t *p = r->at;
    size_t n = measure_record(p, (size_t)(r->end - p));

    if (!n)
        return false;
    *ref = (struct qn_trace_record){ .kind = p[0] & 7, .code = p[0] >> 3 };
    if (is_code(*p++)) {
        ref->size = *p++;
        ref->bytes = p;
    } else {
        if (ref->kind < RECORD_COND)
            ref->size = ref->code ? ref->code : (uint32_t)get_varint(&p);
        ref->addr = r->last[ref->kind] += record_unzigzag(get_varint(&p));
        if (ref->kind >= RECORD_INDIRECT)
            ref->target = ref->addr + record_unzigzag(get_varint(&p));
    }
    r->at += n;
    return true;
}

static struct record_sum add_up(const uint8_t *p, size_t left)
{
    struct record_sum s = { 0, 0, 0 };

    for (size_t n; (n = measure_record(p, left)) > 0; p += n, left -= n)
        for (size_t i = 0; i < n; i++)
            record_add(&s, p[i]);
    return s;
}

/* The recorder cannot write the end itself: it may be killed at any point. */
bool qn_trace_end_records(int fd, size_t size)
{
    uint8_t *bytes = mmap(NULL, size, PROT_READ, MAP_SHARED, fd, 0), trailer[RECORD_TRAILER_BYTES] = { RECORD_END };
    struct record_sum s;
    off_t end;

    if (bytes == MAP_FAILED)
        return false;
    s = add_up(bytes + RECORD_MAGIC_BYTES, size - RECORD_MAGIC_BYTES);
    munmap(bytes, size);
    memcpy(trailer + 1, &s, sizeof s);
    end = (off_t)(RECORD_MAGIC_BYTES + s.bytes);
    return pwrite(fd, trailer, sizeof trailer, end) == sizeof trailer && ftruncate(fd, end + (off_t)sizeof trailer) == 0;
}
