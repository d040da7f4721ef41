/* lib/run/core/translate.c - one block from guest bytes to the code cache: decode, events, cost centre, emit. */
#include "base/hash.h"
#include "block/block.h"
#include "emit/emit.h"
#include "event/event.h"
#include "guest/exec_map.h"
#include "run/core/core.h"
#include "run/run.h"
#include "sim/contract.h"
#include "tcache/tcache.h"

/* All blocks translated so far, by their records in the arena: a block that is translated again after its eviction finds its old cost
 * centre.  The same bytes at the same address from another file are another block. */
#define RECORDS_MAX (QN_ARENA_BLOCKS_SIZE / sizeof(struct qn_block_rec))

static uint32_t *known_hash; /* of the bytes; by record */
static uint32_t *known_next; /* the next one in the bucket: record + 1, 0 = none */
static uint32_t known_head[QN_KNOWN_BUCKETS];

/* By block of the code cache: a hash of its bytes, if they may change unnoticed. */
static uint64_t *volatile_hash;

static struct qn_block block;
static struct qn_event_list events;

/* May the time stamp counter be read?  The program before execve may have disabled it. */
static bool has_clock(void)
{
    enum { PR_GET_TSC_ = 25, PR_TSC_ENABLE_ = 1 };
    uint32_t mode = 0;

    return qn_sys2(__NR_prctl, PR_GET_TSC_, (long)&mode) == 0 && mode == PR_TSC_ENABLE_;
}

/* The time stamp counter for --stats; otherwise 0. */
static inline uint64_t ticks(void)
{
    uint32_t low, high;

    if (QN_LIKELY(!qn_cfg()->stats) || !qn_self->has_clock)
        return 0;
    __asm__ volatile("rdtsc" : "=a"(low), "=d"(high));
    return (uint64_t)high << 32 | low;
}

/* The code cache: private memory, writable and executable at one address.  Private memory can use huge pages, which a large program needs:
 * cc1 runs 24 MB of translated code, and the processor's TLB covers only 8 MB with small pages.  A forked child gets a copy of its own,
 * which the kernel makes page by page. */
static void map_code_cache(void)
{
    enum { PRIVATE_ANONYMOUS_FIXED = 0x2 | 0x20 | 0x100000, READ_WRITE_EXECUTE = 7, ADVISE_HUGEPAGE = 14 };
    long at = qn_sys6(__NR_mmap, QN_CODE_BASE, QN_CODE_MAX, READ_WRITE_EXECUTE, PRIVATE_ANONYMOUS_FIXED, -1, 0);

    if (at != (long)QN_CODE_BASE)
        qn_die_fatal(QN_FATAL_RESOURCE, 0, "cannot make the code cache");
    qn_sys3(__NR_madvise, at, QN_CODE_MAX, ADVISE_HUGEPAGE); /* may fail without harm */
}

void qn_translate_init(void)
{
    map_code_cache();
    known_hash = qn_engine_alloc(RECORDS_MAX * sizeof *known_hash);
    known_next = qn_engine_alloc(RECORDS_MAX * sizeof *known_next);
    volatile_hash = qn_engine_alloc(QN_TBLOCKS_MAX * sizeof *volatile_hash);
    qn_self->has_clock = qn_cfg()->stats && has_clock();
}

static uint64_t code_hash(uint64_t pc, uint64_t n) { return qn_hash_bytes(QN_HASH_NONE, (const void *)(uintptr_t)pc, n); }

/* Instructions of the same lengths and kinds have the same counters. */
static bool same_shape(const struct qn_block_rec *rec)
{
    for (unsigned i = 0; i < block.n; i++)
        if (qn_arena_descs(rec)[i] != events.desc[i])
            return false;
    return true;
}

static uint32_t region_of(unsigned scope)
{
    return scope == QN_SCOPE_BATCH ? 0 : scope == QN_SCOPE_ASIDE ? QN_REGION_ASIDE : scope - QN_SCOPE_ON;
}

/* Index of the record + 1, 0 = there is none. */
static uint32_t find_known(uint64_t hash, uint32_t bucket, unsigned scope)
{
    uint32_t map = qn_arena_map_of(block.pc), i = known_head[bucket];

    for (; i; i = known_next[i - 1]) {
        const struct qn_block_rec *rec = qn_arena_block(i - 1);

        if (rec->pc == block.pc && known_hash[i - 1] == (uint32_t)hash && rec->ninsns == block.n && rec->region == region_of(scope) &&
            rec->map == map && same_shape(rec))
            break;
    }
    return i;
}

/* The cost centre of the block: its old one, or a new one in the arena. */
static struct qn_cost_place cost_centre(unsigned scope)
{
    uint64_t hash = code_hash(block.pc, block.next - block.pc);
    uint32_t bucket = qn_bucket_of(block.pc, QN_KNOWN_BUCKETS);
    uint32_t known = find_known(hash, bucket, scope);
    struct qn_cost_place place;

    if (known) {
        qn_arena->stats.retranslations++;
        return (struct qn_cost_place){known - 1, qn_arena_block(known - 1)->counter, qn_arena_block(known - 1)->misses - 1};
    }
    place = qn_arena_add_block(block.pc, block.n, events.desc, events.ncounters, region_of(scope));
    known_hash[place.record] = (uint32_t)hash;
    known_next[place.record] = known_head[bucket];
    known_head[bucket] = place.record + 1;
    return place;
}

static bool traced(uint64_t number)
{
    return qn_cfg()->trace && number >= qn_cfg()->trace_first && number <= qn_cfg()->trace_last;
}

static void trace_block(void)
{
    if (qn_cfg()->trace & (QN_TRACE_BLOCK | QN_TRACE_DECODE))
        qn_block_dump(&block, qn_trace_line);
    if (qn_cfg()->trace & QN_TRACE_EVENT)
        qn_event_dump(&events, &block, qn_trace_line);
}

void qn_translate_save_traffic(void)
{
    struct qn_stats *s = &qn_arena->stats;

    s->d1_slow = qn_sim_traffic.data;
    s->i1_slow = qn_sim_traffic.fetches;
    s->bc_calls = qn_sim_traffic.cond;
    s->bi_calls = qn_sim_traffic.indirect;
}

static void update_stats(uint64_t since)
{
    struct qn_stats *s = &qn_arena->stats;

    qn_translate_save_traffic();
    s->blocks++;
    s->insns += block.n;
    s->guest_bytes += block.next - block.pc;
    s->host_bytes = qn_tcache_stats.hot_bytes;
    s->cold_bytes = qn_tcache_stats.cold_bytes;
    s->evictions = qn_tcache_stats.evictions;
    s->links = qn_tcache_stats.links;
    s->full_links = qn_tcache_stats.full_links;
    s->line_links = qn_tcache_stats.line_links;
    s->unlinks = qn_tcache_stats.unlinks;
    s->events_d = qn_emit_stats.data;
    s->events_i = qn_emit_stats.fetch;
    s->flag_saves = qn_emit_stats.flag_saves;
    s->hoisted = qn_emit_stats.hoisted;
    s->table_bytes = qn_tcache_table_bytes() + qn_arena->n_blocks * (sizeof *known_hash + sizeof *known_next) + qn_sim_line_bytes();
    s->fixed_bytes = qn_tcache_fixed_bytes() + sizeof known_head + qn_sim_line_fixed_bytes();
    s->translate_tsc += ticks() - since;
}

/* The largest number of instructions of a block.  A variant below the named ones limits it (interval.c). */
static unsigned block_max(unsigned mode)
{
    uint32_t max = qn_cfg()->block_max;

    if (QN_VARIANT(mode) == QN_VARIANT_TRAPS)
        return 1;
    if (QN_VARIANT(mode) && QN_VARIANT(mode) < QN_VARIANT_TRAPS)
        return QN_VARIANT(mode);
    return max && max < QN_TRANSLATED_MAX ? max : QN_TRANSLATED_MAX;
}

/* Are all flags treated as live?  Yes if a signal handler may read them, and for code that runs step by step, because it is translated often
 * and executed rarely, so liveness would cost more than it saves. */
static bool keeps_flags(unsigned mode)
{
    return qn_precise_always() || QN_VARIANT(mode) == QN_VARIANT_EXACT || QN_VARIANT(mode) == QN_VARIANT_STEPS;
}

/* The cost centre of n instructions that are counted one by one (run/observe/insns.c). */
struct qn_cost_place qn_translate_centre(uint64_t pc, unsigned n, unsigned scope)
{
    const struct qn_event_rules *rules = &qn_mode_rules(scope)->event;
    const struct qn_block_rules shape = {.max = n, .count_requests = rules->cachegrind};

    qn_block_build(&block, pc, &shape);
    qn_event_collect(&events, &block, rules);
    return cost_centre(scope);
}

/* How far liveness looks.  A countdown at which flags are live is expensive; code that does not count needs no liveness. */
static enum qn_look wanted_look(const struct qn_emit_rules *rules)
{
    return block.anchor ? QN_LOOK_AT_TARGET : rules->counts ? QN_LOOK_ONE_WAY : QN_LOOK_NOWHERE;
}

uint32_t qn_translate(uint64_t pc, unsigned mode)
{
    const struct qn_config *c = qn_cfg();
    const struct qn_mode_rules *rules = qn_mode_rules(mode);
    const struct qn_block_rules shape = {block_max(mode), rules->event.caches ? QN_BORROWED + rules->emit.batch : 0, rules->emit.countdown && !rules->emit.turns,
                                         rules->event.cachegrind, keeps_flags(mode), *qn_slices ? qn_slices_begin : NULL, qn_ctx.gpr[QN_RSP]};
    uint64_t since = ticks(), number = qn_arena->stats.blocks;
    struct qn_cost_place place = {0};
    uint32_t index;

    if (!qn_exec_find(pc))
        return QN_NO_BLOCK;
    QN_TELL(code, pc);
    qn_emit_set_rules(&rules->emit);
    qn_truncated_reading(true);
    qn_block_build(&block, pc, &shape);
    if (QN_ASK(enters, pc, mode)) {
        block.n = 0;
        block.next = pc;
        block.end = QN_END_ENTER;
    }
    if (rules->emit.observes && !qn_emit_can_observe(&block)) {
        block.n = 0;
        block.next = pc;
        block.end = QN_END_OBSERVE;
    }
    QN_TELL(marks, &block, &rules->emit);
    qn_block_liveness(&block, wanted_look(&rules->emit));
    qn_truncated_reading(false);
    events.n = 0;
    if ((rules->emit.counts || rules->emit.steps) && block.n) {
        qn_event_collect(&events, &block, &qn_mode_rules(QN_SCOPE(mode))->event);
        place = cost_centre(QN_SCOPE(mode));
        if (rules->emit.sums) /* calls are those of the block where it counts */
            QN_TELL(counted, &block, rules->emit.aside ? cost_centre(QN_SCOPE_ON).record : place.record, events.desc);
    }
    if (rules->emit.steps) /* observed instructions are counted by insns.c */
        events.n = 0;
    if (traced(number))
        trace_block();
    index = qn_emit_block(&block, &events, place.counter, place.centre, place.record, mode);
    if (block.volatile_code)
        volatile_hash[index] = code_hash(block.pc, block.next - block.pc);
    if (traced(number) && (c->trace & QN_TRACE_EMIT)) {
        qn_trace_emit(index);
        qn_emit_diagnose(&block, &events, qn_trace_line);
    }
    update_stats(since);
    return index;
}

/* Is the block's code still what was translated? */
QN_NCSR void qn_run_verify(void)
{
    uint32_t index = (uint32_t)qn_ctx.arg_aux;
    const struct qn_tblock *b = qn_tcache_block(index);

    qn_ctx.result = code_hash(b->pc, b->nbytes) != volatile_hash[index];
}
