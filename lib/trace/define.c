/* lib/trace/define.c - definitions of blocks.  A block that was translated again is defined in the file once. */
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "trace/encode.h"

#define FIRST_ROOM 4096u

static uint64_t hash_of(uint64_t pc, const struct qn_item *item, uint32_t n)
{
    uint64_t h = pc * 0x9e3779b97f4a7c15ull;

    for (uint32_t i = 0; i < n; i++)
        h = (h ^ (item[i].kind | (uint64_t)item[i].size << 8)) * 0x100000001b3ull;
    return h ^ h >> 29;
}

static bool is_same(const struct part_block *b, uint64_t pc, const struct qn_item *item, uint32_t n)
{
    return b->pc == pc && b->n == n && !memcmp(b->item, item, n * sizeof *item);
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
        uint64_t h = hash_of(w->block[id].pc, w->block[id].item, w->block[id].n);

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

    trace_varint(w, s, record_zigzag(b->pc - w->last_pc));
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

/* 0: no memory. */
static uint32_t add_block(struct qn_trace_writer *w, uint64_t pc, const struct qn_item *item, uint32_t n)
{
    struct qn_item *own = malloc(n * sizeof *own + 1);
    struct part_block *b;

    if (!own || !QN_GROW(w->block, w->blocks, w->block_room, FIRST_ROOM))
        return free(own), 0;
    memcpy(own, item, n * sizeof *own);
    b = &w->block[w->blocks];
    *b = (struct part_block){.pc = pc, .item = own, .n = n, .sites = w->sites};
    part_block_count(b);
    for (unsigned i = 0; i < b->references; i++) {
        if (!QN_GROW(w->site, w->sites, w->site_room, FIRST_ROOM))
            return free(own), 0;
        w->sites++;
    }
    put_items(w, b);
    return w->blocks++;
}

static uint32_t find_or_add(struct qn_trace_writer *w, uint64_t pc, const struct qn_item *item, uint32_t n)
{
    uint64_t h = hash_of(pc, item, n);

    if (!grow_hash(w))
        return 0;
    for (; w->hash[h % w->hash_room]; h++)
        if (is_same(&w->block[w->hash[h % w->hash_room]], pc, item, n))
            return w->hash[h % w->hash_room];
    return w->hash[h % w->hash_room] = add_block(w, pc, item, n);
}

static void end_define(struct qn_trace_writer *w)
{
    uint32_t id = find_or_add(w, w->define_pc, w->items, w->define_n);

    w->defining = false;
    while (id && w->ids <= w->define_id) {
        if (!QN_GROW(w->file_id, w->ids, w->id_room, FIRST_ROOM))
            id = 0;
        else
            w->file_id[w->ids++] = 0;
    }
    if (!id)
        trace_fail(w);
    else
        w->file_id[w->define_id] = id;
}

void trace_define_begin(struct qn_trace_writer *w, const struct qn_log_entry *word)
{
    w->define_pc = word->addr;
    w->define_id = word->site;
    w->define_n = word->kind >> 8;
    w->define_have = 0;
    w->defining = true;
    if (w->define_n > QN_ITEMS_MAX)
        w->bug = "a block with too many items";
    else if (!w->define_n)
        end_define(w);
}

void trace_define_word(struct qn_trace_writer *w, const struct qn_log_entry *word)
{
    memcpy(w->items + w->define_have, word, sizeof *word);
    w->define_have += QN_ITEMS_A_WORD;
    if (w->define_have >= w->define_n)
        end_define(w);
}
