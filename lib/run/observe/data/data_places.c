/* lib/run/observe/data/data_places.c - --data: what lies at an address.
 *
 *   7f0000001008, in no stack and no block   ->   a mapping of /data/file (object 9), which begins at 7f0000001000
 *
 * Searched in this order: stacks of threads and their frames, the innermost allocated block (data_blocks.c), symbols, mappings.
 */
#include "base/hash.h"
#include "base/ready.h"
#include "base/tree.h"
#include "decode/decode.h"
#include "guest/exec_map.h"
#include "run/kernel/kernel.h"
#include "run/kernel/signal.h"
#include "run/observe/data/data.h"
#include "run/run.h"
#include "sim/contract.h"

/* ---- objects ---- */

#define OBJECTS_MAX (QN_ARENA_OBJECTS_SIZE / sizeof(struct qn_object))
#define KNOWN 256u          /* pages */

struct qn_object *qn_data_object(uint32_t number)
{
    return (struct qn_object *)qn_arena_at(QN_ARENA_OBJECTS_OFF) + number;
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

/* ---- outside of blocks: a variable, the rest of an ELF file, or a mapping ----
 *
 *   from the collector   ->  symbols 404040..404440 (object 5), segments 404000..405000 (object 4)
 *   the kernel           ->  7ffff7c00000..7ffff7d00000 /data/file (object 9), asked when an address is in no known range
 *
 * A range is removed when it is unmapped or replaced by another mapping.
 */

static struct qn_tree symbols = {.alloc = qn_engine_alloc}, segments = {.alloc = qn_engine_alloc}, mappings = {.alloc = qn_engine_alloc}; /* value: the object */
static struct qn_tree mapped = {.alloc = qn_engine_alloc}; /* objects of mappings, also of those that are gone, by mapping_key */
static uint64_t taken;       /* objects of the arena that were looked at */

/* What the dynamic linker has mapped for the file is no block of its. */
void qn_ranges_learn(void)
{
    qn_epochs_change_all();
    for (; taken < qn_arena->n_objects; taken++) {
        const struct qn_object *o = qn_data_object((uint32_t)taken);
        const uint64_t end = o->start + o->size;

        if (o->kind == QN_OBJECT_SYMBOL)
            qn_tree_add(&symbols, o->start, end, (uint32_t)taken);
        if (o->kind != QN_OBJECT_SEGMENT)
            continue;
        qn_tree_add(&segments, o->start, end, (uint32_t)taken);
        qn_blocks_remove_range(qn_round_down(o->start, QN_PAGE), qn_round_up(end, QN_PAGE));
    }
}

/* QN_NO_OBJECT: none. */
static uint32_t find_symbol(uint64_t address)
{
    const struct qn_tree_node *r = qn_tree_find(&symbols, address);

    return r ? r->value : QN_NO_OBJECT;
}

/* To where no symbol is; none is at the address. */
static void clip_range(uint64_t address, uint64_t *start, uint64_t *end)
{
    const struct qn_tree_node *before = qn_tree_last(&symbols, address), *next = qn_tree_next(&symbols, address);

    if (before && before->end > *start)
        *start = before->end;
    if (next && next->start < *end)
        *end = next->start;
}

/* Anonymous mappings of one beginning are one object, and those of one file; keys of files are odd. */
static uint64_t mapping_key(enum qn_object_kind kind, const char *path, uint64_t start)
{
    return kind == QN_OBJECT_FILE ? qn_hash_bytes(QN_HASH_NONE, path, qn_strlen(path)) | 1 : kind == QN_OBJECT_ANONYMOUS ? start : 2u * kind;
}

static uint32_t mapping_object(enum qn_object_kind kind, const char *path, uint64_t start, uint64_t end)
{
    struct qn_object new = {.kind = (uint8_t)kind};
    uint64_t key = mapping_key(kind, path, start);
    const struct qn_tree_node *n;
    uint32_t object;

    for (; (n = qn_tree_find(&mapped, key)); key += 2) {
        struct qn_object *o = qn_data_object(n->value);

        if (kind == QN_OBJECT_FILE && !qn_streq(qn_arena_text(o->name), path))
            continue; /* the hash is another file's, too */
        if (kind == QN_OBJECT_ANONYMOUS && end - start > o->size)
            o->size = end - start;
        return n->value;
    }
    if (kind == QN_OBJECT_FILE)
        new.name = qn_arena_string(path);
    if (kind == QN_OBJECT_ANONYMOUS) {
        new.start = start;
        new.size = end - start;
    }
    object = qn_data_add_object(&new);
    if (object != QN_NO_OBJECT)
        qn_tree_add(&mapped, key, key + 1, object);
    return object;
}

static uint32_t object_of(const struct qn_mapping *m)
{
    if (m->path[0] == '/')
        return mapping_object(QN_OBJECT_FILE, m->path, m->start, m->end);
    if (m->path[0] == '[' && m->path[1] == 's' && m->path[2] == 't')
        return 0;
    if (qn_streq(m->path, "[heap]") || qn_is_brk(m->start))
        return mapping_object(QN_OBJECT_HEAP_REST, "", m->start, m->end);
    return mapping_object(QN_OBJECT_ANONYMOUS, "", m->start, m->end);
}

static void learn_mapping(uint64_t address)
{
    static struct qn_mapping m;

    if (!qn_maps_find(address, &m))
        return;
    qn_tree_forget(&mappings, m.start, m.end);
    qn_tree_add(&mappings, m.start, m.end, object_of(&m));
}

static uint32_t unknown(void)
{
    static uint32_t object = QN_NO_OBJECT;

    if (object == QN_NO_OBJECT)
        object = mapping_object(QN_OBJECT_UNKNOWN, "", 0, 0);
    return object;
}

static uint32_t find_mapping(uint64_t address, uint64_t *start, uint64_t *end)
{
    const struct qn_tree_node *r = qn_tree_find(&segments, address);

    if (!r)
        r = qn_tree_find(&mappings, address);
    if (!r) {
        learn_mapping(address);
        r = qn_tree_find(&mappings, address);
    }
    *start = r ? r->start : address;
    *end = r ? r->end : address;
    return r && r->value != QN_NO_OBJECT ? r->value : unknown();
}

/* ---- stacks of threads ----
 *
 *   a miss while rsp = 7ffe0fc0   ->   the block, symbol or mapping that this lies in is a stack, until it is unmapped
 *
 * The newest STACKS_MAX are known.
 */

#define STACKS_MAX 64u

static struct {
    uint64_t start, end;
} stacks[STACKS_MAX];
static uint32_t nstacks;
struct qn_stack_in_use qn_stack_in_use;

/* What the running thread's stack pointer lies in becomes known as a stack. */
static void learn_stack(uint64_t sp)
{
    const struct qn_live_block *b = qn_blocks_find(sp);
    uint32_t symbol = b ? QN_NO_OBJECT : find_symbol(sp);
    uint64_t start = 0, end = 0;

    if (b) {
        start = b->base;
        end = b->end;
    } else if (symbol != QN_NO_OBJECT) {
        start = qn_data_object(symbol)->start;
        end = start + qn_data_object(symbol)->size;
    } else {
        find_mapping(sp, &start, &end);
    }
    stacks[nstacks % STACKS_MAX].start = start;
    stacks[nstacks % STACKS_MAX].end = end;
    nstacks++;
    qn_rows_forget(start, end);
}

/* Of the stack that it lies in; 0: in none. */
static uint64_t stack_end(uint64_t address)
{
    for (uint32_t i = 0; i < nstacks && i < STACKS_MAX; i++)
        if (address - stacks[i].start < stacks[i].end - stacks[i].start)
            return stacks[i].end;
    return 0;
}

/* What the stack pointer lies in is a stack. */
static void follow_stack(void)
{
    uint64_t sp = qn_ctx.guest_sp;

    if (QN_LIKELY(qn_stacks_is_in_use(sp)))
        return;
    if (!stack_end(sp))
        learn_stack(sp);
    for (uint32_t i = 0; i < STACKS_MAX; i++)
        if (sp - stacks[i].start < stacks[i].end - stacks[i].start) {
            qn_stack_in_use.start = stacks[i].start;
            qn_stack_in_use.size = stacks[i].end - stacks[i].start;
        }
}

bool qn_stacks_are_in(uint64_t start, uint64_t end)
{
    for (uint32_t i = 0; i < nstacks && i < STACKS_MAX; i++)
        if (stacks[i].start < end && stacks[i].end > start)
            return true;
    return false;
}

/* ---- frames: the function, and the variable in its frame, of an address on the stack ----
 *
 *   a miss at 7ffe1040, at 401150 in f, rsp = 7ffe0fc0, rbp = 7ffe1000
 *   collector: at 401150   CFA = rbp + 16, i.e. 7ffe1010; the caller's rbp at CFA - 16, its address at CFA - 8     -> not in f's frame
 *   memory:    401234, 7ffe1080;    collector: at 401233 in main   CFA = rbp + 16, i.e. 7ffe1090; `buf` CFA - 96 to CFA - 32
 *   -> buf, byte 16
 *
 * At each miss the stack is unwound, from the innermost frame to the one that holds the address.  So calls need not be tracked, and
 * longjmp, exceptions, tail calls and signal handlers need no special handling.  Memory below the stack pointer belongs to the innermost
 * frame (its red zone, data that an instruction is about to push).
 *
 * The result is object 0, without a function, in these cases: code without unwind information on the way, another stack than the current
 * one, memory above the outermost frame (arguments, environment) or more than FOLLOWED_MAX frames out, and references in batches, because
 * these are simulated when the stack has changed.
 *
 * The check of a reference may be emitted before an earlier instruction: rsp and rbp are those at the check (`at`), the variables in scope
 * are those of the reference's own instruction.
 */

#define WORD 8u
#define FOLLOWED_MAX 4096u  /* frames: 40 us; limits the time of a miss in a deep recursion */

struct site_place {
    uint64_t pc, at;
};

static struct site_place *site_places;  /* by site; pc 0: a reference that a helper makes, arg_pc says whose */
static struct qn_data_index frames; /* by pc: record + 1 */
static uint64_t frames_ready;

/* Where one has come to, on the way out; `low` to `end` is the stack, where parts may be unmapped or protected since it was first seen. */
struct cursor {
    uint64_t pc, sp, bp, cfa, low, end;
};

void qn_frames_note(uint32_t site, uint64_t pc, uint64_t at)
{
    if (!site_places)
        site_places = qn_engine_alloc(QN_ARENA_COUNTERS_SIZE / sizeof(uint64_t) * sizeof *site_places);
    site_places[site] = (struct site_place){pc, at};
}

static struct qn_frame_rec *record(uint64_t i) { return (struct qn_frame_rec *)qn_arena_at(QN_ARENA_FRAMES_OFF) + i; }

/* The code that lay there is gone. */
static void forget_frames(uint64_t start, uint64_t end)
{
    __builtin_memset(frames.list, 0, frames.size * sizeof *frames.list);
    frames.n = 0;
    for (uint32_t i = 0; frames.size && i < qn_arena->n_frames; i++)
        if (record(i)->pc - start < end - start)
            record(i)->pc = 0;
        else if (record(i)->pc) /* else it is of code that is gone */
            qn_data_index_add(&frames, record(i)->pc, QN_FRAMES_MAX)->value = i + 1;
}

static __attribute__((noinline, cold)) const struct qn_frame_rec *ask_frame(uint64_t pc)
{
    uint64_t n = qn_arena->n_frames;
    struct qn_frame_rec *r = record(n);

    if (n == QN_FRAMES_MAX)
        return NULL;
    qn_ready_until(&frames_ready, r + 1);
    *r = (struct qn_frame_rec){.pc = pc, .map = qn_arena_map_of(pc)};
    qn_arena->n_frames = n + 1;
    qn_message_ask(QN_MESSAGE_FRAME, (uint32_t)n);
    qn_data_index_add(&frames, pc, QN_FRAMES_MAX)->value = (uint32_t)n + 1;
    return r;
}

/* NULL: nothing is known, or there is no room. */
static const struct qn_frame_rec *frame_at(uint64_t pc)
{
    const struct qn_data_entry *e = qn_data_index_find(&frames, pc);
    const struct qn_frame_rec *r = e && e->value ? record(e->value - 1) : ask_frame(pc);

    return r && r->cfa_from ? r : NULL;
}

static bool load(const struct cursor *c, uint64_t address, uint64_t *word)
{
    return address - c->low < c->end - c->low && c->end - address >= WORD && qn_peek(address, word);
}

static uint64_t slot(const struct cursor *c, unsigned from, int32_t offset)
{
    return (from == QN_FRAME_RSP ? c->sp : from == QN_FRAME_RBP ? c->bp : c->cfa) + (uint64_t)(int64_t)offset;
}

/* false: it cannot be one. */
static bool find_cfa(struct cursor *c, const struct qn_frame_rec *f)
{
    uint64_t cfa = slot(c, f->cfa_from, f->cfa);

    if (f->stored && !load(c, cfa, &cfa))
        return false;
    c->cfa = cfa;
    return cfa > c->sp && cfa <= c->end;
}

static bool go_out(struct cursor *c, const struct qn_frame_rec *f)
{
    uint64_t pc, bp = c->bp;

    if (!f->ret_from || !load(c, slot(c, f->ret_from, f->ret), &pc) || (f->rbp_from && !load(c, slot(c, f->rbp_from, f->rbp), &bp)))
        return false;
    c->pc = f->interrupted ? pc : pc - 1; /* the call, which may be the last instruction of its function */
    c->bp = bp;
    c->sp = c->cfa;
    return true;
}

/* The frame's variable that holds the byte so far from the CFA; QN_NO_OBJECT: none. */
static uint32_t find_variable(const struct qn_frame_rec *f, int64_t at, uint64_t *offset)
{
    const struct qn_frame_variable *v = (const struct qn_frame_variable *)qn_arena_at(QN_ARENA_FRAME_VARIABLES_OFF) + f->first;

    for (uint32_t i = 0; i < f->count; i++, v++)
        if (at >= v->start && at < v->end) {
            *offset = (uint64_t)(at - v->start);
            return v->object;
        }
    return QN_NO_OBJECT;
}

static uint32_t find_frame(uint64_t address, uint32_t site, uint64_t end, uint64_t *offset)
{
    const struct site_place *p = site_places && site_places[site].pc ? &site_places[site] : NULL;
    struct cursor c = {.pc = p ? p->at : qn_ctx.arg_pc, .sp = qn_ctx.guest_sp, .bp = qn_ctx.gpr[QN_RBP], .low = qn_ctx.guest_sp, .end = end};
    const struct qn_frame_rec *f = frame_at(c.pc), *scope = p && p->pc != p->at ? frame_at(p->pc) : f;

    *offset = 0;
    for (unsigned n = 0; n < FOLLOWED_MAX && f && scope && find_cfa(&c, f); n++) {
        int64_t at = (int64_t)(address - c.cfa);
        uint32_t object = find_variable(scope, at, offset);

        if (object != QN_NO_OBJECT || at < 0)
            return object != QN_NO_OBJECT ? object : scope->object;
        if (!go_out(&c, f))
            break;
        scope = f = frame_at(c.pc);
    }
    return 0;
}

/* ---- places ---- */

/* Of what type is it? */
static __attribute__((noinline, cold)) void ask_type(uint32_t object)
{
    struct qn_object *o = qn_data_object(object);

    o->asked = 1;
    qn_rows_forget(0, ~0ull); /* offsets in it may count otherwise now */
    if ((o->kind == QN_OBJECT_SYMBOL || o->kind == QN_OBJECT_HEAP) && (qn_arena_map_rec(o->map)->flags & QN_MAP_TYPES))
        qn_message_ask(QN_MESSAGE_TYPE, object);
}

/* The size of an element, if the place is in an array; otherwise 0. */
uint32_t qn_data_element(const struct qn_data_place *p)
{
    const struct qn_object *o = qn_data_object(p->object);

    if (QN_UNLIKELY(p->size > QN_OFFSET_EXACT && !o->asked))
        ask_type(p->object);
    return o->element && p->size % o->element == 0 ? o->element : 0;
}

/* What lies at addresses where no block is, by page; for as long as nothing is allocated there or unmapped. */
static struct known {
    uint64_t start, end, then; /* then: what the epoch was */
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
                                         *qn_epoch_of(page), start, end, object};
}

/* All of the object is one place, if it has any. */
static struct qn_data_place place_of(uint32_t object)
{
    return (struct qn_data_place){.start = qn_data_object(object)->start, .size = qn_data_object(object)->size, .object = object};
}

static bool is_known(const struct known *k, uint64_t address)
{
    return address - k->start < k->end - k->start && k->then == *qn_epoch_of(address);
}

static struct qn_data_place place_in(const struct known *k)
{
    struct qn_data_place p = place_of(k->object);

    p.epoch = qn_epoch_of(k->start);
    p.from = k->start;
    p.to = k->end;
    p.around_from = k->from;
    p.around_to = k->to;
    return p;
}

static struct qn_data_place place_in_block(const struct qn_live_block *b)
{
    const uint64_t *epoch = b->inner || b->end - b->base <= QN_SMALL_BLOCK ? NULL : &b->epoch;

    return (struct qn_data_place){.start = b->base, .size = b->end - b->base, .object = b->object, .epoch = epoch, .from = b->base, .to = b->end};
}

/* With batches, the stack has changed since the reference, so its frame cannot be found. */
static struct qn_data_place find_on_stack(uint64_t address, uint32_t site, uint64_t end)
{
    uint32_t object;
    uint64_t offset;

    if (QN_UNLIKELY(qn_sim_log_on) || stack_end(qn_ctx.guest_sp) != end)
        return (struct qn_data_place){.object = 0};
    object = find_frame(address, site, end, &offset);
    if (qn_data_object(object)->kind == QN_OBJECT_LOCAL)
        return (struct qn_data_place){.start = address - offset, .size = qn_data_object(object)->size, .object = object};
    return (struct qn_data_place){.object = object};
}

struct qn_data_place qn_data_find_place(uint64_t address, uint32_t site)
{
    const struct known *k = known_at(address);
    const struct qn_small_block *small;
    const struct qn_live_block *b;
    uint64_t start, end;
    uint32_t object;

    follow_stack();
    if ((end = stack_end(address)))
        return find_on_stack(address, site, end);
    if ((small = qn_blocks_recall(address)))
        return (struct qn_data_place){.start = small->base, .size = small->size, .object = small->object};
    if (is_known(k, address))
        return place_in(k);
    if ((b = qn_blocks_find(address)))
        return place_in_block(b);
    object = find_symbol(address);
    if (object != QN_NO_OBJECT) {
        start = qn_data_object(object)->start;
        end = start + qn_data_object(object)->size;
    } else {
        object = find_mapping(address, &start, &end);
        clip_range(address, &start, &end);
    }
    keep(address, start, end, object);
    return is_known(k, address) ? place_in(k) : place_of(object);
}

uint32_t qn_data_find(uint64_t address, uint64_t *offset)
{
    struct qn_data_place p = {.object = 0};

    if (!stack_end(address))
        p = qn_data_find_place(address, 0);
    *offset = p.start ? address - p.start : 0;
    return p.object;
}

void qn_data_unmapped(uint64_t start, uint64_t end)
{
    if (!qn_arena->n_objects)
        return;
    qn_drain_logs();
    qn_blocks_remove_range(start, end);
    qn_epochs_change_all();
    qn_tree_forget(&symbols, start, end);
    qn_tree_forget(&segments, start, end);
    qn_tree_forget(&mappings, start, end);
    for (uint32_t i = 0; i < STACKS_MAX; i++)
        if (stacks[i].start < end && stacks[i].end > start)
            stacks[i].start = stacks[i].end = 0;
    qn_stack_in_use.size = 0;
    if (qn_exec_overlaps(start, end))
        forget_frames(start, end);
}
