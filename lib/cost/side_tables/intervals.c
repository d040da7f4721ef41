/* lib/cost/side_tables/intervals.c - rows of the arena to text.  See intervals.h. */
#include "cost/side_tables/intervals.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "prof/write.h"
#include "text/csv.h"

#define TERMS 3

/* A rate: 100 or 1000 times a sum of events over a sum of events.  Written if the first event of both sums is a column. */
static const struct rate {
    const char *name;
    int64_t times;
    int above, below;
    uint8_t over[TERMS], under[TERMS];
} rates[] = {
    { "I1mr%", 100, 1, 1, { QN_COST_I1MR }, { QN_COST_IR } },
    { "D1m%", 100, 2, 2, { QN_COST_D1MR, QN_COST_D1MW }, { QN_COST_DR, QN_COST_DW } },
    { "LLmr%", 100, 3, 3, { QN_COST_ILMR, QN_COST_DLMR, QN_COST_DLMW }, { QN_COST_IR, QN_COST_DR, QN_COST_DW } },
    { "MPKI", 1000, 3, 1, { QN_COST_ILMR, QN_COST_DLMR, QN_COST_DLMW }, { QN_COST_IR } },
    { "Bcm%", 100, 1, 1, { QN_COST_BCM }, { QN_COST_BC } },
    { "Bim%", 100, 1, 1, { QN_COST_BIM }, { QN_COST_BI } },
};

#define RATES (sizeof rates / sizeof rates[0])
#define RATE_DIGITS 10000 /* four decimals */

struct output {
    struct qn_prof_writer *w;
    const struct qn_cost_event_set *events;
    uint64_t number, start, rows; /* rows: of the file */
};

static bool shows(const struct qn_cost_event_set *events, int event)
{
    for (int i = 0; i < events->count; i++)
        if (events->which[i] == event)
            return true;
    return false;
}

static bool shows_rate(const struct output *o, const struct rate *r)
{
    return shows(o->events, r->over[0]) && shows(o->events, r->under[0]);
}

static void put_head(struct output *o)
{
    qn_prof_put_text(o->w, "interval,start,end");
    for (int i = 0; i < o->events->count; i++) {
        qn_prof_put_text(o->w, ",");
        qn_prof_put_text(o->w, o->events->names[i]);
    }
    for (size_t i = 0; i < RATES; i++)
        if (shows_rate(o, &rates[i])) {
            qn_prof_put_text(o->w, ",");
            qn_prof_put_text(o->w, rates[i].name);
        }
    qn_prof_put_text(o->w, "," QN_TEXT_ROWS_COLUMN "\n");
}

static void put_number(struct output *o, const char *before, int64_t n)
{
    char text[32];

    snprintf(text, sizeof text, "%s%" PRId64, before, n);
    qn_prof_put_text(o->w, text);
}

static double sum(const int64_t *row, const uint8_t *terms, int n)
{
    double total = 0;

    for (int i = 0; i < n; i++)
        total += (double)row[terms[i]];
    return total;
}

/* Without the decimal point of a locale. */
static void put_rate(struct output *o, const struct rate *r, const int64_t *row)
{
    double below = sum(row, r->under, r->below), value = (double)r->times * sum(row, r->over, r->above) / below;
    char text[48];
    int64_t scaled;

    qn_prof_put_text(o->w, ",");
    if (!(below > 0) || !(value >= 0 && value < 1e12))
        return;
    scaled = (int64_t)(value * RATE_DIGITS + 0.5);
    snprintf(text, sizeof text, "%" PRId64 ".%04d", scaled / RATE_DIGITS, (int)(scaled % RATE_DIGITS));
    qn_prof_put_text(o->w, text);
}

static void put_row(struct output *o, const int64_t row[QN_COST_COLUMNS])
{
    uint64_t end = o->start + (uint64_t)row[QN_COST_IR];

    put_number(o, "", (int64_t)++o->number);
    put_number(o, ",", (int64_t)o->start);
    put_number(o, ",", (int64_t)end);
    for (int i = 0; i < o->events->count; i++)
        put_number(o, ",", row[o->events->which[i]]);
    for (size_t i = 0; i < RATES; i++)
        if (shows_rate(o, &rates[i]))
            put_rate(o, &rates[i], row);
    put_number(o, ",", (int64_t)o->rows);
    qn_prof_put_text(o->w, "\n");
    o->start = end;
}

static void get_row(const struct qn_cost_store *store, size_t bytes, uint64_t i, int64_t row[QN_COST_COLUMNS])
{
    memset(row, 0, QN_COST_COLUMNS * sizeof *row);
    memcpy(row, store->base + QN_ARENA_INTERVALS_OFF + i * bytes, bytes);
}

/* Subtracts rows of the arena from the totals; rows of a damaged arena cause no overflow. */
static void take_off(const struct qn_cost_store *store, const struct qn_cost_extent *e, int64_t rest[QN_COST_COLUMNS])
{
    int64_t row[QN_COST_COLUMNS];

    for (uint64_t i = 0; i < e->intervals; i++) {
        get_row(store, e->interval_bytes, i, row);
        for (int k = 0; k < QN_COST_COLUMNS; k++)
            rest[k] = (int64_t)((uint64_t)rest[k] - (uint64_t)row[k]);
    }
}

static bool is_empty(const int64_t row[QN_COST_COLUMNS])
{
    for (int i = 0; i < QN_COST_COLUMNS; i++)
        if (row[i])
            return false;
    return true;
}

enum qn_text_status qn_cost_write_intervals(const char *path, const struct qn_cost_store *store,
                                            const struct qn_cost_event_set *events,
                                            const int64_t totals[QN_COST_COLUMNS], struct qn_text_error *err)
{
    struct output o = { .w = qn_prof_open_writer(path, err), .events = events };
    int64_t rest[QN_COST_COLUMNS], row[QN_COST_COLUMNS];
    struct qn_cost_extent e;

    if (!o.w)
        return err->status;
    e = qn_cost_get_extent(store);
    memcpy(rest, totals, sizeof rest);
    take_off(store, &e, rest);
    o.rows = e.intervals + !is_empty(rest);
    put_head(&o);
    for (uint64_t i = 0; i < e.intervals; i++) {
        get_row(store, e.interval_bytes, i, row);
        put_row(&o, row);
    }
    if (!is_empty(rest))
        put_row(&o, rest);
    return qn_prof_close_writer(o.w, err);
}

bool qn_cost_intervals_full(const struct qn_cost_store *store)
{
    struct qn_cost_extent e = qn_cost_get_extent(store);

    return (e.intervals + 1) * e.interval_bytes > QN_ARENA_INTERVALS_SIZE;
}
