/* lib/lab/models/model_tlb.c - see models.h.
 *
 * Buffers are sets of page numbers in order of use (model_levels.c); a page's number is what its set is chosen by.
 */
#include "lab/models/models.h"

#define TABLES (1ull << 60)
#define TABLE_BITS 44u
#define ENTRY_BYTES 8u

uint64_t qn_lab_table_entry(unsigned level, uint64_t addr)
{
    return TABLES + ((uint64_t)level << TABLE_BITS) + ENTRY_BYTES * (addr >> (QN_LAB_PAGE_BITS + QN_LAB_INDEX_BITS * level));
}

struct qn_lab_tlb qn_lab_new_tlb(enum qn_lab_tlb_kind kind, const struct qn_lab_variant *rules, unsigned sets, unsigned ways, unsigned extra)
{
    bool leveled = kind == QN_LAB_TLB_LEVELED;

    return (struct qn_lab_tlb){ .kind = kind, .rules = rules, .first = qn_lab_new_level(sets, ways),
                                .second = leveled ? qn_lab_new_level(4 * sets, 2 * ways) : NULL,
                                .walks = leveled ? qn_lab_new_level(1, extra) : NULL,
                                .huge = kind == QN_LAB_TLB_SIZES ? qn_lab_new_level(1, extra) : NULL };
}

void qn_lab_free_tlb(struct qn_lab_tlb *t)
{
    qn_lab_free_level(t->first);
    if (t->second)
        qn_lab_free_level(t->second);
    if (t->walks)
        qn_lab_free_level(t->walks);
    if (t->huge)
        qn_lab_free_level(t->huge);
}

uint64_t qn_lab_page_number(const struct qn_lab_tlb *t, uint64_t addr)
{
    uint64_t n = addr >> QN_LAB_PAGE_BITS;
    unsigned shift = t->rules->value[QN_LAB_TLB_SHIFT];

    return shift ? n ^ n >> shift : n;
}

/* Reads the entries from the root, or from the level below `from`, down to level `to`. */
static void walk(struct qn_lab_tlb *t, uint64_t addr, unsigned from, unsigned to)
{
    for (unsigned level = from; level-- > to;)
        t->read[t->reads++] = qn_lab_table_entry(level, addr);
}

static void walk_by_cache(struct qn_lab_tlb *t, uint64_t addr)
{
    unsigned cached = t->rules->value[QN_LAB_TLB_CACHED], levels = t->rules->value[QN_LAB_TLB_LEVELS];
    uint64_t out;

    walk(t, addr, qn_lab_use_line(t->walks, qn_lab_table_entry(cached, addr), &out) ? cached : levels, 0);
}

bool qn_lab_translate(struct qn_lab_tlb *t, uint64_t addr)
{
    uint64_t page = qn_lab_page_number(t, addr), out, lost;
    unsigned levels = t->rules->value[QN_LAB_TLB_LEVELS], huge = t->rules->value[QN_LAB_TLB_HUGE];

    t->reads = 0;
    if (t->huge && addr >= QN_LAB_HUGE_FROM) {
        if (qn_lab_use_line(t->huge, qn_lab_table_entry(huge, addr), &out))
            return false;
        walk(t, addr, levels, huge);
        return true;
    }
    if (qn_lab_use_line(t->first, page, &out))
        return false;
    if (!t->second) {
        walk(t, addr, levels, 0);
    } else if (t->rules->value[QN_LAB_TLB_SECOND]) {
        if (!qn_lab_drop_line(t->second, page))
            walk_by_cache(t, addr);
        if (out != QN_LAB_NO_LINE)
            qn_lab_use_line(t->second, out, &lost);
    } else if (!qn_lab_use_line(t->second, page, &out)) {
        walk_by_cache(t, addr);
    }
    return true;
}
