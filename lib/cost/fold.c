/* lib/cost/fold.c - one pass over the blocks of an arena.  See fold.h.
 *
 * Counts are summed while place and line stay the same (instructions of one line come together) and
 * go to the table when they change: a table access per run of instructions, not per instruction.
 * Where the table wants instructions each of them is a run.
 */
#include "cost/fold.h"

#include <stdlib.h>
#include <string.h>

#include "base/base.h"
#include "base/grow.h"
#include "cost/count.h"

/* ---- sorted rows of module events ---- */

static int compare_sites(const void *left, const void *right)
{
    const struct qn_cost_charge *a = left, *b = right;

    return a->site < b->site ? -1 : a->site > b->site;
}

void qn_cost_sort_charges(struct qn_cost_charges *c, const struct qn_cost_store *store)
{
    const uint64_t *row = (const uint64_t *)(store->base + QN_ARENA_CHARGES_OFF);
    struct qn_cost_extent e = qn_cost_get_extent(store);
    size_t words = e.charge_bytes / sizeof(uint64_t);

    *c = (struct qn_cost_charges){ .events = (uint32_t)words - 1, .count = e.charges };
    c->list = QN_NEEDED(malloc((e.charges + 1) * sizeof *c->list));
    for (uint64_t i = 0; i < e.charges; i++, row += words)
        c->list[i] = (struct qn_cost_charge){ (uint32_t)*(const volatile uint64_t *)row, row + 1 };
    qsort(c->list, c->count, sizeof *c->list, compare_sites);
}

void qn_cost_free_charges(struct qn_cost_charges *c)
{
    free(c->list);
    *c = (struct qn_cost_charges){ 0 };
}

bool qn_cost_add_charges(const struct qn_cost_charges *c, uint32_t first, uint32_t end, int64_t sum[])
{
    bool sound = true;

    for (uint64_t i = QN_COUNT_WHILE(k, c->count, c->list[k].site < first); i < c->count && c->list[i].site < end; i++)
        for (uint32_t event = 0; event < c->events; event++) {
            uint64_t n = ((const volatile uint64_t *)c->list[i].counts)[event];

            if (n <= QN_COST_COUNTER_MAX)
                sum[event] += (int64_t)n;
            else
                sound = false;
        }
    return sound;
}

/* ---- sorted side exits ---- */

static int compare_exits(const void *left, const void *right)
{
    const struct qn_side_exit *a = left, *b = right;

    if (a->block != b->block)
        return a->block < b->block ? -1 : 1;
    return a->insn < b->insn ? -1 : a->insn > b->insn;
}

void qn_cost_sort_side_exits(struct qn_cost_side_exits *l, const struct qn_cost_store *store)
{
    struct qn_cost_extent e = qn_cost_get_extent(store);

    *l = (struct qn_cost_side_exits){ .count = e.side_exits };
    l->list = QN_NEEDED(malloc((e.side_exits + 1) * sizeof *l->list));
    memcpy(l->list, store->base + QN_ARENA_SIDE_EXITS_OFF, e.side_exits * sizeof *l->list);
    qsort(l->list, e.side_exits, sizeof *l->list, compare_exits);
}

void qn_cost_free_side_exits(struct qn_cost_side_exits *l)
{
    free(l->list);
    *l = (struct qn_cost_side_exits){ 0 };
}

void qn_cost_seek_side_exits(struct qn_cost_side_exits *l, uint32_t block)
{
    while (l->at < l->count && l->list[l->at].block < block)
        l->at++;
    l->block = block;
}

uint64_t qn_cost_count_executions(struct qn_cost_side_exits *l, uint32_t insn, uint64_t x)
{
    for (; l->at < l->count && l->list[l->at].block == l->block && l->list[l->at].insn <= insn; l->at++)
        x -= l->list[l->at].count < x ? l->list[l->at].count : x;
    return x;
}

struct fold {
    const struct qn_cost_store *store;
    const struct qn_cost_event_set *events;
    struct qn_cost_modules *modules;
    uint32_t region;
    struct qn_prof_table *table;
    struct qn_cost_result *result;
    struct qn_text_error *err;
    struct qn_cost_extent extent;
    struct qn_cost_side_exits side_exits;
    struct qn_cost_charges charges;
    int locks, fences;            /* the events; 0: there are none */
    struct qn_cost_place place;   /* of the last instruction */
    uint32_t map;                 /* its map */
    enum qn_prof_detail detail;
    uint32_t fn, line;            /* the row that `sum` belongs to */
    struct qn_prof_insn insn;     /* and the instruction, where these are wanted */
    int columns;                  /* of `sum`, up to the last event of a module */
    bool open;                    /* `sum` holds something */
    int64_t sum[QN_COST_COLUMNS];
};

static int event_named(const struct qn_cost_event_set *events, const char *name)
{
    for (int i = 0; i < events->count; i++)
        if (!strcmp(events->names[i], name))
            return events->which[i];
    return 0;
}

static enum qn_text_status flush(struct fold *f)
{
    int64_t columns[QN_COST_COLUMNS];
    enum qn_text_status status;

    if (!f->open)
        return QN_TEXT_OK;
    for (int i = 0; i < f->events->count; i++)
        columns[i] = f->sum[f->events->which[i]];
    for (int e = 0; e < f->columns; e++)
        if (__builtin_add_overflow(f->result->totals[e], f->sum[e], &f->result->totals[e]))
            return qn_text_fail(f->err, QN_TEXT_BAD, "the counts are damaged: a total exceeds 64 bits");
    memset(f->sum, 0, (size_t)f->columns * sizeof f->sum[0]);
    f->open = false;
    status = qn_prof_table_add_line(f->table, f->fn, f->line, columns, f->err);
    if (status == QN_TEXT_OK && f->detail == QN_PROF_DETAIL_INSNS)
        status = qn_prof_table_add_insn(f->table, f->fn, f->line, &f->insn, columns, f->err);
    return status;
}

/* Begins the row of one instruction: its address in the object, its bytes if they can be had. */
static enum qn_text_status begin_insn(struct fold *f, uint32_t map, uint64_t pc, uint32_t d)
{
    enum qn_text_status status = flush(f);

    f->insn = (struct qn_prof_insn){ .address = pc + f->place.bias };
    if (qn_cost_get_code(f->modules, map, pc, QN_INSN_LEN(d), f->insn.bytes))
        f->insn.length = QN_INSN_LEN(d);
    return status;
}

static void note_program(struct fold *f)
{
    struct qn_cost_result *r = f->result;

    if (!r->program || r->has_lines || !f->place.object || strcmp(f->place.object, r->program))
        return;
    r->has_program = true;
    r->has_lines = f->place.line > 0;
}

static enum qn_text_status move_to(struct fold *f, uint32_t map, uint64_t pc)
{
    enum qn_text_status status;
    uint32_t fn;

    if (map == f->map && pc >= f->place.start && pc < f->place.end)
        return QN_TEXT_OK;
    qn_cost_find_place(f->modules, map, pc, &f->place);
    f->map = map;
    note_program(f);
    if (f->detail != QN_PROF_DETAIL_LINES)
        qn_prof_table_enter_object(f->table, f->place.object);
    fn = qn_prof_table_fn(f->table, f->place.file, f->place.function);
    if (fn == f->fn && f->place.line == f->line)
        return QN_TEXT_OK;
    status = flush(f);
    f->fn = fn;
    f->line = f->place.line;
    return status;
}

/* Copies the record of a block and says whether all of it lies inside the arena. */
static bool get_block(const struct fold *f, uint64_t at, struct qn_block_rec *b)
{
    memcpy(b, f->store->base + QN_ARENA_BLOCKS_OFF + at * sizeof *b, sizeof *b);
    return b->counter < f->extent.counters && b->first_insn <= f->extent.insns
           && b->ninsns <= f->extent.insns - b->first_insn;
}

static enum qn_text_status fold_insns(struct fold *f, const struct qn_block_rec *b, uint64_t x)
{
    const qn_insn_desc *insns = (const qn_insn_desc *)(f->store->base + QN_ARENA_INSNS_OFF) + b->first_insn;
    const uint64_t *counters = (const uint64_t *)(f->store->base + QN_ARENA_COUNTERS_OFF);
    uint64_t next = b->misses ? b->misses : (uint64_t)b->counter + 1, pc = b->pc;
    bool sound = true, aside = b->region == QN_REGION_ASIDE;
    int64_t *sum = aside ? f->result->aside : f->sum;

    for (uint32_t i = 0; i < b->ninsns; i++) {
        uint32_t d = ((const volatile qn_insn_desc *)insns)[i];
        enum qn_text_status status;

        if (next + qn_insn_counters(d) > f->extent.counters) {
            sound = false;
            break;
        }
        x = qn_cost_count_executions(&f->side_exits, i, x);
        if (!aside && (status = move_to(f, b->map, pc)) != QN_TEXT_OK)
            return status;
        if (!aside && f->detail == QN_PROF_DETAIL_INSNS && (status = begin_insn(f, b->map, pc, d)) != QN_TEXT_OK)
            return status;
        f->open |= !aside;
        sound &= qn_cost_count(d, x, counters + next, sum);
        sum[f->locks] += f->locks && d & QN_INSN_LOCKS ? (int64_t)x : 0;
        sum[f->fences] += f->fences && d & QN_INSN_FENCES ? (int64_t)x : 0;
        sound &= qn_cost_add_charges(&f->charges, (uint32_t)next, (uint32_t)next + qn_insn_counters(d), sum + QN_COST_EVENTS);
        next += qn_insn_counters(d);
        pc += QN_INSN_LEN(d);
    }
    f->result->damaged += !sound;
    return QN_TEXT_OK;
}

static enum qn_text_status fold_block(struct fold *f, uint64_t at)
{
    struct qn_block_rec b;
    uint64_t x;

    if (!get_block(f, at, &b)) {
        f->result->damaged++;
        return QN_TEXT_OK;
    }
    if (f->region != QN_COST_ALL_REGIONS && f->region != b.region)
        return QN_TEXT_OK;
    x = ((const volatile uint64_t *)(f->store->base + QN_ARENA_COUNTERS_OFF))[b.counter];
    if (x == 0)
        return QN_TEXT_OK;
    if (x > QN_COST_COUNTER_MAX) {
        f->result->damaged++;
        return QN_TEXT_OK;
    }
    if (b.region != QN_REGION_ASIDE)
        f->result->executions += x;
    qn_cost_seek_side_exits(&f->side_exits, (uint32_t)at);
    return fold_insns(f, &b, x);
}

/* What modules counted while no reference was being made belongs to no line; its instruction is at 0. */
static enum qn_text_status fold_rest(struct fold *f)
{
    enum qn_text_status status = flush(f);

    if (status != QN_TEXT_OK || f->region != QN_COST_ALL_REGIONS || !f->charges.count || f->charges.list[0].site)
        return status;
    qn_prof_table_enter_object(f->table, NULL);
    f->fn = qn_prof_table_fn(f->table, NULL, NULL);
    f->insn = (struct qn_prof_insn){ .address = 0 };
    f->line = 0;
    f->open = true;
    f->result->damaged += !qn_cost_add_charges(&f->charges, 0, 1, f->sum + QN_COST_EVENTS);
    return flush(f);
}

enum qn_text_status qn_cost_fold(const struct qn_cost_store *store, const struct qn_cost_event_set *events,
                                 struct qn_cost_modules *modules, uint32_t region, struct qn_prof_table *table,
                                 struct qn_cost_result *result, struct qn_text_error *err)
{
    struct fold f = { .store = store, .events = events, .modules = modules, .region = region, .table = table,
                      .result = result, .err = err, .fn = QN_PROF_NO_FN, .map = UINT32_MAX,
                      .detail = qn_prof_table_wants(table) };
    enum qn_text_status status = QN_TEXT_OK;

    *result = (struct qn_cost_result){ .program = result->program };
    f.extent = qn_cost_get_extent(store);
    qn_cost_sort_charges(&f.charges, store);
    f.locks = event_named(f.events, "D1.locks");
    f.fences = event_named(f.events, "D1.fences");
    f.columns = QN_COST_EVENTS;
    for (int i = 0; i < events->count; i++)
        f.columns = events->which[i] < f.columns ? f.columns : events->which[i] + 1;
    qn_cost_sort_side_exits(&f.side_exits, store);
    for (uint64_t i = 0; i < f.extent.blocks && status == QN_TEXT_OK; i++)
        status = fold_block(&f, i);
    if (status == QN_TEXT_OK)
        status = fold_rest(&f);
    qn_cost_free_side_exits(&f.side_exits);
    qn_cost_free_charges(&f.charges);
    return status;
}

/* ---- paths and tables of regions ---- */

/* A slash separates names, so in a name it is replaced, as are bytes that a terminal would obey. */
static void append_name(const struct qn_cost_store *store, uint32_t name, char path[QN_COST_REGION_PATH])
{
    size_t n = strlen(path);

    if (n + 2 >= QN_COST_REGION_PATH)
        return;
    if (n)
        path[n++] = '/';
    qn_cost_get_string(store, name, path + n, QN_COST_REGION_PATH - n);
    for (char *p = path + n; *p; p++)
        if (*p == '/')
            *p = '_';
        else if ((unsigned char)*p < ' ' || *p == 127)
            *p = '?';
    if (!path[n])
        strcpy(path + n, "?");
}

/* A region is made after the one around it, so numbers only fall. */
static void append_path(const struct qn_cost_store *store, uint32_t region, char path[QN_COST_REGION_PATH])
{
    struct qn_region_rec r = qn_cost_header(store)->region[region];

    if (r.parent && r.parent < region)
        append_path(store, r.parent, path);
    append_name(store, r.name, path);
}

/* Which regions have blocks of their own. */
static void find_counted(const struct qn_cost_store *store, bool counted[QN_ARENA_REGIONS_MAX])
{
    struct qn_cost_extent e;
    const volatile struct qn_block_rec *b = (const struct qn_block_rec *)(store->base + QN_ARENA_BLOCKS_OFF);

    memset(counted, 0, QN_ARENA_REGIONS_MAX * sizeof *counted);
    e = qn_cost_get_extent(store);
    for (uint64_t i = 0; i < e.blocks; i++) {
        uint32_t region = b[i].region;

        if (region < QN_ARENA_REGIONS_MAX)
            counted[region] = true;
    }
}

static int compare_paths(const void *left, const void *right)
{
    const struct qn_cost_region *a = left, *b = right;

    return strcmp(a->path, b->path);
}

static enum qn_text_status fold_one(const struct qn_cost_store *store, const struct qn_cost_event_set *events,
                                    struct qn_cost_modules *modules, enum qn_prof_detail detail, uint32_t number,
                                    struct qn_cost_region *to, struct qn_text_error *err)
{
    char path[QN_COST_REGION_PATH] = "";
    struct qn_cost_result result = { .program = NULL };

    append_path(store, number, path);
    to->path = QN_NEEDED(strdup(path));
    to->table = qn_prof_new_table(events->count);
    qn_prof_table_want(to->table, detail);
    return qn_cost_fold(store, events, modules, number, to->table, &result, err);
}

enum qn_text_status qn_cost_fold_regions(const struct qn_cost_store *store, const struct qn_cost_event_set *events,
                                         struct qn_cost_modules *modules, enum qn_prof_detail detail,
                                         struct qn_cost_regions *regions, struct qn_text_error *err)
{
    uint32_t n = qn_cost_header(store)->n_regions;
    bool counted[QN_ARENA_REGIONS_MAX];
    enum qn_text_status status = QN_TEXT_OK;

    find_counted(store, counted);
    regions->count = 0;
    for (uint32_t i = 1; i < n && i < QN_ARENA_REGIONS_MAX && status == QN_TEXT_OK; i++)
        if (counted[i]) {
            regions->list[regions->count] = (struct qn_cost_region){ NULL, NULL };
            status = fold_one(store, events, modules, detail, i, &regions->list[regions->count++], err);
        }
    if (status == QN_TEXT_OK && regions->count)
        qsort(regions->list, (size_t)regions->count, sizeof regions->list[0], compare_paths);
    return status;
}

void qn_cost_free_regions(struct qn_cost_regions *regions)
{
    for (int i = 0; i < regions->count; i++) {
        free((char *)(uintptr_t)regions->list[i].path);
        qn_prof_free_table(regions->list[i].table);
    }
    regions->count = 0;
}
