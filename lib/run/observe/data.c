/* lib/run/observe/data.c - counts the misses of references by the object that they are on (--data).
 *
 *   a reference at site 4711 to 7f0000001008 misses
 *   -> blocks.c: in a block of 7f0000001000 that object 3 (malloc called at 401150) has; 8 bytes behind its beginning
 *   -> row { 4711, 3, 8 }: one more
 *
 * In this order: the stack of a thread (frames.c), the innermost allocated block, a symbol, what is mapped there.  A reference over several
 * lines or objects is on that of its first byte.  Nothing is done for a reference that hits.
 *
 * Offsets are exact in small objects, and within the element of an array whose type is known; else they are rounded down (objects.h).
 *
 * With an analysis that tells classes of misses (3c) each is known when the next miss comes: what the analysis has counted since then.
 */
#include "run/observe/data.h"

#include "base/ready.h"
#include "run/observe/blocks.h"
#include "run/run.h"
#include "sim/contract.h"
#include "sim/module.h"

#define OBJECTS_MAX (QN_ARENA_OBJECTS_SIZE / sizeof(struct qn_object))
#define ROWS_MAX (QN_ARENA_DATA_SIZE / sizeof(struct qn_data_row))
#define INDEX_FIRST 4096u
#define UNDO_MAX QN_SIM_MISSES
#define STACKS_MAX 64u
#define KNOWN 256u          /* pages */

static struct place {
    uint32_t row, tag;      /* row + 1, 0 = free; its hash */
} *row_index;
static uint32_t index_size; /* a power of two */
static uint64_t ready;
static struct {
    uint32_t row, pair;     /* pair: + 1, 0 = none */
    uint8_t ll, class;      /* class: QN_MISS_CLASSES = not told */
} undo[UNDO_MAX];
static uint32_t undo_count;
static uint8_t class_event[QN_MISS_CLASSES]; /* events of the analysis */
static uint64_t told[QN_MISS_CLASSES];       /* what it had counted at the last miss */
static bool tells_classes;
static struct {
    uint64_t start, end;
} stacks[STACKS_MAX];
static uint32_t nstacks;

struct qn_object *qn_data_object(uint32_t number)
{
    return (struct qn_object *)(QN_ARENA_ALIAS_BASE + QN_ARENA_OBJECTS_OFF) + number;
}

static struct qn_data_row *row_at(uint64_t number)
{
    return (struct qn_data_row *)(QN_ARENA_ALIAS_BASE + QN_ARENA_DATA_OFF) + number;
}

uint32_t qn_data_add_object(const struct qn_object *o)
{
    uint64_t n = qn_arena->n_objects;

    if (n == OBJECTS_MAX)
        return QN_NO_OBJECT;
    *qn_data_object((uint32_t)n) = *o;
    qn_arena->n_objects = n + 1;
    return (uint32_t)n;
}

/* ---- rows ---- */

static uint32_t hash_of(uint32_t site, uint32_t object, uint64_t offset)
{
    uint64_t h = ((uint64_t)site << 32 | object) * 0x9e3779b97f4a7c15ull;

    h = (h ^ h >> 29 ^ offset) * 0xbf58476d1ce4e5b9ull;
    return (uint32_t)(h >> 32);
}

static void enlarge_index(void)
{
    uint32_t size = index_size ? 2 * index_size : INDEX_FIRST;
    struct place *list = qn_engine_alloc(size * sizeof *list);

    for (uint32_t i = 0; i < qn_arena->n_data; i++) {
        const struct qn_data_row *r = row_at(i);
        uint32_t tag = hash_of(r->site, r->object, r->offset), at = tag & (size - 1);

        while (list[at].row)
            at = (at + 1) & (size - 1);
        list[at] = (struct place){i + 1, tag};
    }
    row_index = list;
    index_size = size;
}

static struct qn_data_row *add_row(uint32_t site, uint32_t object, uint64_t offset, struct place *at, uint32_t tag)
{
    uint64_t n = qn_arena->n_data;
    struct qn_data_row *r = row_at(n);

    if (n == ROWS_MAX)
        return NULL;
    qn_ready_until(&ready, r + 1);
    *r = (struct qn_data_row){.site = site, .object = object, .offset = offset};
    qn_arena->n_data = n + 1;
    *at = (struct place){(uint32_t)n + 1, tag};
    return r;
}

/* NULL: there is no room for another one. */
static struct qn_data_row *row_of(uint32_t site, uint32_t object, uint64_t offset)
{
    uint32_t tag = hash_of(site, object, offset), at;

    if (QN_UNLIKELY(qn_arena->n_data >= index_size / 2))
        enlarge_index();
    for (at = tag & (index_size - 1); row_index[at].row; at = (at + 1) & (index_size - 1)) {
        struct qn_data_row *r = row_at(row_index[at].row - 1);

        if (row_index[at].tag == tag && r->site == site && r->object == object && r->offset == offset)
            return r;
    }
    return add_row(site, object, offset, &row_index[at], tag);
}

/* ---- stacks ---- */

/* What the running thread's stack pointer lies in becomes known as a stack. */
static void learn_stack(uint64_t sp)
{
    const struct qn_live_block *b = qn_blocks_find(sp);
    uint32_t symbol = b ? QN_NO_OBJECT : qn_ranges_find_symbol(sp);
    uint64_t start = 0, end = 0;

    if (b) {
        start = b->base;
        end = b->end;
    } else if (symbol != QN_NO_OBJECT) {
        start = qn_data_object(symbol)->start;
        end = start + qn_data_object(symbol)->size;
    } else {
        qn_ranges_find_mapping(sp, &start, &end);
    }
    stacks[nstacks % STACKS_MAX].start = start;
    stacks[nstacks % STACKS_MAX].end = end;
    nstacks++;
}

/* The end of the stack that it lies in; 0: in none. */
static uint64_t end_of_stack(uint64_t address)
{
    for (uint32_t i = 0; i < nstacks && i < STACKS_MAX; i++)
        if (address - stacks[i].start < stacks[i].end - stacks[i].start)
            return stacks[i].end;
    return 0;
}

static void forget_stacks(uint64_t start, uint64_t end)
{
    for (uint32_t i = 0; i < STACKS_MAX; i++)
        if (stacks[i].start < end && stacks[i].end > start)
            stacks[i].start = stacks[i].end = 0;
}

/* ---- a miss ---- */

/* Of what type is it? */
static __attribute__((noinline, cold)) void ask(uint32_t object)
{
    struct qn_object *o = qn_data_object(object);

    o->asked = 1;
    if ((o->kind == QN_OBJECT_SYMBOL || o->kind == QN_OBJECT_HEAP) && (qn_arena_map_rec(o->map)->flags & QN_MAP_TYPES))
        qn_wire_type(object);
}

/* `size`: of the object or block.  What is no array of its elements is not taken for one. */
static inline uint64_t offset_in(uint32_t object, uint64_t size, uint64_t offset)
{
    const struct qn_object *o = qn_data_object(object);

    if (QN_UNLIKELY(size > QN_OFFSET_EXACT && !o->asked))
        ask(object);
    if (o->element && size % o->element == 0)
        return offset % o->element;
    return offset & ~(qn_offset_step(offset) - 1);
}

/* Those that have no place of their own have no offsets. */
static bool has_place(const struct qn_object *o) { return o->start != 0; }

/* What lies at addresses where no block is, by page; for as long as nothing is allocated or unmapped. */
static struct known {
    uint64_t start, end, version;
    uint32_t object;
} known[KNOWN];

static inline struct known *known_at(uint64_t address) { return &known[address / QN_PAGE % KNOWN]; }

/* The part of the range [start, end), which is the object's, that lies in the address's page, if no block does. */
static void keep(uint64_t address, uint64_t start, uint64_t end, uint32_t object)
{
    uint64_t page = qn_round_down(address, QN_PAGE);

    if (qn_blocks_are_in(page, page + QN_PAGE))
        return;
    *known_at(address) = (struct known){start > page ? start : page, end < page + QN_PAGE ? end : page + QN_PAGE, qn_blocks_version(), object};
}

/* In batches the stack is no longer what it was. */
static uint32_t find_on_stack(uint64_t address, uint32_t site, uint64_t end, uint64_t *offset)
{
    uint32_t object;

    *offset = 0;
    if (QN_UNLIKELY(qn_sim_log_on) || end_of_stack(qn_ctx.guest_sp) != end)
        return 0;
    object = qn_frames_find(address, site, end, offset);
    if (qn_data_object(object)->kind == QN_OBJECT_LOCAL)
        *offset = offset_in(object, qn_data_object(object)->size, *offset);
    return object;
}

static uint32_t find_object(uint64_t address, uint32_t site, uint64_t *offset)
{
    const struct known *k = known_at(address);
    const struct qn_live_block *b;
    const struct qn_object *o;
    uint64_t start, end;
    uint32_t object;

    if (QN_UNLIKELY(!end_of_stack(qn_ctx.guest_sp)))
        learn_stack(qn_ctx.guest_sp);
    if ((end = end_of_stack(address)))
        return find_on_stack(address, site, end, offset);
    if (address - k->start < k->end - k->start && k->version == qn_blocks_version()) {
        o = qn_data_object(k->object);
        *offset = has_place(o) ? offset_in(k->object, o->size, address - o->start) : 0;
        return k->object;
    }
    if ((b = qn_blocks_find(address))) {
        *offset = offset_in(b->object, b->end - b->base, address - b->base);
        return b->object;
    }
    object = qn_ranges_find_symbol(address);
    o = object == QN_NO_OBJECT ? NULL : qn_data_object(object);
    start = o ? o->start : 0;
    end = o ? o->start + o->size : 0;
    if (!o) {
        object = qn_ranges_find_mapping(address, &start, &end);
        qn_ranges_clip(address, &start, &end);
        o = qn_data_object(object);
    }
    keep(address, start, end, object);
    *offset = has_place(o) ? offset_in(object, o->size, address - o->start) : 0;
    return object;
}

/* ---- classes ---- */

static void find_class_events(void)
{
    static const char *const names[QN_MISS_CLASSES] = {"AN.compulsory", "AN.capacity", "AN.conflict"};
    const struct qn_sim_output *out = &qn_arena->sim_output;
    unsigned found = 0;

    for (uint32_t e = 0; e < out->events; e++)
        for (unsigned k = 0; k < QN_MISS_CLASSES; k++)
            if (qn_streq(out->names[e], names[k])) {
                class_event[k] = (uint8_t)e;
                found++;
            }
    tells_classes = found == QN_MISS_CLASSES;
}

/* The class of the newest miss, if it is not known yet. */
static void take_class(void)
{
    uint32_t newest = (undo_count - 1) % UNDO_MAX;

    for (unsigned k = 0; k < QN_MISS_CLASSES; k++) {
        uint64_t now = sim_counted(class_event[k]);

        if (now == told[k] + 1 && undo_count && undo[newest].class == QN_MISS_CLASSES) {
            undo[newest].class = (uint8_t)k;
            if (undo[newest].row != QN_NO_OBJECT)
                row_at(undo[newest].row)->classes[k]++;
            qn_pairs_add(undo[newest].pair, 0, k == QN_MISS_CONFLICT);
        }
        told[k] = now;
    }
}

void qn_data_finish(void)
{
    if (qn_cfg()->data && tells_classes)
        take_class();
}

static QN_NCSR void count_miss(uint64_t address, uint32_t site, unsigned ll)
{
    uint64_t offset;
    uint32_t object = find_object(address, site, &offset);
    struct qn_data_row *r = row_of(site, object, offset);

    if (tells_classes)
        take_class();
    undo[undo_count % UNDO_MAX].row = r ? (uint32_t)(r - row_at(0)) : QN_NO_OBJECT;
    undo[undo_count % UNDO_MAX].pair = qn_pairs_miss(object);
    undo[undo_count % UNDO_MAX].class = QN_MISS_CLASSES;
    undo[undo_count++ % UNDO_MAX].ll = (uint8_t)ll;
    if (r) {
        r->misses++;
        r->ll_misses += ll;
    } else {
        qn_arena->data_lost[0]++;
        qn_arena->data_lost[1] += ll;
    }
}

void qn_data_undo(uint32_t site, unsigned ll)
{
    if (tells_classes)
        take_class();
    for (uint32_t n = 1; n <= UNDO_MAX && n <= undo_count; n++) {
        uint32_t row = undo[(undo_count - n) % UNDO_MAX].row;

        if (row == QN_NO_OBJECT || row_at(row)->site != site || undo[(undo_count - n) % UNDO_MAX].ll != ll)
            continue;
        row_at(row)->misses--;
        row_at(row)->ll_misses -= ll;
        if (undo[(undo_count - n) % UNDO_MAX].class < QN_MISS_CLASSES)
            row_at(row)->classes[undo[(undo_count - n) % UNDO_MAX].class]--;
        qn_pairs_add(undo[(undo_count - n) % UNDO_MAX].pair, -1, -(int64_t)(undo[(undo_count - n) % UNDO_MAX].class == QN_MISS_CONFLICT));
        undo[(undo_count - n) % UNDO_MAX].row = QN_NO_OBJECT;
        return;
    }
}

/* ---- what changes ---- */

void qn_data_settle(void)
{
    if (qn_sim_log_on && !qn_sim_log_is_empty())
        qn_sim_log_drain();
}

void qn_data_unmapped(uint64_t start, uint64_t end)
{
    if (!qn_cfg()->data || !row_index)
        return;
    qn_data_settle();
    qn_blocks_remove_range(start, end);
    qn_ranges_forget(start, end);
    forget_stacks(start, end);
}

void qn_data_init(void)
{
    if (!qn_arena->n_objects)
        qn_data_add_object(&(struct qn_object){.kind = QN_OBJECT_STACK});
    enlarge_index();
    find_class_events();
    qn_sim_tell_misses(count_miss);
    qn_pairs_init();
}
