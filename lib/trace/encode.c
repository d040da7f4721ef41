/* lib/trace/encode.c - encodes the words of a recorder (sim/contract.h) into the streams of a trace (format.h); write.c puts them into its file.
 *
 * In:  DEFINE 7 401000 fetch read branch; block 7, taken, a, ...
 * Out: a definition; a way to block 7, where a lies from the last one, ...
 */
#include "trace/encode.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"

/* ---- streams ---- */

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

void trace_varint(struct qn_trace_writer *w, struct stream *s, uint64_t value)
{
    if (!make_room(w, s, VARINT_MAX))
        return;
    s->n = (size_t)(varint_put(s->at + s->n, value) - s->at);
}

/* ---- definitions of blocks; one that was translated again is defined in the file once ---- */

#define FIRST_ROOM 4096u

static uint64_t hash_of(uint64_t pc, const struct qn_item *item, uint32_t n, const uint8_t *code)
{
    uint64_t h = pc * 0x9e3779b97f4a7c15ull;

    for (uint32_t i = 0; i < n; i++)
        h = (h ^ (item[i].kind | (uint64_t)item[i].size << 8)) * 0x100000001b3ull;
    for (uint32_t i = 0, bytes = code ? qn_items_bytes(item, n) : 0; i < bytes; i++)
        h = (h ^ code[i]) * 0x100000001b3ull;
    return h ^ h >> 29;
}

static bool is_same(const struct part_block *b, uint64_t pc, const struct qn_item *item, uint32_t n, const uint8_t *code)
{
    return b->pc == pc && b->n == n && !memcmp(b->item, item, n * sizeof *item) && !b->code == !code &&
           (!code || !memcmp(b->code, code, qn_items_bytes(item, n)));
}

static bool grow_hash(struct qn_trace_writer *w)
{
    uint32_t room = w->hash_room ? 2 * w->hash_room : FIRST_ROOM, *hash;

    if (2 * w->blocks < w->hash_room)
        return true;
    hash = calloc(room, sizeof *hash);
    if (!hash)
        return false;
    for (uint32_t id = 1; id < w->blocks; id++) {
        uint64_t h = hash_of(w->block[id].pc, w->block[id].item, w->block[id].n, w->block[id].code);

        while (hash[h % room])
            h++;
        hash[h % room] = id;
    }
    free(w->hash);
    w->hash = hash;
    w->hash_room = room;
    return true;
}

static void put_items(struct qn_trace_writer *w, const struct part_block *b)
{
    struct stream *s = &w->definitions;

    trace_varint(w, s, zigzag(b->pc - w->last_pc));
    w->last_pc = b->pc;
    trace_varint(w, s, b->n);
    for (uint32_t i = 0; i < b->n; i++) {
        uint32_t size = b->item[i].size, small = size < ITEM_SIZE_FOLLOWS ? size : ITEM_SIZE_FOLLOWS;

        trace_varint(w, s, 0); /* makes room for the item's byte, which is no varint: its high bit may be set */
        if (w->failed)
            return;
        s->at[s->n - 1] = (uint8_t)(b->item[i].kind | small << 4);
        if (small == ITEM_SIZE_FOLLOWS)
            trace_varint(w, s, size);
    }
}

static void put_code(struct qn_trace_writer *w, const uint8_t *code, uint32_t bytes)
{
    struct stream *s = &w->code;

    trace_varint(w, s, w->blocks);
    trace_varint(w, s, bytes);
    if (!trace_room(w, s, s->n + bytes))
        return;
    memcpy(s->at + s->n, code, bytes);
    s->n += bytes;
}

/* 0: no memory. */
static uint32_t add_block(struct qn_trace_writer *w, uint64_t pc, const struct qn_item *item, uint32_t n, const uint8_t *code)
{
    uint32_t bytes = code ? qn_items_bytes(item, n) : 0;
    struct qn_item *own = malloc(n * sizeof *own + bytes + 1); /* the code lies behind the items */
    struct part_block *b;

    if (!own || !QN_GROW(w->block, w->blocks, w->block_room, FIRST_ROOM))
        return free(own), 0;
    memcpy(own, item, n * sizeof *own);
    if (code)
        memcpy(own + n, code, bytes);
    b = &w->block[w->blocks];
    *b = (struct part_block){.pc = pc, .item = own, .n = n, .sites = w->sites, .code = code ? (const uint8_t *)(own + n) : NULL};
    part_block_count(b);
    for (unsigned i = 0; i < b->references; i++) {
        if (!QN_GROW(w->site, w->sites, w->site_room, FIRST_ROOM))
            return free(own), 0;
        w->sites++;
    }
    put_items(w, b);
    if (code)
        put_code(w, code, bytes);
    return w->blocks++;
}

static uint32_t find_or_add(struct qn_trace_writer *w, uint64_t pc, const struct qn_item *item, uint32_t n, const uint8_t *code)
{
    uint64_t h = hash_of(pc, item, n, code);

    if (!grow_hash(w))
        return 0;
    for (; w->hash[h % w->hash_room]; h++)
        if (is_same(&w->block[w->hash[h % w->hash_room]], pc, item, n, code))
            return w->hash[h % w->hash_room];
    return w->hash[h % w->hash_room] = add_block(w, pc, item, n, code);
}

static void define(struct qn_trace_writer *w, uint32_t id, uint64_t pc, const struct qn_item *item, uint32_t n, const uint8_t *code)
{
    uint32_t number = find_or_add(w, pc, item, n, code);

    while (number && w->ids <= id) {
        if (!QN_GROW(w->file_id, w->ids, w->id_room, FIRST_ROOM))
            number = 0;
        else
            w->file_id[w->ids++] = 0;
    }
    if (!number)
        trace_fail(w);
    else
        w->file_id[id] = number;
}

static size_t words_of(size_t bytes) { return (bytes + sizeof(uint64_t) - 1) / sizeof(uint64_t); }

/* Items, then code.  Returns the number of words; 0: they are not all there. */
static size_t take_definition(struct qn_trace_writer *w, const uint64_t *words, size_t n)
{
    uint32_t items = words[0] >> QN_LOG_ITEMS_SHIFT & 0xffff, bytes;
    const struct qn_item *item = (const struct qn_item *)(words + 2);
    size_t used = 2 + words_of(items * sizeof *item);

    if (items > QN_ITEMS_MAX)
        return w->bug = "a block with too many items", n;
    if (used > n)
        return 0;
    bytes = words[0] >> QN_LOG_KIND_SHIFT & QN_LOG_CODE ? qn_items_bytes(item, items) : 0;
    if (bytes > QN_BLOCK_BYTES_MAX)
        return w->bug = "a block with too many bytes", n;
    if (used + words_of(bytes) > n)
        return 0;
    define(w, (uint32_t)words[0], words[1], item, items, bytes ? (const uint8_t *)(words + used) : NULL);
    return used + words_of(bytes);
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

    trace_varint(w, s, g->kind + 1u);
    if (g->kind == QN_LOG_MORE || g->kind == QN_LOG_RUN) {
        trace_varint(w, s, g->addr);
        if (g->kind == QN_LOG_RUN)
            trace_varint(w, s, g->size);
        w->run_times = g->addr;
        return;
    }
    if (g->kind <= QN_ITEM_FETCH) {
        trace_varint(w, s, g->size);
        w->part_references += times;
    } else if (g->kind == QN_ITEM_COND) {
        trace_varint(w, s, g->flags);
    }
    w->part_instructions += g->kind == QN_ITEM_FETCH ? times : 0;
    trace_varint(w, s, zigzag(g->addr - w->last[g->kind]));
    w->last[g->kind] = g->addr;
    if (g->stepping)
        trace_varint(w, s, zigzag(g->target));
    else if (g->kind > QN_ITEM_COND)
        trace_varint(w, s, zigzag(g->target - g->addr));
}

/* Writes which core runs, in an open group. */
static void put_core(struct qn_trace_writer *w)
{
    if (!w->core_due)
        return;
    trace_varint(w, &w->control, QN_LOG_CORE + 1u);
    trace_varint(w, &w->control, w->core);
    trace_varint(w, &w->control, w->thread);
    w->core_due = false;
}

static void close_group(struct qn_trace_writer *w)
{
    if (!w->in_group)
        return;
    trace_varint(w, &w->control, 0);
    w->in_group = false;
    w->previous = w->previous_taken = 0;
}

static void open_group(struct qn_trace_writer *w)
{
    if (!w->in_group)
        put_way(w, 0);
    w->in_group = true;
}

static void open_group_for_core(struct qn_trace_writer *w)
{
    if (!w->core_due)
        return;
    open_group(w);
    put_core(w);
}

void trace_end_streams(struct qn_trace_writer *w)
{
    open_group(w);
    close_group(w);
}

static void end_part_if_large(struct qn_trace_writer *w)
{
    if (w->control.n + w->heads.n + w->data.n >= PART_WANTED || w->part_instructions >= PART_INSTRUCTIONS)
        trace_write_parts(w);
}

/* ---- blocks ---- */

#define DATA_MAX ((QN_ITEMS_MAX + 1u) * sizeof(uint64_t)) /* of one block; larger than its other streams */

struct ends { /* ends of the streams, and the state of the block written last */
    struct part_block *block, *previous;
    struct item_site *site;
    uint8_t *control, *head, *data;
    uint64_t before, instructions, references, target;
    uint32_t generation;
    uint8_t taken;
};

static struct ends get_ends(struct qn_trace_writer *w)
{
    part_block_begin(&w->block[w->previous], w->site, w->generation);
    return (struct ends){.block = w->block, .previous = w->block + w->previous, .site = w->site, .control = w->control.at + w->control.n,
                         .head = w->heads.at + w->heads.n, .data = w->data.at + w->data.n, .before = w->before, .target = w->previous_target,
                         .generation = w->generation, .taken = w->previous_taken};
}

static void set_ends(struct qn_trace_writer *w, const struct ends *e)
{
    w->previous = (uint32_t)(e->previous - w->block);
    w->previous_target = e->target;
    w->previous_taken = e->taken;
    w->control.n = (size_t)(e->control - w->control.at);
    w->heads.n = (size_t)(e->head - w->heads.at);
    w->data.n = (size_t)(e->data - w->data.at);
    w->before = e->before;
    w->instructions += e->instructions;
    w->part_instructions += e->instructions;
    w->part_references += e->instructions + e->references;
}

/* Writes block b, which has run so, behind one that has begun in this part; the addresses of its references, and its target, are behind `word`. */
static inline __attribute__((always_inline)) void put_plain_block(struct ends *e, struct part_block *b, const uint64_t *word)
{
    struct item_site *s = e->site + b->sites;
    const uint64_t *addr = word + 1, *end = addr + b->references;

    part_block_begin(b, e->site, e->generation);
    e->control = way_put(e->previous, e->taken, e->target, b, (uint32_t)(b - e->block), e->control);
    for (; addr < end; addr++) {
        site_put(s++, *addr, e->before, &e->head, &e->data);
        e->before = *addr;
    }
    e->instructions += b->instructions;
    e->references += b->references;
    e->previous = b;
    e->taken = *word & QN_LOG_BLOCK_TAKEN ? 1 : 0;
    e->target = b->branch == 2 ? *end : 0;
}

static void put_open_items(struct qn_trace_writer *w, const struct pending *p)
{
    size_t k = 0;

    for (unsigned i = 1; i <= p->opens; i++) {
        for (; k < p->ngroup && p->group[k].open == i; k++)
            put_grouped(w, &p->group[k]);
        trace_varint(w, &w->control, 0);
    }
}

static void put_block(struct qn_trace_writer *w, const struct pending *p)
{
    struct part_block *b = &w->block[p->id];
    struct ends e;

    open_group_for_core(w);
    close_group(w);
    if (!make_room(w, &w->control, WAY_MAX) || !make_room(w, &w->heads, b->references) || !make_room(w, &w->data, DATA_MAX))
        return;
    e = get_ends(w);
    put_plain_block(&e, b, p->word);
    set_ends(w, &e);
    put_open_items(w, p);
    end_part_if_large(w);
}

/* ---- a block of which only some instructions are wanted becomes a group ---- */

struct expansion {
    const struct part_block *b;
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
    put_core(w);
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
    struct grouped g = {.kind = item->kind, .size = item->size, .addr = x->pc, .target = p->word[1 + x->b->references]};

    switch (item->kind) {
    case QN_ITEM_FETCH:
        g.addr = x->pc = x->at;
        x->at += item->size;
        x->done++;
        break;
    case QN_ITEM_SKIP: x->at += item->size; return;
    case QN_ITEM_OPEN: expand_open(w, p, x); return;
    case QN_ITEM_FIXED: g.kind = QN_ITEM_COND; break;
    case QN_ITEM_COND: g.flags = (uint8_t)((p->word[0] & QN_LOG_BLOCK_TAKEN ? 1 : 0) | (item->size & QN_ITEM_BACKWARD) << 1); break;
    case QN_ITEM_CALL: g.target = x->at; break;
    case QN_ITEM_INDIRECT:
    case QN_ITEM_RETURN: break;
    default: g.addr = x->references < p->n ? p->word[1 + x->references] : 0; x->references++;
    }
    put_if_wanted(w, x, &g);
}

static void expand(struct qn_trace_writer *w, const struct pending *p, uint64_t from, uint64_t end)
{
    const struct part_block *b = &w->block[p->id];
    struct expansion x = {.b = b, .from = from, .end = end, .at = b->pc};

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
    end_part_if_large(w);
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
    if (w->instructions >= w->from && last <= w->end)
        put_block(w, p);
    else
        put_some(w, b->instructions);
    p->id = 0;
}

void trace_finish(struct qn_trace_writer *w)
{
    if (is_at_its_end(&w->now, &w->block[w->now.id]))
        finish(w);
}

/* ---- words ---- */

/* The block of a word that begins one; 0: there is none. */
static uint32_t block_of(struct qn_trace_writer *w, uint64_t word)
{
    return (uint32_t)word < w->ids ? w->file_id[(uint32_t)word] : 0;
}

static void go(struct pending *p, const struct part_block *b, bool taken, uint64_t target)
{
    p->word[0] |= taken ? QN_LOG_BLOCK_TAKEN : 0;
    p->word[1 + b->references] = target;
    p->known = true;
}

static void cut(struct qn_trace_writer *w, unsigned insns)
{
    if (w->now.id)
        put_some(w, insns);
    w->now.id = 0;
}

static size_t words_behind(const struct part_block *b, uint64_t word)
{
    if (word & QN_LOG_BLOCK_CUT)
        return word >> QN_LOG_BLOCK_WORDS_SHIFT & QN_LOG_BLOCK_MASK;
    return b->opens ? 0 : b->words;
}

/* A block begins; if it has no open items, it comes with its addresses.  Returns the number of words; 0: they are not all there. */
static size_t take_block(struct qn_trace_writer *w, const uint64_t *words, size_t n)
{
    struct pending *p = &w->now;
    uint32_t id = block_of(w, words[0]);
    const struct part_block *b = &w->block[id];
    size_t behind = words_behind(b, words[0]);

    finish(w);
    if (!id || behind > b->references + 1u)
        return w->bug = id ? "a block with too many words" : "a block that was never defined", n;
    if (behind >= n)
        return 0;
    p->id = id;
    p->n = p->opens = 0;
    p->open = false;
    p->ngroup = 0;
    p->word[1 + b->references] = 0;
    memcpy(p->word, words, (1 + behind) * sizeof *words);
    p->known = !b->opens;
    if (p->known)
        p->n = (uint16_t)(behind < b->references ? behind : b->references);
    if (words[0] & QN_LOG_BLOCK_CUT)
        cut(w, words[0] >> QN_LOG_BLOCK_INSNS_SHIFT & QN_LOG_BLOCK_MASK);
    return 1 + behind;
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
    put_core(w);
    put_grouped(w, g);
    if (g->kind != QN_LOG_RUN && !g->stepping)
        end_part_if_large(w);
}

static void take_core(struct qn_trace_writer *w, uint64_t core, uint32_t thread)
{
    if (w->now.id && w->now.open)
        w->bug = "another core in the middle of a block";
    else
        finish(w);
    w->core_due |= w->core != core || w->thread != thread;
    w->core = core;
    w->thread = thread;
}

/* Takes a pair with QN_LOG_FROM_C. */
static void put_from_c(struct qn_trace_writer *w, uint32_t kind, uint32_t site, uint64_t value)
{
    struct pending *p = &w->now;
    struct grouped g = {.addr = value, .kind = item_kind(kind), .flags = (uint8_t)site, .size = site, .open = p->opens};

    if (kind == QN_LOG_CORE) {
        take_core(w, value, site);
    } else if (kind == QN_LOG_STEP) {
        p->held.target = value;
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

static void take_pair(struct qn_trace_writer *w, uint64_t head, uint64_t value)
{
    struct pending *p = &w->now;
    uint32_t kind = (uint32_t)(head >> QN_LOG_KIND_SHIFT) & 15;

    if (head >> QN_LOG_KIND_SHIFT & QN_LOG_FROM_C) {
        put_from_c(w, kind, (uint32_t)head, value);
        return;
    }
    switch (kind) {
    case QN_LOG_OPEN: p->opens++, p->open = true; break;
    case QN_LOG_CLOSE: p->open = false; break;
    case QN_LOG_TAKEN: go(p, &w->block[p->id], value, 0); break;
    case QN_LOG_TARGET: go(p, &w->block[p->id], false, value); break;
    case QN_LOG_LEFT: cut(w, (unsigned)value); break;
    default:
        if (!p->id || p->n == QN_ITEMS_MAX)
            w->bug = "a reference of no block";
        else
            p->word[1 + p->n++] = value;
    }
}

/* Takes a definition, a block or a pair.  Returns the number of words; 0: they are not all there. */
static size_t take(struct qn_trace_writer *w, const uint64_t *words, size_t n)
{
    uint64_t kind = words[0] >> QN_LOG_KIND_SHIFT;

    if (!(kind & QN_LOG_PAIR))
        return take_block(w, words, n);
    if (n < 2)
        return 0;
    if ((kind & ~(uint64_t)QN_LOG_CODE) == (QN_LOG_PAIR | QN_LOG_DEFINE))
        return take_definition(w, words, n);
    take_pair(w, words[0], words[1]);
    return 2;
}

/* ---- complete blocks, many at a time ----
 *
 * In:  block 7, taken, a, b, block 7, ...
 *
 * Nearly all blocks come here, so the streams get their room before the loop, and the state that each block changes is in registers.
 * Blocks with open items, blocks that a fault ended early, and blocks at an end of the recorded window go one by one.
 */

static bool has_room(struct qn_trace_writer *w)
{
    return w->control.n + w->heads.n + w->data.n < PART_WANTED && trace_room(w, &w->control, PART_WANTED + DATA_MAX) &&
           trace_room(w, &w->heads, PART_WANTED + DATA_MAX) && trace_room(w, &w->data, PART_WANTED + DATA_MAX);
}

static inline bool is_large(const struct qn_trace_writer *w, const struct ends *e)
{
    return (size_t)(e->control - w->control.at) + (size_t)(e->head - w->heads.at) + (size_t)(e->data - w->data.at) >= PART_WANTED;
}

/* A complete block without open items? */
static inline bool is_plain(uint64_t word) { return !(word & ~(QN_LOG_BLOCK_TAKEN | UINT32_MAX)); }
static inline bool leaves(uint64_t word) { return word >> QN_LOG_KIND_SHIFT == (QN_LOG_PAIR | QN_LOG_LEFT); }

/* How many instructions may be taken without a look at the window and at the size of the part. */
static uint64_t room_for_instructions(const struct qn_trace_writer *w)
{
    uint64_t in_part = PART_INSTRUCTIONS - w->part_instructions, in_window = w->end - w->instructions;

    return w->instructions < w->from || w->instructions >= w->end ? 0 : in_part < in_window ? in_part : in_window;
}

/* words[0] begins a plain block. */
static size_t take_blocks(struct qn_trace_writer *w, const uint64_t *words, size_t n)
{
    const struct part_block *first = &w->block[block_of(w, words[0])];
    uint64_t most = room_for_instructions(w);
    size_t at = 0, needed;
    struct ends e;

    if (most)
        open_group_for_core(w);
    if (!most || first->words >= n || first->instructions > most || !has_room(w))
        return 0;
    close_group(w);
    for (e = get_ends(w); at < n && is_plain(words[at]) && !is_large(w, &e); at += needed) {
        struct part_block *b = &w->block[block_of(w, words[at])];

        needed = 1u + b->words;
        if (needed >= n - at || leaves(words[at + needed]) || e.instructions + b->instructions > most)
            break;
        put_plain_block(&e, b, words + at);
    }
    if (at) {
        set_ends(w, &e);
        end_part_if_large(w);
    }
    return at;
}

size_t qn_trace_write(struct qn_trace_writer *w, const uint64_t *words, size_t n)
{
    size_t used = 0;

    for (size_t step = 1; step && used < n && !w->failed && !w->bug; used += step) {
        step = 0;
        if (is_plain(words[used])) {
            finish(w);
            step = w->bug ? 0 : take_blocks(w, words + used, n - used);
        }
        if (!step && !w->bug)
            step = take(w, words + used, n - used);
    }
    return used;
}

bool qn_trace_good(const struct qn_trace_writer *w) { return !w->failed && !w->bug; }
