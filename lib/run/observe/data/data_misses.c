/* lib/run/observe/data/data_misses.c - counts misses by the object in memory (--data).
 *
 *   a reference at site 4711 to 7f0000001008 misses
 *   -> data_blocks.c: in a block of 7f0000001000 that object 3 (malloc called at 401150) has; 8 bytes behind its beginning
 *   -> row { 4711, 3, 8 }: one more
 *
 * The object is searched in this order: the stack of a thread (data_places.c), the innermost allocated block, a symbol, a mapping.  A reference
 * to several lines or objects counts for the object of its first byte.  Hits cost nothing.
 *
 * Offsets are exact in small objects, and within the element of an array of known type; otherwise they are rounded down (objects.h).
 *
 * With an analysis of miss classes (3c), the class of a miss is the event that the analysis, which is called first, has just counted.
 */
#include "base/ready.h"
#include "emit/emit.h"
#include "run/observe/data/data.h"
#include "run/run.h"
#include "sim/contract.h"
#include "sim/module.h"

/* ---- rows: one for each site, object and offset that missed ----
 *
 *   site 4711, object 3, which begins at 7f0000001000, address 7f0000001008   ->   row 12: { 4711, 3, 8 }
 *
 * By hash; and for each site what it found last: most references of a site are to the same object or block.
 */

#define RECENT_BITS 10u
#define RECENT (1u << RECENT_BITS)
#define RECENT_ROWS_BITS 6u
#define RECENT_ROWS (1u << RECENT_ROWS_BITS)
#define RECENT_ROW_BITS 23u /* of a row's number; above: its offset */
_Static_assert(QN_ARENA_DATA_SIZE / sizeof(struct qn_data_row) <= 1u << RECENT_ROW_BITS, "numbers of rows");

struct recent {
    uint64_t from, length;  /* of the bytes for which the rest holds, */
    const uint64_t *epoch;  /* as long as this */
    uint64_t then;          /* is that */
    uint64_t start, size;   /* of what they lie in */
    uint32_t site, object, modulus;
    uint32_t others;        /* references in a row that were to something else */
    uint64_t rows[RECENT_ROWS]; /* of the object, by hash of the offset: offset << RECENT_ROW_BITS | number; 0: none */
};

static struct recent recent[RECENT] __attribute__((aligned(64)));

static inline struct recent *recent_of(uint32_t site) { return &recent[(site * 0x9e3779b1u) >> (32 - RECENT_BITS)]; }

/* modulus: of offsets that count; 0: they are rounded instead. */
static inline uint64_t row_offset(uint64_t offset, uint32_t modulus)
{
    if (!modulus)
        return offset & ~(qn_offset_step(offset) - 1);
    return offset >> 32 ? offset % modulus : (uint32_t)offset % modulus;
}

static inline uint64_t *row_word(struct recent *r, uint64_t offset)
{
    return &r->rows[offset * 0x9e3779b97f4a7c15ull >> (64 - RECENT_ROWS_BITS)];
}

/* Is the reference to what the last one of its site was to? */
static inline bool is_expected(const struct recent *r, uint64_t address, uint32_t site)
{
    return QN_LIKELY(r->site == site && address - r->from < r->length && *r->epoch == r->then);
}

/* The row of a reference that is; QN_NO_OBJECT: the next function finds it. */
static inline uint32_t find_row_quick(struct recent *r, uint64_t offset)
{
    uint64_t word = *row_word(r, offset);

    return QN_LIKELY(word && word >> RECENT_ROW_BITS == offset) ? (uint32_t)word & ((1u << RECENT_ROW_BITS) - 1) : QN_NO_OBJECT;
}

#define ROWS_MAX (QN_ARENA_DATA_SIZE / sizeof(struct qn_data_row))
#define ROWS_FIRST 4096u
#define WIDE_MAX (1u << 20)  /* bytes of which each page is looked at */
#define MEMOS 64u
#define OTHERS_MAX 4u

static struct row_entry {
    uint32_t row, tag;      /* row + 1, 0 = free; its hash */
} *index_of_rows;
static uint32_t rows_size; /* a power of two */
static uint64_t rows_ready;

static struct qn_data_row *data_row(uint64_t number)
{
    return (struct qn_data_row *)(QN_ARENA_ALIAS_BASE + QN_ARENA_DATA_OFF) + number;
}

static uint32_t hash_of(uint32_t site, uint32_t object, uint64_t offset)
{
    uint64_t h = ((uint64_t)site << 32 | object) * 0x9e3779b97f4a7c15ull;

    h = (h ^ h >> 29 ^ offset) * 0xbf58476d1ce4e5b9ull;
    return (uint32_t)(h >> 32);
}

static void enlarge_rows(void)
{
    uint32_t size = rows_size ? 2 * rows_size : ROWS_FIRST;
    struct row_entry *list = qn_engine_alloc(size * sizeof *list);

    for (uint32_t i = 0; i < qn_arena->n_data; i++) {
        const struct qn_data_row *r = data_row(i);
        uint32_t tag = hash_of(r->site, r->object, r->offset), at = tag & (size - 1);

        while (list[at].row)
            at = (at + 1) & (size - 1);
        list[at] = (struct row_entry){i + 1, tag};
    }
    index_of_rows = list;
    rows_size = size;
}

static uint32_t add_row(uint32_t site, uint32_t object, uint64_t offset, struct row_entry *at, uint32_t tag)
{
    uint64_t n = qn_arena->n_data;
    struct qn_data_row *r = data_row(n);

    if (n == ROWS_MAX)
        return QN_NO_OBJECT;
    qn_ready_until(&rows_ready, r + 1);
    *r = (struct qn_data_row){.site = site, .object = object, .offset = offset};
    qn_arena->n_data = n + 1;
    *at = (struct row_entry){(uint32_t)n + 1, tag};
    return (uint32_t)n;
}

static uint32_t row_of(uint32_t site, uint32_t object, uint64_t offset)
{
    uint32_t tag = hash_of(site, object, offset), at;

    if (QN_UNLIKELY(qn_arena->n_data >= rows_size / 2))
        enlarge_rows();
    for (at = tag & (rows_size - 1); index_of_rows[at].row; at = (at + 1) & (rows_size - 1)) {
        const struct qn_data_row *r = data_row(index_of_rows[at].row - 1);

        if (index_of_rows[at].tag == tag && r->site == site && r->object == object && r->offset == offset)
            return index_of_rows[at].row - 1;
    }
    return add_row(site, object, offset, &index_of_rows[at], tag);
}

static uint32_t find_in(struct recent *r, uint64_t offset)
{
    uint64_t *word = row_word(r, offset);
    uint32_t row = find_row_quick(r, offset);

    if (row != QN_NO_OBJECT)
        return row;
    row = row_of(r->site, r->object, offset);
    if (row != QN_NO_OBJECT && offset << RECENT_ROW_BITS >> RECENT_ROW_BITS == offset)
        *word = offset << RECENT_ROW_BITS | row;
    return row;
}

/* Neither a block nor a stack lies in any page of it.  epoch: changes when a block comes. */
static bool is_free(uint64_t from, uint64_t to, const uint64_t *epoch)
{
    static struct memo {
        uint64_t from, to, version;
        bool is_free;
    } memos[MEMOS];
    struct memo *m = &memos[(from ^ to) / QN_PAGE % MEMOS];

    if (to - from > WIDE_MAX || qn_stacks_are_in(from, to))
        return false;
    if (m->from == from && m->to == to && m->version == *epoch)
        return m->is_free;
    *m = (struct memo){from, to, *epoch, true};
    for (uint64_t at = qn_round_down(from, QN_PAGE); at < to && m->is_free; at += QN_PAGE)
        m->is_free = !qn_blocks_are_in(at, at + QN_PAGE);
    return m->is_free;
}

static void widen_to(struct recent *r, uint64_t from, uint64_t to, const uint64_t *epoch)
{
    if (!is_free(from, to, epoch))
        return;
    r->from = from;
    r->length = to - from;
    r->epoch = epoch;
    r->then = *epoch;
}

/* The site came from `before`: to as much of the object as has the same epoch, or to all of it. */
static void widen(struct recent *r, const struct qn_data_place *p, uint64_t before)
{
    uint64_t first = qn_round_down(p->from, QN_EPOCH_BYTES), last = first + QN_EPOCH_BYTES;

    if (before / QN_EPOCH_BYTES != p->from / QN_EPOCH_BYTES)
        widen_to(r, p->around_from, p->around_to, &qn_epochs_changes);
    else
        widen_to(r, p->around_from > first ? p->around_from : first, p->around_to < last ? p->around_to : last, p->epoch);
}

/* Is it for these? */
static bool is_for(const struct recent *r, uint32_t site, uint32_t object, uint32_t modulus)
{
    return r->site == site && r->object == object && r->modulus == modulus;
}

/* The next reference of the site is expected in the same bytes; if it was not, in all those around that are the object's. */
static void expect(struct recent *r, const struct qn_data_place *p, bool same)
{
    uint64_t before = r->from;
    bool again = same && r->length && r->start == p->start && p->around_from < p->around_to && *r->epoch == r->then;

    r->from = p->from;
    r->length = p->to - p->from;
    r->epoch = p->epoch;
    r->then = *p->epoch;
    r->start = p->start;
    r->size = p->size;
    if (again)
        widen(r, p, before);
}

static bool recall_row(uint64_t address, uint32_t site, struct qn_data_place *place, uint32_t *row)
{
    struct recent *r = recent_of(site);

    if (!qn_stacks_is_in_use(qn_ctx.guest_sp) || !is_expected(r, address, site))
        return false;
    *place = (struct qn_data_place){.start = r->start, .size = r->size, .object = r->object};
    *row = find_in(r, row_offset(address - r->start, r->modulus));
    return true;
}

static uint32_t find_row_in_place(uint64_t address, uint32_t site, const struct qn_data_place *place, uint32_t modulus)
{
    uint64_t offset = row_offset(address - place->start, modulus);
    struct recent *r = recent_of(site);
    bool same = is_for(r, site, place->object, modulus);

    if (!same && r->others++ < OTHERS_MAX)
        return row_of(site, place->object, offset);
    if (!same)
        *r = (struct recent){.site = site, .object = place->object, .modulus = modulus};
    r->others = 0;
    if (place->epoch)
        expect(r, place, same);
    return find_in(r, offset);
}

void qn_rows_forget(uint64_t start, uint64_t end)
{
    for (struct recent *r = recent; r < recent + RECENT; r++)
        if (r->from < end && r->from + r->length > start)
            r->length = 0;
}


/* The row of a reference at this site to this byte; QN_NO_OBJECT: there is no room. */
static uint32_t find_row(uint64_t address, uint32_t site, struct qn_data_place *place)
{
    *place = qn_data_find_place(address, site);
    return find_row_in_place(address, site, place, place->start ? qn_data_element(place) : 1); /* 1: what has no place of its own has no offsets */
}

/* ---- pairs of objects that evict each other's lines, with an analysis of lines (3c, culprits) ----
 *
 *   a miss on object 7 fills a line; the victim is L of object 3       L: evicted by 7
 *   the next miss on L                                                 pair 3, 7: one more miss
 *
 * For a reference to several lines, the first line counts that was evicted before.  A line that was never in the cache has no pair, nor has
 * one whose eviction found no room (QN_EVICTED_MAX).
 */

#define NEW_LINES_MAX 1024u       /* lines of one reference, which xsave with all states needs 11 KB for */
#define INDEX_FIRST 4096u
#define PAIRS_MAX (QN_ARENA_PAIRS_SIZE / sizeof(struct qn_data_pair))

static struct {
    uint64_t line, victim;
    bool evicts;
} new_lines[NEW_LINES_MAX];            /* for the reference that is being simulated */
static uint32_t n_new_lines;

static struct qn_data_index evicted, pairs; /* values: object, or pair, + 1 */
static bool tells_lines;

struct qn_data_entry *qn_data_index_find(const struct qn_data_index *x, uint64_t key)
{
    uint32_t at = (uint32_t)((key * 0x9e3779b97f4a7c15ull) >> 32) & (x->size - 1);

    if (!x->size)
        return NULL;
    while (x->list[at].value && x->list[at].key != key)
        at = (at + 1) & (x->size - 1);
    return &x->list[at];
}

static void enlarge(struct qn_data_index *x)
{
    struct qn_data_index old = *x;

    x->size = old.size ? 2 * old.size : INDEX_FIRST;
    x->list = qn_engine_alloc(x->size * sizeof *x->list);
    for (uint32_t i = 0; i < old.size; i++)
        if (old.list[i].value)
            *qn_data_index_find(x, old.list[i].key) = old.list[i];
}

struct qn_data_entry *qn_data_index_add(struct qn_data_index *x, uint64_t key, uint32_t most)
{
    struct qn_data_entry *e;

    if (x->n >= x->size / 2)
        enlarge(x);
    e = qn_data_index_find(x, key);
    if (!e->value && x->n == most)
        return NULL;
    if (!e->value) {
        x->n++;
        e->key = key;
    }
    return e;
}

static struct qn_data_pair *pair_at(uint64_t i) { return (struct qn_data_pair *)(QN_ARENA_ALIAS_BASE + QN_ARENA_PAIRS_OFF) + i; }

/* + 1; 0: there is no room. */
static uint32_t pair_of(uint32_t object, uint32_t by)
{
    uint64_t n = qn_arena->n_pairs;
    struct qn_data_entry *e = qn_data_index_add(&pairs, (uint64_t)object << 32 | by, PAIRS_MAX);

    if (!e)
        return 0;
    if (!e->value) {
        *pair_at(n) = (struct qn_data_pair){.object = object, .by = by};
        qn_arena->n_pairs = n + 1;
        e->value = (uint32_t)n + 1;
    }
    return e->value;
}

static void note_eviction(uint64_t line, uint32_t object)
{
    struct qn_data_entry *e = qn_data_index_add(&evicted, line, QN_EVICTED_MAX);

    if (e)
        e->value = object + 1;
    else
        qn_arena->evicted_lost++;
}

static QN_NCSR void line_came(uint64_t line, uint64_t victim, bool evicts)
{
    if (n_new_lines == NEW_LINES_MAX)
        return;
    new_lines[n_new_lines].line = line;
    new_lines[n_new_lines].victim = victim;
    new_lines[n_new_lines++].evicts = evicts;
}

static uint32_t count_pair(uint32_t object)
{
    uint32_t pair = 0, evictor = 0;

    if (QN_LIKELY(!tells_lines))
        return 0;
    for (uint32_t i = 0; i < n_new_lines; i++) {
        const struct qn_data_entry *e = qn_data_index_find(&evicted, new_lines[i].line);

        evictor = evictor || !e ? evictor : e->value;
        if (new_lines[i].evicts)
            note_eviction(new_lines[i].victim, object);
    }
    n_new_lines = 0;
    if (evictor && (pair = pair_of(object, evictor - 1)))
        pair_at(pair - 1)->misses++;
    return pair;
}

static void add_to_pair(uint32_t pair, int64_t misses, int64_t conflicts)
{
    if (!pair)
        return;
    pair_at(pair - 1)->misses += (uint64_t)misses;
    pair_at(pair - 1)->conflicts += (uint64_t)conflicts;
}


/* ---- --data=use: how much of each line that came into the D1 was used until it left? ----
 *
 *   a reference at site 4711 to byte 8 of an element of object 3 misses   its line gets the row { 4711, 3, 8 }, and the lines
 *                                                                         that begin 0 bytes behind the beginning of such an element
 *   ... byte 8 to 15 of each element are used ...
 *   the line leaves                                                       row: a line, 8 bytes used; lines: bytes 8 to 15 once
 *
 * Both are of the object in which the byte lies for which the line came, at that time.  Lines that are in the D1 at the end of the process
 * leave then; those of one that is killed, or executes another program, are not told.  By line of source these are the events D1.filled and
 * D1.used, in bytes.
 */

#define LINES_FIRST 1024u
#define NO_ROW (1ull << 63) /* of a word: there was no room for a row; below: the site.  Else: row | (lines + 1) << LINES_SHIFT */
#define LINES_SHIFT 32

static uint32_t *index_of_lines, lines_size; /* lines + 1 by hash, 0 = free */
static uint64_t ready_uses, ready_lines;
static unsigned filled, used;        /* events */
static struct {
    uint64_t address;
    uint32_t site, row, object;
    bool valid;
} last;                              /* what came */

static uint32_t line_bytes(void) { return qn_cfg()->D1.line; }

static struct qn_data_use *use_at(uint32_t row)
{
    return (struct qn_data_use *)(QN_ARENA_ALIAS_BASE + QN_ARENA_USES_OFF) + row;
}

static struct qn_used_lines *lines_at(uint64_t number)
{
    return (struct qn_used_lines *)(QN_ARENA_ALIAS_BASE + QN_ARENA_USED_LINES_OFF + number * qn_used_lines_bytes(line_bytes()));
}

static bool is_same(const struct qn_used_lines *a, const struct qn_used_lines *b)
{
    return a->at == b->at && a->object == b->object && a->element == b->element && a->first == b->first && a->end == b->end;
}

static uint32_t free_or_same(const struct qn_used_lines *p)
{
    uint64_t h = ((uint64_t)p->at ^ (uint64_t)p->object << 32 ^ (uint64_t)p->end << 20) * 0x9e3779b97f4a7c15ull;
    uint32_t at = (uint32_t)(h >> 32) & (lines_size - 1);

    while (index_of_lines[at] && !is_same(lines_at(index_of_lines[at] - 1), p))
        at = (at + 1) & (lines_size - 1);
    return at;
}

static void enlarge_lines(void)
{
    lines_size = lines_size ? 2 * lines_size : LINES_FIRST;
    index_of_lines = qn_engine_alloc(lines_size * sizeof *index_of_lines);
    for (uint32_t i = 0; i < qn_arena->n_used_lines; i++)
        index_of_lines[free_or_same(lines_at(i))] = i + 1;
}

/* + 1; 0: there is no room. */
static uint32_t number_of(const struct qn_used_lines *p)
{
    uint64_t n = qn_arena->n_used_lines;
    uint32_t at;

    if (n >= lines_size / 2)
        enlarge_lines();
    at = free_or_same(p);
    if (!index_of_lines[at] && (n + 1) * qn_used_lines_bytes(line_bytes()) <= QN_ARENA_USED_LINES_SIZE) {
        qn_ready_until(&ready_lines, lines_at(n + 1));
        *lines_at(n) = *p;
        qn_arena->n_used_lines = n + 1;
        index_of_lines[at] = (uint32_t)n + 1;
    }
    return index_of_lines[at];
}

/* Where the line of this byte lies in what the byte is of, + 1; 0: offsets in that do not tell. */
static uint32_t find_lines(uint64_t address, const struct qn_data_place *in)
{
    const uint64_t line = address & ~(uint64_t)(line_bytes() - 1);
    const int64_t at = (int64_t)(line - in->start), left = (int64_t)in->size - at;
    uint32_t element = in->start ? qn_data_element(in) : 0, number;

    if (!in->start || (!element && in->size > QN_OFFSET_EXACT))
        return 0;
    number = number_of(&(struct qn_used_lines){.at = at > 0 && element ? at % element : at, .object = in->object, .element = element,
                                               .first = at < 0 ? (uint16_t)-at : 0,
                                               .end = (uint16_t)(left < line_bytes() ? left : line_bytes())});
    qn_arena->used_lost += !number;
    return number;
}

static QN_NCSR uint64_t note_fill(uint64_t address, uint32_t site)
{
    struct qn_data_place place;
    uint32_t row;

    if (!recall_row(address, site, &place, &row))
        row = find_row(address, site, &place);
    last.address = address;
    last.site = site;
    last.row = row;
    last.object = place.object;
    last.valid = true;
    if (row == QN_NO_OBJECT)
        return NO_ROW | site;
    qn_ready_until(&ready_uses, use_at(row + 1));
    return row | (uint64_t)find_lines(address, &place) << LINES_SHIFT;
}

static bool has_found_fill(uint64_t address, uint32_t site, uint32_t *row, uint32_t *object)
{
    bool valid = last.valid && last.address == address && last.site == site;

    last.valid = false;
    *row = last.row;
    *object = last.object;
    return valid;
}

static unsigned count_used(const uint8_t *bytes)
{
    unsigned n = 0;

    for (uint32_t i = 0; i < line_bytes(); i += sizeof(uint64_t)) {
        uint64_t word;

        __builtin_memcpy(&word, bytes + i, sizeof word);
        n += (unsigned)((word & 0x0101010101010101ull) * 0x0101010101010101ull >> 56);
    }
    return n;
}

static QN_NCSR void note_leave(uint64_t word, const uint8_t *bytes)
{
    const uint32_t row = (uint32_t)word, number = word & NO_ROW ? 0 : (uint32_t)(word >> LINES_SHIFT);
    const uint32_t site = word & NO_ROW ? row : data_row(row)->site;
    const unsigned n = count_used(bytes);
    struct qn_used_lines *p = number ? lines_at(number - 1) : NULL;

    qn_sim_charge_to(site, filled, line_bytes());
    qn_sim_charge_to(site, used, n);
    if (word & NO_ROW)
        return;
    use_at(row)->lines++;
    use_at(row)->bytes += n;
    if (!p)
        return;
    p->lines++;
    for (uint32_t i = p->first; i < p->end; i++)
        ((uint64_t *)(p + 1))[i] += bytes[i] & 1;
}

static void init_uses(void)
{
    static const struct qn_utilization_hooks hooks = {note_fill, note_leave};

    filled = sim_event("D1", "filled", "bytes of lines that came into the D1, and left");
    used = sim_event("D1", "used", "bytes of these that were used in between");
    enlarge_lines();
    if (!qn_sim_tell_utilization(&hooks))
        qn_die_fatal(QN_FATAL_LOAD, 0, "--data=use: needs the D1 that quern has by default");
}

/* ---- misses ---- */

#define UNDO_MAX QN_SIM_MISSES

static struct undo {
    uint32_t row, pair;     /* pair: + 1, 0 = none */
    uint8_t ll, class;      /* class: QN_MISS_CLASSES = not told */
} undo[UNDO_MAX];
static uint32_t undo_count;
static uint8_t class_event[QN_MISS_CLASSES]; /* events of the analysis */
static uint64_t told[QN_MISS_CLASSES];       /* what it had counted at the last miss */
static bool tells_classes;

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
    struct undo *newest = &undo[(undo_count - 1) % UNDO_MAX];

    for (unsigned k = 0; k < QN_MISS_CLASSES; k++) {
        uint64_t now = sim_counted(class_event[k]);

        if (now == told[k] + 1 && undo_count && newest->class == QN_MISS_CLASSES) {
            newest->class = (uint8_t)k;
            if (newest->row != QN_NO_OBJECT)
                data_row(newest->row)->classes[k]++;
            add_to_pair(newest->pair, 0, k == QN_MISS_CONFLICT);
        }
        told[k] = now;
    }
}

static inline void note(uint32_t row, uint32_t pair, unsigned ll)
{
    undo[undo_count++ % UNDO_MAX] = (struct undo){row, pair, (uint8_t)ll, QN_MISS_CLASSES};
    if (row != QN_NO_OBJECT) {
        data_row(row)->misses++;
        data_row(row)->ll_misses += ll;
    } else {
        qn_arena->data_lost[0]++;
        qn_arena->data_lost[1] += ll;
    }
}

static QN_NCSR void count_miss(uint64_t address, uint32_t site, unsigned ll)
{
    struct qn_data_place place;
    uint32_t row;

    if (!has_found_fill(address, site, &row, &place.object))
        row = find_row(address, site, &place);
    note(row, count_pair(place.object), ll);
    if (tells_classes)
        take_class();
}

/* It is to what the last one of its site was to, but at another offset. */
static __attribute__((noinline)) QN_NCSR void count_other(struct recent *r, uint64_t offset, unsigned ll) { note(find_in(r, offset), 0, ll); }

/* The same where both levels have been looked up, and nobody else is told.  Most are where the site's last one was. */
static QN_NCSR void count_looked_up(void)
{
    uint64_t address = qn_ctx.arg_addr, offset;
    uint32_t site = (uint32_t)qn_ctx.arg_site & QN_SITE_COUNTER_MASK, row;
    struct recent *r = recent_of(site);
    unsigned ll = (unsigned)qn_ctx.arg_aux;

    if (QN_UNLIKELY(!qn_stacks_is_in_use(qn_ctx.guest_sp)) || !is_expected(r, address, site)) {
        count_miss(address, site, ll);
        return;
    }
    offset = row_offset(address - r->start, r->modulus);
    row = find_row_quick(r, offset);
    if (row == QN_NO_OBJECT)
        count_other(r, offset, ll);
    else
        note(row, 0, ll);
}

static void undone(uint32_t site, unsigned ll)
{
    if (tells_classes)
        take_class();
    for (uint32_t n = 1; n <= UNDO_MAX && n <= undo_count; n++) {
        struct undo *u = &undo[(undo_count - n) % UNDO_MAX];
        struct qn_data_row *r = u->row == QN_NO_OBJECT ? NULL : data_row(u->row);

        if (!r || r->site != site || u->ll != ll)
            continue;
        r->misses--;
        r->ll_misses -= ll;
        if (u->class < QN_MISS_CLASSES)
            r->classes[u->class]--;
        add_to_pair(u->pair, -1, -(int64_t)(u->class == QN_MISS_CONFLICT));
        u->row = QN_NO_OBJECT;
        return;
    }
}

static void start(const struct qn_config *c)
{
    if (!c->cache_sim)
        return;
    if (!qn_arena->n_objects)
        qn_data_add_object(&(struct qn_object){.kind = QN_OBJECT_STACK});
    enlarge_rows();
    find_class_events();
    qn_sim_tell_misses(count_miss, count_looked_up);
    tells_lines = qn_sim_tell_lines(line_came);
    if (c->data == QN_DATA_USE)
        init_uses();
}

static void configure(struct qn_emit_hooks *h)
{
    h->probe = qn_allocs_see;
    h->place = qn_frames_note;
}

static void marks(struct qn_block *b, const struct qn_emit_rules *r)
{
    (void)r;
    b->probe = b->n ? qn_allocs_probe(b->pc) : 0;
}

static void shared_row(struct qn_shared_row *to) { to->object = qn_data_find(to->address, &to->offset); }

const struct qn_slice qn_data_slice = {.configure = configure, .start = start, .code = qn_probes_learn, .learn = qn_ranges_learn,
                                       .begins = qn_allocs_begins, .marks = marks, .miss_undone = undone, .shared_row = shared_row, .unmapped = qn_data_unmapped};
