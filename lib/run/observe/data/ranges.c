/* lib/run/observe/data/ranges.c - the object at an address outside of allocated blocks: a variable, the rest of an ELF file, or a mapping.
 *
 *   from the collector   ->  symbols 404040..404440 (object 5), segments 404000..405000 (object 4)
 *   the kernel           ->  7ffff7c00000..7ffff7d00000 /data/file (object 9), asked when an address is in no known range
 *
 * A range is removed when it is unmapped or replaced by another mapping.
 */
#include "base/format.h"
#include "base/hash.h"
#include "base/tree.h"
#include "run/kernel/kernel.h"
#include "run/observe/data/blocks.h"
#include "run/observe/data/data.h"
#include "run/run.h"

static struct qn_tree symbols = {.alloc = qn_engine_alloc}, segments = {.alloc = qn_engine_alloc}, mappings = {.alloc = qn_engine_alloc}; /* value: the object */
static struct qn_tree mapped = {.alloc = qn_engine_alloc}; /* objects of mappings, also of those that are gone, by mapping_key */
static uint64_t taken;       /* objects of the arena that were looked at */

/* What the dynamic linker has mapped for the file is no block of its. */
void qn_ranges_learn(void)
{
    qn_stamps_change_all();
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

uint32_t qn_ranges_find_symbol(uint64_t address)
{
    const struct qn_tree_node *r = qn_tree_find(&symbols, address);

    return r ? r->value : QN_NO_OBJECT;
}

void qn_ranges_clip(uint64_t address, uint64_t *start, uint64_t *end)
{
    const struct qn_tree_node *before = qn_tree_last(&symbols, address), *next = qn_tree_next(&symbols, address);

    if (before && before->end > *start)
        *start = before->end;
    if (next && next->start < *end)
        *end = next->start;
}

/* ---- mappings ---- */

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

uint32_t qn_ranges_find_mapping(uint64_t address, uint64_t *start, uint64_t *end)
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

void qn_ranges_forget(uint64_t start, uint64_t end)
{
    qn_stamps_change_all();
    qn_tree_forget(&symbols, start, end);
    qn_tree_forget(&segments, start, end);
    qn_tree_forget(&mappings, start, end);
}
