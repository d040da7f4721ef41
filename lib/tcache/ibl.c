/* lib/tcache/ibl.c - where indirect branches look for the translation of their target: a table for each scope, see qn_tcache_add_scope.
 *
 *   jmp *%rax, to 401136    ->   word 0x1136 of the table: the entry of a block, which looks whether it is at 401136
 */
#include "tcache/ibl.h"

#include "base/ready.h"
#include "tcache/tcache.h"

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

uint64_t *qn_tcache_ibl_table(unsigned space) { return scopes[QN_SCOPE(space)].table; }

static uint64_t second_index(uint64_t pc) { return QN_IBL_ENTRIES + (pc >> 8) % QN_IBL_ENTRIES; }

void qn_tcache_ibl_clear(uint32_t index)
{
    const struct qn_tblock *b = qn_tcache_block(index);
    const struct scope *h = &scopes[QN_SCOPE(b->space)];

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
        qn_tcache_ibl_clear(~last[next]);
    last[next] = ~index;
    next = (next + 1) % (QN_IBL_MOST + !QN_IBL_MOST);
}

void qn_tcache_ibl_set(uint32_t index)
{
    const struct qn_tblock *b = qn_tcache_block(index);
    const struct scope *h = &scopes[QN_SCOPE(b->space)];

    if (b->space != QN_SCOPE(b->space))
        return;
    if (QN_IBL_MOST)
        make_room(index);
    h->table[b->pc % QN_IBL_ENTRIES] = qn_tblock_ind_entry(b);
    if (!h->second)
        return;
    h->table[second_index(b->pc)] = 0 - b->pc;
    h->table[second_index(b->pc) + QN_IBL_ENTRIES] = qn_tblock_ind_entry(b);
}

uint64_t qn_tcache_ibl_bytes(void) { return sizeof scopes + (uint64_t)nscopes * QN_IBL_ENTRIES * sizeof *scopes->table; }
