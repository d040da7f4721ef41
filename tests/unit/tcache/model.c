/* The code cache beside a model of it: blocks drawn at random are made, linked, entered indirectly, invalidated and evicted; after each step
 * what the cache answers, and the bytes that it patched, are what the model says.
 *
 *   model [STEPS [SEED]]
 *
 * The model is a list of all blocks that were ever made, in order.  It knows nothing of hash chains, lists of links or segments. */
#define QN_SIZES_H /* tables so small that all of them are full most of the time */
#define QN_SEGMENTS 3
#define QN_TBLOCKS_MAX 40u
#define QN_TBLOCK_BUCKETS 5u
#define QN_IBL_MOST 0u
#include "tcache/tcache.c"

#include <sys/mman.h>

#include "tap.h"

#define CACHE_BYTES (QN_SEGMENTS * 2ull * QN_PAGE)
#define MOST_MADE 200000u
#define STUB 0x60000010u
#define SCOPES 2u

struct made {
    uint64_t pc;
    unsigned mode;
    uint32_t index, hot, cold, hot_end, cold_end; /* its place in the cache, its bytes */
    uint32_t linked[2], entry[2];                 /* exits: block made n-th and where it is entered, QN_NO_BLOCK = not linked */
    bool live, evicted;
};

static struct made *made;
static uint32_t n_made, first_live; /* all before first_live are gone */
static uint64_t *tables[SCOPES];
static uint32_t shuffled[QN_TBLOCKS_MAX * 2]; /* where an exit with a shuffle leads, 0 = none */

void *qn_engine_alloc(uint64_t bytes)
{
    void *p = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

    if (p == MAP_FAILED)
        bail("no memory");
    return p;
}

_Noreturn void qn_engine_die(const char *what, uint64_t a, uint64_t b)
{
    bail("the cache ended the engine: %s (%lx, %lx)", what, (unsigned long)a, (unsigned long)b);
    abort();
}

static uint64_t random_state;

static uint32_t below(uint32_t n)
{
    random_state = random_state * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)((random_state >> 33) % n);
}

/* ---- shuffles ---- */

static uint32_t id_of(const struct qn_tblock *from, unsigned exit) { return (uint32_t)(from - blocks) * 2 + exit; }

static void build_shuffle(const struct qn_tblock *from, unsigned exit, const struct qn_tblock *to, uint32_t entry)
{
    (void)to;
    shuffled[id_of(from, exit)] = entry;
}

static void restore_exit(struct qn_tblock *from, unsigned exit, uint32_t id)
{
    (void)from, (void)exit;
    shuffled[id] = 0;
}

static const struct qn_tcache_shuffles test_shuffles = {build_shuffle, restore_exit};

/* ---- what the model does ---- */

static struct made *find(uint64_t pc, unsigned mode)
{
    for (uint32_t i = first_live; i < n_made; i++)
        if (made[i].live && made[i].pc == pc && made[i].mode == mode)
            return &made[i];
    return NULL;
}

static void forget(struct made *m)
{
    uint32_t number = (uint32_t)(m - made);

    m->live = false;
    for (uint32_t i = first_live; i < n_made; i++)
        for (unsigned e = 0; e < 2; e++)
            if (made[i].linked[e] == number)
                made[i].linked[e] = QN_NO_BLOCK;
    m->linked[0] = m->linked[1] = QN_NO_BLOCK;
}

/* A block is evicted with all of its segment: the oldest are, and nothing else. */
static bool note_evictions(void)
{
    uint32_t last = first_live;

    for (uint32_t i = first_live; i < n_made; i++)
        if (made[i].live && !blocks[made[i].index].live)
            last = i + 1;
    for (uint32_t i = first_live; i < last; i++) {
        if (made[i].live && blocks[made[i].index].live)
            return false;
        if (made[i].live)
            forget(&made[i]);
        made[i].evicted = true;
    }
    first_live = last;
    return true;
}

/* Programs have some code pages; addresses collide in the tables of indirect branches, in the low and in the next bits. */
static uint64_t any_pc(void)
{
    static const uint64_t bases[] = {0x401000, 0x411000, 0x7f0000401000, 0xffffffffff600000, 0};

    return bases[below(5)] + below(8) * 0x10 + (below(4) ? 0 : 0x1000000);
}

static unsigned any_mode(void) { return QN_MODE(below(SCOPES), below(4) ? 0 : QN_VARIANT_EXACT); }

static bool make_block(void)
{
    uint32_t hot = 64 + below(700), cold = 64 + below(500);
    struct qn_code hot_code, cold_code;
    struct qn_side side[3] = {{0, 0, 255}, {5, 1, 255}, {9, 2, (uint8_t)below(16)}};
    struct made m = {.pc = any_pc(), .mode = any_mode(), .linked = {QN_NO_BLOCK, QN_NO_BLOCK}, .live = true};
    struct qn_tblock b = {.pc = m.pc, .mode = (uint16_t)m.mode, .nbytes = (uint16_t)(1 + below(40)), .ninsns = 3, .nexits = 2};

    if (n_made == MOST_MADE || find(m.pc, m.mode))
        return true;
    qn_tcache_begin(hot, cold, &hot_code, &cold_code);
    m.hot = (uint32_t)hot_code.exec, m.cold = (uint32_t)cold_code.exec;
    m.hot_end = m.hot + hot - below(20), m.cold_end = m.cold + cold - below(20);
    b.hot = m.hot, b.cold = m.cold, b.end = (uint16_t)(m.hot_end - m.hot), b.cold_end = (uint16_t)(m.cold_end - m.cold);
    b.s1 = (uint8_t)below(2), b.now = below(2) ? 9 : QN_NO_REG;
    b.entry2 = 8, b.entry3 = below(2) ? 16 : 0, b.line_bits = 6, b.ind_entry = 2, b.ind_cold = below(2);
    for (unsigned e = 0; e < 2; e++)
        b.exit[e] = (struct qn_texit){.field = (uint16_t)(20 + 8 * e), .at = m.cold + 30 + 10 * e};
    if (!note_evictions())
        return false;
    m.index = qn_tcache_next_index();
    memset(hot_code.p, 0xcc, hot);
    for (unsigned e = 0; e < 2; e++)
        patch_rel32(m.hot + b.exit[e].field, b.exit[e].at);
    made[n_made++] = m;
    return qn_tcache_commit(&b, side, m.hot_end, m.cold_end) == m.index && !memcmp(qn_tcache_side(m.index), side, sizeof side);
}

static struct made *any_live(void)
{
    for (unsigned tries = 0; tries < 20 && first_live < n_made; tries++) {
        struct made *m = &made[first_live + below(n_made - first_live)];

        if (m->live)
            return m;
    }
    return NULL;
}

/* A link enters behind the check of the first line if the block that it comes from ended in that line. */
static uint32_t entered_at(const struct made *from, const struct made *to)
{
    const struct qn_tblock *a = &blocks[from->index], *b = &blocks[to->index];
    bool same_line = (from->pc + a->nbytes - 1) / 64 == to->pc / 64;

    return to->hot + (b->entry3 && same_line ? 16u : 8u);
}

static void link_blocks(void)
{
    struct made *from = any_live(), *to = any_live();
    unsigned e = below(2);

    if (!from)
        return;
    qn_tcache_link(from->index * 2 + e, to->index);
    if (from->linked[e] != QN_NO_BLOCK || QN_VARIANT(to->mode) || QN_SCOPE(from->mode) != to->mode)
        return;
    from->linked[e] = (uint32_t)(to - made);
    from->entry[e] = entered_at(from, to);
}

static void unlink_block(void)
{
    struct made *m = any_live();

    if (!m)
        return;
    qn_tcache_unlink_block(m->index);
    m->linked[0] = m->linked[1] = QN_NO_BLOCK;
}

/* A variant stays out of the tables; any other block is found there from now on. */
static bool enter_indirectly(void)
{
    struct made *m = any_live();
    uint32_t entry;

    if (!m)
        return true;
    entry = qn_tblock_ind_entry(&blocks[m->index]);
    qn_tcache_ibl_set(m->index);
    if (QN_VARIANT(m->mode))
        return true;
    return tables[m->mode][m->pc % QN_IBL_ENTRIES] == entry &&
           (m->mode || tables[0][QN_IBL_ENTRIES + (m->pc >> 8) % QN_IBL_ENTRIES] == 0 - m->pc);
}

static void invalidate(void)
{
    uint64_t start = any_pc() + below(30), end = start + 1 + below(40);

    qn_tcache_invalidate(start, end);
    for (uint32_t i = first_live; i < n_made; i++)
        if (made[i].live && made[i].pc < end && made[i].pc + blocks[made[i].index].nbytes > start)
            forget(&made[i]);
}

static void flush(void)
{
    qn_tcache_flush();
    for (uint32_t i = first_live; i < n_made; i++)
        if (made[i].live)
            forget(&made[i]);
    first_live = n_made;
}

/* ---- what is compared ---- */

static uint32_t jumps_to(uint32_t field)
{
    int32_t rel;

    memcpy(&rel, qn_code_at(field), sizeof rel);
    return field + 4 + (uint32_t)rel;
}

static bool exit_is_right(const struct made *m, unsigned e)
{
    const struct qn_tblock *b = &blocks[m->index];
    uint32_t leads = jumps_to(b->hot + b->exit[e].field), shuffle = shuffled[m->index * 2 + e];
    const struct qn_tblock *to = m->linked[e] == QN_NO_BLOCK ? NULL : &blocks[made[m->linked[e]].index];

    if (!to)
        return leads == b->exit[e].at && !shuffle && b->exit[e].to == QN_NO_BLOCK;
    if (b->exit[e].to != made[m->linked[e]].index)
        return false;
    return b->s1 == to->s1 && b->now == to->now ? leads == m->entry[e] && !shuffle : leads == b->exit[e].at && shuffle == m->entry[e];
}

static bool block_is_right(const struct made *m)
{
    uint32_t index = qn_tcache_find(m->pc, m->mode);

    return index == m->index && blocks[index].live && exit_is_right(m, 0) && exit_is_right(m, 1) && qn_tcache_at(m->hot) == index &&
           qn_tcache_at(m->hot_end - 1) == index && qn_tcache_at(m->cold) == index && qn_tcache_at(m->cold_end - 1) == index &&
           (m->hot_end == segments[blocks[index].segment].hot || qn_tcache_at(m->hot_end) != index);
}

/* A word of a table of indirect branches is the stub, or enters a live block of this scope that was not translated as a variant. */
static bool enters_live(uint32_t entry, unsigned scope, uint64_t word)
{
    for (uint32_t i = first_live; i < n_made; i++)
        if (made[i].live && made[i].mode == scope && made[i].pc % QN_IBL_ENTRIES == word &&
            qn_tblock_ind_entry(&blocks[made[i].index]) == entry)
            return true;
    return false;
}

static bool second_is_right(const uint64_t *table, unsigned scope, uint64_t place)
{
    uint64_t key = table[QN_IBL_ENTRIES + place];

    if (key == (place == 0))
        return true; /* unused */
    return (-key >> 8) % QN_IBL_ENTRIES == place && find(-key, scope) &&
           table[2 * QN_IBL_ENTRIES + place] == qn_tblock_ind_entry(&blocks[find(-key, scope)->index]);
}

static bool tables_are_right(void)
{
    for (unsigned scope = 0; scope < SCOPES; scope++)
        for (uint64_t i = 0; i < QN_IBL_ENTRIES; i++)
            if ((tables[scope][i] != STUB && !enters_live((uint32_t)tables[scope][i], scope, i)) ||
                (scope == 0 && !second_is_right(tables[scope], scope, i)))
                return false;
    return true;
}

/* Nothing is found where a block was that has been forgotten, unless another one lies there. */
static bool place_is_right(const struct made *m)
{
    uint32_t index = qn_tcache_at(m->hot);

    return index == QN_NO_BLOCK || blocks[index].live;
}

static bool cache_is_right(void)
{
    for (uint32_t i = first_live; i < n_made; i++)
        if (made[i].live ? !block_is_right(&made[i]) : !place_is_right(&made[i]))
            return false;
    for (unsigned i = 0; i < 10; i++) {
        uint64_t pc = any_pc();
        unsigned mode = any_mode();

        if (!find(pc, mode) && qn_tcache_find(pc, mode) != QN_NO_BLOCK)
            return false;
    }
    return true;
}

static bool step(void)
{
    switch (below(64)) {
    case 0: return invalidate(), true;
    case 1: return below(50) ? true : (flush(), true);
    case 2 ... 7: return unlink_block(), true;
    case 8 ... 15: return enter_indirectly();
    case 16 ... 39: return link_blocks(), true;
    default: return make_block();
    }
}

static void begin(void)
{
    void *code = mmap((void *)QN_CODE_BASE, QN_CODE_FIXED + CACHE_BYTES, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);

    if (code != (void *)QN_CODE_BASE)
        bail("the place of the code cache is taken");
    qn_tcache_init(CACHE_BYTES, &test_shuffles);
    for (unsigned scope = 0; scope < SCOPES; scope++) {
        tables[scope] = qn_engine_alloc(QN_IBL_WORDS * sizeof *tables[scope]);
        qn_tcache_add_scope(scope, tables[scope], scope == 0, STUB);
    }
}

int main(int argc, char **argv)
{
    long steps = argc > 1 ? atol(argv[1]) : 30000, at;

    random_state = argc > 2 ? strtoull(argv[2], NULL, 10) : 1;
    made = calloc(MOST_MADE, sizeof *made);
    begin();
    for (at = 0; at < steps; at++)
        if (!step() || !cache_is_right() || (at % 500 == 0 && !tables_are_right()))
            break;
    is_int(at, steps, "every step left the cache as the model has it");
    ok(tables_are_right(), "the tables of indirect branches enter live blocks only");
    ok(qn_tcache_stats.evictions > 100 && qn_tcache_stats.links > 1000 && qn_tcache_stats.unlinks > 1000 &&
           qn_tcache_stats.full_links < qn_tcache_stats.links && qn_tcache_stats.line_links > 10,
       "there were evictions, links with and without a shuffle, and such behind the check of a line");
    flush();
    ok(tables_are_right() && cache_is_right(), "nothing is left after a flush");
    for (unsigned scope = 0; scope < SCOPES; scope++)
        for (uint64_t i = 0; i < QN_IBL_ENTRIES; i++)
            if (tables[scope][i] != STUB)
                return ok(false, "a word of an empty table is not the stub"), done_testing();
    ok(true, "all words of the tables are the stub then");
    free(made);
    return done_testing();
}
