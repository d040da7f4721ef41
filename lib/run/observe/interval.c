/* lib/run/observe/interval.c - counts per interval of N instructions, cut at exact instructions.
 *
 *   --interval=1000, block of 12 instructions, 5 left     ->   its first 5 run as a block of their own, then the
 *                                                              interval is recorded, then the other 7 run
 *
 * Each block first subtracts its length from qn_countdown; if the result is negative, the dispatcher calls this file.  So intervals
 * cost translated code a subtraction and a branch for each block, and they begin and end between two instructions.  An interval ends
 * after the first instruction that completes a multiple of N.  A repeated string instruction counts one Ir for each repetition and is
 * never divided, so an interval may be longer, and may span several multiples.  When a fault takes instructions back, they are added to
 * the countdown again (qn_arena_leave).
 *
 * With --interval=auto, when there are as many rows as allowed, each pair of rows becomes one, and intervals are twice as long from then
 * on.
 *
 * The counts of an interval are the difference between the arena now and at its beginning.  Only blocks whose execution counters have
 * changed are compared.
 */

#include "base/sizes.h"
#include "cost/count.h"
#include "run/core/core.h"
#include "run/run.h"
#include "tcache/tcache.h"

int64_t qn_countdown;
static uint64_t length; /* of an interval, instructions */

static uint64_t *counters_then; /* as they were when the interval began, by index */
static uint64_t *leaves_then, *events_then;

static void start(const struct qn_config *c)
{
    counters_then = qn_engine_alloc(QN_ARENA_COUNTERS_SIZE);
    leaves_then = qn_engine_alloc(QN_ARENA_SIDE_EXITS_SIZE / sizeof(struct qn_side_exit) * sizeof(uint64_t));
    events_then = qn_engine_alloc(QN_SIM_EVENTS_MAX * sizeof(uint64_t));
    length = c->interval;
    qn_countdown = (int64_t)length;
}

/* A counter's growth since it was last asked for. */
static uint64_t growth(uint64_t *then, const uint64_t *now)
{
    uint64_t n = *now - *then;

    *then = *now;
    return n;
}

/* What one execution of the instructions counts whose own counters have not changed: nearly all. */
struct plain {
    uint32_t insns, reads, writes, conditional, indirect;
};

static inline void add_plain(struct plain *p, uint32_t d)
{
    p->insns++;
    p->reads += QN_INSN_NREAD(d);
    p->writes += QN_INSN_NWRITE(d);
    p->conditional += (d & QN_INSN_BC) != 0;
    p->indirect += (d & QN_INSN_BI) != 0;
}

static void add_block(const struct qn_block_rec *b, uint64_t executions, int64_t sum[QN_COST_EVENTS])
{
    const uint64_t *now = qn_arena_counters() + b->misses;
    uint64_t *then = counters_then + b->misses;
    const qn_insn_desc *desc = qn_arena_descs(b);
    struct plain p = {0};

    for (unsigned i = 0; i < b->ninsns; i++) {
        uint32_t d = desc[i], n = qn_insn_counters(d);
        uint64_t grown[QN_INSN_COUNTERS_MAX], any = d & QN_INSN_VARIABLE;

        for (uint32_t k = 0; k < n; k++)
            any |= grown[k] = growth(then++, now++);
        if (any)
            qn_cost_count(d, executions, grown, sum);
        else
            add_plain(&p, d);
    }
    sum[QN_COST_IR] += (int64_t)(p.insns * executions);
    sum[QN_COST_DR] += (int64_t)(p.reads * executions);
    sum[QN_COST_DW] += (int64_t)(p.writes * executions);
    sum[QN_COST_BC] += (int64_t)(p.conditional * executions);
    sum[QN_COST_BI] += (int64_t)(p.indirect * executions);
}

/* Most blocks were not executed in this interval: not even their records are looked at. */
static void add_blocks(int64_t sum[QN_COST_EVENTS])
{
    uint64_t n = qn_arena->n_blocks;

    for (uint64_t first = 0; first < n; first += QN_ARENA_EXECUTIONS) {
        const struct qn_block_rec *b = qn_arena_block((uint32_t)first);
        const uint64_t *now = qn_arena_counters() + b->counter;
        uint64_t *then = counters_then + b->counter;

        for (uint64_t i = 0; i < QN_ARENA_EXECUTIONS && first + i < n; i++)
            if (now[i] != then[i])
                add_block(b + i, growth(&then[i], &now[i]), sum);
    }
}

/* Instructions of executed blocks that were not. */
static void take_side_exits(int64_t sum[QN_COST_EVENTS])
{
    int64_t less[QN_COST_EVENTS] = {0};

    for (uint64_t i = 0; i < qn_arena->n_side_exits; i++) {
        const struct qn_side_exit *l = qn_arena_side_exit(i);
        const struct qn_block_rec *b = qn_arena_block(l->block);
        uint64_t n = growth(&leaves_then[i], &l->count);

        if (n)
            qn_arena_add_executed(qn_arena_descs(b) + l->insn, b->ninsns - l->insn, n, less);
    }
    for (unsigned i = 0; i < QN_COST_EVENTS; i++)
        sum[i] -= less[i];
}

/* ---- misses by set in each interval, where an analysis counts them (sim_sets_by_time in sim/module.h) ----
 *
 *   cells of a cache with 512 sets, an interval has ended   ->   a row of 256 numbers, two sets in each
 */

static uint64_t sets_then[QN_SET_CACHES_MAX * QN_SET_GROUPS_MAX]; /* all that was counted before the interval, by group */

static uint64_t set_groups(const struct qn_table_head *t)
{
    uint64_t n = 0;

    for (uint32_t i = 0; i < t->set_caches; i++)
        n += qn_set_groups(t->set_cells[i].sets);
    return n;
}

static uint64_t *sets_row(uint64_t n, uint64_t words) { return (uint64_t *)(void *)((uint8_t *)qn_arena_at(QN_ARENA_TABLES_OFF) + QN_TABLE_SETS_OFF) + n * words; }

/* Returns the next group's place. */
static uint64_t record_sets_of(const struct qn_set_cells *c, uint64_t *row, uint64_t at)
{
    const uint64_t *cells = (const uint64_t *)(const void *)((uint8_t *)qn_arena_at(QN_ARENA_TABLES_OFF) + QN_TABLE_CELLS_OFF) + c->first;
    uint64_t together = qn_sets_together(c->sets);

    for (uint64_t first = 0; first < c->sets; first += together, at++) {
        uint64_t sum = 0;

        for (uint64_t i = first; i < first + together && i < c->sets; i++)
            sum += cells[i];
        row[at] = growth(&sets_then[at], &sum);
    }
    return at;
}

/* Interval n has ended.  Without room for a row, this and later intervals have none. */
static void record_sets(uint64_t n)
{
    struct qn_table_head *t = &qn_arena->sim_output.tables;
    uint64_t words = set_groups(t), at = 0;

    if (!words || t->set_rows != n || (n + 1) * words * sizeof(uint64_t) > QN_TABLE_SETS_SIZE)
        return;
    for (uint32_t i = 0; i < t->set_caches; i++)
        at = record_sets_of(&t->set_cells[i], sets_row(n, words), at);
    t->set_rows = n + 1;
}

/* ---- intervals ---- */

/* Every two of n rows become one. */
static void add_pairs(uint64_t *rows, uint64_t n, uint64_t words)
{
    for (uint64_t i = 0; i < n / 2; i++)
        for (uint64_t k = 0; k < words; k++)
            rows[i * words + k] = rows[2 * i * words + k] + rows[(2 * i + 1) * words + k];
}

/* A long run keeps as many rows as it may have, of longer intervals.  Meanwhile there are none, so whoever reads the arena then finds all
 * counts in the last interval. */
static void halve(uint64_t words)
{
    uint64_t n = qn_arena->n_intervals;
    int64_t *rows = (int64_t *)qn_arena_at(QN_ARENA_INTERVALS_OFF);
    struct qn_table_head *t = &qn_arena->sim_output.tables;

    qn_arena->n_intervals = 0;
    add_pairs((uint64_t *)rows, n, words);
    for (uint64_t k = n / 2 * words; k < n * words; k++)
        rows[k] = 0;
    if (t->set_rows == n) {
        t->set_rows = 0;
        add_pairs(sets_row(0, 0), n, set_groups(t));
        t->set_rows = n / 2;
    }
    qn_arena->n_intervals = n / 2;
    length *= 2;
}

/* false: no room for another row; what is still to come belongs to the last one. */
static bool record(void)
{
    const struct qn_sim_output *o = &qn_arena->sim_output;
    uint64_t words = QN_COST_EVENTS + o->events, n = qn_arena->n_intervals;
    int64_t *row = (int64_t *)qn_arena_at(QN_ARENA_INTERVALS_OFF) + n * words;

    if ((n + 1) * words * sizeof *row > QN_ARENA_INTERVALS_SIZE)
        return false;
    qn_sim_stream_sync();
    add_blocks(row);
    take_side_exits(row);
    for (uint32_t i = 0; i < o->events; i++)
        row[QN_COST_EVENTS + i] = (int64_t)growth(&events_then[i], &o->counts[i]);
    record_sets(n);
    qn_arena->n_intervals = n + 1;
    if (n + 1 == qn_cfg()->interval_rows)
        halve(words);
    return true;
}

/* The next block would cross the interval's end.  Returns how many of its instructions the interval still has, after recording it if it has
 * none; 0: the next interval has begun, look again. */
static unsigned cut(uint32_t kind)
{
    if (kind != QN_EXIT_COUNTDOWN)
        return 0;
    if (qn_countdown > 0)
        return (unsigned)qn_countdown;
    if (!record()) {
        qn_countdown = INT64_MAX;
        return 0;
    }
    while (qn_countdown <= 0)
        qn_countdown += (int64_t)length;
    return 0;
}

static void undone(const struct qn_block_rec *b, unsigned insn) { qn_countdown += b->ninsns - insn; }

static void rules(struct qn_emit_rules *r, unsigned mode)
{
    (void)mode;
    r->countdown = r->counts ? &qn_countdown : NULL;
}

const struct qn_slice qn_interval_slice = {.start = start, .rules = rules, .act = cut, .undone = undone};
