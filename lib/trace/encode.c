/* lib/trace/encode.c - encodes the words of a recorder into the streams of sim/record.h.  See write.h. */
#include "trace/encode.h"

#include <errno.h>
#include <string.h>

#include "base/grow.h"

#define STREAM_ROOM 65536u

void trace_fail(struct qn_trace_writer *w)
{
    if (!w->failed)
        w->error = errno ? errno : ENOMEM;
    w->failed = true;
}

static bool grow(struct qn_trace_writer *w, struct stream *s)
{
    s->at = qn_grown(s->at, s->n, s->room ? 2 * s->room : STREAM_ROOM, 1);
    s->room = s->room ? 2 * s->room : STREAM_ROOM;
    if (!s->at)
        s->n = s->room = 0, trace_fail(w);
    return s->at;
}

/* bytes: fewer than STREAM_ROOM. */
static inline bool make_room(struct qn_trace_writer *w, struct stream *s, size_t bytes)
{
    return s->room - s->n >= bytes || grow(w, s);
}

bool trace_room(struct qn_trace_writer *w, struct stream *s, size_t bytes)
{
    while (s->room < bytes && grow(w, s))
        ;
    return s->room >= bytes;
}

static inline void put_varint(struct qn_trace_writer *w, struct stream *s, uint64_t value)
{
    if (!make_room(w, s, VARINT_MAX))
        return;
    s->n = (size_t)(varint_put(s->at + s->n, value) - s->at);
}

void trace_varint(struct qn_trace_writer *w, struct stream *s, uint64_t value)
{
    put_varint(w, s, value);
}

/* ---- ways, groups ---- */

/* Writes the way from the block written last to block `next`; 0: to a group. */
static void put_way(struct qn_trace_writer *w, uint32_t next)
{
    struct part_block *b = &w->block[w->previous];

    part_block_begin(b, w->site, w->generation);
    if (make_room(w, &w->control, WAY_MAX))
        w->control.n = (size_t)(way_put(b, w->previous_taken, w->previous_target, &w->block[next], next, w->control.at + w->control.n) - w->control.at);
}

static void put_grouped(struct qn_trace_writer *w, const struct grouped *g)
{
    struct stream *s = &w->control;
    uint64_t times = g->stepping ? w->run_times : 1;

    put_varint(w, s, g->kind + 1u);
    if (g->kind == QN_LOG_MORE || g->kind == QN_LOG_RUN) {
        put_varint(w, s, g->addr);
        if (g->kind == QN_LOG_RUN)
            put_varint(w, s, g->size);
        w->run_times = g->addr;
        return;
    }
    if (g->kind <= QN_ITEM_FETCH) {
        put_varint(w, s, g->size);
        w->part_references += times;
    } else if (g->kind == QN_ITEM_COND) {
        put_varint(w, s, g->flags);
    }
    w->part_instructions += g->kind == QN_ITEM_FETCH ? times : 0;
    put_varint(w, s, record_zigzag(g->addr - w->last[g->kind]));
    w->last[g->kind] = g->addr;
    if (g->stepping)
        put_varint(w, s, record_zigzag(g->target));
    else if (g->kind > QN_ITEM_COND)
        put_varint(w, s, record_zigzag(g->target - g->addr));
}

void trace_close_group(struct qn_trace_writer *w)
{
    if (!w->in_group)
        return;
    put_varint(w, &w->control, 0);
    w->in_group = false;
    w->previous = w->previous_taken = 0;
}

static void open_group(struct qn_trace_writer *w)
{
    if (w->in_group)
        return;
    put_way(w, 0);
    w->in_group = true;
}

void trace_end_streams(struct qn_trace_writer *w)
{
    open_group(w);
    trace_close_group(w);
}

void trace_end_part_if_large(struct qn_trace_writer *w)
{
    if (w->control.n + w->heads.n + w->data.n >= PART_WANTED || w->part_instructions >= PART_INSTRUCTIONS)
        trace_write_parts(w);
}

/* ---- blocks ---- */

static void put_references(struct qn_trace_writer *w, struct part_block *b, const uint64_t *addr)
{
    struct item_site *s = w->site + b->sites;
    uint8_t *head, *bytes;

    part_block_begin(b, w->site, w->generation);
    if (!make_room(w, &w->heads, b->references) || !make_room(w, &w->data, (b->references + 1u) * sizeof *addr))
        return;
    head = w->heads.at + w->heads.n;
    bytes = w->data.at + w->data.n;
    for (unsigned i = 0; i < b->references; i++) {
        site_put(s++, addr[i], w->before, &head, &bytes);
        w->before = addr[i];
    }
    w->heads.n = (size_t)(head - w->heads.at);
    w->data.n = (size_t)(bytes - w->data.at);
    w->part_references += b->references + b->instructions;
    w->part_instructions += b->instructions;
}

static void put_open_items(struct qn_trace_writer *w, const struct pending *p)
{
    size_t k = 0;

    for (unsigned i = 1; i <= p->opens; i++) {
        for (; k < p->ngroup && p->group[k].open == i; k++)
            put_grouped(w, &p->group[k]);
        put_varint(w, &w->control, 0);
    }
}

static void put_block(struct qn_trace_writer *w, const struct pending *p)
{
    trace_close_group(w);
    put_way(w, p->id);
    put_references(w, &w->block[p->id], p->addr);
    put_open_items(w, p);
    w->previous = p->id;
    w->previous_taken = p->taken;
    w->previous_target = p->target;
    trace_end_part_if_large(w);
}

/* ---- a block of which only some instructions are wanted becomes a group ---- */

struct expansion {
    uint64_t from, end;    /* the block's instructions that are wanted, counted from 0 */
    uint64_t done, at, pc; /* instructions so far; addresses of the next and of the last one */
    unsigned references, opens;
    size_t grouped;
};

static void put_if_wanted(struct qn_trace_writer *w, const struct expansion *x, const struct grouped *g)
{
    if (x->done <= x->from || x->done > x->end)
        return;
    open_group(w);
    put_grouped(w, g);
}

static void expand_open(struct qn_trace_writer *w, const struct pending *p, struct expansion *x)
{
    x->opens++;
    for (; x->grouped < p->ngroup && p->group[x->grouped].open == x->opens; x->grouped++)
        put_if_wanted(w, x, &p->group[x->grouped]);
}

static void expand_item(struct qn_trace_writer *w, const struct pending *p, const struct qn_item *item, struct expansion *x)
{
    struct grouped g = {.kind = item->kind, .size = item->size, .addr = x->pc, .target = p->target};

    switch (item->kind) {
    case QN_ITEM_FETCH:
        g.addr = x->pc = x->at;
        x->at += item->size;
        x->done++;
        break;
    case QN_ITEM_SKIP: x->at += item->size; return;
    case QN_ITEM_OPEN: expand_open(w, p, x); return;
    case QN_ITEM_FIXED: g.kind = QN_ITEM_COND; break;
    case QN_ITEM_COND: g.flags = (uint8_t)(p->taken | (item->size & QN_ITEM_BACKWARD) << 1); break;
    case QN_ITEM_CALL: g.target = x->at; break;
    case QN_ITEM_INDIRECT:
    case QN_ITEM_RETURN: break;
    default: g.addr = x->references < p->n ? p->addr[x->references] : 0; x->references++;
    }
    put_if_wanted(w, x, &g);
}

static void expand(struct qn_trace_writer *w, const struct pending *p, uint64_t from, uint64_t end)
{
    const struct part_block *b = &w->block[p->id];
    struct expansion x = {.from = from, .end = end, .at = b->pc};

    for (uint32_t i = 0; i < b->n && (b->item[i].kind != QN_ITEM_FETCH || x.done < end); i++)
        expand_item(w, p, &b->item[i], &x);
}

/* Writes the first n instructions of the block that has begun, as far as they are in the window. */
static void put_some(struct qn_trace_writer *w, unsigned n)
{
    uint64_t first = w->instructions, last = first + n;

    w->instructions = last;
    if (last <= w->from || first >= w->end)
        return;
    expand(w, &w->now, first < w->from ? w->from - first : 0, last > w->end ? w->end - first : n);
    trace_end_part_if_large(w);
}

static bool is_at_its_end(const struct pending *p, const struct part_block *b)
{
    return p->n == b->references && p->opens == b->opens && (!b->branch || p->known);
}

/* Writes the block that has begun; all its words must be there. */
static void finish(struct qn_trace_writer *w)
{
    struct pending *p = &w->now;
    const struct part_block *b = &w->block[p->id];
    uint64_t last = w->instructions + b->instructions;

    if (!p->id)
        return;
    if (!is_at_its_end(p, b)) {
        w->bug = "a block that has not come to its end";
        return;
    }
    if (w->instructions >= w->from && last <= w->end) {
        w->instructions = last;
        put_block(w, p);
    } else {
        put_some(w, b->instructions);
    }
    p->id = 0;
}

void trace_finish(struct qn_trace_writer *w)
{
    if (is_at_its_end(&w->now, &w->block[w->now.id]))
        finish(w);
}

/* ---- words ---- */

static void begin(struct qn_trace_writer *w, uint64_t id)
{
    struct pending *p = &w->now;

    finish(w);
    if (id >= w->ids || !w->file_id[id]) {
        w->bug = "a block that was never defined";
        return;
    }
    p->id = w->file_id[id];
    p->n = p->opens = 0;
    p->open = p->known = false;
    p->taken = 0;
    p->ngroup = 0;
    p->target = 0;
}

static uint8_t item_kind(uint32_t kind)
{
    return (uint8_t)(kind == QN_LOG_FETCH ? QN_ITEM_FETCH : kind == QN_LOG_MODIFY ? QN_ITEM_MODIFY : kind);
}

/* Takes a record that belongs to an open item, or to no block. */
static void put_record(struct qn_trace_writer *w, const struct grouped *g)
{
    struct pending *p = &w->now;

    if (p->id && p->open) {
        if (!QN_GROW(p->group, p->ngroup, p->group_room, 64))
            trace_fail(w);
        else
            p->group[p->ngroup++] = *g;
        return;
    }
    finish(w);
    w->instructions += g->kind == QN_ITEM_FETCH;
    if (w->instructions <= w->from || w->instructions > w->end)
        return;
    open_group(w);
    put_grouped(w, g);
    if (g->kind != QN_LOG_RUN && !g->stepping)
        trace_end_part_if_large(w);
}

/* Takes a word with QN_LOG_FROM_C. */
static void put_from_c(struct qn_trace_writer *w, const struct qn_log_entry *word)
{
    uint32_t kind = word->kind & 15, whole = kind == QN_LOG_RUN || (word->kind & QN_LOG_BIG);
    struct pending *p = &w->now;
    struct grouped g = {.addr = word->addr, .kind = item_kind(kind), .flags = (uint8_t)word->site,
                        .size = whole ? word->site : word->site >> QN_SITE_SIZE_SHIFT, .open = p->opens};

    if (kind == QN_LOG_STEP) {
        p->held.target = word->addr;
        p->held.stepping = true;
        put_record(w, &p->held);
        w->run_parts--;
    } else if (w->run_parts) {
        p->held = g;
    } else {
        put_record(w, &g);
        w->run_parts = kind == QN_LOG_RUN ? g.size : 0;
    }
}

static void go(struct qn_trace_writer *w, bool taken, uint64_t target)
{
    w->now.taken = taken;
    w->now.target = target;
    w->now.known = true;
}

static void take(struct qn_trace_writer *w, const struct qn_log_entry *word)
{
    struct pending *p = &w->now;

    if (w->defining) {
        trace_define_word(w, word);
        return;
    }
    if (word->kind & QN_LOG_FROM_C) {
        put_from_c(w, word);
        return;
    }
    switch (word->kind & 15) {
    case QN_LOG_DEFINE: trace_define_begin(w, word); break;
    case QN_LOG_BLOCK: begin(w, word->addr); break;
    case QN_LOG_OPEN: p->opens++, p->open = true; break;
    case QN_LOG_CLOSE: p->open = false; break;
    case QN_LOG_TAKEN: go(w, word->addr, 0); break;
    case QN_LOG_TARGET: go(w, false, word->addr); break;
    case QN_LOG_LEFT:
        if (p->id)
            put_some(w, (unsigned)word->addr);
        p->id = 0;
        break;
    default:
        if (!p->id || p->n == QN_ITEMS_MAX)
            w->bug = "a reference of no block";
        else
            p->addr[p->n++] = word->addr;
    }
}

bool qn_trace_write(struct qn_trace_writer *w, const struct qn_log_entry *words, size_t n)
{
    size_t used;

    for (size_t i = 0; i < n && !w->failed && !w->bug; i += used) {
        used = 0;
        if (words[i].kind == QN_LOG_BLOCK && !w->defining) {
            finish(w);
            used = w->bug ? 0 : trace_take_blocks(w, words + i, n - i);
        }
        if (!used) {
            take(w, &words[i]);
            used = 1;
        }
    }
    return !w->failed && !w->bug;
}
