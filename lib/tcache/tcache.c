/* lib/tcache/tcache.c - blocks in segments, their links, and tables of indirect targets.  See tcache.h.
 *
 * A segment has a hot and a cold part, both filled upwards:
 *
 *   start | block 0 | block 1 | ... hot -> free | middle | stubs 0 | stubs 1 | ... cold -> free | end
 */
#include "tcache/tcache.h"

#include "base/ready.h"
#include "base/sizes.h"

#define LONGEST 1024u /* bytes of guest code that a block may have: 64 instructions of up to 15 */

#define FIRST_BYTES (QN_CODE_FIXED - QN_CODE_STUBS) /* of the first segment */
#define FIRST_HOT (FIRST_BYTES / 8 * 3)

#define MIN_HOST_BYTES_PER_INSN 4 /* bounds the side table of a segment */

struct segment {
    uint64_t start, middle, end; /* host addresses */
    uint64_t hot, cold;   /* next free byte of each part */
    struct qn_side *sides;
    uint32_t nsides, most_sides, most_order; /* most: ever */
    uint32_t *order;      /* live blocks in the order of their hot code */
    uint32_t norder;
    uint64_t sides_ready, order_ready;
};

struct qn_tcache_stats qn_tcache_stats;

static struct segment segments[QN_SEGMENTS];
_Static_assert(QN_SEGMENTS <= 16, "qn_tblock.segment");
static unsigned current;
static struct qn_tblock *blocks;
static struct key {       /* by block: a chain is walked here, where a line of the processor's cache holds eight, not in `blocks` */
    uint32_t pc;          /* its low half */
    uint32_t next;        /* of the same bucket, or free; QN_NO_BLOCK ends */
} *keys;
static uint64_t blocks_ready, keys_ready;
static const struct qn_tcache_shuffles *shuffles;
static uint32_t nblocks, free_block = QN_NO_BLOCK;
static uint32_t hash_table[QN_TBLOCK_BUCKETS]; /* ~index of the first block, so that 0 means none: ~QN_NO_BLOCK */
struct qn_tblock *qn_tcache_block(uint32_t index) { return &blocks[index]; }

static uint32_t hash_of(uint64_t pc) { return qn_bucket_of(pc, QN_TBLOCK_BUCKETS); }

static void reset_segment(struct segment *r)
{
    r->hot = r->start;
    r->cold = r->middle;
    r->most_sides = r->nsides > r->most_sides ? r->nsides : r->most_sides;
    r->most_order = r->norder > r->most_order ? r->norder : r->most_order;
    r->nsides = 0;
    r->norder = 0;
}

static void init_segment(struct segment *r, uint64_t start, uint64_t bytes, uint64_t hot)
{
    r->start = start;
    r->end = r->start + bytes;
    r->middle = r->start + hot;
    r->sides = qn_engine_alloc(bytes / MIN_HOST_BYTES_PER_INSN * sizeof *r->sides);
    r->order = qn_engine_alloc(bytes / 16 * sizeof *r->order);
    reset_segment(r);
}

void qn_tcache_init(uint64_t bytes, const struct qn_tcache_shuffles *b)
{
    uint64_t each = qn_round_up(bytes / QN_SEGMENTS, QN_PAGE);

    shuffles = b;
    blocks = qn_engine_alloc(QN_TBLOCKS_MAX * sizeof *blocks);
    keys = qn_engine_alloc(QN_TBLOCKS_MAX * sizeof *keys);
    init_segment(&segments[0], QN_CODE_BASE + QN_CODE_STUBS, each < FIRST_BYTES ? each : FIRST_BYTES, each < FIRST_BYTES ? each / 2 : FIRST_HOT);
    for (unsigned i = 1; i < QN_SEGMENTS; i++)
        init_segment(&segments[i], QN_CODE_BASE + QN_CODE_FIXED + (i - 1) * each, each, each / 2);
}

/* ---- lookup ---- */

uint32_t qn_tcache_find(uint64_t pc, unsigned mode)
{
    uint32_t i = ~hash_table[hash_of(pc)];

    while (i != QN_NO_BLOCK && (keys[i].pc != (uint32_t)pc || blocks[i].pc != pc || blocks[i].mode != mode))
        i = keys[i].next;
    return i;
}

static void hash_remove(uint32_t index)
{
    uint32_t bucket = hash_of(blocks[index].pc), i = ~hash_table[bucket];

    if (i == index) {
        hash_table[bucket] = ~keys[index].next;
        return;
    }
    while (keys[i].next != index)
        i = keys[i].next;
    keys[i].next = keys[index].next;
}

const struct qn_side *qn_tcache_side(uint32_t index)
{
    return segments[blocks[index].segment].sides + blocks[index].side;
}

/* Index into r->order of the last block whose hot (or cold) code starts at or below host. */
static uint32_t search(const struct segment *r, uint64_t host, bool cold)
{
    uint32_t low = 0, high = r->norder;

    while (low < high) {
        uint32_t mid = (low + high) / 2;
        const struct qn_tblock *b = &blocks[r->order[mid]];
        bool before = host >= (cold ? b->cold : b->hot);

        if (before)
            low = mid + 1;
        else
            high = mid;
    }
    return low ? low - 1 : 0;
}

uint32_t qn_tcache_at(uint64_t host)
{
    for (unsigned i = 0; i < QN_SEGMENTS; i++) {
        struct segment *r = &segments[i];
        uint32_t index;
        struct qn_tblock *b;

        if (host < r->start || host >= r->end || r->norder == 0)
            continue;
        index = r->order[search(r, host, host >= r->middle)];
        b = &blocks[index];
        if ((host >= b->hot && host < qn_tblock_end(b)) || (host >= b->cold && host < qn_tblock_cold_end(b)))
            return b->live ? index : QN_NO_BLOCK;
    }
    return QN_NO_BLOCK;
}

/* ---- tables of indirect targets, one for each scope: see qn_tcache_add_scope ----
 *
 *   jmp *%rax, to 401136    ->   word 0x1136 of the table: the entry of a block, which looks whether it is at 401136
 */

uint64_t qn_ibl_table[QN_IBL_WORDS];

static struct scope {
    uint64_t *table;
    bool second; /* the table has its second part */
    uint32_t miss_stub;
} scopes[QN_SCOPES];
static unsigned nscopes;

/* Entries hold -target.  An empty one is 0, except entry 0, where target 0 would match: there it is 1. */
static void forget_second(uint64_t *table, uint64_t place) { table[place] = place == QN_IBL_ENTRIES; }

void qn_tcache_add_scope(unsigned scope, uint64_t *table, bool second, uint32_t miss_stub)
{
    nscopes += !scopes[scope].table;
    scopes[scope].table = table;
    scopes[scope].miss_stub = miss_stub;
    qn_ready(table, QN_IBL_ENTRIES * sizeof *table);
    for (unsigned i = 0; i < QN_IBL_ENTRIES; i++)
        table[i] = miss_stub;
    scopes[scope].second = second;
    if (second)
        forget_second(table, QN_IBL_ENTRIES);
}

uint64_t *qn_tcache_ibl_table(unsigned mode) { return scopes[QN_SCOPE(mode)].table; }

static uint64_t second_index(uint64_t pc) { return QN_IBL_ENTRIES + (pc >> 8) % QN_IBL_ENTRIES; }

static void ibl_clear(uint32_t index)
{
    const struct qn_tblock *b = qn_tcache_block(index);
    const struct scope *h = &scopes[QN_SCOPE(b->mode)];

    if (h->table[b->pc % QN_IBL_ENTRIES] == qn_tblock_ind_entry(b))
        h->table[b->pc % QN_IBL_ENTRIES] = h->miss_stub;
    if (h->second && h->table[second_index(b->pc) + QN_IBL_ENTRIES] == qn_tblock_ind_entry(b))
        forget_second(h->table, second_index(b->pc));
}

/* One more comes into the tables: the one that came first of those that are there leaves. */
static void make_room(uint32_t index)
{
    static uint32_t last[QN_IBL_MOST + 1], next; /* ~index, so that 0 means none */

    if (last[next])
        ibl_clear(~last[next]);
    last[next] = ~index;
    next = (next + 1) % (QN_IBL_MOST + !QN_IBL_MOST);
}

void qn_tcache_ibl_set(uint32_t index)
{
    const struct qn_tblock *b = qn_tcache_block(index);
    const struct scope *h = &scopes[QN_SCOPE(b->mode)];

    if (b->mode != QN_SCOPE(b->mode))
        return;
    if (QN_IBL_MOST)
        make_room(index);
    h->table[b->pc % QN_IBL_ENTRIES] = qn_tblock_ind_entry(b);
    if (!h->second)
        return;
    h->table[second_index(b->pc)] = 0 - b->pc;
    h->table[second_index(b->pc) + QN_IBL_ENTRIES] = qn_tblock_ind_entry(b);
}

/* ---- links ---- */

static struct qn_texit *exit_of(uint32_t id) { return &blocks[id / 2].exit[id % 2]; }

static void patch_rel32(uint64_t field, uint64_t target)
{
    int32_t rel = (int32_t)(target - (field + 4));

    __builtin_memcpy(qn_code_at(field), &rel, sizeof rel);
}

static void incoming_add(uint32_t to, uint32_t id)
{
    struct qn_texit *e = exit_of(id);

    e->to = to;
    e->prev = QN_NO_BLOCK;
    e->next = blocks[to].incoming;
    if (e->next != QN_NO_BLOCK)
        exit_of(e->next)->prev = id;
    blocks[to].incoming = id;
}

static void incoming_remove(uint32_t id)
{
    struct qn_texit *e = exit_of(id);

    if (e->prev != QN_NO_BLOCK)
        exit_of(e->prev)->next = e->next;
    else
        blocks[e->to].incoming = e->next;
    if (e->next != QN_NO_BLOCK)
        exit_of(e->next)->prev = e->prev;
    e->to = QN_NO_BLOCK;
}

static bool same_scratch(const struct qn_tblock *a, const struct qn_tblock *b)
{
    return a->now == b->now && a->s1 == b->s1 && a->s2 == b->s2 && a->s3 == b->s3;
}

/* Where a link from a to b may enter. */
static uint32_t entry_of(const struct qn_tblock *a, const struct qn_tblock *b)
{
    if (!b->entry3 || (a->pc + a->nbytes - 1) >> b->line_bits != b->pc >> b->line_bits)
        return qn_tblock_entry2(b);
    qn_tcache_stats.line_links++;
    return qn_tblock_entry3(b);
}

void qn_tcache_link(uint32_t id, uint32_t to)
{
    struct qn_texit *e = exit_of(id);
    const struct qn_tblock *a = &blocks[id / 2], *b = &blocks[to];

    if (e->to != QN_NO_BLOCK || QN_SCOPE(a->mode) != b->mode)
        return;
    if (same_scratch(a, b)) {
        patch_rel32(a->hot + e->field, entry_of(a, b));
        qn_tcache_stats.full_links++;
    } else {
        shuffles->shuffle(a, id % 2, b, entry_of(a, b));
    }
    incoming_add(to, id);
    qn_tcache_stats.links++;
}

static void unlink_exit(uint32_t id)
{
    struct qn_texit *e = exit_of(id);

    if (e->to == QN_NO_BLOCK)
        return;
    patch_rel32(blocks[id / 2].hot + e->field, e->at);
    shuffles->restore(&blocks[id / 2], id % 2, id);
    incoming_remove(id);
    qn_tcache_stats.unlinks++;
}

void qn_tcache_unlink_block(uint32_t index)
{
    for (unsigned i = 0; i < blocks[index].nexits; i++)
        unlink_exit(index * 2 + i);
}

/* ---- eviction ---- */

static void forget_block(uint32_t index)
{
    struct qn_tblock *b = &blocks[index];

    if (!b->live)
        return;
    qn_tcache_unlink_block(index);
    while (b->incoming != QN_NO_BLOCK)
        unlink_exit(b->incoming);
    ibl_clear(index);
    hash_remove(index);
    b->live = 0;
    qn_tcache_stats.forgotten++;
}

static void evict_segment(struct segment *r)
{
    for (uint32_t i = 0; i < r->norder; i++)
        forget_block(r->order[i]);
    for (uint32_t i = 0; i < r->norder; i++) {
        keys[r->order[i]].next = free_block;
        free_block = r->order[i];
    }
    if (r->norder)
        qn_tcache_stats.evictions++;
    reset_segment(r);
}

void qn_tcache_flush(void)
{
    for (unsigned i = 0; i < QN_SEGMENTS; i++)
        evict_segment(&segments[i]);
    current = 0;
}

static void forget_if_in(uint32_t index, uint64_t start, uint64_t end)
{
    const struct qn_tblock *b = &blocks[index];

    if (b->live && b->pc < end && b->pc + (b->nbytes ? b->nbytes : 1) > start)
        forget_block(index);
}

static void forget_bucket(uint32_t bucket, uint64_t start, uint64_t end)
{
    for (uint32_t i = ~hash_table[bucket], next; i != QN_NO_BLOCK; i = next) {
        next = keys[i].next;
        forget_if_in(i, start, end);
    }
}

/* Looks at the blocks that begin in the range or shortly before it, or at all blocks if that is less. */
void qn_tcache_invalidate(uint64_t start, uint64_t end)
{
    uint64_t from = (start > LONGEST ? start - LONGEST : 0) / QN_BUCKET_BYTES, to = (end - 1) / QN_BUCKET_BYTES;

    if (to - from < nblocks) {
        for (uint64_t at = from; at <= to; at++)
            forget_bucket(hash_of(at * QN_BUCKET_BYTES), start, end);
        return;
    }
    for (unsigned i = 0; i < QN_SEGMENTS; i++)
        for (uint32_t j = 0; j < segments[i].norder; j++)
            forget_if_in(segments[i].order[j], start, end);
}

/* ---- making blocks ---- */

uint32_t qn_tcache_next_index(void)
{
    return free_block != QN_NO_BLOCK ? free_block : nblocks;
}

static bool has_room(const struct segment *r, uint32_t hot, uint32_t cold)
{
    return r->hot + hot <= r->middle && r->cold + cold <= r->end && (free_block != QN_NO_BLOCK || nblocks < QN_TBLOCKS_MAX);
}

void qn_tcache_begin(uint32_t hot, uint32_t cold, struct qn_code *hot_code, struct qn_code *cold_code)
{
    struct segment *r = &segments[current];

    for (unsigned i = 0; i < QN_SEGMENTS && !has_room(r, hot, cold); i++) {
        current = (current + 1) % QN_SEGMENTS;
        r = &segments[current];
        evict_segment(r);
    }
    if (!has_room(r, hot, cold))
        qn_engine_die("code cache segment too small for a block", hot, cold);
    hot_code->exec = r->hot;
    hot_code->p = qn_code_at(r->hot);
    cold_code->exec = r->cold;
    cold_code->p = qn_code_at(cold_code->exec);
}

static uint32_t take_slot(void)
{
    uint32_t index = qn_tcache_next_index();

    if (index == nblocks)
        nblocks++;
    else
        free_block = keys[index].next;
    return index;
}

uint32_t qn_tcache_commit(const struct qn_tblock *b, const struct qn_side *side, uint32_t hot_end, uint32_t cold_end)
{
    uint32_t index = take_slot();
    struct segment *r = &segments[current];
    struct qn_tblock *slot = &blocks[index];
    uint32_t bucket = hash_of(b->pc);

    qn_ready_until(&blocks_ready, slot + 1);
    qn_ready_until(&keys_ready, &keys[index + 1]);
    qn_ready_until(&r->sides_ready, &r->sides[r->nsides + b->ninsns + 1]);
    qn_ready_until(&r->order_ready, &r->order[r->norder + 1]);
    *slot = *b;
    slot->segment = (uint8_t)current;
    slot->live = 1;
    slot->incoming = QN_NO_BLOCK;
    slot->exit[0].to = slot->exit[1].to = QN_NO_BLOCK;
    slot->side = r->nsides;
    for (unsigned i = 0; i < b->ninsns; i++)
        r->sides[r->nsides++] = side[i];
    r->order[r->norder++] = index;
    qn_tcache_stats.hot_bytes += hot_end - r->hot;
    qn_tcache_stats.cold_bytes += cold_end - r->cold;
    r->hot = hot_end;
    r->cold = cold_end;
    keys[index] = (struct key){(uint32_t)b->pc, ~hash_table[bucket]};
    hash_table[bucket] = ~index;
    return index;
}

/* ---- memory ---- */

uint64_t qn_tcache_table_bytes(void)
{
    uint64_t bytes = (uint64_t)nblocks * (sizeof *blocks + sizeof *keys);

    for (unsigned i = 0; i < QN_SEGMENTS; i++) {
        const struct segment *r = &segments[i];

        bytes += (r->nsides > r->most_sides ? r->nsides : r->most_sides) * sizeof *r->sides;
        bytes += (r->norder > r->most_order ? r->norder : r->most_order) * sizeof *r->order;
    }
    return bytes;
}

uint64_t qn_tcache_fixed_bytes(void)
{
    return sizeof hash_table + sizeof scopes + (uint64_t)nscopes * QN_IBL_ENTRIES * sizeof *scopes->table;
}
