/* lib/run/observe/data/data.c - counts misses by the object in memory (--data).
 *
 *   a reference at site 4711 to 7f0000001008 misses
 *   -> blocks.c: in a block of 7f0000001000 that object 3 (malloc called at 401150) has; 8 bytes behind its beginning
 *   -> row { 4711, 3, 8 }: one more
 *
 * The object is searched in this order: the stack of a thread (frames.c), the innermost allocated block, a symbol, a mapping.  A reference
 * to several lines or objects counts for the object of its first byte.  Hits cost nothing.
 *
 * Offsets are exact in small objects, and within the element of an array of known type; otherwise they are rounded down (objects.h).
 *
 * With an analysis of miss classes (3c), the class of a miss is the event that the analysis, which is called first, has just counted.
 */
#include "run/observe/data/data.h"

#include "run/observe/data/blocks.h"
#include "run/observe/data/rows.h"
#include "run/run.h"
#include "sim/contract.h"
#include "sim/module.h"

#define OBJECTS_MAX (QN_ARENA_OBJECTS_SIZE / sizeof(struct qn_object))
#define UNDO_MAX QN_SIM_MISSES
#define KNOWN 256u          /* pages */

static struct {
    uint32_t row, pair;     /* pair: + 1, 0 = none */
    uint8_t ll, class;      /* class: QN_MISS_CLASSES = not told */
} undo[UNDO_MAX];
static uint32_t undo_count;
static uint8_t class_event[QN_MISS_CLASSES]; /* events of the analysis */
static uint64_t told[QN_MISS_CLASSES];       /* what it had counted at the last miss */
static bool tells_classes;

struct qn_object *qn_data_object(uint32_t number)
{
    return (struct qn_object *)(QN_ARENA_ALIAS_BASE + QN_ARENA_OBJECTS_OFF) + number;
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

/* ---- a miss ---- */

/* Of what type is it? */
static __attribute__((noinline, cold)) void ask(uint32_t object)
{
    struct qn_object *o = qn_data_object(object);

    o->asked = 1;
    qn_rows_forget(0, ~0ull); /* offsets in it may count otherwise now */
    if ((o->kind == QN_OBJECT_SYMBOL || o->kind == QN_OBJECT_HEAP) && (qn_arena_map_rec(o->map)->flags & QN_MAP_TYPES))
        qn_message_type(object);
}

/* The size of an element, if the place is in an array; otherwise 0. */
uint32_t qn_data_element(const struct qn_data_place *p)
{
    const struct qn_object *o = qn_data_object(p->object);

    if (QN_UNLIKELY(p->size > QN_OFFSET_EXACT && !o->asked))
        ask(p->object);
    return o->element && p->size % o->element == 0 ? o->element : 0;
}

/* What has no place of its own has no offsets. */
static uint32_t modulus_of(const struct qn_data_place *p) { return p->start ? qn_data_element(p) : 1; }

/* What lies at addresses where no block is, by page; for as long as nothing is allocated there or unmapped. */
static struct known {
    uint64_t start, end, then; /* then: what the stamp was */
    uint64_t from, to; /* of all pages */
    uint32_t object;
} known[KNOWN];

static inline struct known *known_at(uint64_t address) { return &known[address / QN_PAGE % KNOWN]; }

/* The part of the range [start, end), which is the object's, that lies in the address's page, if no block does. */
static void keep(uint64_t address, uint64_t start, uint64_t end, uint32_t object)
{
    uint64_t page = qn_round_down(address, QN_PAGE);

    if (qn_blocks_are_in(page, page + QN_PAGE))
        return;
    *known_at(address) = (struct known){start > page ? start : page, end < page + QN_PAGE ? end : page + QN_PAGE,
                                         *qn_stamp_of(page), start, end, object};
}

/* All of the object is one place, if it has any. */
static struct qn_data_place place_of(uint32_t object)
{
    return (struct qn_data_place){.start = qn_data_object(object)->start, .size = qn_data_object(object)->size, .object = object};
}

static bool is_known(const struct known *k, uint64_t address)
{
    return address - k->start < k->end - k->start && k->then == *qn_stamp_of(address);
}

static struct qn_data_place place_in(const struct known *k)
{
    struct qn_data_place p = place_of(k->object);

    p.stamp = qn_stamp_of(k->start);
    p.from = k->start;
    p.to = k->end;
    p.around_from = k->from;
    p.around_to = k->to;
    return p;
}

static struct qn_data_place place_in_block(const struct qn_live_block *b)
{
    const uint64_t *stamp = b->inner || b->end - b->base <= QN_SMALL_BLOCK ? NULL : &b->stamp;

    return (struct qn_data_place){.start = b->base, .size = b->end - b->base, .object = b->object, .stamp = stamp, .from = b->base, .to = b->end};
}

/* With batches, the stack has changed since the reference, so its frame cannot be found. */
static struct qn_data_place find_on_stack(uint64_t address, uint32_t site, uint64_t end)
{
    uint32_t object;
    uint64_t offset;

    if (QN_UNLIKELY(qn_sim_log_on) || qn_stacks_end(qn_ctx.guest_sp) != end)
        return (struct qn_data_place){.object = 0};
    object = qn_frames_find(address, site, end, &offset);
    if (qn_data_object(object)->kind == QN_OBJECT_LOCAL)
        return (struct qn_data_place){.start = address - offset, .size = qn_data_object(object)->size, .object = object};
    return (struct qn_data_place){.object = object};
}

static struct qn_data_place find_place(uint64_t address, uint32_t site)
{
    const struct known *k = known_at(address);
    const struct qn_small_block *small;
    const struct qn_live_block *b;
    uint64_t start, end;
    uint32_t object;

    qn_stacks_follow();
    if ((end = qn_stacks_end(address)))
        return find_on_stack(address, site, end);
    if ((small = qn_blocks_recall(address)))
        return (struct qn_data_place){.start = small->base, .size = small->size, .object = small->object};
    if (is_known(k, address))
        return place_in(k);
    if ((b = qn_blocks_find(address)))
        return place_in_block(b);
    object = qn_ranges_find_symbol(address);
    if (object != QN_NO_OBJECT) {
        start = qn_data_object(object)->start;
        end = start + qn_data_object(object)->size;
    } else {
        object = qn_ranges_find_mapping(address, &start, &end);
        qn_ranges_clip(address, &start, &end);
    }
    keep(address, start, end, object);
    return is_known(k, address) ? place_in(k) : place_of(object);
}

uint32_t qn_data_find_row(uint64_t address, uint32_t site, struct qn_data_place *place)
{
    *place = find_place(address, site);
    return qn_rows_find(address, site, place, modulus_of(place));
}

uint32_t qn_data_find(uint64_t address, uint64_t *offset)
{
    struct qn_data_place p = {.object = 0};

    if (!qn_stacks_end(address))
        p = find_place(address, 0);
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

static inline void note(uint32_t row, uint32_t pair, unsigned ll)
{
    undo[undo_count % UNDO_MAX].row = row;
    undo[undo_count % UNDO_MAX].pair = pair;
    undo[undo_count % UNDO_MAX].class = QN_MISS_CLASSES;
    undo[undo_count++ % UNDO_MAX].ll = (uint8_t)ll;
    if (row != QN_NO_OBJECT) {
        qn_data_row(row)->misses++;
        qn_data_row(row)->ll_misses += ll;
    } else {
        qn_arena->data_lost[0]++;
        qn_arena->data_lost[1] += ll;
    }
}

static QN_NCSR void count_miss(uint64_t address, uint32_t site, unsigned ll)
{
    struct qn_data_place place;
    uint32_t row;

    if (!qn_uses_has_found(address, site, &row, &place.object))
        row = qn_data_find_row(address, site, &place);
    note(row, qn_pairs_miss(place.object), ll);
    if (tells_classes)
        take_class();
}

/* It is to what the last one of its site was to, but at another offset. */
static __attribute__((noinline)) QN_NCSR void count_other(struct qn_recent *r, uint64_t offset, unsigned ll) { note(qn_rows_find_in(r, offset), 0, ll); }

/* The same where both levels have been looked up, and nobody else is told.  Most are where the site's last one was. */
static QN_NCSR void count_looked_up(void)
{
    uint64_t address = qn_ctx.arg_addr, offset;
    uint32_t site = (uint32_t)qn_ctx.arg_site & QN_SITE_COUNTER_MASK, row;
    struct qn_recent *r = qn_recent_of(site);
    unsigned ll = (unsigned)qn_ctx.arg_aux;

    if (QN_UNLIKELY(!qn_stacks_is_in_use(qn_ctx.guest_sp)) || !qn_rows_is_expected(r, address, site)) {
        count_miss(address, site, ll);
        return;
    }
    offset = qn_rows_offset(address - r->start, r->modulus);
    row = qn_rows_find_quick(r, offset);
    if (row == QN_NO_OBJECT)
        count_other(r, offset, ll);
    else
        note(row, 0, ll);
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
    if (!qn_cfg()->data || !qn_arena->n_objects)
        return;
    qn_data_settle();
    qn_blocks_remove_range(start, end);
    qn_ranges_forget(start, end);
    qn_stacks_forget(start, end);
}

void qn_data_init(void)
{
    if (!qn_arena->n_objects)
        qn_data_add_object(&(struct qn_object){.kind = QN_OBJECT_STACK});
    qn_rows_init();
    find_class_events();
    qn_sim_tell_misses(count_miss, count_looked_up);
    qn_pairs_init();
    if (qn_cfg()->data == QN_DATA_USE)
        qn_uses_init();
}
