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
 * With an analysis that tells classes of misses (3c) that of each is what the analysis, which is told before, has counted since the last one.
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

struct qn_data_row *qn_data_row(uint64_t number)
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
        const struct qn_data_row *r = qn_data_row(i);
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
    struct qn_data_row *r = qn_data_row(n);

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
        struct qn_data_row *r = qn_data_row(row_index[at].row - 1);

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

/* What is no array of its elements is not taken for one. */
uint32_t qn_data_element(const struct qn_data_place *p)
{
    const struct qn_object *o = qn_data_object(p->object);

    if (QN_UNLIKELY(p->size > QN_OFFSET_EXACT && !o->asked))
        ask(p->object);
    return o->element && p->size % o->element == 0 ? o->element : 0;
}

static inline uint64_t offset_in(const struct qn_data_place *p, uint64_t address)
{
    uint64_t offset = address - p->start, element;

    if (!p->start)
        return 0;
    element = qn_data_element(p);
    return element ? offset % element : offset & ~(qn_offset_step(offset) - 1);
}

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

/* All of the object is one place, if it has any. */
static struct qn_data_place place_of(uint32_t object)
{
    return (struct qn_data_place){qn_data_object(object)->start, qn_data_object(object)->size, object};
}

/* In batches the stack is no longer what it was. */
static struct qn_data_place find_on_stack(uint64_t address, uint32_t site, uint64_t end)
{
    uint32_t object;
    uint64_t offset;

    if (QN_UNLIKELY(qn_sim_log_on) || end_of_stack(qn_ctx.guest_sp) != end)
        return (struct qn_data_place){0, 0, 0};
    object = qn_frames_find(address, site, end, &offset);
    if (qn_data_object(object)->kind == QN_OBJECT_LOCAL)
        return (struct qn_data_place){address - offset, qn_data_object(object)->size, object};
    return (struct qn_data_place){0, 0, object};
}

static struct qn_data_place find_place(uint64_t address, uint32_t site)
{
    const struct known *k = known_at(address);
    const struct qn_live_block *b;
    uint64_t start, end;
    uint32_t object;

    if (QN_UNLIKELY(!end_of_stack(qn_ctx.guest_sp)))
        learn_stack(qn_ctx.guest_sp);
    if ((end = end_of_stack(address)))
        return find_on_stack(address, site, end);
    if (address - k->start < k->end - k->start && k->version == qn_blocks_version())
        return place_of(k->object);
    if ((b = qn_blocks_find(address)))
        return (struct qn_data_place){b->base, b->end - b->base, b->object};
    object = qn_ranges_find_symbol(address);
    if (object != QN_NO_OBJECT) {
        start = qn_data_object(object)->start;
        end = start + qn_data_object(object)->size;
    } else {
        object = qn_ranges_find_mapping(address, &start, &end);
        qn_ranges_clip(address, &start, &end);
    }
    keep(address, start, end, object);
    return place_of(object);
}

uint32_t qn_data_find_row(uint64_t address, uint32_t site, struct qn_data_place *place)
{
    struct qn_data_row *r;

    *place = find_place(address, site);
    r = row_of(site, place->object, offset_in(place, address));
    return r ? (uint32_t)(r - qn_data_row(0)) : QN_NO_OBJECT;
}

uint32_t qn_data_find(uint64_t address, uint64_t *offset)
{
    struct qn_data_place p = end_of_stack(address) ? (struct qn_data_place){0, 0, 0} : find_place(address, 0);

    *offset = p.start ? address - p.start : 0;
    return p.object;
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

/* The class of the newest miss. */
static void take_class(void)
{
    uint32_t newest = (undo_count - 1) % UNDO_MAX;

    for (unsigned k = 0; k < QN_MISS_CLASSES; k++) {
        uint64_t now = sim_counted(class_event[k]);

        if (now == told[k] + 1 && undo_count && undo[newest].class == QN_MISS_CLASSES) {
            undo[newest].class = (uint8_t)k;
            if (undo[newest].row != QN_NO_OBJECT)
                qn_data_row(undo[newest].row)->classes[k]++;
            qn_pairs_add(undo[newest].pair, 0, k == QN_MISS_CONFLICT);
        }
        told[k] = now;
    }
}

static QN_NCSR void count_miss(uint64_t address, uint32_t site, unsigned ll)
{
    struct qn_data_place place;
    uint32_t row;

    if (!qn_uses_has_found(address, site, &row, &place.object))
        row = qn_data_find_row(address, site, &place);
    undo[undo_count % UNDO_MAX].row = row;
    undo[undo_count % UNDO_MAX].pair = qn_pairs_miss(place.object);
    undo[undo_count % UNDO_MAX].class = QN_MISS_CLASSES;
    undo[undo_count++ % UNDO_MAX].ll = (uint8_t)ll;
    if (row != QN_NO_OBJECT) {
        qn_data_row(row)->misses++;
        qn_data_row(row)->ll_misses += ll;
    } else {
        qn_arena->data_lost[0]++;
        qn_arena->data_lost[1] += ll;
    }
    if (tells_classes)
        take_class();
}

void qn_data_undo(uint32_t site, unsigned ll)
{
    if (tells_classes)
        take_class();
    for (uint32_t n = 1; n <= UNDO_MAX && n <= undo_count; n++) {
        uint32_t row = undo[(undo_count - n) % UNDO_MAX].row;

        if (row == QN_NO_OBJECT || qn_data_row(row)->site != site || undo[(undo_count - n) % UNDO_MAX].ll != ll)
            continue;
        qn_data_row(row)->misses--;
        qn_data_row(row)->ll_misses -= ll;
        if (undo[(undo_count - n) % UNDO_MAX].class < QN_MISS_CLASSES)
            qn_data_row(row)->classes[undo[(undo_count - n) % UNDO_MAX].class]--;
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
    if (qn_cfg()->data == QN_DATA_USE)
        qn_uses_init();
}
