/* lib/trace/blocks.c - writes complete blocks, many at a time, into the streams of a trace.
 *
 * In:  BLOCK 7, READ a, READ b, TAKEN 1, BLOCK 7, ...
 * Out: the same bytes that trace/encode.c writes for them, word by word.
 *
 * Nearly all blocks come here, so the streams get their room before the loop, and the state that each block changes is in registers.
 * Blocks with open items, blocks that a fault ended early, and blocks at an end of the recorded window are encode.c's. */
#include <string.h>

#include "trace/encode.h"

#define PLAIN_MAX 2048u /* words that are checked before they are encoded; so few stay in the cache until then */
#define PLAIN (1u << QN_LOG_READ | 1u << QN_LOG_WRITE | 1u << QN_LOG_MODIFY | 1u << QN_LOG_BLOCK | 1u << QN_LOG_TAKEN | 1u << QN_LOG_TARGET)
#define DATA_MAX ((QN_ITEMS_MAX + 1u) * sizeof(uint64_t)) /* of one block; larger than its other streams */

struct ends { /* ends of the streams, and the state of the block written last */
    struct part_block *block, *previous;
    struct item_site *site;
    uint8_t *control, *head, *data;
    uint64_t before, instructions, references, target;
    uint32_t generation;
    uint8_t taken;
};

/* The number of words before the first one of another kind than such blocks consist of. */
static size_t plain_words(const struct qn_log_entry *words, size_t n)
{
    size_t i = 0;

    while (i < n && i < PLAIN_MAX && words[i].kind <= QN_LOG_TARGET && (PLAIN >> words[i].kind & 1))
        i++;
    return i;
}

static struct ends get_ends(const struct qn_trace_writer *w)
{
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

/* false: a word is not a reference. */
static inline bool put_references(struct ends *e, const struct part_block *b, const struct qn_log_entry *word)
{
    struct item_site *s = e->site + b->sites;
    uint32_t kinds = 0;

    for (const struct qn_log_entry *end = word + b->references; word < end; word++) {
        site_put(s++, word->addr, e->before, &e->head, &e->data);
        e->before = word->addr;
        kinds |= word->kind;
    }
    return kinds <= QN_LOG_MODIFY;
}

/* Writes a block of `needed` words.  false: they are not the words of block b. */
static inline bool put_block(struct ends *e, struct part_block *b, const struct qn_log_entry *words, size_t needed)
{
    const struct qn_log_entry *last = words + needed - 1;
    bool good = !b->branch || last->kind == (b->branch == 1 ? QN_LOG_TAKEN : QN_LOG_TARGET);

    part_block_begin(e->previous, e->site, e->generation);
    part_block_begin(b, e->site, e->generation);
    e->control = way_put(e->previous, e->taken, e->target, b, (uint32_t)(b - e->block), e->control);
    good &= put_references(e, b, words + 1);
    e->instructions += b->instructions;
    e->references += b->references;
    e->previous = b;
    e->taken = b->branch == 1 && last->addr;
    e->target = b->branch == 2 ? last->addr : 0;
    return good;
}

static bool has_room(struct qn_trace_writer *w)
{
    return w->control.n + w->heads.n + w->data.n < PART_WANTED && trace_room(w, &w->control, PART_WANTED + DATA_MAX) &&
           trace_room(w, &w->heads, PART_WANTED + DATA_MAX) && trace_room(w, &w->data, PART_WANTED + DATA_MAX);
}

static inline bool is_large(const struct qn_trace_writer *w, const struct ends *e)
{
    return (size_t)(e->control - w->control.at) + (size_t)(e->head - w->heads.at) + (size_t)(e->data - w->data.at) >= PART_WANTED ||
           w->part_instructions + e->instructions >= PART_INSTRUCTIONS;
}

size_t trace_take_blocks(struct qn_trace_writer *w, const struct qn_log_entry *words, size_t n)
{
    size_t plain = plain_words(words, n), at = 0;
    struct ends e;

    if (!has_room(w))
        return 0;
    for (e = get_ends(w); at < plain && !w->bug && !is_large(w, &e);) {
        uint32_t id = words[at].kind == QN_LOG_BLOCK && words[at].addr < w->ids ? w->file_id[words[at].addr] : 0;
        struct part_block *b = &w->block[id];
        size_t needed = 1u + b->references + (b->branch != 0);
        uint64_t instructions = w->instructions + e.instructions;

        if (!id || b->opens || needed > plain - at || needed >= n - at || words[at + needed].kind == QN_LOG_LEFT || instructions < w->from ||
            instructions + b->instructions > w->end)
            break;
        if (w->in_group) {
            trace_close_group(w);
            e = get_ends(w);
        }
        if (!put_block(&e, b, words + at, needed))
            w->bug = "a block that has not come to its end";
        at += needed;
    }
    if (at) {
        set_ends(w, &e);
        trace_end_part_if_large(w);
    }
    return at;
}
