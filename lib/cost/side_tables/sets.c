/* lib/cost/side_tables/sets.c - rows of misses by set to text.  See sets.h. */
#include "cost/side_tables/sets.h"

#include <string.h>

#include "cost/events.h"
#include "cost/side_tables/columns.h"

#define GROUPS (QN_SET_CACHES_MAX * QN_SET_GROUPS_MAX)

struct output {
    const struct qn_cost_store *store;
    struct qn_set_cells cache[QN_SET_CACHES_MAX];
    uint32_t caches;
    struct qn_cost_extent extent;
    uint64_t recorded, instructions; /* rows of the arena; of the run */
    struct qn_prof_writer *w;        /* NULL: rows are counted only */
    uint64_t rows, of_rows;
};

bool qn_cost_has_sets(const struct qn_cost_store *store)
{
    return qn_cost_header(store)->config.interval && qn_cost_set_row_bytes(store);
}

bool qn_cost_sets_full(const struct qn_cost_store *store)
{
    struct qn_cost_extent e = qn_cost_get_extent(store);

    return (e.set_rows + 1) * e.set_row_bytes > QN_TABLE_SETS_SIZE;
}

static void begin(struct output *o, const struct qn_cost_store *store, uint64_t instructions)
{
    const struct qn_table_head *t = &qn_cost_header(store)->sim_output.tables;
    const uint64_t most = QN_TABLE_CELLS_SIZE / sizeof(uint64_t);
    struct qn_cost_extent e = qn_cost_get_extent(store);

    *o = (struct output){ .store = store, .instructions = instructions, .extent = e, .recorded = e.set_rows < e.intervals ? e.set_rows : e.intervals };
    for (uint32_t i = 0; i < t->set_caches && i < QN_SET_CACHES_MAX; i++) {
        struct qn_set_cells c = t->set_cells[i];

        c.name[QN_SET_CACHE_NAME - 1] = 0;
        c.first = c.first < most ? c.first : most;
        c.sets = c.sets < most - c.first ? c.sets : most - c.first;
        o->cache[o->caches++] = c;
    }
}

/* The counts of the whole run, by group of sets. */
static void sum_cells(const struct output *o, uint64_t sum[GROUPS])
{
    const volatile uint64_t *cells = (const volatile uint64_t *)(const void *)(o->store->base + QN_ARENA_TABLES_OFF + QN_TABLE_CELLS_OFF);
    uint64_t at = 0;

    memset(sum, 0, GROUPS * sizeof *sum);
    for (uint32_t c = 0; c < o->caches; at += qn_set_groups(o->cache[c].sets), c++)
        for (uint64_t i = 0; i < o->cache[c].sets; i++)
            sum[at + i / qn_sets_together(o->cache[c].sets)] += cells[o->cache[c].first + i];
}

struct row {
    const char *cache;
    uint64_t interval, start, end, set, sets, misses;
};

static const struct qn_cost_column columns[] = {
    QN_COST_COLUMN("cache", NAME, struct row, cache), QN_COST_COLUMN("interval", NUMBER, struct row, interval),
    QN_COST_COLUMN("start", NUMBER, struct row, start), QN_COST_COLUMN("end", NUMBER, struct row, end),
    QN_COST_COLUMN("set", NUMBER, struct row, set), QN_COST_COLUMN("sets", NUMBER, struct row, sets),
    QN_COST_COLUMN("misses", NUMBER, struct row, misses), QN_COST_COLUMNS_END };

static void put_interval(struct output *o, uint64_t number, uint64_t start, uint64_t end, const uint64_t row[GROUPS])
{
    uint64_t at = 0;

    for (uint32_t c = 0; c < o->caches; c++) {
        uint64_t together = qn_sets_together(o->cache[c].sets), left;

        for (uint64_t set = 0; set < o->cache[c].sets; set += together, at++) {
            if (set && !row[at])
                continue;
            o->rows++;
            if (!o->w)
                continue;
            left = o->cache[c].sets - set;
            qn_cost_put_row(o->w, columns, &(struct row){ o->cache[c].name, number, start, end, set, together < left ? together : left, row[at] }, o->of_rows);
        }
    }
}

/* The intervals that have ended, then the rest of the run. */
static void put_all(struct output *o)
{
    size_t bytes = o->extent.set_row_bytes, interval_bytes = o->extent.interval_bytes;
    uint64_t rest[GROUPS], row[GROUPS] = { 0 }, start = 0;

    o->rows = 0;
    sum_cells(o, rest);
    for (uint64_t i = 0; i < o->recorded; i++) {
        int64_t Ir;

        memcpy(&Ir, o->store->base + QN_ARENA_INTERVALS_OFF + i * interval_bytes + QN_COST_IR * sizeof Ir, sizeof Ir);
        memcpy(row, o->store->base + QN_ARENA_TABLES_OFF + QN_TABLE_SETS_OFF + i * bytes, bytes);
        put_interval(o, i + 1, start, start + (uint64_t)Ir, row);
        start += (uint64_t)Ir;
        for (size_t k = 0; k < bytes / sizeof *row; k++)
            rest[k] -= row[k];
    }
    if (start < o->instructions)
        put_interval(o, o->recorded + 1, start, o->instructions, rest);
}

enum qn_text_status qn_cost_write_sets(const char *path, const struct qn_cost_store *store, uint64_t instructions, struct qn_text_error *err)
{
    struct qn_prof_writer *w = qn_prof_open_writer(path, err);
    struct output o;

    if (!w)
        return err->status;
    begin(&o, store, instructions);
    put_all(&o);
    o.of_rows = o.rows;
    o.w = w;
    qn_cost_put_columns(w, columns);
    put_all(&o);
    return qn_prof_close_writer(w, err);
}
