/* lib/run/observe/data/rows.c - rows of --data: one for each site, object and offset that missed.
 *
 *   site 4711, object 3, which begins at 7f0000001000, address 7f0000001008   ->   row 12: { 4711, 3, 8 }
 *
 * By hash; and for each site what it found last: most references of a site are to the same object or block.
 */
#include "base/ready.h"
#include "run/observe/data/rows.h"
#include "run/run.h"

#define ROWS_MAX (QN_ARENA_DATA_SIZE / sizeof(struct qn_data_row))
#define INDEX_FIRST 4096u
#define WIDE_MAX (1u << 20)  /* bytes of which each page is looked at */
#define MEMOS 64u
#define OTHERS_MAX 4u

static struct entry {
    uint32_t row, tag;      /* row + 1, 0 = free; its hash */
} *index_of_rows;
static uint32_t index_size; /* a power of two */
static uint64_t ready;

struct qn_recent qn_recent[QN_RECENT] __attribute__((aligned(64)));

struct qn_data_row *qn_data_row(uint64_t number)
{
    return (struct qn_data_row *)(QN_ARENA_ALIAS_BASE + QN_ARENA_DATA_OFF) + number;
}

static uint32_t hash_of(uint32_t site, uint32_t object, uint64_t offset)
{
    uint64_t h = ((uint64_t)site << 32 | object) * 0x9e3779b97f4a7c15ull;

    h = (h ^ h >> 29 ^ offset) * 0xbf58476d1ce4e5b9ull;
    return (uint32_t)(h >> 32);
}

static void enlarge_index(void)
{
    uint32_t size = index_size ? 2 * index_size : INDEX_FIRST;
    struct entry *list = qn_engine_alloc(size * sizeof *list);

    for (uint32_t i = 0; i < qn_arena->n_data; i++) {
        const struct qn_data_row *r = qn_data_row(i);
        uint32_t tag = hash_of(r->site, r->object, r->offset), at = tag & (size - 1);

        while (list[at].row)
            at = (at + 1) & (size - 1);
        list[at] = (struct entry){i + 1, tag};
    }
    index_of_rows = list;
    index_size = size;
}

static uint32_t add_row(uint32_t site, uint32_t object, uint64_t offset, struct entry *at, uint32_t tag)
{
    uint64_t n = qn_arena->n_data;
    struct qn_data_row *r = qn_data_row(n);

    if (n == ROWS_MAX)
        return QN_NO_OBJECT;
    qn_ready_until(&ready, r + 1);
    *r = (struct qn_data_row){.site = site, .object = object, .offset = offset};
    qn_arena->n_data = n + 1;
    *at = (struct entry){(uint32_t)n + 1, tag};
    return (uint32_t)n;
}

static uint32_t row_of(uint32_t site, uint32_t object, uint64_t offset)
{
    uint32_t tag = hash_of(site, object, offset), at;

    if (QN_UNLIKELY(qn_arena->n_data >= index_size / 2))
        enlarge_index();
    for (at = tag & (index_size - 1); index_of_rows[at].row; at = (at + 1) & (index_size - 1)) {
        const struct qn_data_row *r = qn_data_row(index_of_rows[at].row - 1);

        if (index_of_rows[at].tag == tag && r->site == site && r->object == object && r->offset == offset)
            return index_of_rows[at].row - 1;
    }
    return add_row(site, object, offset, &index_of_rows[at], tag);
}

uint32_t qn_rows_find_in(struct qn_recent *r, uint64_t offset)
{
    uint64_t *word = qn_rows_word(r, offset);
    uint32_t row = qn_rows_find_quick(r, offset);

    if (row != QN_NO_OBJECT)
        return row;
    row = row_of(r->site, r->object, offset);
    if (row != QN_NO_OBJECT && offset << QN_RECENT_ROW_BITS >> QN_RECENT_ROW_BITS == offset)
        *word = offset << QN_RECENT_ROW_BITS | row;
    return row;
}

/* Neither a block nor a stack lies in any page of it.  stamp: changes when a block comes. */
static bool is_free(uint64_t from, uint64_t to, const uint64_t *stamp)
{
    static struct memo {
        uint64_t from, to, version;
        bool is_free;
    } memos[MEMOS];
    struct memo *m = &memos[(from ^ to) / QN_PAGE % MEMOS];

    if (to - from > WIDE_MAX || qn_stacks_are_in(from, to))
        return false;
    if (m->from == from && m->to == to && m->version == *stamp)
        return m->is_free;
    *m = (struct memo){from, to, *stamp, true};
    for (uint64_t at = qn_round_down(from, QN_PAGE); at < to && m->is_free; at += QN_PAGE)
        m->is_free = !qn_blocks_are_in(at, at + QN_PAGE);
    return m->is_free;
}

static void widen_to(struct qn_recent *r, uint64_t from, uint64_t to, const uint64_t *stamp)
{
    if (!is_free(from, to, stamp))
        return;
    r->from = from;
    r->length = to - from;
    r->stamp = stamp;
    r->then = *stamp;
}

/* The site came from `before`: to as much of the object as has the same stamp, or to all of it. */
static void widen(struct qn_recent *r, const struct qn_data_place *p, uint64_t before)
{
    uint64_t first = qn_round_down(p->from, QN_STAMP_BYTES), last = first + QN_STAMP_BYTES;

    if (before / QN_STAMP_BYTES != p->from / QN_STAMP_BYTES)
        widen_to(r, p->around_from, p->around_to, &qn_stamps_changes);
    else
        widen_to(r, p->around_from > first ? p->around_from : first, p->around_to < last ? p->around_to : last, p->stamp);
}

/* Is it for these? */
static bool is_for(const struct qn_recent *r, uint32_t site, uint32_t object, uint32_t modulus)
{
    return r->site == site && r->object == object && r->modulus == modulus;
}

/* The next reference of the site is expected in the same bytes; if it was not, in all those around that are the object's. */
static void expect(struct qn_recent *r, const struct qn_data_place *p, bool same)
{
    uint64_t before = r->from;
    bool again = same && r->length && r->start == p->start && p->around_from < p->around_to && *r->stamp == r->then;

    r->from = p->from;
    r->length = p->to - p->from;
    r->stamp = p->stamp;
    r->then = *p->stamp;
    r->start = p->start;
    r->size = p->size;
    if (again)
        widen(r, p, before);
}

bool qn_rows_recall(uint64_t address, uint32_t site, struct qn_data_place *place, uint32_t *row)
{
    struct qn_recent *r = qn_recent_of(site);

    if (!qn_stacks_is_in_use(qn_ctx.guest_sp) || !qn_rows_is_expected(r, address, site))
        return false;
    *place = (struct qn_data_place){.start = r->start, .size = r->size, .object = r->object};
    *row = qn_rows_find_in(r, qn_rows_offset(address - r->start, r->modulus));
    return true;
}

uint32_t qn_rows_find(uint64_t address, uint32_t site, const struct qn_data_place *place, uint32_t modulus)
{
    uint64_t offset = qn_rows_offset(address - place->start, modulus);
    struct qn_recent *r = qn_recent_of(site);
    bool same = is_for(r, site, place->object, modulus);

    if (!same && r->others++ < OTHERS_MAX)
        return row_of(site, place->object, offset);
    if (!same)
        *r = (struct qn_recent){.site = site, .object = place->object, .modulus = modulus};
    r->others = 0;
    if (place->stamp)
        expect(r, place, same);
    return qn_rows_find_in(r, offset);
}

void qn_rows_forget(uint64_t start, uint64_t end)
{
    for (struct qn_recent *r = qn_recent; r < qn_recent + QN_RECENT; r++)
        if (r->from < end && r->from + r->length > start)
            r->length = 0;
}

void qn_rows_init(void) { enlarge_index(); }
