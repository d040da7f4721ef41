/* lib/run/translate.c - one block from guest bytes to the code cache: decode, events, cost centre, emit. */
#include "block/block.h"
#include "emit/emit.h"
#include "event/event.h"
#include "guest/exec_map.h"
#include "run/points.h"
#include "run/run.h"
#include "run/space.h"
#include "tcache/tcache.h"

#define COST_BITS 18

/* Cost centres of blocks translated before: a block made anew after eviction finds its own.  The same bytes at the same
 * place out of another file are another block. */
struct known {
    uint64_t pc;
    struct qn_cost_place place;
    uint32_t next, ninsns;
    uint64_t bytes_hash;
    unsigned home;
};
#define KNOWN_MAX (1u << 22)

static struct known *known;
static uint32_t known_count, known_head[1u << COST_BITS]; /* index + 1 */
static struct qn_block block;
static struct qn_event_list events;

static inline uint64_t ticks(void)
{
    uint32_t low, high;

    __asm__ volatile("rdtsc" : "=a"(low), "=d"(high));
    return (uint64_t)high << 32 | low;
}

void qn_translate_init(void) { known = qn_engine_alloc((uint64_t)KNOWN_MAX * sizeof *known); }

uint64_t qn_code_hash(uint64_t pc, uint64_t n)
{
    const uint8_t *p = (const uint8_t *)(uintptr_t)pc;
    uint64_t h = 0xcbf29ce484222325ull; /* FNV-1a */

    for (uint64_t i = 0; i < n; i++)
        h = (h ^ p[i]) * 0x100000001b3ull;
    return h | 1;
}

static struct known *find_known(uint64_t hash, uint32_t bucket, unsigned home)
{
    uint32_t map = qn_arena_map_of(block.pc);

    for (uint32_t i = known_head[bucket]; i; i = known[i - 1].next)
        if (known[i - 1].pc == block.pc && known[i - 1].bytes_hash == hash && known[i - 1].ninsns == block.n &&
            known[i - 1].home == home && qn_arena_block(known[i - 1].place.record)->map == map)
            return &known[i - 1];
    return NULL;
}

/* The cost centre of the block: its old one, or a new one in the arena. */
static struct qn_cost_place cost_centre(unsigned home)
{
    uint64_t hash = qn_code_hash(block.pc, block.next - block.pc);
    uint32_t bucket = (uint32_t)((block.pc * 0x9e3779b97f4a7c15ull) >> (64 - COST_BITS));
    struct known *k = find_known(hash, bucket, home);
    struct qn_cost_place place;

    if (k) {
        qn_arena->stats.retranslations++;
        return k->place;
    }
    place = qn_arena_add_block(block.pc, block.n, events.desc, events.ncounters, home - QN_HOME_ON);
    if (known_count == KNOWN_MAX)
        return place;
    known[known_count] = (struct known){block.pc, place, known_head[bucket], block.n, hash, home};
    known_head[bucket] = ++known_count;
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

static void update_stats(uint64_t since)
{
    struct qn_stats *s = &qn_arena->stats;

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
    s->translate_tsc += ticks() - since;
}

/* A variant of a space is code that is cut after so many instructions (interval.c). */
static unsigned block_max(unsigned space)
{
    uint32_t max = qn_cfg()->block_max;

    if (QN_VARIANT(space) && QN_VARIANT(space) != QN_VARIANT_INSIDE)
        return QN_VARIANT(space);
    return max && max < QN_BLOCK_MAX ? max : QN_BLOCK_MAX;
}

/* The entry of a function that is to be counted, seen from outside. */
static bool enters(uint64_t pc, unsigned space) { return space == QN_HOME_OFF && qn_cfg()->toggle && qn_points_toggle(pc); }

uint32_t qn_translate(uint64_t pc, unsigned space)
{
    const struct qn_config *c = qn_cfg();
    const struct qn_space_rules *rules = qn_space_rules(space);
    const struct qn_block_rules shape = {block_max(space), rules->event.caches ? QN_BORROWED : 0, rules->emit.countdown != NULL,
                                         rules->event.cachegrind, qn_cfg()->toggle ? qn_points_toggle : NULL};
    uint64_t since = ticks(), number = qn_arena->stats.blocks;
    struct qn_cost_place place = {0};
    uint32_t index;

    if (!qn_exec_find(pc))
        return QN_NO_BLOCK;
    qn_points_learn(pc);
    qn_emit_set_rules(&rules->emit);
    qn_block_build(&block, pc, &shape);
    if (enters(pc, space)) {
        block.n = 0;
        block.next = pc;
        block.end = QN_END_ENTER;
    }
    qn_block_liveness(&block);
    events.n = 0;
    if (rules->emit.counts && block.n) {
        qn_event_collect(&events, &block, &rules->event);
        place = cost_centre(QN_HOME(space));
    }
    if (traced(number))
        trace_block();
    index = qn_emit_block(&block, &events, place.counter, place.centre, place.record, space);
    if (traced(number) && (c->trace & QN_TRACE_EMIT))
        qn_trace_emit(index);
    update_stats(since);
    return index;
}

/* Is the block's code still what was translated? */
QN_NCSR void qn_run_verify(void)
{
    const struct qn_tblock *b = qn_tcache_block((uint32_t)qn_ctx.arg_aux);

    qn_ctx.result = qn_code_hash(b->pc, b->nbytes) != b->bytes_hash;
}
