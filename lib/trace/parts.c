/* lib/trace/parts.c - reads references from quern's trace format (format.h), and says what a trace has and whether it is whole. */
#define _GNU_SOURCE

#include "trace/format.h"

#include <errno.h>
#include <inttypes.h>
#include <lzma.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zstd.h>

#include "base/grow.h"
#include "trace/trace.h"

struct parts_file {
    struct bytes *from;
    uint64_t offset;       /* of the next byte */
    struct part_head head; /* of the part read last */
    uint64_t head_offset;
    uint8_t *payload;      /* unpacked: head.bytes of them */
    bool cut;              /* what is wrong is that the file ends */
    char error[600];
};

/* ---- the parts in the file: heads, payloads, the index ---- */

enum wrong { CUT_OFF, DAMAGED, OTHER };

static __attribute__((format(printf, 4, 5))) bool fail(struct parts_file *f, uint64_t offset, enum wrong wrong, const char *format, ...)
{
    static const char *const kinds[] = {"cut off: ", "damaged: ", ""};
    int n = snprintf(f->error, sizeof f->error, "%s: byte %" PRIu64 ": %s", f->from->path, offset, kinds[wrong]);
    va_list ap;

    f->cut = wrong == CUT_OFF;
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

static bool parts_file_head(struct parts_file *f)
{
    struct part_head *h = &f->head;
    size_t got;

    f->head_offset = f->offset;
    got = read_bytes(f, h, sizeof *h);
    if (!got)
        return fail(f, f->offset, CUT_OFF, "got the end of the file, wanted the next part or the index; `quern trace --recover FILE` ends it here");
    if (got < sizeof *h)
        return fail(f, f->head_offset, CUT_OFF, "got %zu bytes, wanted the %zu of a part's head", got, sizeof *h);
    if (h->mark != PART_MARK || h->crc != lzma_crc32((uint8_t *)h, offsetof(struct part_head, crc), 0))
        return fail(f, f->head_offset, DAMAGED, "got no head of a part, wanted one, with its checksum");
    if (h->kind < PART_DEFINITIONS || h->kind > PART_CODE || h->packing > PART_XZ || h->bytes > PART_BYTES_MAX || h->packed > 2 * PART_BYTES_MAX)
        return fail(f, f->head_offset, OTHER, "got a part of kind %u, packing %u, %" PRIu32 " bytes, wanted one of kinds 1 to 4; it is of another version of quern", h->kind,
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

/* The payload as it lies in the file, with the right checksum; NULL: an error. */
static uint8_t *read_packed(struct parts_file *f)
{
    const struct part_head *h = &f->head;
    uint64_t at = f->offset;
    uint8_t *packed = malloc(h->packed + 1u);
    size_t got = packed ? read_bytes(f, packed, h->packed) : 0;

    if (!packed)
        fail(f, at, OTHER, "no memory for a part of %" PRIu32 " bytes", h->packed);
    else if (got < h->packed)
        fail(f, f->offset, CUT_OFF, "got %zu bytes of a part, wanted %" PRIu32, got, h->packed);
    else if (lzma_crc32(packed, got, 0) != h->payload_crc)
        fail(f, at, DAMAGED, "got a part of %" PRIu32 " bytes with another checksum, wanted %08" PRIx32, h->packed, h->payload_crc);
    else
        return packed;
    free(packed);
    return NULL;
}

static bool parts_file_payload(struct parts_file *f)
{
    uint64_t at = f->offset;
    uint8_t *packed = read_packed(f);
    bool good;

    free(f->payload);
    f->payload = packed ? malloc(f->head.bytes + 1u) : NULL;
    good = f->payload && unpack(f, packed);
    if (packed && !f->payload)
        fail(f, at, OTHER, "no memory for a part of %" PRIu32 " bytes", f->head.bytes);
    else if (packed && !good)
        fail(f, at, DAMAGED, "got what does not unpack, wanted %" PRIu32 " bytes", f->head.bytes);
    free(packed);
    return good;
}

static bool parts_file_end(struct parts_file *f)
{
    uint8_t trailer[PARTS_TRAILER_BYTES + 1];
    size_t got = read_bytes(f, trailer, sizeof trailer);
    uint64_t index;

    memcpy(&index, trailer, sizeof index);
    if (got < PARTS_TRAILER_BYTES)
        return fail(f, f->offset, CUT_OFF, "got %zu bytes behind the index, wanted %d", got, PARTS_TRAILER_BYTES);
    if (got > PARTS_TRAILER_BYTES)
        return fail(f, f->offset - 1, DAMAGED, "got more behind the end, wanted the end of the file");
    if (index != f->head_offset || memcmp(trailer + sizeof index, PARTS_END, PARTS_MAGIC_BYTES))
        return fail(f, f->offset - got, DAMAGED, "got no mark of the end, wanted one");
    return true;
}

static bool parts_file_go(struct parts_file *f, uint64_t offset)
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

static struct part_entry *parts_file_index(struct parts_file *f, uint64_t *n)
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

#define SIZE_MAX_REF 65535u
#define RUN_PARTS_MAX 16u
#define KINDS 16u

struct stream {
    const uint8_t *at, *end;
};

struct run { /* of records that repeat */
    uint64_t times;
    unsigned n, at;
    struct sim_ref ref[RUN_PARTS_MAX];
    uint64_t step[RUN_PARTS_MAX];
};

struct parts {
    struct parts_file file;
    struct part_block *block;
    uint32_t blocks, block_room;
    struct item_site *site;
    uint32_t sites, site_room;
    uint64_t last_pc;
    /* in a part of references */
    bool in_part, in_group, way_known;
    struct stream control, heads, data;
    uint32_t generation, now, item, way;  /* the block and its next item; where it goes from there */
    uint8_t flags;
    uint64_t target;
    uint64_t before, at, pc, last[KINDS]; /* at: where the next fetch lies */
    uint32_t site_at;
    struct run run;
    uint64_t core, thread;                /* that run */
    uint64_t more;                        /* instructions without a fetch that parts_take_more has not given yet */
};

struct parts *parts_open(struct bytes *from)
{
    struct parts *p = calloc(1, sizeof *p);

    if (!p || !QN_GROW(p->block, 0, p->block_room, 4096)) {
        free(p);
        return NULL;
    }
    p->file.from = from;
    p->file.offset = PARTS_MAGIC_BYTES;
    p->block[0] = (struct part_block){.pc = 0};
    p->blocks = 1;
    return p;
}

void parts_close(struct parts *p)
{
    if (!p)
        return;
    for (uint32_t i = 1; i < p->blocks; i++) {
        free((void *)p->block[i].item);
        free((void *)p->block[i].code);
    }
    free(p->block);
    free(p->site);
    free(p->file.payload);
    free(p);
}

const char *parts_error(const struct parts *p) { return p->file.error; }

/* The sums were right: who wrote this made a mistake, or another program did. */
static int refuse(struct parts *p, const char *what)
{
    if (!*p->file.error)
        snprintf(p->file.error, sizeof p->file.error, "%s: byte %" PRIu64 ": part: got %s, wanted what quern trace writes", p->file.from->path,
                 p->file.head_offset, what);
    return -1;
}

/* ---- streams ---- */

static uint64_t get_varint(struct stream *s)
{
    uint64_t value = 0;

    for (unsigned shift = 0; s->at < s->end && shift < 64; shift += 7) {
        uint8_t c = *s->at++;

        value |= (uint64_t)(c & 127) << shift;
        if (c < 128)
            return value;
    }
    s->at = s->end + 1; /* it ended too early */
    return 0;
}

static bool ended_early(const struct stream *s) { return s->at > s->end; }

/* ---- definitions ---- */

static bool add_block(struct parts *p, uint64_t pc, const struct qn_item *item, uint32_t n)
{
    struct qn_item *own = malloc(n * sizeof *own + 1);
    struct part_block *b;

    if (!own || !QN_GROW(p->block, p->blocks, p->block_room, 4096)) {
        free(own);
        return false;
    }
    memcpy(own, item, n * sizeof *own);
    b = &p->block[p->blocks++];
    *b = (struct part_block){.pc = pc, .item = own, .n = n, .sites = p->sites};
    part_block_count(b);
    for (unsigned i = 0; i < b->references; i++, p->sites++)
        if (!QN_GROW(p->site, p->sites, p->site_room, 4096))
            return false;
    return true;
}

static int define(struct parts *p)
{
    struct stream s = {p->file.payload, p->file.payload + p->file.head.bytes};
    struct qn_item item[QN_ITEMS_MAX];

    while (s.at < s.end) {
        uint64_t n;

        p->last_pc += unzigzag(get_varint(&s));
        n = get_varint(&s);
        if (n > QN_ITEMS_MAX)
            return refuse(p, "a block with too many items");
        for (uint64_t i = 0; i < n; i++) {
            uint8_t c = s.at < s.end ? *s.at : 0;

            s.at++;
            item[i] = (struct qn_item){.kind = c & 15, .size = c >> 4};
            if (c >> 4 == ITEM_SIZE_FOLLOWS)
                item[i].size = (uint16_t)get_varint(&s);
        }
        if (ended_early(&s))
            return refuse(p, "a definition that is cut off");
        if (!add_block(p, p->last_pc, item, (uint32_t)n))
            return refuse(p, "more blocks than there is memory for");
    }
    return 0;
}

/* The code of blocks that are defined already. */
static int take_code(struct parts *p)
{
    struct stream s = {p->file.payload, p->file.payload + p->file.head.bytes};

    while (s.at < s.end) {
        uint64_t id = get_varint(&s), n = get_varint(&s);
        struct part_block *b = id && id < p->blocks ? &p->block[id] : NULL;
        uint8_t *own;

        if (!b || b->code || ended_early(&s) || n > (uint64_t)(s.end - s.at) || n != qn_items_bytes(b->item, b->n))
            return refuse(p, "code of no block");
        b->code = own = malloc(n + 1);
        if (!own)
            return refuse(p, "more blocks than there is memory for");
        memcpy(own, s.at, n);
        s.at += n;
    }
    return 0;
}

/* ---- the parts ---- */

static int begin_references(struct parts *p)
{
    const uint8_t *payload = p->file.payload, *end = payload + p->file.head.bytes;
    struct stream s = {payload, end};
    uint64_t control = get_varint(&s), heads = get_varint(&s);

    if (ended_early(&s) || control > (uint64_t)(end - s.at) || heads > (uint64_t)(end - s.at) - control)
        return refuse(p, "streams that are longer than the part");
    p->control = (struct stream){s.at, s.at + control};
    p->heads = (struct stream){p->control.end, p->control.end + heads};
    p->data = (struct stream){p->heads.end, end};
    p->in_part = true;
    p->in_group = p->way_known = false;
    p->generation++;
    p->now = p->item = 0;
    p->before = 0;
    memset(p->last, 0, sizeof p->last);
    p->run.times = 0;
    p->core = p->thread = 0;
    return 0;
}

/* 1: there are references; 0: it was the last part. */
static int next_part(struct parts *p)
{
    for (;;) {
        int wrong = parts_file_head(&p->file) && parts_file_payload(&p->file) ? 0 : -1;

        if (wrong)
            return wrong;
        switch (p->file.head.kind) {
        case PART_INDEX: return parts_file_end(&p->file) ? 0 : -1;
        case PART_DEFINITIONS: wrong = define(p); break;
        case PART_CODE: wrong = take_code(p); break;
        default: return begin_references(p) ? -1 : 1;
        }
        if (wrong)
            return wrong;
    }
}

/* ---- a block ---- */

static void enter(struct parts *p, uint32_t id)
{
    struct part_block *b = &p->block[id];

    part_block_begin(b, p->site, p->generation);
    p->now = id;
    p->item = 0;
    p->site_at = b->sites;
    p->at = p->pc = b->pc;
    p->way_known = false;
}

/* Which way it goes on from this block. */
static int read_way(struct parts *p)
{
    struct part_block *b = &p->block[p->now];
    uint64_t code = get_varint(&p->control);
    uint64_t way;

    part_block_begin(b, p->site, p->generation);
    if (code > WAY_OTHER || ended_early(&p->control))
        return refuse(p, "no way on from a block");
    way = b->way[code == WAY_BEFORE];
    if (code == WAY_OTHER) {
        way = (uint64_t)(uint8_t)get_varint(&p->control) << 32;
        way |= (uint32_t)get_varint(&p->control);
    }
    if (way_next(way) >= p->blocks)
        return refuse(p, "a block that was never defined");
    if (code != WAY_LAST) {
        b->way[1] = b->way[0];
        b->way[0] = way;
    }
    p->flags = (uint8_t)way_flags(way);
    p->way = way_next(way);
    p->target = way_flags(way) & WAY_TARGET ? b->pc + unzigzag(get_varint(&p->control)) : p->block[p->way].pc;
    p->way_known = true;
    return 0;
}

static int read_data(struct parts *p, const struct qn_item *item, struct sim_ref *ref)
{
    struct item_site *s = &p->site[p->site_at++];
    uint8_t head = p->heads.at < p->heads.end ? *p->heads.at++ : UINT8_MAX;
    uint64_t z = 0, addr;

    if (head > DATA_AS_BEFORE || (head <= DATA_BYTES_MAX && head > p->data.end - p->data.at))
        return refuse(p, "less data than references");
    if (head == DATA_AS_BEFORE) {
        addr = p->before + s->off;
    } else {
        memcpy(&z, p->data.at, head);
        p->data.at += head;
        addr = site_expects(s, p->before) + unzigzag(z);
    }
    site_learn(s, addr, p->before);
    p->before = addr;
    *ref = (struct sim_ref){.kind = (uint8_t)(item->kind == QN_ITEM_MODIFY ? SIM_MODIFY : item->kind == QN_ITEM_WRITE ? SIM_WRITE : SIM_READ),
                            .addr = addr, .size = item->size};
    return 1;
}

static int read_branch(struct parts *p, const struct qn_item *item, struct sim_ref *ref)
{
    static const uint8_t kinds[] = {[QN_ITEM_COND] = SIM_REF_COND, [QN_ITEM_INDIRECT] = SIM_REF_INDIRECT, [QN_ITEM_CALL] = SIM_REF_CALL,
                                    [QN_ITEM_RETURN] = SIM_REF_RETURN, [QN_ITEM_FIXED] = SIM_REF_COND};

    if (item->kind != QN_ITEM_CALL && item->kind != QN_ITEM_FIXED && !p->way_known && read_way(p))
        return -1;
    *ref = (struct sim_ref){.kind = kinds[item->kind], .addr = p->pc};
    if (item->kind == QN_ITEM_COND) {
        ref->outcome = p->flags & WAY_TAKEN ? SIM_TAKEN : 0;
        ref->backward = item->size & QN_ITEM_BACKWARD;
    } else if (item->kind != QN_ITEM_FIXED) {
        ref->target = item->kind == QN_ITEM_CALL ? p->at : p->target;
    }
    return 1;
}

/* 1: *ref is filled; 0: the item is no reference; -1: an error. */
static int read_item(struct parts *p, struct sim_ref *ref)
{
    const struct qn_item *item = &p->block[p->now].item[p->item++];

    switch (item->kind) {
    case QN_ITEM_FETCH:
        *ref = (struct sim_ref){.kind = SIM_REF_FETCH, .addr = p->at, .size = item->size};
        p->pc = p->at;
        p->at += item->size;
        return item->size ? 1 : refuse(p, "an instruction of no bytes");
    case QN_ITEM_SKIP: p->at += item->size; return 0;
    case QN_ITEM_OPEN: p->in_group = true; return 0;
    case QN_ITEM_READ:
    case QN_ITEM_WRITE:
    case QN_ITEM_MODIFY: return item->size ? read_data(p, item, ref) : refuse(p, "a reference of no bytes");
    case QN_ITEM_COND:
    case QN_ITEM_INDIRECT:
    case QN_ITEM_CALL:
    case QN_ITEM_RETURN:
    case QN_ITEM_FIXED: return read_branch(p, item, ref);
    default: return refuse(p, "an item of no kind");
    }
}

/* ---- a group ---- */

static int next_of_run(struct parts *p, struct sim_ref *ref)
{
    struct run *r = &p->run;
    unsigned k = r->at;

    *ref = r->ref[k];
    r->ref[k].addr += r->step[k];
    r->at = (k + 1) % r->n;
    r->times -= r->at == 0;
    return 1;
}

/* A record; `stepping`: its step goes there. */
static int read_record(struct parts *p, uint64_t kind, struct sim_ref *ref, uint64_t *stepping)
{
    static const uint8_t kinds[] = {[QN_ITEM_READ] = SIM_READ, [QN_ITEM_WRITE] = SIM_WRITE, [QN_ITEM_MODIFY] = SIM_MODIFY, [QN_ITEM_FETCH] = SIM_REF_FETCH,
                                    [QN_ITEM_COND] = SIM_REF_COND, [QN_ITEM_INDIRECT] = SIM_REF_INDIRECT, [QN_ITEM_CALL] = SIM_REF_CALL,
                                    [QN_ITEM_RETURN] = SIM_REF_RETURN};
    uint64_t size = 0;

    if (kind > QN_ITEM_RETURN)
        return refuse(p, "a record of no kind");
    *ref = (struct sim_ref){.kind = kinds[kind]};
    if (kind <= QN_ITEM_COND)
        size = get_varint(&p->control);
    if (kind == QN_ITEM_COND) {
        ref->outcome = size & 1 ? SIM_TAKEN : 0;
        ref->backward = size >> 1 & 1;
    } else {
        ref->size = (uint32_t)size;
    }
    ref->addr = p->last[kind] += unzigzag(get_varint(&p->control));
    if (stepping)
        *stepping = unzigzag(get_varint(&p->control));
    else if (kind > QN_ITEM_COND)
        ref->target = ref->addr + unzigzag(get_varint(&p->control));
    if (kind < QN_ITEM_COND && (!size || size > SIZE_MAX_REF))
        return refuse(p, "a size that is not 1 to 65535");
    return ended_early(&p->control) ? refuse(p, "a record that is cut off") : 1;
}

static int begin_run(struct parts *p)
{
    struct run *r = &p->run;
    uint64_t times = get_varint(&p->control), n = get_varint(&p->control);

    if (!n || n > RUN_PARTS_MAX || !times)
        return refuse(p, "a run of nothing");
    r->n = (unsigned)n;
    r->at = 0;
    for (unsigned i = 0; i < r->n; i++)
        if (read_record(p, get_varint(&p->control) - 1, &r->ref[i], &r->step[i]) < 0)
            return -1;
    r->times = times;
    return 0;
}

static int read_group(struct parts *p, struct sim_ref *ref)
{
    uint64_t kind;

    if (p->run.times)
        return next_of_run(p, ref);
    kind = get_varint(&p->control);
    if (ended_early(&p->control))
        return refuse(p, "a group that is cut off");
    if (!kind) {
        p->in_group = false;
        return 0;
    }
    if (kind - 1 == QN_LOG_RUN)
        return begin_run(p);
    if (kind - 1 == QN_LOG_MORE) {
        p->more += get_varint(&p->control);
        return ended_early(&p->control) ? refuse(p, "a record that is cut off") : 0;
    }
    if (kind - 1 == QN_LOG_CORE) {
        p->core = get_varint(&p->control);
        p->thread = get_varint(&p->control);
        return ended_early(&p->control) || p->core >= QN_CORES_MAX ? refuse(p, "a core that there is not") : 0;
    }
    return read_record(p, kind - 1, ref, NULL);
}

/* ---- all of it ---- */

/* From the block that is at its end to the next, or to a group. */
static int go_on(struct parts *p)
{
    if (p->now == 0 && !p->way_known && p->control.at == p->control.end) {
        p->in_part = false;
        return p->heads.at == p->heads.end && p->data.at == p->data.end ? 0 : refuse(p, "more data than references");
    }
    if (!p->way_known && read_way(p))
        return -1;
    p->in_group = p->way == 0;
    enter(p, p->way);
    return 0;
}

int parts_next(struct parts *p, struct sim_ref *ref)
{
    for (;;) {
        int got;

        if (!p->in_part) {
            got = next_part(p);
            if (got < 1)
                return got;
        }
        if (p->in_group)
            got = read_group(p, ref);
        else if (p->item < p->block[p->now].n)
            got = read_item(p, ref);
        else
            got = go_on(p);
        if (got)
            return got;
    }
}

const uint8_t *parts_code(const struct parts *p, uint64_t pc, bool search, size_t *n)
{
    const struct part_block *b = &p->block[p->now];
    uint32_t bytes = b->code ? qn_items_bytes(b->item, b->n) : 0;

    for (uint32_t id = search ? p->blocks : 0; pc - b->pc >= bytes && id-- > 1;) {
        b = &p->block[id];
        bytes = b->code ? qn_items_bytes(b->item, b->n) : 0;
    }
    *n = pc - b->pc < bytes ? bytes - (pc - b->pc) : 0;
    return *n ? b->code + (pc - b->pc) : NULL;
}

uint32_t parts_core(const struct parts *p, uint32_t *thread)
{
    *thread = (uint32_t)p->thread;
    return (uint32_t)p->core;
}

uint64_t parts_take_more(struct parts *p)
{
    uint64_t more = p->more;

    p->more = 0;
    return more;
}

/* ---- the index ---- */

/* Of references that begin with instruction n or before, the last; before it the definitions. */
static uint64_t find(const struct part_entry *place, uint64_t places, uint64_t n)
{
    uint64_t found = places;

    for (uint64_t i = 0; i < places && place[i].first <= n; i++)
        if (place[i].kind == PART_REFERENCES)
            found = i;
    return found;
}

uint64_t parts_seek(struct parts *p, uint64_t n)
{
    struct parts_file *f = &p->file;
    uint64_t places = 0, here = f->offset, found, first = 0;
    struct part_entry *place = parts_file_index(f, &places);
    bool good = place;

    found = place ? find(place, places, n) : 0;
    for (uint64_t i = 0; good && i < places && i < found; i++)
        if (place[i].kind != PART_REFERENCES)
            good = parts_file_go(f, place[i].offset) && parts_file_head(f) && parts_file_payload(f) &&
                   ((f->head.kind == PART_DEFINITIONS && !define(p)) || (f->head.kind == PART_CODE && !take_code(p)));
    if (good && found < places && parts_file_go(f, place[found].offset))
        first = place[found].first;
    else if (place && !*f->error)
        parts_file_go(f, here);
    free(place);
    return first;
}

/* ---- what a trace has ---- */

static void count_part(struct qn_trace_facts *facts, const struct part_head *h)
{
    facts->parts++;
    facts->instructions += h->instructions;
    facts->references += h->references;
    facts->packing = h->packing;
}

/* Goes through the parts up to the index.  false: no memory. */
static bool walk(struct parts_file *f, struct qn_trace_facts *facts, struct part_entry **entry, uint32_t *n)
{
    uint32_t room = 0;

    for (uint8_t *packed; parts_file_head(f) && (packed = read_packed(f)); facts->whole = f->offset) {
        free(packed);
        if (f->head.kind == PART_INDEX) {
            facts->ended = parts_file_end(f);
            break;
        }
        if (!QN_GROW(*entry, *n, room, 64))
            return false;
        (*entry)[(*n)++] = (struct part_entry){.offset = f->head_offset, .first = f->head.first, .kind = f->head.kind};
        count_part(facts, &f->head);
    }
    return true;
}

bool parts_measure(int fd, struct qn_trace_facts *facts, struct part_entry **entry, uint32_t *n)
{
    struct bytes *b = calloc(1, sizeof *b);
    struct parts_file f = {.from = b};
    int own = b ? dup(fd) : -1;
    uint8_t magic[PARTS_MAGIC_BYTES];
    struct stat st;
    bool good = false;

    *facts = (struct qn_trace_facts){.whole = PARTS_MAGIC_BYTES};
    *entry = NULL;
    *n = 0;
    if (own >= 0 && (b->file = fdopen(own, "rb")) && !fstat(own, &st)) {
        b->path = "";
        facts->bytes = (uint64_t)st.st_size;
        lseek(fd, 0, SEEK_SET);
        errno = 0;
        good = read_bytes(&f, magic, sizeof magic) == sizeof magic && !memcmp(magic, PARTS_MAGIC, sizeof magic) && walk(&f, facts, entry, n);
        snprintf(facts->wrong, sizeof facts->wrong, "%.*s", (int)strcspn(f.error + 2, ";"), *f.error ? f.error + 2 : ""); /* without path and advice */
        facts->cut = f.cut;
        fclose(b->file);
    }
    free(b);
    return good;
}

bool qn_trace_measure_parts(int fd, struct qn_trace_facts *facts)
{
    struct part_entry *entry;
    uint32_t n;
    bool good = parts_measure(fd, facts, &entry, &n);

    free(entry);
    return good;
}
